"""What code declares or an operator adds, checked: everything about a schedule but what the store knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import Context
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from windlass.core import validate
from windlass.core.encryption.encryption import Encryption
from windlass.errors import ConfigError, WindlassError
from windlass.schedules.encrypted import encrypted_definition
from windlass.schedules.options import check_options, job_options, policy_of, timing_of
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.schedules.definition import Definition
from windlass.task import Request, Task, checked_call, complete


class JobMaker(Protocol):
    """Fills in what task and app say about a job."""

    def new_job(self, request: Request) -> tuple[NewJob, Uniqueness | None]: ...

    def plain_meta(self, text: str) -> dict[str, object]:
        """Metadata of a new job as it was given."""

    def encryption_of(self, task: Task[..., Any] | str) -> Encryption | None:
        """What encrypts the jobs of a task, if they are encrypted."""


class Declaration(Struct, frozen=True):
    """A schedule that is yet to be stored."""

    name: str
    request: Request
    rules: Mapping[str, Any]
    """When it is due, and what it does about slots that were missed or overlap, as they are stored."""

    def definition(self, jobs: JobMaker) -> Definition:
        """The form in which it is stored, by what task and app say at this moment."""
        clear, encryption = self.clear_definition(jobs), jobs.encryption_of(self.request.task)
        return clear if encryption is None else encrypted_definition(encryption, self.name, clear)

    def clear_definition(self, jobs: JobMaker) -> Definition:
        """The same before it is encrypted."""
        try:
            # A job that declares a schedule is not the parent of what the schedule makes.
            job, uniqueness = Context().run(jobs.new_job, self.request)
        except (WindlassError, TypeError) as error:
            raise about(self.name, error) from error
        meta = None if job.meta is None else plain_text(jobs.plain_meta(job.meta))
        return Definition.of(job, meta=meta, uniqueness=uniqueness, **self.rules)


def declaration(name: str, request: Callable[..., Request], given: Mapping[str, Any]) -> Declaration:
    """Check what was said about a schedule; ``request`` makes the request from the arguments of the call.

    The error names the schedule.
    """
    validate.schedule_name(name)
    try:
        check_options(given, "cron", "every", "tz")
        args, kwargs = checked_call(given.get("args", ()), given.get("kwargs"))
        made = complete(request(*args, **kwargs))
        rules = {**timing_of(given), **policy_of(given)}
        options = made.options.but(job_options(given))
    except (WindlassError, TypeError) as error:
        raise about(name, error) from error
    return Declaration(name, Request(made.task, made.args, made.kwargs, options), rules)


def plain_text(meta: Mapping[str, object]) -> str | None:
    """Metadata as a definition keeps it; None without any."""
    return msgspec.json.encode(meta).decode() if meta else None


def about(name: str, error: Exception) -> ConfigError:
    """The error with the name of the schedule, once."""
    prefix = f"schedule {name!r}: "
    return ConfigError(str(error) if str(error).startswith(prefix) else f"{prefix}{error}")
