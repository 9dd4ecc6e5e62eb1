"""From task names to queues, by a table or a function."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import Apps, work
from windlass import ConfigError, State, Windlass
from windlass.client.routes import Routes

TABLE = {"mail.": "mail", "mail.bulk.": "slow", "mail.bulk.urgent": "fast", "report": "reports"}


@pytest.mark.parametrize(
    ("task", "queue"),
    [
        ("mail.welcome", "mail"),
        ("mail.bulk.newsletter", "slow"),
        ("mail.bulk.urgent", "fast"),
        ("report", "reports"),
        ("mailing.list", "default"),
        ("other", "default"),
    ],
)
def test_the_longest_beginning_counts(app: Windlass, task: str, queue: str) -> None:
    """C8: a whole name is its longest beginning; what fits nothing goes to the default queue."""
    app.configure(routes=TABLE)
    assert app.enqueue(task).queue == queue


def test_a_function_chooses(app: Windlass) -> None:
    """C8: by the task's name; None is the default queue."""
    app.configure(routes=lambda task: "mail" if task.startswith("mail.") else None)
    assert (app.enqueue("mail.welcome").queue, app.enqueue("other").queue) == ("mail", "default")


def test_a_function_is_asked_for_each_enqueue(app: Windlass) -> None:
    """C8: also for a task that was enqueued before."""
    queues = ["first", "second", "third"]
    app.configure(routes=lambda task: queues.pop(0))

    @app.task
    def noop() -> None: ...

    assert [noop.enqueue().queue for _ in range(2)] == ["first", "second"]
    assert {job.queue for job in noop.enqueue_many([(), ()])} == {"third"}


@pytest.mark.parametrize("routes", [{"noop": "routed"}, lambda task: "routed"], ids=["table", "function"])
def test_what_a_job_or_its_task_names_comes_first(app: Windlass, routes: Any) -> None:
    """C8: then the route, then the default."""
    app.configure(routes=routes)

    @app.task(name="noop.1")
    def plain() -> None: ...

    @app.task(name="noop.2", queue="named")
    def named() -> None: ...

    queues = [plain.enqueue().queue, named.enqueue().queue, named.options(queue="asked").enqueue().queue]
    assert queues == ["routed", "named", "asked"]


@pytest.mark.parametrize("routes", [{"parcels.": "parcels"}, lambda task: "parcels"], ids=["table", "function"])
def test_routes_may_be_given_with_the_app(new_app: Apps, routes: Any) -> None:
    """C8: a worker that names no queues serves those that its tasks are routed to."""
    app = new_app(routes=routes)

    @app.task(name="parcels.send")
    def send() -> None: ...

    job = send.enqueue()
    assert app.worker().queues == {"default": 1, "parcels": 1}
    work(app)
    assert (job.refresh().queue, job.state) == ("parcels", State.COMPLETED)


def test_no_routes_again(app: Windlass) -> None:
    """C8: None takes them away."""
    app.configure(routes=TABLE)
    app.configure(routes=None)
    assert app.enqueue("mail.welcome").queue == "default"


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda task: 1 / 0, "route function failed for task 'noop': ZeroDivisionError"),
        (lambda task: "no spaces", "route function gave task 'noop' the queue 'no spaces'"),
        (lambda task: 7, "route function gave task 'noop' the queue 7"),
        (lambda: "mail", "route function failed for task 'noop': TypeError"),
    ],
)
def test_a_function_that_fails_stores_nothing(app: Windlass, function: Any, says: str) -> None:
    """C8: the error names the task."""
    app.configure(routes=function)
    with pytest.raises(ConfigError, match=says):
        app.enqueue("noop")
    app.configure(routes=None)
    assert app.jobs() == []


def test_a_table_is_copied() -> None:
    """C8: a change of the dict afterwards changes nothing."""
    table = {"mail.": "mail"}
    routes = Routes(table)
    table["mail."] = "no spaces"
    assert routes.queue_of("mail.welcome") == "mail"
