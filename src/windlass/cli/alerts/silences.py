"""``windlass alerts silence`` and ``unsilence``: deliver nothing of a rule for a time."""

from __future__ import annotations

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.alerts.rules import require_rule, rule_name
from windlass.cli.alerts.views import RuleDetail
from windlass.cli.app_option import with_app
from windlass.cli.output import Output, with_output
from windlass.client.config import actor


@click.command()
@rule_name
@click.option("--for", "duration", metavar="TIME", required=True, help="For how long, at most 30d: 2h.")
@click.option("--reason", metavar="TEXT", default="", help="Why; shown with the rule.")
@with_output
@with_app
@audited
def silence(app: Windlass, *, out: Output, name: str, duration: str, reason: str) -> None:
    """Deliver nothing of a rule for a time; it fires, and its alerts are recorded, as before."""
    require_rule(app, name)
    out.show(RuleDetail(app.alerts.silence_rule(name, duration, reason=reason, by=actor())))


@click.command()
@rule_name
@with_output
@with_app
@audited
def unsilence(app: Windlass, *, out: Output, name: str) -> None:
    """End the silence of a rule; alerts that still fire are delivered."""
    require_rule(app, name)
    out.show(RuleDetail(app.alerts.unsilence_rule(name)))
