"""Chains: jobs one after the other, each with the result of the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.errors import ConfigError
from windlass.flows.flow import Flow
from windlass.task import Request, Task

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.client.owner import ClientOwner
    from windlass.options import OnParentFailure


class Chain:
    """Jobs that are yet to be enqueued, one after the other."""

    def __init__(self, requests: tuple[Request, ...], *, on_failure: OnParentFailure | None = None) -> None:
        self._requests = requests
        self._on_failure = on_failure

    def __repr__(self) -> str:
        return f"<Chain {' -> '.join(request.name for request in self._requests)}>"

    @property
    def requests(self) -> list[Request]:
        """What is enqueued, in order: each waits for the one before, and gets its result."""
        links: list[Request] = [self._requests[0]]
        for request in self._requests[1:]:
            into = "" if request.options.into is None else request.options.into
            policy = self._on_failure or request.options.on_parent_failure
            links.append(request.but(after=[links[-1]], into=into, on_parent_failure=policy))
        return links

    def enqueue(self, app: ClientOwner | None = None) -> Flow:
        """Store all jobs or none; ``app`` is needed only where no task of the chain is registered here."""
        client = client_of(self._requests, app, "chain")
        return Flow(client, client.enqueue_many(self.requests))

    async def aenqueue(self, app: ClientOwner | None = None) -> Flow:
        """``enqueue`` for async code."""
        client = client_of(self._requests, app, "chain")
        return Flow(client, await client.aenqueue_many(self.requests))


def chain(*requests: Request, on_failure: OnParentFailure | None = None) -> Chain:
    """Run jobs one after the other: what each returns is the first argument of the next, or the one that
    ``options(into="name")`` says.

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
        if not isinstance(request, Request):
            raise ConfigError(f"chain takes requests, as in chain(fetch.request(url)); got {request!r}")
    for request in requests[1:]:
        if request.options.after:
            raise ConfigError(
                f"chain: the request for task {request.name!r} waits for other jobs already; only the first may"
            )
    return Chain(requests, on_failure=on_failure)


def client_of(requests: tuple[Request, ...], app: ClientOwner | None, what: str) -> Client:
    """The app whose tasks these are."""
    if app is not None:
        return app.client
    for request in requests:
        if isinstance(request.task, Task):
            return request.task.app.client
    raise ConfigError(f"{what}: none of these tasks is registered here; name the app, as in {what}(...).enqueue(app)")
