"""Bugs about suspects that the rack must find."""

from __future__ import annotations

from tests.torture.planting import Mutant, replace_everywhere, set_attribute
from windlass.core import decide
from windlass.core.outcome import Blame
from windlass.store.operations.rescue import _blame as blame
from windlass.worker.fetch.pump import Pump
from windlass.worker.runs.suspects import SuspectInFlight


def _neighbours_fall() -> None:
    """A job that was lost once before it started is given up."""
    decide.RESCUES_ALLOWED = 1


def _all_are_blamed() -> None:
    """Whatever ran beside a job that is known to kill its process is charged like that."""
    replace_everywhere(blame, lambda job, suspicion: Blame.SHARED)


def _suspects_never_claimed() -> None:
    """A job that was lost once waits for ever."""
    set_attribute(Pump, "_looks_for_suspect", lambda self, now: False)


def _poison_never_given_up() -> None:
    set_attribute(decide, "CRASHES_ALLOWED", 1000)


def _suspects_side_by_side() -> None:
    """A worker takes in all suspects that there are."""
    set_attribute(SuspectInFlight, "is_none", lambda self, now: True)
    set_attribute(SuspectInFlight, "keeps_others_waiting", lambda self, now: False)
    set_attribute(SuspectInFlight, "is_to_run_alone", lambda self, run: False)


OF_SUSPECTS: dict[str, Mutant] = {
    "neighbours fall with a poisonous job": Mutant(_neighbours_fall, "sqlite", ("I11",)),
    "neighbours charged for a suspect": Mutant(_all_are_blamed, "sqlite", ("I11",)),
    "suspect never claimed": Mutant(_suspects_never_claimed, "redis", ("I6",)),
    "poison never given up": Mutant(_poison_never_given_up, "sqlite", ("I5", "I11")),
    "suspects side by side": Mutant(_suspects_side_by_side, "sqlite", ("I11",)),
}
