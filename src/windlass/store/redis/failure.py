"""From the library's exceptions to ours, in one place."""

from __future__ import annotations

from redis.exceptions import AuthenticationError, OutOfMemoryError, RedisError, ResponseError

from windlass.errors import OutcomeUnknown, StoreUnavailable, WindlassError
from windlass.store.driver import DataRefused

_DATA = ("REFUSED", "Protocol error: invalid bulk length", "string exceeds maximum allowed size")
"""How answers begin that are about the values of a call: the first is what our own scripts say."""


def unreachable(error: RedisError, where: str) -> StoreUnavailable:
    """No connection could be made; nothing was sent."""
    if isinstance(error, AuthenticationError):
        return StoreUnavailable(f"{where}: the server wants another user or password ({error})")
    return StoreUnavailable(f"{where}: the server cannot be reached ({error})")


def lost(error: RedisError, where: str, *, may_have_written: bool) -> StoreUnavailable:
    """The connection broke, or the deadline passed, between the call and its answer."""
    if may_have_written:
        return OutcomeUnknown(f"{where}: the answer was lost ({error}); the call may have been carried out")
    return StoreUnavailable(f"{where}: the answer was lost ({error})")


def refused(error: ResponseError, where: str) -> WindlassError:
    """The server answered with an error; our scripts are refused before their first write, or not at all."""
    if isinstance(error, OutOfMemoryError):
        return StoreUnavailable(
            f"{where}: the server is out of memory and takes no new jobs; raise its maxmemory, or let workers end what "
            "is there and retention remove it"
        )
    if str(error).startswith(_DATA):
        return DataRefused(f"{where}: {str(error).removeprefix('REFUSED ')}")
    return StoreUnavailable(f"{where}: the server refused the call ({error})")


def not_storable(error: Exception, where: str) -> DataRefused:
    """A value of the call cannot even be sent."""
    return DataRefused(f"{where}: {error}")
