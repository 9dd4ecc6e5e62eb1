"""``windlass jobs``."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.program import Program
from windlass import ActiveJob, Retry, State, current_job, this_job


def ids(page: dict[str, list[dict[str, object]]]) -> list[object]:
    return [job["id"] for job in page["jobs"]]


def unprintable(text: str) -> set[str]:
    return {char for char in text if char != "\n" and not char.isprintable()}


def test_jobs_are_listed_the_newest_first(shop: Program) -> None:
    answer = shop("jobs", "list")
    assert answer.code == 0
    rows = [line.split() for line in answer.out.splitlines()]
    assert rows[0] == ["ID", "TASK", "QUEUE", "STATE", "RUNS", "CREATED", "NOTE"]
    assert [row[:5] for row in rows[1:]] == [
        ["high", "mail.welcome", "letters", "pending", "0/4"],
        ["low", "mail.welcome", "letters", "pending", "0/4"],
        ["secret", "mail.welcome", "default", "scheduled", "0/4"],
        ["dead", "broken", "default", "failed", "1/1"],
        ["done", "mail.welcome", "mail", "completed", "1/4"],
    ]


FILTERS: list[tuple[list[str], list[str]]] = [
    (["--state", "failed"], ["dead"]),
    (["--queue", "letters"], ["high", "low"]),
    (["--task", "broken"], ["dead"]),
    (["--reason", "attempts"], ["dead"]),
    (["--text", "HUNTER2"], ["secret", "done"]),
    (["--tag", "vip"], ["dead"]),
    (["--tag", "vip", "--state", "pending"], []),
    (["--since", "1h"], ["high", "low", "secret", "dead", "done"]),
    (["--since", "2h ago", "--state", "completed"], ["done"]),
    (["--since", "2100-01-01T00:00Z"], []),
]


def test_jobs_are_filtered(shop: Program) -> None:
    answers = shop.many(*(["jobs", "list", "--json", *arguments] for arguments, _ in FILTERS))
    for answer, (arguments, found) in zip(answers, FILTERS, strict=True):
        assert ids(answer.json) == found, arguments


def test_since_takes_the_instants_that_we_print(shop: Program) -> None:
    [done] = shop.json("jobs", "list", "--state", "completed")["jobs"]
    created = datetime.fromisoformat(done["created_at"])
    assert timedelta(0) < datetime.now(UTC) - created < timedelta(minutes=29)  # no zone is nearer to UTC than that
    assert "done" in ids(shop.json("jobs", "list", "--since", done["created_at"]))


def test_a_page_tells_where_the_next_begins(shop: Program) -> None:
    json, plain = shop.many(["jobs", "list", "--limit", "3", "--json"], ["jobs", "list", "--limit", "3"])
    assert ids(json.json) == ["high", "low", "secret"]
    assert f"more with --cursor {json.json['next']}" in plain.out
    rest = shop("jobs", "list", "--limit", "3", "--cursor", str(json.json["next"]))
    assert [line.split()[0] for line in rest.out.splitlines()[1:]] == ["dead", "done"]


def test_nothing_found_is_no_problem(shop: Program) -> None:
    answer = shop("jobs", "list", "--queue", "nowhere")
    assert (answer.code, answer.out) == (0, "no jobs match\n")


def test_a_since_that_nobody_understands_is_wrong_use(shop: Program) -> None:
    whens = ["yesterday", "2026-11-15T09:30", "-2h"]
    for answer, when in zip(shop.many(*(["jobs", "list", f"--since={when}"] for when in whens)), whens, strict=True):
        assert answer.is_error(2, "--since", when), answer


def test_one_job_is_shown_with_everything(shop: Program) -> None:
    """A2: state, result, error, attempts, times, worker, queue."""
    shown = shop.json("jobs", "show", "done")
    assert shown["state"] == "completed"
    assert shown["result"] == "welcome 42"
    assert (shown["attempt"], shown["max_attempts"]) == (1, 4)
    assert shown["created_at"] <= shown["started_at"] <= shown["finished_at"]
    assert "-worker-" in shown["worker"]
    assert "result    " in shop("jobs", "show", "done").out


def test_a_failed_job_shows_why(shop: Program) -> None:
    """A11: the reason, and what was raised with its traceback."""
    plain, json = shop.many(["jobs", "show", "dead"], ["jobs", "show", "dead", "--json"])
    assert re.search(r"reason +attempts", plain.out)
    assert "ValueError: bad" in plain.out
    assert "raise ValueError(text)" in plain.out
    [error] = json.json["errors"]
    assert (error["type"], error["attempt"]) == ("ValueError", 1)


def test_a_job_that_waits_for_its_next_attempt_tells_of_the_last(windlass: Program) -> None:
    """A11: why it waits is to be seen where jobs are listed."""
    patient = Retry(attempts=2, base=300)
    windlass.app.enqueue_many([windlass.app.request("broken", ["no stamps"], id="again", retry=patient)])
    assert windlass("worker", "--burst").code == 0
    listed = windlass("jobs", "list")
    assert re.search(r"^again +broken +default +retrying +1/2 .*due in .*: ValueError: no stamps$", listed.out, re.M)


def test_a_job_that_sleeps_or_waits_for_an_event_says_so(windlass: Program) -> None:
    """A12: one that waits for as long as it takes has no time at which it is due."""

    @windlass.app.task(name="pause")
    def pause(how: str, *, job: ActiveJob = this_job) -> None:
        if how == "sleep":
            job.sleep("3d")
        job.wait_for("approved", timeout=None if how == "ever" else "7d")

    windlass.app.enqueue_many([pause.options(id=how).request(how) for how in ("sleep", "limit", "ever")])
    windlass.app.worker().run_until_empty()
    listed, shown, slept, waited = windlass.many(
        ["jobs", "list"], ["jobs", "show", "ever"], ["jobs", "timeline", "sleep"], ["jobs", "timeline", "ever"]
    )
    notes = {line.split()[0]: line for line in listed.out.splitlines()}
    assert notes["sleep"].endswith("sleeps, due in 3d")
    assert notes["limit"].endswith("waits for an event, its time ends in 7d")
    assert notes["ever"].endswith("waits for an event")
    assert "\n  due " not in shown.out
    assert ", next in 3d, " in slept.out
    assert "next in" not in waited.out


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_secrets_are_masked_at_any_depth(shop: Program, more: list[str]) -> None:
    """B21: in keyword arguments and metadata by key, in positional arguments by the name of the parameter."""
    named = shop("jobs", "show", "secret", *more)
    positional = shop("jobs", "show", "done", *more)
    for answer in (named, positional):
        assert answer.code == 0
        assert "••••" in answer.out
        assert "hunter2" not in answer.out
    assert "ann" in named.out
    assert "t0p" not in positional.out


def test_secrets_are_masked_in_errors_logs_and_progress(windlass: Program, caplog: pytest.LogCaptureFixture) -> None:
    """B21: and in what the worker logs of the run, with the traceback."""

    @windlass.app.task(name="leaky", retry=Retry(attempts=1))
    def leaky() -> None:
        current_job().progress(0.5, "with token=hunter22")
        logging.getLogger("shop").warning("as redis://me:hunter22@cache")
        raise ConnectionError("postgresql://me:hunter22@db/shop refused api_key=hunter22")

    leaky.options(id="leaky").enqueue()
    windlass.app.worker().run_until_empty()
    [logged] = [record for record in caplog.records if record.name == "windlass.worker"]
    texts = [logged.getMessage(), logged.__dict__["error"], logged.exc_text]
    shown = windlass("jobs", "show", "leaky")
    commands = [["jobs", "timeline", "leaky"], ["jobs", "list"], ["dead", "list"], ["dead", "groups"]]
    more = windlass.many(*commands, *([*command, "--json"] for command in [*commands, ["jobs", "show", "leaky"]]))
    for text in [*texts, *(answer.out for answer in [shown, *more])]:
        assert text
        assert "hunter22" not in text
    for text in [*texts, shown.out]:
        assert "postgresql://me:••••@db/shop refused api_key=••••" in text
    assert "redis://me:••••@cache" in shown.out
    assert "50% with token=••••" in shown.out


def test_job_data_cannot_steer_the_terminal(shop: Program) -> None:
    """Escapes, bells and what turns text around are written out, for people and in JSON."""
    commands = [["jobs", "show", "dead"], ["jobs", "list"], ["jobs", "timeline", "dead"], ["dead", "list"]]
    for plain in [shop("jobs", "show", "dead"), *shop.many(*commands)]:
        assert not unprintable(plain.out)
        assert r"\x1b[31mred\x07 \u202enote" in plain.out
    for json in [shop("jobs", "show", "dead", "--json"), *shop.many(*([*command, "--json"] for command in commands))]:
        assert not unprintable(json.out)
        assert r"\u001b[31mred\u0007 \u202enote" in json.out


def test_a_payload_that_cannot_be_read_is_not_shown(windlass: Program) -> None:
    """B32: lists and pages still work."""
    import apsw

    job = windlass.app.enqueue("mail.welcome", "hunter2")
    connection = apsw.Connection(str(windlass.folder / "windlass.db"))
    connection.execute("UPDATE windlass_job SET payload = 'hunter2 {', meta = '[', errors = '!'")
    connection.close()
    answer = windlass("jobs", "show", job.id)
    assert re.search(r"payload +unreadable", answer.out)
    assert "hunter2" not in answer.out
    assert windlass.json("jobs", "show", job.id)["args"] is None
    assert windlass("jobs", "list").code == 0


def test_a_timeline_is_told_in_order(shop: Program) -> None:
    """A12: with worker and fence."""
    told = shop.json("jobs", "timeline", "done")
    assert [entry["kind"] for entry in told["timeline"]] == ["created", "claimed", "started", "completed"]
    assert told["timeline"][-1]["fence"] == 1
    rows = shop("jobs", "timeline", "done").out.splitlines()
    assert rows[0].split() == ["AT", "(UTC)", "AFTER", "WHAT", "FENCE", "DETAIL"]
    assert [row.split()[3] for row in rows[1:]] == ["created", "claimed", "started", "completed"]


def test_a_timeline_has_every_attempt(windlass: Program) -> None:
    """A12: each with its claim, start, end, length and the delay until the next, also those before the last."""
    job = windlass.app.enqueue("mail.welcome", 1)
    for _ in range(2):
        [claimed] = windlass.app.claim()
        claimed.fail("broken", delay=0)
    told = [entry for entry in windlass.json("jobs", "timeline", job.id)["timeline"] if entry["fence"]]
    assert [entry["kind"] for entry in told] == ["claimed", "started", "attempt_failed"] * 2
    assert [entry["fence"] for entry in told] == [1, 1, 1, 2, 2, 2]
    ends = [entry["detail"] for entry in told if entry["kind"] == "attempt_failed"]
    assert [(end["attempt"], end["error"], end["next_in"]) for end in ends] == [
        (1, "error: broken", 0),
        (2, "error: broken", 0),
    ]
    assert all(end["seconds"] >= 0 for end in ends)
    assert "attempt 2, error error: broken, after " in windlass("jobs", "timeline", job.id).out


def test_why_tells_what_a_job_waits_for(shop: Program) -> None:
    assert shop("jobs", "why", "low").out == "pending: no worker serves queue 'letters'\n"
    assert shop.json("jobs", "why", "dead") == {
        "id": "dead",
        "state": "failed",
        "why": "it failed (attempts); retry it to run it again",
    }


def test_a_job_that_is_not_there_is_a_problem(shop: Program) -> None:
    """A2."""
    commands = ("show", "retry", "cancel", "delete", "timeline", "why")
    for answer in shop.many(*(["jobs", command, "nobody"] for command in commands)):
        assert answer.is_error(1, "no job has the id 'nobody'"), answer


def test_jobs_are_retried_cancelled_and_deleted(windlass: Program) -> None:
    """A4, A11: by id, with who did it in the timeline."""
    app = windlass.app
    requests = [app.request("mail.welcome", [n], id=id, delay="1h") for n, id in enumerate(["one", "two"])]
    app.enqueue_many(requests)
    assert windlass("jobs", "cancel", "one", "two", "--reason", "a mistake").out == "one  cancelled\ntwo  cancelled\n"
    assert windlass.json("jobs", "retry", "one", "--to-queue", "vip") == {"retried": ["one"], "errors": []}
    assert windlass.json("jobs", "delete", "two") == {"deleted": ["two"], "errors": []}
    [one] = app.jobs()
    assert (one.state, one.queue) == (State.PENDING, "vip")
    cancelled = next(entry for entry in one.timeline() if entry.kind == "cancelled")
    assert cancelled.detail["reason"] == "a mistake"
    assert "@" in str(cancelled.detail.get("by") or cancelled.worker)


def test_a_state_that_does_not_allow_it_is_a_problem_and_the_others_go_on(windlass: Program) -> None:
    """A4: what has finished cannot be cancelled."""
    app = windlass.app
    app.enqueue_many([app.request("mail.welcome", [n], id=id) for n, id in enumerate(["one", "two"])])
    app.cancel("one")
    answer = windlass("jobs", "cancel", "one", "two", "--json")
    assert answer.is_error(1, "job one is cancelled; it cannot be cancelled")
    assert answer.json["cancelled"] == ["two"]
    assert [error["id"] for error in answer.json["errors"]] == ["one"]
    app.retry("one")
    assert windlass("jobs", "retry", "one").is_error(1, "job one is pending; it cannot be retried")


def test_a_running_job_is_asked_to_stop_and_cannot_be_deleted(windlass: Program) -> None:
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", [1], id="one")])
    windlass.app.claim(1)
    assert "1 of 4" in windlass("jobs", "show", "one").out, "it was charged when it was claimed"
    assert windlass("jobs", "delete", "one").is_error(1, "job one is running")
    assert windlass("jobs", "cancel", "one").out == "one  asked to stop\n"


def test_jobs_are_failed_by_hand(windlass: Program) -> None:
    """B24: what waits, and what runs, which is told apart."""
    windlass.app.enqueue_many([windlass.app.request("t", id="a"), windlass.app.request("t", id="b", queue="other")])
    windlass.app.claim(queues=["other"])
    waits, runs, gone = windlass.many(
        ["jobs", "fail", "a", "--reason", "no use", "--json"], ["jobs", "fail", "b"], ["jobs", "fail", "a"]
    )
    assert waits.json == {"failed": ["a"], "errors": []}
    assert runs.out == "b  failed (its code may run until the next heartbeat of its worker)\n"
    assert gone.is_error(1, "job a is failed; it cannot be failed")
    assert windlass.app.job("a").errors[-1].message == "no use"


def test_jobs_are_found_by_time_metadata_and_how_long_they_run(windlass: Program) -> None:
    app = windlass.app
    app.enqueue_many(
        [
            app.request("mail.welcome", [1], id="a", meta={"tenant": "acme", "order": 7}),
            app.request("mail.welcome", [2], id="b", meta={"tenant": "other"}),
        ]
    )
    [claimed] = app.claim(1)
    listed = ["jobs", "list", "--json"]
    by_meta, by_text, before, ahead, running, not_yet, wrong, shape = windlass.many(
        [*listed, "--meta", "tenant=acme", "--meta", "order=7"],
        [*listed, "--text", "ACME"],
        [*listed, "--until", "1h ago"],
        [*listed, "--until", "2999-01-01T00:00:00Z", "--since", "1h"],
        [*listed, "--running-for", "0s"],
        [*listed, "--running-for", "1h"],
        [*listed, "--running-for", "1h", "--state", "failed"],
        [*listed, "--meta", "tenant"],
    )
    by_argument, by_both, secret = windlass.many(
        [*listed, "--arg", "user_id=1"],
        [*listed, "--arg", "user_id=1", "--meta", "tenant=other"],
        [*listed, "--arg", "password=hunter2"],
    )
    assert [[job["id"] for job in answer.json["jobs"]] for answer in (by_argument, by_both)] == [["a"], []]
    assert secret.is_error(2, "arg", "masked")
    found = [
        [job["id"] for job in answer.json["jobs"]] for answer in (by_meta, by_text, before, ahead, running, not_yet)
    ]
    assert found == [["a"], ["a"], [], ["b", "a"], [claimed.id], []]
    assert wrong.is_error(2, "running_for", "failed")
    assert shape.is_error(2, "--meta", "KEY=VALUE")
    deleted = windlass("jobs", "delete", "--meta", "tenant=other", "--yes", "--json")
    assert deleted.json == {"deleted": 1}
