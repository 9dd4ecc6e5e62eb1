"""Forms of queues: pause with a reason, settings, purge."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import quote

import msgspec

from windlass.options.queues import SETTINGS, QueueSettings
from windlass.schedules.settings import interval_text
from windlass.store.operations.queues import ALL
from windlass.web.problems import Problem, bad_input
from windlass.web.route import Answer, Call, Nothing
from windlass.web.shapes.queues import CooldownRule, Retention, RetryRule
from windlass.web.site.done import Done, WayBack, place_of
from windlass.web.site.forms.form_page import Refusal, changed, refusal_of, typed, whole_number
from windlass.web.site.forms.small_forms import Field, SmallForm
from windlass.web.site.page import Page
from windlass.web.topics import queues as topic

Reason = Annotated[str, msgspec.Meta(max_length=500)]
_FOR_EVER = "forever"
_KEPT = ("completed", "cancelled", "failed")
_CALLED = {"base": "retry_base", "cap": "retry_cap", **{name: f"keep_{name}" for name in (*_KEPT, "at_most")}}
"""What messages call the fields that say how long to wait before a retry and what to keep."""


class PauseForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why it is paused."""

    reason: Reason = ""


class PurgeForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name of the queue, typed to show that it is meant."""

    name: str = ""


class ResetForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The setting that is to follow the code again."""

    setting: str = ""


class QueueSettingsForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings as texts; a blank one is the default."""

    version: str = ""
    max_running: str = ""
    rate: str = ""
    burst: str = ""
    max_length: str = ""
    weight: str = ""
    cooldown: str = ""
    attempts: str = ""
    retry_base: str = ""
    retry_cap: str = ""
    keep_completed: str = ""
    keep_cancelled: str = ""
    keep_failed: str = ""
    keep_at_most: str = ""


async def pause_queue(call: Call[Nothing, PauseForm]) -> Done:
    """Claim no more of its jobs; ``*`` stands for all queues."""
    queue = await topic.existing_queue(call, or_all=True)
    await queue.apause(call.body.reason.strip() or None, by=call.by)
    text = "All queues are paused." if queue.name == ALL else f"Queue {queue.name} is paused."
    return Done(_place(queue.name), text, WayBack("Resume", place_of("queues", queue.name, "resume")))


async def resume_queue(call: Call[Nothing, None]) -> Done:
    """Go on after a pause or a cool-down."""
    queue = await topic.existing_queue(call, or_all=True)
    before = await queue.asettings()
    await queue.aresume(by=call.by)
    text = "All queues go on." if queue.name == ALL else f"Queue {queue.name} goes on."
    if before.paused_at is None:  # a cool-down cannot be begun by hand
        return Done(_place(queue.name), text)
    again = {"reason": before.paused_reason or ""}
    return Done(_place(queue.name), text, WayBack("Pause again", place_of("queues", queue.name, "pause"), again))


async def purge_queue(call: Call[Nothing, PurgeForm]) -> Answer:
    """Delete what waits, if the name was typed."""
    name = call.path["name"]
    if call.body.name.strip() != name:
        raise bad_input(f"nothing was deleted: type {name} to purge it, got {call.body.name!r}", field="name")
    purged = await topic.purge(call)
    said: Any = purged.value
    more = "" if said["complete"] else "&more=1"
    return Answer(f"{_place(name)}?purged={said['deleted']}{more}", count=purged.count)


def purge_again(call: Call[Nothing, PurgeForm], problem: Problem) -> Page:
    """The question as it was answered."""
    name = call.path["name"]
    question = SmallForm(
        title=f"Purge {name}",
        action=f"/queues/{name}/purge",
        fields=(Field("name", f"Type {name} to confirm", "Deletes every job of this queue that waits."),),
        submit=f"Purge {name}",
        place=name,
        path=f"/queues/{name}",
        here="/queues",
        is_risk=True,
    )
    return question.again(call, problem)


async def settings_form(call: Call[Nothing, None]) -> Page:
    """The settings of a queue, to be changed."""
    queue = await topic.existing_queue(call)
    settings = await queue.asettings()
    return _page(
        queue.name,
        {**texts_of(settings), "version": topic.settings_tag(settings)},
        changes=settings.changes,
    )


def settings_again(call: Call[Nothing, QueueSettingsForm], problem: Problem) -> Page:
    """The form as it was sent, and what is wrong with it."""
    given = typed(call.body)
    return _page(call.path["name"], given, problem=refusal_of(problem, given, aliases=_CALLED))


async def save_settings(call: Call[Nothing, QueueSettingsForm]) -> str:
    """Change the settings that say something else than before; the others go on following the code."""
    queue = await topic.existing_queue(call)
    before = texts_of(await queue.asettings())
    said = changes_of(typed(call.body), before)
    if not said:
        raise bad_input("nothing was changed: every field says what it said before")
    await topic.change_settings(call, said, seen=call.body.version)
    return _place(queue.name)


async def reset_setting(call: Call[Nothing, ResetForm]) -> str:
    """Take an operator's change of a setting back."""
    queue = await topic.existing_queue(call)
    if call.body.setting not in SETTINGS:
        raise bad_input(f"queues have no setting {call.body.setting!r}", field="setting")
    await queue.areset(call.body.setting, by=call.by)
    return f"{_place(queue.name)}/settings"


def texts_of(settings: QueueSettings) -> dict[str, str]:
    """The settings as the form shows them; blank where the default holds."""
    retry, kept, rule = settings.retry, settings.retention, settings.cooldown
    cooldown = "" if rule is None else "off"
    if rule is not None and rule.enabled:
        cooldown = f"{_time(rule.shortest)}..{_time(rule.longest)}"
    return {
        "max_running": _text(settings.max_running),
        "rate": settings.rate or "",
        "burst": _text(settings.burst),
        "max_length": _text(settings.max_length),
        "weight": _text(settings.weight),
        "cooldown": cooldown,
        "attempts": "" if retry is None else str(retry.attempts),
        "retry_base": "" if retry is None else _seconds(retry.base),
        "retry_cap": "" if retry is None else _seconds(retry.cap),
        **{f"keep_{state}": "" if kept is None else _kept(getattr(kept, state)) for state in _KEPT},
        "keep_at_most": "" if kept is None else _text(kept.at_most),
    }


def changes_of(given: dict[str, Any], before: dict[str, str]) -> dict[str, Any]:
    """What the form changes, in the types of the API; None takes a setting back."""
    given = {name: value.strip() for name, value in given.items()}
    said: dict[str, Any] = {
        name: whole_number(given[name], name)
        for name in ("max_running", "max_length", "weight")
        if changed(given, before, name)
    }
    if changed(given, before, "rate", "burst"):
        said["rate"] = given["rate"] or None
        if given["rate"] and given["burst"]:
            said["burst"] = whole_number(given["burst"], "burst")
    if changed(given, before, "cooldown"):
        said["cooldown"] = _cooldown(given["cooldown"])
    if changed(given, before, "attempts", "retry_base", "retry_cap"):
        said["retry"] = _retry(given)
    if changed(given, before, *(f"keep_{name}" for name in (*_KEPT, "at_most"))):
        said["retention"] = _retention(given)
    return said


def _cooldown(text: str) -> CooldownRule | None:
    if not text:
        return None
    if text == "off":
        return CooldownRule(enabled=False)
    base, dots, most = text.partition("..")
    if not dots:
        raise bad_input(f"cooldown must look like 60s..30m, or be off; got {text!r}", field="cooldown")
    return CooldownRule(enabled=True, base=base, max=most)


def _retry(given: dict[str, str]) -> RetryRule | None:
    attempts = whole_number(given["attempts"], "attempts")
    said: dict[str, Any] = {"attempts": attempts, "base": given["retry_base"], "cap": given["retry_cap"]}
    said = {name: value for name, value in said.items() if value not in (None, "")}
    return RetryRule(**said) if said else None


def _retention(given: dict[str, str]) -> Retention | None:
    said: dict[str, Any] = {
        name: None if given[f"keep_{name}"] == _FOR_EVER else given[f"keep_{name}"]
        for name in _KEPT
        if given[f"keep_{name}"]
    }
    at_most = whole_number(given["keep_at_most"], "keep_at_most")
    if at_most is not None:
        said["at_most"] = at_most
    return Retention(**said) if said else None


def _page(name: str, given: dict[str, Any], *, problem: Refusal | None = None, changes: Any = None) -> Page:
    shown = {"queue": name, "given": given, "problem": problem, "changes": changes or {}}
    status = 200 if problem is None else problem.status
    return Page("queue_settings.html", f"Settings of {name}", shown, here="/queues", status=status, is_live=False)


def _place(name: str) -> str:
    return "/queues" if name == ALL else f"/queues/{quote(name, safe='')}"


def _text(number: int | None) -> str:
    return "" if number is None else str(number)


def _kept(length: Any) -> str:
    return _FOR_EVER if length is None else interval_text(length)


def _seconds(value: Any) -> str:
    return interval_text(timedelta(seconds=float(value)))


def _time(milliseconds: int) -> str:
    return interval_text(timedelta(milliseconds=milliseconds))
