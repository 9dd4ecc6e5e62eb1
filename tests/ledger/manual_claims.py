"""Jobs that the test drives itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windlass import ClaimedJob, Job, Retry, Windlass

VERBS: dict[str, Callable[[ClaimedJob], None]] = {
    "complete": lambda claimed: claimed.complete(),
    "fail": lambda claimed: claimed.fail("broken"),
    "discard": lambda claimed: claimed.discard("broken"),
    "release": lambda claimed: claimed.release(),
    "extend": lambda claimed: claimed.extend("1h"),
    "progress": lambda claimed: claimed.progress(0.5),
}
"""What a claim can be told."""


def declare(app: Windlass) -> None:
    """A task whose jobs are claimed manually: it never runs here."""

    @app.task(name="speak", queue="tts", retry=Retry(jitter=0))
    def speak(text: str, *, voice: str = "alto") -> str:
        raise AssertionError("a manually claimed job runs elsewhere")


def claimed(app: Windlass, lease: str = "5m", **options: Any) -> ClaimedJob:
    """A job that was just enqueued and claimed."""
    app.enqueue_many([app.request("speak", ("hello",), {"voice": "bass"}, **options)])
    [one] = app.claim(queues=["tts"], lease=lease)
    return one


def stolen(app: Windlass, job: Job[Any]) -> ClaimedJob:
    """Take one running job away from its owner, whose lease stays as it is: its fence is worthless from now on."""
    app.lease(job.id, job.refresh().fence).discard("taken away")
    job.retry(queue="elsewhere")
    [taken] = app.claim(queues=["elsewhere"])
    return taken


def put_back(taken: ClaimedJob, *, queue: str = "default") -> None:
    """Let a job that was stolen wait in a queue as if it were new."""
    taken.discard("given back")
    taken.job.retry(queue=queue)
