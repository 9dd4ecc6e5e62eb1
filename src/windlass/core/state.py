"""The states of a job, and the one table of transitions between them."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """The state of a job.

    >>> State.PENDING
    <State.PENDING: 'pending'>
    """

    SCHEDULED = "scheduled"
    PENDING = "pending"
    BLOCKED = "blocked"
    RUNNING = "running"
    RETRYING = "retrying"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Verb(StrEnum):
    """What moves a job from one state to another."""

    PROMOTE = "promote"
    BLOCK = "block"
    UNBLOCK = "unblock"
    CLAIM = "claim"
    FINISH = "finish"
    RELEASE = "release"
    RESCUE = "rescue"
    CANCEL = "cancel"
    FAIL = "fail"
    RETRY = "retry"
    RESCHEDULE = "reschedule"
    EXPIRE = "expire"
    DELETE = "delete"


FINISHED = frozenset({State.COMPLETED, State.FAILED, State.CANCELLED})
"""Final until retried by hand."""

WAITING = frozenset({State.SCHEDULED, State.PENDING, State.RETRYING, State.BLOCKED})
"""Not started, or between two attempts; what ``max_length`` counts."""

DUE_LATER = frozenset({State.SCHEDULED, State.RETRYING})
"""Waits for its ``run_at``; promoted to pending when that has come."""

TRANSITIONS: dict[Verb, dict[State, frozenset[State]]] = {
    Verb.PROMOTE: {state: frozenset({State.PENDING}) for state in DUE_LATER},
    # Blocked jobs wait for what their reason names, and come back by themselves.
    Verb.BLOCK: {State.PENDING: frozenset({State.BLOCKED})},
    Verb.UNBLOCK: {State.BLOCKED: frozenset({State.PENDING})},
    Verb.CLAIM: {State.PENDING: frozenset({State.RUNNING})},
    Verb.FINISH: {
        State.RUNNING: frozenset(
            {State.COMPLETED, State.FAILED, State.CANCELLED, State.RETRYING, State.SCHEDULED, State.PENDING}
        )
    },
    Verb.RELEASE: {State.RUNNING: frozenset({State.PENDING, State.CANCELLED})},
    Verb.RESCUE: {State.RUNNING: frozenset({State.PENDING, State.FAILED, State.CANCELLED})},
    # Cancelling a running job is a request: it stays running until its ending, which the request then decides.
    Verb.CANCEL: {state: frozenset({State.CANCELLED}) for state in WAITING}
    | {State.RUNNING: frozenset({State.RUNNING})},
    # By hand: the owner of a run has lost the job.
    Verb.FAIL: {state: frozenset({State.FAILED}) for state in (*sorted(WAITING), State.RUNNING)},
    # Scheduled where many are retried at a rate. A blocked job only if it waits for other jobs: there is no way round a
    # concurrency key or a rate.
    Verb.RETRY: {
        state: frozenset({State.PENDING, State.SCHEDULED})
        for state in (State.FAILED, State.CANCELLED, State.RETRYING, State.SCHEDULED, State.BLOCKED)
    },
    Verb.RESCHEDULE: {
        state: frozenset({State.SCHEDULED, State.PENDING}) for state in (State.SCHEDULED, State.PENDING, State.RETRYING)
    },
    # Promotion ends what has not started in time; what is claimed by then ends by its worker's ending.
    Verb.EXPIRE: {state: frozenset({State.CANCELLED}) for state in (State.SCHEDULED, State.PENDING, State.BLOCKED)},
    Verb.DELETE: {state: frozenset() for state in State if state is not State.RUNNING},
}


def allowed_from(verb: Verb) -> frozenset[State]:
    """The states in which the verb may find a job.

    >>> sorted(allowed_from(Verb.CLAIM))
    [<State.PENDING: 'pending'>]
    """
    return frozenset(TRANSITIONS[verb])


def is_legal(verb: Verb, before: State, after: State) -> bool:
    """Whether the verb may take a job from one state to the other."""
    return after in TRANSITIONS[verb].get(before, frozenset())
