"""Two workers under one limit: the second gets its share although the first could take all."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Event

from tests.waiting import eventually
from windlass import State, Windlass


def test_a_worker_that_joins_gets_its_share(tmp_path: Path) -> None:
    """C3: re-shared within seconds, while the queue never runs empty."""
    ran, is_over = Counter[str](), Event()

    def an_app(name: str) -> Windlass:
        app = Windlass(f"sqlite:///{tmp_path}/jobs.db")

        @app.task(name="send", queue="mail")
        def send() -> None:
            ran[name] += 1
            is_over.wait(0.01)

        return app

    with an_app("first") as first, an_app("second") as second:
        send = first.tasks[0]

        def has_run(name: str) -> bool:
            if first.queue("mail").length < 50:
                send.enqueue_many([()] * 50)
            return ran[name] >= 20

        first.queue("mail").configure(max_running=4)
        with first.worker(["mail"], concurrency=4):
            eventually(lambda: has_run("first"), "the first works alone")
            with second.worker(["mail"], concurrency=4):
                eventually(lambda: has_run("second"), "the second has a share")
                is_over.set()
        assert first.counts()[State.RUNNING] == 0
