"""Whether a job that a store has found by a text is meant, by what people are shown of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from windlass.core.encryption.text import is_encrypted
from windlass.core.fault import Faults, read_faults
from windlass.core.meta import has_meta, read_meta, read_tags
from windlass.core.records import JobRecord
from windlass.insight.payload import PayloadView
from windlass.insight.redact import MASK, redacted, redacted_text
from windlass.store.operations.queries import Filter
from windlass.task import Task

Confirm = Callable[[JobRecord], bool]


class _Tasks(Protocol):
    def find(self, name: str) -> Task[..., Any] | None: ...


def confirmation(tasks: _Tasks, filter: Filter, *, is_masked: bool = False) -> Confirm | None:
    """Whether a job has the arguments that a filter names; where ``is_masked`` also whether its text and its metadata
    are found in what is not masked. None where there is nothing to look at.
    """
    parts: list[Confirm] = []
    if filter.arguments:
        parts.append(lambda job: _has_arguments(job, filter.arguments, _parameters(tasks, job)))
    if is_masked and filter.meta:
        parts.append(lambda job: has_meta(_shown_meta(job), filter.meta))
    if is_masked and filter.text is not None:
        text = filter.text.lower()
        parts.append(lambda job: text in _shown_texts(job, _parameters(tasks, job)).lower())
    return (lambda job: all(part(job) for part in parts)) if parts else None


def _parameters(tasks: _Tasks, job: JobRecord) -> Sequence[str]:
    task = tasks.find(job.task)
    return () if task is None else tuple(task.shape.signature.parameters)


def _has_arguments(job: JobRecord, wanted: Iterable[tuple[str, str]], parameters: Sequence[str]) -> bool:
    if is_encrypted(job.payload):
        return False
    named = dict(PayloadView.of(job.payload, parameters).named(parameters))
    return all(name in named and _is_shown_as(named[name], value) for name, value in wanted)


def _is_shown_as(value: object, wanted: str) -> bool:
    match value:
        case {"$": str(), "v": inner}:  # a value that JSON has no form for
            return _is_shown_as(inner, wanted)
        case str():
            return value == wanted and MASK not in value
        case _:
            text = msgspec.json.encode(value).decode()
            return text == wanted and MASK not in text


def _shown_meta(job: JobRecord) -> str:
    plain = {"meta": redacted(read_meta(job.meta).meta)}
    return msgspec.json.encode(plain).decode()


def _shown_texts(job: JobRecord, parameters: Sequence[str]) -> str:
    """All that a search looks into, in the order and the form in which stores do."""
    payload = PayloadView.of(job.payload, parameters)
    call = msgspec.json.encode({"args": payload.args, "kwargs": payload.kwargs}).decode()
    meta = "" if job.meta is None or is_encrypted(job.meta) else _whole_meta(job.meta)
    errors = "" if job.errors is None else _shown_errors(read_faults(job.errors))
    tags = msgspec.json.encode(read_tags(job)).decode()
    return " ".join((job.id, job.task, job.queue, job.worker or "", tags, meta, call, errors))


def _whole_meta(text: str) -> str:
    meta = read_meta(text)
    plain = msgspec.to_builtins(meta) | {"meta": redacted(meta.meta)}
    return msgspec.json.encode(plain).decode()


def _shown_errors(history: Faults) -> str:
    faults = [
        msgspec.structs.replace(
            fault,
            message=redacted_text(fault.message),
            cause=tuple(map(redacted_text, fault.cause)),
            traceback=redacted_text(fault.traceback),
            log=redacted_text(fault.log),
        )
        for fault in history.faults
    ]
    shown = msgspec.structs.replace(history, faults=tuple(faults), log=redacted_text(history.log))
    return msgspec.json.encode(shown).decode()
