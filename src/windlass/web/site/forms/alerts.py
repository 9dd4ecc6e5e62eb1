"""Forms of rules of alerts: add, edit, silence for a time."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import msgspec

from windlass.core.alerts.measures import MEASURES
from windlass.core.alerts.records import Severity
from windlass.core.validate import listed
from windlass.errors import ConfigError, IllegalTransition
from windlass.insight.alerts.views import AlertRuleView
from windlass.schedules.settings import interval_text
from windlass.web.etags import changed_meanwhile
from windlass.web.problems import Problem, not_found
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.done import Done, WayBack
from windlass.web.site.forms.form_page import typed
from windlass.web.site.forms.queues import Reason
from windlass.web.site.page import Page

_BEGINNINGS = {
    "rule name": "name",
    "there is an alert rule": "name",
    "channel name": "channels",
    "queue name": "scope",
    "task name": "scope",
}
"""The fields that messages speak of, by what they begin with where that is not the field's name."""


class RuleForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says of a rule."""

    expression: str = ""
    name: str = ""
    scope: str = "all"
    window: str = "5m"
    severity: str = "warning"
    cool_down: str = "5m"
    channels: str = ""
    """Names with commas between them."""
    description: str = ""
    revision: int = 0
    """Of the rule that the person has seen."""


class SilenceForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For how long, and why."""

    duration: str = ""
    reason: Reason = ""


async def add_rule(call: Call[Nothing, RuleForm]) -> Answer:
    """Add a rule."""
    try:
        rule = await call.app.alerts.aadd_rule(call.body.name.strip(), call.body.expression, **_said(call.body))
    except ConfigError as error:
        raise _refused(error, call.body) from None
    return Answer(rule_path(rule.name), target=rule.name)


async def edit_rule(call: Call[Nothing, RuleForm]) -> str:
    """Change a rule, unless another has changed it since it was read."""
    name, form = call.path["name"], call.body
    try:
        await call.app.alerts.aedit_rule(name, revision=form.revision, expression=form.expression, **_said(form))
    except IllegalTransition:
        raise changed_meanwhile() from None
    except ConfigError as error:
        raise _refused(error, form) from None
    return rule_path(name)


async def silence_rule(call: Call[Nothing, SilenceForm]) -> Done:
    """Deliver nothing of a rule for a time."""
    name, form = await _known(call), call.body
    await call.app.alerts.asilence_rule(name, form.duration.strip(), reason=form.reason.strip(), by=call.by)
    path = rule_path(name)
    return Done(path, f"Rule {name} is silent for now.", WayBack("End the silence", f"{path}/unsilence"))


async def unsilence_rule(call: Call[Nothing, None]) -> str:
    """End the silence of a rule."""
    name = await _known(call)
    await call.app.alerts.aunsilence_rule(name)
    return rule_path(name)


def form_again(call: Call[Nothing, RuleForm], problem: Problem) -> Page:
    """The form as it was sent, and what is wrong with it."""
    old = call.path.get("name", "")
    shown = {"given": typed(call.body), "old": old, "problem": problem, **editor(call)}
    title = f"Edit {old}" if old else "Add a rule"
    return Page("alert_rule_form.html", title, shown, here="/alerts", status=problem.status, is_live=False)


def editor(call: Call[Any, Any]) -> dict[str, object]:
    """What the fields of a rule show beside what is typed."""
    return {
        "severities": [(severity.value, severity.value) for severity in Severity],
        "measures": sorted(MEASURES),
        "channel_names": [channel.name for channel in call.app.alerts.channels()],
    }


def texts_of(rule: AlertRuleView | None) -> dict[str, Any]:
    """A rule as the form shows it; None for a new one."""
    if rule is None:
        return typed(RuleForm())
    return {
        "expression": rule.expression,
        "name": rule.name,
        "scope": rule.scope,
        "window": interval_text(rule.window),
        "severity": rule.severity.value,
        "cool_down": interval_text(rule.cool_down) if rule.cool_down else "0s",
        "channels": ", ".join(rule.channels),
        "description": rule.description,
        "revision": rule.revision,
    }


def rule_path(name: str) -> str:
    """The page of a rule."""
    return f"/alerts/rules/{quote(name, safe='')}"


def field_of(message: str, name: str) -> str | None:
    """The field of the form that a message is about.

    >>> field_of("rule 'deep': expression: position 3: ')' is not known", "deep"), field_of("it rains", "deep")
    ('expression', None)
    """
    text = message.removeprefix(f"rule {name!r}: ")
    first = text.partition(" ")[0].rstrip(":")
    if first in RuleForm.__struct_fields__:
        return first
    if text.endswith("use another scope"):
        return "scope"
    return next((field for begin, field in _BEGINNINGS.items() if text.startswith(begin)), None)


async def _known(call: Call[Any, Any]) -> str:
    name = call.path["name"]
    if name not in [rule.name for rule in await call.app.alerts.arules()]:
        raise not_found(f"no alert rule is called {name!r}")
    return name


def _refused(error: ConfigError, form: RuleForm) -> Problem:
    return Problem(422, "Not a rule", str(error), field=field_of(str(error), form.name.strip()))


def _said(form: RuleForm) -> Any:
    return {
        "scope": form.scope.strip(),
        "window": form.window.strip(),
        "severity": form.severity,
        "cool_down": form.cool_down.strip(),
        "channels": listed(form.channels),
        "description": form.description,
    }
