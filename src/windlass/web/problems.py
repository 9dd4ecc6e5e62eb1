"""Errors as the API answers them: RFC 9457 problem documents that name the field and show no inside."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import msgspec
from starlette.responses import Response

from windlass import clock
from windlass.errors import (
    AppClosed,
    ConfigError,
    IdConflict,
    IllegalTransition,
    JobNotFound,
    LeaseLost,
    OutcomeUnknown,
    PayloadError,
    PayloadTooLarge,
    QueueFull,
    ScheduleNotFound,
    StartRefused,
    StoreNotFound,
    StoreUnavailable,
    UnknownTask,
    WindlassError,
)
from windlass.insight.redact import redacted_text
from windlass.web.named_field import named_field

log = logging.getLogger("windlass.web")

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "2"
"""Seconds after which a client may ask again when the store is away, or a queue is full."""

_AWAY = "the store does not answer; ask again soon"
_UNKNOWN = "the store did not answer in time, so the change may have been made; look, or repeat it with the same ids"


class ProblemDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of every answer that is no success (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str | None = None
    field: str | None = None
    """The field of the body, the query or the path that is wrong."""
    ids: tuple[str, ...] = ()
    """The jobs of a change whose outcome is unknown."""
    error_id: str | None = None
    """Where the log says more."""


class Problem(Exception):
    """Ends a request with a problem document."""

    def __init__(
        self,
        status: int,
        title: str,
        detail: str | None = None,
        *,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
        ids: tuple[str, ...] = (),
        error_id: str | None = None,
    ) -> None:
        super().__init__(detail or title)
        self.status = status
        self.title = title
        self.detail = detail
        self.field = field
        self.headers = dict(headers or {})
        self.ids = ids
        self.error_id = error_id

    def response(self) -> Response:
        """The answer."""
        document = ProblemDocument(
            title=self.title,
            status=self.status,
            detail=None if self.detail is None else redacted_text(self.detail),
            field=self.field,
            ids=self.ids,
            error_id=self.error_id,
        )
        # A document without defaults would leave the type out, which readers may expect.
        body = {"type": document.type, **msgspec.to_builtins(document)}
        return Response(
            msgspec.json.encode(body), self.status, {"Cache-Control": "no-store", **self.headers}, MEDIA_TYPE
        )


def bad_input(detail: str, *, field: str | None = None) -> Problem:
    """What was sent cannot be understood; the detail says why."""
    return Problem(400, "Bad request", detail, field=field)


def not_found(detail: str) -> Problem:
    """There is no such thing."""
    return Problem(404, "Not found", detail)


_STATUSES: tuple[tuple[type[WindlassError], int, str], ...] = (
    (JobNotFound, 404, "No such job"),
    (ScheduleNotFound, 404, "No such schedule"),
    (LeaseLost, 409, "Lease lost"),
    (IllegalTransition, 409, "Illegal transition"),
    (IdConflict, 409, "Id conflict"),
    (PayloadTooLarge, 413, "Too large"),
    (QueueFull, 429, "Queue full"),
    (UnknownTask, 422, "Unknown task"),
    (PayloadError, 400, "Bad request"),
    (ConfigError, 400, "Bad request"),
)
"""The first that fits counts: a more special kind comes before what it is a kind of."""


def problem_of(error: Exception, *, fields: tuple[str, ...] = ()) -> Problem:
    """The problem that an exception means; ``fields`` are those of the request, one of which it may name."""
    match error:
        case Problem():
            return error
        case OutcomeUnknown():
            return _away(_UNKNOWN, ids=error.ids)
        case StoreNotFound():
            return _away("there is no store yet: the first job, a worker, or `windlass migrate` makes it")
        case TimeoutError() | StoreUnavailable() | AppClosed() | StartRefused():
            log.warning("answered 503: %s", str(error) or "the store took too long")
            return _away(_AWAY)
        case WindlassError():
            for kind, status, title in _STATUSES:
                if isinstance(error, kind):
                    headers = {"Retry-After": RETRY_AFTER} if status == 429 else {}
                    return Problem(status, title, str(error), field=named_field(str(error), fields), headers=headers)
            return unexpected(error)
        case _:
            return unexpected(error)


def unexpected(error: BaseException) -> Problem:
    """A defect: the answer has an id, and only the log, under that id, says what it was."""
    error_id = f"{clock.random_bits(64):016x}"
    log.error("error %s", error_id, exc_info=error)
    return Problem(500, "Internal error", f"this is a defect; the log has it as {error_id}", error_id=error_id)


def _away(detail: str, *, ids: tuple[str, ...] = ()) -> Problem:
    return Problem(503, "Store away", detail, ids=ids, headers={"Retry-After": RETRY_AFTER})
