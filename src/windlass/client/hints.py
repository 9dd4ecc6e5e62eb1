"""Suggests the option or method that an unknown name may have meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

_ATTEMPTS = "use attempts=, which counts all runs, the first one too (on a task: retry=Retry(attempts=...))"
_OPTIONS = {
    "acks_late": "leave it out: a job is always kept until it has ended, also when its worker dies",
    "at_front": "use priority=, higher comes first",
    "autoretry_for": "use retry_on=",
    "bind": "leave it out: a parameter that is annotated `job: ActiveJob` gets the running job",
    "countdown": "use delay=",
    "default_retry_delay": "use retry=Retry(base=...)",
    "defer": "use delay=",
    "defer_by": "use delay=",
    "defer_until": "use at=",
    "depends_on": "use after=[job]",
    "dont_autoretry_for": "use give_up_on=",
    "eta": "use at=",
    "execute_in": "use delay=",
    "expires_in": "use expires=",
    "ignore_result": "leave it out: results are kept as long as retention= says",
    "job_id": "use id=",
    "job_timeout": "use timeout=",
    "link": "use chain(...)",
    "lock": "use unique=",
    "max_age": "use expires=",
    "max_retries": _ATTEMPTS,
    "queueing_lock": "use unique=",
    "rate_limit": "use rate=",
    "result_ttl": "use Windlass(retention=Retention(...))",
    "retries": _ATTEMPTS,
    "retry_backoff": "use retry=Retry(base=..., factor=..., cap=...)",
    "run_at": "use at=",
    "schedule_at": "use at=",
    "schedule_in": "use delay=",
    "scheduled_at": "use at=",
    "soft_time_limit": "use timeout=",
    "task_id": "use id=",
    "throws": "use give_up_on=",
    "time_limit": "use timeout=",
    "ttl": "use expires=",
}
_METHODS = {
    "apply": "call the task itself: task(...)",
    "apply_async": "use task.options(...).enqueue(...)",
    "defer": "use enqueue(...)",
    "defer_async": "use aenqueue(...)",
    "enqueue_at": "use task.options(at=...).enqueue(...)",
    "enqueue_in": "use task.options(delay=...).enqueue(...)",
    "kiq": "use aenqueue(...)",
    "perform_async": "use enqueue(...)",
    "perform_later": "use enqueue(...)",
    "perform_in": "use task.options(delay=...).enqueue(...)",
    "s": "use request(...)",
    "schedule": "use task.options(at=...).enqueue(...), or delay=",
    "send": "use enqueue(...)",
    "send_task": "use enqueue('name', ...)",
    "send_with_options": "use task.options(...).enqueue(...)",
    "si": "use request(...)",
    "signature": "use request(...)",
}


def hint_for_option(name: str) -> str | None:
    """What to use here in place of an option of another system."""
    return _OPTIONS.get(name)


def hint_for_flow(given: object) -> str:
    """What to do with a chain or a group where a task or a request is wanted; empty for anything else."""
    is_flow = hasattr(type(given), "plan") and hasattr(type(given), "aenqueue")
    return "; it is enqueued by itself: chain(...).enqueue(), group(...).enqueue()" if is_flow else ""


def nearest(name: str, known: tuple[str, ...]) -> str:
    """What a misspelt name may have meant."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"


class MethodHints:
    """Answers methods of other systems with the name that they have here."""

    if not TYPE_CHECKING:  # a type checker would take every attribute for one that exists

        def __getattr__(self, name: str) -> Any:
            hint = f"; {_METHODS[name]}" if name in _METHODS else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)
