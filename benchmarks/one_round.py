"""One round, in the fresh process that it has for itself: ``python -m benchmarks.one_round``.

Takes a task as JSON on its input and prints the figures as JSON. Runs in the environment of whoever is measured, so
nothing of Windlass is imported for a peer.
"""

from __future__ import annotations

import importlib
import json
import sys
from functools import partial
from pathlib import Path

from benchmarks.contender import Task
from benchmarks.figures import Figures
from benchmarks.scale import Scale


def perform(task: Task) -> Figures:
    """Carry out one round here."""
    return _ours(task) if task.contender.peer is None else _peers(task, task.contender.peer)


def _ours(task: Task) -> Figures:
    from benchmarks.measurement import Round
    from benchmarks.registry import MEASUREMENTS
    from benchmarks.stores import STORES

    round = Round(
        place=task.place,
        scale=Scale(**task.scale),
        known=task.known,
        beside=partial(STORES[task.contender.store].beside, task.place),
        server=task.server,
        folder=Path(task.folder),
    )
    return MEASUREMENTS[task.measurement].measure(round)


def _peers(task: Task, peer: str) -> Figures:
    from benchmarks.peers import PEERS
    from benchmarks.peers.peer import PeerRound

    known = PEERS[peer]
    round = PeerRound(
        folder=Path(task.folder),
        place=task.place,
        server=task.server,
        scale=Scale(**task.scale),
        variant=known.variant,
    )
    figures: Figures = importlib.import_module(known.module).MEASURES[task.measurement](round)
    return figures


if __name__ == "__main__":
    sys.stdout.write(json.dumps(perform(Task.from_plain(json.load(sys.stdin)))) + "\n")
