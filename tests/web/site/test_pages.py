"""Pages: each is there on every store, shows what is true, and is safe to look at."""

from __future__ import annotations

from urllib.parse import unquote, urlencode

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from tests.ledger.apps import work
from tests.web.http import Admitting
from tests.web.site.pages import ALL, LOOKS, Html, Pages
from windlass import ActiveJob, State, Windlass, this_job
from windlass.insight import job_page
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.store.operations.queries import WINDOW
from windlass.testing import ManualClock
from windlass.web import dashboard
from windlass.web.security.roles import Identity, Role
from windlass.web.site.routes.table import PAGES

ELEMENTS = {
    "a",
    "b",
    "body",
    "br",
    "button",
    "caption",
    "circle",
    "code",
    "datalist",
    "dd",
    "defs",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "form",
    "g",
    "h1",
    "h2",
    "head",
    "header",
    "html",
    "i",
    "input",
    "kbd",
    "label",
    "legend",
    "li",
    "line",
    "link",
    "main",
    "meta",
    "nav",
    "ol",
    "option",
    "p",
    "path",
    "pre",
    "rect",
    "script",
    "section",
    "select",
    "small",
    "span",
    "strong",
    "summary",
    "svg",
    "symbol",
    "table",
    "tbody",
    "td",
    "text",
    "textarea",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "tspan",
    "ul",
    "use",
    "wbr",
}


def test_every_page_is_there_and_hostile_texts_do_nothing(shop: Pages) -> None:
    """B20, B21: on every store, with markup in every text that users and jobs can fill."""
    for path in ALL:
        page = shop.read(path)
        assert {tag for tag, _ in page.elements} <= ELEMENTS, path
        for tag, attributes in page.elements:
            assert not [name for name in attributes if name.startswith("on") or name == "style"], (path, tag)
            assert tag != "script" or attributes["src"]
        assert str(9999 * 9999) not in page.text, path


@pytest.mark.only_on("sqlite")
def test_secrets_are_masked(shop: Pages) -> None:
    """B21: an argument whose name says so is not shown."""
    for path in ALL:
        assert "hunter2" not in shop.get(path).text, path
    assert "masked" in shop.read("/jobs/done").text


@pytest.mark.only_on("sqlite")
def test_the_overview_names_what_is_wrong(shop: Pages) -> None:
    """B20: an unserved queue is a problem, in words."""
    page = shop.read("/")
    assert "unserved has no worker. 1 job waits, the oldest for " in page.text
    ways = [attributes["href"] for _, attributes in page.elements if attributes.get("class") == "btn btn-sm"]
    assert {"/queues/unserved", "/workers"} <= set(ways), "each problem leads to where it is mended"
    assert "ValueError" in page.text


def test_the_overview_draws_what_ended(shop: Pages, app: Windlass) -> None:
    """B20: throughput and waiting time over an hour, a day or a week, in words too."""
    app.roll_up()
    for range in ("1h", "24h", "7d"):
        labels = shop.read(f"/?range={range}").all("svg", "aria-label")
        assert "Jobs a second: 1 completed and 1 failed" in labels, range
        assert any(label.startswith("Waiting time: p50") for label in labels), range
    assert shop.get("/?range=2h").status_code == 400


@pytest.mark.only_on("sqlite")
def test_a_search_that_takes_long_says_how_far_it_looked(
    app: Windlass, pages: Pages, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B20: it answers soon with what it found, and goes on from there."""
    monkeypatch.setattr(job_page, "_PATIENCE", 0)
    app.enqueue_many([app.request("mail.welcome", [0], id="needle", queue="rare")])
    clock.advance("1h")
    app.enqueue_many([app.request("mail.welcome", [number]) for number in range(WINDOW)])
    page = pages.read("/jobs?queue=rare")
    assert "Nothing was found so far, back to" in page.text
    [older] = [href for href in page.all("a", "href") if "cursor=" in href]
    assert "/jobs/needle" in pages.read(older).all("a", "href")
    assert app.jobs(queue="rare").next is not None


@pytest.mark.only_on("sqlite")
def test_the_overview_shows_workers_the_store_and_errors_of_queues(shop: Pages, app: Windlass) -> None:
    """B20: a grid of workers by state, how the store is, and for each queue when errors came."""
    app.roll_up()
    worker = app.worker(name="shop-1", queues=["mail"], concurrency=3)
    worker.start()
    try:
        [alive] = [one for one in app.workers() if one.is_alive]
        page = shop.read("/")
    finally:
        worker.stop()
    assert f"/workers/{alive.id}" in page.all("a", "href")
    assert "shop-1" in page.text
    assert "0/3" in page.text
    assert "Answers in" in page.text
    assert "1 error in a day, up to 1 in an hour" in page.all("svg", "aria-label")


@pytest.mark.only_on("sqlite")
def test_the_overview_tells_what_changed(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    """B20: pauses, lost workers and deploys stand beside their effects, for a day."""
    report = WorkerReport("w-9", "shop-9", "idle", "{}")
    app.client.session.run(open_lease(report, lease="w-9", ttl=1000))
    clock.advance("2s")
    page = shop.read("/")
    assert "mail was paused by" in page.text
    assert "shop-9 was lost" in page.text
    assert "/workers/w-9" in page.all("a", "href")
    clock.advance("25h")
    assert "No deploy, no lost worker, no pause." in shop.read("/").text


@pytest.mark.only_on("sqlite")
def test_the_overview_says_how_its_figures_change(app: Windlass, pages: Pages, clock: ManualClock) -> None:
    """B20: what ended in the range that is shown, what of it failed, and what is due next."""
    app.enqueue_many([app.request("mail.welcome", [number]) for number in range(3)])
    app.enqueue("broken", "x")
    work(app)
    app.roll_up()
    app.enqueue_many([app.request("mail.welcome", [9], delay="8s")])
    text = pages.read("/").text
    assert "25% of what ended" in text
    assert "next in 8" in text


@pytest.mark.only_on("sqlite")
def test_a_list_of_jobs_shows_their_arguments(shop: Pages, app: Windlass) -> None:
    """B20, B21: by name, secrets masked, cut where they are long; those without a name are left out."""
    app.enqueue_many(
        [
            app.request("mail.welcome", [7, "hunter2"], id="new"),
            app.request("elsewhere", ["hunter2"], {"size": [1, 2], "text": "x" * 5000}, id="unknown"),
            app.request("elsewhere", ["y" * 20_000], id="long"),
        ]
    )
    text = shop.read("/jobs").text
    assert "user_id=7 password=masked" in text
    assert "text=xxxx" in text
    assert " size=[1,2]" in text
    assert "hunter2" not in text
    assert "y" * 50 not in text


@pytest.mark.only_on("sqlite")
def test_a_list_of_jobs_says_why_pending_ones_wait(shop: Pages, app: Windlass) -> None:
    """B20: no worker serves the queue, or it is paused."""
    app.enqueue_many([app.request("mail.welcome", [1], id="held")])
    text = shop.read("/jobs").text
    assert "no worker serves unserved" in text
    assert "its queue is paused" in text


@pytest.mark.only_on("sqlite")
def test_an_installation_has_its_name_and_colour(app: Windlass) -> None:
    """B20: so that production is not taken for staging."""
    page = Html(Pages(app, Admitting(), environment="production").get("/").text)
    assert page.all("html", "data-env") == ["production"]
    assert "production" in page.text
    assert Html(Pages(app, Admitting()).get("/").text).all("html", "data-env") == ["local"]


@pytest.mark.only_on("sqlite")
def test_there_is_a_table_behind_each_chart(shop: Pages, app: Windlass) -> None:
    """B20: the same values for those who do not see the drawing, with times in the zone that was chosen."""
    app.roll_up()
    for path in ("/", "/?range=7d", "/queues/mail", "/tasks/mail.welcome"):
        page = shop.read(path)
        tables = [id for id in page.all("details", "id") if id.startswith("values-")]
        charts = [one for tag, one in page.elements if tag == "svg" and one.get("class") == "chart"]
        assert len(tables) == len(set(tables)) == len(charts) > 0, path
        assert page.all("a", "data-time"), path


@pytest.mark.only_on("sqlite")
def test_charts_show_a_stretch_of_time(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    """B20: a row of the table leads to the minutes around it, as dragging in the chart does; what came later is left
    out.
    """
    app.roll_up()
    [around] = {link for link in shop.read("/").all("a", "href") if link.startswith("?range=")}
    clock.advance("1h")
    app.enqueue_many([app.request("mail.welcome", [9], queue="default")])
    work(app)
    app.roll_up()
    for path in ("/", "/queues/default", "/tasks/broken"):
        page = shop.read(f"{path}{around}")
        assert f"{path}{around}" in [unquote(link) for link in page.all("a", "href")]
        later = shop.read(f"{path}?range=24h")
        drawn, drawn_later = (" ".join(one.all("svg", "aria-label")) for one in (page, later))
        assert "1 failed" in drawn, path
        assert (drawn == drawn_later) == (path == "/tasks/broken"), path
    for wrong in ("2h", "2026-01-01..2026-01-02", "2026-01-02T00:00Z..2026-01-01T00:00Z", "9999-01-01T00:00Z..x"):
        assert shop.get("/", params={"range": wrong}).status_code == 400, wrong


@pytest.mark.only_on("sqlite")
def test_a_job_shows_the_graph_around_it(app: Windlass, pages: Pages) -> None:
    """B36: parents to the left of their children, each with its state and a link."""
    first = app.enqueue(app.request("mail.welcome", [1], id="first"))
    second = app.enqueue(app.request("mail.welcome", [2], id="second", after=[first]))
    app.enqueue(app.request("mail.welcome", [3], id="third", after=[first, second]))
    page = pages.read("/jobs/second")
    nodes = {
        attributes["href"]: attributes for tag, attributes in page.elements if "node" in (attributes.get("class") or "")
    }
    assert [*nodes] == ["/jobs/first", "/jobs/second", "/jobs/third"]
    assert nodes["/jobs/third"]["aria-label"] == "mail.welcome, blocked"
    places = [
        int(attributes["x"] or 0) for tag, attributes in page.elements if tag == "rect" and attributes.get("rx") == "6"
    ]
    assert places == sorted(set(places))
    app.enqueue(app.request("mail.welcome", [4], id="alone"))
    assert "what waits is to the right" in page.text
    assert "what waits is to the right" not in pages.read("/jobs/alone").text


@pytest.mark.only_on("sqlite")
def test_a_job_that_waits_for_as_long_as_it_takes_is_due_at_no_time(app: Windlass, pages: Pages) -> None:
    """B20: an end in a hundred years would be all that its drawing shows."""

    @app.task(name="ask")
    def ask(*, job: ActiveJob = this_job) -> None:
        job.wait_for("approved")

    job = ask.enqueue()
    app.worker().run_until_empty()
    for path in ("/jobs", f"/jobs/{job.id}"):
        page = pages.read(path)
        assert "event" in page.text, path
        assert not [at for at in page.all("time", "datetime") if at > f"{job.created_at.year + 50}"], path
        assert "36500" not in page.text, path


@pytest.mark.only_on("sqlite")
def test_jobs_are_found_by_the_filters_of_the_address(shop: Pages) -> None:
    """B20: state, queue, task, tag and text."""

    def found(query: str) -> set[str]:
        return set(shop.read(f"/jobs?{query}").named_jobs())

    assert found("state=failed") == {"dead"}
    assert found("queue=unserved") == {"waits"}
    assert found("task=broken") == {"dead"}
    assert found("tag=vip") == {"done"}
    assert found("text=later") == {"later"}
    assert found("meta_key=note&meta_value=nothing") == found("meta.note=nothing") == found("running_for=1m") == set()
    assert found("id=done&since=1h") == {"done"}
    assert found("until=1h") == set()
    assert found("state=&queue=&text=") == {"done", "dead", "later", "waits"}
    assert found("text=no-such-thing") == set()


def test_filters_are_typed_as_words(shop: Pages) -> None:
    """B20: what is typed in the box becomes filters that can be removed one by one; the rest is searched as text."""

    def found(text: str) -> set[str]:
        return set(shop.read(f"/jobs?{urlencode({'text': text})}").named_jobs())

    assert found("state:failed") == {"dead"}
    assert found("queue:unserved state:pending") == {"waits"}
    assert found('tag:"vip"') == {"done"}
    assert found("task:broken no-such-thing") == set()
    assert found("meta.note:nothing") == set()
    assert found("later state:scheduled") == {"later"}
    assert found("arg.user_id:1") == {"done"}
    assert found("arg.user_id:7") == found("hunter2") == found("meta.note:hunter2") == set()
    assert found('"state:failed"') == set()
    assert found("unknown:failed") == set()

    page = shop.read("/jobs?text=queue:unserved+wait")
    given = {at["name"]: at.get("value") for tag, at in page.elements if tag == "input" and at.get("name")}
    assert given["queue"] == "unserved"
    assert given["text"] == "wait"
    literal = shop.read("/jobs?text=%22state:failed%22")
    assert any(
        "text=%22state" in (at.get("href") or "") and "state=pending" in (at.get("href") or "")
        for tag, at in literal.elements
        if tag == "a"
    )


def test_older_jobs_are_a_link_away(app: Windlass, pages: Pages) -> None:
    """B20: keyset pages; nothing is shown twice or left out."""
    app.enqueue_many([app.request("mail.welcome", [number], id=f"job-{number:03}") for number in range(120)])
    seen: list[str] = []
    path: str | None = "/jobs"
    while path is not None:
        page = pages.read(path)
        seen += page.named_jobs()
        path = next((attributes["href"] for tag, attributes in page.elements if attributes.get("rel") == "next"), None)
    assert seen == [f"job-{number:03}" for number in reversed(range(120))]


@pytest.mark.only_on("sqlite")
def test_a_job_says_why_it_waits(shop: Pages, app: Windlass) -> None:
    """B20, F2."""
    assert app.job("waits").why() in shop.read("/jobs/waits").text


BUTTONS = [
    ("/jobs/dead/retry", "/jobs/dead", ("job.retry", "dead")),
    ("/jobs/later/cancel", "/jobs/later", ("job.cancel", "later")),
    ("/jobs/done/delete", "/jobs", ("job.delete", "done")),
    ("/queues/unserved/pause", "/queues/unserved", ("queue.pause", "unserved")),
    ("/queues/mail/resume", "/queues/mail", ("queue.resume", "mail")),
    ("/schedules/nightly/pause", "/schedules/nightly", ("schedule.pause", "nightly")),
    ("/schedules/nightly/resume", "/schedules/nightly", ("schedule.resume", "nightly")),
]


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(("path", "back", "change"), BUTTONS)
def test_a_button_changes_something_and_leads_back(shop: Pages, path: str, back: str, change: tuple[str, str]) -> None:
    """B20: without scripts, too; the change is noted with who made it."""
    answer = shop.post(path)
    assert (answer.status_code, answer.headers["location"]) == (303, back)
    assert shop.security.changes == [("ada", *change, 1)]


@pytest.mark.only_on("sqlite")
def test_buttons_do_what_they_say(shop: Pages, app: Windlass) -> None:
    shop.post("/jobs/dead/retry")
    shop.post("/jobs/later/cancel")
    shop.post("/queues/mail/resume")
    assert (app.job("dead").state, app.job("later").state) == (State.PENDING, State.CANCELLED)
    assert app.queue("mail").settings().paused_at is None
    made = shop.post("/schedules/nightly/run").headers["location"]
    assert app.job(made.removeprefix("/jobs/")).schedule == "nightly"


@pytest.mark.only_on("sqlite")
def test_what_cannot_be_done_is_a_page_that_says_why(shop: Pages) -> None:
    """B20: an error is words and a way back, never a problem document."""
    answer = shop.post("/jobs/done/cancel")
    assert answer.status_code == 409
    assert "cannot be cancelled" in Html(answer.text).text
    missing = shop.get("/jobs/nowhere")
    assert missing.status_code == 404
    assert "nowhere" in Html(missing.text).text
    assert Html(missing.text).all("a", "href").count("/jobs") == 2, "the navigation, and a way back"
    assert shop.get("/jobs?cursor=made-up").status_code == 400
    assert "state must be one of" in Html(shop.get("/jobs?text=state:faild").text).text


@pytest.mark.only_on("sqlite")
def test_a_viewer_sees_no_buttons(app: Windlass, shop: Pages) -> None:
    """B21: what a role may not do is not offered; that it is refused is tested with the routes."""
    viewer = Pages(app, Admitting(Identity("eve", Role.VIEWER)))
    assert {route.role for route in PAGES if route.path.endswith(("/settings", "/edit", "/new/schedule"))} == {
        Role.OPERATOR
    }
    for path in LOOKS:
        assert [form for form in viewer.read(path).all("form", "method") if form == "post"] == [], path
    operator = Pages(app, Admitting(Identity("bob", Role.OPERATOR)))
    assert "/jobs/dead/retry" in operator.read("/jobs/dead").all("form", "action")
    assert "/jobs/dead/delete" not in operator.read("/jobs/dead").all("a", "href")


@pytest.mark.only_on("sqlite")
def test_every_link_honours_the_prefix(app: Windlass, shop: Pages) -> None:
    """B20: mounted into another application under a prefix."""
    host = Starlette(routes=[Mount("/jobs-of/shop", dashboard(app, security=Admitting()))])
    client = TestClient(host, base_url="http://localhost", follow_redirects=False)
    for path in ALL:
        page = Html(client.get(f"/jobs-of/shop{path}").text)
        paths = (
            page.all("a", "href") + page.all("form", "action") + page.all("script", "src") + page.all("link", "href")
        )
        for found in [*paths, *page.all("div", "data-stream")]:
            assert found.startswith(("/jobs-of/shop/", "#", "?")), (path, found)
        script = page.all("script", "src")[0]
        assert client.get(script).status_code == 200
    answer = client.post("/jobs-of/shop/jobs/dead/retry")
    assert answer.headers["location"] == "/jobs-of/shop/jobs/dead"


@pytest.mark.only_on("sqlite")
def test_an_empty_store_says_how_to_begin(pages: Pages, app: Windlass) -> None:
    """B20: empty states teach."""
    app.migrate()
    assert "greet.enqueue" in pages.read("/").text
    assert "windlass worker" in pages.read("/workers").text
    assert "@app.cron" in pages.read("/schedules").text


def test_every_row_of_the_table_has_a_role() -> None:
    """B21: only style sheets and scripts, and the form to log in, are public."""
    public = [route.path for route in PAGES if route.role is None]
    assert public == ["/login", "/login", "/logout", "/static/{version}/{name}"]


@pytest.mark.only_on("sqlite")
def test_secrets_in_errors_are_masked_wherever_errors_are_told(app: Windlass, pages: Pages) -> None:
    """B22: lists and groups show what was raised, as the page of the job and the API do, without passwords."""
    app.enqueue_many([app.request("broken", ["no answer from redis://shop:hunter2@cache"], id="dead")])
    work(app)
    for path in ("/", "/jobs", "/jobs/dead", "/failures", "/tasks/broken", "/api/v1/jobs", "/api/v1/jobs/dead"):
        text = pages.get(path).text
        assert "hunter2" not in text, path
        if path in ("/", "/jobs", "/failures"):
            assert "no answer from redis://shop:••••@cache" in text, path
