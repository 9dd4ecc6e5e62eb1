"""Cursors: where the next page begins, opaque and signed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import Any, TypeVar

import msgspec

from windlass.web.problems import Problem, bad_input

T = TypeVar("T")

_SIGNATURE = 16
_LONGEST = 48 * 1024


class Cursors:
    """Writes and reads them. A cursor belongs to one list: that of another route, or under another filter, is refused.

    All processes of one installation need the same ``secret``. What a cursor holds is no secret, and a forged one could
    only ask for what may be asked anyway; the signature keeps callers from building on its inside.
    """

    def __init__(self, secret: bytes) -> None:
        self._key = hashlib.blake2b(secret, digest_size=32, person=b"windlass cursor").digest()

    def write(self, of: str, value: object) -> str:
        """A cursor of the list ``of``."""
        content = msgspec.json.encode(value)
        return _text(self._signature(of, content) + content)

    def read(self, of: str, text: str, kind: type[T]) -> T:
        """What a cursor holds; a ``Problem`` when it is none of the list ``of``."""
        try:
            if len(text) > _LONGEST:
                raise _not_ours()
            whole = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise _not_ours() from None
        if _text(whole) != text:  # several texts may stand for the same bytes
            raise _not_ours()
        signature, content = whole[:_SIGNATURE], whole[_SIGNATURE:]
        if not hmac.compare_digest(signature, self._signature(of, content)):
            raise _not_ours()
        return msgspec.json.decode(content, type=kind)

    def _signature(self, of: str, content: bytes) -> bytes:
        return hmac.digest(self._key, of.encode() + b"\0" + content, "sha256")[:_SIGNATURE]


def _text(whole: bytes) -> str:
    return base64.urlsafe_b64encode(whole).decode().rstrip("=")


def list_name(route: str, filter: Any) -> str:
    """The name of a list under a filter."""
    return f"{route} {hashlib.sha256(msgspec.json.encode(filter, order='sorted')).hexdigest()}"


def _not_ours() -> Problem:
    return bad_input("the cursor is not one of this list; take the next of the page before, as it is", field="cursor")
