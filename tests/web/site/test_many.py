"""Changes of many jobs: chosen in the list or by a filter, asked for, carried out in the background, told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.waiting import eventually
from tests.web.http import Admitting
from tests.web.site.pages import Html, Pages
from windlass import State, Windlass
from windlass.testing import ManualClock
from windlass.web.bulk.changes import KEPT, MOST_AT_ONCE, BulkChanges, bulk_changes
from windlass.web.bulk.order import BulkAction, order_by_ids
from windlass.web.problems import Problem
from windlass.web.security.roles import Identity, Role


def order_of(page: Html) -> str:
    [order] = [a["value"] or "" for tag, a in page.elements if tag == "input" and a.get("name") == "order"]
    return order


def ended(pages: Pages, path: str) -> Html:
    """The page of a change that has ended."""
    eventually(lambda: "Ended" in pages.read(path).text)
    return pages.read(path)


def begin(pages: Pages, action: str, query: str, **fields: str) -> str:
    """Ask, say yes; the path of what came of it."""
    order = order_of(pages.read(f"/bulk/begin/{action}?{query}"))
    answer = pages.post(f"/bulk/begin/{action}", data={"order": order, **fields})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def many(app: Windlass, count: int, **options: Any) -> list[str]:
    jobs = app.enqueue_many([app.request("mail.welcome", [number], **options) for number in range(count)])
    return [job.id for job in jobs]


def test_all_that_match_are_changed_in_batches(app: Windlass, pages: Pages) -> None:
    """B20: on every store; the page says how many, and has a link that stays."""
    many(app, 1203, queue="mail")
    keep = many(app, 3, queue="other")
    page = pages.read("/bulk/begin/cancel?queue=mail&state=pending")
    assert "Cancel 1,000+ jobs?" in page.text
    assert "What is enqueued or ends later is not meant" in page.text
    path = begin(pages, "cancel", "queue=mail&state=pending", reason="sent twice")
    shown = ended(pages, path)
    assert "1,203 cancelled" in shown.text
    assert app.counts("mail")["cancelled"] == 1203
    assert {app.job(id).state for id in keep} == {State.PENDING}
    assert path in pages.read("/bulk").all("a", "href")


@pytest.mark.only_on("sqlite")
def test_what_comes_after_the_question_is_not_meant(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    """B20: the filter is frozen when the question is asked, not when the answer comes."""
    order = order_of(shop.read("/bulk/begin/delete?task=mail.welcome&queue=unserved"))
    clock.advance("5s")
    app.enqueue_many([app.request("mail.welcome", [9], id="newer", queue="unserved", delay="1h")])
    answer = shop.post("/bulk/begin/delete", data={"order": order})
    assert "1 deleted" in ended(shop, answer.headers["location"]).text
    assert [job.id for job in app.jobs(queue="unserved")] == ["newer"]


@pytest.mark.only_on("sqlite")
def test_chosen_jobs_are_changed_and_those_that_cannot_be_are_told(shop: Pages, app: Windlass) -> None:
    path = begin(shop, "retry", "job=dead&job=done&job=gone")
    page = ended(shop, path)
    assert "1 retried, of 3" in page.text
    assert "it is completed, which cannot be retried" in page.text
    assert "it is not there any more" in page.text
    assert app.job("dead").state is State.PENDING
    [begun] = shop.security.changes
    assert begun[:2] == ("ada", "bulk.retry")
    [end] = app.audit(limit=1).entries
    assert (end.action, end.count) == ("bulk.retry.end", 1)


@pytest.mark.only_on("sqlite")
def test_a_group_is_retried_at_a_rate(shop: Pages, app: Windlass) -> None:
    """F7: as ``dead retry --rate``: they are scheduled apart."""
    [group] = app.dead_groups()
    links = shop.read("/failures")
    assert "/bulk/begin/retry" in links.all("form", "action")
    ended(shop, begin(shop, "retry", f"state=failed&task=broken&cause={group.cause}", rate="20/s"))
    assert app.job("dead").state in (State.PENDING, State.SCHEDULED)
    refused = shop.post("/bulk/begin/retry", data={"order": "made-up"})
    assert refused.status_code == 400


@pytest.mark.only_on("sqlite")
def test_a_group_is_muted_after_a_question(shop: Pages, app: Windlass) -> None:
    """F7: it is folded at the end, with who, why and until when."""
    [group] = app.dead_groups()
    assert f"/failures/mute?group={group.cause}" in shop.read("/failures").all("a", "href")
    question = shop.read(f"/failures/mute?group={group.cause}")
    assert "/failures/mute" in question.all("form", "action")
    sent = {"group": group.cause, "lasts": "deploy", "reason": "the <b>bank</b> moves"}
    assert shop.post("/failures/mute", data=sent).headers["location"].endswith("/failures")
    page = shop.read("/failures")
    assert "the <b>bank</b> moves" in page.text
    assert "until the next deploy" in page.text
    assert "/bulk/begin/retry" not in page.all("form", "action")
    shop.post("/failures/unmute", data={"group": group.cause})
    assert app.dead_mutes() == []
    assert [change[1:3] for change in shop.security.changes] == [
        ("dead.mute", group.cause),
        ("dead.unmute", group.cause),
    ]
    assert shop.post("/failures/mute", data={"group": group.cause, "reason": ""}).status_code == 400
    assert shop.get("/failures/mute?group=nonsense").status_code == 400


@pytest.mark.only_on("sqlite")
def test_a_form_that_is_sent_twice_begins_once(shop: Pages, app: Windlass) -> None:
    order = order_of(shop.read("/bulk/begin/retry?state=failed"))
    paths = {shop.post("/bulk/begin/retry", data={"order": order}).headers["location"] for _ in range(2)}
    assert len(paths) == 1
    assert [count for *_, count in shop.security.changes] == [1, 0]
    assert len(bulk_changes(app).newest_first()) == 1


@pytest.mark.only_on("sqlite")
def test_an_order_is_for_one_action_and_one_role(shop: Pages, app: Windlass) -> None:
    """B21: an operator cannot turn a retry into a delete."""
    order = order_of(shop.read("/bulk/begin/retry?state=failed"))
    assert shop.post("/bulk/begin/delete", data={"order": order}).status_code == 400
    assert shop.post("/bulk/begin/retry", data={"order": order, "rate": "fast"}).status_code == 400
    assert shop.get("/bulk/begin/retry?state=completed").status_code == 409
    assert shop.get("/bulk/begin/retry").status_code == 400
    assert shop.get("/bulk/begin/retry?state=failed&queue=nowhere").status_code == 404
    operator = Pages(app, Admitting(Identity("bob", Role.OPERATOR)))
    assert "/bulk/begin/delete" not in operator.get("/jobs").text


@pytest.mark.only_on("sqlite")
def test_a_change_of_a_process_that_died_says_so(shop: Pages, app: Windlass) -> None:
    """B20: also one that another process has ended."""
    import socket

    here = socket.gethostname()
    told = {"who": "ada", "via": "local"}
    app.record_change(**told, action="bulk.retry", target=f"dead1 {here}:4194304 state=failed", count=7)
    app.record_change(**told, action="bulk.cancel", target="far1 elsewhere:1 queue=mail", count=9)
    app.record_change(**told, action="bulk.delete", target="done1 elsewhere:1 queue=mail", count=9)
    app.record_change(**told, action="bulk.delete.end", target="done1 done", count=5)
    died = shop.read("/bulk/dead1")
    assert "has ended before the change was done" in died.text
    assert "/jobs?state=failed" in died.all("a", "href")
    assert "Another process makes this change" in shop.read("/bulk/far1").text
    assert "5 deleted" in shop.read("/bulk/done1").text
    assert shop.get("/bulk/nowhere").status_code == 404


@pytest.mark.only_on("sqlite")
def test_a_change_is_stopped_between_two_batches(app: Windlass, pages: Pages) -> None:
    many(app, 3)
    changes = bulk_changes(app)
    change, is_new = changes.begin(app, order_by_ids(BulkAction.CANCEL, ["a"], now=0), by="ada", via="")
    assert is_new
    eventually(lambda: change.is_over)
    assert pages.post(f"/bulk/{change.id}/stop").status_code == 409
    stopped = type(change)(app, order_by_ids(BulkAction.CANCEL, ["b"], now=0), by="ada", via="")
    assert stopped.stop()
    assert str(stopped.state) == "stopping"
    stopped.run()
    assert (str(stopped.state), stopped.changed) == ("stopped", 0)


@pytest.mark.only_on("sqlite")
def test_only_so_many_are_kept_and_under_way(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> None:
    app.migrate()
    changes = BulkChanges()
    monkeypatch.setattr("windlass.web.bulk.changes.start_thread", lambda run, name: None)
    held = [changes.begin(app, order_by_ids(BulkAction.RETRY, ["a"], now=0), by="ada", via="")[0] for _ in range(4)]
    assert len(held) == MOST_AT_ONCE
    with pytest.raises(Problem, match="under way"):
        changes.begin(app, order_by_ids(BulkAction.RETRY, ["a"], now=0), by="ada", via="")
    for change in held:
        change.run()
    for _ in range(KEPT):
        changes.begin(app, order_by_ids(BulkAction.RETRY, ["a"], now=0), by="ada", via="")[0].run()
    assert len(changes.newest_first()) == KEPT
    assert changes.find(held[0].id) is None


@pytest.mark.only_on("sqlite")
def test_all_that_match_can_be_chosen_in_the_list(shop: Pages) -> None:
    page = shop.read("/jobs?all=1&task=mail.welcome")
    assert "All 3 that match" in page.text
    hidden = {a["name"]: a["value"] for tag, a in page.elements if tag == "input" and a.get("type") == "hidden"}
    assert (hidden["all"], hidden["task"]) == ("1", "mail.welcome")
    [stream] = page.all("div", "data-stream")
    assert "All 3 that match" in shop.read(stream.replace("/live", "", 1)).text
