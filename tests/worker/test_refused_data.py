"""One ending that the store will not take: its job fails, the others of its batch do not notice."""

from __future__ import annotations

import asyncio

import pytest

from tests.places.raw_sqlite import RawSqlite
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor
from windlass import State, Windlass
from windlass.store.driver import DataRejected
from windlass.store.operation import Call

TOGETHER = 200
POISON = 137


def refuse(file: RawSqlite, value: str) -> None:
    """Have the store itself refuse this result, as it would a value that breaks a constraint."""
    file.execute(
        "CREATE TRIGGER poison BEFORE UPDATE ON windlass_job "
        f"WHEN rtrim(NEW.result, char(32, 9, 10, 13)) = '{value}' BEGIN SELECT RAISE(ABORT, 'poison'); END"
    )


def ended(call: Call) -> list[int]:
    """The seqs that a cycle ends."""
    return [seq for seq, *_ in call.params["completed"]] + [ending.seq for ending in call.params["endings"]]


@pytest.mark.only_on("sqlite")
def test_one_poisonous_ending_among_200_fails_only_its_own_job(
    app: Windlass, file: RawSqlite, interceptor: CallInterceptor
) -> None:
    """I11: the offender is failed with a stored reason, the rest of the batch is written."""
    batches: list[int] = []

    def look(call: Call) -> None:
        if call.name == "cycle":
            batches.append(len(ended(call)))

    interceptor.before.append(look)
    all_here = 0
    gathered: asyncio.Event | None = None

    @app.task
    async def answer(number: int) -> int:
        nonlocal all_here, gathered
        gathered = gathered or asyncio.Event()
        all_here += 1
        if all_here == TOGETHER:
            gathered.set()
        await asyncio.wait_for(gathered.wait(), PATIENCE)
        return number

    jobs = answer.enqueue_many([(number,) for number in range(TOGETHER)])
    refuse(file, str(POISON))
    app.worker(concurrency=TOGETHER).run_until_empty()
    assert max(batches) > TOGETHER / 2, "the endings did not travel together, so nothing was proved"
    poisoned = jobs.pop(POISON).refresh()
    assert (poisoned.state, poisoned.reason, poisoned.attempt) == (State.FAILED, "result", 1)
    assert "poison" in poisoned.errors[-1].message
    assert [job.result(timeout=PATIENCE) for job in jobs] == [n for n in range(TOGETHER) if n != POISON]


def test_a_job_whose_failure_cannot_be_stored_either_holds_nobody_up(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """I11: what no words can save is left to rescue, and said so."""

    @app.task(name="t")
    def echo(number: int) -> int:
        return number

    hopeless = echo.enqueue(0)
    seq = hopeless.record.seq

    def never(call: Call) -> None:
        if call.name == "cycle" and seq in ended(call):
            raise DataRejected("no words will do")

    interceptor.before.append(never)
    with app.worker():
        others = echo.enqueue_many([(number,) for number in range(1, 20)])
        assert [job.result(timeout=PATIENCE) for job in others] == list(range(1, 20))
        eventually(lambda: "not even its failure" in caplog.text, "the log tells of it")
    assert hopeless.refresh().state == State.RUNNING
    app.rescue()
    assert hopeless.refresh().state == State.PENDING


def test_a_refusal_that_is_not_about_endings_is_tried_again(app: Windlass, interceptor: CallInterceptor) -> None:
    refusals = iter([True] * 3)

    def refuse_claims(call: Call) -> None:
        if call.name == "cycle" and call.params["requests"] and next(refusals, False):
            raise DataRejected("a row that is not ours")

    interceptor.before.append(refuse_claims)

    @app.task
    def echo() -> int:
        return 1

    with app.worker():
        assert echo.enqueue().result(timeout=PATIENCE) == 1
