"""``windlass duties``: upkeep by hand, and without workers."""

from __future__ import annotations

import signal

from tests.cli.program import Program
from tests.waiting import eventually
from windlass import State


def test_duties_run_alone_until_a_signal(windlass: Program) -> None:
    """B30: what is due is promoted, no job runs."""
    app = windlass.app
    with windlass.start("duties") as duties:
        assert str(windlass.folder / "windlass.db") in duties.wait_for("doing duties")
        [job] = app.enqueue_many([app.request("mail.welcome", [1], delay=0.01)])
        eventually(lambda: job.refresh().state is State.PENDING)
        [lost] = app.claim(1, lease=0.01)
        eventually(lambda: lost.job.state is State.PENDING)
        duties.signal(signal.SIGTERM)
        assert duties.code() == 0
    assert job.refresh().attempt == 1


def test_rescue_tells_what_it_freed_and_where_it_went(windlass: Program) -> None:
    """C14."""
    app = windlass.app
    jobs = app.enqueue_many([app.request("mail.welcome", [n], attempts=n) for n in (1, 2)])
    assert len(app.claim(2, lease=0.001)) == 2
    rescued = windlass.json("duties", "rescue")
    assert rescued["duty"] == "rescue"
    assert {job["id"]: job["state"] for job in rescued["rescued"]} == {jobs[0].id: "failed", jobs[1].id: "pending"}
    app.claim(1, lease=0.001)
    assert windlass("duties", "rescue").out == f"rescued 1 job\n  {jobs[1].id} is failed now\n"


def test_promote_tells_how_many(windlass: Program) -> None:
    """C14."""
    app = windlass.app
    app.enqueue_many([app.request("mail.welcome", [n], delay=0.001) for n in range(2)])
    assert windlass.json("duties", "promote") == {"duty": "promote", "promoted": 2}
    assert windlass("duties", "promote").out == "promoted 0 jobs\n"


def test_clean_tells_what_it_let_go(windlass: Program) -> None:
    """C14."""
    [job] = windlass.app.enqueue_many([windlass.app.request("mail.welcome", [1])])
    job.cancel()
    windlass.json("queues", "set", "default", "--keep-cancelled", "0.001s")
    cleaned = windlass.json("duties", "clean")
    assert (cleaned["duty"], cleaned["deleted"], cleaned["archived"]) == ("clean", 1, 0)
    assert windlass("duties", "clean").out.startswith("deleted 0 jobs, archived 0, in ")


def test_an_unknown_duty_is_wrong_use(shop: Program) -> None:
    assert shop("duties", "dust").is_error(2, "'dust'", "'rescue'")


def test_duties_are_listed_like_a_worker_and_can_be_stopped(windlass: Program) -> None:
    """B30, C9: who leads since when, and what each duty did, is in ``status``."""
    with windlass.start("duties") as duties:
        duties.wait_for("doing duties")
        eventually(lambda: windlass.app.overview().leader is not None, "it leads")
        status = windlass.json("status")
        [worker] = status["workers"]
        assert (worker["state"], worker["queues"], worker["duties"]) == ("duties", [], True)
        assert status["leader"]["name"] == worker["name"]
        assert {one["duty"] for one in status["leader"]["duties"]} >= {"leader", "promotion", "rescue"}
        assert "no worker is alive" in status["problems"]
        assert f"leader: {worker['name']}, since " in windlass("status").out
        assert windlass("workers", "stop", worker["name"], "--wait").code == 0
        assert duties.code() == 0
    assert windlass.app.workers() == []
