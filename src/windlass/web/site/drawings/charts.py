"""Charts of figures over time, as numbers for SVG: gaps where nothing is known, a zero line, few labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec

from windlass.insight.figures.deploys import Deploy
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.view import FigurePoint
from windlass.web.site import formats
from windlass.web.site.drawings.ranges import stretch

_TOP, _BOTTOM, _BARS_TOP, _BARS_BOTTOM = 16, 126, 134, 156
"""Top and bottom of the lines and, below them, of the bars, in pixels."""

_LABEL_FROM, _LABEL_WIDTH = 12, 35
"""Where names of deploys may begin, beside the values of the axis, and how wide they are, in percent."""
_STROKE = 1.2
_NOTHING = frozenset((formats.NONE, "0", "0/s"))
"""How a chart reads where nothing happened."""
_AROUND = 5
"""How many steps before and after a row of its table a chart shows when one looks closer at it."""


@dataclass(frozen=True, slots=True)
class Line:
    state: str
    """The state of jobs in whose colour it is drawn."""
    path: str
    area: str
    """What lies under it; empty if that is not filled."""
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    width: float
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Label:
    at: float
    text: str
    moment: datetime | None = None
    """Of a label of the time axis: scripts write it in the zone that was chosen."""
    form: str = "minute"


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of a line in words, one for each point: what the pointer shows."""

    name: str
    values: Sequence[str]

    @property
    def latest(self) -> str:
        """What the last step that is over reads: figures of the one that has just begun are still to come."""
        return self.values[-2] if len(self.values) > 1 else formats.NONE


@dataclass(frozen=True, slots=True)
class Row:
    """What all lines read at one point, as a row of a table."""

    moment: datetime
    text: str
    form: str
    """How scripts write the moment in the zone that was chosen."""
    cells: Sequence[str]
    around: str
    """The stretch of time around it, as addresses name it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at a place of the time axis."""

    x: float
    text: str
    label: str
    """What is written beside it; empty where there is no room."""
    is_left: bool
    """Whether that is written to the left of it."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over time; places on the time axis are percents, heights are pixels."""

    lines: Sequence[Line]
    bars: Sequence[Bar]
    levels: Sequence[Label]
    """Values of the axis: the height of each, and what it says."""
    times: Sequence[Label]
    top: int
    bottom: int
    summary: str
    """The same in words."""
    is_empty: bool
    instants: Sequence[datetime] = ()
    """Of each point."""
    readings: Sequence[Reading] = ()
    marks: Sequence[Mark] = ()

    @property
    def series(self) -> str:
        """What the pointer shows, as JSON; empty where it shows nothing."""
        if not self.readings:
            return ""
        times = [int(instant.timestamp() * 1000) for instant in self.instants]
        series = [{"name": reading.name, "values": list(reading.values)} for reading in self.readings]
        return msgspec.json.encode({"times": times, "series": series}).decode()

    @property
    def rows(self) -> list[Row]:
        """What the pointer shows as a table, the newest first, without the points in which nothing happened."""
        is_long = len(self.instants) > 1 and self.instants[-1] - self.instants[0] > timedelta(days=1)
        written, form = ("%d %b %H:%M", "clock") if is_long else ("%H:%M", "minute")
        cells = zip(*(reading.values for reading in self.readings), strict=True)
        step = self.instants[1] - self.instants[0] if len(self.instants) > 1 else timedelta(minutes=1)
        rows = [
            Row(at, at.strftime(written), form, read, stretch(at - _AROUND * step, at + (_AROUND + 1) * step))
            for at, read in zip(self.instants, cells, strict=False)
            if not _NOTHING.issuperset(read)
        ]
        return rows[::-1]


def marked(chart: Chart, figures: Figures, deploys: Iterable[Deploy]) -> Chart:
    """With deploys; a name is written where there is room beside it."""
    span = figures.until - figures.since
    marks: list[Mark] = []
    free: float = _LABEL_FROM
    for deploy in deploys:
        if not figures.since <= deploy.at < figures.until:
            continue
        x = round((deploy.at - figures.since) / span * 100, 2)
        begins = x - _LABEL_WIDTH if x > 50 else x
        has_room = begins >= free
        free = begins + _LABEL_WIDTH if has_room else free
        name = f"deploy {deploy.release}"
        text = f"{name}, on {deploy.workers} worker{'' if deploy.workers == 1 else 's'} at first"
        marks.append(Mark(x, text, name if has_room else "", is_left=x > 50))
    return replace(chart, marks=marks)


def draw_throughput(figures: Figures) -> Chart:
    """Completed jobs a second, and failed jobs as bars on a scale of their own."""
    rates = _rates(figures, lambda point: point.completed)
    failed = [point.failed if point.is_known else 0 for point in figures.points]
    most = nice(max((rate for rate in rates if rate is not None), default=0))
    total = figures.total
    return Chart(
        lines=[_line("completed", rates, most, is_filled=True)],
        bars=_bars(failed),
        levels=_levels(most, lambda value: f"{value:g}/s", bottom=_BOTTOM),
        times=_times(figures),
        top=_TOP,
        bottom=_BOTTOM,
        summary=f"{total.completed:,} completed and {total.failed:,} failed",
        is_empty=not any(rates) and not any(failed),
        instants=[point.at for point in figures.points],
        readings=[
            Reading("completed", [_rate(rate) for rate in rates]),
            Reading("failed", [formats.number(point.failed if point.is_known else None) for point in figures.points]),
        ],
    )


def draw_waiting(figures: Figures, *, is_alarm: bool = False) -> Chart:
    """How long jobs waited before they were claimed: half of them at most p50, nearly all at most p95. Where it is
    known, also for how long the oldest that was ready had waited; that line is red where ``is_alarm``.
    """
    p50 = [_seconds(point, lambda times: times.p50) for point in figures.points]
    p95 = [_seconds(point, lambda times: times.p95) for point in figures.points]
    oldest = [point.levels["oldest"].max if "oldest" in point.levels else None for point in figures.points]
    most = nice_time(max((value for value in (*p95, *oldest) if value is not None), default=0))
    waited = figures.total.wait
    lines = [_line("running", p95, most, is_filled=True), _line("pending", p50, most)]
    readings = [
        Reading("p50", [formats.length(point.wait.p50 if point.wait else None) for point in figures.points]),
        Reading("p95", [formats.length(point.wait.p95 if point.wait else None) for point in figures.points]),
    ]
    if any(value is not None for value in oldest):
        lines.append(replace(_line("failed" if is_alarm else "cancelled", oldest, most), is_dashed=True))
        readings.append(Reading("oldest", [_length(value) for value in oldest]))
    return Chart(
        lines=lines,
        bars=[],
        levels=_levels(most, lambda value: formats.axis_length(timedelta(seconds=value)), bottom=_BARS_BOTTOM),
        times=_times(figures),
        top=_TOP,
        bottom=_BARS_BOTTOM,
        summary="no job was claimed"
        if waited is None
        else f"p50 {formats.length(waited.p50)}, p95 {formats.length(waited.p95)}",
        is_empty=waited is None and not any(oldest),
        instants=[point.at for point in figures.points],
        readings=readings,
    )


def draw_run_time(figures: Figures) -> Chart:
    """How long runs took: half of them at most p50, nearly all at most p95 and p99."""
    shown = {"scheduled": "p99", "running": "p95", "pending": "p50"}
    values = {
        name: [None if point.run is None else getattr(point.run, name).total_seconds() for point in figures.points]
        for name in shown.values()
    }
    most = nice_time(max((value for value in values["p99"] if value is not None), default=0))
    ran = figures.total.run
    return Chart(
        lines=[_line(state, values[name], most, is_filled=name == "p95") for state, name in shown.items()],
        bars=[],
        levels=_levels(most, lambda value: formats.axis_length(timedelta(seconds=value)), bottom=_BARS_BOTTOM),
        times=_times(figures),
        top=_TOP,
        bottom=_BARS_BOTTOM,
        summary="no run ended" if ran is None else f"p50 {formats.length(ran.p50)}, p99 {formats.length(ran.p99)}",
        is_empty=ran is None,
        instants=[point.at for point in figures.points],
        readings=[Reading(name, [_length(value) for value in values[name]]) for name in ("p50", "p95", "p99")],
    )


def nice_time(seconds: float) -> float:
    """A length of time that is not smaller and reads well as a whole and as a half.

    >>> [nice_time(seconds) for seconds in (0.03, 17.5, 42, 250, 4_000)]
    [0.05, 20.0, 60.0, 300.0, 7200.0]
    """
    if seconds <= 20:
        return nice(seconds)
    for most in (60, 120, 300, 600, 1200, 3600, 7200, 14_400, 43_200, 86_400):
        if seconds <= most:
            return float(most)
    return nice(seconds / 86_400) * 86_400


def nice(most: float) -> float:
    """A round number that is not smaller.

    >>> [nice(most) for most in (0, 0.03, 1.2, 17.5, 4000)]
    [1.0, 0.05, 2.0, 20.0, 5000.0]
    """
    if most <= 0:
        return 1.0
    power = 1.0
    while power * 10 <= most:
        power *= 10
    while power > most:
        power /= 10
    return next(round(factor * power, 12) for factor in (1, 2, 5, 10) if factor * power >= most)


def _rates(figures: Figures, of: Callable[[FigurePoint], int]) -> list[float | None]:
    """How many a second in each step. The last one is not over: its rate is that of the time until now, or of a quarter
    of the step at its beginning: a single job would make a peak there.
    """

    def seconds(point: FigurePoint) -> float:
        return max(min(figures.step, figures.until - point.at), figures.step / 4).total_seconds()

    return [of(point) / seconds(point) if point.is_known else None for point in figures.points]


def _rate(value: float | None) -> str:
    return formats.NONE if value is None else f"{value:.3g}/s"


def _length(seconds: float | None) -> str:
    return formats.length(None if seconds is None else timedelta(seconds=seconds))


def _seconds(point: FigurePoint, of: Callable[..., timedelta]) -> float | None:
    return None if point.wait is None else of(point.wait).total_seconds()


def _line(state: str, values: Sequence[float | None], most: float, *, is_filled: bool = False) -> Line:
    """In a square of 100; a value that is not known is a gap, and one alone is a short stroke.

    >>> _line("completed", [1, 2, None, 1], 2).path
    'M0.00 50.00L33.33 0.00M98.80 50.00L100.00 50.00'
    """
    step = 100 / max(len(values) - 1, 1)
    runs: list[list[tuple[float, float]]] = [[]]
    for index, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((index * step, 100 - value / most * 100))
    path = area = ""
    for run in filter(None, runs):
        points = run if len(run) > 1 else [(run[0][0] - _STROKE, run[0][1]), run[0]]
        line = "L".join(f"{x:.2f} {y:.2f}" for x, y in points)
        path += f"M{line}"
        area += f"M{points[0][0]:.2f} 100L{line}L{points[-1][0]:.2f} 100Z"
    return Line(state, path, area if is_filled else "")


def _bars(values: Sequence[int]) -> list[Bar]:
    most, width = max(values, default=0), 100 / max(len(values), 1)
    heights = [
        (index, round(value / most * (_BARS_BOTTOM - _BARS_TOP), 1)) for index, value in enumerate(values) if value
    ]
    return [
        Bar(round(index * width, 2), round(width * 0.7, 2), round(_BARS_BOTTOM - height, 1), height)
        for index, height in heights
    ]


def _levels(most: float, written: Callable[[float], str], *, bottom: int) -> list[Label]:
    return [Label(bottom - share * (bottom - _TOP), written(most * share)) for share in (0.5, 1)]


def _times(figures: Figures) -> list[Label]:
    span = figures.until - figures.since
    written, form = ("%H:%M", "minute") if span <= timedelta(days=1) else ("%d %b", "day")

    def at(share: float) -> datetime:
        return figures.since + span * share

    return [Label(share * 100, at(share).strftime(written), at(share), form) for share in (0, 0.25, 0.5, 0.75, 1)]


def draw_depth(figures: Figures) -> Chart:
    """How many jobs were ready, and for how long the oldest of them had waited in words."""
    depths = [None if point.depth is None else float(point.depth) for point in figures.points]
    most = nice(max((depth for depth in depths if depth is not None), default=0))
    oldest = figures.total.levels.get("oldest")
    waited = "" if oldest is None else f", the oldest waited {formats.length(timedelta(seconds=oldest.max))}"
    return Chart(
        lines=[_line("pending", depths, most, is_filled=True)],
        bars=[],
        levels=_levels(most, lambda value: f"{value:,g}", bottom=_BARS_BOTTOM),
        times=_times(figures),
        top=_TOP,
        bottom=_BARS_BOTTOM,
        summary=f"up to {figures.total.depth or 0:,} ready{waited}",
        is_empty=not any(depths),
        instants=[point.at for point in figures.points],
        readings=[Reading("ready", [formats.number(depth) for depth in depths])],
    )


def _arrived(points: Sequence[FigurePoint]) -> list[int]:
    """How many jobs came in each step. Those that have begun since then were counted; those that wait still are the
    newest, and came where the queue has grown by more than was counted.
    """
    ready = [point.levels["depth"].newest if "depth" in point.levels else None for point in points]
    waiting = round(next((depth for depth in reversed(ready) if depth is not None), 0))
    arrived = [point.enqueued for point in points]
    for index in range(len(points) - 1, 0, -1):
        now, before, point = ready[index], ready[index - 1], points[index]
        if now is None or before is None:
            continue
        uncounted = round(now - before) + point.completed + point.failed - point.enqueued
        more = max(0, min(uncounted, waiting))
        arrived[index] += more
        waiting -= more
    return arrived


def draw_flow(figures: Figures) -> Chart:
    """Jobs that came and jobs that completed, a second; failed ones as bars on a scale of their own."""
    arrived = dict(zip((point.at for point in figures.points), _arrived(figures.points), strict=True))
    came = _rates(figures, lambda point: arrived[point.at])
    went = _rates(figures, lambda point: point.completed)
    failed = [point.failed if point.is_known else 0 for point in figures.points]
    most = nice(max((rate for rate in (*came, *went) if rate is not None), default=0))
    total, arrivals = figures.total, sum(arrived.values())
    return Chart(
        lines=[_line("scheduled", came, most), _line("completed", went, most, is_filled=True)],
        bars=_bars(failed),
        levels=_levels(most, lambda value: f"{value:g}/s", bottom=_BOTTOM),
        times=_times(figures),
        top=_TOP,
        bottom=_BOTTOM,
        summary=f"{arrivals:,} arrived, {total.completed:,} completed and {total.failed:,} failed",
        is_empty=not any(came) and not any(went) and not any(failed),
        instants=[point.at for point in figures.points],
        readings=[
            Reading("arrived", [_rate(rate) for rate in came]),
            Reading("completed", [_rate(rate) for rate in went]),
            Reading("failed", [formats.number(point.failed if point.is_known else None) for point in figures.points]),
        ],
    )
