"""How long finished jobs are kept, and where they go then."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.apps import Apps, await_first_beat, work
from tests.places.raw_store import RawStore
from tests.waiting import eventually
from windlass import ArchivedJob, ConfigError, Job, JobNotFound, Retention, State, Unique, Windlass
from windlass.testing import ManualClock
from windlass.worker.duties.build import build_duties
from windlass.worker.identity import identity

KEEP_ALL = Retention(completed=None, cancelled=None, failed=None)


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


def declare(app: Windlass) -> None:
    @app.task(name="noop")
    def noop() -> None: ...

    @app.task(name="fail")
    def fail() -> None:
        raise OSError


def finished(app: Windlass, state: str = "completed", queue: str = "default") -> Job[Any]:
    """A job that has just ended in this state."""
    [job] = app.enqueue_many([app.request("fail" if state == "failed" else "noop", attempts=1, queue=queue)])
    if state == "cancelled":
        job.cancel()
    work(app, queues=[queue])
    assert job.refresh().state == state
    return job


@pytest.mark.parametrize(("state", "kept"), [("completed", 7), ("cancelled", 7), ("failed", 30)])
def test_finished_jobs_stay_for_their_time(app: Windlass, clock: ManualClock, state: str, kept: int) -> None:
    """A13: completed and cancelled for 7 days, failed for 30, by default."""
    job = finished(app, state)
    clock.advance(f"{kept}d")
    assert app.clean().deleted == 0
    clock.advance("1s")
    assert app.clean().deleted == 1
    with pytest.raises(JobNotFound):
        job.refresh()


def test_what_waits_or_runs_is_never_cleaned(app: Windlass, clock: ManualClock) -> None:
    """A13: however old it is."""
    app.enqueue("noop")
    app.tasks[0].options(delay="400d").enqueue()
    app.enqueue("fail")
    app.claim(lease="1000d")
    clock.advance("365d")
    assert app.clean().deleted == 0
    assert sum(app.counts().values()) == 3


@pytest.mark.parametrize("state", ["completed", "cancelled", "failed"])
def test_none_keeps_for_ever(new_app: Apps, clock: ManualClock, state: str) -> None:
    """A13: retention per state; None means keep."""
    app = new_app(retention=Retention(**{"completed": 1, "cancelled": 1, "failed": 1, state: None}))
    declare(app)
    job = finished(app, state)
    clock.advance("3650d")
    assert app.clean().deleted == 0
    assert job.refresh().done


def test_a_queue_has_a_retention_of_its_own(app: Windlass, clock: ManualClock) -> None:
    """A13: it wins over the app's; taken back, the app's holds again."""
    quick, usual = finished(app, queue="quick"), finished(app)
    app.queue("quick").configure(retention=Retention(completed="1h"))
    clock.advance("2h")
    app.clean()
    with pytest.raises(JobNotFound):
        quick.refresh()
    assert usual.refresh().done
    another = finished(app, queue="quick")
    app.queue("quick").configure(retention=None)
    clock.advance("2h")
    assert app.clean().deleted == 0
    assert another.refresh().done


def test_the_app_can_be_told_while_it_runs(app: Windlass, clock: ManualClock) -> None:
    """A13: configure(retention=...), and None for the default."""
    finished(app)
    app.configure(retention=KEEP_ALL)
    clock.advance("8d")
    assert app.clean().deleted == 0
    app.configure(retention=None)
    assert app.clean().deleted == 1


def test_a_greatest_count_bounds_each_state(new_app: Apps, clock: ManualClock) -> None:
    """A13: beyond it the oldest go, however young they are."""
    app = new_app(retention=Retention(at_most=3))
    declare(app)
    jobs = []
    for _ in range(5):
        jobs.append(finished(app))
        clock.advance("1s")
    assert app.clean().deleted == 2
    assert app.jobs() == jobs[:1:-1]


def test_old_jobs_go_in_small_batches(app: Windlass, clock: ManualClock) -> None:
    """A13: all of them, in pages that hold nobody up for long."""
    for job in app.enqueue_many([app.request("noop") for _ in range(1300)]):
        assert job.state is State.PENDING
    assert app.cancel_all(state="pending") == 1300
    clock.advance("8d")
    assert app.clean().deleted == 1300
    assert app.jobs() == []


def test_archive_files_hold_what_was_deleted(new_app: Apps, clock: ManualClock, tmp_path: Path) -> None:
    """A13: compressed JSON lines, a file per ISO week."""
    app = new_app(archive=tmp_path / "archive")
    declare(app)
    first = finished(app)
    clock.advance("7d")
    second = finished(app, "failed")
    clock.advance("31d")
    cleaned = app.clean()
    assert (cleaned.deleted, cleaned.archived) == (2, 2)
    files = sorted((tmp_path / "archive").iterdir())
    assert [file.name for file in files] == ["jobs-2026-W01.jsonl.gz", "jobs-2026-W02.jsonl.gz"]
    [one], [other] = map(read_archive, files)
    assert (one["id"], one["task"], one["state"]) == (first.id, "noop", "completed")
    assert (other["id"], other["state"], other["reason"]) == (second.id, "failed", "attempts")


def test_a_week_s_file_grows(new_app: Apps, clock: ManualClock, tmp_path: Path) -> None:
    """A13: a later round adds to it and it stays readable."""
    app = new_app(archive=tmp_path, retention=Retention(completed="1ms"))
    declare(app)
    for _ in range(3):
        finished(app)
        clock.advance("1s")
        app.clean()
    assert len(read_archive(tmp_path / "jobs-2026-W01.jsonl.gz")) == 3


def read_archive(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file) as lines:
        return [json.loads(line) for line in lines]


def test_an_archive_table_holds_what_was_deleted(new_app: Apps, raw_store: RawStore, clock: ManualClock) -> None:
    """A13: in the store itself, by ISO week."""
    app = new_app(archive="table")
    declare(app)
    job = finished(app)
    clock.advance("8d")
    cleaned = app.clean()
    assert (cleaned.deleted, cleaned.archived) == (1, 1)
    assert [(week, kept["id"]) for week, kept in raw_store.archived()] == [("2026-W01", job.id)]


def test_an_archive_table_is_listed_read_and_restored_from(new_app: Apps, clock: ManualClock) -> None:
    """A13: by pages, filters and id; a restored job is kept for the whole time again."""
    app = new_app(archive="table")
    declare(app)
    ids = [finished(app).id for _ in range(25)]
    clock.advance("8d")
    app.clean()
    listed, cursor = list[str](), None
    while True:
        page = app.archive.jobs(limit=4, cursor=cursor, state="completed")
        listed += [job.id for job in page]
        cursor = page.next
        if cursor is None:
            break
    assert sorted(listed) == sorted(ids)
    assert app.archive.job(ids[7]).id == ids[7]
    assert app.archive.restore(ids[7]).state is State.COMPLETED
    assert app.clean().deleted == 0
    assert [job.id for job in app.jobs()] == [ids[7]]
    assert len(app.archive.jobs()) == 24


class HalfFull:
    """Takes every other job."""

    def keep(self, jobs: Sequence[ArchivedJob]) -> list[str]:
        return [job.id for job in jobs[::2]]


def test_only_what_was_archived_is_deleted(new_app: Apps, clock: ManualClock) -> None:
    """A13: what the archive did not take stays."""
    app = new_app(archive=HalfFull())
    declare(app)
    jobs = [finished(app) for _ in range(4)]
    clock.advance("8d")
    cleaned = app.clean()
    assert (cleaned.deleted, cleaned.archived) == (2, 2)
    assert app.jobs() == [jobs[3], jobs[1]]


def test_an_archive_that_fails_deletes_nothing(new_app: Apps, clock: ManualClock, tmp_path: Path) -> None:
    """A13: its error is told, and every job is still there."""
    (tmp_path / "file").write_text("not a folder")
    app = new_app(archive=tmp_path / "file")
    declare(app)
    job = finished(app)
    clock.advance("8d")
    with pytest.raises(OSError, match="file"):
        app.clean()
    assert job.refresh().state is State.COMPLETED


def test_an_archive_that_is_none_is_refused(new_app: Apps) -> None:
    """A13: the error names what it may be."""
    with pytest.raises(ConfigError, match="archive must be None, 'table' or a folder"):
        new_app(archive=42)


def test_a_retention_that_makes_no_sense_is_refused() -> None:
    """A13: the error names the part."""
    with pytest.raises(ConfigError, match="Retention: completed"):
        Retention(completed="soon")
    with pytest.raises(ConfigError, match="Retention: at_most"):
        Retention(at_most=0)


def test_what_was_cleaned_is_recorded(app: Windlass, clock: ManualClock) -> None:
    """A13: when, by whom, how many and how long it took; a round that found nothing leaves no record."""
    finished(app)
    app.clean()
    clock.advance("8d")
    assert app.clean().seconds >= 0
    [cleaning] = app.cleanings()
    assert (cleaning["at"], cleaning["deleted"], cleaning["archived"]) == (clock.now(), 1, 0)
    assert cleaning["seconds"] >= 0
    assert cleaning["by"]


def test_a_worker_cleans_by_itself(app: Windlass, clock: ManualClock, caplog: pytest.LogCaptureFixture) -> None:
    """A13: the leader among them does, every minute; a round over 3 minutes is a warning."""
    job = finished(app)
    clock.advance("8d")
    duties = build_duties(app.client, identity(), beat=10.0, monotonic=SlowMachine())
    rounds = {ticker.name: ticker._tick for ticker in duties.tickers}  # noqa: SLF001
    rounds["leader"]()
    with caplog.at_level(logging.WARNING, logger="windlass.duties"):
        while "cleaning took" not in caplog.text:
            rounds["cleaning"]()
    with pytest.raises(JobNotFound):
        job.refresh()
    assert "cleaning took" in caplog.text


class SlowMachine:
    """A monotonic clock on which the steps of a cleaning together take longer than a cleaning may."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 25
        return self.now


def test_unique_keys_do_not_outlive_their_window(new_app: Apps, raw_store: RawStore) -> None:
    """A13: keys go after their window, or with their job; by the real clock, for Redis forgets them itself."""
    app = new_app(clock=None)
    declare(app)
    noop = app.tasks[0]
    noop.options(unique=Unique(window="0.1s")).enqueue()
    noop.options(unique="mine").enqueue()
    eventually(lambda: (app.clean(), raw_store.keys())[1] == ["mine"], "the window is over and its key gone")
    app.purge(state="pending")
    assert raw_store.keys() == []


def test_lost_workers_and_old_events_go(app: Windlass, raw_store: RawStore, clock: ManualClock) -> None:
    """A13: a worker that was lost stays visible for a day, an event for 30 days."""
    app.enqueue("noop").cancel()
    app.configure(retention=KEEP_ALL)
    worker = app.worker(lease="30s", duties=False)
    worker.start()
    await_first_beat(app)
    clock.advance("23h")
    app.clean()
    assert [seen.state for seen in app.workers()] == ["lost"]
    clock.advance("2h")
    app.clean()
    assert app.workers() == []
    clock.advance("31d")
    app.clean()
    assert raw_store.events() == 0
