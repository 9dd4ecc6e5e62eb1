"""``windlass alerts``: lists, shows, acknowledges, resolves."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.alerts.rules import rules
from windlass.cli.alerts.silences import silence, unsilence
from windlass.cli.alerts.views import AlertDetail, AlertList, ChannelTests, DeliveryList
from windlass.cli.app_option import with_app
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.times import now
from windlass.client.config import actor
from windlass.core.alerts.records import AlertState, Severity
from windlass.core.units import read_past

_id = click.argument("id", metavar="ALERT")


@click.group()
def alerts() -> None:
    """Look at alerts, acknowledge and resolve them, change their rules."""


alerts.add_command(rules)
alerts.add_command(silence)
alerts.add_command(unsilence)


@alerts.command("list")
@click.option("--state", multiple=True, type=click.Choice([str(one) for one in AlertState]), help="In this state.")
@click.option("--open", "is_open", is_flag=True, help="Those that fire or are acknowledged.")
@click.option("--severity", type=click.Choice([str(one) for one in Severity]), help="Of this severity.")
@click.option("--rule", metavar="NAME", help="Of this rule.")
@click.option("--since", metavar="TIME", help="Fired since then: 2h, or an instant with its zone.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000))
@click.option("--cursor", help="The `next` of the page before.")
@with_output
@with_app
@watching
def list_alerts(
    app: Windlass,
    *,
    out: Output,
    state: tuple[str, ...],
    is_open: bool,
    severity: str | None,
    rule: str | None,
    since: str | None,
    limit: int,
    cursor: str | None,
) -> None:
    """List alerts, the newest first."""
    states = [*state, *([AlertState.FIRING.value, AlertState.ACKNOWLEDGED.value] if is_open else [])]
    moment = None if since is None else read_past(since, "--since", now=now())
    page = app.alerts.list(state=states, severity=severity, rule=rule, since=moment, limit=limit, cursor=cursor)
    out.show(AlertList(page))


@alerts.command()
@_id
@with_output
@with_app
def show(app: Windlass, *, out: Output, id: str) -> None:
    """Show one alert: what was found, and what became of it. The beginning of its id is enough."""
    out.show(AlertDetail(app.alerts.get(id)))


@alerts.command()
@_id
@with_output
@with_app
@audited
def ack(app: Windlass, *, out: Output, id: str) -> None:
    """Acknowledge an alert: say that a person looks after it."""
    out.show(AlertDetail(app.alerts.acknowledge(id, by=actor())))


@alerts.command()
@_id
@with_output
@with_app
@audited
def resolve(app: Windlass, *, out: Output, id: str) -> None:
    """Resolve an alert by hand; its rule fires again after its cool-down, if it still holds."""
    out.show(AlertDetail(app.alerts.resolve(id, by=actor())))


@alerts.command("test")
@click.argument("channel", metavar="[CHANNEL]", required=False)
@with_output
@with_app
def try_channels(app: Windlass, *, out: Output, channel: str | None) -> None:
    """Send a test message by one channel, or by all; exit code 1 if one was not delivered."""
    tests = app.alerts.test(channel)
    out.show(ChannelTests(tests))
    if not all(test.is_delivered for test in tests):
        raise SystemExit(1)


@alerts.command()
@click.option("--failed", is_flag=True, help="Only those that were given up.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000))
@with_output
@with_app
def deliveries(app: Windlass, *, out: Output, failed: bool, limit: int) -> None:
    """List what was delivered of alerts, what still waits, and what was given up."""
    out.show(DeliveryList(app.alerts.deliveries(failed=failed, limit=limit)))
