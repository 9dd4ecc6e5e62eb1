"""Settings of queues live in the store: code declares, operators decide, all machines follow."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps, gate
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, Cooldown, Retry, State, Windlass
from windlass.options.queues import SETTINGS
from windlass.retention import Retention


def test_lowering_it_lets_running_jobs_finish(app: Windlass) -> None:
    """C10."""
    app.enqueue_many([app.request("send", queue="mail") for _ in range(4)])
    claimed = app.claim(3, queues=["mail"])
    app.queue("mail").configure(max_running=1)
    for one in claimed[:2]:
        one.complete()
        assert app.claim(9, queues=["mail"]) == []
    claimed[2].complete()
    assert len(app.claim(9, queues=["mail"])) == 1


def test_code_declares_and_operators_decide(new_app: Apps) -> None:
    """C10: an operator's edits survive deploys, and what they did not change follows the code."""
    app = new_app(max_running=5)
    app.queue("mail", weight=3, max_running=2)
    app.enqueue_many([app.request("send", queue="mail") for _ in range(9)])
    assert len(app.claim(9, queues=["mail"])) == 2
    settings = app.queue("mail").settings()
    assert (settings.weight, settings.max_running, settings.changed_by) == (3, 2, None)
    app.queue("mail").configure(max_running=4, by="ada")
    again = new_app(max_running=6)
    again.queue("mail", weight=1, max_running=2)
    assert len(again.claim(9, queues=["mail"])) == 2
    settings = again.queue("mail").settings()
    assert (settings.weight, settings.max_running, settings.changed_by) == (1, 4, "ada")
    assert settings.changed_at is not None
    assert again.overview().everywhere.max_running == 6


def test_who_changed_which_setting_and_when_is_told(app: Windlass) -> None:
    """C10: by setting."""
    mail = app.queue("mail")
    mail.configure(weight=3, max_running=8, by="ada")
    mail.configure(weight=4, by="bob")
    mail.pause(by="eve")
    settings = mail.settings()
    assert {name: change.by for name, change in settings.changes.items()} == {"weight": "bob", "max_running": "ada"}
    assert settings.changes["weight"].at == settings.changes["max_running"].at, "by the clock of the store"
    assert (settings.paused_by, settings.changed_by) == ("eve", "eve")


def test_a_setting_goes_back_to_the_code(new_app: Apps) -> None:
    """C10: at once where the code is at hand, and with its next start elsewhere."""
    app = new_app()
    mail = app.queue("mail", weight=3, max_running=2)
    mail.configure(weight=9, max_running=9, rate="1/s", by="ada")
    mail.reset("weight")
    assert (mail.settings().weight, mail.settings().max_running) == (3, 9)
    elsewhere = new_app().queue("mail")
    elsewhere.reset()
    assert elsewhere.settings().changes == {}
    assert elsewhere.settings().max_running is None
    again = new_app()
    again.queue("mail", weight=3, max_running=2)
    again.claim()
    assert (mail.settings().max_running, mail.settings().rate) == (2, None)
    with pytest.raises(ConfigError, match="queues have no setting 'wait'"):
        mail.reset("wait")


def test_every_setting_is_declared_and_changed(new_app: Apps) -> None:
    """C10: pause, limits, weight, retention and backoff among them."""
    app = new_app()
    every = {
        "weight": 3,
        "max_length": 10,
        "max_running": 8,
        "retention": Retention(completed="1d"),
        "retry": Retry(attempts=9),
        "cooldown": Cooldown(base=10),
        "rate": "30/min",
    }
    assert every.keys() == set(SETTINGS)
    app.queue("code", **every)  # type: ignore[arg-type]
    app.queue("hand").configure(**every)  # type: ignore[arg-type]
    app.claim()
    code, hand = app.queue("code").settings(), app.queue("hand").settings()
    for name in SETTINGS:
        assert getattr(code, name) == getattr(hand, name) is not None
    assert (set(code.changes), set(hand.changes)) == (set(), set(SETTINGS))


def test_a_worker_seeds_what_code_declares(new_app: Apps) -> None:
    """C10: when it starts, also of queues that it does not serve."""
    app = new_app(max_running=5)
    app.queue("mail", max_running=2)
    app.worker(["default"]).run_until_empty()
    assert app.queue("mail").settings().max_running == 2
    assert app.overview().everywhere.max_running == 5


def test_workers_follow_a_change_while_they_run(app: Windlass) -> None:
    """C10: none is started again."""
    mail = app.queue("mail")
    with gate() as busy:
        app.task(name="hold", queue="mail")(busy.wait)
        mail.configure(max_running=1)
        jobs = app.enqueue_many([app.request("hold") for _ in range(2)])
        with app.worker(["mail"], concurrency=4):
            busy.await_entered()
            assert app.counts()[State.RUNNING] == 1
            mail.configure(max_running=2)
            eventually(lambda: app.counts()[State.RUNNING] == 2, "the second runs beside the first")
            busy.open()
            for job in jobs:
                job.result(timeout=PATIENCE)


def test_a_queue_is_not_declared_in_two_ways(new_app: Apps) -> None:
    """C10."""
    app = new_app()
    app.queue("mail", weight=3)
    app.queue("mail", max_running=2)
    app.queue("mail", weight=3, max_running=2)
    with pytest.raises(ConfigError, match="queue 'mail' is declared twice, with weight=3 and with weight=4"):
        app.queue("mail", weight=4)
