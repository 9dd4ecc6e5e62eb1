"""What users gave a job and what it gave back, secrets masked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windlass import clock
from windlass.client.client import Client
from windlass.core.codec import unseal
from windlass.core.codec.envelope import read_envelope
from windlass.core.encryption.text import is_encrypted, key_id_of
from windlass.core.state import State
from windlass.core.unique import is_cached_key
from windlass.errors import NoKey, PayloadError
from windlass.insight.redact import redacted, redacted_arguments
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations.transfer import held_keys
from windlass.task import Task


@dataclass(frozen=True, slots=True)
class PayloadView:
    """The arguments as JSON values, in their tagged forms; None where the payload cannot be read."""

    args: object
    kwargs: object

    @property
    def is_unreadable(self) -> bool:
        return self.args is None

    @classmethod
    def of(cls, payload: str, parameters: Sequence[str] = ()) -> PayloadView:
        """Read a payload. A damaged one is not shown at all: its secrets cannot be masked."""
        try:
            envelope = read_envelope(payload)
        except NoKey as error:
            return cls(encrypted_form(error.key_id), encrypted_form(error.key_id))
        except PayloadError:
            return cls(None, None)
        return cls(redacted_arguments(envelope.args, parameters), redacted(envelope.kwargs))

    def named(self, parameters: Sequence[str]) -> Iterator[tuple[str, object]]:
        """Each argument with its name, or its number in brackets where the task is not known here."""
        for number, value in enumerate(self.args if isinstance(self.args, list) else ()):
            yield (parameters[number] if number < len(parameters) else f"[{number}]"), value
        if isinstance(self.kwargs, Mapping):
            places = {name: place for place, name in enumerate(parameters)}
            yield from sorted(self.kwargs.items(), key=lambda pair: places.get(pair[0], len(places)))


@dataclass(frozen=True, slots=True)
class JobValues:
    """All values of one job that are not ours."""

    payload: PayloadView
    meta: object
    result: object
    """In its stored form; None also for what cannot be read."""

    @classmethod
    def of(cls, job: Job[Any], parameters: Sequence[str] = ()) -> JobValues:
        """``parameters`` are the task's parameter names, if they are known: positional arguments are masked by them."""
        meta = job.record.meta
        shown_meta = encrypted_form(key_id_of(meta)) if meta is not None and is_encrypted(meta) else redacted(job.meta)
        return cls(PayloadView.of(job.record.payload, parameters), shown_meta, _result(job.record.result))

    @classmethod
    def revealed(cls, job: Job[Any]) -> JobValues:
        """The same without masks, for those who may see secrets; metadata and result stay masked."""
        masked = cls.of(job)
        try:
            envelope = read_envelope(job.record.payload)
        except PayloadError:
            return masked
        return cls(PayloadView(envelope.args, envelope.kwargs), masked.meta, masked.result)


def encrypted_form(key_id: str | None) -> dict[str, str]:
    """What stands for a value whose key is not at hand."""
    return {"encrypted": key_id or "?"}


def parameters_of(task: str, known: Iterable[Task[..., Any]]) -> list[str]:
    """The parameter names of a task; none if it is not among those known."""
    found = next((one for one in known if one.name == task), None)
    return [] if found is None else list(found.shape.signature.parameters)


def _result(stored: str | None) -> object:
    try:
        return None if stored is None else redacted(json.loads(unseal(stored)))
    except NoKey as error:
        return encrypted_form(error.key_id)
    except (PayloadError, ValueError, RecursionError):
        return None


def cached_until(client: Client, job: Job[Any]) -> Operation[datetime | None]:
    """Until when equal calls are given this job instead of a new one; None if they are not, or not yet."""
    if job.state is not State.COMPLETED or not is_cached_key(job.record.unique_key):
        return None
    held = yield from held_keys([job.id])
    ends = [key.expires_at for key in held if key.cached_for is not None and key.expires_at is not None]
    return clock.instant(ends[0]) if ends and ends[0] > client.now() else None
