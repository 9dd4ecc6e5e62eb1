"""The gate that workers check themselves: one that is paused asks for no jobs."""

from __future__ import annotations

from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor
from windlass import Windlass
from windlass.store.operation import Call
from windlass.store.operations.gates import Gate, gates


def test_a_paused_worker_takes_nothing_as_long_as_its_gate_is_named(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """F2: `why` names it if and only if it holds jobs back."""
    requested: list[object] = []

    @app.task
    def noop() -> None: ...

    def look(call: Call) -> None:
        if call.name == "cycle":
            requested.extend(call.params["requests"])

    def shut() -> list[Gate]:
        found = app.client.session.run(gates(job.record.seq))
        assert found is not None
        return found.names()

    with app.worker() as worker:
        worker.pause()
        job = noop.enqueue()
        eventually(lambda: shut() == [Gate.NO_WILLING_WORKER], "the store knows of the pause")
        interceptor.before.append(look)
        assert shut() == [Gate.NO_WILLING_WORKER]
        assert requested == []
        worker.resume()
        job.result(timeout=PATIENCE)
        assert requested
        eventually(lambda: shut() == [], "the store knows that it goes on")
