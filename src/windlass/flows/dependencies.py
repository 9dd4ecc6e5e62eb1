"""Which of the jobs of one enqueue wait for which others, in the call or in the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as copied

from windlass.core.codec.types.group_results import GroupResults
from windlass.core.flows.inputs import Inputs, with_group, with_inputs
from windlass.errors import ConfigError
from windlass.options import Options, Parent
from windlass.store.operations.enqueue import NewJob
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.flows.groups import NewGroup, NewMember
from windlass.task import IncompleteRequest, Request, Task


class Sibling(Struct, frozen=True):
    """Another request of the same call, by its position: hooks may put other requests in the places of these."""

    index: int
    options: Options
    """As a request has them."""


def linked(requests: Sequence[Request]) -> list[Request]:
    """The same requests, with those that others wait for named by their positions."""
    positions = _positions(requests)

    def link(parent: Parent) -> Parent:
        index = positions.get(id(parent))
        return parent if index is None else Sibling(index, requests[index].options)

    def link_all(request: Request) -> Request:
        options = request.options
        if not options.after and not options.members:
            return request
        members = None if options.members is None else tuple(map(link, options.members))
        return copied(request, options=replace(options, after=tuple(map(link, options.after)), members=members))

    return [link_all(request) for request in requests]


def new_edges(requests: Sequence[Request], jobs: Sequence[NewJob]) -> list[NewEdge]:
    """The edges of the jobs that these requests make; ``ConfigError`` where jobs wait for each other in a circle."""
    positions = _positions(requests)
    by_id = {job.id: job for job in jobs}
    edges: list[NewEdge] = []
    for request, job in zip(requests, jobs, strict=True):
        named = dict.fromkeys(_id_of(parent, jobs, positions) for parent in request.options.after)
        for place, parent in enumerate(named):
            key = by_id[parent].unique_key if parent in by_id else None
            edges.append(NewEdge(job.id, place, parent, key, request.options.on_parent_failure))
    _refuse_circles(edges, by_id)
    return edges


def new_groups(requests: Sequence[Request], jobs: Sequence[NewJob]) -> tuple[list[NewGroup], list[NewMember]]:
    """The groups whose callbacks are among these jobs, with their members; an empty group is none."""
    callbacks = [(request, job) for request, job in zip(requests, jobs, strict=True) if request.options.members]
    if not callbacks:
        return [], []
    positions = _positions(requests)
    keys = {job.id: job.unique_key for job in jobs}
    members: list[NewMember] = []
    for request, job in callbacks:
        ids = [_id_of(member, jobs, positions) for member in request.options.members or ()]
        members += [NewMember(job.id, place, id, keys.get(id)) for place, id in enumerate(ids)]
    return [NewGroup(job.id, request.options.on_parent_failure) for request, job in callbacks], members


def check_gets_result(request: IncompleteRequest) -> None:
    """Raise what the call would raise, unless it gets an argument from another job."""
    if request.options.members is None and (request.options.into is None or not request.options.after):
        raise TypeError(request.lacks)


def with_results(requests: Sequence[Request], jobs: Sequence[NewJob], edges: Sequence[NewEdge]) -> list[NewJob]:
    """The same jobs; those that get results say in their payloads whose and where."""
    parents: dict[str, list[str]] = {}
    for edge in edges:
        parents.setdefault(edge.child, []).append(edge.parent)
    return [
        job if request.options.into is None else _receiving(request, job, parents.get(job.id, ()))
        for request, job in zip(requests, jobs, strict=True)
    ]


def _receiving(request: Request, job: NewJob, parents: Sequence[str]) -> NewJob:
    into = request.options.into or None
    if request.options.members is not None:
        if isinstance(request.task, Task):
            _check_complete(request, request.task)
        return copied(job, payload=with_group(job.payload, GroupResults(job.id, len(request.options.members)), into))
    if not parents:
        raise ConfigError(f"into={into!r}: the job of task {job.task!r} waits for no other; name one with after=[job]")
    if isinstance(request.task, Task):
        _check_complete(request, request.task)
    return copied(job, payload=with_inputs(job.payload, Inputs(parents[0] if len(parents) == 1 else None, into)))


def _check_complete(request: Request, task: Task[..., Any]) -> None:
    """Raise what the call would raise, with a value in the place of the result."""
    task.shape.bind(task.name, *with_value(request, None))


def with_value(request: Request, value: object) -> tuple[tuple[object, ...], Mapping[str, object]]:
    """The arguments of a request, with a value in the place of what it gets from another job, if it gets something."""
    into = request.options.into
    if into is None:
        return request.args, request.kwargs
    return (request.args, {**request.kwargs, into: value}) if into else ((value, *request.args), request.kwargs)


def _positions(requests: Iterable[Request]) -> dict[int, int]:
    """By identity: equal requests are different jobs. One that stands in the call twice is the first."""
    positions: dict[int, int] = {}
    for index, request in enumerate(requests):
        positions.setdefault(id(request), index)
    return positions


def _id_of(parent: object, jobs: Sequence[NewJob], positions: Mapping[int, int]) -> str:
    if isinstance(parent, str):
        return parent
    if isinstance(parent, Sibling):
        return jobs[parent.index].id
    if isinstance(parent, Request):
        if id(parent) not in positions:
            raise ConfigError(
                f"after: the request for task {parent.name!r} is not part of this call; enqueue both together with "
                "app.enqueue_many([...]), or enqueue it first and name the job"
            )
        return jobs[positions[id(parent)]].id
    return str(getattr(parent, "id"))  # noqa: B009  # a Job, as the options have checked


def _refuse_circles(edges: Sequence[NewEdge], by_id: Mapping[str, NewJob]) -> None:
    """Finds circles: takes away jobs that wait for none of the others, again and again; what is left waits for itself.

    A job that is stored already cannot wait for a new one, so only the jobs of the call are looked at.
    """
    open_parents: dict[str, int] = {}
    children: dict[str, list[str]] = {}
    for edge in edges:
        if edge.parent in by_id:
            open_parents[edge.child] = open_parents.get(edge.child, 0) + 1
            children.setdefault(edge.parent, []).append(edge.child)
    free = [id for id in children if id not in open_parents]
    while free:
        for child in children.get(free.pop(), ()):
            open_parents[child] -= 1
            if not open_parents[child]:
                del open_parents[child]
                free.append(child)
    if open_parents:
        names = ", ".join(sorted(open_parents)[:5])
        raise ConfigError(f"after: jobs wait for each other in a circle: {names}; nothing was stored")
