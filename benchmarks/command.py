"""``python -m benchmarks``: options, the run, the report."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.contender import Contender
from benchmarks.disk import base_folder, fsync_milliseconds
from benchmarks.peers import PEERS
from benchmarks.peers.environment import NoPeers, prepare
from benchmarks.registry import MEASUREMENTS, selected
from benchmarks.report import Run, goals_table, notes, peers_table
from benchmarks.rounds import Rounds
from benchmarks.scale import FULL, QUICK, SMOKE, Scale
from benchmarks.server import Server
from benchmarks.stores import STORES
from tests.servers import ServerFailed, ServerMissing


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 0 when everything was measured, 1 when something failed, 2 for wrong use."""
    options = _parser().parse_args(arguments)
    stores = options.store or list(STORES)
    try:
        peers, versions = _peers(stores)
    except NoPeers as error:
        _tell(f"benchmarks: PEERS was asked for: {error}")
        return 2
    base = base_folder()
    if not base.is_dir():
        _tell(f"benchmarks: {base} is not a folder; make it, or set WINDLASS_BENCH_DIR to another one")
        return 2
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="windlass-bench-", dir=base))
        try:
            # Beside that folder, not in it: it is ours alone, and a server may run under another account.
            servers = {store: stack.enter_context(STORES[store].serve(base)) for store in stores}
        except (ServerFailed, ServerMissing) as error:
            _tell(f"benchmarks: {error}")
            return 2
        return _measure(options, Path(folder), servers, peers, versions)


def _measure(
    options: argparse.Namespace,
    folder: Path,
    servers: Mapping[str, Server],
    peers: Sequence[Contender],
    versions: Mapping[str, str],
) -> int:
    warnings, facts = machine.warnings(folder, servers), machine.facts(folder, servers)
    scale, count = options.scale, options.rounds or options.scale.rounds
    if options.seconds is not None:
        scale = replace(scale, sustained_seconds=float(options.seconds))
    if options.scale is SMOKE:
        warnings.append("tiny numbers: the figures and verdicts mean nothing, only that everything works")
    rounds = Rounds(folder=folder, servers=servers, scale=scale, rounds=count, tell=_tell)
    runs = [_run_of(store, options.only, peers, rounds) for store in servers]
    is_whole = _run_all(rounds, runs)
    facts["fsync of 4 KiB there"] += f", {fsync_milliseconds(folder):.3f} ms at the end"
    facts["scale"] = _scale_shown(scale, count) + ("" if is_whole else "; interrupted")
    if versions:
        facts["environment of the peers"] = ", ".join(f"{name} {version}" for name, version in versions.items())
    _print_report(runs, notes(facts, warnings, _guarantees(runs), runs))
    if options.json is not None:
        _write_json(options.json, rounds, facts, warnings)
    return 0 if is_whole and not rounds.results.failures else 1


def _run_of(name: str, only: Sequence[str], peers: Sequence[Contender], rounds: Rounds) -> Run:
    return Run(
        store=name,
        measurements=selected(only),
        ours=[Contender(title=variant, store=name, variant=variant) for variant in STORES[name].variants],
        peers=[peer for peer in peers if peer.store == name],
        results=rounds.results,
    )


def _run_all(rounds: Rounds, runs: Sequence[Run]) -> bool:
    """Run everything; false when a person has stopped it, which leaves what was measured so far."""
    try:
        for run in runs:
            for measurement in run.measurements:
                rounds.run(measurement, run.ours, {peer: PEERS[peer.key].measures for peer in run.peers})
    except KeyboardInterrupt:
        _tell("stopped; what follows is what was measured so far")
        return False
    return True


def _peers(stores: Sequence[str]) -> tuple[list[Contender], dict[str, str]]:
    """The peers on these stores if ``PEERS`` asks for them, and the versions of what they run on."""
    if os.environ.get("PEERS", "") in ("", "0"):
        return [], {}
    found = [peer for peer in PEERS.values() if peer.store in stores]
    packages = sorted({package for peer in found for package in peer.packages})
    python, versions = prepare(packages, tell=_tell)
    contenders = [
        Contender(title=f"{peer.title} {versions[peer.packages[0]]}", store=peer.store, peer=peer.name, python=python)
        for peer in found
    ]
    return contenders, versions


def _guarantees(runs: Sequence[Run]) -> dict[str, str]:
    """What each contender promises, for the reader."""
    said = {}
    for run in runs:
        store = STORES[run.store]
        said.update({f"{store.title} {variant}": store.guarantee(variant) for variant in store.variants})
        said.update({f"{store.title}: {PEERS[peer.key].title}": PEERS[peer.key].guarantee for peer in run.peers})
    return said


def _scale_shown(scale: Scale, rounds: int) -> str:
    return (
        f"{scale.name}: {rounds} round{'s' if rounds > 1 else ''}, drains of {scale.drain_jobs:,} jobs, "
        f"sustained for {scale.sustained_seconds:g} s, large backlog {scale.large_backlog:,}"
    )


def _print_report(runs: Sequence[Run], notes: str) -> None:
    for run in runs:
        print(f"\nWindlass on {STORES[run.store].title}, no-op jobs\n\n{goals_table(run)}")
        if run.peers:
            print(f"\nAgainst the peers of the same run\n\n{peers_table(run)}")
    print(f"\n{notes}")


def _write_json(path: Path, rounds: Rounds, facts: dict[str, str], warnings: Sequence[str]) -> None:
    document: dict[str, Any] = {
        "facts": facts,
        "warnings": list(warnings),
        "failures": rounds.results.failures,
        "results": rounds.results.to_plain(),
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    scale = parser.add_mutually_exclusive_group()
    scale.add_argument(
        "--quick",
        dest="scale",
        action="store_const",
        const=QUICK,
        help="less of everything, one round: about 80 s a store",
    )
    scale.add_argument(
        "--smoke", dest="scale", action="store_const", const=SMOKE, help="tiny: shows that it works, measures nothing"
    )
    parser.set_defaults(scale=FULL)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=list(MEASUREMENTS),
        metavar="NAME",
        help=f"measure this and what it needs; may be repeated: {', '.join(MEASUREMENTS)}",
    )
    parser.add_argument("--rounds", type=_positive, help="default: 3, with --quick 1")
    parser.add_argument(
        "--seconds", type=_positive, help="how long `sustained` runs; from 180 on with retention that has work to do"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure of every round there")
    parser.add_argument(
        "--store", action="append", default=[], choices=list(STORES), help="this one only; may be repeated"
    )
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {value}")
    return value


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
