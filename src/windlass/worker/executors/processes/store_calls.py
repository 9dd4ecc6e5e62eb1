"""Calls to the store that a run in a child makes through its worker."""

from __future__ import annotations

from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operation import Answer, Call, Lane, Operation
from windlass.worker.executors.processes.child_side.messages import StoreAnswer, StoreCall
from windlass.worker.runs.run import Run

_RECORDS = {"record_step": "recorded", "await_event": "outcome"}
"""Calls that give a job its budget of attempts anew, and the part of the answer that is not empty then."""


def answered(run: Run | None, asked: StoreCall) -> StoreAnswer:
    """Make the call for the run, which is None if it is over by now."""
    if run is None:
        return StoreAnswer(asked.number, None, "the run is over")
    try:
        answer = run.ask_store(_one_call(Call(asked.name, asked.params, Lane(asked.lane))))
    except WindlassError as error:
        return StoreAnswer(asked.number, None, str(error), isinstance(error, StoreUnavailable))
    if asked.name in _RECORDS and answer[_RECORDS[asked.name]]:
        # Before the child is told: should it die in between, its job is judged by the new budget.
        run.renew_budget()
    return StoreAnswer(asked.number, dict(answer))


def _one_call(call: Call) -> Operation[Answer]:
    answer = yield call
    return answer
