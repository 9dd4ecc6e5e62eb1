"""Exceptions from outside at many places of what an app offers: Ctrl-C, a signal handler that raises.

Wherever they strike, nothing stays held: other threads of the process and other processes go on. The same of the calls
of each store: ``tests/store/test_strikes.py``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from threading import Thread

import pytest

from tests.ledger.apps import Apps
from tests.strikes import Strike, Striker, apart, sweep, without_standstill
from tests.waiting import PATIENCE
from windlass import (
    ActiveJob,
    AppClosed,
    JobTimeout,
    LimitTimeout,
    StepRejected,
    StoreUnavailable,
    Unique,
    Windlass,
    group,
    this_job,
)
from windlass.core.figures.refusals import Refusals
from windlass.errors import ReentrantCall
from windlass.integrations.opentelemetry_metrics import _Names as MetricNames
from windlass.store.connection.circuit_breaker import Away, CircuitBreaker
from windlass.store.connection.notifier import Notifier
from windlass.store.driver import Topic

OURS = ("windlass", "threading", "contextlib", "concurrent")
STEP = 3

pytestmark = [
    pytest.mark.only_on("sqlite"),
    # An exception between the opening of a connection and our taking hold of it leaves it to the interpreter to close.
    pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning"),
]


@pytest.fixture(autouse=True)
def _garbage_is_collected() -> Iterator[None]:
    """Here, not in the middle of another test, which would be blamed for it."""
    yield
    gc.collect()


class Shop:
    """What users do."""

    def __init__(self, app: Windlass) -> None:
        self.app = app
        self._numbers = count()
        self.noop = app.task(_noop)
        self._replacing = self.noop.options(unique=Unique(on_conflict="replace"), delay="1h")
        self._later = self.noop.options(delay="1h").enqueue()
        self._wide = app.limit("wide", rate="1000/s", burst=100_000)
        self._narrow = app.limit("narrow", rate="1/h", burst=1)
        self._narrow.try_acquire()

    def replace(self) -> None:
        self._replacing.enqueue(1)

    def wait_for_parents(self) -> None:
        self.noop.options(after=[self._later], id=f"{next(self._numbers)}", tags=["child"]).enqueue()

    def group(self) -> None:
        group([self.noop.request(1), self.noop.request(2)]).then(self.noop.request()).enqueue()

    def send(self) -> None:
        self.app.send("paid", 1)

    def take_a_token(self) -> None:
        self._wide.acquire()

    def wait_for_a_token(self) -> None:
        """In vain, which a store thread tells the store."""
        with suppress(LimitTimeout):
            self._narrow.acquire(timeout=0.01)

    def wait_for_a_result(self) -> None:
        with suppress(JobTimeout):
            self._later.wait(timeout=0.01)

    def claim(self) -> None:
        self.noop.enqueue()
        for job in self.app.claim(3):
            job.complete()

    def cancel(self) -> None:
        self.noop.options(delay="1h").enqueue().cancel()

    def pause(self) -> None:
        self.app.queue("other").pause()
        self.app.queue("other").resume()

    def look(self) -> None:
        self.app.overview()
        self._later.why()


def _noop(number: int = 0) -> int:
    return number


def check_others_go_on(shop: Shop, rival: Shop) -> None:
    """On another thread: who left a lock taken may be let in again."""
    thread = Thread(target=shop.noop.enqueue, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    rival.noop.enqueue()


@pytest.mark.parametrize(
    ("deed", "step"),
    [
        (Shop.replace, STEP),
        (Shop.wait_for_parents, STEP),
        (Shop.group, STEP),
        (Shop.send, STEP),
        (Shop.take_a_token, STEP),
        (Shop.wait_for_a_token, 1),
        (Shop.claim, STEP),
        (Shop.cancel, STEP),
        (Shop.pause, STEP),
        (Shop.look, 10 * STEP),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_struck_anywhere_leaves_nothing_held(
    app: Windlass, new_app: Apps, deed: Callable[[Shop], None], step: int
) -> None:
    shop, rival = Shop(app), Shop(new_app())
    deed(shop)

    def strike() -> None:
        for striker in sweep(*OURS, step=step):
            told = striker.during(lambda: deed(shop))
            assert told is None or isinstance(told, Strike), (striker.struck, told)
            check_others_go_on(shop, rival)

    apart(strike)
    deed(shop)


def test_a_step_that_is_struck_anywhere_leaves_nothing_held(app: Windlass, new_app: Apps) -> None:
    shop, rival = Shop(app), Shop(new_app())

    @app.task
    def stepping(*, job: ActiveJob = this_job) -> str:
        for place, striker in enumerate(sweep(*OURS, step=STEP)):
            told = striker.during(lambda place=place: _step(job, place))  # type: ignore[misc]
            assert told is None or isinstance(told, Strike | StepRejected), (striker.struck, told)
            check_others_go_on(shop, rival)
        return job.step("last", str, "done")

    with app.worker(["stepping"]):
        assert stepping.options(queue="stepping").enqueue().result(timeout=PATIENCE) == "done"


def _step(job: ActiveJob, place: int) -> None:
    job.step(f"{place}", _noop, place)
    job.progress(0.5, f"{place}")


class Handled(Striker):
    """Runs a signal handler at the place, which must not wait for what it has interrupted."""

    def __init__(self, place: int, handler: Callable[[], object]) -> None:
        super().__init__(place, modules=OURS)
        self._handler = handler

    def _strike(self) -> None:
        with suppress(ReentrantCall):
            self._handler()


@pytest.mark.parametrize(
    "handler", [Shop.send, Shop.wait_for_a_token, Shop.wait_for_a_result], ids=lambda call: call.__name__
)
@pytest.mark.parametrize(
    "deed", [Shop.replace, Shop.wait_for_a_token, Shop.wait_for_a_result], ids=lambda call: call.__name__
)
def test_a_signal_handler_never_waits_for_what_it_has_interrupted(
    app: Windlass, deed: Callable[[Shop], None], handler: Callable[[Shop], None]
) -> None:
    shop = Shop(app)
    deed(shop)

    def strike() -> None:
        for place in count(0, STEP):
            striker = Handled(place, lambda: handler(shop))
            assert striker.during(lambda: deed(shop)) is None, striker.struck
            if striker.struck is None:
                break
        assert place > 10 * STEP

    apart(strike)


def test_a_signal_handler_that_closes_the_app_never_waits_for_the_call_that_it_has_interrupted(new_app: Apps) -> None:
    def strike() -> None:
        for place in count(0, 5 * STEP):
            app = new_app()
            noop = app.task(_noop)
            noop.enqueue()
            striker = Handled(place, app.close)
            told = striker.during(noop.enqueue)
            assert told is None or isinstance(told, AppClosed), (striker.struck, told)
            app.close()
            if striker.struck is None:
                return

    without_standstill(strike)


def _is_away() -> None:
    raise Away("gone fishing")


def _try_in_vain() -> None:
    with suppress(StoreUnavailable):
        _BREAKER.reach(_is_away, deadline=0)


_BREAKER = CircuitBreaker("the store")
_NOTIFIER = Notifier(lambda topic: None)
_NAMES = MetricNames()
_REFUSALS = Refusals()


@pytest.mark.parametrize(
    "deed",
    [
        pytest.param(_try_in_vain, id="circuit breaker"),
        pytest.param(lambda: _NOTIFIER.notify(Topic.WORK), id="notifier"),
        pytest.param(lambda: _NOTIFIER.goes_along(Topic.WORK), id="notification that goes along"),
        pytest.param(lambda: _NAMES.attributes("mail", "send"), id="names of metrics"),
        pytest.param(lambda: _REFUSALS.add("mail", ["send"], now=0), id="refusals"),
    ],
)
def test_a_finaliser_may_come_to_a_lock_that_its_thread_has(deed: Callable[[], object]) -> None:
    """It may strike on any thread, also on ours, where no call is under way that would refuse another one."""

    def strike() -> None:
        for place in count():
            striker = Handled(place, deed)
            assert striker.during(deed) is None, striker.struck
            if striker.struck is None:
                return

    without_standstill(strike)
