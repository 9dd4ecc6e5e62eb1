"""``app.archive``: archived jobs, in the store's table and in files."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from windlass import ArchivedJobs, ConfigError, IdConflict, JobNotFound, Retention, StoreNotFound, Windlass
from windlass.testing import ManualClock

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
IDS = [f"job-{number}" for number in range(12)]


@pytest.fixture(params=["table", "files"])
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Windlass]:
    """Twelve jobs that finished on twelve days, in three weeks, and lie in the archive; every third failed."""
    clock = ManualClock(NOON)
    archive: Any = "table" if request.param == "table" else tmp_path / "archive"
    retention = Retention(completed="1ms", failed="1ms")
    with Windlass("sqlite:///:memory:", archive=archive, clock=clock, retention=retention) as app:
        for number, id in enumerate(IDS):
            app.enqueue_many([app.request("mail" if number % 2 else "load", [number], id=id, attempts=1)])
            [claimed] = app.claim()
            if number % 3 == 2:
                claimed.fail("no route to host")
            else:
                claimed.complete(number)
            clock.advance("1d")
        assert app.clean().archived == len(IDS)
        yield app


def listed(archive: ArchivedJobs, **options: Any) -> list[str]:
    """The ids that a filter finds, page by page."""
    found, cursor = list[str](), None
    while True:
        page = archive.jobs(cursor=cursor, **options)
        assert len(page) <= options.get("limit", 50)
        assert page.damaged == 0
        found += [job.id for job in page]
        cursor = page.next
        if cursor is None:
            return found


@pytest.mark.parametrize("limit", [1, 5, 12, 50])
def test_archived_jobs_are_listed_in_pages(app: Windlass, limit: int) -> None:
    """A13: the newest first."""
    assert listed(app.archive, limit=limit) == IDS[::-1]


def test_they_are_found_by_task_queue_state_and_time(app: Windlass) -> None:
    assert listed(app.archive, task="mail") == IDS[::-2]
    assert listed(app.archive, queue="elsewhere") == []
    assert listed(app.archive, state="failed", limit=2) == ["job-11", "job-8", "job-5", "job-2"]
    assert listed(app.archive, since=NOON + 3 * DAY, until=NOON + 5 * DAY) == ["job-4", "job-3"]
    assert listed(app.archive, since=NOON + 300 * DAY) == []


def test_one_is_read_by_its_id(app: Windlass) -> None:
    """A13: everything that the store knew of it."""
    job = app.archive.job("job-5")
    assert (job.state, job.task, job.record.attempt, job.finished_at) == ("failed", "mail", 1, NOON + 5 * DAY)
    assert app.archive.job("job-5", since=NOON + 4 * DAY, until=NOON + 6 * DAY) == job
    with pytest.raises(JobNotFound, match="there is no job 'job-99' in the archive"):
        app.archive.job("job-99")


def test_one_is_restored(app: Windlass) -> None:
    """A13: it is kept for the whole time again, and its timeline has the end of before."""
    job = app.archive.restore("job-5", by="ada")
    assert (job.id, job.state, job.errors[0].message) == ("job-5", "failed", "no route to host")
    assert job.finished_at == NOON + 12 * DAY
    ended, restored = job.timeline()[-2:]
    assert (ended.kind, ended.at, restored.kind) == ("failed", NOON + 5 * DAY, "restored")
    assert restored.detail["by"] == "ada"
    with pytest.raises((IdConflict, JobNotFound), match="job-5"):
        app.archive.restore("job-5")
    app.enqueue_many([app.request("load", [], id="job-6")])
    with pytest.raises(IdConflict, match="job 'job-6' is in the store already"):
        app.archive.restore("job-6")
    assert app.clean().deleted == 0
    job.retry()
    assert job.refresh().state == "pending"


def test_async_code_reads_it_too(app: Windlass) -> None:
    async def read() -> tuple[int, str]:
        found = await app.archive.ajobs(limit=5), await app.archive.ajob("job-1")
        assert (await app.archive.arestore("job-1")).id == "job-1"
        return len(found[0]), found[1].id

    assert asyncio.run(read()) == (5, "job-1")


def test_an_id_of_ours_tells_where_to_look(tmp_path: Path) -> None:
    for archive in ("table", tmp_path / "archive"):
        with Windlass("sqlite:///:memory:", archive=archive, retention=Retention(completed="1ms")) as app:
            job = app.enqueue("load")
            app.claim()[0].complete()
            while not app.clean().archived:
                pass
            assert app.archive.job(job.id).id == job.id


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"cursor": "yesterday"}, "cursor must be the next of the page before"),
        ({"cursor": 7}, "cursor must be the next of the page before"),
        ({"limit": 0}, "limit must be a whole number from 1 to 1000"),
        ({"state": "pending"}, "state must be one of cancelled, completed, failed: others are not archived"),
        ({"since": datetime(2026, 1, 1)}, "has no time zone"),  # noqa: DTZ001
        ({"task": "a\0"}, "task must be a text without NUL"),
        ({"tag": "vip"}, "tag"),
    ],
)
def test_wrong_use_is_told(app: Windlass, options: dict[str, Any], told: str) -> None:
    with pytest.raises((ConfigError, TypeError), match=told):
        app.archive.jobs(**options)


def test_an_archive_of_the_users_own_can_only_be_written(tmp_path: Path) -> None:
    class Shelf:
        def keep(self, jobs: Any) -> list[str]:
            return []

    with Windlass("sqlite:///:memory:", archive=Shelf()) as app:
        with pytest.raises(ConfigError, match="is a Shelf, which Windlass can only write to"):
            app.archive.jobs()
        with pytest.raises(ConfigError, match="cannot be read: No such file or directory"):
            app.archive.at(tmp_path / "nowhere").jobs()
        assert app.archive.at(tmp_path).jobs() == []


def test_looking_makes_no_store(tmp_path: Path) -> None:
    with Windlass(f"sqlite:///{tmp_path / 'jobs.db'}") as app:
        with pytest.raises(StoreNotFound):
            app.archive.jobs()
        with pytest.raises(StoreNotFound):
            app.archive.job("x")
        with pytest.raises(StoreNotFound):
            app.archive.restore("x")
    assert list(tmp_path.iterdir()) == []
