"""Running what is ready, when the test says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.app import Windlass


def drain(app: Windlass) -> int:
    """Run jobs on this thread until none is ready, those that they enqueue included; how many runs there were.

    Afterwards the first job that failed for good is raised as ``JobFailed``. What is due later stays, by the app's
    clock: delayed and snoozed jobs, and attempts that are to be repeated. Move a ``ManualClock`` and drain again.

    >>> from windlass import RetryableError, Windlass, current_job
    >>> from windlass.testing import ManualClock, drain
    >>> clock = ManualClock()
    >>> app = Windlass("sqlite:///:memory:", clock=clock)
    >>> @app.task
    ... def flaky() -> str:
    ...     if current_job().attempt == 1:
    ...         raise RetryableError("not yet", delay="5m")
    ...     return "now"
    >>> job = flaky.enqueue()
    >>> drain(app), job.refresh().state
    (1, <State.RETRYING: 'retrying'>)
    >>> clock.advance("5m")
    >>> drain(app), job.result()
    (1, 'now')
    """
    from windlass.core.record import JobRecord
    from windlass.core.state import State
    from windlass.store import reading
    from windlass.testing.runner import Runner

    failed: list[str] = []

    def note_failure(job: JobRecord) -> None:
        if job.state is State.FAILED:
            failed.append(job.id)

    runs = Runner(app).run_ready(note_failure)
    if failed:
        [settled] = app._session.run(reading.awaited(failed[:1]))
        app.job(failed[0])._value(settled)
    return runs
