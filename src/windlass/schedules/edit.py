"""An operator's changes to what a schedule says."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from windlass.core.encryption.text import is_encrypted
from windlass.core.unique import Unique
from windlass.errors import ConfigError, PayloadError, WindlassError
from windlass.schedules.declaration import Declaration, about
from windlass.schedules.encrypted import encrypted_definition, opened_definition
from windlass.schedules.options import check_options, job_options, policy_of, timing_of
from windlass.store.operations.enqueue import JobTemplate
from windlass.store.operations.schedules.definition import Definition
from windlass.task import Request, Task, checked_call, complete

if TYPE_CHECKING:
    from windlass.client.client import Client

_CALL = ("args", "kwargs")
_TIMING = ("cron", "every", "tz")
_STORED_AS = {"attempts": ("max_attempts",), "retry": ("retry", "max_attempts")}
"""The fields of a job that an option sets, where they are not called like it."""


def edited_definition(client: Client, name: str, now: Definition, given: Mapping[str, Any]) -> Definition:
    """What it says with these changes; ``ConfigError`` names the schedule and what is wrong."""
    if not given:
        raise ConfigError(f"schedule {name!r}: nothing to change; name a setting, as in edit(cron='@daily')")
    now = opened_definition(client.encryption, name, now)
    try:
        check_options(given, *_TIMING)
        changed = replace(now, **_timing(now, given), **policy_of(given))
        edited = _with_job(client, name, changed, given)
        encryption = client.enqueuer.encryption_of(client.registry.find(now.job.task) or now.job.task)
        if encryption is None or is_encrypted(edited.payload):  # what cannot be opened here stays as it is
            return edited
        return encrypted_definition(encryption, name, edited)
    except (WindlassError, TypeError) as error:
        raise about(name, error) from error


def _timing(now: Definition, given: Mapping[str, Any]) -> dict[str, Any]:
    if not any(name in given for name in _TIMING):
        return {}
    if "cron" in given or "every" in given:
        zone = {"tz": now.zone} if given.get("cron") is not None else {}
        return timing_of({**zone, **given})
    return timing_of({"cron": now.cron, "every": now.every and now.every / 1000, "tz": given["tz"]})


def _with_job(client: Client, name: str, now: Definition, given: Mapping[str, Any]) -> Definition:
    options, has_call = job_options(given), any(part in given for part in _CALL)
    if not options and not has_call:
        return now
    request = _request(client, now, given)
    # Worked out as a new schedule of the task would be; of that only what was given is taken over.
    new = Declaration(name, Request(request.task, request.args, request.kwargs, request.options.but(options)), {})
    wanted = new.clear_definition(client.enqueuer)
    fields = [stored for option in options for stored in _STORED_AS.get(option, (option,))]
    template = {field: getattr(wanted.job, field) for field in fields if field in JobTemplate.__struct_fields__}
    template.pop("meta", None)
    changed = replace(now, job=replace(now.job, **template))
    taken = {option: getattr(wanted, option) for option in ("meta", "tags") if option in options}
    others = {option: wanted.others[option] for option in options if option in wanted.others}
    changed = replace(changed, **taken, others={**now.others, **others})
    if "unique" in options:
        changed = replace(changed, unique_key=wanted.unique_key, uniqueness=wanted.uniqueness)
    return _with_call(changed, wanted, has_own_key="unique" in options) if has_call else changed


def _with_call(now: Definition, wanted: Definition, *, has_own_key: bool) -> Definition:
    """With other arguments; a unique key that was made from them has to follow."""
    changed = replace(now, payload=wanted.payload, others={**now.others, **wanted.others})
    if has_own_key or not (now.unique_key or "").startswith(f"{now.job.task}#"):
        return changed
    if wanted.unique_key is None:
        raise ConfigError("its unique key was made from the arguments; give unique= together with args= or kwargs=")
    return replace(changed, unique_key=wanted.unique_key)


def _request(client: Client, now: Definition, given: Mapping[str, Any]) -> Request:
    """The call that was given, which has to fit the task where that is known.

    The stored one has to be readable only where a unique key is made from it: an operator's program may not have the
    types of its arguments.
    """
    task = client.registry.find(now.job.task)
    if any(part in given for part in _CALL):
        args, kwargs = checked_call(given.get("args", ()), given.get("kwargs"))
    elif isinstance(given.get("unique"), Unique):
        args, kwargs = client.decode_call(now.job.task, now.payload)
    else:
        return _stored_request(client, task, now)
    return Request(now.job.task, args, kwargs) if task is None else complete(task.request(*args, **kwargs))


def _stored_request(client: Client, task: Task[..., Any] | None, now: Definition) -> Request:
    """The stored call; without its arguments where it cannot be read here, or does not fit its task any more."""
    if task is not None:
        with suppress(PayloadError, TypeError):
            args, kwargs = client.decode_call(now.job.task, now.payload)
            return complete(task.request(*args, **kwargs))
    return Request(now.job.task, (), {})
