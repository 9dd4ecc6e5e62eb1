"""Between an app and its store: what is asked, and a hand on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from threading import Event

from tests.waiting import PATIENCE
from windlass import Windlass
from windlass.core.records import Claimed
from windlass.store.answers import records
from windlass.store.caller.joined import Joined
from windlass.store.driver import ALL_TOPICS, Driver, News, Topic
from windlass.store.operation import Answer, Call

Before = Callable[[Call], None]
After = Callable[[Call, Answer], None]


class CallInterceptor:
    """A driver that hands every call on, and lets a test watch, hold up or spoil it."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.calls: Counter[str] = Counter()
        self.before: list[Before] = []
        """Called with each call before the store sees it; what it raises is the store's answer."""
        self.after: list[After] = []
        """Called when the store has committed; what it raises takes the answer's place."""

    @property
    def name(self) -> str:
        return self._driver.name

    @property
    def cycle_limit(self) -> int:
        return self._driver.cycle_limit

    @property
    def smallest_cycle(self) -> int:
        return self._driver.smallest_cycle

    def execute(self, call: Call) -> Answer:
        return self._hand_on(call, self._driver.execute)

    def store(self, call: Call) -> Answer:
        return self._hand_on(call, self._driver.store)

    def _hand_on(self, call: Call, carry_out: Callable[[Call], Answer]) -> Answer:
        self.calls[call.name] += 1
        for look in tuple(self.before):
            look(call)
        answer = carry_out(call)
        for see in tuple(self.after):
            see(call, answer)
        return answer

    def listen(
        self,
        heard: Callable[[Topic], None],
        *,
        filled: Callable[[str], None] | None = None,
        topics: Collection[Topic] = ALL_TOPICS,
    ) -> News:
        return self._driver.listen(heard, filled=filled, topics=topics)

    def notify(self, topic: Topic) -> None:
        self._driver.notify(topic)

    def join(self, connection: object) -> Joined:
        return self._driver.join(connection)

    def facts(self) -> dict[str, str]:
        return self._driver.facts()

    def exists(self) -> bool:
        return self._driver.exists()

    def make(self) -> None:
        self._driver.make()

    def migrate(self) -> list[str]:
        return self._driver.migrate()

    def migration_sql(self) -> str:
        return self._driver.migration_sql()

    def close(self) -> None:
        self._driver.close()


def intercept(app: Windlass) -> CallInterceptor:
    """Put a tap between an app and its store."""
    interceptor = CallInterceptor(app.client.session._driver)
    app.client.session._driver = interceptor
    return interceptor


class Hold:
    """Stops the first call of its kind until the test lets it go on."""

    def __init__(self, is_wanted: Callable[[Call, Answer], bool]) -> None:
        self._is_wanted = is_wanted
        self._reached = Event()
        self._released = Event()

    def before(self, call: Call) -> None:
        self.after(call, {})

    def after(self, call: Call, answer: Answer) -> None:
        if not self._reached.is_set() and self._is_wanted(call, answer):
            self._reached.set()
            assert self._released.wait(PATIENCE), f"nobody released the call {call.name!r}"

    def await_reached(self) -> None:
        assert self._reached.wait(PATIENCE), "no such call was made"

    def release(self) -> None:
        self._released.set()


def claims(call: Call, answer: Answer) -> bool:
    """Whether the call is a cycle that took jobs."""
    return call.name == "cycle" and bool(claimed(answer))


def claimed(answer: Answer) -> list[Claimed]:
    """What a cycle took."""
    return records(answer["claimed"], Claimed)
