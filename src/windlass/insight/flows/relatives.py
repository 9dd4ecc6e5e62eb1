"""The parents and children of one job, a few of them with how many there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from windlass.store.operation import Operation
from windlass.store.operations.flows import edges
from windlass.store.operations.flows.edges import AT_ONCE, Relative

NAMED = 5
"""So many are named of each kind."""


@dataclass(frozen=True, slots=True)
class Relatives:
    """The first of the jobs on one side of a job."""

    named: tuple[Relative, ...] = ()
    number: int = 0
    """How many there are; 1,000 stands for that many or more."""


@dataclass(frozen=True, slots=True)
class Family:
    """What a job waits, or waited, for, and what waits, or waited, for it."""

    parents: Relatives = field(default_factory=Relatives)
    children: Relatives = field(default_factory=Relatives)


def family(seq: int) -> Operation[Family]:
    """Read the first page of both sides."""
    parents = yield from edges.parents(seq)
    children = yield from edges.children(seq)
    return Family(_some(parents), _some(children))


def _some(page: list[Relative]) -> Relatives:
    return Relatives(tuple(page[:NAMED]), len(page))


def every(side: Callable[..., Operation[list[Relative]]], seq: int) -> Operation[list[tuple[str, Relative]]]:
    """All parents, or all children, that are still there, with their ids."""
    found: list[tuple[str, Relative]] = []
    after = -1
    while True:
        page: list[Relative] = yield from side(seq, after=after)
        found += [(each.id, each) for each in page if each.id is not None]
        if len(page) < AT_ONCE:
            return found
        after = page[-1].place
