"""What a worker writes about each run: for people who watch, for files, for programs."""

from __future__ import annotations

import io
import json
import logging
import re

import pytest

from tests.cli.program import Program
from tests.cli.test_terminal import CODES
from windlass.cli.logs import LineHandler, TerminalFormatter, TimedFormatter

JOB = "01JCN0000000000000000000"
TALKATIVE = """
import logging

from windlass import Windlass

app = Windlass()


@app.task(name="talk")
def talk() -> None:
    logging.getLogger("shop").info("hello")
"""


@pytest.fixture
def busy(windlass: Program) -> Program:
    """One that completes, and one that fails."""
    app = windlass.app
    app.enqueue_many(
        [
            app.request("mail.welcome", [42], queue="mail", id=f"{JOB}01"),
            app.request("broken", ["bad \x1b[31mred\nERROR forged"], id=f"{JOB}02", attempts=1),
        ]
    )
    return windlass


def test_a_terminal_gets_columns_and_colours(busy: Program) -> None:
    shown = busy.at_terminal("worker", "--burst").out
    assert "\x1b[32mcompleted" in shown
    assert "\x1b[31mfailed" in shown
    plain = CODES.sub("", shown).splitlines()
    runs = [line for line in plain if JOB in line]
    assert {line.split()[1] for line in runs} == {"completed", "failed"}
    assert len(runs) == 2
    assert max(map(len, runs)) <= 80
    done = next(line for line in runs if "completed" in line)
    assert re.fullmatch(rf"\d\d:\d\d:\d\d completed +\d+m?s  mail\.welcome  mail +1/4  {JOB}01", done)
    at = plain.index(next(line for line in runs if "failed" in line))
    assert plain[at + 1].strip().startswith(r"ValueError: bad \x1b[31mred ERROR forged · failed for good (attempts)")
    assert plain[at + 2] == "    Traceback (most recent call last):"
    assert "jobs.py" in plain[at + 3]
    assert not any(line.startswith("ERROR forged") for line in plain)


def test_a_file_gets_plain_lines(busy: Program) -> None:
    log = busy("worker", "--burst").error
    assert "\x1b" not in log
    [done] = [line for line in log.splitlines() if "completed" in line]
    assert re.fullmatch(
        rf"[\d-]+ [\d:,]+ INFO    windlass\.worker\.jobs: job {JOB}01 \(mail\.welcome\): completed in \d\.\d\d\d s, "
        "attempt 1 of 4, queue mail",
        done,
    )
    assert "      File" in log


def test_json_lines_carry_the_same_fields(busy: Program) -> None:
    """B23: structured logs; a dead letter is an error."""
    trace = "0af7651916cd43dd8448eb211c80319c"
    meta = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
    busy.app.enqueue_many([busy.app.request("mail.welcome", [7], id=f"{JOB}03", meta=meta)])
    log = [json.loads(line) for line in busy("worker", "--burst", "--log-format", "json").error.splitlines()]
    runs = {line["job"]: line for line in log if "job" in line}
    done, failed = runs[f"{JOB}01"], runs[f"{JOB}02"]
    fields = ("level", "task", "queue", "attempt", "max_attempts", "outcome")
    assert [done[field] for field in fields] == ["info", "mail.welcome", "mail", 1, 4, "completed"]
    assert [failed[field] for field in fields] == ["error", "broken", "default", 1, 1, "failed"]
    assert done["seconds"] >= 0
    assert failed["error"].startswith("ValueError: bad")
    assert failed["traceback"].startswith("Traceback")
    assert done["at"].endswith("+00:00")
    assert [(run["component"], run["event"]) for run in (done, failed)] == [
        ("worker", "job_completed"),
        ("worker", "job_failed"),
    ]
    assert {line["component"] for line in log} <= {"worker", "store", "duties", "windlass", "app", "cli"}
    assert (runs[f"{JOB}03"]["trace_id"], done["trace_id"]) == (trace, None)
    assert done["correlation_id"] == f"{JOB}01"


def test_what_a_job_logs_itself_says_which_job_it_is(windlass: Program) -> None:
    """B23: in JSON every line of a run has the fields of the run, whatever logger it comes from."""
    trace = "0af7651916cd43dd8448eb211c80319c"
    meta = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
    windlass.write("talk.py", TALKATIVE)
    windlass.app.enqueue_many([windlass.app.request("talk", id=f"{JOB}04", meta=meta, correlation_id="request-9")])
    answer = windlass("worker", "-A", "talk", "--burst", "--log-format", "json")
    lines = [line for line in map(json.loads, answer.error.splitlines()) if line.get("job") == f"{JOB}04"]
    assert [(line["component"], line["event"]) for line in lines] == [("app", "message"), ("worker", "job_completed")]
    fields = ("task", "queue", "worker", "attempt", "max_attempts", "fence", "correlation_id", "trace_id")
    own, ended = ({field: line[field] for field in fields} for line in lines)
    assert own == ended
    assert (own["trace_id"], own["correlation_id"]) == (trace, "request-9")


def test_what_happens_to_a_job_outside_of_its_run_is_an_event_of_it(windlass: Program) -> None:
    """B23: who looks for a job in the log finds more than its runs."""
    windlass.app.enqueue(windlass.app.request("mail.welcome", [1], id=f"{JOB}05", queue="mail"))
    windlass.app.claim(queues=["mail"], lease="1ms")
    windlass.app.enqueue(windlass.app.request("gone", id=f"{JOB}06"))
    log = [json.loads(line) for line in windlass("worker", "--burst", "--log-format", "json").error.splitlines()]
    events = {line["event"]: line for line in log if "job" in line}
    assert events["job_rescued"]["job"] == f"{JOB}05"
    unknown = events["task_unknown"]
    assert [unknown[field] for field in ("job", "task", "queue", "attempt", "level")] == [
        f"{JOB}06",
        "gone",
        "default",
        1,
        "warning",
    ]


def test_debug_lines_tell_transitions(busy: Program) -> None:
    """B23: with the job of each."""
    log = busy("worker", "--burst", "--log-format", "json", WINDLASS_LOG="debug").error
    lines = [line for line in map(json.loads, log.splitlines()) if line["event"] == "transition"]
    states = {id: [line["state"] for line in lines if line["job"] == id] for id in (f"{JOB}01", f"{JOB}02")}
    assert states == {f"{JOB}01": ["running", "completed"], f"{JOB}02": ["running", "failed"]}
    assert {line["level"] for line in lines} == {"debug"}


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--log-jobs", "off"], {}),
        ([], {"WINDLASS_LOG_JOBS": "off"}),
        ([], {"WINDLASS_LOG": "warning"}),
    ],
)
def test_lines_of_runs_can_be_silenced_and_failures_stay(
    busy: Program, arguments: list[str], environment: dict[str, str]
) -> None:
    log = busy("worker", "--burst", *arguments, **environment).error
    assert "completed" not in log
    assert "failed for good" in log


def test_worker_processes_follow_the_same_options(busy: Program) -> None:
    log = busy("worker", "--burst", "--processes", "1", "--log-format", "json").error
    lines = [json.loads(line) for line in log.splitlines()]
    assert "completed" in {line.get("outcome") for line in lines}


def test_dev_shows_runs(busy: Program) -> None:
    with busy.start("dev") as running:
        running.wait_for("completed in")


def test_wrong_settings_are_refused(shop: Program) -> None:
    assert shop("worker", WINDLASS_LOG_FORMAT="xml").is_error(2, "$WINDLASS_LOG_FORMAT", "'xml'")
    assert shop("worker", WINDLASS_LOG_JOBS="maybe").is_error(2, "$WINDLASS_LOG_JOBS", "'maybe'")


@pytest.mark.parametrize("datefmt", [None, "%H:%M:%S"])
def test_each_line_has_its_own_time(datefmt: str | None) -> None:
    text = "%(asctime)s %(message)s"
    ours, usual = TimedFormatter(text, datefmt), logging.Formatter(text, datefmt)
    for created in (1_767_225_599.001, 1_767_225_599.999, 1_767_225_600.0, 1_767_225_599.5, 1_767_311_999.25):
        record = logging.makeLogRecord({"msg": "x", "created": created, "msecs": created % 1 * 1000})
        assert ours.format(record) == usual.format(record)


def test_lines_are_written_together_and_one_that_cannot_be_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    written: list[str] = []

    class Stream(io.StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    handler = LineHandler(Stream())
    handler.setLevel(logging.INFO)
    told = [("%s runs", (3,)), ("%d runs", ("no number",)), ("%s more", (4,))]
    records = [logging.makeLogRecord({"msg": text, "args": args, "levelno": logging.INFO}) for text, args in told]
    handler.handle_all([*records, logging.makeLogRecord({"msg": "quiet", "levelno": logging.DEBUG})])
    assert written == ["3 runs\n4 more\n"]
    assert "%d format" in capsys.readouterr().err


def test_a_place_that_takes_no_more_lines_ends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError("No space left on device")

    handler = LineHandler(Full())
    handler.handle_all([logging.makeLogRecord({"msg": "one", "levelno": logging.INFO})])
    assert "No space left" in capsys.readouterr().err
    assert handler.lock is not None
    assert handler.lock.acquire(blocking=False)


def test_the_name_of_the_process_goes_before_an_id_is_broken_in_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in ``windlass dev``, in a terminal with 80 columns."""
    fields = {
        "outcome": "completed",
        "task": "jobs.welcome",
        "queue": "default",
        "seconds": 0.1,
        "attempt": 1,
        "max_attempts": 4,
        "job": f"{JOB}01",
    }
    record = logging.makeLogRecord({"created": 0.0, **fields})
    for columns, names_process in (("80", False), ("120", True)):
        monkeypatch.setenv("COLUMNS", columns)
        line = CODES.sub("", TerminalFormatter("[14185] ").format(record))
        assert len(line) <= int(columns)
        assert ("[14185]" in line, line.endswith(f"{JOB}01")) == (names_process, True)
