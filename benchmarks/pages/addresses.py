"""Every page of the dashboard, as addresses in a filled store. The table of its routes says which there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

from starlette.responses import HTMLResponse

from benchmarks.pages.filling import QUEUES, RULE, SCHEDULE, TAG, TASKS, Filled
from windlass import State
from windlass.web.site.routes.table import PAGES

_PARAMETER = re.compile(r"\{\w+\}")
_FILTERS = (
    {"state": "completed"},
    {"state": "failed"},
    {"state": "pending"},
    {"queue": QUEUES[3]},
    {"task": TASKS[3]},
    {"tag": TAG},
    {"state": "failed", "queue": QUEUES[3]},
    {"text": "no job holds this text"},
    {"arg.number": "no job has this argument"},
)
"""Of the list of jobs; the last two are served by no index and find nothing."""


def addresses(filled: Filled) -> list[str]:
    """The paths of all pages, and of those that look back or filter several."""
    return [
        *_pages(filled),
        *(f"/jobs/{id}" for id in filled.jobs.values()),
        *(f"/jobs?{urlencode(filter)}" for filter in _FILTERS),
        *(f"/?range={range}" for range in ("24h", "7d")),
        f"/tasks?{urlencode({'range': '7d'})}",
        f"/queues/{QUEUES[0]}?{urlencode({'range': '7d'})}",
    ]


def _pages(filled: Filled) -> Iterator[str]:
    """Each page once; what its path begins with tells what stands in it, or what the page needs to know."""
    names = {
        "/jobs/": filled.jobs[State.FAILED],
        "/queues/": QUEUES[0],
        "/workers/": filled.worker,
        "/tasks/": TASKS[0],
        "/schedules/": SCHEDULE,
        "/alerts/rules/": RULE,
        "/bulk/": filled.change,
    }
    asked = {
        "/bulk/begin/": "?all=1",  # before many jobs are changed, they are counted: here all that there are
        "/failures/mute": "?group=0123456789ab",
        "/failures/cause": f"?task={filled.failed_task}",
    }
    for route in PAGES:
        if route.method != "GET" or route.answer is not HTMLResponse or route.role is None:
            continue
        if route.path.startswith("/archive/"):
            continue  # nothing is archived here; one look by id
        if not _PARAMETER.search(route.path):
            yield route.path + next((query for start, query in asked.items() if route.path.startswith(start)), "")
        else:
            name = next((name for start, name in names.items() if route.path.startswith(start)), None)
            if name is None:
                raise RuntimeError(f"page {route.path} is not measured: name one of its things in {__name__}")
            yield _PARAMETER.sub(name, route.path)
