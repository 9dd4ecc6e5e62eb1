"""What a process tells the store about the schedules of its code."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps
from tests.waiting import eventually
from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import Windlass
from windlass.store.operations.schedules.versions import KEEP_EVERY, versions
from windlass.testing import ManualClock
from windlass.worker.duties.schedules.declaration import DeclaredSchedules

pytestmark = pytest.mark.only_on("sqlite")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(new_app: Apps, clock: ManualClock) -> Windlass:
    return new_app(clock=clock)


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    return intercept(app)


def declared(app: Windlass) -> list[str]:
    """What each version of the code has declared."""
    _, known = app.client.session.run(versions())
    return [one.declared for one in known]


def hourly(app: Windlass, name: str = "hourly") -> None:
    app.every("1h", name=name)(app.task(name=name)(_nothing))


def _nothing() -> None: ...


def test_schedules_are_declared_once_and_then_kept(app: Windlass, clock: ManualClock) -> None:
    """B16: the version lives for as long as its processes do."""
    hourly(app)
    duty = DeclaredSchedules(app.client)
    assert duty.tick() == KEEP_EVERY / 1000
    [text] = declared(app)
    assert '"hourly"' in text
    clock.advance("30s")
    duty.tick()
    _, [version] = app.client.session.run(versions())
    assert version.seen_at - version.first_seen == 30_000
    assert duty.did == "declared 1"


def test_a_version_that_was_forgotten_is_declared_again(app: Windlass, clock: ManualClock) -> None:
    hourly(app)
    duty = DeclaredSchedules(app.client)
    duty.tick()
    clock.advance("40d")
    with Windlass(app.url, namespace=app.client.namespace, clock=clock) as other:
        hourly(other, "other")
        DeclaredSchedules(other.client).tick()
    duty.tick()
    assert len(declared(app)) == 2


def test_code_without_schedules_says_so_where_the_store_has_some(app: Windlass) -> None:
    """B16: its version may have removed them."""
    app.task(name="noop")(_nothing)
    duty = DeclaredSchedules(app.client)
    assert duty.tick() > 1000
    assert declared(app) == []
    app.add_schedule("by-hand", "noop", every="1h")
    duty.tick()
    assert declared(app) == ["{}"]


def test_a_program_without_tasks_declares_nothing(app: Windlass) -> None:
    """B16: an operator's program removes no schedule."""
    app.add_schedule("by-hand", "noop", every="1h")
    with Windlass(app.url) as operator:
        DeclaredSchedules(operator.client).tick()
    assert declared(app) == []


def test_a_worker_without_duties_declares_too(app: Windlass) -> None:
    """B16."""
    hourly(app)
    with app.worker(duties=False):
        eventually(lambda: len(declared(app)) == 1, "it has declared its schedule")


def test_a_worker_that_has_no_schedules_asks_once(app: Windlass, interceptor: CallInterceptor) -> None:
    """The cost at rest is nothing."""
    app.task(name="noop")(_nothing)
    DeclaredSchedules(app.client).tick()
    assert interceptor.calls == {"schedule_list": 1}
