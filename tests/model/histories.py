"""Runs random histories until there were enough steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis.stateful import run_state_machine_as_test

from tests.model.machine import StoreMachine
from tests.model.side_by_side import SideBySide
from tests.model.tally import Tally
from tests.places.place import Place
from windlass.store.driver import Driver
from windlass.store.open import open_driver
from windlass.testing import ManualClock

EXAMPLES = 10
"""Histories in one run of Hypothesis: after more it begins to vary those it has instead of making new ones."""

LENGTH = 50
"""The most steps of a history."""

_PATIENCE = 60.0
"""Seconds for a call: the model knows no store that does not answer, and a busy machine may take its time."""

Opener = Callable[[ManualClock], AbstractContextManager[Driver]]


def fresh_stores(url: str) -> Opener:
    """Opens a new, empty store in memory at each call."""
    return lambda clock: closing(open_driver(url, now=clock))


def fresh_places(make: Callable[[], Place]) -> Opener:
    """Opens a store at a new place at each call, and leaves nothing of it behind."""

    @contextmanager
    def opened(clock: ManualClock) -> Iterator[Driver]:
        place = make()
        try:
            with closing(place.open(now=clock, deadline=_PATIENCE)) as driver:
                yield driver
        finally:
            place.erase()

    return opened


def run_histories(
    open_store: Opener,
    *,
    seed: int,
    steps: int,
    tally: Tally,
    phases: tuple[Phase, ...] = tuple(Phase),
    machine: type[SideBySide] = StoreMachine,
    must_see: tuple[str, ...] = (),
) -> None:
    """Raises at the first disagreement, in words that say how to repeat it. What a run must have met and has not is
    waited for, three times as long.
    """
    number = seed
    while tally.steps < steps or (tally.steps < 4 * steps and tally.missing(must_see)):
        fresh = type(machine.__name__, (machine,), {"tally": tally, "open_store": staticmethod(open_store)})
        try:
            run_state_machine_as_test(seeded(number)(fresh), settings=_settings(phases))
        except BaseException as error:
            error.add_note(f"after {tally.steps} steps; to repeat it: WINDLASS_MODEL_SEED={number}")
            raise
        number += 1


def _settings(phases: tuple[Phase, ...]) -> settings:
    return settings(
        max_examples=EXAMPLES,
        stateful_step_count=LENGTH,
        phases=phases,
        database=None,  # the seed says it all
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
