"""The channels of an app."""

from __future__ import annotations

import logging

import pytest

from tests.delivery.receivers import message
from windlass import ConfigError, Windlass
from windlass.delivery import AlertMessage, Channel, Email, Log, Webhook
from windlass.delivery.attempt import TRIES, pause_after, try_to_send
from windlass.delivery.channels import Channels
from windlass.delivery.message import RESOLVED
from windlass.testing import manual


class Pager:
    """A channel of a user's."""

    name = "pager"

    def takes(self, *, severity: str, kind: str) -> bool:
        return severity == "critical" and kind == "fired"

    def send(self, message: AlertMessage) -> None:
        raise RuntimeError("the pager has password=hunter2")


def names(channels: Channels) -> list[str]:
    return [channel.name for channel in channels]


def test_alerts_are_always_logged() -> None:
    assert names(Channels(())) == ["log"]
    assert names(Channels([Log(severity="critical"), Pager()])) == ["log", "pager"]


def test_an_app_takes_channels_and_those_of_users() -> None:
    given: list[Channel] = [Webhook("https://example.org/hook"), Pager()]
    with Windlass("sqlite:///:memory:", alerts=given) as app:
        assert names(app.client.channels) == ["webhook", "pager", "log"]
        with manual(app):
            assert names(app.client.channels) == ["log"]  # a test reaches no people


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([Log(), Log()], "two channels have the same name"),
        (["https://example.org"], "alerts takes channels such as Webhook"),
        ([Log], "alerts takes channels such as Webhook"),
        ("https://example.org", "alerts takes a list of channels"),
        (7, "alerts takes a list of channels"),
    ],
)
def test_what_is_no_channel_is_rejected(given: object, error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        Windlass("sqlite:///:memory:", alerts=given)  # type: ignore[arg-type]  # wrong on purpose


def test_an_event_is_for_the_channels_of_its_rule_or_for_all_that_take_it() -> None:
    channels = Channels([Webhook("https://example.org/", severity="warning", resolved=False), Pager()])
    assert channels.names_for((), severity="info", kind="fired") == ["log"]
    assert channels.names_for((), severity="warning", kind="fired") == ["webhook", "log"]
    assert channels.names_for((), severity="critical", kind="fired") == ["webhook", "pager", "log"]
    assert channels.names_for((), severity="critical", kind="resolved") == ["log"]
    assert channels.names_for(["webhook", "gone"], severity="info", kind="fired") == ["webhook", "gone"]
    assert channels.names_for(["webhook", "gone"], severity="info", kind="resolved") == ["gone"]


def test_the_environment_names_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLASS_ALERT_WEBHOOK", "https://hooks.example.org/services/xyz")
    monkeypatch.setenv("WINDLASS_ALERT_WEBHOOK_SECRET", "the-new-secret-of-length the-old-secret-of-length")
    monkeypatch.setenv("WINDLASS_ALERT_WEBHOOK_BODY", "slack")
    monkeypatch.setenv("WINDLASS_ALERT_ALLOW", "10.0.0.0/8, 192.168.7.1")
    monkeypatch.setenv("WINDLASS_ALERT_EMAIL_TO", "ops@example.org, boss@example.org")
    monkeypatch.setenv("WINDLASS_ALERT_EMAIL_FROM", "windlass@example.org")
    monkeypatch.setenv("WINDLASS_ALERT_SMTP", "smtp://windlass@mail.example.org")
    found = list(Channels())
    assert [type(channel) for channel in found] == [Webhook, Email, Log]
    assert names(Channels([Pager()])) == ["pager", "log"]  # what code says counts
    monkeypatch.delenv("WINDLASS_ALERT_SMTP")
    with pytest.raises(ConfigError, match=r"EMAIL_TO needs \$WINDLASS_ALERT_EMAIL_FROM and \$WINDLASS_ALERT_SMTP"):
        Channels()
    monkeypatch.setenv("WINDLASS_ALERT_WEBHOK", "x")
    with pytest.raises(ConfigError, match="no variable WINDLASS_ALERT_WEBHOK; did you mean 'WEBHOOK'"):
        Channels()


def test_an_unknown_channel_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="there is no channel 'pagr'; did you mean 'pager'"):
        Channels([Pager()]).named("pagr")


def test_the_error_of_a_channel_of_a_users_is_redacted() -> None:
    assert str(try_to_send(Pager(), message())) == "RuntimeError: the pager has password=••••"


def test_the_log_tells_alerts_by_their_severity(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="windlass.alerts"):
        for severity in ("critical", "warning", "info"):
            Log().send(message(severity=severity))
        Log().send(message(kind=RESOLVED))
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING", "INFO", "INFO"]
    assert caplog.messages[3] == "[RESOLVED] depth (queue mail): 1,204 jobs wait"
    assert caplog.records[0].__dict__["event_id"] == "01J8ZP3V1QK7D0C9R6T5M4N3B2.fired"


def test_tries_are_bounded_and_spread_over_hours() -> None:
    pauses = [pause_after(tries, roll=0.5) for tries in range(1, TRIES)]
    assert pauses == sorted(pauses)
    assert 3600 < sum(pauses) < 6 * 3600
    assert pause_after(1, 999_999, roll=0.5) == 3600
