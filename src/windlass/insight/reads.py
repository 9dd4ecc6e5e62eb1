"""What operators and jobs read, in one place: each function is imported when it is first called."""

# ruff: noqa: PLC0414  # an alias that repeats the name exports it

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.insight.access.audit import audit_page as audit_page
    from windlass.insight.access.tokens import token_views as token_views
    from windlass.insight.alerts.reads import alert_filter as alert_filter
    from windlass.insight.alerts.reads import alert_page as alert_page
    from windlass.insight.alerts.reads import delivery_views as delivery_views
    from windlass.insight.alerts.reads import find_alert as find_alert
    from windlass.insight.alerts.reads import firing_counts as firing_counts
    from windlass.insight.alerts.reads import rule_views as rule_views
    from windlass.insight.alerts.views import rule_view as rule_view
    from windlass.insight.diagnostics.code import check_code as check_code
    from windlass.insight.diagnostics.consistency import Consistency as Consistency
    from windlass.insight.diagnostics.consistency import examine as examine
    from windlass.insight.diagnostics.consistency import look_again as look_again
    from windlass.insight.diagnostics.doctor import diagnose as diagnose
    from windlass.insight.diagnostics.doctor import unreachable as unreachable
    from windlass.insight.diagnostics.failures import failure_groups as failure_groups
    from windlass.insight.diagnostics.mutes import mute_view as mute_view
    from windlass.insight.diagnostics.mutes import mute_views as mute_views
    from windlass.insight.diagnostics.unreadable import encrypted_texts as encrypted_texts
    from windlass.insight.diagnostics.unreadable import unreadable_texts as unreadable_texts
    from windlass.insight.figures.figures import figure_query as figure_query
    from windlass.insight.figures.figures import figures as figures
    from windlass.insight.flows.graph import flow_graph as flow_graph
    from windlass.insight.flows.relatives import every as every
    from windlass.insight.job_filter import filter_for as filter_for
    from windlass.insight.job_filter import filter_of as filter_of
    from windlass.insight.job_page import job_page as job_page
    from windlass.insight.limits.keys import busy_keys as busy_keys
    from windlass.insight.limits.keys import concurrency_view as concurrency_view
    from windlass.insight.limits.keys import concurrency_views as concurrency_views
    from windlass.insight.limits.limits import limit_views as limit_views
    from windlass.insight.limits.tasks import task_rate_view as task_rate_view
    from windlass.insight.limits.tasks import task_rate_views as task_rate_views
    from windlass.insight.overview import overview as overview
    from windlass.insight.timeline import detail_of as detail_of
    from windlass.insight.timeline import timeline as timeline
    from windlass.insight.why.why import why as why
    from windlass.insight.workers import worker_views as worker_views
else:
    from windlass.lazy import lazy_names

    __getattr__ = lazy_names(
        __name__,
        {
            "Consistency": "windlass.insight.diagnostics.consistency",
            "alert_filter": "windlass.insight.alerts.reads",
            "alert_page": "windlass.insight.alerts.reads",
            "audit_page": "windlass.insight.access.audit",
            "busy_keys": "windlass.insight.limits.keys",
            "check_code": "windlass.insight.diagnostics.code",
            "concurrency_view": "windlass.insight.limits.keys",
            "concurrency_views": "windlass.insight.limits.keys",
            "delivery_views": "windlass.insight.alerts.reads",
            "detail_of": "windlass.insight.timeline",
            "diagnose": "windlass.insight.diagnostics.doctor",
            "encrypted_texts": "windlass.insight.diagnostics.unreadable",
            "every": "windlass.insight.flows.relatives",
            "examine": "windlass.insight.diagnostics.consistency",
            "failure_groups": "windlass.insight.diagnostics.failures",
            "figure_query": "windlass.insight.figures.figures",
            "figures": "windlass.insight.figures.figures",
            "filter_for": "windlass.insight.job_filter",
            "filter_of": "windlass.insight.job_filter",
            "find_alert": "windlass.insight.alerts.reads",
            "firing_counts": "windlass.insight.alerts.reads",
            "flow_graph": "windlass.insight.flows.graph",
            "job_page": "windlass.insight.job_page",
            "limit_views": "windlass.insight.limits.limits",
            "look_again": "windlass.insight.diagnostics.consistency",
            "mute_view": "windlass.insight.diagnostics.mutes",
            "mute_views": "windlass.insight.diagnostics.mutes",
            "overview": "windlass.insight.overview",
            "rule_view": "windlass.insight.alerts.views",
            "rule_views": "windlass.insight.alerts.reads",
            "task_rate_view": "windlass.insight.limits.tasks",
            "task_rate_views": "windlass.insight.limits.tasks",
            "timeline": "windlass.insight.timeline",
            "token_views": "windlass.insight.access.tokens",
            "unreachable": "windlass.insight.diagnostics.doctor",
            "unreadable_texts": "windlass.insight.diagnostics.unreadable",
            "why": "windlass.insight.why.why",
            "worker_views": "windlass.insight.workers",
        },
    )
