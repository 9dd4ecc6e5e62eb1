"""Tracebacks with own code open and libraries folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from windlass.core.fault import Fault
from windlass.core.fault.own_code import is_own_path
from windlass.insight.redact import redacted_text

_FRAME = re.compile(r'  File "(?P<path>.*)", line (?P<line>\d+), in (?P<function>.*)')
_STANDARD = re.compile(r"[/\\]lib(64)?[/\\]python3[.\d]*[/\\]", re.IGNORECASE)
_HEADER = "Traceback (most recent call last):"
_CARETS = re.compile(r"^[\s~^]+$")
_MOST_TEXT = 20_000
_PARTS_OF_PATH = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """One call."""

    place: str
    """The end of the path, the line and the function."""
    path: str
    source: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """Frames that are shown together, or a line between them."""

    kind: str
    """``own``, ``library`` or ``text``."""
    frames: Sequence[Frame] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Traceback:
    """What one attempt raised, secrets masked."""

    error: str
    causes: Sequence[str]
    stretches: Sequence[Stretch]
    whole: str
    """As text, to be copied."""


def traceback_of(fault: Fault) -> Traceback:
    """The traceback of a fault, with the calls of own code apart from those of libraries."""
    whole = redacted_text(fault.traceback[:_MOST_TEXT])
    error = f"{fault.type}: {fault.message}" if fault.message else fault.type
    return Traceback(
        error=redacted_text(error[:_MOST_TEXT]),
        causes=[redacted_text(cause[:_MOST_TEXT]) for cause in fault.cause],
        stretches=list(_stretches(whole, error.splitlines()[0] if error else "")),
        whole=whole,
    )


def _stretches(text: str, error: str) -> Iterator[Stretch]:
    """The frames, those of libraries folded; where none is own, the innermost is open."""
    found = _with_one_open(list(_read(text, error)))
    for kind, some in groupby(found, key=_kind):
        entries = list(some)
        if kind == "text":
            yield from (Stretch("text", text=entry) for entry in entries if isinstance(entry, str))
        else:
            yield Stretch(kind, [entry for entry in entries if isinstance(entry, Frame)])


def _kind(entry: Frame | str) -> str:
    return "text" if isinstance(entry, str) else "own" if entry.is_own else "library"


def _with_one_open(found: list[Frame | str]) -> list[Frame | str]:
    frames = [number for number, entry in enumerate(found) if isinstance(entry, Frame)]
    if frames and not any(isinstance(entry, Frame) and entry.is_own for entry in found):
        last = found[frames[-1]]
        assert isinstance(last, Frame)
        found[frames[-1]] = Frame(last.place, last.path, last.source, is_own=True)
    return found


def _read(text: str, error: str) -> Iterator[Frame | str]:
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        match = _FRAME.fullmatch(line)
        if match is None:
            if line.strip() and line != _HEADER and not error.startswith(line[:200]):
                yield line.strip()
            continue
        source: list[str] = []
        while at < len(lines) and lines[at].startswith("    "):
            if not _CARETS.match(lines[at]):
                source.append(lines[at].strip())
            at += 1
        path = match["path"]
        is_own = is_own_path(path) and not _STANDARD.search(path)
        yield Frame(f"{_end_of(path)}:{match['line']} in {match['function']}", path, "\n".join(source), is_own)


def _end_of(path: str) -> str:
    """
    >>> _end_of("/srv/shop/app/billing/capture.py"), _end_of("capture.py")
    ('app/billing/capture.py', 'capture.py')
    """
    return "/".join(re.split(r"[/\\]", path)[-_PARTS_OF_PATH:])
