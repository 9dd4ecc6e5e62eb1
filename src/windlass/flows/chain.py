"""Chains: jobs one after the other, each with the result of the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.errors import ConfigError
from windlass.flows.flow import Flow
from windlass.flows.link import Link, Plan, after, called_back, client_of
from windlass.task import Request

if TYPE_CHECKING:
    from windlass.client.owner import ClientOwner
    from windlass.options import OnParentFailure


class Chain(Link):
    """Jobs that are yet to be enqueued, one after the other."""

    def __init__(self, links: tuple[Request | Link, ...], *, on_failure: OnParentFailure | None = None) -> None:
        self._links = links
        self._on_failure = on_failure

    def __repr__(self) -> str:
        return f"<Chain {' -> '.join(_name(link) for link in self._links)}>"

    @property
    def requests(self) -> list[Request]:
        """What is enqueued, in order: each waits for the one before, and gets its result."""
        return self.plan().requests

    @property
    def tasks(self) -> list[Request]:
        found: list[Request] = []
        for link in self._links:
            found += [link] if isinstance(link, Request) else link.tasks
        return found

    def plan(self) -> Plan:
        """A request that follows a group without a callback is its callback."""
        requests: list[Request] = []
        before: Plan | None = None
        last: Request | None = None
        for link in self._links:
            if before is None:
                before = _planned(link)
            elif before.gives_one:
                last = before.ends[0]
                before = _planned(_behind(link, last, self._on_failure))
            else:
                assert isinstance(link, Request), "checked by chain()"
                callback = called_back(link, before.ends, self._on_failure)
                if not before.ends and last is not None:
                    callback = callback.but(after=[last])
                before = Plan([callback], [callback])
            requests += before.requests
        assert before is not None, "a chain has a link"
        return Plan(requests, before.ends)

    def behind(self, parent: Request, on_failure: OnParentFailure | None) -> Chain:
        first, *others = self._links
        return Chain((_behind(first, parent, on_failure), *others), on_failure=self._on_failure)

    def enqueue(self, app: ClientOwner | None = None) -> Flow:
        """Store all jobs or none; ``app`` is needed only where no task of the chain is registered here."""
        client = client_of(self.tasks, app, "chain")
        return Flow(client, client.enqueue_many(self.requests))

    async def aenqueue(self, app: ClientOwner | None = None) -> Flow:
        """``enqueue`` for async code."""
        client = client_of(self.tasks, app, "chain")
        return Flow(client, await client.aenqueue_many(self.requests))


def chain(*requests: Request | Link, on_failure: OnParentFailure | None = None) -> Chain:
    """Run jobs one after the other: what each returns is the first argument of the next, or the one that
    ``options(into="name")`` says.

    A link may be a ``group``: its members all get the result of the link before. A request behind a group without a
    callback is its callback.

    ``on_failure`` says for all of them what a link that fails does with the rest, as ``on_parent_failure`` for one.

    >>> from windlass import Windlass, chain
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> @app.task
    ... def add(number: int, other: int) -> int:
    ...     return number + other
    >>> flow = chain(double.request(20), add.options(into="other").request(2)).enqueue()
    >>> app.worker().run_until_empty()
    2
    >>> flow.result(timeout=5)
    42
    >>> app.close()
    """
    if not requests:
        raise ConfigError("chain takes requests, as in chain(fetch.request(url), parse.request()); got none")
    for request in requests:
        if not isinstance(request, Request | Link):
            raise ConfigError(f"chain takes requests, as in chain(fetch.request(url)); got {request!r}")
    for request in requests[1:]:
        if isinstance(request, Request) and request.options.after:
            raise ConfigError(
                f"chain: the request for task {request.name!r} waits for other jobs already; only the first may"
            )
    for link, following in zip(requests, (*requests[1:], None), strict=True):
        if isinstance(link, Link) and not link.gives_one and not isinstance(following, Request):
            raise ConfigError(
                "chain: a group that is the last link, or stands before another group, needs a callback: "
                "group([...]).then(merge.request())"
            )
    return Chain(requests, on_failure=on_failure)


def _planned(link: Request | Link) -> Plan:
    return Plan([link], [link]) if isinstance(link, Request) else link.plan()


def _behind(link: Request | Link, parent: Request, on_failure: OnParentFailure | None) -> Request | Link:
    return after(link, parent, on_failure) if isinstance(link, Request) else link.behind(parent, on_failure)


def _name(link: Request | Link) -> str:
    return link.name if isinstance(link, Request) else repr(link)
