"""move: what leaves one store arrives in the other, once and as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.ledger.apps import gate
from tests.places.fixtures import PlaceOn
from tests.places.place import Place
from tests.places.raw_store import RawStore
from tests.servers.redis_node import redis_node
from tests.slow_shutdown import unhurried
from tests.store.schedules import a_definition
from tests.waiting import PATIENCE, eventually
from windlass import (
    ActiveJob,
    ConfigError,
    IdConflict,
    Job,
    JobFailed,
    JobNotFound,
    Results,
    Retention,
    Retry,
    Snooze,
    State,
    Unique,
    Windlass,
    clock,
    group,
)
from windlass.admin.move import MOVER, Moved, MoveRefused, Progress, move
from windlass.core.alerts.records import AlertRecord
from windlass.store.operations import queues
from windlass.store.operations.alerts.alerts import record
from windlass.store.operations.events import record_store_events
from windlass.store.operations.schedules.changes import add, change, schedule
from windlass.store.operations.schedules.edits import paused
from windlass.store.operations.upkeep.leader import LEADER, resign, take_lead

PAIRS = [
    ("sqlite", "postgres"),
    ("postgres", "sqlite"),
    ("sqlite", "redis"),
    ("redis", "sqlite"),
    ("postgres", "redis"),
    ("redis", "postgres"),
]


@dataclass(frozen=True)
class Ways:
    """An app on the store that is left and one on the store that is gone to, with the same tasks."""

    old: Windlass
    new: Windlass

    def move(self, **options: Any) -> Moved:
        return move(self.old.client.session, self.new.client.session, **options)


@pytest.fixture(params=PAIRS, ids="-to-".join)
def ways(request: pytest.FixtureRequest, place_on: PlaceOn) -> Iterator[Ways]:
    source, target = request.param
    with ExitStack() as opened:
        yield Ways(*(opened.enter_context(closing(app_on(place_on(store)))) for store in (source, target)))


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def from_sqlite_to_postgres(place_on: PlaceOn) -> Iterator[Ways]:
    """For what does not depend on the stores."""
    with ExitStack() as opened:
        yield Ways(*(opened.enter_context(closing(app_on(place_on(store)))) for store in ("sqlite", "postgres")))


def app_on(place: Place) -> Windlass:
    app = unhurried(Windlass(place.url, namespace=place.namespace))

    @app.task(name="echo")
    def echo(value: object) -> object:
        return value

    @app.task(name="total")
    def total(results: Results) -> int:
        return sum(results)

    @app.task(name="fail", retry=Retry(attempts=1))
    def fail(text: str) -> None:
        raise ValueError(text)

    @app.task(name="stepping", retry=Retry(attempts=1))
    def stepping(*, job: ActiveJob) -> str:
        found = job.step("where", lambda: place.url)
        job.step("empty", print)
        if found == place.url:
            raise ValueError("not here")
        return found

    @app.task(name="snooze")
    def snooze() -> None:
        raise Snooze("1h")

    return app


def fill(app: Windlass) -> list[Job[Any]]:
    """Jobs in every state that a stopped store can have."""
    jobs = [app.enqueue("echo", {"number": number, "text": "ä\u2603"}) for number in range(20)]
    jobs += [app.enqueue("fail", "bad"), app.enqueue("snooze")]
    with app.worker():
        for job in jobs[:20]:
            job.result(timeout=PATIENCE)
        with pytest.raises(JobFailed):
            jobs[20].result(timeout=PATIENCE)
        eventually(lambda: jobs[21].refresh().state is State.SCHEDULED, "the job snoozes")
    waiting = [
        app.enqueue_many([app.request("echo", [1], priority=3, queue="mail", meta={"tenant": "a"}, tags=("vip",))])[0],
        app.enqueue_many([app.request("echo", [2], delay="2h", id="mine")])[0],
        app.enqueue_many([app.request("echo", [3], unique="only one", timeout=9, attempts=7)])[0],
    ]
    cancelled = app.enqueue("echo", 4)
    cancelled.cancel()
    app.queue("mail").configure(weight=3, max_length=1_000)
    app.queue("mail").pause(reason="later")
    return [*jobs, *waiting, cancelled]


def seen(app: Windlass, job: Job[Any]) -> tuple[object, ...]:
    """What a user can see of a job, and its past."""
    found = app.job(job.id)
    times = (found.created_at, found.started_at, found.finished_at, found.run_at)
    past = [(entry.kind, entry.at, entry.worker, entry.fence) for entry in found.timeline()]
    return (found.state, found.reason, found.attempt, found.errors, found.queue, found.fence, found.worker, times, past)


def test_everything_arrives_as_it_was(ways: Ways) -> None:
    jobs = fill(ways.old)
    moved = ways.move()
    assert (moved.jobs, moved.added) == (len(jobs), len(jobs))
    assert [seen(ways.new, job) for job in jobs] == [seen(ways.old, job) for job in jobs]
    assert ways.new.counts() == ways.old.counts()
    assert [(job.id, job.tags, job.meta) for job in ways.new.jobs(tag="vip")] == [
        (job.id, ("vip",), {"tenant": "a"}) for job in ways.old.jobs(tag="vip")
    ]
    assert not any(ways.new.job(job.id).unreadable for job in jobs)
    mail = ways.new.queue("mail").settings()
    assert (mail.weight, mail.max_length, mail.paused_reason) == (3, 1_000, "later")
    assert ways.new.job(jobs[0].id).result(timeout=PATIENCE) == {"number": 0, "text": "ä\u2603"}


def test_what_arrived_goes_on_there_and_stands_still_here(ways: Ways) -> None:
    first = ways.old.enqueue_many([ways.old.request("echo", [number], unique=f"k{number}") for number in range(5)])
    ways.move()
    again = ways.new.enqueue_many([ways.new.request("echo", [0], unique="k0")])[0]
    assert (again.duplicate, again.id) == (True, first[0].id)
    ways.new.worker().run_until_empty()
    assert [ways.new.job(job.id).result(timeout=PATIENCE) for job in first] == list(range(5))
    ways.old.worker().run_until_empty()
    assert {job.refresh().state for job in first} == {State.PENDING}
    assert "moved to" in str(first[0].why())


def test_a_job_that_is_half_done_goes_on_there(ways: Ways) -> None:
    """Its steps go along: what was done here is not done again there."""
    job: Job[str] = ways.old.enqueue("stepping")
    with ways.old.worker(), pytest.raises(JobFailed):
        job.result(timeout=PATIENCE)
    assert [ways.move().added for _ in range(2)] == [1, 0]
    there = ways.new.job(job.id)
    assert there.steps() == job.steps()
    there.retry()
    with ways.new.worker():
        there.result(timeout=PATIENCE)
    assert there.steps() == job.steps()


def test_a_move_can_be_repeated(ways: Ways) -> None:
    jobs = fill(ways.old)
    first = ways.move()
    late = ways.old.enqueue("echo", "late")
    second = ways.move()
    assert (second.jobs, second.added) == (len(jobs) + 1, 1)
    assert second.checksum != first.checksum
    third = ways.move()
    assert (third.added, third.checksum) == (0, second.checksum)
    assert ways.new.job(late.id).state is State.PENDING
    assert not any(queue.settings().paused_by == "windlass move" for queue in ways.new.queues())


def test_there_and_back_again_nothing_is_changed(from_sqlite_to_postgres: Ways, place_on: PlaceOn) -> None:
    ways = from_sqlite_to_postgres
    jobs = fill(ways.old)
    with closing(app_on(place_on("redis"))) as middle:
        one = move(ways.old.client.session, middle.client.session)
        two = move(middle.client.session, ways.new.client.session)
    assert one.checksum == two.checksum
    assert [seen(ways.new, job) for job in jobs] == [seen(ways.old, job) for job in jobs]


@pytest.mark.parametrize("queue", [None, "mail"])
def test_a_pause_that_somebody_made_before_is_kept_by_a_repeated_move(
    from_sqlite_to_postgres: Ways, queue: str | None
) -> None:
    old, new = from_sqlite_to_postgres.old, from_sqlite_to_postgres.new
    old.enqueue_many([old.request("echo", [1], queue="mail")])
    old.client.session.run(queues.pause(queue or queues.ALL, by="ann", reason="not before Monday"))
    for _ in range(2):
        from_sqlite_to_postgres.move(queue=queue)
        for app in (old, new):
            assert app.client.session.run(queues.settings())[queue or queues.ALL].paused_by == "ann"


def test_one_queue_can_be_moved_alone(ways: Ways) -> None:
    ways.old.enqueue_many([ways.old.request("echo", [number], queue="mail") for number in range(3)])
    other = ways.old.enqueue("echo", 1)
    assert ways.move(queue="mail").jobs == 3
    assert ways.new.counts()[State.PENDING] == 3
    ways.old.worker(["default", "mail"]).run_until_empty()
    assert other.refresh().state is State.COMPLETED
    assert ways.old.counts(queue="mail")[State.PENDING] == 3


def test_large_jobs_travel_in_several_loads(ways: Ways) -> None:
    jobs = [ways.old.enqueue("echo", "x" * 900_000) for _ in range(12)]
    seen_progress: list[Progress] = []
    ways.move(report=seen_progress.append)
    assert [ways.new.job(job.id).state for job in jobs] == [State.PENDING] * 12
    copied = [progress.done for progress in seen_progress if progress.step == "copied"]
    assert len(copied) >= 3
    assert copied == sorted(copied)
    assert copied[-1] == 12


def test_a_store_in_use_is_refused(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    ways.new.migrate()
    ways.old.enqueue("echo", 1)
    with ways.old.worker(["other"]) as worker, pytest.raises(MoveRefused, match=worker.name):
        ways.move()
    assert ways.new.counts()[State.PENDING] == 0
    assert ways.old.overview().everywhere.paused_by is None


def test_a_target_in_use_is_refused(from_sqlite_to_postgres: Ways) -> None:
    """Its workers would start jobs before all of them are there."""
    ways = from_sqlite_to_postgres
    job = ways.old.enqueue("echo", 1)
    with ways.new.worker() as worker, pytest.raises(MoveRefused, match=f"in use by {worker.name}; stop all workers"):
        ways.move()
    with pytest.raises(JobNotFound):
        ways.new.job(job.id)
    assert ways.old.overview().everywhere.paused_by is None


@pytest.mark.parametrize("store", ["sqlite", "postgres", "redis"])
def test_a_store_is_the_same_under_whatever_address(place_on: PlaceOn, store: str, tmp_path: Path) -> None:
    place = place_on(store)
    app = app_on(place)
    (tmp_path / "link").symlink_to(tmp_path)
    again = place.url.replace("127.0.0.1", "localhost").replace(str(tmp_path), f"{tmp_path}/link")
    with closing(app), Windlass(again, namespace=place.namespace) as same:
        app.enqueue("echo", 1)
        assert app.store != same.store
        with pytest.raises(ConfigError, match=f"{re.escape(same.store)} .*are the same store"):
            move(app.client.session, same.client.session)
        assert app.overview().everywhere.paused_by is None


def test_two_databases_of_one_socket_are_two_stores(opened: ExitStack) -> None:
    node = opened.enter_context(redis_node())
    old, new = (opened.enter_context(Windlass(f"unix://{node.socket}?db={number}")) for number in (1, 2))
    old.enqueue("echo", 1)
    assert move(old.client.session, new.client.session).added == 1


@pytest.mark.parametrize("store", ["sqlite", "postgres", "redis"])
def test_a_source_that_is_not_there_is_refused_and_not_made(place_on: PlaceOn, store: str, tmp_path: Path) -> None:
    with Windlass(place_on(store).url, namespace="nobodys") as old, Windlass(f"sqlite:///{tmp_path}/new.db") as new:
        with pytest.raises(MoveRefused, match=f"there is no store at {re.escape(old.store)} .*'nobodys'"):
            move(old.client.session, new.client.session)
        assert not old.client.session.exists()
        assert not new.client.session.exists()


@pytest.mark.parametrize("store", ["sqlite", "postgres", "redis"])
def test_a_source_without_jobs_is_refused_and_not_paused(place_on: PlaceOn, store: str, tmp_path: Path) -> None:
    with closing(app_on(place_on(store))) as old, Windlass(f"sqlite:///{tmp_path}/new.db") as new:
        old.migrate()
        assert old.client.session.exists()
        with pytest.raises(MoveRefused, match=f"has no jobs under namespace {old.client.session.namespace!r}"):
            move(old.client.session, new.client.session)
        assert old.overview().everywhere.paused_by is None
        assert not new.client.session.exists()


def test_a_queue_that_is_not_there_is_refused(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    ways.old.enqueue("echo", 1)
    with pytest.raises(MoveRefused, match="has no queue 'mial'"):
        ways.move(queue="mial")
    assert "mial" not in [queue.name for queue in ways.old.queues()]


def test_queues_that_were_set_up_and_have_no_jobs_are_moved(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    ways.old.queue("mail").configure(weight=3)
    moved = ways.move()
    assert (moved.jobs, moved.queues) == (0, 1)
    assert ways.new.queue("mail").settings().weight == 3


def test_limits_that_an_operator_has_set_are_moved(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    ways.old.enqueue("echo", 1)
    ways.old.limit("code", rate="1/s").acquire()
    ways.old.limit("github").configure(rate="5000/h", burst=100, by="ada")
    for _ in range(2):
        ways.move()
        [found] = ways.new.limits()
        assert (found.name, found.rate, found.burst, found.changed_by) == ("github", "5000/h", 100, "ada")


def test_alerts_and_what_operators_say_of_them_are_moved(ways: Ways) -> None:
    """B22: rules that operators have made or changed, silences, history, and what is still to be delivered."""
    old, new = ways.old.alerts, ways.new.alerts
    ways.old.enqueue("echo", 1)
    old.add_rule("any", "runs > 1000", scope="queue:default", channels=["pager"], window="10s")
    ways.old.evaluate_alerts()
    old.edit_rule("error-rate", severity="info")
    old.delete_rule("run-time")
    old.silence_rule("dead-letters", "1h", reason="a drill", by="ada")
    lead = ways.old.client.session.run(take_lead(LEADER, holder="a", ttl=10_000))
    fired = AlertRecord("01A", "any", "queue:default", "info", "", "deep", "{}", "firing", 7)
    told = [("01A", "fired", "pager")]
    ways.old.client.session.run(record(lead, fired=[fired], deliveries=told))
    ways.old.client.session.run(resign(lead))
    for _ in range(2):
        ways.move()
        assert new.list().alerts == old.list().alerts
        assert [(one.event_id, one.channel, one.state) for one in new.deliveries()] == [
            ("01A.fired", "pager", "waiting")
        ]
    ways.new.evaluate_alerts()  # code brings the default rules
    fired_at = old.get("01A").fired_at
    moved, here = (
        {rule.name: replaced(rule, revision=0, changed_at=fired_at) for rule in one.rules()} for one in (new, old)
    )
    assert moved == here
    assert "run-time" not in moved
    assert (moved["error-rate"].severity, moved["dead-letters"].silenced_by) == ("info", "ada")


def test_tokens_open_the_other_store_too(from_sqlite_to_postgres: Ways) -> None:
    """B21: callers of the HTTP API go on; what was revoked there stays so."""
    ways = from_sqlite_to_postgres
    ways.old.enqueue("echo", 1)
    ways.old.add_token("ci", role="worker", queues=["mail"], expires="1d", by="ada")
    ways.move()
    [moved] = ways.new.tokens()
    assert moved == ways.old.tokens()[0]
    ways.new.revoke_token("ci", by="bob")
    ways.move()
    assert [(one.state, one.revoked_by) for one in ways.new.tokens()] == [("revoked", "bob")]


def test_schedules_go_on_there_and_stand_still_here(ways: Ways) -> None:
    """B16: behind the last slot that was decided about, as an operator left them; also where there are no jobs."""
    old, new = ways.old.client.session, ways.new.client.session
    for name in ("digest", "quiet"):
        old.upkeep(add(name, a_definition()))
    old.run(change("quiet", paused(by="me", reason="noisy")))
    digest, quiet = (old.run(schedule(name)) for name in ("digest", "quiet"))
    ways.move()
    ways.move()  # a repeated one copies nothing again
    assert [new.run(schedule(record.name)) for record in (digest, quiet)] == [
        replace(digest, revision=1),
        replace(quiet, revision=1),
    ]
    assert [old.run(schedule(name)).paused_by for name in ("digest", "quiet")] == [MOVER, "me"]


def test_a_job_that_is_claimed_by_hand_is_refused(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    ways.old.enqueue("echo", 1)
    [claimed] = ways.old.claim(1)
    with pytest.raises(MoveRefused, match="claimed by hand"):
        ways.move()
    claimed.release()
    assert ways.move().jobs == 1


def test_the_job_of_an_owner_that_died_is_rescued_first(from_sqlite_to_postgres: Ways) -> None:
    """As soon as its lease is over; until then somebody may still work on it."""
    ways = from_sqlite_to_postgres
    job = ways.old.enqueue("echo", 1)
    ways.old.claim(1, lease="0.5s")
    with pytest.raises(MoveRefused):
        ways.move()

    def moves() -> bool:
        try:
            return ways.move().jobs == 1
        except MoveRefused:
            return False

    eventually(moves, "its lease is over")
    assert ways.new.job(job.id).state is State.PENDING
    assert "rescued" in [entry.kind for entry in ways.new.job(job.id).timeline()]


def test_what_belongs_to_no_job_stays(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    ways.old.enqueue("echo", 1)
    ways.old.client.session.run(record_store_events("cleaned", [("somebody", "{}")]))
    ways.move()
    assert (len(ways.old.cleanings()), ways.new.cleanings()) == (1, [])


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=map("-to-".join, PAIRS))
def test_the_archive_stays_behind(place_on: PlaceOn, source: str, target: str) -> None:
    old_place, new_place = place_on(source), place_on(target)
    with closing(app_on(old_place)) as old, closing(app_on(new_place)) as new:
        old.configure(archive="table", retention=Retention(completed="1ms"))
        archived = old.enqueue("echo", 1)
        old.worker().run_until_empty()
        eventually(lambda: old.clean().archived, "its time is over")
        old.enqueue("echo", 2)
        assert move(old.client.session, new.client.session).jobs == 1
        with pytest.raises(JobNotFound):
            new.job(archived.id)
    assert [job["id"] for _, job in RawStore(old_place).archived()] == [archived.id]
    assert RawStore(new_place).archived() == []


def test_a_different_job_under_the_same_id_is_told(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    ways.old.enqueue_many([ways.old.request("echo", [1], id="mine")])
    ways.new.enqueue_many([ways.new.request("echo", [2], id="mine")])
    with pytest.raises(IdConflict, match="mine"):
        ways.move()


def test_a_unique_key_that_another_job_has_is_told(ways: Ways) -> None:
    ways.old.enqueue_many([ways.old.request("echo", [1], id="mine", unique="only one")])
    ways.new.enqueue_many([ways.new.request("echo", [1], id="theirs", unique="only one")])
    with pytest.raises(IdConflict, match=r"another job .* unique key 'only one' of job 'mine'"):
        ways.move()
    ways.new.job("theirs").delete()
    assert ways.move().added == 0
    [again] = ways.new.enqueue_many([ways.new.request("echo", [1], unique="only one")])
    assert (again.duplicate, again.id) == (True, "mine")


def test_a_job_that_has_ended_there_does_not_take_its_key_again(ways: Ways) -> None:
    """The key would be held for as long as the job is kept, and every new job be taken for its double."""
    [job] = ways.old.enqueue_many([ways.old.request("echo", [1], unique="only one")])
    ways.move()
    with ways.new.worker():
        ways.new.job(job.id).result(timeout=PATIENCE)
    with pytest.raises(IdConflict, match=f"{job.id}' is not the same"):
        ways.move()
    [another] = ways.new.enqueue_many([ways.new.request("echo", [1], unique="only one")])
    assert not another.duplicate


def test_what_becomes_due_between_two_tries_is_no_difference(ways: Ways) -> None:
    """A worker at the source takes nothing, because all is paused there, but does its duties."""
    ways.old.task(name="again", retry=Retry(base=0.1, jitter=0))(lambda: 1 / 0)
    again = ways.old.enqueue("again")
    ways.old.worker().run_until_empty()
    [later] = ways.old.enqueue_many([ways.old.request("echo", [1], delay="0.1s", unique="only one")])
    assert [again.refresh().state, later.state] == [State.RETRYING, State.SCHEDULED]
    ways.move()
    with ways.old.worker():
        eventually(lambda: ways.old.counts()[State.PENDING] == 2, "both are due")
    assert ways.move().added == 0


def test_jobs_that_wait_for_others_arrive_blocked_and_go_on_there(ways: Ways) -> None:
    """B36: with the same parents in the same order; the rest of a chain gets the result that was made before."""
    old, new = ways.old, ways.new
    done = old.enqueue("echo", 5)
    failed = old.enqueue("fail", "bad")
    with old.worker():
        done.result(timeout=PATIENCE)
        failed.wait(timeout=PATIENCE)
    later = old.enqueue(old.request("echo", [1], id="later"))
    # The child is stored before its parent, so it is copied before it.
    parent = old.request("echo", [2], id="parent")
    child = old.request("echo", id="child", after=[parent, done, later], into="")
    old.enqueue_many([child, parent])
    waits = old.enqueue(old.request("echo", [3], id="waits", after=[failed], on_parent_failure="wait"))
    old.enqueue(old.request("echo", id="single", after=[done, later], on_parent_failure="run", into=""))
    for _ in range(2):
        ways.move()
        assert [job.id for job in new.job("child").parents] == ["parent", done.id, "later"]
        assert [(new.job(id).state, new.job(id).reason) for id in ("child", "waits", "single")] == [
            (State.BLOCKED, "parents")
        ] * 3
    with new.worker():
        assert new.job("child").result(timeout=PATIENCE) == [2, 5, 1]
        assert new.job("single").result(timeout=PATIENCE) == [5, 1]
    assert new.job(waits.id).state is State.BLOCKED
    assert f"it waits for {failed.id} (failed) to complete" in new.job(waits.id).why()


def test_groups_arrive_as_they_were_and_go_on_there(ways: Ways) -> None:
    """B35: also one whose callback was let go; what is open is waited for there."""
    old, new = ways.old, ways.new
    first = group([old.request("echo", [n]) for n in range(3)]).then(old.request("total")).enqueue(old)
    second = group([old.request("echo", [n]) for n in range(2)]).then(old.request("total")).enqueue(old)
    for claimed in old.claim(4):
        claimed.complete(claimed.args[0])
    for _ in range(2):
        ways.move()
        assert [new.job(flow.last.id).state for flow in (first, second)] == [State.PENDING, State.BLOCKED]
        there = new.job(second.last.id).group()
        assert there is not None
        assert there.progress().states == {State.COMPLETED: 1, State.PENDING: 1}
    with new.worker():
        assert [new.job(flow.last.id).result(timeout=PATIENCE) for flow in (first, second)] == [3, 1]


def test_a_queue_is_not_moved_away_from_jobs_that_wait_for_it(from_sqlite_to_postgres: Ways) -> None:
    """B36: nothing is copied."""
    old = from_sqlite_to_postgres.old
    old.enqueue_many([old.request("echo", [1], id="first", queue="mail")])
    old.enqueue_many([old.request("echo", [1], id="second", after=["first"])])
    for queue in ("mail", "default"):
        with pytest.raises(MoveRefused, match="job second of queue 'default' waits for job first of queue 'mail'"):
            from_sqlite_to_postgres.move(queue=queue)
    assert from_sqlite_to_postgres.move().jobs == 2


@pytest.mark.parametrize("step", ["copied", "compared"])
def test_keys_whose_window_is_over_are_no_difference(ways: Ways, step: str) -> None:
    """Be it over before anything is copied, or between the copy and the comparison."""
    [job] = ways.old.enqueue_many([ways.old.request("echo", [1], unique=Unique(window="0.2s"))])
    end = clock.now() + 200

    def wait_for_the_end(progress: Progress) -> None:
        if step == "copied" or progress.done:
            eventually(lambda: clock.now() > end, "the window is over")

    ways.move(report=wait_for_the_end)
    assert ways.new.job(job.id).state is State.PENDING


def test_a_worker_that_comes_while_jobs_are_moved_takes_nothing(from_sqlite_to_postgres: Ways) -> None:
    ways = from_sqlite_to_postgres
    jobs = [ways.old.enqueue("echo", number) for number in range(3)]
    with gate() as moving:

        def start_a_worker(progress: Progress) -> None:
            ways.old.worker().run_until_empty()
            moving.open()

        ways.move(report=start_a_worker)
        moving.wait()
    assert {job.refresh().state for job in jobs} == {State.PENDING}
