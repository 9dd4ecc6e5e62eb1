"""What a listener heard, for tests to wait for."""

from __future__ import annotations

from collections.abc import Collection
from queue import Empty, SimpleQueue

from windlass.store.driver import ALL_TOPICS, Topic

SECONDS = 20.0


class ReceivedTopics:
    """Remembers what it heard, in order."""

    def __init__(self) -> None:
        self._heard: SimpleQueue[Topic] = SimpleQueue()

    def __call__(self, topic: Topic) -> None:
        self._heard.put(topic)

    def next(self) -> Topic:
        return self._heard.get(timeout=SECONDS)

    def begins(self, topics: Collection[Topic] = ALL_TOPICS) -> None:
        """Wait for what every listener hears at its start, for it may have missed it before."""
        assert {self.next() for _ in topics} == set(topics)

    def is_silent(self) -> bool:
        try:
            self._heard.get_nowait()
        except Empty:
            return True
        return False
