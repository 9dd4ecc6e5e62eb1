"""Pages and buttons about alerts and their rules."""

from __future__ import annotations

from windlass.web.route import Route
from windlass.web.security.roles import Role
from windlass.web.site import alert_actions
from windlass.web.site.forms import alerts as alert_forms
from windlass.web.site.pages import alerts
from windlass.web.site.routes.rows import button, page

ALERTS: tuple[Route, ...] = (
    *page("/alerts", alerts.alerts, "Alerts and their history.", alerts.AlertsPageQuery, every=5),
    *page("/alerts/rules", alerts.alert_rules, "The rules of alerts.", alerts.RulesPageQuery, every=30),
    *page("/alerts/rules/{name}", alerts.alert_rule, "One rule of alerts.", every=30),
    button("/alerts/{id}/acknowledge", alert_actions.acknowledge, "alert.acknowledge", "Acknowledge an alert."),
    button("/alerts/{id}/resolve", alert_actions.resolve, "alert.resolve", "Resolve an alert."),
    button("/alerts/channels/{name}/test", alert_actions.try_channel, "alert.test", "Send a test message.", Role.ADMIN),
    button(
        "/alerts/rules",
        alert_forms.add_rule,
        "alert.add_rule",
        "Add a rule.",
        Role.ADMIN,
        form=alert_forms.RuleForm,
        again=alert_forms.form_again,
    ),
    button(
        "/alerts/rules/{name}",
        alert_forms.edit_rule,
        "alert.edit_rule",
        "Change a rule.",
        Role.ADMIN,
        form=alert_forms.RuleForm,
        again=alert_forms.form_again,
    ),
    button(
        "/alerts/rules/{name}/enable", alert_actions.enable_rule, "alert.edit_rule", "Switch a rule on.", Role.ADMIN
    ),
    button(
        "/alerts/rules/{name}/disable", alert_actions.disable_rule, "alert.edit_rule", "Switch a rule off.", Role.ADMIN
    ),
    button(
        "/alerts/rules/{name}/silence",
        alert_forms.silence_rule,
        "alert.silence_rule",
        "Deliver nothing of a rule for a time.",
        form=alert_forms.SilenceForm,
    ),
    button(
        "/alerts/rules/{name}/unsilence",
        alert_forms.unsilence_rule,
        "alert.unsilence_rule",
        "End the silence of a rule.",
    ),
    button("/alerts/rules/{name}/delete", alert_actions.delete_rule, "alert.delete_rule", "Delete a rule.", Role.ADMIN),
)
