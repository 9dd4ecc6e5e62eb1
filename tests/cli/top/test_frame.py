"""``windlass top``: what is drawn, and what keys do; no terminal here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windlass import Retry, Windlass
from windlass.cli.terminal.screen import Column, Styled
from windlass.cli.top.frame import Outage, Size, frame, snapshot_lines
from windlass.cli.top.keys import KeyDecoder
from windlass.cli.top.lines import LineScreen, line, plain, table, width_of
from windlass.cli.top.snapshot import Rates, Section, Snapshot, details, look
from windlass.cli.top.state import HoldQueue, LookNow, Open, Opened, Quit, TopState

SMALL = Size(80, 24)
NASTY = "\x1b]0;owned\x07\x1b[2J evil\u202e"


@pytest.fixture(scope="module")
def app() -> Iterator[Windlass]:
    with Windlass("sqlite:///:memory:") as shop:

        @shop.task(name="broken", queue="mail", retry=Retry(attempts=1))
        def broken(number: int) -> None:
            raise ValueError(f"no user {number} {NASTY}")

        @shop.task(name="report", queue="reports")
        def report() -> None: ...

        broken.enqueue_many([(number,) for number in range(3)])
        shop.worker(queues=["mail"]).run_until_empty()
        report.enqueue_many([()] * 7)
        shop.enqueue_many([report.options(queue="slow").request() for _ in range(9)])
        assert len(shop.claim(2, queues=["slow"], lease="1h")) == 2
        yield shop


@pytest.fixture
def snapshot(app: Windlass) -> Snapshot:
    return look(app, *Section)


def shown(snapshot: Snapshot | None, state: TopState, size: Size = SMALL, outage: Outage | None = None) -> list[str]:
    lines = frame(snapshot, state, size, interval=2, outage=outage)
    assert len(lines) == size.rows
    assert all(width_of(plain(one)) <= size.columns for one in lines)
    return [plain(one).rstrip() for one in lines]


def test_it_is_readable_at_80_by_24(snapshot: Snapshot) -> None:
    lines = shown(snapshot, TopState())
    assert lines[0].startswith("windlass top  :memory:")
    assert lines[0].endswith("every 2 s")
    assert lines[1].startswith("14 pending  2 running  3 failed")
    assert lines[2].endswith("/s retried")
    assert lines[3].startswith("! ")
    assert lines[4].startswith("[1 Queues 3]  2 Workers")
    titles, first, second = (line.split() for line in lines[6:9])
    assert {"QUEUE", "PENDING", "RUNNING", "RETRY", "FAILED", "OLDEST", "WORKERS", "HELD"} <= set(titles)
    assert first[:4] == [">", "reports", "7", "0"]
    assert second[:3] == ["slow", "7", "2"]
    assert lines[-1] == "q quit  1-4 section  s sort: pending  enter open  p pause  space hold  ? help"


def test_rates_are_whole_in_a_narrow_terminal(snapshot: Snapshot) -> None:
    """On a line of their own, also where both would fit now: a picture that jumps cannot be read."""
    rates = Rates(completed=12.25, failed=0.5, retried=1.75)
    said = "12.25/s done  0.5/s failed  1.75/s retried"
    busy = replace(snapshot, rates=rates)
    assert shown(busy, TopState())[2] == said
    assert shown(busy, TopState(), Size(120, 24))[1].endswith(f"  | {said}")


def test_of_many_problems_the_number_comes_first(snapshot: Snapshot) -> None:
    """A sentence is cut at its end."""
    [told] = [line for line in shown(snapshot, TopState()) if line.startswith("! ")]
    assert told.startswith(f"! {len(snapshot.overview.problems)} problems (windlass status): queue ")


def test_ids_keep_their_ends(snapshot: Snapshot) -> None:
    """Those of jobs that were enqueued together begin alike."""
    columns = [Column(title="TASK"), Column(title="ID", least=9, ends_tell=True)]
    _, *rows = table(columns, [["report", f"01M7KWVHSY4BNPQHEGSQ{n}"] for n in range(2)], 17)
    assert [plain(row) for row in rows] == ["report  …PQHEGSQ0", "report  …PQHEGSQ1"]


@pytest.mark.parametrize("size", [Size(1, 1), Size(20, 3), Size(40, 8), Size(300, 100)], ids=str)
@pytest.mark.parametrize("section", Section)
def test_every_size_is_kept_to(snapshot: Snapshot, section: Section, size: Size) -> None:
    shown(snapshot, TopState(section=section), size)


@pytest.mark.parametrize("section", Section)
def test_texts_of_jobs_cannot_control_the_terminal(snapshot: Snapshot, app: Windlass, section: Section) -> None:
    state = TopState(section=section)
    state.press("enter", snapshot)
    if state.opened is not None:
        state.opened.view = details(app, section, state.opened.source.key)
    for lines in (shown(snapshot, TopState(section=section)), shown(snapshot, state, Size(80, 200))):
        assert not {"\x1b", "\x07", "\u202e"} & set("".join(lines))


def test_a_store_that_is_away_has_a_banner_above_the_last_picture(snapshot: Snapshot) -> None:
    away = Outage(datetime(2026, 1, 1, tzinfo=UTC), "no answer")
    for seen in (None, snapshot):
        lines = shown(seen, TopState(), outage=away)
        assert lines[1] == "STORE UNAVAILABLE since 00:00:00 UTC; trying again (no answer)"
    assert any("reports" in line for line in lines)


def section_of(state: TopState) -> Section:
    return state.section


def test_sections_are_chosen_by_number_and_tab(snapshot: Snapshot) -> None:
    state = TopState()
    assert state.press("3", snapshot) == LookNow()
    assert section_of(state) is Section.RUNNING
    assert state.press("tab", snapshot) == state.press("tab", snapshot) == LookNow()
    assert section_of(state) is Section.QUEUES
    state.press("back-tab", snapshot)
    assert section_of(state) is Section.FAILURES
    assert "no user …" in "".join(shown(snapshot, state))


def test_rows_are_sorted_by_each_column_and_reversed(snapshot: Snapshot) -> None:
    state, seen = TopState(), []
    for _ in range(5):
        seen.append([row.key for row in state.rows(snapshot)])
        state.press("s", snapshot)
    pending, running, failed, _, name = seen
    assert (pending[-1], running[0], failed[0]) == ("mail", "slow", "mail")
    assert name == ["mail", "reports", "slow"]
    state.press("r", snapshot)
    assert next(row.key for row in state.rows(snapshot)) == "mail"
    assert "sort: pending" in shown(snapshot, state)[-1]


def test_the_cursor_stays_on_its_row_when_the_order_changes(snapshot: Snapshot) -> None:
    state = TopState()
    state.press("end", snapshot)
    assert state.selected[Section.QUEUES] == "mail"
    for _ in range(4):
        state.press("s", snapshot)
    assert state.rows(snapshot)[state.cursor(state.rows(snapshot))].key == "mail"
    assert next(line for line in shown(snapshot, state) if line.startswith("> ")).split()[1] == "mail"


def test_the_cursor_is_always_visible(snapshot: Snapshot) -> None:
    state = TopState()
    for key in ("end", "up", "home", "page-down"):
        state.press(key, snapshot)
        assert any(line.startswith("> ") for line in shown(snapshot, state, Size(80, 8)))


def test_a_row_is_opened_scrolled_and_closed(snapshot: Snapshot, app: Windlass) -> None:
    state = TopState(section=Section.FAILURES)
    [group] = snapshot.failures or []
    assert state.press("enter", snapshot) == Open(Section.FAILURES, group.sample)
    assert "reading ..." in shown(snapshot, state)[7]
    assert state.opened is not None
    state.opened.view = details(app, Section.FAILURES, group.sample)
    size = Size(80, 12)
    first = shown(snapshot, state, size)
    assert first[5] == f"job {group.sample}"
    assert "more lines: down" in first[-2]
    state.press("down", snapshot)
    assert shown(snapshot, state, size)[6] == first[7]
    state.press("end", snapshot)
    for _ in range(20):
        state.press("page-down", snapshot)
    assert "more lines" not in "".join(shown(snapshot, state, size))
    assert state.press("q", snapshot) is None
    assert "more lines" not in "".join(shown(snapshot, state, size))
    assert state.press("q", snapshot) == Quit()


@pytest.mark.parametrize("section", [Section.QUEUES, Section.RUNNING])
def test_queues_and_jobs_are_shown_in_full(snapshot: Snapshot, app: Windlass, section: Section) -> None:
    state = TopState(section=section)
    state.press("enter", snapshot)
    assert isinstance(state.opened, Opened)
    state.opened.view = details(app, section, state.opened.source.key)
    assert {Section.QUEUES: "max length", Section.RUNNING: "running"}[section] in "\n".join(shown(snapshot, state))


def test_a_queue_is_paused_only_after_a_yes(snapshot: Snapshot) -> None:
    state = TopState()
    assert state.press("p", snapshot) is None
    assert shown(snapshot, state)[-1].startswith("Pause queue reports, for all workers?  y: yes")
    assert state.press("n", snapshot) is None
    assert shown(snapshot, state)[-1] == "nothing was changed"
    state.press("p", snapshot)
    assert state.press("y", snapshot) == HoldQueue("reports", pauses=True)


def test_a_paused_queue_is_resumed(app: Windlass) -> None:
    app.queue("slow").pause("why not")
    try:
        state, seen = TopState(), look(app, Section.QUEUES)
        state.selected[Section.QUEUES] = "slow"
        state.press("p", seen)
        assert state.question == HoldQueue("slow", pauses=False)
        assert "paused" in next(line for line in shown(seen, TopState()) if "slow" in line)
    finally:
        app.queue("slow").resume()


def test_only_queues_are_paused(snapshot: Snapshot) -> None:
    state = TopState(section=Section.RUNNING)
    state.press("p", snapshot)
    assert state.question is None


def test_a_held_picture_says_so(snapshot: Snapshot) -> None:
    state = TopState()
    assert state.press("space", snapshot) is None
    assert "HELD" in shown(snapshot, state)[0]
    assert state.press("space", snapshot) == LookNow()


def test_help_lists_the_keys_and_any_key_closes_it(snapshot: Snapshot) -> None:
    state = TopState()
    state.press("?", snapshot)
    assert any("pause or resume the queue" in line for line in shown(snapshot, state))
    assert state.press("q", snapshot) is None
    assert not state.shows_help


def test_keys_before_the_first_answer_do_no_harm() -> None:
    state = TopState()
    for key in ("p", "enter", "s", "r", "down", "up", "end", "2", "space", "space", "escape", "x"):
        state.press(key, None)
        shown(None, state)


def test_only_what_is_looked_at_is_read(app: Windlass) -> None:
    """Looking costs the same however many jobs there are; runs and failures are read where they are shown."""
    seen = look(app, Section.QUEUES)
    assert (seen.runs, seen.failures) == (None, None)
    assert look(app, Section.RUNNING).runs is not None


def test_a_snapshot_has_everything_below_each_other(snapshot: Snapshot) -> None:
    text = "\n".join(plain(one) for one in snapshot_lines(snapshot, 10_000))
    for part in ("Queues 3", "reports", "Running 2", "Failures 3", "ValueError: no user", "no worker is alive"):
        assert part in text


def test_what_programs_get_is_json(snapshot: Snapshot) -> None:
    data: dict[str, Any] = json.loads(json.dumps(snapshot.data()))
    assert data["counts"]["pending"] == 14
    assert [run["task"] for run in data["runs"]] == ["report", "report"]
    assert data["failures"]["groups"][0]["count"] == 3
    assert data["rates"]["failed"] > 0


def test_wide_characters_keep_columns_apart() -> None:
    lines = table([Column(title="A", least=4), Column(title="B", is_number=True)], [["日本語", "1"], ["x", "22"]], 9)
    assert [width_of(plain(one)) for one in lines] == [8, 8, 8] or len({width_of(plain(one)) for one in lines}) == 1


@pytest.mark.parametrize("width", [1, 2, 7, 80])
def test_a_long_line_is_wrapped_and_nothing_is_lost(width: int) -> None:
    screen = LineScreen(width)
    screen.fields([("name", "日本語 and a rather long value" * 3)])
    screen.block("a traceback\n" + "x" * 200)
    text = "".join(plain(one) for one in screen.lines)
    assert text.count("x") == 200
    assert text.count("日") == 3
    assert all(width_of(plain(one)) <= max(2, width) for one in screen.lines)


def test_keys_that_arrive_in_pieces_are_put_together() -> None:
    decoder = KeyDecoder()
    assert list(decoder.feed(b"\x1b")) == []
    assert decoder.is_waiting
    assert list(decoder.feed(b"[B\x1bOAj\r\t \x7f\x1b[Z\x1b[1;5C\x1b[3~")) == [
        "down",
        "up",
        "j",
        "enter",
        "tab",
        "space",
        "backspace",
        "back-tab",
        "right",
    ]
    assert list(decoder.feed(b"\x1bq")) == ["escape", "q"]
    assert list(decoder.feed(b"\xff\xc3")) == ["\ufffd", "\ufffd"]


def test_a_line_is_escaped() -> None:
    assert plain(line(NASTY, Styled("a\nb", "red"))) == "\\x1b]0;owned\\x07\\x1b[2J evil\\u202ea b"


def test_a_worker_whose_report_is_damaged_is_listed(snapshot: Snapshot) -> None:
    from dataclasses import replace

    from windlass.insight.workers import WorkerView

    at = snapshot.at - timedelta(minutes=5)
    info = {"queues": 7, "memory": "much", "ended": None, "concurrency": []}
    worker = WorkerView("id", "shop-1", "idle", at, at, None, None, info)
    seen = replace(snapshot, overview=replace(snapshot.overview, workers=[worker]))
    assert any("shop-1" in line for line in shown(seen, TopState(section=Section.WORKERS)))
