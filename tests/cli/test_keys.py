"""``windlass keys``: concurrency keys on the command line."""

from __future__ import annotations

from tests.cli.program import Program


def test_keys_that_jobs_hold_are_listed_in_pages(windlass: Program) -> None:
    """C3: who holds them, and how many wait."""
    app = windlass.app
    for key in ("user-1", "user-2", "user-3"):
        app.enqueue_many([app.request("mail.welcome", [1], concurrency_key=key) for _ in range(3)])
    claimed = app.claim(9)
    assert len(claimed) == 3
    plain, json, page, of_task, bad = windlass.many(
        ["keys", "list"],
        ["keys", "list", "--json"],
        ["keys", "list", "--limit", "2", "--json"],
        ["keys", "list", "--task", "other"],
        ["keys", "list", "--cursor", "%"],
    )
    rows = [line.split() for line in plain.out.splitlines()]
    assert rows[0] == ["TASK", "KEY", "HELD", "OF", "WAITING", "HELD", "BY"]
    assert rows[1] == ["mail.welcome", "user-1", "1", "1", "2", claimed[0].id]
    assert json.json["keys"][0]["holders"] == [{"id": claimed[0].id, "state": "running"}]
    assert json.json["next"] is None
    rest = windlass.json("keys", "list", "--cursor", page.json["next"])
    assert [key["key"] for key in page.json["keys"] + rest["keys"]] == ["user-1", "user-2", "user-3"]
    assert of_task.out == "no concurrency key is held\n"
    assert bad.is_error(2, "'%' is no cursor")


def test_the_limit_of_keys_is_set_and_reset(windlass: Program) -> None:
    """C3: with who set it."""
    windlass.app.enqueue("mail.welcome", 1)
    none, given, listed, json, neither, bad, typo, reset, gone = windlass.many(
        ["keys", "limits"],
        ["keys", "set", "mail.welcome", "--concurrency", "3"],
        ["keys", "limits"],
        ["keys", "limits", "--json"],
        ["keys", "set", "mail.welcome"],
        ["keys", "set", "mail.welcome", "--concurrency", "0"],
        ["keys", "set", "mail.wellcome", "--concurrency", "3"],
        ["keys", "set", "mail.welcome", "--reset", "--json"],
        ["keys", "limits"],
    )
    assert none.out == gone.out == "no task has a limit on its keys yet\n"
    assert given.out == "3 jobs of mail.welcome with the same key may run at once\n"
    assert listed.out.splitlines()[1].split()[:3] == ["mail.welcome", "3", "-"]
    [limit] = json.json["limits"]
    assert (limit["limit"], limit["declared"], "@" in limit["changed_by"]) == (3, None, True)
    assert neither.is_error(2, "say --concurrency or --reset")
    assert bad.is_error(2, "limit", "0")
    assert typo.is_error(1, "the app has no task 'mail.wellcome'; did you mean 'mail.welcome'?")
    assert (reset.json["limit"], reset.json["changed_by"]) == (1, None)
