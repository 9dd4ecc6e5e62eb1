"""``windlass limits``, and cool-downs on the command line."""

from __future__ import annotations

from tests.cli.program import Program
from windlass import Throttled
from windlass.store.operations.rates.trips import Failures, count_failures


def test_a_limit_is_set_listed_drained_and_deleted(windlass: Program) -> None:
    """C6: the operator's words."""
    windlass.app.enqueue("mail.welcome", 1)
    nothing, given, listed, json, drained, deleted, gone = windlass.many(
        ["limits", "list"],
        ["limits", "set", "github", "--rate", "5000/h", "--burst", "100"],
        ["limits", "list"],
        ["limits", "list", "--json"],
        ["limits", "drain", "github", "--json"],
        ["limits", "delete", "github", "--yes"],
        ["limits", "drain", "github"],
    )
    assert nothing.out == "no limits yet\n"
    assert given.out == "limit github is 5000/h, burst 100\n"
    assert [line.split()[:6] for line in listed.out.splitlines()] == [
        ["LIMIT", "RATE", "BURST", "TOKENS", "NEXT", "WAITING"],
        ["github", "5000/h", "100", "100", "now", "0"],
    ]
    [limit] = json.json["limits"]
    assert "@" in limit["changed_by"]
    assert (drained.json["tokens"], drained.json["next_seconds"] > 0) == (0, True)
    assert deleted.out == "deleted limit github\n"
    assert (gone.code, "no limit is called 'github'" in gone.error) == (1, True)


def test_wrong_rates_are_told(windlass: Program) -> None:
    """C6: and nothing is set."""
    windlass.app.enqueue("mail.welcome", 1)
    rate, burst, nothing, listed = windlass.many(
        ["limits", "set", "github", "--rate", "often"],
        ["limits", "set", "github", "--burst", "5"],
        ["limits", "set", "github"],
        ["limits", "list"],
    )
    assert "limit 'github': rate must look like '30/min'" in rate.error
    assert "limit 'github' is not set up" in burst.error
    assert (rate.code, burst.code, nothing.code) == (2, 2, 2)
    assert listed.out == "no limits yet\n"


def test_a_cool_down_is_shown_and_ended(windlass: Program) -> None:
    """C7: with its reason and its end."""
    app = windlass.app

    @app.task(name="call", queue="github")
    def call(text: str) -> None:
        raise Throttled("429", **({"limit": text} if text else {}))

    app.limit("upstream").configure(rate="1/s")
    for text in ("upstream", ""):
        app.enqueue("call", text)
        app.worker().run_until_empty()
    queues, json, limits, status, set_up, resumed, again = windlass.many(
        ["queues", "list"],
        ["queues", "list", "--json"],
        ["limits", "list"],
        ["status"],
        ["queues", "set", "github", "--cooldown", "10s..5m", "--json"],
        ["queues", "resume", "github"],
        ["queues", "list", "--json"],
    )
    assert "github: cools down until " in queues.out
    assert " UTC (in " in queues.out
    [queue] = [each for each in json.json["queues"] if each["name"] == "github"]
    assert (queue["cooling"]["reason"], queue["cooling"]["scope"]) == ("429", "queue")
    assert "limit upstream: cools down until " in limits.out
    assert "limit upstream: cools down until " in status.out
    assert "github: cools down until " in status.out
    assert set_up.json["cooldown"] == {"enabled": True, "base": 10, "max": 300}
    assert resumed.code == 0
    [queue] = [each for each in again.json["queues"] if each["name"] == "github"]
    assert queue["cooling"] is None


def test_a_task_that_has_tripped_is_resumed(windlass: Program) -> None:
    """F7: what cools down and why is told by status."""
    rule = Failures("mail.send", "0123456789ab", 5, 5, 60_000, 60_000, "01J", "tripped: the host is away")
    windlass.app.client.session.run(count_failures([rule]))
    status, resumed, again = windlass.many(
        ["status"], ["dead", "resume", "mail.send", "--json"], ["dead", "resume", "mail.send"]
    )
    assert "tripped: the host is away" in status.out
    assert (resumed.json["task"], resumed.json["resumed"], resumed.json["cooling"]) == ("mail.send", 1, [])
    assert (again.code, again.out) == (0, "task mail.send does not cool down\n")
