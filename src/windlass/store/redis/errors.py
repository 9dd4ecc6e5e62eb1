"""redis-py's exceptions to ours."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable

from redis.exceptions import (
    AskError,
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)

from windlass.errors import OutcomeUnknown, StoreUnavailable, WindlassError
from windlass.store.connection.circuit_breaker import Away, LoginDenied
from windlass.store.driver import DataRejected
from windlass.store.redis.connection import NoReply

_CODES: tuple[tuple[type[RedisError], str], ...] = (
    (MovedError, "MOVED"),  # before what it is a kind of
    (AskError, "ASK"),
    (MasterDownError, "MASTERDOWN"),
    (ClusterDownError, "CLUSTERDOWN"),
    (TryAgainError, "TRYAGAIN"),
    (ReadOnlyError, "READONLY"),
    (BusyLoadingError, "LOADING"),
    (OutOfMemoryError, "OOM"),
    (NoPermissionError, "NOPERM"),
    (AuthorizationError, "NOPERM"),
    (AuthenticationError, "NOAUTH"),
)
_CODE = re.compile(r"(?:.*@user_script: ?\d+: -?)?([A-Z]{3,}) ", re.S)
"""How the server begins an error; one that a script met has, before Redis 7, other words before it."""
_WHERE_IN_SCRIPT = re.compile(r",? script: \w+, on @user_script:\d+\.?$|^.*@user_script: ?\d+: -?", re.S)

_NOT_NOW = {
    "MOVED": "another node of the cluster has the jobs now",
    # Half of the keys are here and half there. A script that followed would take what is not there yet for missing.
    "ASK": "the cluster is moving the jobs to another node",
    "TRYAGAIN": "the cluster is moving the jobs to another node",
    "CLUSTERDOWN": "the cluster is down",
    "MASTERDOWN": "the server is a replica that has lost its primary",
    "READONLY": "the server is a replica and takes no writes",
    "LOADING": "the server is still loading its data",
    "BUSY": "the server is busy with a script of another client",
    "NOREPLICAS": "the server has too few replicas to take writes",
}
"""Answers that mean: nothing was carried out, ask again or elsewhere."""

_DATA = ("REFUSED", "Protocol error: invalid bulk length", "string exceeds maximum allowed size")
"""How answers begin that are about the values of a call: the first is what our own scripts say."""

_REMEDIES = {
    "OOM": "the server is out of memory and takes no new jobs; raise its maxmemory, or let workers end what is there "
    "and retention remove it",
    "NOAUTH": "the server wants another user or password",
    "NOPERM": "the user lacks a right; the documentation has the ACL line that gives all that is needed",
    "MISCONF": "the server cannot write to its disk, and therefore takes no writes",
}

_NO_HANDSHAKE = "handshake operation timed out"
_NO_SUCH_DATABASE = re.compile("DB index|SELECT is not allowed")


def code_of(error: RedisError) -> str:
    """The word with which the server named what is wrong; empty if it is none that counts."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    found = _CODE.match(str(error))
    return found[1] if found else ""


def not_connected(error: RedisError, where: str) -> Away | WindlassError:
    """No connection could be made; nothing was sent."""
    if _NO_SUCH_DATABASE.search(str(error)):
        return LoginDenied(f"{where}: the server has no database of that number ({error})")
    if code_of(error) in ("NOAUTH", "NOPERM"):
        return LoginDenied(str(server_error(error, where)))
    if code_of(error) in _REMEDIES or isinstance(error, ResponseError):
        return server_error(error, where)
    if isinstance(error.__context__, ssl.SSLError):  # a certificate does not become right by waiting
        return StoreUnavailable(f"{where}: no TLS connection to the server ({error})")
    if _NO_HANDSHAKE in str(error.__context__):  # a server that knows nothing of TLS waits for a line of text
        return Away(f"the server does not answer the TLS handshake; does it speak TLS at this port? ({error})")
    return Away(f"the server cannot be reached ({error})")


def server_error(error: RedisError, where: str) -> Away | WindlassError:
    """The server answered with an error; our scripts are refused before their first write, or not at all."""
    code, text = code_of(error), _WHERE_IN_SCRIPT.sub("", str(error))
    if code in _NOT_NOW:
        return Away(_NOT_NOW[code])
    if code in _REMEDIES:
        return StoreUnavailable(f"{where}: {_REMEDIES[code]} ({text})")
    if text.startswith(_DATA):
        return DataRejected(f"{where}: {text.removeprefix('REFUSED ')}")
    return StoreUnavailable(f"{where}: the server refused the call ({text})")


def overwritten(keys: Iterable[tuple[str, str, str]], where: str, *, may_have_written: bool) -> StoreUnavailable:
    """A key that is ours holds what we did not put there. Which one the server does not say; ``keys`` were found."""
    found = ", ".join(f"{key} is a {kind}, not a {right}" for key, kind, right in keys)
    text = (
        f"{where}: a key that is ours holds something else (WRONGTYPE): another program uses the same namespace; "
        f"{found or 'it belongs to a single job, a unique key, a duty or a queue that never had a job'}"
    )
    if may_have_written:  # a script that meets such a key on its way is not rolled back
        return OutcomeUnknown(f"{text}. The call may have been carried out in part")
    return StoreUnavailable(text)


def no_reply(error: NoReply, where: str, *, may_have_written: bool) -> Away | OutcomeUnknown:
    """The connection broke, or the deadline passed, between the call and its answer; a read may simply be repeated."""
    if may_have_written:
        return OutcomeUnknown(f"{where}: the answer was lost ({error}); the call may have been carried out")
    return Away(f"the answer was lost ({error})")


def not_storable(error: Exception, where: str) -> DataRejected:
    """A value of the call cannot even be sent."""
    return DataRejected(f"{where}: {error}")
