"""The bytes of a terminal as names of keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SEQUENCE = re.compile(r"\x1b(?:\[([0-9;]*)([A-Za-z~])|O([A-Za-z]))")
_HALF = re.compile(r"\x1b(?:\[[0-9;]*|O)?$")
_LETTERS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "Z": "back-tab"}
_NUMBERS = {"1": "home", "4": "end", "5": "page-up", "6": "page-down", "7": "home", "8": "end"}
_NAMED = {"\r": "enter", "\n": "enter", "\t": "tab", " ": "space", "\x7f": "backspace", "\x08": "backspace"}


class KeyDecoder:
    """Keeps the beginning of a sequence that arrives in pieces, as it may over a slow line.

    >>> decoder = KeyDecoder()
    >>> list(decoder.feed(b"q\\x1b[A\\x1b[")), list(decoder.feed(b"6~")), list(decoder.feed(b"\\x1b")), decoder.flush()
    (['q', 'up'], ['page-down'], [], ['escape'])
    """

    def __init__(self) -> None:
        self._left = ""

    @property
    def is_waiting(self) -> bool:
        """Whether the escape key was pressed, or a sequence has begun: which of the two a moment tells."""
        return bool(self._left)

    def feed(self, data: bytes) -> Iterator[str]:
        """The keys that are known now."""
        text = self._left + data.decode("utf-8", "replace")
        self._left = ""
        while text:
            if text[0] != "\x1b":
                yield _NAMED.get(text[0], text[0])
                text = text[1:]
            elif found := _SEQUENCE.match(text):
                if key := _key(found):
                    yield key
                text = text[found.end() :]
            elif _HALF.match(text):
                self._left, text = text, ""
            else:
                yield "escape"
                text = text[1:]

    def flush(self) -> list[str]:
        """Nothing followed: it was the escape key, and what came after it."""
        left, self._left = self._left, ""
        return ["escape"] if left else []


def _key(found: re.Match[str]) -> str | None:
    numbers, letter, other = found.groups()
    if other:
        return _LETTERS.get(other)
    return _NUMBERS.get(numbers.partition(";")[0]) if letter == "~" else _LETTERS.get(letter)
