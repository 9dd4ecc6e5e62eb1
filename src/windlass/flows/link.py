"""What chains and groups are made of: requests, and other chains and groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from msgspec.structs import replace as copied

from windlass.errors import ConfigError
from windlass.task import Request, Task

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.client.owner import ClientOwner
    from windlass.options import OnParentFailure


@dataclass(frozen=True, slots=True)
class Plan:
    """What is enqueued in one call."""

    requests: list[Request]
    ends: list[Request]
    """Those that give the result: one, or each member of a group without a callback."""
    members: list[Request] = field(default_factory=list)
    """Of a group with a callback: those whose results the callback gets."""
    gives_one: bool = True
    """Whether one job gives the result, and not each of the ends its own."""


class Link(ABC):
    """Several jobs that can stand where one can."""

    @abstractmethod
    def plan(self) -> Plan:
        """Its jobs. The requests are new with each call."""

    @abstractmethod
    def behind(self, parent: Request, on_failure: OnParentFailure | None) -> Link:
        """The same, beginning with the result of another job."""

    @property
    @abstractmethod
    def tasks(self) -> list[Request]:
        """Requests by which the app can be found."""

    @property
    def gives_one(self) -> bool:
        """Whether one job gives its result."""
        return True


def after(request: Request, parent: Request, on_failure: OnParentFailure | None) -> Request:
    """The request as one that waits for another, and gets its result."""
    if request.options.after:
        raise ConfigError(
            f"the request for task {request.name!r} waits for other jobs already; only the first of a chain may"
        )
    into = "" if request.options.into is None else request.options.into
    policy = on_failure or request.options.on_parent_failure
    return request.but(after=[parent], into=into, on_parent_failure=policy)


def called_back(request: Request, members: Sequence[Request], on_failure: OnParentFailure | None = None) -> Request:
    """The request as the callback of a group."""
    into = "" if request.options.into is None else request.options.into
    policy = on_failure or request.options.on_parent_failure
    options = replace(request.options, members=tuple(members), into=into, on_parent_failure=policy)
    return copied(request, options=options)


def client_of(requests: Sequence[Request], app: ClientOwner | None, what: str) -> Client:
    """The app whose tasks these are."""
    if app is not None:
        return app.client
    for request in requests:
        if isinstance(request.task, Task):
            return request.task.app.client
    raise ConfigError(f"{what}: none of these tasks is registered here; name the app, as in {what}(...).enqueue(app)")
