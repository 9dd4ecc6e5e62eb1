"""``python -m tests.torture --store redis --minutes 10 --seed 7``; ``--mutants`` tells which planted bugs it finds."""

from __future__ import annotations

import argparse
import faulthandler
import signal
import sys
import tempfile
from pathlib import Path
from random import SystemRandom

from tests.torture.hunt import SEEDS, hunt_all
from tests.torture.plan import Kind
from tests.torture.rack import Settings, run
from tests.torture.workload import Spice

STORES = ("sqlite", "postgres", "redis")


def main(arguments: list[str]) -> int:
    names = sorted(one.name.lower() for one in (*Kind, *Spice))
    parser = argparse.ArgumentParser(prog="make torture", description="Run workers under a random mix of faults.")
    parser.add_argument("--store", action="append", choices=STORES, help="all of them by default")
    parser.add_argument("--minutes", type=float, default=1.0, help="of faults on each store")
    parser.add_argument("--seed", type=int, help="of the plan; drawn and printed by default")
    parser.add_argument("--without", default="", help=f"leave out some of: {', '.join(names)}")
    parser.add_argument("--folder", type=Path, help="where witnesses and logs are kept; a temporary one by default")
    parser.add_argument("--mutants", nargs="*", metavar="NAME", help="plant these bugs (or all) and hunt for them")
    parser.add_argument("--quiet", action="store_true", help="print the report alone")
    options = parser.parse_args(arguments)
    without = frozenset(filter(None, options.without.split(",")))
    if unknown := sorted(without - set(names)):
        parser.error(f"--without: unknown {', '.join(unknown)}; known are {', '.join(names)}")
    _stop_in_order()
    seed = SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    folder = options.folder or Path(tempfile.mkdtemp(prefix="windlass-torture-"))
    if options.mutants is not None:
        seeds = SEEDS if options.seed is None else (options.seed, options.seed + 1)
        missed = hunt_all(options.mutants, folder=folder, without=without, seconds=options.minutes * 60, seeds=seeds)
        return 1 if missed else 0
    is_good = True
    for store in options.store or STORES:
        settings = Settings(
            store=store,
            seed=seed,
            seconds=options.minutes * 60,
            folder=folder / store,
            without=without,
        )
        print(f"{settings.command}  (witnesses and logs in {settings.folder})", flush=True)
        report = run(settings, say=(lambda _: None) if options.quiet else lambda line: print(line, flush=True))
        print(report, flush=True)
        is_good = is_good and report.is_good
    return 0 if is_good else 1


def _stop_in_order() -> None:
    """SIGTERM ends what was started, as Ctrl-C does; SIGUSR1 prints where the rack stands."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    faulthandler.register(signal.SIGUSR1, all_threads=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
