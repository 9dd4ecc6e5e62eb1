"""The cause of a failure: what failures that have one fix have in common."""

from __future__ import annotations

import re
from hashlib import blake2b

from windlass.core.fault.fault import Fault
from windlass.core.fault.own_code import Frame, own_frame

_LONGEST = 200
_BYTES = 6
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`")
# Numbers, ids, addresses, hashes and instants are words that have a digit. What binds their parts belongs to them.
_WORD = re.compile(r"[\w.:/+@%#-]+")
_DIGIT = re.compile(r"\d")
_SPACE = re.compile(r"\s+")


def fingerprint(fault: Fault) -> str:
    """The same short text for all failures with the same cause: the type, the place in the user's own code, and the
    message without what differs from job to job.

    >>> from windlass.core.fault.fault import Fault
    >>> def failed(message):
    ...     return Fault(at=0, attempt=1, worker="w", type="KeyError", message=message)
    >>> fingerprint(failed("no user 17")) == fingerprint(failed("no user 4711")) != fingerprint(failed("no group 17"))
    True
    """
    parts = (fault.type, place_of(fault) or "", outline(fault.message))
    return blake2b("\n".join(parts).encode(), digest_size=_BYTES).hexdigest()


def place_of(fault: Fault) -> str | None:
    """Where it was raised: file and function of the innermost frame of the user's own code, else of the innermost.

    Without the line, which each edit of the file moves, and with the end of the path alone, which all hosts share.
    """
    frame = own_frame(fault.traceback)
    return None if frame is None else _written(frame)


def outline(message: str) -> str:
    """A message without numbers, ids and quoted parts, on one line.

    >>> outline("no row 'a-17' in table users after 3.5 s")
    'no row … in table users after … s'
    """
    text = _WORD.sub(_without_number, _QUOTED.sub("…", message[: 10 * _LONGEST]))
    return _SPACE.sub(" ", text).strip()[:_LONGEST]


def _without_number(word: re.Match[str]) -> str:
    return "…" if _DIGIT.search(word[0]) else word[0]


def _written(frame: Frame) -> str:
    path = re.split(r"[/\\]", frame.path)
    return f"{'/'.join(path[-2:])} in {frame.function}"
