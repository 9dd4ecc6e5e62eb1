"""The thread that asks the store, so that keys answer while the store is slow or away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TypeAlias

from windlass.cli.output import View
from windlass.cli.top.snapshot import Snapshot
from windlass.cli.top.state import Act, Open
from windlass.errors import WindlassError
from windlass.threads.start import start_thread


@dataclass(frozen=True, slots=True)
class Looked:
    """The store as it is now."""

    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Read:
    """One row in full."""

    source: Open
    view: View


@dataclass(frozen=True, slots=True)
class Changed:
    """What was changed, in a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The store did not answer, or refused."""

    act: Act
    """What was asked for."""
    error: WindlassError


@dataclass(frozen=True, slots=True)
class Crashed:
    """A mistake of ours: it is raised on the main thread, which gives the terminal back first."""

    error: Exception


Answer: TypeAlias = "Looked | Read | Changed | Failed | Crashed"


class Reader:
    """Asks one thing after the other; ``wake`` is called after each answer."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._questions: SimpleQueue[tuple[Act, Callable[[], Answer]] | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer] = SimpleQueue()

    def start(self) -> None:
        start_thread(self._run, name="windlass-top")

    def stop(self) -> None:
        """Ask nothing more. A question that the store does not answer is not waited for."""
        self._questions.put(None)

    def ask(self, act: Act, question: Callable[[], Answer]) -> None:
        """Have ``question`` asked on the thread; ``act`` says what for."""
        self._questions.put((act, question))

    def answers(self) -> list[Answer]:
        """Those that have come since."""
        found: list[Answer] = []
        while True:
            try:
                found.append(self._answers.get_nowait())
            except Empty:
                return found

    def _run(self) -> None:
        while (asked := self._questions.get()) is not None:
            self._answers.put(_answer(*asked))
            self._wake()


def _answer(act: Act, question: Callable[[], Answer]) -> Answer:
    try:
        return question()
    except WindlassError as error:
        return Failed(act, error)
    except Exception as error:  # must not end in a thread that no reader of the screen sees
        return Crashed(error)
