"""Why a value cannot be stored or rebuilt, and where in the value."""

from __future__ import annotations

import reprlib

from windlass.errors import PayloadError

_SHOWN_STEPS = 8


class Rejection(Exception):
    """Raised at the offending value; each container on the way out adds the step that led to it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self._steps: list[str] = []

    def at_index(self, index: int) -> None:
        self._steps.append(f"[{index}]")

    def at_key(self, key: object) -> None:
        """Only plain keys are shown: the ``repr`` of others is user code."""
        if type(key) is str and key.isidentifier() and len(key) <= 40:
            self._steps.append(f".{key}")
        elif type(key) is str or type(key) is int:
            self._steps.append(f"[{reprlib.repr(key)}]")
        else:
            self._steps.append(f"[{type(key).__qualname__} key]")

    def in_set(self) -> None:
        self._steps.append("{...}")

    def error(self, subject: str) -> PayloadError:
        """The error for the caller; ``subject`` names the argument, the result or the metadata."""
        path = f" (at {self._path()})" if self._steps else ""
        return PayloadError(f"{subject}{path}: {self.reason}")

    def _path(self) -> str:
        steps = self._steps[::-1]
        if len(steps) > _SHOWN_STEPS:
            steps[_SHOWN_STEPS // 2 : -_SHOWN_STEPS // 2] = ["..."]
        return "".join(steps)
