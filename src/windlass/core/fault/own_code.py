"""Finds the user's own frames in a traceback."""

from __future__ import annotations

import re
import sysconfig
from itertools import chain
from typing import NamedTuple

from windlass.core.fault.frames import OUR_FOLDER

_FRAME = re.compile(r'  File "(.*)", line \d+, in (.*)')
_LIBRARIES = "  Called through these libraries:\n"
_INSTALLED = re.compile(r"[/\\](site|dist)-packages[/\\]|^<frozen ")
_STANDARD = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})


class Frame(NamedTuple):
    """A frame of a traceback."""

    path: str
    function: str


def own_frame(traceback: str) -> Frame | None:
    """The innermost frame of the user's own code in the first exception; without one the innermost of all."""
    first = traceback.split("\n\n", 1)[0]
    frames = [Frame(*found.groups()) for found in map(_FRAME.match, first.splitlines()) if found is not None]
    own = [frame for frame in frames if is_own_path(frame.path)]
    return next(reversed(own or frames), None)


def own_code_first(traceback: str) -> str:
    """A traceback with the frames of the user's own code first. Where libraries were called by that code, and not the
    other way round, this is the order they have anyway.

    Only the first exception is put in order; what it was raised from stays as it is.
    """
    lines = traceback.splitlines(keepends=True)
    end = next((number for number, line in enumerate(lines) if number and not line.startswith("  ")), len(lines))
    head, body, rest = lines[:1], lines[1:end], lines[end:]
    frames = _frames(body)
    if len(frames) < 2 or not _FRAME.match(body[0]):
        return traceback
    last_own = max((number for number, frame in enumerate(frames) if _is_own(frame)), default=-1)
    before = [frame for frame in frames[: last_own + 1] if not _is_own(frame)]
    if not before:
        return traceback
    own = [frame for frame in frames[: last_own + 1] if _is_own(frame)]
    after = frames[last_own + 1 :]
    return "".join([*head, *chain(*own, *after), _LIBRARIES, *chain(*before), *rest])


def _frames(lines: list[str]) -> list[list[str]]:
    """The lines of each frame."""
    frames: list[list[str]] = []
    for line in lines:
        if _FRAME.match(line) or not frames:
            frames.append([])
        frames[-1].append(line)
    return frames


def _is_own(frame: list[str]) -> bool:
    match = _FRAME.match(frame[0])
    if match is None:
        return False
    return is_own_path(match[1])


def is_own_path(path: str) -> bool:
    """Whether a file is the user's own, not one of a library or of ours."""
    return not (_INSTALLED.search(path) or path.startswith((OUR_FOLDER, *_STANDARD)))
