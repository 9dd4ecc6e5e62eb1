"""``python -m benchmarks``: options, the run, the report."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.contender import Contender
from benchmarks.disk import base_folder, fsync_milliseconds
from benchmarks.measurement import Measurement
from benchmarks.peers import PEERS
from benchmarks.peers.environment import NoPeers, prepare
from benchmarks.registry import MEASUREMENTS, selected
from benchmarks.report import Run, goals_table, notes, peers_table
from benchmarks.rounds import Rounds
from benchmarks.scale import FULL, QUICK, SMOKE, Scale
from benchmarks.stores import STORES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 0 when everything was measured, 1 when something failed, 2 for wrong use."""
    options = _parser().parse_args(arguments)
    try:
        peers, versions = _peers(options.store)
    except NoPeers as error:
        _tell(f"benchmarks: PEERS was asked for: {error}")
        return 2
    base = base_folder()
    if not base.is_dir():
        _tell(f"benchmarks: {base} is not a folder; make it, or set WINDLASS_BENCH_DIR to another one")
        return 2
    with tempfile.TemporaryDirectory(prefix="windlass-bench-", dir=base) as folder:
        return _measure(options, Path(folder), peers, versions)


def _measure(
    options: argparse.Namespace, folder: Path, peers: list[Contender], versions: dict[str, dict[str, str]]
) -> int:
    store = STORES[options.store]
    warnings, facts = machine.warnings(folder), machine.facts(folder, [store])
    scale = options.scale
    if scale is SMOKE:
        warnings.append("tiny numbers: the figures and verdicts mean nothing, only that everything works")
    rounds = Rounds(folder=folder, scale=scale, rounds=options.rounds or scale.rounds, tell=_tell)
    ours = [Contender(title=variant, store=store.name, variant=variant) for variant in store.variants]
    measurements = selected(options.only)
    run = Run(store=store.name, measurements=measurements, ours=ours, peers=peers, results=rounds.results)
    is_whole = _run_all(rounds, measurements, ours, peers)
    facts["fsync of 4 KiB there"] += f", {fsync_milliseconds(folder):.3f} ms at the end"
    facts["scale"] = _scale_shown(scale, options.rounds or scale.rounds) + ("" if is_whole else "; interrupted")
    facts.update({f"environment of {peer}": _shown(found) for peer, found in versions.items()})
    guarantees = {f"{store.name} {variant}": store.guarantee(variant) for variant in store.variants}
    guarantees.update({PEERS[peer.key].title: PEERS[peer.key].guarantee for peer in peers})
    _print_report(run, notes(facts, warnings, guarantees, run))
    if options.json is not None:
        _write_json(options.json, run, facts, warnings)
    return 0 if is_whole and not rounds.results.failures else 1


def _run_all(
    rounds: Rounds, measurements: Sequence[Measurement], ours: Sequence[Contender], peers: Sequence[Contender]
) -> bool:
    """Run everything; false when a person has stopped it, which leaves what was measured so far."""
    try:
        for measurement in measurements:
            rounds.run(measurement, ours, {peer: PEERS[peer.key].measures for peer in peers})
    except KeyboardInterrupt:
        _tell("stopped; what follows is what was measured so far")
        return False
    return True


def _peers(store: str) -> tuple[list[Contender], dict[str, dict[str, str]]]:
    """The peers on this store if ``PEERS`` asks for them, and the versions of what they run on."""
    if os.environ.get("PEERS", "") in ("", "0"):
        return [], {}
    found = [peer for peer in PEERS.values() if peer.store == store]
    packages = sorted({package for peer in found for package in peer.packages})
    python, versions = prepare(packages, tell=_tell)
    contenders = [
        Contender(title=f"{peer.title} {versions[peer.packages[0]]}", store=store, peer=peer.name, python=python)
        for peer in found
    ]
    return contenders, {"the peers": versions}


def _scale_shown(scale: Scale, rounds: int) -> str:
    return (
        f"{scale.name}: {rounds} round{'s' if rounds > 1 else ''}, drains of {scale.drain_jobs:,} jobs, "
        f"sustained for {scale.sustained_seconds:g} s, large backlog {scale.large_backlog:,}"
    )


def _shown(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _print_report(run: Run, notes: str) -> None:
    print(f"\nWindlass on {run.store}, no-op jobs\n\n{goals_table(run)}")
    if run.peers:
        print(f"\nAgainst the peers of the same run\n\n{peers_table(run)}")
    print(f"\n{notes}")


def _write_json(path: Path, run: Run, facts: dict[str, str], warnings: Sequence[str]) -> None:
    document: dict[str, Any] = {
        "store": run.store,
        "facts": facts,
        "warnings": list(warnings),
        "failures": run.results.failures,
        "results": run.results.to_plain(),
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    scale = parser.add_mutually_exclusive_group()
    scale.add_argument(
        "--quick", dest="scale", action="store_const", const=QUICK, help="less of everything, one round: about 80 s"
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
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure of every round there")
    parser.add_argument("--store", default="sqlite", choices=list(STORES))
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {value}")
    return value


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
