"""A run in a child asks the store through its worker, and its own signal handlers may raise meanwhile."""

from __future__ import annotations

from functools import partial
from queue import SimpleQueue
from threading import Thread

import pytest

from tests.strikes import Strike, apart, sweep
from tests.waiting import PATIENCE
from windlass.store.operation import Answer, Call, Operation
from windlass.worker.executors.processes.child_side.messages import StoreAnswer, StoreCall
from windlass.worker.executors.processes.child_side.piped_store import PipedStore, Replies

pytestmark = pytest.mark.only_on("sqlite")  # no store is involved

OURS = ("windlass", "threading", "contextlib")


class Worker:
    """Answers each call with its name, on the thread that reads messages in a child."""

    def __init__(self) -> None:
        self.replies = Replies()
        self.store = PipedStore(self.replies, self._hear, seq=1)
        self._calls: SimpleQueue[StoreCall | None] = SimpleQueue()
        self._thread = Thread(target=self._answer, daemon=True)
        self._thread.start()

    def _hear(self, call: StoreCall) -> None:
        self._calls.put(call)

    def _answer(self) -> None:
        while (call := self._calls.get()) is not None:
            self.replies.put(StoreAnswer(call.number, {"name": [[call.name]]}))

    def is_heard(self) -> bool:
        """Whether all that was asked is answered, and nothing holds that thread up."""
        self._calls.put(None)
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()


def _ask(name: str) -> Operation[Answer]:
    answer = yield Call(name, {})
    return answer


def test_a_question_that_is_struck_anywhere_keeps_no_answer_from_the_child() -> None:
    def strike() -> None:
        for striker in sweep(*OURS):
            worker = Worker()
            told = striker.during(partial(worker.store.run, _ask("struck")))
            assert told is None or isinstance(told, Strike), (striker.struck, told)
            assert worker.is_heard(), striker.struck

    apart(strike)


def test_a_question_after_one_that_was_given_up_gets_its_own_answer() -> None:
    worker = Worker()
    given_up = worker.replies.expect()
    worker.replies.forget(given_up)
    worker.replies.put(StoreAnswer(given_up, {"name": [["given up"]]}))
    assert worker.store.run(_ask("next")) == {"name": [["next"]]}
    assert worker.is_heard()
