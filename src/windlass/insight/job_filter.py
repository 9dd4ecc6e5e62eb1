"""Which jobs a list or a bulk change is about."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

import msgspec

from windlass.core import validate
from windlass.core.codec import storable
from windlass.core.state import State
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.insight.confirmation import confirmation
from windlass.insight.redact import is_secret
from windlass.options import check_known
from windlass.store.operations.queries import Filter

if TYPE_CHECKING:
    from windlass.client.client import Client


class JobFilter(TypedDict, total=False):
    """The keywords that find jobs; None, or a missing one, finds all."""

    state: str | State | None
    queue: str | None
    task: str | None
    reason: str | None
    cause: str | None
    """Of failed jobs: the fingerprint of their error, as ``dead_groups`` gives it."""
    since: datetime | None
    """Made at this instant or later."""
    until: datetime | None
    """Made before this instant."""
    text: str | None
    """Somewhere in the id, the task, the queue, the worker, the tags, the arguments, the metadata or the errors; the
    last three only where they are not encrypted.
    """
    tag: str | None
    """A whole tag: ``"vip"``, or ``"plan=pro"`` where tags were given as a dict."""
    id: str | None
    running_for: Duration | None
    """Running, and claimed that long ago or longer."""
    meta: Mapping[str, str] | None
    """Metadata has these values under these keys; what is no text is compared by its JSON: ``{"order": "7"}``."""
    arg: Mapping[str, str] | None
    """Arguments have these values, compared alike, by the names of the task's parameters; those of tasks that are not
    known here by keyword only. Masked values match nothing, and encrypted ones are left out.
    """


_NAMES = tuple(JobFilter.__annotations__)
_TEXTS = ("queue", "task", "reason", "cause", "text", "id")


def filter_of(given: JobFilter) -> Filter:
    """The filter for the store, where it names no arguments; an unknown name or state is an error."""
    check_known(given, _NAMES, "filter")
    for name in _TEXTS:
        _check_text(given.get(name), name)
    state, since, until = given.get("state"), given.get("since"), given.get("until")
    tag, running_for, meta = given.get("tag"), given.get("running_for"), given.get("meta")
    if running_for is not None:
        if state not in (None, State.RUNNING):
            raise ConfigError(f"running_for is about running jobs; leave state={str(state)!r} out")
        state = State.RUNNING
    return Filter(
        states=None if state is None else (_state(state),),
        queue=given.get("queue"),
        task=given.get("task"),
        reason=given.get("reason"),
        cause=given.get("cause"),
        id=given.get("id"),
        running_for=None if running_for is None else milliseconds(running_for, "running_for"),
        meta=() if meta is None else _pairs(meta, "meta"),
        since=None if since is None else validate.milliseconds_since_1970(since, "since"),
        until=None if until is None else validate.milliseconds_since_1970(until, "until"),
        text=given.get("text"),
        tag=None if tag is None else validate.job_tag(tag),
    )


def _check_text(value: object, name: str) -> None:
    """What no store can hold is found nowhere, and a store may not even accept the question."""
    if value is not None and (not isinstance(value, str) or storable(value) != value):
        raise ConfigError(f"{name} must be a text without NUL and lone surrogates, got {value!r}")


def _pairs(given: object, name: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(given, Mapping) or not all(isinstance(part, str) for pair in given.items() for part in pair):
        raise ConfigError(f"{name} must be a dict of texts, as in {{'tenant': 'a'}}; got {given!r}")
    for pair in given.items():
        for part in pair:
            _check_text(part, name)
    return tuple(sorted(given.items()))


def _arguments(given: object) -> tuple[tuple[str, str], ...]:
    wanted = _pairs(given, "arg")
    secret = next((name for name, _ in wanted if is_secret(name)), None)
    if secret is not None:
        raise ConfigError(f"arg: values under {secret!r} are masked, so no filter can compare them")
    return wanted


def shown_filter_for(client: Client, given: JobFilter) -> Filter:
    """``filter_for`` those who are shown masked values: nothing behind a mask is found, so none can be guessed."""
    filter = filter_for(client, given)
    return msgspec.structs.replace(filter, confirm=confirmation(client.registry, filter, is_masked=True))


def filter_for(client: Client, given: JobFilter) -> Filter:
    """The filter for the store of an app; ``ConfigError`` for one by metadata that its jobs have encrypted."""
    if given.get("meta") is not None and _is_encrypted(client, given.get("task")):
        raise ConfigError(
            "meta: the metadata of these jobs is encrypted, so no filter can compare it; look for jobs by id, task, "
            "queue, state, reason, tag or time"
        )
    given = JobFilter(**given)
    arguments = given.pop("arg", None)
    filter = filter_of(given)
    if arguments is None:
        return filter
    filter = msgspec.structs.replace(filter, arguments=_arguments(arguments))
    return msgspec.structs.replace(filter, confirm=confirmation(client.registry, filter))


def _is_encrypted(client: Client, task: str | None) -> bool:
    """Whether jobs of this task, or of any, are encrypted here."""
    tasks = [client.registry.find(task)] if task is not None else [None, *client.registry]
    return client.encryption.is_on and any(client.enqueuer.is_encrypted(one) for one in tasks)


def _state(state: str | State) -> State:
    try:
        return State(state)
    except ValueError:
        raise ConfigError(f"state must be one of {', '.join(State)}, got {state!r}") from None
