"""Jobs that wait for others, in one line each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tests.store.builders import new_job
from tests.store.stores import Store, Worker
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness, enqueue
from windlass.store.operations.flows.edges import NewEdge

Parents = Sequence[str]


def edges(child: str, parents: Parents, policy: str = "cancel") -> list[NewEdge]:
    return [NewEdge(child, place, parent, None, policy) for place, parent in enumerate(parents)]


def tied(store: Store, *jobs: tuple[NewJob, Parents], policy: str = "cancel") -> list[Enqueued]:
    """Store jobs in one call, each with the ids of those that it waits for."""
    new = [after(job) if parents else job for job, parents in jobs]
    keyed = {index: Uniqueness() for index, job in enumerate(new) if job.unique_key is not None}
    named = [edge for job, parents in jobs for edge in edges(job.id, parents, policy)]
    return store.run(enqueue(new, keyed, named))


def after(job: NewJob) -> NewJob:
    """The same as one that waits for others."""
    return replace(job, after=1)


def chain(store: Store, ids: Sequence[str]) -> list[Enqueued]:
    """Store jobs of which each waits for the one before."""
    return tied(store, *((new_job(id), ids[index - 1 : index]) for index, id in enumerate(ids)))


def child_of(store: Store, id: str, *parents: str, policy: str = "cancel") -> State:
    """Store a job that waits for jobs which are there; how it waits."""
    [stored] = tied(store, (new_job(id), parents), policy=policy)
    return stored.state


def taken(worker: Worker, id: str) -> Claimed:
    """The only job that the worker can take now."""
    [job] = worker.take(9)
    assert job.id == id
    return job


def states(store: Store, ids: str) -> str:
    """The states of jobs whose ids are these letters, by their first letters."""
    return "".join(store.job(id).state[0] for id in ids)
