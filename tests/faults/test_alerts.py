"""A leader that is killed between the firing of an alert and its delivery leaves it to the next one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.delivery.receivers import HERE, Receiver, http_receiver
from tests.faults.process import Process, Processes
from tests.waiting import eventually
from windlass import PermanentError, Windlass
from windlass.store.operations.upkeep.leader import LEADER, resign, take_lead


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Where the processes of a test deliver alerts."""
    with http_receiver() as receiver:
        monkeypatch.setenv("WINDLASS_ALERT_WEBHOOK", receiver.url())
        monkeypatch.setenv("WINDLASS_ALERT_ALLOW", HERE)
        yield receiver


@pytest.fixture
def failed_job(app: Windlass) -> None:
    """What a default rule, ``dead-letters``, fires for at once."""

    @app.task
    def broken() -> None:
        raise PermanentError("no")

    broken.enqueue()
    app.worker().run_until_empty()


def kill(process: Process, app: Windlass) -> None:
    """kill -9; and its lead is over, for which others would wait ten seconds."""
    process.kill()
    session = app.client.session
    lead = session.run(take_lead(LEADER, holder="test", ttl=1))
    session.run(resign(lead))


def event_ids(receiver: Receiver) -> list[str]:
    return [request.headers["Webhook-Id"] for request in receiver.requests]


def is_delivered(app: Windlass) -> bool:
    return {one.state for one in app.alerts.deliveries()} == {"delivered"}


@pytest.mark.usefixtures("failed_job")
def test_an_alert_that_was_recorded_and_not_delivered_is_delivered_by_the_next_leader(
    app: Windlass, processes: Processes, receiver: Receiver
) -> None:
    """B22: one firing, and its event arrives."""
    leader = processes.start("alerting", "recorded")
    leader.await_line("recorded")
    kill(leader, app)
    [alert] = app.alerts.list().alerts
    assert event_ids(receiver) == []
    processes.worker()
    eventually(lambda: is_delivered(app), "the next leader has delivered")
    assert set(event_ids(receiver)) == {f"{alert.id}.fired"}
    assert app.alerts.list().alerts == [alert], "fired once"


@pytest.mark.only_on("sqlite")
@pytest.mark.usefixtures("failed_job")
def test_an_alert_that_was_delivered_and_not_settled_is_delivered_again_under_the_same_id(
    app: Windlass, processes: Processes, receiver: Receiver
) -> None:
    """B22: at least once."""
    leader = processes.start("alerting", "sent")
    eventually(lambda: receiver.requests, "the leader has delivered")
    leader.await_line("holds alert_settle_delivery")
    kill(leader, app)
    processes.worker()
    eventually(lambda: is_delivered(app), "the next leader has delivered")
    [alert] = app.alerts.list().alerts
    assert event_ids(receiver) == [f"{alert.id}.fired"] * 2
