"""Delivery of alerts: at least once, under a stable id, a bounded number of times."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner

from tests.delivery.receivers import HERE, Receiver, http_receiver
from windlass import Windlass
from windlass.admin.channel_tests import try_channels
from windlass.cli.main import program
from windlass.core.alerts.records import AlertRecord
from windlass.delivery import AlertMessage, Webhook
from windlass.delivery.attempt import TRIES
from windlass.store.operations.alerts.alerts import record
from windlass.store.operations.alerts.deliveries import DELIVERIES_AT_ONCE
from windlass.store.operations.upkeep.leader import LEADER, resign, take_lead
from windlass.testing import ManualClock
from windlass.worker.duties.alerts.delivery import AlertDelivery, UndeliverableAlerts, delivery_duties


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with http_receiver() as receiver:
        yield receiver


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(receiver: Receiver, clock: ManualClock) -> Iterator[Windlass]:
    hook = Webhook(receiver.url(), allow=[HERE], name="ops")
    with Windlass("sqlite:///:memory:", alerts=[hook], clock=clock) as app:
        yield app


def fire(app: Windlass, *channels: str, id: str = "01J8ZP3V1QK7D0C9R6T5M4N3B2", rule: str = "deep-2") -> None:
    """An alert, to be told by these channels."""
    alert = AlertRecord(
        id=id,
        rule=rule,
        subject="queue:mail",
        severity="critical",
        expression="queue_depth > 1000",
        message="1,204 jobs wait",
        readings='{"queue_depth": 1204}',
        state="firing",
        fired_at=app.client.now(),
    )
    lead = app.client.session.run(take_lead(LEADER, holder="a", ttl=10_000))
    app.client.session.run(record(lead, fired=[alert], deliveries=[(id, "fired", channel) for channel in channels]))
    app.client.session.run(resign(lead))


def delivery(app: Windlass, name: str = "ops") -> AlertDelivery:
    """Its rounds have all the time that they need."""
    return AlertDelivery(app.client.channels.named(name), session=app.client.session, monotonic=lambda: 0.0)


def test_what_is_due_is_delivered_once(app: Windlass, receiver: Receiver) -> None:
    """B22."""
    fire(app, "ops", "log")
    duty = delivery(app)
    assert duty.tick() > 0
    duty.tick()
    [request] = receiver.requests
    assert request.headers["Webhook-Id"] == "01J8ZP3V1QK7D0C9R6T5M4N3B2.fired"
    assert duty.did == "1 delivered, 0 failed"
    assert {one.channel: (one.state, one.tries) for one in app.alerts.deliveries()} == {
        "ops": ("delivered", 1),
        "log": ("waiting", 0),
    }


def test_a_leader_that_dies_before_it_could_say_so_delivers_again_under_the_same_id(
    app: Windlass, receiver: Receiver
) -> None:
    class Dies(Webhook):
        def send(self, message: AlertMessage) -> None:
            super().send(message)
            raise SystemExit  # killed before the store knows

    fire(app, "ops")
    with pytest.raises(SystemExit):
        AlertDelivery(Dies(receiver.url(), allow=[HERE], name="ops"), session=app.client.session).tick()
    delivery(app).tick()
    assert [request.headers["Webhook-Id"] for request in receiver.requests] == ["01J8ZP3V1QK7D0C9R6T5M4N3B2.fired"] * 2


def test_a_receiver_that_is_away_is_tried_again_later_and_given_up_at_last(
    app: Windlass, receiver: Receiver, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    fire(app, "ops")
    receiver.answers += [(503, {}, b"")] * 100
    duty = delivery(app)
    with caplog.at_level(logging.WARNING, logger="windlass.alerts"):
        for _ in range(TRIES + 3):
            duty.tick()
            duty.tick()  # not due yet
            clock.advance(3601)
    assert len(receiver.requests) == TRIES
    assert {request.headers["Webhook-Id"] for request in receiver.requests} == {"01J8ZP3V1QK7D0C9R6T5M4N3B2.fired"}
    [found] = app.alerts.deliveries()
    assert (found.state, found.tries) == ("failed", TRIES)
    assert found.last_error == f"http://{HERE}:{receiver.port} answered 503 Service Unavailable"
    assert [record.levelname for record in caplog.records] == ["WARNING"] * (TRIES - 1) + ["ERROR"]


def test_a_receiver_is_left_alone_for_as_long_as_it_asks(app: Windlass, receiver: Receiver, clock: ManualClock) -> None:
    fire(app, "ops")
    receiver.answers.append((429, {"Retry-After": "300"}, b""))
    duty = delivery(app)
    duty.tick()
    clock.advance(299)
    duty.tick()
    assert len(receiver.requests) == 1
    clock.advance(2)
    duty.tick()
    assert [one.state for one in app.alerts.deliveries()] == ["delivered"]


def test_a_channel_without_code_is_tried_and_shown(app: Windlass, clock: ManualClock) -> None:
    fire(app, "gone", "ops")
    duty = UndeliverableAlerts(app.client.channels, session=app.client.session)
    duty.tick()
    assert duty.did == "1 without a channel"
    by_channel = {one.channel: one for one in app.alerts.deliveries()}
    assert by_channel["gone"].last_error == "the process that leads has no channel 'gone': give it in alerts=[...]"
    assert (by_channel["gone"].state, by_channel["ops"].tries) == ("waiting", 0)


def test_a_channel_with_much_to_deliver_comes_back_at_once(app: Windlass, receiver: Receiver) -> None:
    for number in range(DELIVERIES_AT_ONCE + 1):
        fire(app, "log", id=f"01J8ZP3V1QK7D0C9R6T5M4{number:04}", rule=f"deep-{number}")
    duty = delivery(app, "log")
    assert (duty.tick(), duty.did) == (0.0, f"{DELIVERIES_AT_ONCE} delivered, 0 failed")
    assert duty.tick() > 0
    assert duty.did == "1 delivered, 0 failed"


def test_every_channel_has_a_duty_of_its_own_behind_the_leaders_term(app: Windlass) -> None:
    """A receiver that hangs delays nothing else: each duty has a thread."""
    duties = delivery_duties(app.client)
    assert [duty.name for duty in duties] == ["alerts by ops", "alerts by log", "alerts by none"]
    assert all(duty.needs_lead for duty in duties)


def test_channels_are_tried_by_hand(app: Windlass, receiver: Receiver) -> None:
    tests = app.alerts.test()
    assert [(test.channel, test.is_delivered) for test in tests] == [("ops", True), ("log", True)]
    receiver.answers.append((500, {}, b"no"))
    [test] = app.alerts.test("ops")
    assert test.error == f"http://{HERE}:{receiver.port} answered 500 Internal Server Error: no"
    first, second = (request.headers["Webhook-Id"] for request in receiver.requests)
    assert first != second
    assert app.alerts.deliveries() == []


def test_a_channel_that_hangs_does_not_hold_a_test_up() -> None:
    class Hangs:
        name = "hangs"

        def takes(self, *, severity: str, kind: str) -> bool:
            return True

        def send(self, message: AlertMessage) -> None:
            over.wait()

    over = Event()
    with Windlass("sqlite:///:memory:", alerts=[Hangs()]) as app:
        [test] = try_channels(app.client, "hangs", longest=0.05)
        over.set()
    assert test.error == "it did not come to an end within 0.05 s"


def test_the_leader_of_a_running_worker_delivers() -> None:
    told: list[str] = []

    class Told:
        name = "told"

        def takes(self, *, severity: str, kind: str) -> bool:
            return True

        def send(self, message: AlertMessage) -> None:
            told.append(message.title)
            arrived.set()

    arrived = Event()
    with Windlass("sqlite:///:memory:", alerts=[Told()]) as app:
        fire(app, "told")
        with app.worker(queues=["default"]):
            assert arrived.wait(60)
    assert told[0] == "[CRITICAL] deep-2 (queue mail): 1,204 jobs wait"


def test_the_command_line_tries_channels(tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """B22: the exit code says whether all were delivered, and no secret is printed."""
    monkeypatch.setenv("WINDLASS_ALERT_WEBHOOK", receiver.url("/services/hidden"))
    monkeypatch.setenv("WINDLASS_ALERT_ALLOW", HERE)
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    done = CliRunner().invoke(program, ["alerts", "test", "--url", url])
    assert (done.exit_code, done.output.splitlines()) == (0, ["webhook: delivered", "log: delivered"])
    receiver.answers.append((404, {}, b"no_service /services/hidden"))
    done = CliRunner().invoke(program, ["alerts", "test", "webhook", "--url", url])
    assert done.exit_code == 1
    assert "webhook: not delivered: http://127.0.0.1" in done.output
    assert "hidden" not in done.output
