"""One child process, seen from its worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from windlass import clock
from windlass.worker.executors.child.board import Board
from windlass.worker.executors.child.main import Equipment, main
from windlass.worker.executors.child.wire import FromChild, Leave, Ready, Recall, ToChild, receive_answer, send_orders
from windlass.worker.run import Run, Stop

_SHORT = 0.005
_AHEAD = 16
"""How many orders a child that runs short jobs may have beyond the one it runs."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


class ChildProcess:
    """A process, its pipes, and the runs it was given. One thread listens to it and one writes to it, so that a child
    that is stuck holds nobody up.
    """

    def __init__(
        self,
        context: SpawnContext,
        *,
        worker: str,
        heard: Callable[[ChildProcess, list[FromChild]], None],
        died: Callable[[ChildProcess, str], None],
    ) -> None:
        self.runs: dict[int, Run] = {}
        """What it was given and has not answered, by seq, in order."""
        self.answered_count = 0
        self.is_up = False
        self.is_retiring = False
        self.is_leaving = False
        self._mean = 1.0
        self._heard = heard
        self._died = died
        self._board = Board(context)
        self._orders: SimpleQueue[list[ToChild] | None] = SimpleQueue()
        theirs, self._to_child = context.Pipe(duplex=False)
        self._from_child, answers = context.Pipe(duplex=False)
        equipment = Equipment(theirs, answers, self._board, os.getpid(), worker)
        self._process = context.Process(target=main, args=(equipment,), name="windlass-child", daemon=True)
        Thread(target=self._live, args=(theirs, answers), name="windlass-child", daemon=True).start()

    @property
    def is_open(self) -> bool:
        """Whether it may be given more."""
        return not (self.is_retiring or self.is_leaving)

    @property
    def most(self) -> int:
        """How many runs it may hold: one, or a few when they are short."""
        return 1 + _AHEAD if self.is_up and self._mean < _SHORT else 1

    def send(self, messages: list[ToChild]) -> None:
        self._orders.put(messages)

    def recall(self) -> None:
        """Ask for what it has not begun."""
        self.send([Recall()])

    def leave(self) -> None:
        """Have it end when it is done."""
        if not self.is_leaving:
            self.is_leaving = True
            self.send([Leave()])

    def ask_to_stop(self, run: Run, why: Stop) -> None:
        """Raise in the run, if it has begun; otherwise it will not begin."""
        self._board.want_stop(run.job.seq, why)
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def answered(self, seq: int, started: float | None) -> Run | None:
        """The run that this is the answer to."""
        self.answered_count += 1
        run = self.runs.pop(seq, None)
        if started is not None:
            self._mean += (clock.monotonic() - started - self._mean) / 8
        return run

    def note_start(self) -> None:
        """Tell the run that is under way that it has begun, and when."""
        run = self.runs.get(self._board.running)
        if run is not None and run.started is None and self._board.started:
            run.begin(self._board.started)

    def has_outstayed(self, now: float, patience: float) -> bool:
        """Whether a run goes on although it was asked to stop so long ago."""
        run = self.runs.get(self._board.running)
        return run is not None and run.stop is not None and now - run.stop_asked >= patience

    def holds_others_up(self, now: float, patience: float) -> bool:
        """Whether runs wait here behind one that turned out to be long."""
        if len(self.runs) < 2 or not self._board.running:
            return False
        if self._board.started and now - self._board.started < patience:
            return False
        self._mean = 1.0
        return True

    def memory(self) -> int:
        """Resident bytes, 0 where the system does not tell."""
        with suppress(OSError, ValueError, IndexError):
            return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * _PAGE
        return 0

    def victim(self) -> Run | None:
        """After its death: the run that was under way."""
        return self.runs.get(self._board.running)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, ValueError):  # gone already
            if self._process.pid is not None and self._process.is_alive():
                os.kill(self._process.pid, number)

    def _live(self, theirs: Connection, answers: Connection) -> None:
        """Start it, hear what it says until its end, and tell how it ended."""
        self._process.start()
        theirs.close()
        answers.close()
        Thread(target=self._write, name="windlass-orders", daemon=True).start()
        with suppress(EOFError, OSError):
            while True:
                self._heard(self, self._answers())
        self._orders.put(None)
        self._process.join()
        self._died(self, _how(self._process.exitcode))
        self._process.close()

    def _answers(self) -> list[FromChild]:
        """At least one answer, and all others that have come meanwhile."""
        answers = [receive_answer(self._from_child)]
        with suppress(EOFError, OSError):  # the next call meets the end again, with nothing left to hear
            while self._from_child.poll():
                answers.append(receive_answer(self._from_child))
        self.is_up = self.is_up or any(isinstance(answer, Ready) for answer in answers)
        return answers

    def _write(self) -> None:
        with suppress(OSError):  # its end is noticed where it is heard
            while (messages := self._orders.get()) is not None:
                send_orders(self._to_child, messages)
        self._to_child.close()


def _how(code: int | None) -> str:
    """
    >>> _how(-11), _how(3)
    ('was killed by SIGSEGV', 'exited with code 3')
    """
    if code is not None and code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"
