"""The messages between worker and helper: one line of JSON each way."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import msgspec

from windlass.active_job import running
from windlass.core.codec import storable
from windlass.errors import Duration, HelperFailed, PermanentError, RetryableError, Snooze

log = logging.getLogger("windlass.helper")

_SHOWN = 200
_LONGEST_LINE = 8 * 1024


class Question(msgspec.Struct, frozen=True):
    """One job, as the helper reads it."""

    task: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    id: str | None
    """The job's; None when the task is called outside a job."""
    attempt: int

    def line(self) -> bytes:
        try:
            return msgspec.json.encode(self) + b"\n"
        except (TypeError, ValueError) as error:
            raise PermanentError(f"the arguments have no form in JSON: {error}") from error


class Answer(msgspec.Struct, frozen=True):
    """The helper's answer: a result, an error and whether to retry, or a delay after which to ask again."""

    result: Any = msgspec.UNSET
    error: str | msgspec.UnsetType = msgspec.UNSET
    retry: bool = True
    delay: float | str | None = None
    snooze: float | str | None = None

    def value(self) -> Any:
        """The result; an error or a delay is raised."""
        if self.snooze is not None:
            raise Snooze(self.snooze)
        if self.error is msgspec.UNSET:
            return self.result
        raise _raised(self.error, self.delay) if self.retry else PermanentError(self.error)


def question(task: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Question:
    """The call of a task on this thread, with the job that it belongs to."""
    run = running.get()
    if run is None:
        return Question(task, args, kwargs, None, 1)
    return Question(task, args, kwargs, run.active.id, run.active.attempt)


def read_answer(line: bytes) -> Answer:
    """Parse a line; ``HelperFailed`` if it is not an answer.

    >>> read_answer(b'{"result": 3}').value()
    3
    """
    try:
        answer = msgspec.json.decode(line, type=Answer)
    except (msgspec.MsgspecError, ValueError) as error:
        shown = storable(line[:_SHOWN].decode(errors="replace"))
        raise HelperFailed(f"it said something that is no answer ({error}): {shown!r}") from None
    if answer.result is answer.error is msgspec.UNSET and answer.snooze is None:
        raise HelperFailed(f"its answer has neither result nor error nor snooze: {line[:_SHOWN]!r}")
    return answer


class StderrLog:
    """Logs what a helper writes to stderr, line by line: in the log of the current job, or in the worker's between
    jobs.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._unended = b""

    def add(self, chunk: bytes) -> None:
        *lines, self._unended = (self._unended + chunk).split(b"\n")
        for line in lines:
            self._say(line)
        if len(self._unended) > _LONGEST_LINE:
            self.flush()

    def flush(self) -> None:
        """Log an unfinished line."""
        if self._unended:
            self._say(self._unended)
            self._unended = b""

    def _say(self, line: bytes) -> None:
        text = storable(line.decode(errors="replace"), _LONGEST_LINE)
        run = running.get()
        if run is None:
            log.info("helper %s: %s", self._name, text)
        else:
            run.printed(f"{text}\n")


def _raised(error: str, delay: Duration | None) -> Exception:
    return HelperFailed(error) if delay is None else RetryableError(error, delay=delay)
