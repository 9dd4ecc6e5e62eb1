"""One row of the table of routes, what a handler is given, and what it gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from windlass import clock
from windlass.app import Windlass
from windlass.web.cursors import Cursors
from windlass.web.problems import Problem
from windlass.web.readings.shared_reading import SharedReadings
from windlass.web.security.roles import Identity, Role

PREFIX = "/api/v1"
SMALL_BODY = 64 * 1024
"""Bytes that a body has at the most where a route does not say otherwise."""

Q_co = TypeVar("Q_co", covariant=True)
B_co = TypeVar("B_co", covariant=True)


class Gatekeeper(Protocol):
    """Decides who may ask for what, and keeps who changed what."""

    async def admit(self, request: Request, needed: Role | None) -> Identity:
        """Who asks; raises a ``Problem`` when the role is not enough. None is needed for a public route."""
        ...

    async def changed(self, identity: Identity, action: str, target: str, count: int) -> None:
        """Something was changed."""
        ...


@dataclass(frozen=True, slots=True)
class Call(Generic[Q_co, B_co]):
    """A request that was admitted and read."""

    app: Windlass
    request: Request
    identity: Identity
    path: Mapping[str, str]
    query: Q_co
    body: B_co
    cursors: Cursors
    readings: SharedReadings
    routes: Sequence[Route] = ()
    """All rows of the table."""
    environment: str = ""
    """Which installation this is, for people: ``production``; empty where it was not said."""

    @property
    def by(self) -> str:
        """Who changes something."""
        return self.identity.name

    @property
    def now(self) -> datetime:
        """By the clock that the store goes by."""
        return clock.instant(self.app.client.now())


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler gives where a value alone does not say it."""

    value: object = None
    status: int | None = None
    """None: what the row says."""
    headers: Mapping[str, str] = field(default_factory=dict)
    count: int = 1
    """How many things were changed."""
    target: str | None = None
    """What was changed; None: what the path names."""


Handler = Callable[[Call[Any, Any]], Awaitable[object]]
"""Gives a value for JSON, an ``Answer``, or a whole response."""


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query or a body without fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A row: from it come the route itself, its part of the OpenAPI document, of the documentation and of the tests."""

    method: str
    path: str
    handler: Handler
    summary: str
    """One line."""
    topic: str
    role: Role | None
    """What a caller has to be; None for a public route."""
    answer: Any
    """The type of what it answers; a type of Starlette's for what is no JSON."""
    status: int = 200
    query: type[msgspec.Struct] = Nothing
    body: Any = None
    """The type of what is sent; None where nothing is."""
    is_body_needed: bool = True
    form: type[msgspec.Struct] | None = None
    """What a plain form of a page sends; None where no form leads here."""
    action: str | None = None
    """The name of the change it makes, in the audit; None for a route that only looks."""
    most_bytes: int = SMALL_BODY
    """How many bytes may be sent."""
    problems: tuple[int, ...] = ()
    """The statuses it may answer besides those of all routes."""
    seconds: float | None = None
    """How long it may take; None: as long as all."""
    waits: Callable[[Call[Any, Any]], float] | None = None
    """For how many seconds more, because the caller wants to wait."""
    show_problem: Callable[[Call[Any, Any], Problem], Response] | None = None
    """Answers what goes wrong, for people; None: a problem document."""

    @property
    def parameters(self) -> list[str]:
        """The names in its path."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    @property
    def is_stream(self) -> bool:
        """Whether it answers with events, for as long as the client listens."""
        return isinstance(self.answer, type) and issubclass(self.answer, StreamingResponse)

    @property
    def is_json(self) -> bool:
        return self.answer is None or not (isinstance(self.answer, type) and issubclass(self.answer, Response))
