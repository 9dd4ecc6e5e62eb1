"""Groups: jobs side by side, and a callback that gets their results when all of them have ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as copied

from windlass.errors import ConfigError
from windlass.flows.group_flow import GroupFlow
from windlass.flows.link import Link, Plan, after, called_back, client_of
from windlass.task import Request

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.client.owner import ClientOwner
    from windlass.job import Job
    from windlass.options import OnParentFailure

Member = Request | Link
"""What can be in a group: a request, a chain, or a group with a callback."""


class Group(Link):
    """Jobs that are yet to be enqueued, side by side."""

    def __init__(self, members: tuple[Member, ...], callback: Request | None = None) -> None:
        self._members = members
        self._callback = callback

    def __repr__(self) -> str:
        then = "" if self._callback is None else f", then {self._callback.name}"
        return f"<Group of {len(self._members):,}{then}>"

    def then(self, request: Request) -> Group:
        """The same with a callback: a job that runs once when all members have ended, and gets their results as its
        first argument, a ``Results``, or as the one that ``options(into="name")`` says.

        ``options(on_parent_failure=...)`` of the request says what a member that does not complete does: the callback
        is cancelled ("cancel"), runs all the same with a ``ParentFailed`` in its place ("run"), or waits until it was
        retried ("wait").
        """
        if not isinstance(request, Request):
            raise ConfigError(f"then takes a request, as in group([...]).then(merge.request()); got {request!r}")
        if self._callback is not None:
            raise ConfigError(
                f"group: it has a callback already, {self._callback.name!r}; chain what comes after it, as in "
                "chain(group([...]).then(merge.request()), publish.request())"
            )
        return Group(self._members, request)

    @property
    def gives_one(self) -> bool:
        return self._callback is not None

    @property
    def tasks(self) -> list[Request]:
        found = [] if self._callback is None else [self._callback]
        for member in self._members[:1]:
            found += [member] if isinstance(member, Request) else member.tasks
        return found

    def behind(self, parent: Request, on_failure: OnParentFailure | None) -> Group:
        """Its members wait for it and get its result; of an empty group the callback waits."""
        if not self._members and self._callback is not None:
            options = self._callback.options
            policy = on_failure or options.on_parent_failure
            return Group((), self._callback.but(after=[*options.after, parent], on_parent_failure=policy))
        return Group(tuple(_behind(member, parent, on_failure) for member in self._members), self._callback)

    def plan(self) -> Plan:
        requests: list[Request] = []
        ends: list[Request] = []
        seen: set[int] = set()
        for member in self._members:
            if isinstance(member, Request):
                # One that stands in the list twice is two jobs.
                own = copied(member) if id(member) in seen else member
                seen.add(id(own))
                requests.append(own)
                ends.append(own)
            else:
                plan = member.plan()
                requests += plan.requests
                ends.append(plan.ends[0])
        if self._callback is None:
            return Plan(requests, ends, gives_one=False)
        callback = called_back(self._callback, ends)
        return Plan([*requests, callback], [callback], ends)

    def enqueue(self, app: ClientOwner | None = None) -> GroupFlow:
        """Store all jobs or none; ``app`` is needed only where no task of the group is registered here."""
        client, plan = self._client(app), self.plan()
        return self._flow(client, plan, client.enqueue_many(plan.requests))

    async def aenqueue(self, app: ClientOwner | None = None) -> GroupFlow:
        """``enqueue`` for async code."""
        client, plan = self._client(app), self.plan()
        return self._flow(client, plan, await client.aenqueue_many(plan.requests))

    def _client(self, app: ClientOwner | None) -> Client:
        return client_of(self.tasks, app, "group")

    def _flow(self, client: Client, plan: Plan, jobs: list[Job[Any]]) -> GroupFlow:
        by_request = {id(request): job for request, job in zip(plan.requests, jobs, strict=True)}
        members = plan.ends if self._callback is None else plan.members
        callback = None if self._callback is None else jobs[-1]
        return GroupFlow(client, jobs, [by_request[id(member)] for member in members], callback)


def group(requests: Iterable[Member]) -> Group:
    """Run jobs side by side; ``then`` names the one that gets their results.

    A member is a request, a ``chain`` (its last job gives the result) or another group with a callback.

    >>> from windlass import Results, Windlass, group
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def scrape(page: int) -> str:
    ...     return f"page {page}"
    >>> @app.task
    ... def merge(pages: Results) -> str:
    ...     return ", ".join(pages)
    >>> flow = group([scrape.request(n) for n in range(3)]).then(merge.request()).enqueue()
    >>> app.worker().run_until_empty()
    4
    >>> flow.result(timeout=5)
    'page 0, page 1, page 2'
    >>> app.close()
    """
    if isinstance(requests, Request | Link):
        what = f"one for task {requests.name!r}" if isinstance(requests, Request) else repr(requests)
        raise ConfigError(f"group takes a list of requests, as in group([scrape.request(1)]); got {what}")
    members = tuple(requests)
    for member in members:
        if isinstance(member, Link) and not member.gives_one:
            raise ConfigError("group: a group inside another needs a callback: group([...]).then(merge.request())")
        if not isinstance(member, Request | Link):
            raise ConfigError(f"group takes requests, as in group([scrape.request(1)]); got {member!r}")
    return Group(members)


def _behind(member: Member, parent: Request, on_failure: OnParentFailure | None) -> Member:
    return after(member, parent, on_failure) if isinstance(member, Request) else member.behind(parent, on_failure)
