"""Messages between a child and its worker stay whole, whatever strikes the child while it writes."""

from __future__ import annotations

from functools import partial
from multiprocessing import Pipe
from threading import Thread

import pytest

from tests.strikes import sweep
from tests.waiting import PATIENCE
from windlass.worker.executors.processes.child_side.messages import AnswerReader, Answers, FromChild, Progressed, Ready

pytestmark = pytest.mark.only_on("sqlite")  # no store is involved

_LARGE = "x" * 300_000
"""More than a pipe takes at once."""


class Worker:
    """Reads until the pipe is closed."""

    def __init__(self) -> None:
        ours, theirs = Pipe(duplex=False)
        self._ours, self.answers = ours, Answers(theirs)
        self._theirs = theirs
        self._heard: list[FromChild] = []
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def heard(self) -> list[int]:
        """The numbers of the messages of progress."""
        self._theirs.close()
        self._thread.join(PATIENCE)
        return [message.seq for message in self._heard if isinstance(message, Progressed)]

    def _read(self) -> None:
        reader = AnswerReader(self._ours.fileno())
        try:
            while True:
                self._heard += reader.read()
        except EOFError:
            pass
        finally:
            self._ours.close()  # what is written after a message that cannot be read fails, and does not wait


def test_a_message_that_is_struck_anywhere_is_whole_or_not_there() -> None:
    for striker in sweep(Answers.__module__):
        worker = Worker()
        struck = striker.during(partial(worker.answers.send, Progressed(1, 0.5, _LARGE)))
        worker.answers.send(Progressed(2, 0.5, ""))
        assert worker.heard() in ([2], [1, 2]), (striker.struck, struck)


def test_a_signal_handler_may_send_while_a_message_is_written() -> None:
    worker = Worker()

    class Handled(Answers):
        """The handler runs when a part of the message has been written."""

        def _write(self) -> None:
            if len(self._unwritten) > len(_LARGE):
                self.send(Progressed(2, 0.5, ""))
            super()._write()

    worker.answers = Handled(worker._theirs)
    worker.answers.send(Progressed(1, 0.5, _LARGE))
    worker.answers.send(Ready())
    assert worker.heard() == [1, 2]
