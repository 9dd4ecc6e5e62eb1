"""``windlass tasks``: the rates of tasks on the command line."""

from __future__ import annotations

from tests.cli.program import Program


def test_the_rate_of_a_task_is_set_and_reset(windlass: Program) -> None:
    """C6, C10: with who set it."""
    windlass.app.task(name="rated", rate="30/min")(print)
    windlass.app.task_rate("rated").configure(rate="20/min", by="ada")
    listed, given, json, both, lone, bad, free, unlimited, reset = windlass.many(
        ["tasks", "list"],
        ["tasks", "set", "rated", "--rate", "9/s", "--burst", "4"],
        ["tasks", "list", "--json"],
        ["tasks", "set", "rated", "--rate", "9/s", "--reset"],
        ["tasks", "set", "rated", "--no-rate", "--burst", "4"],
        ["tasks", "set", "rated", "--rate", "often"],
        ["tasks", "set", "mail.welcome", "--rate", "1/s"],
        ["tasks", "set", "rated", "--no-rate"],
        ["tasks", "set", "rated", "--reset", "--json"],
    )
    assert listed.out.splitlines()[1].split()[:5] == ["rated", "20/min", "1", "30/min", "ada"]
    assert given.out == "the rate of task rated is 9/s, burst 4\n"
    [rate] = json.json["rates"]
    assert (rate["task"], rate["rate"], rate["burst"], "@" in rate["changed_by"]) == ("rated", "9/s", 4, True)
    assert both.is_error(2, "say one of --rate, --no-rate and --reset")
    assert lone.is_error(2, "--burst goes with --rate")
    assert bad.is_error(2, "task 'rated': rate must look like '30/min'")
    assert free.is_error(2, "task 'mail.welcome' has no rate in the code")
    assert unlimited.out == "the rate of task rated is no limit\n"
    assert reset.json["changed_by"] is None


def test_a_task_that_does_not_cool_down_is_said_to(windlass: Program) -> None:
    """C7."""
    windlass.app.enqueue("mail.welcome", 1)
    assert windlass("tasks", "resume", "mail.welcome").out == "task mail.welcome does not cool down\n"
