"""Which jobs came of which: what the runs of a job have enqueued."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.web.site.pages import Pages
from windlass import Windlass
from windlass.testing import ManualClock
from windlass.web.site.jobs import origins


def test_a_job_shows_what_it_has_enqueued_and_by_whom_it_was(app: Windlass, pages: Pages) -> None:
    """B20: on every store; a job that only names another one is none that it has enqueued."""

    @app.task(name="child")
    def child(number: int, about: str = "") -> None: ...

    @app.task(name="parent")
    def parent() -> None:
        child.options(id="by-run").enqueue(1)
        child.options(id="other-request", correlation_id="another").enqueue(2)

    parent.options(id="the-parent").enqueue()
    child.options(id="only-names-it").enqueue(3, about="the-parent")
    work(app)
    shown = pages.read("/jobs/the-parent")
    links = shown.all("a", "href")
    assert "What it enqueued" in shown.text
    assert {"/jobs/by-run", "/jobs/other-request"} <= set(links)
    assert "/jobs/only-names-it" not in links
    assert "/jobs/the-parent" in pages.read("/jobs/other-request").all("a", "href")
    assert "What it enqueued" not in pages.read("/jobs/only-names-it").text


def test_only_the_jobs_of_its_time_are_looked_through(
    app: Windlass, pages: Pages, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B20: what was made before a job ran, and long after it ended, costs its page nothing."""
    monkeypatch.setattr(origins, "WINDOW", 10)
    monkeypatch.setattr(origins, "_WINDOWS", 1)
    monkeypatch.setattr("windlass.store.operations.queries.WINDOW", 100)

    @app.task(name="child")
    def child(number: int) -> None: ...

    @app.task(name="parent")
    def parent() -> None:
        child.options(id="made").enqueue(0)

    app.enqueue_many([app.request(child, [number], delay="9h") for number in range(300)])
    clock.advance("1h")
    parent.options(id="the-parent").enqueue()
    work(app)
    clock.advance("1h")
    app.enqueue_many([app.request(child, [number], delay="9h") for number in range(300)])
    assert "/jobs/made" in pages.read("/jobs/the-parent").all("a", "href")
