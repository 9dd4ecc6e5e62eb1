"""``windlass alerts rules``: lists, adds, edits, deletes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.alerts.views import RuleDetail, RuleList
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.errors import require_known
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.core.alerts.records import Severity
from windlass.core.validate import listed

rule_name = click.argument("name", metavar="RULE")
_OPTIONS = (
    click.option("--scope", metavar="SCOPE", help="all, queue, task (each by itself), queue:NAME or task:NAME."),
    click.option("--window", metavar="TIME", help="For how long it has to hold: 5m."),
    click.option("--severity", type=click.Choice([str(one) for one in Severity])),
    click.option("--cool-down", metavar="TIME", help="For how long it does not fire again after its end: 5m."),
    click.option("--channels", metavar="NAME,...", help="Which channels tell of it; all by default."),
    click.option("--description", metavar="TEXT"),
)


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def rules() -> None:
    """Look at the rules of alerts, add, edit and delete them, switch them on and off."""


@rules.command("list")
@with_output
@with_app
def list_rules(app: Windlass, *, out: Output) -> None:
    """List rules with their expressions."""
    out.show(RuleList(app.alerts.rules()))


@rules.command()
@rule_name
@with_output
@with_app
def show(app: Windlass, *, out: Output, name: str) -> None:
    """Show everything about one rule."""
    require_rule(app, name)
    out.show(RuleDetail(app.alerts.rule(name)))


@rules.command()
@rule_name
@click.argument("expression")
@_with_options
@click.option("--disabled", is_flag=True, help="Add it switched off.")
@with_output
@with_app
@audited
def add(app: Windlass, *, out: Output, name: str, expression: str, disabled: bool, **options: Any) -> None:
    """Add a rule: EXPRESSION is a condition such as 'error_rate > 5% and queue_depth > 1000'."""
    out.show(RuleDetail(app.alerts.add_rule(name, expression, enabled=not disabled, **_said(options))))


@rules.command()
@rule_name
@click.option("--expression", metavar="TEXT")
@_with_options
@with_output
@with_app
@audited
def edit(app: Windlass, *, out: Output, name: str, **options: Any) -> None:
    """Change a rule; code does not change it from then on."""
    changes = _said(options)
    if not changes:
        raise click.UsageError("nothing to change: say --expression, --window, --severity or another option")
    _change(app, out, name, **changes)


@rules.command()
@rule_name
@with_output
@with_app
@audited
def enable(app: Windlass, *, out: Output, name: str) -> None:
    """Switch a rule on."""
    _change(app, out, name, enabled=True)


@rules.command()
@rule_name
@with_output
@with_app
@audited
def disable(app: Windlass, *, out: Output, name: str) -> None:
    """Switch a rule off; its open alerts are resolved."""
    _change(app, out, name, enabled=False)


@rules.command()
@rule_name
@with_output
@with_confirmation
@with_app
@audited
def delete(app: Windlass, *, out: Output, confirm: Confirm, name: str) -> None:
    """Delete a rule; one that code declares does not come back by that."""
    require_rule(app, name)
    confirm(f"Delete rule {name}?")
    app.alerts.delete_rule(name)
    out.show(Message(f"deleted rule {name}", {"rule": name, "deleted": True}))


def require_rule(app: Windlass, name: str) -> None:
    """Raise unless there is a rule of this name."""
    require_known("rule", name, [rule.name for rule in app.alerts.rules()])


def _change(app: Windlass, out: Output, name: str, **changes: Any) -> None:
    require_rule(app, name)
    out.show(RuleDetail(app.alerts.edit_rule(name, **changes)))


def _said(options: dict[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in options.items() if value is not None}
    if "channels" in said:
        said["channels"] = listed(said["channels"])
    return said
