"""One job with everything about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from windlass import clock
from windlass.cli.terminal.screen import Cell, Screen, Styled
from windlass.cli.times import age, full
from windlass.cli.views.jobs import runs
from windlass.cli.views.style import state_cell
from windlass.core.fault import Fault
from windlass.core.state import DUE_LATER, State
from windlass.insight.diagnostics.unreadable import encrypted_texts
from windlass.insight.flows.relatives import Family, Relatives
from windlass.insight.json_forms import job_detail
from windlass.insight.payload import JobValues
from windlass.insight.redact import redacted_text
from windlass.job import Job
from windlass.steps.view import StepView
from windlass.store.operations.flows.edges import AT_ONCE
from windlass.store.operations.flows.groups import Membership

_SHOWN = 4000
"""Characters of a value that are shown to people; JSON has all of it."""
_STEPS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class JobDetail:
    """Everything about one job, with its secrets masked; ``parameters`` are the parameter names of the task, if they
    are known, ``cached_until`` says how long equal calls are given its result.
    """

    job: Job[Any]
    parameters: Sequence[str] = ()
    steps: Sequence[StepView] = ()
    cached_until: datetime | None = None
    family: Family = field(default_factory=Family)
    lease_expires_at: datetime | None = None
    """Of a job that runs."""
    groups: Sequence[Membership] = ()

    def data(self) -> object:
        return job_detail(
            self.job,
            self.parameters,
            self.steps,
            cached_until=self.cached_until,
            family=self.family,
            lease_expires_at=self.lease_expires_at,
            groups=self.groups,
        )

    def draw(self, screen: Screen) -> None:
        job = self.job
        screen.line(Styled(job.id, "bold"), "  ", state_cell(job.state))
        fields = [*self._identity(), *self._times(), *self._values()]
        screen.fields([(name, value) for name, value in fields if value])
        _draw_steps(screen, self.steps)
        errors = job.errors
        for fault in errors:
            _draw_error(screen, fault)
        if errors and errors[-1].traceback:
            screen.block(redacted_text(errors[-1].traceback))
        if job.log:
            screen.line("")
            screen.line(Styled("  log", "dim"))
            screen.block(redacted_text(job.log))

    def _identity(self) -> list[tuple[str, Cell]]:
        job = self.job
        said = redacted_text(job.progress.text or "")
        progress = "" if job.progress.value is None else f"{job.progress.value:.0%} {said}"
        return [
            ("task", job.task),
            ("queue", f"{job.queue}, priority {job.priority}"),
            ("reason", job.reason or ""),
            ("attempts", f"{runs(job)} of {job.max_attempts}" + _incidents(job)),
            ("worker", f"{job.worker}, fence {job.fence}" if job.worker else ""),
            ("progress", progress.strip()),
            ("waits for" if job.state is State.BLOCKED else "waited for", _relatives(self.family.parents)),
            ("then", _relatives(self.family.children)),
            *(("group", _group(group)) for group in self.groups),
        ]

    def _times(self) -> list[tuple[str, Cell]]:
        job = self.job
        asked = clock.instant_or_none(job.record.cancel_requested_at)
        return [
            ("created", full(job.created_at)),
            ("schedule", job.schedule or ""),
            ("planned", full(job.planned_at) if job.planned_at else ""),
            ("due", full(job.run_at) if job.state in DUE_LATER and not job.record.is_never_due else ""),
            ("expires", full(job.expires_at) if job.expires_at and job.started_at is None else ""),
            ("started", full(job.started_at) if job.started_at else ""),
            ("lease until", full(self.lease_expires_at) if self.lease_expires_at else ""),
            ("finished", full(job.finished_at) if job.finished_at else ""),
            ("cached until", full(self.cached_until) if self.cached_until else ""),
            ("cancel asked", full(asked) if asked else ""),
        ]

    def _values(self) -> list[tuple[str, Cell]]:
        job, values = self.job, JobValues.of(self.job, self.parameters)
        call, broken = values.payload, job.unreadable
        closed = encrypted_texts(job.record)
        hidden = {*broken, *closed}
        return [
            ("args", _shown(call.args) if call.args and "payload" not in closed else ""),
            ("kwargs", _shown(call.kwargs) if call.kwargs and "payload" not in closed else ""),
            ("payload", "unreadable" if call.is_unreadable else ""),
            ("meta", _shown(values.meta) if job.meta else ""),
            ("tags", ", ".join(job.tags)),
            ("unique key", job.record.unique_key or ""),
            ("concurrency key", job.concurrency_key or ""),
            ("rate key", job.rate_key or ""),
            ("correlation", job.correlation_id if job.correlation_id != job.id else ""),
            ("result", _shown(values.result) if job.record.result is not None and "result" not in hidden else ""),
            *((name, f"encrypted (key id {id})") for name, id in closed.items()),
            *((name, Styled("unreadable", "red")) for name in broken if name != "payload"),
        ]


def _relatives(some: Relatives) -> str:
    """The first of them; ``windlass flows show`` has all."""
    named = [f"{each.task or 'a job'} {each.id or 'that is gone'} ({each.state or 'deleted'})" for each in some.named]
    more = some.number - len(named)
    or_more = " or more" if some.number >= AT_ONCE else ""
    return ", ".join(named) + (f" and {more:,}{or_more} others" if more else "")


def _group(group: Membership) -> str:
    members = "1 member" if group.size == 1 else f"{group.size:,} members"
    return f"{members}, whose results {group.callback} ({group.task}) gets"


def _incidents(job: Job[Any]) -> str:
    crashes, rescues = job.record.crashes, job.record.rescues
    rescued = "once" if rescues == 1 else f"{rescues} times"
    return (f", {crashes} crashed" if crashes else "") + (f", rescued {rescued} before a start" if rescues else "")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text):,} characters; --json shows all)"


def _draw_steps(screen: Screen, steps: Sequence[StepView]) -> None:
    if not steps:
        return
    screen.line("")
    older = len(steps) - _STEPS_SHOWN
    screen.line(Styled("  steps" + (f", the newest {_STEPS_SHOWN} of {len(steps):,}" if older > 0 else ""), "dim"))
    for step in steps[-_STEPS_SHOWN:]:
        screen.line("  ", Styled(step.name, "bold"), Styled(f"  {_when(step)}", "dim"))


def _when(step: StepView) -> str:
    if step.ended_at is None and step.event is not None:
        until = "" if step.wake_at is None else f", until {full(step.wake_at)}"
        return f"waits for the event {step.event}{until}"
    if step.event is not None:
        return f"{step.kind} {step.event}, {full(step.ended_at or step.began_at)}"
    if step.wake_at is not None:
        return f"until {full(step.wake_at)}"
    return full(step.ended_at or step.began_at) + ("" if step.seconds is None else f", took {step.seconds:.3g} s")


def _draw_error(screen: Screen, fault: Fault) -> None:
    screen.line("")
    where = f"attempt {fault.attempt} on {fault.worker}, {age(clock.instant(fault.at))}"
    screen.line(Styled(f"  {fault.type}: ", "red"), redacted_text(fault.message), Styled(f"  ({where})", "dim"))
