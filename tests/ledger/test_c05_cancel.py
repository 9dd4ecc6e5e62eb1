"""C5: a running job is cancelled from anywhere, and really stops."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from tests.ledger.apps import LONG_LEASE, Apps
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated.tasks import isolated
from windlass import Job, State, Windlass

KINDS = ["async", "thread", "process"]


class Work:
    """A task of each kind that runs for ever, and says when it has begun and when it has stopped."""

    def __init__(self, app: Windlass, folder: Path) -> None:
        self._app = app
        self._begun, self._stopped, self.over = Event(), Event(), Event()
        self._file = folder / "never"
        isolated(app)

        @app.task(name="async")
        async def wait() -> None:
            self._begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self._stopped.set()

        @app.task(name="thread")
        def loop() -> None:
            self._begun.set()
            try:
                while not self.over.wait(0.001):
                    pass
            finally:
                self._stopped.set()

    def begin(self, kind: str) -> Job[None]:
        """A job that has begun."""
        cleaned = str(self._file) + ".cleaned"
        job = self._app.enqueue("wait_for", str(self._file), cleaned) if kind == "process" else self._app.enqueue(kind)
        eventually(lambda: self._begun.is_set() or Path(f"{self._file}.begun").exists(), "it begins")
        return job

    @property
    def has_stopped(self) -> bool:
        return self._stopped.is_set() or Path(f"{self._file}.cleaned").exists()


@pytest.fixture
def forever(app: Windlass, tmp_path: Path) -> Iterator[Work]:
    made = Work(app, tmp_path)
    yield made
    made.over.set()


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whence", ["the same process", "another process"])
def test_a_running_job_stops(app: Windlass, new_app: Apps, forever: Work, kind: str, whence: str) -> None:
    """C5: wherever it runs, whoever asks; it is never retried."""
    with app.worker(children=1, lease=LONG_LEASE) as worker:
        job = forever.begin(kind)
        asking = app if whence == "the same process" else new_app()
        assert asking.cancel(job.id, by="anna")
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED
        assert forever.has_stopped
        assert worker.status().abandoned == 0
    assert [entry.detail["by"] for entry in job.timeline() if entry.kind == "cancel_requested"] == ["anna"]


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("kind", KINDS)
def test_a_shutdown_is_not_a_cancel(app: Windlass, forever: Work, kind: str) -> None:
    """C5: the job goes back, uncharged."""
    with app.worker(children=1, grace=0, lease=LONG_LEASE):
        job = forever.begin(kind)
    assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


def test_a_task_in_a_process_can_look_for_itself(app: Windlass, forever: Work, tmp_path: Path) -> None:
    """C5: job.cancelled works wherever it runs; what returns all the same has completed."""
    with app.worker(children=1, lease=LONG_LEASE):
        job = app.enqueue("looks", str(tmp_path / "looking"))
        eventually((tmp_path / "looking").exists, "it looks")
        job.cancel()
        assert job.result(timeout=PATIENCE) == "looked"


def test_a_job_that_finished_first_stays_completed(app: Windlass, forever: Work) -> None:
    """C5: the answer says that nothing was cancelled."""
    with app.worker(children=1, lease=LONG_LEASE):
        job = app.enqueue("echo", 1)
        assert job.result(timeout=PATIENCE) == 1
        assert not job.cancel()
    assert job.refresh().state is State.COMPLETED


def test_the_lease_is_kept_while_a_job_unwinds(new_app: Apps) -> None:
    """C5: nobody rescues a job that takes longer than the lease to clean up."""
    app = new_app(clock=None)
    began = Event()

    @app.task
    async def careful() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(150):
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.01)

    with app.worker(lease="1s"):
        job = careful.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED
    assert (job.attempt, job.record.crashes, job.record.rescues) == (1, 0, 0)
    assert "rescued" not in [entry.kind for entry in job.timeline()]


def test_one_that_does_not_stop_is_reported(app: Windlass) -> None:
    """C5: never silently: in its state while it is waited for, in its story afterwards."""
    began, over = Event(), Event()

    @app.task
    async def deaf() -> None:
        began.set()
        while not over.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    with app.worker(stop_patience="1s", lease=LONG_LEASE) as worker:
        job = deaf.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        assert "has not stopped yet" in job.why()
        eventually(lambda: job.refresh().state is State.CANCELLED, "the worker goes on without it")
        eventually(lambda: "abandoned" in [entry.kind for entry in job.timeline()], "it is noted")
        assert f"its run on {worker.name} would not stop and may still be at work" in job.why()
        over.set()
