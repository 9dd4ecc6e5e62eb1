"""page: jobs that a filter finds, the newest first, by cursor."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import SECOND, ids, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from tests.store.watched_calls import WatchedCalls
from windlass.core.outcome import FailedPermanently
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.insight.job_page import newer_count
from windlass.store.operation import Operation
from windlass.store.operations import jobs, queries
from windlass.store.operations.encryption.rekey import NewTexts, rekey
from windlass.store.operations.queries import WINDOW, Filter, Page
from windlass.store.pages import PAGE, Found


def found(store: Store, filter: Filter, limit: int = 50) -> list[str]:
    return ids(store.run(queries.page(filter, limit=limit)).jobs)


def all_pages(store: Store, filter: Filter, limit: int) -> list[Page[JobRecord]]:
    pages = [store.run(queries.page(filter, limit=limit))]
    while pages[-1].next is not None:
        pages.append(store.run(queries.page(filter, limit=limit, cursor=pages[-1].next)))
    return pages


def test_the_newest_come_first(store: Store) -> None:
    store.enqueue(new_job("a", priority=9), new_job("b"), new_job("c"))
    assert found(store, Filter()) == ["c", "b", "a"]


def test_an_empty_store_has_one_empty_page(store: Store) -> None:
    assert store.run(queries.page(Filter(), limit=5)) == Page([], None)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 100])
def test_pages_follow_each_other_without_gap_or_overlap(store: Store, limit: int) -> None:
    """Keyset pages."""
    store.enqueue(*(new_job(f"{number}") for number in range(7)))
    pages = all_pages(store, Filter(), limit)
    assert [job.id for page in pages for job in page.jobs] == ["6", "5", "4", "3", "2", "1", "0"]
    assert all(len(page.jobs) <= limit for page in pages)


def test_jobs_that_come_in_between_do_not_shift_the_pages(store: Store) -> None:
    store.enqueue(*(new_job(f"{number}") for number in range(4)))
    first = store.run(queries.page(Filter(), limit=2))
    store.enqueue(new_job("new"))
    second = store.run(queries.page(Filter(), limit=2, cursor=first.next))
    assert ids(first.jobs) + ids(second.jobs) == ["3", "2", "1", "0"]


@pytest.mark.parametrize("state", sorted(State))
def test_by_state(store: Store, state: State) -> None:
    jobs_by_state = {state: a_job_in(store, state) for state in State}
    page = store.run(queries.page(Filter(states=(state,)), limit=50))
    assert page == Page([jobs_by_state[state]], None)


def test_by_several_states(store: Store) -> None:
    jobs_by_state = {state: a_job_in(store, state) for state in State}
    wanted = (State.FAILED, State.CANCELLED, State.PENDING)
    assert set(found(store, Filter(states=wanted))) == {jobs_by_state[state].id for state in wanted}
    assert found(store, Filter(states=())) == []


def test_dead_letters_are_paged_too(store: Store) -> None:
    """A11: list dead letters."""
    store.enqueue(*(new_job(f"{number}", attempts=1) for number in range(5)))
    for job in store.a_worker().take():
        store.end(job, raised())
    store.enqueue(*(new_job() for _ in range(5)))
    pages = all_pages(store, Filter(states=(State.FAILED,)), 2)
    assert [job.id for page in pages for job in page.jobs] == ["4", "3", "2", "1", "0"]


def test_by_queue_and_task(store: Store) -> None:
    """Filter by queue and task."""
    store.enqueue(new_job("a", queue="mail"), new_job("b", task="send"), new_job("c", queue="mail", task="send"))
    assert found(store, Filter(queue="mail")) == ["c", "a"]
    assert found(store, Filter(task="send")) == ["c", "b"]
    assert found(store, Filter(queue="mail", task="send")) == ["c"]
    assert found(store, Filter(queue="nowhere")) == []


def test_by_time_of_creation(store: Store) -> None:
    """A time range holds its beginning, not its end."""
    for id in "abc":
        store.enqueue(new_job(id))
        store.advance(SECOND)
    assert found(store, Filter(since=START + SECOND)) == ["c", "b"]
    assert found(store, Filter(until=START + SECOND)) == ["a"]
    assert found(store, Filter(since=START, until=START + 2 * SECOND)) == ["b", "a"]


def test_by_time_of_ending(store: Store) -> None:
    """A11: purge by age."""
    for id in "ab":
        store.finished(FailedPermanently(raised().fault, "permanent"), new_job(id))
        store.advance(SECOND)
    store.enqueue(new_job("waiting"))
    assert found(store, Filter(states=(State.FAILED,), finished_before=START + SECOND)) == ["a"]
    assert found(store, Filter(finished_before=START + 2 * SECOND)) == ["b", "a"]


@pytest.mark.parametrize("text", ["invoice-7", "INVOICE", "oice", "keyerror", "100%", "a_b", "acme.Send"])
def test_by_text_of_id_task_arguments_or_errors(store: Store, text: str) -> None:
    """Text, in any case, taken literally."""
    store.finished(raised("KeyError"), new_job("Invoice-7", task="acme.send", payload='{"args":["100%","a_b"]}'))
    store.enqueue(new_job("other", task="t", payload='{"args":["100 a b"]}'))
    assert found(store, Filter(text=text)) == ["Invoice-7"]


def test_a_filter_that_finds_little_gives_a_short_page_with_a_next(store: Store) -> None:
    """A page looks at a bounded number of jobs."""
    store.enqueue(new_job("needle", queue="rare"))
    for _ in range(2):
        store.enqueue(*(new_job() for _ in range(WINDOW // 2)))
    first = store.run(queries.page(Filter(queue="rare"), limit=10))
    assert (first.jobs, first.next is not None) == ([], True)
    second = store.run(queries.page(Filter(queue="rare"), limit=10, cursor=first.next))
    assert (ids(second.jobs), second.next) == (["needle"], None)


def test_a_page_looks_at_few_jobs_where_it_finds_enough(store: Store) -> None:
    """And at as many as it may where it does not; both give the same."""
    store.enqueue(new_job("needle", queue="rare"), *(new_job(f"{number}") for number in range(20)))
    store.enqueue(new_job("new", queue="rare"))
    watched = WatchedCalls(store)
    assert ids(watched.run(queries.page(Filter(), limit=2)).jobs) == ["new", "19"]
    assert ids(watched.run(queries.page(Filter(queue="default"), limit=2)).jobs) == ["19", "18"]
    page = watched.run(queries.page(Filter(queue="rare"), limit=2))
    assert (ids(page.jobs), page.next is not None) == (["new", "needle"], True)
    windows = [call.params["window"] for call in watched.calls if call.name == "page"]
    assert windows == [2, 8, 8, WINDOW - 8]


def test_running_jobs_are_found_however_many_are_newer(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """B19: also those that have run for long; a page looks at them alone."""
    monkeypatch.setattr(queries, "WINDOW", 5)
    store.enqueue(new_job("a"), new_job("b"))
    store.a_worker().take(2)
    store.advance(SECOND)
    store.enqueue(*(new_job() for _ in range(20)))
    for filter in (Filter(states=(State.RUNNING,)), Filter(states=(State.RUNNING,), running_for=SECOND)):
        page = store.run(queries.page(filter, limit=10))
        assert (ids(page.jobs), page.next) == (["b", "a"], None)
        assert [ids(page.jobs) for page in all_pages(store, filter, 1)][:2] == [["b"], ["a"]]
    assert found(store, Filter(states=(State.RUNNING,), running_for=2 * SECOND)) == []
    assert found(store, Filter(states=(State.RUNNING,), queue="other")) == []


def test_what_came_since_is_counted_without_a_look_at_what_was_there(store: Store) -> None:
    """B20: an open page asks for it twice a second, also with a filter that finds little."""
    for _ in range(2):
        store.enqueue(*(new_job() for _ in range(WINDOW // 2)))
    store.enqueue(new_job("old", queue="rare"), new_job("top"))
    top = store.job("top").seq
    watched = WatchedCalls(store)
    assert watched.run(newer_count(Filter(queue="rare"), top=top + 1, most=3)) == 0
    assert watched.names() == ["page"]
    store.enqueue(*(new_job(queue="rare") for _ in range(2)))
    assert store.run(newer_count(Filter(queue="rare"), top=top + 1, most=3)) == 2
    store.enqueue(*(new_job(queue="rare") for _ in range(5)))
    assert store.run(newer_count(Filter(queue="rare"), top=top + 1, most=3)) == 3


# Bulk operations go page by page.


def test_a_bulk_operation_reaches_every_job_that_the_filter_finds(store: Store) -> None:
    """A11: by filter, in pages."""
    store.enqueue(*(new_job() for _ in range(PAGE + 3)), *(new_job(queue="other") for _ in range(2)))

    def cancel(page: list[Found]) -> Operation[int]:
        cancelled = yield from jobs.cancel([job.seq for job in page], by="me")
        return len(cancelled)

    assert store.run(jobs.for_each_page(Filter(queue="default"), cancel)) == PAGE + 3
    assert store.run(queries.counts()) == {
        "default": {State.CANCELLED: PAGE + 3},
        "other": {State.PENDING: 2},
    }


def test_a_bulk_operation_that_deletes_what_it_finds_reaches_all(store: Store) -> None:
    store.enqueue(*(new_job() for _ in range(2 * PAGE)))

    def delete(page: list[Found]) -> Operation[int]:
        deleted = yield from jobs.delete([(job.seq, job.id) for job in page])
        return len(deleted)

    assert store.run(jobs.for_each_page(Filter(), delete)) == 2 * PAGE
    assert store.run(queries.counts()) == {}


def test_a_bulk_operation_may_stop_after_so_many(store: Store) -> None:
    store.enqueue(*(new_job() for _ in range(2 * PAGE)))

    def cancel(page: list[Found]) -> Operation[int]:
        cancelled = yield from jobs.cancel([job.seq for job in page], by="me")
        return len(cancelled)

    assert store.run(jobs.for_each_page(Filter(), cancel, at_most=1)) == PAGE


def test_by_text_of_metadata(store: Store) -> None:
    meta = '{"meta":{"tenant":"Acme"}}'
    store.enqueue(new_job("other"), new_job("theirs", meta=meta))
    assert found(store, Filter(text="acme")) == ["theirs"]


def test_by_text_of_queue_worker_or_tag(store: Store) -> None:
    store.enqueue(new_job("a", queue="Mailing"), new_job("b", tags=("plan=Pro",)), new_job("c"))
    store.a_worker("host-7", queues=["Mailing"]).take(queue="Mailing")
    assert found(store, Filter(text="mailing")) == ["a"]
    assert found(store, Filter(text="=pro")) == ["b"]
    assert found(store, Filter(text="HOST-7")) == ["a"]


_CALL = '{"v":3,"f":"AAAAAAAAAAAAAAAAAAAAAA","k":"0badcafe","c":"needle"}'


def test_a_search_for_a_text_leaves_out_what_is_encrypted_and_counts_it(store: Store) -> None:
    """B25: of jobs that other filters find, and that it has looked at; those that it finds do not count."""
    clear = '{"v":1,"args":["needle"],"kwargs":{}}'
    store.enqueue(
        new_job("elsewhere", task="other", payload=_CALL),
        new_job("call", payload=_CALL),
        new_job("meta", meta="~1.0badcafe.needle"),
        new_job("old", payload=clear),
        new_job("needle-7", payload=_CALL),
        new_job("new", payload=clear, meta="~1.0badcafe.needle"),
    )

    def searched(limit: int, *, task: str | None = None, id: str | None = None) -> list[tuple[list[str], int]]:
        wanted = Filter(text="needle", task=task, id=id)
        return [(ids(page.jobs), page.unsearched) for page in all_pages(store, wanted, limit)]

    assert searched(9) == [(["new", "needle-7", "old"], 3)]
    assert searched(9, task="greet") == [(["new", "needle-7", "old"], 2)]
    assert searched(1)[:3] == [(["new"], 0), (["needle-7"], 0), (["old"], 0)]
    assert sum(unsearched for _, unsearched in searched(1)) == 3
    assert searched(9, id="call") == [([], 1)]
    assert store.run(queries.page(Filter(task="greet"), limit=9)).unsearched == 0


def test_a_search_reads_what_was_added_to_encrypted_errors_without_the_key(store: Store) -> None:
    store.finished(raised("needle"), new_job("clear"))
    [job] = store.run(queries.page(Filter(), limit=1)).jobs
    assert job.errors is not None
    errors = f"~1.0badcafe.AAAA\n{job.errors}"
    store.run(rekey([NewTexts(job.seq, old_errors=job.errors, errors=errors)]))
    page = store.run(queries.page(Filter(text="needle"), limit=9))
    assert (ids(page.jobs), page.unsearched) == (["clear"], 0)
    page = store.run(queries.page(Filter(text="badcafe"), limit=9))
    assert (ids(page.jobs), page.unsearched) == ([], 1)


@pytest.mark.parametrize(
    ("key", "value", "ids"),
    [
        ("tenant", "a", ["nested", "text"]),
        ("tenant", "7", ["number"]),
        ("tenant", "A", []),
        ("plan", "null", ["number"]),
        ("deep", '{"tenant":"b"}', ["nested"]),
    ],
)
def test_by_metadata(store: Store, key: str, value: str, ids: list[str]) -> None:
    """By the value under a key of its own; what lies deeper under an equal key does not count."""
    store.enqueue(
        new_job("text", meta='{"meta":{"tenant":"a","plan":"pro"}}'),
        new_job("number", meta='{"meta":{"tenant":7,"plan":null}}'),
        new_job("larger", meta='{"meta":{"tenant":77}}'),
        new_job("nested", meta='{"meta":{"tenant":"a","deep":{"tenant":"b"}}}'),
        new_job("deeper", meta='{"meta":{"deep":{"x":{"tenant":"a","plan":null}}}}'),
        new_job("none"),
    )
    assert found(store, Filter(meta=((key, value),))) == ids
    both = Filter(meta=((key, value), ("plan", "pro")))
    assert found(store, both) == [id for id in ids if id == "text"]


def test_pages_by_metadata_follow_each_other(store: Store) -> None:
    """Also where what the store finds by the text alone fills a page, and none of it counts."""
    wanted, deeper = '{"meta":{"tenant":"a"}}', '{"meta":{"deep":{"tenant":"a"}}}'
    store.enqueue(*(new_job(f"{number}", meta=deeper if number % 3 else wanted) for number in range(9)))
    pages = all_pages(store, Filter(meta=(("tenant", "a"),)), 2)
    assert [job.id for page in pages for job in page.jobs] == ["6", "3", "0"]


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ("42", ["keyword", "later", "first", "text"]),
        ("Ada", ["ada"]),
        ("true", ["flag"]),
        ("5", []),
        ('{"a":1}', ["object"]),
    ],
)
def test_what_may_have_an_argument_of_a_value(store: Store, value: str, ids: list[str]) -> None:
    """Stores tell where the value may stand; under which name it does, says who confirms."""
    store.enqueue(
        new_job("text", payload='{"v":1,"args":["42"],"kwargs":{}}'),
        new_job("first", payload='{"v":1,"args":[42],"kwargs":{}}'),
        new_job("later", payload='{"v":1,"args":[1,42],"kwargs":{}}'),
        new_job("keyword", payload='{"v":1,"args":[],"kwargs":{"user":42}}'),
        new_job("other", payload='{"v":1,"args":[142],"kwargs":{"order":42}}'),
        new_job("ada", payload='{"v":1,"args":["Ada"],"kwargs":{}}', meta='{"meta":{"tenant":"Ada"}}'),
        new_job("meta", meta='{"meta":{"user":42,"name":"Ada"}}'),
        new_job("flag", payload='{"v":1,"args":[],"kwargs":{"user":true}}'),
        new_job("object", payload='{"v":1,"args":[{"a":1}],"kwargs":{}}'),
        new_job("locked", payload=_CALL),
    )
    page = store.run(queries.page(Filter(arguments=(("user", value),)), limit=50))
    assert ([job.id for job in page.jobs], page.unsearched) == (ids, 1)
    assert found(store, Filter(arguments=(("user", value), ("user", value)), text="nothing-has-this")) == []
    confirmed = Filter(arguments=(("user", value),), confirm=lambda job: job.id in ("first", "ada"))
    assert found(store, confirmed) == [id for id in ids if id in ("first", "ada")]


def test_the_callback_of_a_group_is_not_taken_for_encrypted(store: Store) -> None:
    """B25: its format has the number that encrypted calls have as well."""
    store.enqueue(new_job("callback", payload='{"v":3,"args":["needle"],"kwargs":{}}'))
    page = store.run(queries.page(Filter(text="needle"), limit=9))
    assert (ids(page.jobs), page.unsearched) == (["callback"], 0)
    assert found(store, Filter(arguments=(("text", "needle"),))) == ["callback"]


def test_by_id_under_other_filters(store: Store) -> None:
    store.enqueue(new_job("a", queue="mail"), new_job("b", queue="mail"), new_job("c"))
    assert found(store, Filter(id="b")) == ["b"]
    assert found(store, Filter(id="b", queue="mail")) == ["b"]
    assert found(store, Filter(id="b", queue="default")) == []
    assert found(store, Filter(id="b", states=(State.FAILED,))) == []
    assert found(store, Filter(id="b", tag="vip")) == []
    assert found(store, Filter(id="d")) == []


def test_by_how_long_it_has_been_running(store: Store) -> None:
    store.enqueue(new_job("long"))
    worker = store.a_worker()
    worker.take()
    store.advance(10 * SECOND)
    store.enqueue(new_job("short"), new_job("waits"))
    worker.take(1)
    store.advance(SECOND)
    running = (State.RUNNING,)
    assert found(store, Filter(states=running, running_for=11 * SECOND)) == ["long"]
    assert found(store, Filter(states=running, running_for=11 * SECOND + 1)) == []
    assert found(store, Filter(states=running, running_for=SECOND)) == ["short", "long"]
