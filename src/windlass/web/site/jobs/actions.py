"""What can be done to one job: the buttons, and the questions before some of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import msgspec

from windlass.core.state import State
from windlass.insight.payload import JobValues
from windlass.web.problems import bad_input
from windlass.web.route import Answer, Call, Nothing
from windlass.web.shapes.jobs import CancelOrder, FailOrder, RescheduleOrder, RetryOrder
from windlass.web.site.actions import job_path
from windlass.web.site.done import Done, WayBack, place_of
from windlass.web.site.jobs.job import job_page, offered, read_job
from windlass.web.site.page import Page, rendered
from windlass.web.topics.jobs import jobs as api

SNOOZES = {"10m": "10 minutes", "1h": "1 hour", "6h": "6 hours", "24h": "1 day"}


class BackForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the button was: a list leads back to itself."""

    back: str | None = None


class ReasonForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why."""

    reason: str | None = None


class SnoozeForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For how long."""

    delay: str | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question before something is done to a job."""

    title: str
    texts: list[str]
    action: str
    """Where the form leads, below the page of the job."""
    button: str
    is_risk: bool = True
    reason: str | None = None
    """The label of the field for a reason; None without one."""
    delays: dict[str, str] = field(default_factory=dict)
    keep: str = "Keep it"


async def retry_job(call: Call[Nothing, BackForm]) -> Done:
    await api.retry_job(_ordered(call, RetryOrder()))
    return Done(_back(call), f"{_name(call)} runs again.", _way(call, "Cancel it", "cancel"))


async def cancel_job(call: Call[Nothing, BackForm]) -> Done:
    changed = await api.cancel_job(_ordered(call, CancelOrder()))
    if changed["state"] == State.RUNNING:  # what was asked of its code cannot be taken back
        return Done(_back(call), f"{_name(call)} is asked to stop.")
    return Done(_back(call), f"{_name(call)} is cancelled.", _way(call, "Run it after all", "retry"))


async def fail_job(call: Call[Nothing, ReasonForm]) -> Done:
    await api.fail_job(_ordered(call, FailOrder(call.body.reason)))
    return Done(job_path(call.path["id"]), f"{_name(call)} has failed.", _way(call, "Retry it", "retry"))


async def snooze_job(call: Call[Nothing, SnoozeForm]) -> Done:
    delay = call.body.other or call.body.delay
    if delay is None:
        raise bad_input("say for how long, as in 10m, 2h or 3d", field="delay")
    await api.reschedule_job(_ordered(call, RescheduleOrder(delay=delay)))
    return Done(job_path(call.path["id"]), f"{_name(call)} runs later.", _way(call, "Run it now", "retry"))


async def delete_job(call: Call[Nothing, Nothing]) -> Done:
    await api.delete_job(_ordered(call, None))
    return Done("/jobs", f"{_name(call)} is deleted.")


async def reveal_arguments(call: Call[Nothing, Nothing]) -> Answer:
    """The page of the job once, with its secrets; the audit has who has seen them."""
    found = await read_job(call)
    values = JobValues.revealed(found)
    return Answer(rendered(call, await job_page(call, found, values, is_revealed=True)))


async def ask_delete(call: Call[Nothing, None]) -> Page:
    job = await read_job(call)
    texts = [
        f"{job.task} is {job.state}. It is removed with its arguments, result and errors; what waits for it goes on "
        "without it. This cannot be undone."
    ]
    return _question(job, Asked("Delete this job?", texts, "delete", "Delete the job"), "delete")


async def ask_fail(call: Call[Nothing, None]) -> Page:
    job = await read_job(call)
    texts = [f"{job.task} ends as failed, without another attempt. It can be retried afterwards."]
    if job.state is State.RUNNING:
        texts.append(
            "It runs: its code may go on until the next heartbeat of its worker, and nothing that it writes counts any "
            "more. What it holds (unique key, concurrency key, slot) is free at once, so the next may start beside it."
        )
    asked = Asked("Fail this job by hand?", texts, "fail", "Fail the job", reason="Why, for those who look later")
    return _question(job, asked, "fail")


async def ask_snooze(call: Call[Nothing, None]) -> Page:
    job = await read_job(call)
    texts = [f"{job.task} is moved: it runs that long from now, or a little later."]
    asked = Asked("Snooze this job?", texts, "snooze", "Snooze", is_risk=False, delays=SNOOZES, keep="Leave it")
    return _question(job, asked, "reschedule")


def _question(job: Any, asked: Asked, verb: str) -> Page:
    shown = {"job": job, "asked": asked, "is_possible": verb in offered(job.state)}
    return Page("job_question.html", asked.title, shown, here="/jobs", is_live=False)


def _ordered(call: Call[Any, Any], order: Any) -> Call[Any, Any]:
    """The call that the API is given for what a form asks."""
    return replace(call, body=order)


def _name(call: Call[Any, Any]) -> str:
    return f"Job …{call.path['id'][-8:]}"


def _way(call: Call[Any, Any], label: str, verb: str) -> WayBack:
    """A button that changes the job once more, and leads back to where the first one was."""
    back = getattr(call.body, "back", None)
    return WayBack(label, place_of("jobs", call.path["id"], verb), {"back": back} if back else {})


def _back(call: Call[Nothing, BackForm]) -> str:
    """The list that the button was in, or the page of the job; never another site."""
    back = call.body.back or ""
    is_ours = back == "/jobs" or back.startswith("/jobs?")
    return quote(back, safe="/?&=%+.:-_~") if is_ours else job_path(call.path["id"])
