"""Jobs, queues, workers and notices as values for JSON: one form each, for the command line and for HTTP.

- ``jobs``: Jobs, their timelines, steps and graphs.
- ``failures``: Failures by cause.
- ``access``: Tokens and the audit log.
- ``queues``: Queues and their settings.
- ``limits``: Limits, concurrency keys, rates of tasks and cool-downs.
- ``workers``: Workers.
- ``schedules``: Schedules and their fires.
- ``duties``: What duties have done.
- ``overview``: The state of the whole, and notices.
"""

from windlass.insight.json_forms.access import audit, token
from windlass.insight.json_forms.duties import cleaned, promoted, rescued
from windlass.insight.json_forms.failures import dead_groups, mute
from windlass.insight.json_forms.jobs import flow, job_detail, job_page, job_summary, last_error, timeline, why
from windlass.insight.json_forms.limits import (
    busy_keys,
    concurrencies,
    concurrency,
    cooldown,
    limit,
    limits,
    task_rate,
    task_rates,
)
from windlass.insight.json_forms.overview import notice, overview
from windlass.insight.json_forms.queues import pause, queue, queue_settings, queues
from windlass.insight.json_forms.schedules import fire, fired, preview, schedule, schedule_detail, schedules
from windlass.insight.json_forms.workers import leader, worker, workers

__all__ = [
    "audit",
    "busy_keys",
    "cleaned",
    "concurrencies",
    "concurrency",
    "cooldown",
    "dead_groups",
    "fire",
    "fired",
    "flow",
    "job_detail",
    "job_page",
    "job_summary",
    "last_error",
    "leader",
    "limit",
    "limits",
    "mute",
    "notice",
    "overview",
    "pause",
    "preview",
    "promoted",
    "queue",
    "queue_settings",
    "queues",
    "rescued",
    "schedule",
    "schedule_detail",
    "schedules",
    "task_rate",
    "task_rates",
    "timeline",
    "token",
    "why",
    "worker",
    "workers",
]
