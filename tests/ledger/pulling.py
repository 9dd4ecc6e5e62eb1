"""Jobs that the test drives itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windlass import ClaimedJob, Retry, Windlass

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
    """A task whose jobs are pulled: it never runs here."""

    @app.task(name="speak", queue="tts", retry=Retry(jitter=0))
    def speak(text: str, *, voice: str = "alto") -> str:
        raise AssertionError("a pulled job runs elsewhere")


def claimed(app: Windlass, lease: str = "5m", **options: Any) -> ClaimedJob:
    """A job that was just enqueued and claimed."""
    app.enqueue_many([app.request("speak", ("hello",), {"voice": "bass"}, **options)])
    [one] = app.claim(queues=["tts"], lease=lease)
    return one
