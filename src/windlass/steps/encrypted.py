"""Steps and events of encrypted jobs: encrypted on their way to the store, opened on their way back.

It works on calls, not on values, so that the calls of a child go the same way, in its worker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import open_text, seal_text
from windlass.store.answers import records
from windlass.store.operation import Answer, Call, Operation
from windlass.store.operations.steps.steps import StepRecord

A = TypeVar("A")


def encrypted_steps(encryption: Encryption, id: str, operation: Operation[A], *, writes: bool) -> Operation[A]:
    """An operation on the steps of a job that opens what is encrypted, and with ``writes`` encrypts what it writes."""
    if not encryption.is_on:
        return operation
    return _encrypted(encryption, id, operation, writes=writes)


def _encrypted(encryption: Encryption, id: str, operation: Operation[A], *, writes: bool) -> Operation[A]:
    try:
        call = next(operation)
        while True:
            try:
                answer = yield _sealed(encryption, id, call) if writes else call
            except GeneratorExit:
                operation.close()
                raise
            except BaseException as error:
                call = operation.throw(error)
            else:
                call = operation.send(_opened(encryption, id, call, answer))
    except StopIteration as stop:
        result: A = stop.value
        return result


def _sealed(encryption: Encryption, id: str, call: Call) -> Call:
    if call.name != "record_step" or call.params["result"] is None:
        return call
    result = seal_text(encryption, "step", (id, call.params["name"]), call.params["result"])
    return Call(call.name, {**call.params, "result": result}, call.lane)


def _opened(encryption: Encryption, id: str, call: Call, answer: Answer) -> Answer:
    if call.name == "steps":
        return {**answer, "steps": [astuple(opened_step(encryption, id, step)) for step in _steps(answer)]}
    if call.name == "await_event":
        event = call.params["event"]
        opened = [(*rest, open_text(encryption, "event", (event,), value)) for *rest, value in answer["outcome"]]
        return {**answer, "outcome": opened}
    return answer


def opened_step(encryption: Encryption, id: str, step: StepRecord) -> StepRecord:
    """A step with its result, or the value of its event, in clear."""
    if step.result is None:
        return step
    field, owner = step_owner(id, step)
    return replace(step, result=open_text(encryption, field, owner, step.result))


def step_owner(id: str, step: StepRecord) -> tuple[str, tuple[str, ...]]:
    """What its result is bound to: the job and its name, or the event whose value it is."""
    return ("step", (id, step.name)) if step.event is None else ("event", (step.event,))


def _steps(answer: Mapping[str, Any]) -> list[StepRecord]:
    return records(answer["steps"], StepRecord)
