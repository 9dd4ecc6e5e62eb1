"""Chains: jobs one after the other, each with the result of the one before."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any, Literal

import pytest

from tests.ledger.apps import work
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE
from windlass import ConfigError, Job, JobFailed, ParentFailed, State, Unique, Windlass, chain
from windlass.task import Task


@pytest.fixture
def double(app: Windlass) -> Task[..., int]:
    @app.task(name="double", retry=False)
    def double(number: int) -> int:
        if number < 0:
            raise OSError("below zero")
        return 2 * number

    return double


@pytest.fixture
def show(app: Windlass) -> Task[..., str]:
    @app.task(name="show")
    def show(value: Any, before: str = "") -> str:
        return f"{before}{value!r}"

    return show


def test_each_result_is_the_first_argument_of_the_next(
    app: Windlass, double: Task[..., int], show: Task[..., str]
) -> None:
    """B34: and other arguments follow."""
    flow = chain(double.request(1), double.request(), show.request(before="it is ")).enqueue()
    assert flow.progress().states == {State.PENDING: 1, State.BLOCKED: 2}
    assert (flow.jobs[2].args, flow.jobs[2].kwargs) == ((), {"before": "it is "})
    work(app)
    assert flow.result(timeout=0) == "it is 4"
    assert (flow.progress().done, flow.progress().completed, flow.progress().failed) == (3, 3, 0)


def test_a_result_may_go_into_an_argument_of_any_name(
    app: Windlass, double: Task[..., int], show: Task[..., str]
) -> None:
    """B34: into="name"; of several jobs it is a list, in the order in which they are named."""
    flow = chain(show.request(1), show.options(into="before").request(2)).enqueue()
    one, two = double.request(1), double.request(2)
    jobs = app.enqueue_many([one, two, show.options(after=[two, one], into="value").request()])
    work(app)
    assert (flow.result(timeout=0), jobs[2].result(timeout=0)) == ("12", "[4, 2]")


def test_results_of_every_kind(app: Windlass, show: Task[..., str]) -> None:
    """B34, B1: what can be stored comes out as it went in; nothing is None."""

    @app.task(name="make")
    def make(kind: str) -> Any:
        return {"instant": datetime(2026, 1, 1, tzinfo=UTC), "set": {1, 2}, "text": 'ä"\\', "nothing": None}[kind]

    flows = [chain(make.request(kind), show.request()).enqueue() for kind in ("instant", "set", "text", "nothing")]
    work(app)
    assert [flow.result(timeout=0) for flow in flows] == [
        repr(datetime(2026, 1, 1, tzinfo=UTC)),
        "{1, 2}",
        repr('ä"\\'),
        "None",
    ]


@pytest.mark.parametrize("chosen", ["cancel", "run", "wait"])
def test_a_link_that_fails(
    app: Windlass, double: Task[..., int], show: Task[..., str], chosen: Literal["cancel", "run", "wait"]
) -> None:
    """B34: the rest is cancelled, runs with what is known of the failure, or waits for a hand."""
    flow = chain(double.request(-1), show.request(), show.request(), on_failure=chosen).enqueue()
    work(app)
    first, second, _ = [job.refresh() for job in flow.jobs]
    if chosen == "run":
        failed = ParentFailed(first.id, "failed", "attempts", "OSError", "below zero")
        assert second.result(timeout=0) == repr(failed)
        assert flow.last.state is State.COMPLETED
    else:
        assert second.state is (State.CANCELLED if chosen == "cancel" else State.BLOCKED)
    if chosen == "cancel":
        with pytest.raises(JobFailed, match="below zero"):
            flow.result(timeout=0)
        with pytest.raises(JobFailed, match="below zero"):
            asyncio.run(flow.aresult(timeout=0))


@pytest.mark.parametrize("chosen", ["cancel", "wait"])
def test_a_failed_link_that_is_retried_by_hand_goes_on_with_the_chain(
    app: Windlass, show: Task[..., str], chosen: Literal["cancel", "wait"]
) -> None:
    """B34: the others take up where they were, with the result of the run that worked."""
    broken = [True]

    @app.task(name="mended", retry=False)
    def mended() -> int:
        if broken:
            raise OSError
        return 7

    flow = chain(mended.request(), show.request(), show.request(), on_failure=chosen).enqueue()
    work(app)
    broken.clear()
    flow.jobs[0].retry()
    work(app)
    assert flow.result(timeout=0) == repr("7")


def test_a_chain_is_cancelled_as_a_whole(app: Windlass, double: Task[..., int]) -> None:
    """B34."""
    flow = chain(double.request(1), double.request(), double.request()).enqueue()
    assert flow.cancel() == 3
    assert {job.refresh().state for job in flow.jobs} == {State.CANCELLED}
    assert {job.reason for job in flow.jobs} == {None}
    assert flow.cancel() == 0


def test_from_async_code_and_by_name(app: Windlass, double: Task[..., int]) -> None:
    """B34."""
    flow = asyncio.run(chain(double.request(1), app.request("double")).aenqueue())
    named = chain(app.request("double", [1]), app.request("double")).enqueue(app)
    work(app)
    assert (flow.result(timeout=0), named.result(timeout=0)) == (4, 4)
    assert asyncio.run(flow.aprogress()).completed == 2


def test_a_link_that_was_there_already_gives_its_result(app: Windlass, show: Task[..., str]) -> None:
    """B34, B29, B17: of a cached or a unique job the earlier one counts, which has another id than the request."""

    @app.task(name="load", cache="10m")
    def load(page: int) -> str:
        return f"page {page}"

    for number in range(3):
        flow = chain(load.request(7), show.request()).enqueue()
        assert flow.jobs[0].duplicate == (number > 0)
        work(app)
        assert flow.result(timeout=0) == "'page 7'"
    waiting = [chain(load.options(cache=None, unique="once").request(8), show.request()).enqueue() for _ in range(2)]
    assert waiting[0].jobs[0].id == waiting[1].jobs[0].id
    work(app)
    assert [flow.result(timeout=0) for flow in waiting] == ["'page 8'"] * 2


def test_a_link_is_not_equal_to_another_that_gets_other_results(app: Windlass, double: Task[..., int]) -> None:
    """B34, B29, B17: the result that it gets is an argument, and nobody knows it when the chain is enqueued."""
    cached = app.task(name="cached", cache="10m")(lambda number=0: number)
    unique = app.task(name="unique", unique=Unique())(lambda number=0: number)
    chosen: Any = app.task(
        name="chosen", unique=Unique(by=("name",)), concurrency_key=lambda name, **_: name, concurrency=1
    )(lambda number, name: (number, name))
    flows = [chain(double.request(number), cached.request()).enqueue() for number in (1, 2)]
    flows += [chain(double.request(number), chosen.request(name=str(number))).enqueue() for number in (3, 4)]
    assert not any(job.duplicate for flow in flows for job in flow.jobs)
    work(app)
    assert [flow.result(timeout=0) for flow in flows] == [2, 4, (6, "3"), (8, "4")]
    named = [chain(double.request(5), cached.options(cache_key="five").request()).enqueue() for _ in range(2)]
    assert named[1].last.duplicate
    with pytest.raises(ConfigError, match="unique by its arguments, and this job gets one of them from another job"):
        chain(double.request(1), unique.request()).enqueue()
    with pytest.raises(ConfigError, match="names 'number', which is no argument of this call"):
        chain(double.request(1), unique.options(unique=Unique(by=("number",))).request()).enqueue()


def test_what_is_refused(app: Windlass, double: Task[..., int], show: Task[..., str]) -> None:
    """B34: where the chain is made, or enqueued; nothing is stored."""
    with pytest.raises(ConfigError, match="got none"):
        chain()
    with pytest.raises(ConfigError, match="chain takes requests"):
        chain(double)  # type: ignore[arg-type]
    one_link: Any = chain(double.request(1))
    for enqueue in (app.enqueue, lambda flow: app.enqueue_many([flow])):
        with pytest.raises(ConfigError, match="it is enqueued by itself"):
            enqueue(one_link)
    with pytest.raises(ConfigError, match="waits for other jobs already"):
        chain(double.request(1), double.options(after=["x"]).request())
    with pytest.raises(ConfigError, match="name the app"):
        chain(app.request("a"), app.request("b")).enqueue()
    with pytest.raises(TypeError, match="too many"):
        chain(double.request(1), double.request(2)).enqueue()
    with pytest.raises(TypeError, match="missing"):
        app.enqueue_many([double.request()])
    with pytest.raises(ConfigError, match="waits for no other"):
        show.options(into="value").enqueue(1)
    with pytest.raises(ConfigError, match="name of an argument"):
        show.options(into="no name")
    assert app.jobs() == []


def test_a_damaged_result_fails_the_job_that_gets_it_and_no_other(
    app: Windlass, double: Task[..., int], show: Task[..., str], raw_store: RawStore
) -> None:
    """B34, B32: it does not wait for ever, nor do the jobs that are claimed with it."""
    parents = [double.enqueue(1), double.enqueue(2)]
    work(app)
    children = [show.options(after=[parent], into="value").enqueue() for parent in parents]
    damaged = parents[0].refresh().record.result
    assert damaged is not None
    raw_store.damage(parents[0], result=damaged.replace("2", "3"))
    work(app)
    assert (children[0].refresh().state, children[0].reason) == (State.FAILED, "undecodable")
    assert children[1].result(timeout=0) == "4"


@pytest.mark.only_on("sqlite")
def test_results_that_are_too_much_are_refused_with_a_remedy(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    """B34: several results are read into memory, so they are bounded; what others of a claim take up is free later."""
    monkeypatch.setattr("windlass.store.operations.flows.inputs.MOST_BYTES", 100)

    @app.task(name="repeat")
    def repeat(number: int) -> str:
        return "x" * number

    @app.task(name="join")
    def _join(parts: list[str]) -> int:
        return len("".join(parts))

    def joined(*sizes: int) -> Job[Any]:
        parents = [repeat.enqueue(size) for size in sizes]
        return app.enqueue(app.request("join", after=parents, into="parts"))

    fits, also_fits, too_much = joined(10, 20), joined(20, 30), joined(60, 60)
    work(app, concurrency=1)
    with app.worker():
        assert [fits.result(timeout=PATIENCE), also_fits.result(timeout=PATIENCE)] == [30, 50]
        too_much.wait(timeout=PATIENCE)
    assert (too_much.state, too_much.reason) == (State.FAILED, "undecodable")
    assert "the results of the 2 jobs that it waited for hold more than 64 MiB" in too_much.errors[0].message
