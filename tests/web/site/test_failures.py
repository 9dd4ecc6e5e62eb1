"""Failed jobs: grouped by cause, task, queue and host; one cause and what its jobs have in common."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.web.http import Admitting
from tests.web.site.pages import Pages
from windlass import Retry, Windlass
from windlass.web.security.roles import Identity, Role


@pytest.fixture
def failed(app: Windlass, pages: Pages) -> Pages:
    """Two causes in two queues; one of the jobs has a secret among its arguments."""

    @app.task(name="billing.capture", retry=Retry(attempts=1))
    def capture(order: int, currency: str, card_token: str) -> None:
        raise TimeoutError(f"no answer for order {order}") if currency == "EUR" else KeyError("rate")

    requests = [app.request(capture, [number, "EUR", "tok_4242"], queue="billing") for number in range(4)]
    requests += [app.request(capture, [number, "SEK", "tok_4242"], queue="nordic") for number in range(2)]
    app.enqueue_many(requests)
    work(app, queues=["billing", "nordic"])
    return pages


def test_failures_are_grouped_by_task_queue_and_host(failed: Pages) -> None:
    """B20: on every store; each row names its causes."""
    by_task = failed.read("/failures?by=task")
    assert "billing.capture" in by_task.text
    assert "6 jobs" in by_task.text
    by_queue = failed.read("/failures?by=queue")
    assert "/jobs?state=failed&queue=billing" in by_queue.all("a", "href")
    assert by_queue.text.index("billing") < by_queue.text.index("nordic")
    by_host = failed.read("/failures?by=host")
    assert "KeyError" in by_host.text
    assert "TimeoutError" in by_host.text


def test_the_page_of_a_cause_says_what_its_jobs_have_in_common(failed: Pages) -> None:
    """B20: affected arguments, queues and hosts; secrets are masked."""
    page = failed.read("/failures/cause?task=billing.capture")
    assert "TimeoutError: no answer for order" in page.text
    assert "EUR in all 4" in page.text
    assert "4 different values" in page.text
    assert "masked in all 4" in page.text
    assert "billing in all 4" in page.text
    assert "tok_4242" not in page.text


@pytest.mark.only_on("sqlite")
def test_an_alert_is_made_of_a_cause(failed: Pages) -> None:
    """B20: the form for a rule begins with the task."""
    page = failed.read("/failures/cause?task=billing.capture")
    [link] = [href for href in page.all("a", "href") if href.startswith("/alerts/rules")]
    form = failed.read(link)
    given = {a["name"]: a.get("value") for tag, a in form.elements if tag == "input" and a.get("name")}
    assert given["name"] == "billing.capture-fails"
    assert given["expression"] == "dead_letters > 0"
    assert given["scope"] == "task:billing.capture"


@pytest.mark.only_on("sqlite")
def test_a_viewer_sees_a_cause_without_buttons(app: Windlass, failed: Pages) -> None:
    page = Pages(app, Admitting(Identity("vic", Role.VIEWER))).read("/failures/cause?task=billing.capture")
    assert "EUR in all 4" in page.text
    assert not [href for href in page.all("a", "href") if "/mute" in href or href.startswith("/alerts/rules")]
    assert "/bulk/begin/retry" not in page.all("form", "action")


@pytest.mark.only_on("sqlite")
def test_a_cause_that_is_not_listed_is_not_found(failed: Pages) -> None:
    assert failed.get("/failures/cause?task=nobody").status_code == 404
