"""Archives of the user's own: ``keep(jobs) -> ids``."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from windlass import ConfigError, Retention, Windlass
from windlass.archive.protocol import Archive, ArchivedJob
from windlass.archive.writers import FileArchive
from windlass.testing import ManualClock

ROOT = Path(__file__).parents[2]
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class LocalBucket:
    """The user's side: objects by bucket and key; those of some jobs are refused."""

    def __init__(self, refused: str = "") -> None:
        self.objects: dict[str, bytes] = {}
        self.refused = refused

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, ContentType: str) -> None:
        assert ContentType == "application/json"
        if self.refused and self.refused in Key:
            raise OSError("SlowDown")
        self.objects[f"{Bucket}/{Key}"] = Body


def example() -> Any:
    """examples/s3_archive.py as a module."""
    spec = importlib.util.spec_from_file_location("s3_archive", ROOT / "examples" / "s3_archive.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def app_with(archive: Any, clock: ManualClock) -> Windlass:
    return Windlass("sqlite:///:memory:", archive=archive, clock=clock, retention=Retention(completed="1d"))


def run_two(app: Windlass, clock: ManualClock) -> None:
    @app.task(name="mail")
    def mail(number: int) -> int:
        return number

    app.enqueue_many([mail.options(id=f"job-{number}").request(number) for number in (1, 2)])
    app.worker().run_until_empty()
    clock.advance("2d")


def test_an_archive_in_a_bucket_gets_jobs_before_they_are_deleted() -> None:
    clock, bucket = ManualClock(NOON), LocalBucket()
    with app_with(example().BucketArchive(bucket, "my-jobs"), clock) as app:
        run_two(app, clock)
        cleaned = app.clean()
        assert (cleaned.deleted, cleaned.archived, len(app.jobs())) == (2, 2, 0)
    assert sorted(bucket.objects) == [f"my-jobs/jobs/2026-W01/job-{number}.json" for number in (1, 2)]
    written = json.loads(bucket.objects["my-jobs/jobs/2026-W01/job-1.json"])
    assert (written["id"], written["task"], written["state"]) == ("job-1", "mail", "completed")


def test_what_the_bucket_refuses_stays_and_comes_again(caplog: pytest.LogCaptureFixture) -> None:
    clock, bucket = ManualClock(NOON), LocalBucket(refused="job-1")
    with app_with(example().BucketArchive(bucket, "my-jobs"), clock) as app:
        run_two(app, clock)
        assert app.clean().deleted == 1
        assert [job.id for job in app.jobs()] == ["job-1"]
        bucket.refused = ""
        assert app.clean().deleted == 1
    assert len(bucket.objects) == 2
    assert "job job-1 could not be archived" in caplog.text


class Answering:
    """Answers what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def keep(self, jobs: Sequence[ArchivedJob]) -> Iterable[str]:
        self.asked += [job.id for job in jobs]
        return self.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize("answer", ["job-1", None, 7])
def test_an_answer_that_is_no_list_of_ids_deletes_nothing(answer: Any) -> None:
    clock = ManualClock(NOON)
    with app_with(Answering(answer), clock) as app:
        run_two(app, clock)
        with pytest.raises(TypeError, match=r"Answering.keep must give the ids of the jobs that are safe"):
            app.clean()
        assert len(app.jobs()) == 2


def test_numbers_of_an_archive_of_before_delete_nothing() -> None:
    clock = ManualClock(NOON)
    with app_with(Answering([1, 2]), clock) as app:
        run_two(app, clock)
        with pytest.raises(TypeError, match=r"Answering.keep gave \d, which is no id of a job"):
            app.clean()
        assert len(app.jobs()) == 2


def test_ids_that_were_not_asked_about_are_of_no_account() -> None:
    clock, archive = ManualClock(NOON), Answering({"job-2", "elsewhere"})
    with app_with(archive, clock) as app:
        run_two(app, clock)
        assert app.clean().deleted == 1
        assert [job.id for job in app.jobs()] == ["job-1"]
    assert archive.asked == ["job-1", "job-2"]


def test_archives_are_recognised(tmp_path: Path) -> None:
    assert isinstance(FileArchive(tmp_path), Archive)
    assert isinstance(Answering([]), Archive)
    with pytest.raises(ConfigError, match=r"an object with keep\(jobs\)"):
        Windlass("sqlite:///:memory:", archive=Answering)  # type: ignore[arg-type]


def test_an_archived_job_says_what_it_is() -> None:
    clock, archive = ManualClock(NOON), _Remembering()
    with app_with(archive, clock) as app:
        run_two(app, clock)
        app.clean()
    one = archive.jobs[0]
    assert (one.id, one.task, one.queue, one.state, one.week) == ("job-1", "mail", "default", "completed", "2026-W01")
    assert one.finished_at.isoformat() == "2026-01-01T12:00:00+00:00"
    assert one.steps == ()


class _Remembering:
    def __init__(self) -> None:
        self.jobs: list[ArchivedJob] = []

    def keep(self, jobs: Sequence[ArchivedJob]) -> list[str]:
        self.jobs += jobs
        return [job.id for job in jobs]
