"""What the command box finds: pages, queues, tasks and jobs by a few letters."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlencode

import msgspec

from windlass.web.readings.counts import overview_of
from windlass.web.route import Call
from windlass.web.security.roles import Role
from windlass.web.site.actions import job_path
from windlass.web.site.page import NAVIGATION, base_of
from windlass.web.site.recent import Recent

_MOST = 12
_LONGEST = 200
_BESIDE = (("Alert rules", "/alerts/rules"), ("Archive", "/archive"), ("Changes of many jobs", "/bulk"))
_FORMS = (("Enqueue a job", "/enqueue"), ("Add a schedule", "/new/schedule"))
"""Pages that the navigation does not name."""
_OVERVIEW = Recent(overview_of, seconds=5)


class CommandQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was typed."""

    text: str = ""


class Place(msgspec.Struct, frozen=True):
    """Where one can go."""

    kind: str
    name: str
    path: str


class Places(msgspec.Struct, frozen=True):
    """What was found, the best first."""

    places: list[Place]


async def commands(call: Call[CommandQuery, None]) -> Places:
    """A dozen places at the most: jobs only by their whole id, so that nothing is searched here."""
    text = call.query.text.strip()[:_LONGEST].lower()
    seen = await _OVERVIEW.of(call.app)
    queues = [queue.name for queue in seen.queues]
    found = [
        *[
            place
            for place in _pages(may_operate=call.identity.role.allows(Role.OPERATOR))
            if text in place.name.lower()
        ],
        *_named("queue", sorted(queues), "/queues/", text),
        *_named("task", sorted(task.name for task in call.app.tasks), "/tasks/", text),
        *_named("worker", sorted({worker.name for worker in seen.workers if worker.is_alive}), "/workers/", text),
    ]
    base = base_of(call.request)
    jobs = [] if not text else await _job(call)
    places = [*jobs, *found][: _MOST - 1] + ([_search(call.query.text)] if text else [])
    return Places([msgspec.structs.replace(place, path=base + place.path) for place in places])


def _search(text: str) -> Place:
    """What no place has in its name may be in a job."""
    text = text.strip()[:_LONGEST]
    return Place("search", f"Jobs with “{text}”", f"/jobs?{urlencode({'text': text})}")


async def _job(call: Call[CommandQuery, None]) -> list[Place]:
    id = call.query.text.strip()[:_LONGEST]
    found = await call.app.ajobs(id=id, limit=1)
    return [Place(f"job, {job.state}", f"{job.task} {job.id}", job_path(job.id)) for job in found]


def _pages(*, may_operate: bool) -> Iterator[Place]:
    for name, path in (*NAVIGATION, *_BESIDE, *(_FORMS if may_operate else ())):
        yield Place("page", name, path)


def _named(kind: str, names: list[str], path: str, text: str) -> Iterator[Place]:
    """Those with the text in their name; what begins with it comes first. None before something was typed."""
    if not text:
        return
    fitting = [name for name in names if text in name.lower()]
    for name in sorted(fitting, key=lambda name: not name.lower().startswith(text)):
        yield Place(kind, name, path + quote(name, safe=""))
