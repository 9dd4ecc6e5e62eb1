"""What a person can do about a job, in the state that it is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote as quoted
from urllib.parse import quote as escaped

from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.store.operations.gates import ClaimSituation, Gate


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do, and how: by a route of the HTTP API, by a command, or both."""

    name: str
    text: str
    """Why one would."""
    route: str | None = None
    """Method and path, below the prefix of the API."""
    command: str | None = None


def suggested_actions(
    job: JobRecord,
    situation: ClaimSituation,
    *,
    unreadable: Sequence[str] = (),
    locked: Mapping[str, str] | None = None,
) -> list[Action]:
    """What mends something first, then what the state of the job allows.

    ``unreadable`` are its damaged texts; ``locked`` has those whose key is not at hand, each with the key's id.
    """
    mending = [*_about_texts(unreadable, locked or {}), *_about_gates(job, situation), *_about_duties(situation)]
    return [*mending, *_of_state(job, situation)]


def _about_texts(unreadable: Sequence[str], locked: Mapping[str, str]) -> Iterator[Action]:
    if unreadable:
        named = ", ".join(unreadable)
        yield Action("replace", f"its {named} cannot be read: enqueue the job again with what it was given, delete it")
    for key_id in dict.fromkeys(locked.values()):
        named = ", ".join(name for name, id in locked.items() if id == key_id)
        yield Action("add key", f"its {named} needs the encryption key {key_id}: add it to $WINDLASS_ENCRYPTION_KEYS")


def _about_gates(job: JobRecord, situation: ClaimSituation) -> Iterator[Action]:
    if situation.state is not State.PENDING:
        return
    shut = situation.names()
    if Gate.EVERYTHING_PAUSED in shut:
        yield Action("resume", "all queues are paused", "POST /queues/*/resume", "windlass queues resume --all")
    if Gate.QUEUE_PAUSED in shut or Gate.QUEUE_COOLING in shut:
        yield Action(
            "resume",
            f"queue {job.queue!r} is paused or cools down",
            _route("POST /queues/{}/resume", job.queue),
            f"windlass queues resume {quoted(job.queue)}",
        )
    if Gate.NO_WORKER in shut:
        yield Action(
            "start a worker",
            f"no worker serves queue {job.queue!r}",
            command=f"windlass worker --queues {quoted(job.queue)}",
        )


def _about_duties(situation: ClaimSituation) -> Iterator[Action]:
    if situation.is_over:
        yield Action("rescue", "its lease is over", "POST /duties/rescue", "windlass duties rescue")
    if situation.state in (State.SCHEDULED, State.RETRYING) and situation.due_in <= 0:
        yield Action("promote", "its time has come", "POST /duties/promote", "windlass duties promote")


def _of_state(job: JobRecord, situation: ClaimSituation) -> Iterator[Action]:
    state = situation.state
    if state in (State.FAILED, State.CANCELLED):
        yield _on(job, "retry", "run it again with all its attempts")
    if state in (State.SCHEDULED, State.RETRYING):
        yield _on(job, "retry", "run it now instead of at its time")
    if state is State.BLOCKED and situation.reason == "parents":
        command = f"windlass flows show {quoted(job.id)}"
        yield Action("look at its flow", "it waits for other jobs", _route("GET /flows/{}", job.id), command)
    # The owner of a manual claim is no worker that could be asked.
    worker = None if job.is_manual_claim or situation.is_over else situation.worker
    if state is State.RUNNING and worker is not None:
        command = f"windlass workers stacks {quoted(worker)}"
        route = _route("GET /workers/{}/stacks", worker)
        yield Action("look at its worker", "see where its code is at this moment", route, command)
    if state not in FINISHED:
        yield _on(job, "cancel", "it is not wanted any more")
        yield _on(job, "fail", "end it as failed, without a retry")
    if state is not State.RUNNING:
        command = f"windlass jobs delete {quoted(job.id)}"
        yield Action("delete", "remove it with all that is known of it", _route("DELETE /jobs/{}", job.id), command)


def _on(job: JobRecord, name: str, text: str) -> Action:
    return Action(name, text, _route(f"POST /jobs/{{}}/{name}", job.id), f"windlass jobs {name} {quoted(job.id)}")


def _route(form: str, name: str) -> str | None:
    """The route of one thing; None for a name with a slash, which no path can hold.

    >>> _route("DELETE /jobs/{}", "nightly 7"), _route("DELETE /jobs/{}", "a/b")
    ('DELETE /jobs/nightly%207', None)
    """
    return None if "/" in name else form.format(escaped(name))
