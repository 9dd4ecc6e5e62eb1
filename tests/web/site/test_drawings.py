"""What pages draw of figures and of past runs: marks of deploys, bars, lines; in words too."""

from __future__ import annotations

import msgspec
import pytest

from tests.ledger.apps import work
from tests.web.site.pages import Pages
from windlass import Windlass
from windlass.core.figures.point import Gauge, Point
from windlass.core.figures.releases import release_level
from windlass.core.figures.series import ALL, QUEUE, STORE, WORKER, series
from windlass.job import Job
from windlass.store.operations.figures.roll_up import roll_up
from windlass.testing import ManualClock
from windlass.web.site.drawings.timeline import draw_timeline

pytestmark = pytest.mark.only_on("sqlite")


def test_charts_mark_deploys_and_no_restarts(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    """B20: a release that did not run before; the same code started again is none."""
    for release in ("1.4.1", "1.4.1", None, "1.4.1", "1.4.2", "1.4.1", "1.4.2", "1.4.2", "1.4.2", "1.4.1"):
        levels = {} if release is None else {release_level(release): Gauge.of(3)}
        bucket = {STORE: Point(gauges=levels), ALL: Point(gauges={"depth": Gauge.of(7)})}
        app.client.session.run(roll_up(bucket))
        clock.advance("1m")
    for path in ("/", "/queues/mail"):
        page = shop.get(path).text
        assert page.count("<title>deploy 1.4.2, on 3 workers at first</title>") > 0, path
        assert page.count("deploy 1.4.1, on") == page.count("deploy 1.4.2, on"), "the way back is a deploy, too"
    [depth] = [label for label in shop.read("/").all("svg", "aria-label") if label.startswith("Jobs that were ready")]
    assert "up to 7 ready" in depth


def test_a_run_that_began_before_its_job_was_made_stays_on_its_timeline(
    shop: Pages, app: Windlass, clock: ManualClock
) -> None:
    """B20: the clock of a worker may be slow."""
    done = app.job("done")
    early = msgspec.structs.replace(done.record, started_at=done.record.created_at - 5_000)
    drawn = draw_timeline(Job.of(app.client, early), clock.now())
    assert drawn is not None
    [lane] = drawn.lanes
    assert 0 < lane.run_from < lane.run_to <= 100
    assert lane.wait_from == lane.run_from


def test_jobs_arrive_also_where_none_of_them_begins(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    """B20: workers count jobs whose attempts end; those that wait still are told by the depth of their queue."""
    for depth, ended in ((5, 10), (5, 10), (8, 9), (20, 0), (45, 0)):
        counts = {"enqueued": ended, "completed": ended} if ended else {}
        app.client.session.run(roll_up({series(QUEUE, "mail"): Point(counts, gauges={"depth": Gauge.of(depth)})}))
        clock.advance("1m")
    [drawn] = [label for label in shop.read("/queues/mail").all("svg", "aria-label") if "arrived" in label]
    # 30 began, with the one of the shop, and 40 of the 45 that wait came where the queue has grown.
    assert drawn == "Jobs a second: 70 arrived, 30 completed and 0 failed"


def test_the_heat_map_tells_a_paused_worker_from_an_idle_one(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    """B20: and one that drains, and one that fails jobs."""
    # It must not lead: a leader would merge its own figures beside these whenever the clock moves.
    with app.worker(name="shop", id="1", queues=["mail"], duties=False) as worker:
        for state in ("paused", "draining", None):
            levels = {"running": Gauge.of(0)} | ({} if state is None else {state: Gauge.of(1)})
            app.client.session.run(roll_up({series(WORKER, worker.name): Point(gauges=levels)}))
            clock.advance("2m")
        pages = [shop.read("/workers"), shop.read(f"/workers/{worker.name}")]
    for page in pages:
        assert "draining in 1, paused in 1, idle in 1 of 3 steps of two minutes" in page.all("svg", "aria-label")


def test_schedules_show_their_last_runs(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    """B20, B16: what became of each of the last slots, in words too."""
    app.add_schedule("often", "broken", every="10m", args=["x"], attempts=1)
    app.queue("mail").resume()
    for _ in range(3):
        clock.advance("10m")
        app.fire_due()
        work(app)
    page = shop.read("/schedules")
    assert "3 failed" in page.all("svg", "aria-label")
    bars = [one["class"] for tag, one in page.elements if tag == "rect" and one.get("rx") == "1"]
    assert bars == ["is-pending"] * 11 + ["is-failed"] * 3
    assert "none yet" in page.text, "nightly has not fired"


def test_queues_show_when_errors_came(shop: Pages, app: Windlass) -> None:
    """B20: as on the overview."""
    app.roll_up()
    assert "1 error in a day, up to 1 in an hour" in shop.read("/queues").all("svg", "aria-label")
