"""decide: the one place where an outcome becomes a state."""

from __future__ import annotations

from typing import Any

import pytest

from windlass.core.decide import RESCUES_ALLOWED, decide
from windlass.core.ending import Ending
from windlass.core.fault import Fault, read_faults
from windlass.core.outcome import (
    Blame,
    Cancelled,
    FailedPermanently,
    Interrupted,
    Lost,
    Outcome,
    Postponed,
    Raised,
    Returned,
)
from windlass.core.records import Claimed
from windlass.core.retry import Retry
from windlass.core.state import State, Verb, is_legal
from windlass.core.suspect import CRASHES_ALLOWED

FAULT = Fault(at=1_700_000_000_000, attempt=1, worker="w", type="ValueError", message="it broke")
RULE = Retry(base=2, jitter=0)


def a_job(**known: Any) -> Claimed:
    """A job that is held: by a worker, or by hand with ``is_charged``."""
    facts: dict[str, Any] = {
        "seq": 7,
        "id": "a",
        "task": "t",
        "queue": "q",
        "priority": 0,
        "payload": "{}",
        "meta": None,
        "attempt": 0,
        "max_attempts": 4,
        "crashes": 0,
        "rescues": 0,
        "fence": 3,
        "timeout": None,
        "created_at": 0,
        "wants_cancel": False,
        "unique_key": None,
        "errors": None,
        "retry": None,
        "unknown_for": None,
        "is_charged": False,
    }
    return Claimed(**facts | known)


def ending_of(outcome: Outcome, **known: Any) -> Ending:
    return decide(a_job(**known), outcome, retry=RULE, ran_for=5)


def essence(ending: Ending) -> tuple[State, str | None, int, int, int, int | None]:
    """State, reason, charge, crash, rescue, delay: what the tables below spell out."""
    return (ending.state, ending.reason, ending.charge, ending.crash, ending.rescue, ending.delay)


# A worker's run is charged by its ending.
BY_WORKER: list[tuple[str, Outcome, dict[str, Any], tuple[Any, ...]]] = [
    ("returned", Returned('"x"'), {}, (State.COMPLETED, None, 1, 0, 0, None)),
    ("returned on the last attempt", Returned(None), {"attempt": 3}, (State.COMPLETED, None, 1, 0, 0, None)),
    ("raised first", Raised(FAULT), {}, (State.RETRYING, None, 1, 0, 0, 2_000)),
    ("raised third", Raised(FAULT), {"attempt": 2}, (State.RETRYING, None, 1, 0, 0, 8_000)),
    ("raised last", Raised(FAULT), {"attempt": 3}, (State.FAILED, "attempts", 1, 0, 0, None)),
    ("raised, never retried", Raised(FAULT), {"max_attempts": 1}, (State.FAILED, "attempts", 1, 0, 0, None)),
    ("raised with a delay", Raised(FAULT, 77), {}, (State.RETRYING, None, 1, 0, 0, 77)),
    ("raised with no delay at all", Raised(FAULT, 0), {}, (State.RETRYING, None, 1, 0, 0, 0)),
    ("raised last with a delay", Raised(FAULT, 77), {"attempt": 3}, (State.FAILED, "attempts", 1, 0, 0, None)),
    ("timed out", Raised(FAULT, is_timeout=True), {}, (State.RETRYING, None, 1, 0, 0, 2_000)),
    ("timed out last", Raised(FAULT, is_timeout=True), {"attempt": 3}, (State.FAILED, "timeout", 1, 0, 0, None)),
    ("refused", FailedPermanently(FAULT, "permanent"), {}, (State.FAILED, "permanent", 1, 0, 0, None)),
    (
        "refused unrun",
        FailedPermanently(FAULT, "undecodable", is_run=False),
        {},
        (State.FAILED, "undecodable", 0, 0, 0, None),
    ),
    ("postponed", Postponed(9_000), {}, (State.SCHEDULED, None, 0, 0, 0, 9_000)),
    ("throttled", Postponed(9_000, "throttled"), {"attempt": 3}, (State.SCHEDULED, "throttled", 0, 0, 0, 9_000)),
    ("interrupted", Interrupted(), {"attempt": 3}, (State.PENDING, None, 0, 0, 0, None)),
    ("cancelled", Cancelled(), {}, (State.CANCELLED, None, 1, 0, 0, None)),
    ("lost unstarted", Lost(False, FAULT), {}, (State.PENDING, None, 0, 0, 1, None)),
    ("lost unstarted, last attempt", Lost(False, FAULT), {"attempt": 3}, (State.PENDING, None, 0, 0, 1, None)),
    ("lost unstarted, 49th time", Lost(False, FAULT), {"rescues": 48}, (State.PENDING, None, 0, 0, 1, None)),
    ("lost unstarted, 50th time", Lost(False, FAULT), {"rescues": 49}, (State.FAILED, "crashed", 0, 0, 1, None)),
    ("lost started", Lost(True, FAULT), {}, (State.PENDING, None, 1, 1, 0, None)),
    ("lost started, 2nd time", Lost(True, FAULT), {"crashes": 1}, (State.PENDING, None, 1, 1, 0, None)),
    ("lost started, 3rd time", Lost(True, FAULT), {"crashes": 2}, (State.FAILED, "crashed", 1, 1, 0, None)),
    ("lost started, last attempt", Lost(True, FAULT), {"attempt": 3}, (State.FAILED, "crashed", 1, 1, 0, None)),
    ("lost with all others", Lost(True, FAULT, Blame.SHARED), {}, (State.PENDING, None, 1, 1, 0, None)),
    (
        "lost, outlived",
        Lost(True, FAULT, Blame.SHARED),
        {"crashes": 1, "rescues": 3},
        (State.PENDING, None, 1, 0, -3, None),
    ),
    ("lost beside a suspect", Lost(True, FAULT, Blame.OTHER), {}, (State.PENDING, None, 0, 0, 1, None)),
    (
        "lost beside another suspect",
        Lost(True, FAULT, Blame.OTHER),
        {"crashes": 1},
        (State.PENDING, None, 0, 0, 0, None),
    ),
    ("lost last beside one", Lost(True, FAULT, Blame.OTHER), {"attempt": 3}, (State.FAILED, "crashed", 1, 1, 0, None)),
    ("one of several suspects", Lost(True, FAULT, Blame.JOINT), {"rescues": 2}, (State.PENDING, None, 1, 1, 0, None)),
    ("one of several again", Lost(True, FAULT, Blame.JOINT), {"crashes": 1}, (State.PENDING, None, 0, 1, 0, None)),
    ("one of several third", Lost(True, FAULT, Blame.JOINT), {"crashes": 2}, (State.PENDING, None, 0, 0, 0, None)),
    ("suspected first", Lost(True, FAULT, Blame.SUSPECTED), {"rescues": 1}, (State.PENDING, None, 1, 1, 0, None)),
    ("suspected again", Lost(True, FAULT, Blame.SUSPECTED), {"crashes": 1}, (State.PENDING, None, 0, 1, 0, None)),
    ("suspected third", Lost(True, FAULT, Blame.SUSPECTED), {"crashes": 2}, (State.FAILED, "crashed", 1, 1, 0, None)),
    (
        "suspected third, once unmarked",
        Lost(True, FAULT, Blame.SUSPECTED),
        {"crashes": 1, "rescues": 1},
        (State.FAILED, "crashed", 1, 1, 0, None),
    ),
    ("raised after a death", Raised(FAULT), {"crashes": 2, "rescues": 1}, (State.RETRYING, None, 1, -2, -1, 2_000)),
    ("postponed after a death", Postponed(9), {"rescues": 1}, (State.SCHEDULED, None, 0, 0, -1, 9)),
    ("interrupted after a death", Interrupted(), {"crashes": 1}, (State.PENDING, None, 0, 0, 0, None)),
    (
        "interrupted, one run only",
        Interrupted(FAULT),
        {"max_attempts": 1},
        (State.FAILED, "interrupted", 1, 0, 0, None),
    ),
    ("lost started, rescues do not count", Lost(True, FAULT), {"rescues": 4}, (State.PENDING, None, 1, 1, 0, None)),
]

# A manual claim was charged when it was handed out: nothing is added, and what does not count is refunded.
BY_HAND: list[tuple[str, Outcome, dict[str, Any], tuple[Any, ...]]] = [
    ("returned", Returned(None), {"attempt": 1}, (State.COMPLETED, None, 0, 0, 0, None)),
    ("raised first", Raised(FAULT), {"attempt": 1}, (State.RETRYING, None, 0, 0, 0, 2_000)),
    ("raised last", Raised(FAULT), {"attempt": 4}, (State.FAILED, "attempts", 0, 0, 0, None)),
    ("refused", FailedPermanently(FAULT, "permanent"), {"attempt": 1}, (State.FAILED, "permanent", 0, 0, 0, None)),
    ("interrupted", Interrupted(), {"attempt": 1}, (State.PENDING, None, -1, 0, 0, None)),
    ("postponed", Postponed(9), {"attempt": 1}, (State.SCHEDULED, None, -1, 0, 0, 9)),
    ("cancelled", Cancelled(), {"attempt": 1}, (State.CANCELLED, None, 0, 0, 0, None)),
    ("time ran out", Lost(True, FAULT), {"attempt": 1}, (State.PENDING, None, 0, 0, 0, None)),
    ("time ran out, no crash", Lost(True, FAULT), {"attempt": 1, "crashes": 2}, (State.PENDING, None, 0, 0, 0, None)),
    ("time ran out last", Lost(True, FAULT), {"attempt": 4}, (State.FAILED, "attempts", 0, 0, 0, None)),
]


def _named(table: list[tuple[str, Outcome, dict[str, Any], tuple[Any, ...]]]) -> list[Any]:
    return [pytest.param(*row, id=name) for name, *row in table]


@pytest.mark.parametrize(("outcome", "known", "expected"), _named(BY_WORKER))
def test_a_run_of_a_worker_ends_so(outcome: Outcome, known: dict[str, Any], expected: tuple[Any, ...]) -> None:
    """A9, A10: what is charged, what is retried, what has failed."""
    assert essence(ending_of(outcome, **known)) == expected


@pytest.mark.parametrize("outcome", [Postponed(9), Raised(FAULT)])
def test_a_suspect_whose_code_did_not_begin_stays_one(outcome: Outcome) -> None:
    """As when no worker knew its task: nothing was learned about it."""
    ending = decide(a_job(crashes=1, rescues=1), outcome, retry=RULE, ran_for=None)
    assert (ending.crash, ending.rescue) == (0, 0)


@pytest.mark.parametrize(("outcome", "known", "expected"), _named(BY_HAND))
def test_a_manual_claim_ends_so(outcome: Outcome, known: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert essence(ending_of(outcome, **known | {"is_charged": True})) == expected


@pytest.mark.parametrize(("outcome", "known", "expected"), _named(BY_WORKER + BY_HAND))
def test_every_ending_is_a_legal_move(outcome: Outcome, known: dict[str, Any], expected: tuple[Any, ...]) -> None:
    verb = Verb.RESCUE if isinstance(outcome, Lost) else Verb.FINISH
    assert is_legal(verb, State.RUNNING, ending_of(outcome, **known).state)


@pytest.mark.parametrize("outcome", [Returned(None), Raised(FAULT), Interrupted(), Lost(True, FAULT)])
def test_every_ending_shows_the_fence_and_the_key_of_its_job(outcome: Outcome) -> None:
    """E2: finishing needs the fence."""
    ending = ending_of(outcome, seq=41, fence=9, unique_key="k")
    assert (ending.seq, ending.fence, ending.unique_key) == (41, 9, "k")


def test_a_result_and_a_run_time_are_written_as_they_are() -> None:
    ending = ending_of(Returned('{"x":1}'))
    assert (ending.result, ending.ran_for, ending.errors) == ('{"x":1}', 5, None)


@pytest.mark.parametrize(
    ("outcome", "known"),
    [
        (Raised(FAULT), {}),
        (Raised(FAULT), {"attempt": 3}),
        (FailedPermanently(FAULT, "permanent"), {}),
        (Lost(True, FAULT), {}),
        (Lost(True, FAULT), {"crashes": CRASHES_ALLOWED - 1}),
        (Lost(False, FAULT), {"rescues": RESCUES_ALLOWED - 1}),
        (Lost(True, FAULT), {"is_charged": True}),
    ],
)
def test_what_went_wrong_is_added_to_the_history(outcome: Outcome, known: dict[str, Any]) -> None:
    """A11: the error history is kept."""
    first = ending_of(Raised(FAULT)).errors
    ending = ending_of(outcome, **known | {"errors": first})
    assert ending.errors is not None
    assert read_faults(ending.errors).faults == (FAULT, FAULT)


@pytest.mark.parametrize("outcome", [Raised(FAULT), FailedPermanently(FAULT, "undecodable"), Lost(True, FAULT)])
@pytest.mark.parametrize("errors", ["", "{broken", "[]", '{"left_out":0}'])
def test_a_history_that_cannot_be_read_is_kept_as_it_is(outcome: Outcome, errors: str) -> None:
    """B32: raw text kept."""
    assert ending_of(outcome, errors=errors).errors is None


@pytest.mark.parametrize("outcome", [Returned(None), Postponed(1), Interrupted(), Cancelled(), Lost(False, FAULT)])
def test_what_did_not_go_wrong_leaves_the_history_alone(outcome: Outcome) -> None:
    assert ending_of(outcome, errors='{"left_out":0,"faults":[]}').errors is None


@pytest.mark.parametrize(("roll", "delay"), [(0.0, 1_800), (0.5, 2_000), (0.999, 2_200)])
def test_the_roll_picks_the_jitter(roll: float, delay: int) -> None:
    """A10: jitter of ±10 %."""
    ending = decide(a_job(), Raised(FAULT), retry=Retry(base=2, jitter=0.1), roll=roll)
    assert ending.delay == pytest.approx(delay, abs=1)
