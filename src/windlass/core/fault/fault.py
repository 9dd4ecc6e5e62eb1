"""What one attempt raised: text for people, never a class to be rebuilt."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from windlass.core.codec.stored_text.storable import storable
from windlass.core.fault.exceptions import line_of, message_of, related_to, type_name
from windlass.core.fault.excerpt import Excerpt
from windlass.core.fault.frames import render

_LIMIT = 64 * 1024
_SHARE = 16 * 1024
_SMALLEST_SHARE = 64


class Fault(Struct, frozen=True):
    """One failed attempt. All text is storable."""

    at: int
    """Milliseconds since 1970, UTC."""
    attempt: int
    worker: str
    type: str
    message: str
    cause: tuple[str, ...] = ()
    """``"Type: message"`` of what it was raised from or while handling, and of the members of a group."""
    traceback: str = ""
    """Without the values of variables, for they may be secret; what it was raised from comes last."""
    log: str = ""
    """What the attempt logged, in a child process also what it printed: the first and the newest lines."""
    ran_for: int | None = None
    """Of a run that died with its process: for how many milliseconds it may have run."""
    fence: int | None = None
    """That of the attempt; earlier releases did not keep it."""

    @classmethod
    def of(
        cls,
        exception: BaseException,
        *,
        at: int,
        attempt: int,
        worker: str,
        limit: int = _LIMIT,
        log: Excerpt | None = None,
        fence: int | None = None,
    ) -> Fault:
        """At most ``limit`` bytes as JSON. Never fails, whatever the methods of the exception do."""
        related = related_to(exception)
        whole = cls(
            at=at,
            attempt=attempt,
            worker=storable(worker, 256),
            type=type_name(exception),
            message=message_of(exception),
            cause=tuple(line_of(other) for _, other in related),
            traceback=render(exception, related),
            fence=fence,
        )
        return _fitted(whole, log or Excerpt(), limit)


def _fitted(fault: Fault, log: Excerpt, limit: int) -> Fault:
    share = min(_SHARE, limit // 4)
    fitted = _cut(fault, log, share)
    # JSON may write one byte of text as six, so the shares alone do not bound it.
    while len(msgspec.json.encode(fitted)) > limit and share > _SMALLEST_SHARE:
        share //= 2
        fitted = _cut(fault, log, share)
    return fitted


def _cut(fault: Fault, log: Excerpt, share: int) -> Fault:
    return msgspec.structs.replace(
        fault,
        message=storable(fault.message, share),
        cause=tuple(storable(line, share // 16) for line in fault.cause),
        traceback=storable(fault.traceback, share),
        log=log.text(share),
    )
