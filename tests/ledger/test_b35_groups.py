"""Groups: jobs side by side, and a callback that gets their results once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.ledger.apps import work
from windlass import (
    ConfigError,
    GroupFlow,
    IdConflict,
    JobFailed,
    ParentFailed,
    Results,
    State,
    Windlass,
    chain,
    current_job,
    group,
)
from windlass.task import Task
from windlass.testing import drain, inline, manual


@pytest.fixture
def double(app: Windlass) -> Task[..., int]:
    @app.task(name="double", retry=False)
    def double(number: int) -> int:
        if number < 0:
            raise OSError("below zero")
        return 2 * number

    return double


@pytest.fixture
def merge(app: Windlass) -> Task[..., str]:
    @app.task(name="merge")
    def merge(results: Results, before: str = "") -> str:
        return before + ", ".join(map(str, results))

    return merge


def test_the_callback_gets_all_results_in_order(app: Windlass, double: Task[..., int], merge: Task[..., str]) -> None:
    """B35: as its first argument, and other arguments follow."""
    flow = group([double.request(n) for n in range(5)]).then(merge.request(before="got ")).enqueue()
    assert flow.callback is not None
    assert (len(flow.jobs), len(flow.members), flow.callback.state) == (6, 5, State.BLOCKED)
    assert flow.progress().states == {State.PENDING: 5}
    assert flow.callback.why().startswith("it waits for 5 of 5 members of its group: ")
    work(app)
    assert flow.result(timeout=0) == "got 0, 2, 4, 6, 8"
    assert list(flow.results()) == [0, 2, 4, 6, 8]
    assert (flow.progress().total, flow.progress().completed, flow.progress().done) == (5, 5, 5)
    found = flow.members[3].group()
    assert found is not None
    assert found.members == flow.members
    assert found.callback == flow.callback == flow.callback.group().callback  # type: ignore[union-attr]


def test_results_may_go_into_an_argument_of_any_name(app: Windlass, double: Task[..., int]) -> None:
    """B35: into="name"; results are read by index, from the end and in slices."""

    @app.task(name="some")
    def some(first: int, values: Any = ()) -> list[int]:
        return [first, len(values), values[-1], *values[1:3]]

    flow = group([double.request(n) for n in range(4)]).then(some.options(into="values").request(7)).enqueue()
    work(app)
    assert flow.result(timeout=0) == [7, 4, 6, 2, 4]


def test_a_group_without_members(app: Windlass, merge: Task[..., str]) -> None:
    """B35: its callback runs at once, with no results."""
    flow = group([]).then(merge.request(before="nothing")).enqueue()
    assert flow.last.state is State.PENDING
    work(app)
    assert (flow.result(timeout=0), list(flow.results()), flow.progress().total) == ("nothing", [], 0)
    assert list(group([]).enqueue(app).results()) == []


def test_a_group_without_a_callback(app: Windlass, double: Task[..., int]) -> None:
    """B35."""
    one = double.request(1)
    flow = group([one, one, double.request(2)]).enqueue()
    work(app)
    assert list(flow.result(timeout=0)) == list(asyncio.run(flow.aresult(timeout=0))) == [2, 2, 4]
    with pytest.raises(ConfigError, match="without a callback"):
        flow.add(double.request(1))
    failed = group([double.request(-1), double.request(1)]).enqueue()
    work(app)
    with pytest.raises(JobFailed, match="below zero"):
        failed.result(timeout=0)
    assert [type(value) for value in failed.results()] == [ParentFailed, int]


@pytest.mark.parametrize("chosen", ["cancel", "run", "wait"])
def test_a_member_that_fails(
    app: Windlass, double: Task[..., int], merge: Task[..., str], chosen: Literal["cancel", "run", "wait"]
) -> None:
    """B35: the callback is cancelled, runs with what is known of the failure, or waits for a hand."""
    callback = merge.options(on_parent_failure=chosen).request()
    flow = group([double.request(1), double.request(-1), double.request(3)]).then(callback).enqueue()
    work(app)
    state = flow.last.refresh().state
    if chosen == "run":
        failed = ParentFailed(flow.members[1].id, "failed", "attempts", "OSError", "below zero")
        assert flow.result(timeout=0) == f"2, {failed}, 6"
        assert list(flow.results()) == [2, failed, 6]
    else:
        assert state is (State.CANCELLED if chosen == "cancel" else State.BLOCKED)
    if chosen == "cancel":
        with pytest.raises(JobFailed, match="below zero"):
            flow.result(timeout=0)
        with pytest.raises(JobFailed, match="below zero"):
            asyncio.run(flow.aresult(timeout=0))
    assert flow.progress().failed == 1


@pytest.mark.parametrize("chosen", ["cancel", "wait"])
def test_what_failed_is_tried_again(app: Windlass, merge: Task[..., str], chosen: Literal["cancel", "wait"]) -> None:
    """B35: the callback runs once, when all have completed."""
    broken = [True]

    @app.task(name="mended", retry=False)
    def mended(number: int) -> int:
        if broken and number % 2:
            raise OSError
        return number

    callback = merge.options(on_parent_failure=chosen).request()
    flow = group([mended.request(n) for n in range(5)]).then(callback).enqueue()
    work(app)
    assert flow.retry_failed() == 2
    work(app)
    assert flow.progress().failed == 2
    broken.clear()
    assert asyncio.run(flow.aretry_failed()) == 2
    work(app)
    assert (flow.result(timeout=0), flow.retry_failed()) == ("0, 1, 2, 3, 4", 0)
    assert flow.last.refresh().attempt == 1


def test_what_failed_inside_of_members_is_tried_again(app: Windlass, merge: Task[..., str]) -> None:
    """B35: a member may be a chain or a group; also by a handle that was looked up."""
    broken = [True]

    @app.task(name="mended", retry=False)
    def mended(number: int) -> int:
        if broken and number % 2:
            raise OSError("odd")
        return number

    inner = group([mended.request(1), mended.request(2)]).then(merge.request())
    links = chain(mended.request(3), mended.request())
    flow = group([inner, links, mended.request(4)]).then(merge.request()).enqueue()
    work(app)
    found = flow.last.refresh().group()
    assert found is not None
    with pytest.raises(JobFailed, match="odd"):
        found.result(timeout=0)
    broken.clear()
    assert (found.retry_failed(), flow.retry_failed()) == (2, 0)
    work(app)
    assert flow.result(timeout=0) == "1, 2, 3, 4"


def test_members_that_add_members(app: Windlass, merge: Task[..., str], double: Task[..., int]) -> None:
    """B35: group.add() from inside a member, while the group is open."""

    @app.task(name="walk")
    def walk(depth: int) -> int:
        found = current_job().group()
        assert found is not None
        if depth:
            found.add(walk.request(depth - 1), double.request(depth))
        return depth

    flow = group([walk.request(2)]).then(merge.request()).enqueue()
    work(app)
    assert flow.result(timeout=0) == "2, 1, 4, 0, 2"
    assert flow.progress().total == 5
    with pytest.raises(ConfigError, match="does not wait for members any more"):
        flow.add(double.request(1))
    assert app.counts()[State.COMPLETED] == 6


def test_a_member_that_was_added_and_fails(app: Windlass, merge: Task[..., str], double: Task[..., int]) -> None:
    """B35: who waits for the group is told what it raised."""
    flow = group([double.request(1)]).then(merge.request()).enqueue()
    flow.add(double.request(-1))
    work(app)
    with pytest.raises(JobFailed, match="below zero"):
        flow.result(timeout=0)
    with pytest.raises(JobFailed, match="below zero"):
        asyncio.run(flow.aresult(timeout=0))


def test_members_and_callback_are_claimed_by_hand(app: Windlass, merge: Task[..., str], double: Task[..., int]) -> None:
    """B35: the callback gets its results there too."""
    flow = group([double.request(n) for n in range(3)]).then(merge.request()).enqueue()
    for claimed in app.claim(limit=10):
        claimed.complete(2 * claimed.args[0])
    [callback] = app.claim()
    assert (callback.id, list(callback.args[0])) == (flow.last.id, [0, 2, 4])
    assert flow.last.refresh().encrypted == {}
    callback.complete("by hand")
    assert flow.result(timeout=0) == "by hand"


def test_another_callback_under_the_same_id_is_a_conflict(
    app: Windlass, merge: Task[..., str], double: Task[..., int]
) -> None:
    """B35, A1: all of its call is compared."""

    def made(before: str) -> GroupFlow:
        named = double.options(id="member").request(1), merge.options(id="callback").request(before=before)
        return group([named[0]]).then(named[1]).enqueue()

    assert made("one").last == made("one").last
    with pytest.raises(IdConflict):
        made("two")


def test_a_group_is_cancelled_as_a_whole(app: Windlass, merge: Task[..., str], double: Task[..., int]) -> None:
    """B35: with those that were added."""
    flow = group([double.request(1), double.request(2)]).then(merge.request()).enqueue()
    flow.add(double.request(3))
    assert flow.cancel() == 4
    assert flow.progress().states == {State.CANCELLED: 3}
    assert (flow.last.refresh().state, flow.last.reason, flow.cancel()) == (State.CANCELLED, None, 0)


def test_groups_of_groups_and_chains(app: Windlass, merge: Task[..., str], double: Task[..., int]) -> None:
    """B35: a chain and a group may be members, a group may be a link of a chain."""
    inner = group([double.request(1), double.request(2)]).then(merge.request())
    outer = group([inner, chain(double.request(5), double.request()), double.request(0)]).then(
        merge.request(before="(")
    )
    fan = chain(double.request(1), group([double.request(), double.request()]), merge.request(before="fan "))
    whole = chain(inner, merge.request())
    flows = [outer.enqueue(), fan.enqueue(), whole.enqueue()]
    work(app)
    assert flows[0].result(timeout=0) == "(2, 4, 20, 0"
    assert flows[1].result(timeout=0) == "fan 4, 4"
    assert flows[2].result(timeout=0) == "2, ,,  , 4"
    empty = chain(double.request(1), group([]), merge.request(before="empty")).enqueue()
    assert empty.last.state is State.BLOCKED
    work(app)
    assert empty.result(timeout=0) == "empty"


def test_from_async_code(app: Windlass, double: Task[..., int]) -> None:
    """B35: an async callback reads the results while its loop goes on."""

    @app.task(name="gather")
    async def gather(results: Results) -> list[Any]:
        return [[value async for value in results], await results.alist()]

    async def make() -> Any:
        made = await group([double.request(1), double.request(2)]).then(gather.request()).aenqueue()
        added = await made.aadd(double.request(3))
        assert (len(added), (await made.aprogress()).total) == (1, 3)
        return made

    flow = asyncio.run(make())
    work(app)
    assert flow.result(timeout=0) == [[2, 4, 6], [2, 4, 6]]
    assert list(asyncio.run(flow.aresults(timeout=0))) == [2, 4, 6]


def test_what_is_refused(app: Windlass, merge: Task[..., str], double: Task[..., int]) -> None:
    """B35: where the group is made, or enqueued; nothing is stored."""
    with pytest.raises(ConfigError, match="group takes requests"):
        group([double])  # type: ignore[list-item]
    with pytest.raises(ConfigError, match=r"group takes a list of requests.*got one for task 'double'$"):
        group(double.request(1))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="needs a callback"):
        group([group([double.request(1)])])
    with pytest.raises(ConfigError, match="needs a callback"):
        chain(double.request(1), group([double.request()]))
    with pytest.raises(ConfigError, match="has a callback already"):
        group([double.request(1)]).then(merge.request()).then(merge.request())
    with pytest.raises(ConfigError, match="then takes a request"):
        group([double.request(1)]).then(merge)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="name the app"):
        group([app.request("a")]).enqueue()
    with pytest.raises(TypeError, match="too many"):
        group([double.request(1)]).then(double.request(2)).enqueue()
    with pytest.raises(ConfigError, match="unknown option 'members'"):
        double.options(members=())  # type: ignore[call-overload]
    assert sum(app.counts().values()) == 0


@pytest.mark.only_on("sqlite")
def test_in_the_transaction_of_the_caller(tmp_path: Path) -> None:
    """B35: all of it is committed, or nothing."""
    app = Windlass(f"sqlite:///{tmp_path}/shop.db?driver=stdlib")

    @app.task
    def double(number: int) -> int:
        return 2 * number

    @app.task
    def total(results: Results) -> int:
        return sum(results)

    app.migrate()
    connection = sqlite3.connect(tmp_path / "shop.db")
    asked = group([double.request(1), double.request(2)]).then(total.request())
    with app.transaction(connection):
        asked.enqueue()
    connection.rollback()
    assert sum(app.counts().values()) == 0
    with connection, app.transaction(connection):
        flow = asked.enqueue()
        with pytest.raises(ConfigError, match="not added inside a transaction"):
            flow.add(double.request(3))
    connection.close()
    work(app)
    assert flow.result(timeout=0) == 6
    app.close()


@pytest.mark.only_on("sqlite")
def test_in_tests_of_users(app: Windlass, double: Task[..., int], merge: Task[..., str]) -> None:
    """B35: inline and by hand."""
    asked = group([double.request(1), double.request(2)]).then(merge.request())
    with inline(app):
        assert asked.enqueue().result() == "2, 4"
    with manual(app):
        flow = asked.enqueue()
        assert drain(app) == 3
        assert flow.result() == "2, 4"


@pytest.mark.only_on("sqlite")
def test_ten_thousand_members(app: Windlass, double: Task[..., int]) -> None:
    """B35: in one call, of which the callback does not count, and the results are read in pages."""

    @app.task(name="total")
    def total(results: Results) -> list[int]:
        return [len(results), sum(results), results[9_999], results[0]]

    flow = group([double.request(n) for n in range(10_000)]).then(total.request()).enqueue()
    assert work(app, concurrency=4) == 10_001
    assert flow.result(timeout=0) == [10_000, 99_990_000, 19_998, 0]


def test_large_results_are_read_in_pages(app: Windlass) -> None:
    """B35: never all of them at once."""

    @app.task(name="large")
    def large(number: int) -> str:
        return str(number) * 900_000

    @app.task(name="sizes")
    def sizes(results: Results) -> list[int]:
        found = [len(value) for value in results]
        return [*found, len(results[0])]

    flow = group([large.request(n) for n in range(8)]).then(sizes.request()).enqueue()
    work(app)
    assert flow.result(timeout=0) == [900_000] * 9
