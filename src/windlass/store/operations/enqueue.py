"""Adds jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from windlass.core.codec.stored_text.seal import unseal
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import seal_text
from windlass.core.encryption.text import compared
from windlass.core.state import State
from windlass.errors import ConfigError, IdConflict, JobNotFound, OutcomeUnknown, QueueFull
from windlass.store.operation import Answer, Call, Operation
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.flows.groups import NewGroup, NewMember


class NewJob(Struct, frozen=True, array_like=True, gc=False):
    """A job to be stored; the position of each field is part of the statement's contract."""

    id: str
    task: str
    queue: str
    priority: int
    payload: str
    meta: str | None
    max_attempts: int
    delay: int
    timeout: int | None
    unique_key: str | None
    retry: str | None
    at: int | None
    tags: str | None = None
    expires: int | None = None
    concurrency_key: str | None = None
    rate_key: str | None = None
    after: int | None = None
    """1 for a job that has edges, and is blocked until they are settled."""

    @classmethod
    def under(
        cls,
        terms: JobTemplate,
        id: str,
        payload: str,
        *,
        unique_key: str | None = None,
        at: int | None = None,
        tags: str | None = None,
        concurrency_key: str | None = None,
        rate_key: str | None = None,
        after: int | None = None,
    ) -> NewJob:
        """One of the jobs under these terms."""
        return cls(
            id,
            terms.task,
            terms.queue,
            terms.priority,
            payload,
            terms.meta,
            terms.max_attempts,
            terms.delay,
            terms.timeout,
            unique_key,
            terms.retry,
            at,
            tags,
            terms.expires,
            concurrency_key,
            rate_key,
            after,
        )


class JobTemplate(Struct, frozen=True, gc=False):
    """What is the same for all jobs of one task under the same options."""

    task: str
    queue: str
    priority: int
    meta: str | None
    max_attempts: int
    delay: int
    timeout: int | None
    retry: str | None
    expires: int | None = None


class Uniqueness(Struct, frozen=True):
    """What makes a new job one of a kind: an id of the caller's own, or a unique key and how long it is held."""

    has_own_id: bool = False
    until: str = "finished"
    window: int | None = None
    on_conflict: Literal["keep", "replace", "postpone"] = "keep"
    """What becomes of the job that holds the key, if it waits for its first attempt: it stays as it is, takes the new
    arguments, or takes the new time as well.
    """
    max_wait: int | None = None
    """How long after its enqueue a job that is postponed waits at the most."""
    cached: int | None = None
    """For how long the result is given to equal calls, once the job has completed: its key is held until then."""

    @property
    def replaces(self) -> bool:
        return self.on_conflict != "keep"


def encrypt_job(encryption: Encryption, job: NewJob, naming: Uniqueness | None) -> NewJob:
    """The job as it is stored, with its texts encrypted."""
    # The arguments of a job that is replaced go to another one, of which only the unique key is known.
    unique_key = job.unique_key if naming is not None and naming.replaces else None
    payload = encryption.encrypt_call(unseal(job.payload), id=job.id, unique_key=unique_key)
    return replace(job, payload=payload, meta=seal_text(encryption, "meta", (job.id,), job.meta))


class Replacement(Struct, frozen=True, array_like=True, gc=False):
    """What the job that holds a unique key takes from a new one; the position of each field is part of the contract."""

    id: str
    """Of the new job."""
    task: str
    unique_key: str | None
    payload: str
    delay: int
    at: int | None
    moves: int
    """1 if it takes the time as well."""
    max_wait: int | None
    rank: int
    concurrency_key: str | None
    """It may be made of the arguments."""
    rate_key: str | None

    @classmethod
    def by(cls, job: NewJob, naming: Uniqueness, *, rank: int) -> Replacement:
        moves = int(naming.on_conflict == "postpone")
        return cls(
            job.id,
            job.task,
            job.unique_key,
            job.payload,
            job.delay,
            job.at,
            moves,
            naming.max_wait,
            rank,
            job.concurrency_key,
            job.rate_key,
        )


class Enqueued(Struct, frozen=True, gc=False):
    """What became of one job of an enqueue."""

    id: str
    state: State
    is_duplicate: bool = False
    is_replaced: bool = False
    """Whether a job that waited has taken the arguments of this one."""


def append(terms: JobTemplate, jobs: list[tuple[str, str]]) -> Operation[list[Enqueued] | None]:
    """Store jobs of which only the id and the payload differ, all of them or none; the ids are new.

    Nearly every enqueue is of this kind, so stores have a short way for it, into a queue that is there and has no
    limit. None where that does not hold: then nothing was stored.
    """
    params: dict[str, Any] = asdict(terms)
    if len(jobs) == 1:
        [(params["id"], params["payload"])] = jobs
        answer = yield from _ask("append_one", params, jobs)
    else:
        params["jobs"] = jobs
        answer = yield from _ask("append", params, jobs)
    state = _waiting(terms.delay)
    return [Enqueued(id, state) for id, _ in jobs] if answer["stored"] else None


def enqueue(
    jobs: Sequence[NewJob],
    namings: dict[int, Uniqueness],
    edges: Sequence[NewEdge] = (),
    *,
    groups: Sequence[NewGroup] = (),
    members: Sequence[NewMember] = (),
    added: Sequence[NewMember] = (),
) -> Operation[list[Enqueued]]:
    """Store all jobs or none; ``namings`` has an entry for each position with an own id or a unique key, ``edges`` or
    ``groups`` at least one for each job that waits for others (``NewJob.after``); a group has at least one of
    ``members``. Those of ``added`` belong to groups that are stored already.

    Ids and keys that are taken are reported as duplicates. Where jobs replace the one that holds their key, the last of
    the call's jobs with that key counts, whether the key is held or free. Raises ``IdConflict`` where an id belongs to
    a different job, ``QueueFull`` where a queue has no room, ``JobNotFound`` where a parent is not there,
    ``ConfigError`` where a group that is to get more members waits for none any more.

    A repeat after no reply finds ids that were stored and changes nothing again. Where nothing was stored because a job
    was replaced, a repeat replaces it again, or stores the job if the other one has given up its key meanwhile.
    """
    repeated = _repeated_ids(jobs, namings)
    # Whether an instant has come, or a parent has ended, only the store knows, so those jobs are looked up as well.
    timed = {index: Uniqueness() for index, job in enumerate(jobs) if job.at is not None or job.after}
    named = [
        (
            *(index, job.id, job.task, job.payload, job.unique_key),
            *(naming.until, naming.window, _rank(index, naming), naming.cached),
        )
        for index, naming in sorted((timed | namings).items())
        if index not in repeated
        for job in (jobs[index],)
    ]
    replacing = [
        Replacement.by(jobs[index], naming, rank=_rank(index, naming))
        for index, naming in sorted(namings.items())
        if naming.replaces and index not in repeated
    ]
    params = {
        "jobs": [job for index, job in enumerate(jobs) if index not in repeated] if repeated else list(jobs),
        "named": named,
        "replacing": replacing,
        "queues": sorted({job.queue for job in jobs}),
        "edges": list(edges),
        "groups": list(groups),
        "members": list(members),
        "added": list(added),
        # Whose edges are to be looked at: of the jobs that wait, and of callbacks that get more members.
        "tied": [job.id for job in jobs if job.after] + sorted({member.callback for member in added}),
    }
    answer = yield from _ask("enqueue", params, jobs)
    _raise_refusal(answer)
    return _enqueued(jobs, namings, answer, repeated)


def _ask(name: str, params: dict[str, Any], jobs: Sequence[NewJob] | Sequence[tuple[str, str]]) -> Operation[Answer]:
    try:
        return (yield Call(name, params))
    except OutcomeUnknown as unknown:
        ids = [job.id if isinstance(job, NewJob) else job[0] for job in jobs]
        raise OutcomeUnknown(str(unknown), ids=ids) from unknown


def _waiting(delay: int) -> State:
    return State.SCHEDULED if delay > 0 else State.PENDING


def _rank(index: int, naming: Uniqueness) -> int:
    """Of the jobs with the same key the one with the lowest rank counts: the first, or the last that replaces."""
    return -1 - index if naming.replaces else index


def _repeated_ids(jobs: Sequence[NewJob], namings: dict[int, Uniqueness]) -> dict[int, int]:
    """Positions whose own id stands earlier in the same call, each with that earlier position."""
    first: dict[str, int] = {}
    repeated: dict[int, int] = {}
    for index in sorted(namings):
        earlier = first.setdefault(jobs[index].id, index) if namings[index].has_own_id else index
        if earlier != index:
            one, other = jobs[earlier], jobs[index]
            if (one.task, compared(one.payload)) != (other.task, compared(other.payload)):
                raise IdConflict(
                    f"id {jobs[index].id!r} is given to two different jobs in one call; nothing was stored"
                )
            repeated[index] = earlier
    return repeated


def _raise_refusal(answer: Answer) -> None:
    if "conflict" in answer:
        id, task = answer["conflict"][0]
        raise IdConflict(
            f"id {id!r} is taken by a job of task {task!r} with other arguments or another task; nothing was stored"
        )
    if "full" in answer:
        name, limit = answer["full"][0]
        refusal = QueueFull(f"queue {name!r} is full (max_length {limit}); nothing was stored")
        refusal.queue = name
        raise refusal
    if "closed" in answer:
        [callback] = answer["closed"][0]
        raise ConfigError(
            f"group: the callback {callback!r} does not wait for members any more, so none can be added; add them from "
            "inside a member, while it runs; nothing was stored"
        )
    if "missing" in answer:
        _, parent = answer["missing"][0]
        raise JobNotFound(
            f"after: no job has the id {parent!r} in this store; it was deleted, or belongs to another one; "
            "nothing was stored"
        )


def _enqueued(
    jobs: Sequence[NewJob], namings: dict[int, Uniqueness], answer: Answer, repeated: dict[int, int]
) -> list[Enqueued]:
    known = {index for (index,) in answer.get("known", ()) if index in namings}
    found = {index: (id, State(state)) for index, id, state in answer.get("found", ())}
    stored = [Enqueued(job.id, _waiting(job.delay)) for job in jobs]
    settled = {id: State(state) for id, state in answer.get("settled", ())}
    for index, (id, state) in found.items():
        stored[index] = Enqueued(id, settled.get(id, state), index in known or id != jobs[index].id)
    replaced = {by: State(state) for by, state in answer.get("replaced", ())}
    if replaced:
        _note_replaced(stored, jobs, replaced)
    for index, earlier in repeated.items():
        stored[index] = Enqueued(stored[earlier].id, stored[earlier].state, True)
    return stored


def _note_replaced(stored: list[Enqueued], jobs: Sequence[NewJob], replaced: dict[str, State]) -> None:
    """Take in which of the new jobs, by their ids, have replaced another, and in which state that one is now."""
    by_holder = {found.id: job.id for found, job in zip(stored, jobs, strict=True) if job.id in replaced}
    for index, found in enumerate(stored):
        by = by_holder.get(found.id)
        if by is not None:
            stored[index] = Enqueued(found.id, replaced[by], True, jobs[index].id == by)
