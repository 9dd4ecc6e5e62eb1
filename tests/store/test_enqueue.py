"""enqueue: stores all jobs of a call or none, in order; reports what is there already."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import CANCELLED, OWN_ID, RETURNED, SECOND, fresh, new_job, raised
from tests.store.stores import Store
from windlass.core.codec import seal
from windlass.core.outcome import FailedPermanently, Outcome
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.errors import IdConflict
from windlass.store.driver import DataRejected
from windlass.store.operations import enqueue, jobs, queries, queues
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness


@pytest.fixture(autouse=True, params=["new queues", "known queues"])
def _queues(request: pytest.FixtureRequest, store: Store) -> None:
    """Stores have a short way for jobs that are alike and whose queue is there."""
    if request.param == "known queues":
        store.run(queues.ensure([queues.QueueSeed(name, None, None) for name in ("default", "mail")]))


def test_a_job_is_stored_as_it_was_given(store: Store) -> None:
    """B1: type, arguments, queue, priority, attempts, time limit and metadata."""
    store.enqueue(
        new_job(
            "a",
            task="mail.welcome",
            queue="mail",
            priority=-7,
            payload='{"v":1,"args":[42],"kwargs":{}}',
            meta='{"tags":["x"]}',
            attempts=9,
            timeout=1500,
            retry='{"base":2}',
        )
    )
    job = store.job("a")
    assert job == JobRecord(
        seq=job.seq,
        id="a",
        task="mail.welcome",
        queue="mail",
        state=State.PENDING,
        reason=None,
        priority=-7,
        payload='{"v":1,"args":[42],"kwargs":{}}',
        meta='{"tags":["x"]}',
        attempt=0,
        max_attempts=9,
        crashes=0,
        rescues=0,
        run_at=START,
        created_at=START,
        promoted_at=None,
        claimed_at=None,
        started_at=None,
        finished_at=None,
        timeout=1500,
        fence=job.fence,
        lease=None,
        worker=None,
        cancel_requested_at=None,
        unique_key=None,
        concurrency_key=None,
        progress=None,
        result=None,
        errors=None,
        retry='{"base":2}',
        unknown_at=None,
    )


@pytest.mark.parametrize(
    "text",
    [
        'it\'s "quoted" \\ and \\u0041 escaped',
        "line\nbreak\ttab\r",
        "Ünï © 漢字 🎉 \u2028",
        "-- ; DROP TABLE windlass_job",
        "a" * 1_048_576,
        "",
    ],
    ids=["quotes", "white", "beyond ascii", "sql", "1 MiB", "empty"],
)
def test_text_comes_back_as_it_was(store: Store, text: str) -> None:
    store.enqueue(new_job("a", payload=text, meta=text))
    job = store.job("a")
    assert (job.payload, job.meta) == (text, text)
    [claimed] = store.a_worker().take()
    assert (claimed.payload, claimed.meta) == (text, text)


def test_ids_come_back_in_order(store: Store) -> None:
    """B4: ids come back in order."""
    new = [new_job(priority=number % 3, delay=number % 2) for number in range(20)]
    assert [stored.id for stored in store.enqueue(*new)] == [job.id for job in new]


def test_jobs_of_one_call_get_seqs_in_its_order(store: Store) -> None:
    new = [new_job(f"{number * 7919 % 100:02}") for number in range(50)]
    store.enqueue(*new)
    found = store.run(queries.find([job.id for job in new]))
    seqs = [found[job.id].seq for job in new]
    assert seqs == sorted(set(seqs))


def test_thousands_of_jobs_are_one_call(store: Store) -> None:
    """B4: thousands of jobs in one round trip."""
    store.enqueue(*(new_job() for _ in range(5000)))
    assert store.run(queries.counts()) == {"default": {State.PENDING: 5000}}


def test_an_empty_call_stores_nothing(store: Store) -> None:
    assert store.enqueue() == []
    assert not any(store.run(queries.counts()).values())


def test_jobs_that_are_not_alike_keep_their_order_and_their_terms(store: Store) -> None:
    new = [
        new_job("a"),
        new_job("b", task="other"),
        new_job("c", queue="mail"),
        new_job("d", delay=1500),
        new_job("e", meta="{}"),
        new_job("f", retry="{}"),
        new_job("g"),
    ]
    store.enqueue(*new)
    stored = [store.job(job.id) for job in new]
    assert [job.seq for job in stored] == sorted(job.seq for job in stored)
    assert [(job.task, job.queue, job.run_at - START, job.meta, job.retry) for job in stored] == [
        (job.task, job.queue, job.delay, job.meta, job.retry) for job in new
    ]


# When it is due.


def test_a_delayed_job_is_scheduled(store: Store) -> None:
    """B12: a delay is a length from the store's now."""
    [stored] = store.enqueue(new_job("a", delay=1500))
    job = store.job("a")
    assert (stored.state, job.state, job.run_at) == (State.SCHEDULED, State.SCHEDULED, START + 1500)


def test_a_job_for_a_later_instant_is_scheduled(store: Store) -> None:
    """B12: an instant is kept as it was given."""
    [stored] = store.enqueue(new_job("a", at=START + 1))
    job = store.job("a")
    assert (stored.state, job.state, job.run_at) == (State.SCHEDULED, State.SCHEDULED, START + 1)


@pytest.mark.parametrize("at", [0, START - 1, START])
def test_an_instant_that_is_not_ahead_means_now(store: Store, at: int) -> None:
    """B12: a past ``at`` runs now, and the answer says so."""
    [stored] = store.enqueue(new_job("a", at=at))
    job = store.job("a")
    assert (stored, job.state, job.run_at) == (Enqueued("a", State.PENDING), State.PENDING, START)


# Ids of the caller's own.


def test_the_same_id_twice_is_one_job(store: Store) -> None:
    """B18: idempotent enqueue."""
    first = store.enqueue(new_job("a"), naming=OWN_ID)
    before = store.job("a")
    store.advance(SECOND)
    second = store.enqueue(new_job("a"), naming=OWN_ID)
    assert (first, second) == ([Enqueued("a", State.PENDING)], [Enqueued("a", State.PENDING, True)])
    assert store.job("a") == before


def test_a_duplicate_tells_the_state_of_the_job_that_is_there(store: Store) -> None:
    store.enqueue(new_job("a"), naming=OWN_ID)
    store.a_worker().take()
    assert store.enqueue(new_job("a"), naming=OWN_ID) == [Enqueued("a", State.RUNNING, True)]


def test_a_duplicate_changes_nothing_of_the_job_that_is_there(store: Store) -> None:
    """B18: only task and arguments make a conflict; other options of the second call are dropped."""
    store.enqueue(new_job("a"), naming=OWN_ID)
    before = store.job("a")
    [stored] = store.enqueue(new_job("a", priority=9, queue="other", attempts=1, delay=5), naming=OWN_ID)
    assert stored == Enqueued("a", State.PENDING, True)
    assert store.job("a") == before


@pytest.mark.parametrize(
    "other",
    [new_job("a", task="other"), new_job("a", payload='{"v":1,"args":[1],"kwargs":{}}')],
    ids=["task", "arguments"],
)
def test_the_same_id_for_another_job_is_a_conflict(store: Store, other: NewJob) -> None:
    """B18: the same id with another task or other arguments is IdConflict; nothing of the call is stored."""
    store.enqueue(new_job("a"), naming=OWN_ID)
    before = store.job("a")
    with pytest.raises(IdConflict, match="'a'"):
        store.enqueue(new_job("before"), other, new_job("after"), naming=OWN_ID)
    assert store.job("a") == before
    assert store.run(queries.find(["before", "after"])) == {}


def test_a_seal_makes_no_conflict(store: Store) -> None:
    """B18: the same call has a seal in this release and had none in the one before."""
    bare = '{"v":1,"args":["a  "],"kwargs":{}}'
    store.enqueue(new_job("old", payload=bare), new_job("new", payload=seal(bare.encode())), naming=OWN_ID)
    again = store.enqueue(new_job("old", payload=seal(bare.encode())), new_job("new", payload=bare), naming=OWN_ID)
    assert [one.is_duplicate for one in again] == [True, True]


def test_a_conflict_leaves_no_key_behind(store: Store) -> None:
    store.enqueue(new_job("a"), naming=OWN_ID)
    with pytest.raises(IdConflict):
        store.enqueue(new_job("b", key="k"), new_job("a", task="other"), naming=OWN_ID)
    assert store.enqueue(new_job("c", key="k")) == [Enqueued("c", State.PENDING)]


def test_an_id_that_stands_twice_in_one_call_is_one_job(store: Store) -> None:
    stored = store.enqueue(new_job("a"), new_job("b"), new_job("a"), naming=OWN_ID)
    assert stored == [
        Enqueued("a", State.PENDING),
        Enqueued("b", State.PENDING),
        Enqueued("a", State.PENDING, True),
    ]
    assert store.run(queries.counts()) == {"default": {State.PENDING: 2}}


def test_an_id_for_two_different_jobs_of_one_call_is_a_conflict(store: Store) -> None:
    with pytest.raises(IdConflict, match="'a'"):
        store.enqueue(new_job("b"), new_job("a"), new_job("a", task="other"), naming=OWN_ID)
    assert store.run(queries.counts()) == {}


def test_bulk_insert_reports_which_ids_were_there(store: Store) -> None:
    """D4: ids that exist already change nothing and are reported."""
    store.enqueue(new_job("b"), new_job("d"), naming=OWN_ID)
    stored = store.enqueue(*(new_job(id) for id in "abcde"), naming=OWN_ID)
    assert [one.is_duplicate for one in stored] == [False, True, False, True, False]
    assert store.run(queries.counts()) == {"default": {State.PENDING: 5}}


def test_a_call_whose_answer_was_lost_may_be_repeated(store: Store) -> None:
    """A17: repeating with the same ids stores nothing twice, also where the ids are not the caller's own."""
    new = [new_job(), new_job(delay=5), new_job(key="k")]
    store.enqueue(*new)
    again = store.enqueue(*new)
    assert [stored.id for stored in again] == [job.id for job in new]
    assert store.run(queries.counts()) == {"default": {State.PENDING: 2, State.SCHEDULED: 1}}


# Unique keys.


def test_a_key_that_is_held_gives_the_job_that_holds_it(store: Store) -> None:
    """B17: the caller gets the existing job."""
    store.enqueue(new_job("a", key="k"))
    assert store.enqueue(new_job("b", key="k")) == [Enqueued("a", State.PENDING, True)]
    assert not store.exists("b")


def test_different_keys_do_not_know_of_each_other(store: Store) -> None:
    stored = store.enqueue(new_job("a", key="k"), new_job("b", key="K"), new_job("c"))
    assert [one.is_duplicate for one in stored] == [False, False, False]


def test_the_first_of_a_call_takes_the_key(store: Store) -> None:
    stored = store.enqueue(new_job("a", key="k"), new_job("b"), new_job("c", key="k"))
    assert stored == [
        Enqueued("a", State.PENDING),
        Enqueued("b", State.PENDING),
        Enqueued("a", State.PENDING, True),
    ]
    assert store.run(queries.counts()) == {"default": {State.PENDING: 2}}


def test_the_first_of_a_call_takes_the_key_in_whatever_order_they_are_named(store: Store) -> None:
    new = [new_job("a", key="k"), new_job("b", key="k")]
    stored = store.run(enqueue.enqueue(new, {1: Uniqueness(), 0: Uniqueness()}))
    assert stored == [Enqueued("a", State.PENDING), Enqueued("a", State.PENDING, True)]


def test_a_key_is_held_while_its_job_is_not_finished(store: Store) -> None:
    """B17: while not finished: waiting, running, between two attempts, snoozed."""
    job = store.claimed(new_job("a", key="k"))
    assert store.enqueue(new_job(key="k"))[0] == Enqueued("a", State.RUNNING, True)
    store.end(job, raised(delay=0))
    assert store.enqueue(new_job(key="k"))[0] == Enqueued("a", State.RETRYING, True)
    store.run(jobs.promote())
    assert store.enqueue(new_job(key="k"))[0] == Enqueued("a", State.PENDING, True)


@pytest.mark.parametrize(
    "outcome",
    [RETURNED, CANCELLED, FailedPermanently(raised().fault, "permanent")],
    ids=["completed", "cancelled", "failed"],
)
def test_a_key_is_free_once_its_job_is_finished(store: Store, outcome: Outcome) -> None:
    """B17: while not finished."""
    job = store.claimed(new_job("a", key="k"))
    store.end(job, outcome)
    assert store.enqueue(new_job("b", key="k")) == [Enqueued("b", State.PENDING)]


def test_a_key_until_started_is_held_while_its_job_waits(store: Store) -> None:
    """B17: while waiting."""
    until_started = Uniqueness(until="started")
    store.enqueue(new_job("a", key="k"), naming=until_started)
    assert store.enqueue(new_job("b", key="k"), naming=until_started) == [Enqueued("a", State.PENDING, True)]


def test_a_key_until_started_is_free_while_its_job_may_run(store: Store) -> None:
    """B17: nobody knows yet whether it has begun, and an enqueue after the start must not be lost."""
    until_started = Uniqueness(until="started")
    store.enqueue(new_job("a", key="k"), naming=until_started)
    store.a_worker().take()
    assert store.enqueue(new_job("b", key="k"), naming=until_started) == [Enqueued("b", State.PENDING)]


def test_a_job_that_comes_back_does_not_take_its_key_again(store: Store) -> None:
    """B17: a key once released is not taken again by retry, rescue or release."""
    until_started = Uniqueness(until="started")
    worker = store.a_worker()
    store.enqueue(new_job("a", key="k"), naming=until_started)
    [job] = worker.take()
    store.end(job, raised(delay=0))
    assert store.enqueue(new_job("b", key="k"), naming=until_started) == [Enqueued("b", State.PENDING)]
    store.run(jobs.promote())
    assert store.job("a").state is State.PENDING
    assert store.enqueue(new_job("c", key="k"), naming=until_started) == [Enqueued("b", State.PENDING, True)]


def test_a_key_for_a_window_is_held_after_the_job_is_finished(store: Store) -> None:
    """B17: for a time window, measured from the enqueue."""
    window = Uniqueness(until="window", window=10 * SECOND)
    store.enqueue(new_job("a", key="k"), naming=window)
    [job] = store.a_worker().take()
    store.end(job)
    store.advance(10 * SECOND - 1)
    assert store.enqueue(new_job("b", key="k"), naming=window) == [Enqueued("a", State.COMPLETED, True)]
    store.advance(1)
    assert store.enqueue(new_job("c", key="k"), naming=window) == [Enqueued("c", State.PENDING)]


def test_a_window_that_is_over_frees_the_key_of_a_job_that_still_waits(store: Store) -> None:
    window = Uniqueness(until="window", window=10 * SECOND)
    store.enqueue(new_job("a", key="k", delay=60 * SECOND), naming=window)
    store.advance(10 * SECOND)
    assert store.enqueue(new_job("b", key="k"), naming=window) == [Enqueued("b", State.PENDING)]


def test_a_duplicate_does_not_prolong_a_window(store: Store) -> None:
    window = Uniqueness(until="window", window=10 * SECOND)
    store.enqueue(new_job("a", key="k"), naming=window)
    store.advance(9 * SECOND)
    store.enqueue(new_job("b", key="k"), naming=window)
    store.advance(1 * SECOND)
    assert store.enqueue(new_job("c", key="k"), naming=window) == [Enqueued("c", State.PENDING)]


def test_an_id_that_is_there_comes_before_its_key(store: Store) -> None:
    """A job that exists already takes nothing again: neither its own key nor another's."""
    job = store.claimed(new_job("a", key="k"))
    store.end(job)
    again = store.enqueue(new_job("a", key="k"), naming=OWN_ID)
    assert again == [Enqueued("a", State.COMPLETED, True)]
    assert store.enqueue(new_job("b", key="k")) == [Enqueued("b", State.PENDING)]


def test_an_own_id_whose_key_another_holds_is_reported_as_that_other(store: Store) -> None:
    store.enqueue(new_job("a", key="k"))
    assert store.enqueue(new_job("b", key="k"), naming=OWN_ID) == [Enqueued("a", State.PENDING, True)]


def test_the_same_id_and_key_twice_in_one_call_is_one_job(store: Store) -> None:
    store.enqueue(new_job("holder", key="k"))
    stored = store.enqueue(new_job("a", key="k"), new_job("a", key="k"), naming=OWN_ID)
    assert stored == [Enqueued("holder", State.PENDING, True)] * 2


# Values that no store takes.


@pytest.mark.parametrize("company", [(), ("a",)], ids=["alone", "in company"])
def test_text_that_is_no_unicode_is_refused_as_data(store: Store, company: tuple[str, ...]) -> None:
    """B4: all or none, also when one job cannot be stored."""
    with pytest.raises(DataRejected):
        store.enqueue(*map(new_job, company), new_job("b", payload="lone \ud800 surrogate"))
    assert store.run(queries.counts()) == {}
    store.enqueue(new_job(fresh("works")))


@pytest.mark.parametrize("company", [(), ("a",)], ids=["alone", "in company"])
@pytest.mark.parametrize(
    "job",
    [
        new_job("b", priority=2**70),
        new_job("b", attempts=2**70),
        new_job("b", delay=2**70),
        new_job("b", timeout=2**70),
    ],
    ids=["priority", "attempts", "delay", "timeout"],
)
def test_a_number_beyond_64_bits_is_refused_as_data(store: Store, company: tuple[str, ...], job: NewJob) -> None:
    with pytest.raises(DataRejected):
        store.enqueue(*map(new_job, company), job)
    assert store.run(queries.counts()) == {}
