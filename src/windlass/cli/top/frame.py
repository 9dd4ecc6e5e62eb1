"""Draws a snapshot as lines; no terminal here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass.cli.terminal.screen import Cell, Styled
from windlass.cli.times import second
from windlass.cli.top.lines import Line, LineScreen, cut_line, ends, line, padded, table, width_of_line
from windlass.cli.top.sections import KINDS, Row
from windlass.cli.top.snapshot import Section, Snapshot
from windlass.cli.top.state import SECTIONS, Opened, TopState
from windlass.cli.views.queues import paused
from windlass.cli.views.style import STATE_STYLES
from windlass.core.state import State
from windlass.insight.overview import Overview

_MARK = 2
"""Columns before a row: where the cursor is, in a terminal without colours too."""
_WIDE, _HIGH = 110, 20
"""Columns and rows of a terminal with room."""
_HELP = (
    ("1 2 3 4, tab", "queues, workers, running jobs, failures"),
    ("up, down, j, k", "move the cursor; page up, page down, home, end too"),
    ("enter", "open the queue, the worker, the job, the newest job of a group"),
    ("escape, q", "close what is open"),
    ("s, r", "sort by the next column; reverse"),
    ("space", "hold the picture, and let it go on"),
    ("p", "pause or resume the queue at the cursor, after a question"),
    ("q, Ctrl-C", "leave"),
)


@dataclass(frozen=True, slots=True)
class Size:
    """Of a terminal."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Outage:
    """A store that does not answer."""

    since: datetime
    error: str


def frame(
    snapshot: Snapshot | None, state: TopState, size: Size, *, interval: float, outage: Outage | None
) -> list[Line]:
    """The whole picture: at most as many lines as there are rows, none wider than the terminal."""
    top = [_heading(snapshot, state, size, interval), *_banner(outage)]
    if snapshot is not None:
        top += [*_counts(snapshot, size), *_problems(snapshot.overview)]
    top += [_tabs(snapshot, state), ()]
    below = max(1, size.rows - len(top) - 1)
    lines = [*top, *_body(snapshot, state, Size(size.columns, below), outage)]
    # The last line stays at the bottom, where the eyes expect questions.
    lines = lines[: max(0, size.rows - 1)]
    lines += [()] * (size.rows - 1 - len(lines))
    return [cut_line(one, size.columns) for one in [*lines, _foot(state, size)]]


def snapshot_lines(snapshot: Snapshot, width: int) -> list[Line]:
    """Everything once, below each other: for files and pipes."""
    state = TopState()
    lines = [line(f"windlass top  {snapshot.store}  {second(snapshot.at)}"), *_counts(snapshot, Size(width, _HIGH))]
    lines += _problems(snapshot.overview, most=None)
    for section in SECTIONS:
        state.section = section
        rows = state.rows(snapshot)
        lines += [(), line(Styled(_count_of(section, snapshot, _TITLES[section]), "bold"))]
        lines += table(KINDS[section].columns, [row.cells for row in rows], width) if rows else [_empty(section)]
        lines += _left_out(section, snapshot)
    return lines


_TITLES = {
    Section.QUEUES: "Queues",
    Section.WORKERS: "Workers",
    Section.RUNNING: "Running",
    Section.FAILURES: "Failures",
}


def _heading(snapshot: Snapshot | None, state: TopState, size: Size, interval: float) -> Line:
    store = "" if snapshot is None else snapshot.store
    when = "" if snapshot is None else f"{snapshot.at:%H:%M:%S} UTC"
    pace: Cell = Styled(" HELD ", "bold reverse") if state.is_held else Styled(f"every {interval:g} s", "dim")
    return ends(line(Styled("windlass top", "bold"), "  ", Styled(store, "dim")), line(when, "  ", pace), size.columns)


def _banner(outage: Outage | None) -> list[Line]:
    if outage is None:
        return []
    said = f"STORE UNAVAILABLE since {outage.since:%H:%M:%S} UTC; trying again ({outage.error})"
    return [line(Styled(said, "bold red"))]


def _counts(snapshot: Snapshot, size: Size) -> list[Line]:
    """How many jobs there are, and how fast they end: on a second line in a narrow terminal, where both seldom fit and
    the picture would jump. A low one has no room for that.
    """
    counts = snapshot.overview.counts
    shown = [Styled(f"{count:,} {state}", STATE_STYLES[State(state)]) for state, count in counts.items() if count]
    jobs = line(*(part for one in shown for part in (one, "  "))) if shown else line("no jobs yet")
    rates = snapshot.rates
    if rates is None:
        return [jobs]
    said = f"{rates.completed:g}/s done  {rates.failed:g}/s failed  {rates.retried:g}/s retried"
    together = (*jobs, *line(f"| {said}"))
    fits = size.columns >= _WIDE and width_of_line(together) <= size.columns
    return [together] if fits or size.rows < _HIGH else [jobs, line(said)]


def _problems(overview: Overview, *, most: int | None = 1) -> list[Line]:
    found = overview.problems
    if overview.everywhere.paused:
        found.insert(0, f"all queues are {paused(overview.everywhere)}")
    if most is not None and len(found) > most:
        # The number first: a long sentence is cut at its end.
        found = [f"{len(found)} problems (windlass status): {found[0]}"]
    return [line(Styled(f"! {text}", "bold red")) for text in found]


def _tabs(snapshot: Snapshot | None, state: TopState) -> Line:
    cells: list[Cell] = []
    for number, section in enumerate(SECTIONS, start=1):
        title = _count_of(section, snapshot, f"{number} {_TITLES[section]}")
        is_here = section is state.section
        cells += [Styled(f"[{title}]" if is_here else f" {title} ", "bold reverse" if is_here else ""), " "]
    return line(*cells)


def _count_of(section: Section, snapshot: Snapshot | None, title: str) -> str:
    if snapshot is None:
        return title
    overview = snapshot.overview
    numbers = {
        Section.QUEUES: len(overview.queues),
        Section.WORKERS: sum(1 for worker in overview.workers if worker.is_alive),
        Section.RUNNING: overview.counts[State.RUNNING],
        Section.FAILURES: overview.counts[State.FAILED],
    }
    return f"{title} {numbers[section]:,}"


def _body(snapshot: Snapshot | None, state: TopState, room: Size, outage: Outage | None) -> Sequence[Line]:
    if state.shows_help:
        shown = LineScreen(room.columns)
        shown.fields(_HELP)
        return shown.lines
    if state.opened is not None:
        return _opened(state.opened, room)
    if snapshot is None:
        return [] if outage else [line(Styled("reading ...", "dim"))]
    rows = state.rows(snapshot)
    if not rows:
        return [_empty(state.section)]
    return [
        *_list(state, rows, room, below=len(_left_out(state.section, snapshot))),
        *_left_out(state.section, snapshot),
    ]


def _empty(section: Section) -> Line:
    return line(Styled(KINDS[section].empty, "dim"))


def _left_out(section: Section, snapshot: Snapshot) -> list[Line]:
    """What the section does not show."""
    if section is Section.RUNNING and snapshot.runs is not None:
        left = snapshot.overview.counts[State.RUNNING] - len(snapshot.runs)
        return (
            [line(Styled(f"the {len(snapshot.runs)} that have run longest", "dim"))]
            if left > 0 and snapshot.runs
            else []
        )
    if section is Section.FAILURES and snapshot.failures is not None and not snapshot.failures.is_whole:
        return [line(Styled(f"of the newest {snapshot.failures.examined:,} dead letters; there are older ones", "dim"))]
    return []


def _list(state: TopState, rows: list[Row], room: Size, *, below: int) -> list[Line]:
    """As many rows as fit, the cursor among them."""
    cursor = state.cursor(rows)
    number = max(1, room.rows - 1 - below)
    first = max(0, min(cursor - number // 2, len(rows) - number))
    visible = [row.cells for row in rows[first : first + number]]
    heading, *lines = table(KINDS[state.section].columns, visible, room.columns - _MARK)
    shown = [(*line(" " * _MARK), *heading)]
    for position, one in enumerate(lines, start=first):
        is_here = position == cursor
        marked = (*line("> " if is_here else "  "), *one)
        shown.append(padded(marked, room.columns, "reverse") if is_here else marked)
    return shown


def _opened(opened: Opened, room: Size) -> list[Line]:
    title = line(Styled(opened.title, "bold"))
    if opened.view is None:
        return [title, line(Styled("reading ...", "dim"))]
    screen = LineScreen(room.columns)
    opened.view.draw(screen)
    number = max(1, room.rows - 1)
    opened.offset = max(0, min(opened.offset, len(screen.lines) - number))
    left = len(screen.lines) - opened.offset - number
    shown = screen.lines[opened.offset : opened.offset + number]
    if left > 0 and number > 1:
        shown = [*shown[:-1], line(Styled(f"... {left + 1} more lines: down", "dim"))]
    return [title, *shown]


def _foot(state: TopState, size: Size) -> Line:
    if state.question is not None:
        verb = "Pause" if state.question.pauses else "Resume"
        return padded(
            line(f"{verb} queue {state.question.name}, for all workers?  y: yes   any other key: no"),
            size.columns,
            "bold reverse",
        )
    if state.message:
        return line(Styled(state.message, "yellow"))
    if state.opened is not None:
        return line(Styled("esc back  up/down scroll  space hold  ? help", "dim"))
    order = KINDS[state.section].orders[state.orders[state.section]].name
    pause = "  p pause" if state.section is Section.QUEUES else ""
    return line(Styled(f"q quit  1-4 section  s sort: {order}  enter open{pause}  space hold  ? help", "dim"))
