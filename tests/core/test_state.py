"""The table of legal moves is the picture in DESIGN.md, section 2."""

from __future__ import annotations

from itertools import product

import pytest

from windlass.core.state import DUE_LATER, FINISHED, TRANSITIONS, WAITING, State, Verb, allowed_from, is_legal

S = State
WRITTEN_OUT: dict[Verb, set[tuple[State, State]]] = {
    Verb.PROMOTE: {(S.SCHEDULED, S.PENDING), (S.RETRYING, S.PENDING)},
    Verb.BLOCK: {(S.PENDING, S.BLOCKED)},
    Verb.UNBLOCK: {(S.BLOCKED, S.PENDING)},
    Verb.CLAIM: {(S.PENDING, S.RUNNING)},
    Verb.FINISH: {
        (S.RUNNING, after) for after in (S.COMPLETED, S.FAILED, S.CANCELLED, S.RETRYING, S.SCHEDULED, S.PENDING)
    },
    Verb.RELEASE: {(S.RUNNING, S.PENDING), (S.RUNNING, S.CANCELLED)},
    Verb.RESCUE: {(S.RUNNING, S.PENDING), (S.RUNNING, S.FAILED), (S.RUNNING, S.CANCELLED)},
    Verb.CANCEL: {(before, S.CANCELLED) for before in (S.SCHEDULED, S.PENDING, S.RETRYING, S.BLOCKED)}
    | {(S.RUNNING, S.RUNNING)},
    Verb.FAIL: {(before, S.FAILED) for before in (S.SCHEDULED, S.PENDING, S.RETRYING, S.BLOCKED, S.RUNNING)},
    Verb.RETRY: {
        (before, after)
        for before in (S.FAILED, S.CANCELLED, S.RETRYING, S.SCHEDULED, S.BLOCKED)
        for after in (S.PENDING, S.SCHEDULED)
    },
    Verb.RESCHEDULE: {
        (before, after) for before in (S.SCHEDULED, S.PENDING, S.RETRYING) for after in (S.SCHEDULED, S.PENDING)
    },
    Verb.EXPIRE: {(before, S.CANCELLED) for before in (S.SCHEDULED, S.PENDING, S.BLOCKED)},
    Verb.DELETE: set(),
}


@pytest.mark.parametrize(("verb", "before", "after"), list(product(Verb, State, State)))
def test_exactly_the_moves_of_the_design_are_legal(verb: Verb, before: State, after: State) -> None:
    """E2: every pair of states that is not in the table is refused."""
    assert is_legal(verb, before, after) == ((before, after) in WRITTEN_OUT[verb])


def test_every_verb_has_its_rows() -> None:
    assert set(TRANSITIONS) == set(Verb)


@pytest.mark.parametrize("verb", [verb for verb in Verb if verb is not Verb.DELETE])
def test_a_verb_may_find_a_job_where_it_can_take_it_somewhere(verb: Verb) -> None:
    assert allowed_from(verb) == {before for before, _ in WRITTEN_OUT[verb]}


def test_everything_but_a_running_job_may_be_deleted() -> None:
    assert allowed_from(Verb.DELETE) == set(State) - {S.RUNNING}


def test_nothing_but_a_retry_by_hand_leaves_a_finished_state() -> None:
    """E6: terminal is final."""
    leaving = {verb for verb in Verb for before, _ in WRITTEN_OUT[verb] if before in FINISHED}
    assert leaving == {Verb.RETRY}
    assert S.COMPLETED not in allowed_from(Verb.RETRY)


def test_the_groups_of_states() -> None:
    assert {S.COMPLETED, S.FAILED, S.CANCELLED} == FINISHED
    assert {S.SCHEDULED, S.RETRYING} == DUE_LATER
    assert FINISHED | WAITING | {S.RUNNING} == set(State)
    assert not FINISHED & WAITING


def test_a_state_is_its_name() -> None:
    assert [str(state) for state in State] == [
        "scheduled",
        "pending",
        "blocked",
        "running",
        "retrying",
        "completed",
        "failed",
        "cancelled",
    ]
