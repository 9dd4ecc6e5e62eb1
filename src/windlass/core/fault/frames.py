"""Tracebacks as text."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable
from types import FrameType, TracebackType

from windlass.core.codec.stored_text.storable import storable
from windlass.core.fault.exceptions import line_of

_FRAMES = 50
_FIRST = 10
_LINE_BYTES = 2048
OUR_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep

_Frame = tuple[FrameType, int]


def render(exception: BaseException, related: Iterable[tuple[str, BaseException]]) -> str:
    """The exception first, then those related to it, in at most 50 frames together.

    Unlike Python's own order this puts the most important part first, where nothing is cut off.
    """
    try:
        return storable("\n".join(_blocks(exception, related)))
    except Exception:
        # Source lines come from the module's loader, which may be user code.
        return "<the traceback could not be rendered>"


def _blocks(exception: BaseException, related: Iterable[tuple[str, BaseException]]) -> list[str]:
    frames = _frames(exception.__traceback__)
    blocks = [_block(exception, frames, room=_FRAMES)]
    room = _FRAMES - len(frames)
    for relation, other in related:
        if room <= 0:
            break
        frames = _frames(other.__traceback__)
        blocks.append(f"{relation}\n\n{_block(other, frames, room=room)}")
        room -= len(frames)
    return blocks


def _block(exception: BaseException, frames: list[_Frame], *, room: int) -> str:
    head = ["Traceback (most recent call last):\n"] if frames else []
    return "".join([*head, *_lines(frames, room), storable(line_of(exception), _LINE_BYTES), "\n"])


def _frames(trace: TracebackType | None) -> list[_Frame]:
    """The frames from the outermost, without the leading ones of our own package: the user's code begins after them."""
    frames = list(traceback.walk_tb(trace))
    foreign = (index for index, (frame, _) in enumerate(frames) if not _is_ours(frame))
    return frames[next(foreign, 0) :]


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(OUR_FOLDER)


def _lines(frames: list[_Frame], room: int) -> list[str]:
    if len(frames) <= room:
        return _formatted(frames)
    first = min(_FIRST, room // 2)
    last = room - first
    mark = f"  [... {len(frames) - room} frames left out]\n"
    return [*_formatted(frames[:first]), mark, *_formatted(frames[-last:])]


def _formatted(frames: list[_Frame]) -> list[str]:
    return traceback.StackSummary.extract(iter(frames), capture_locals=False).format()
