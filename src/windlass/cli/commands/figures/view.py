"""Figures at a glance: a chart in a line, times, and a table by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import length, second
from windlass.insight.figures.aggregate import Aggregated
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.json_form import figures_form
from windlass.insight.figures.view import FigurePoint, Times

_BARS = "▁▂▃▄▅▆▇█"
_WIDEST = 48
_SHOWN = 20
"""Names in a table."""

Value = Callable[[FigurePoint], float | None]


@dataclass(frozen=True, slots=True)
class FigureView:
    """The figures of one series."""

    figures: Figures
    kind: str
    """What ``by`` is about."""
    aggregate: str | None = None
    """By what each measure is told as one number; None for all that is known."""

    def data(self) -> object:
        return figures_form(self.figures, aggregate=self.aggregate)

    def draw(self, screen: Screen) -> None:
        figures = self.figures
        screen.line(
            Styled(_about(figures.series), "bold"),
            f", {length(figures.until - figures.since)} up to {second(figures.until)}, "
            f"in steps of {length(figures.step)}",
        )
        if not any(point.is_known for point in figures.points):
            screen.line("nothing is known of this time: no worker and no process with duties has run")
            return
        if self.aggregate is not None:
            _draw_values(screen, figures.aggregated(self.aggregate))
            return
        screen.line(_counts(figures.total))
        if means := _means(figures.total):
            screen.line(f"a job has {means}")
        _draw_charts(screen, figures.points)
        _draw_times(screen, figures.total)
        _draw_levels(screen, figures.total)
        if figures.total.errors:
            errors = [f"{name} {number:,}" for name, number in figures.total.errors.items()]
            screen.line("errors: ", Styled(", ".join(errors), "red"))
        if figures.by:
            _draw_names(screen, figures, self.kind)


def chart(values: Sequence[float | None], *, widest: int = _WIDEST) -> str:
    """Values as bars in a line, several together where there are more; a space where none is known.

    >>> chart([0, 1, None, 8])
    '▁▂ █'
    """
    together = -(-len(values) // widest)
    parts = [values[first : first + together] for first in range(0, len(values), together or 1)]
    merged = [max((value for value in part if value is not None), default=None) for part in parts]
    most = max((value for value in merged if value is not None), default=0.0)
    return "".join(" " if value is None else _bar(value, most) for value in merged)


def _bar(value: float, most: float) -> str:
    return _BARS[min(len(_BARS) - 1, int(value / most * (len(_BARS) - 1) + 0.5))] if most else _BARS[0]


def _about(series: str) -> str:
    """
    >>> _about("all"), _about("store"), _about("queue:mail"), _about("pair:mail\\tsend")
    ('all jobs', 'the store', 'queue mail', 'task send in queue mail')
    """
    kind, _, name = series.partition(":")
    if kind == "pair":
        queue, _, task = name.partition("\t")
        return f"task {task} in queue {queue}"
    return f"{kind} {name}" if name else {"all": "all jobs", "store": "the store"}[kind]


_HIDDEN = ("attempts", "payloads", "payload_bytes")
"""Counts that are shown as means."""


def _counts(point: FigurePoint) -> str:
    names = ["enqueued", "completed", "failed", "retried"] if point.wait or point.run else []
    names += [name for name in point.counts if name not in (*names, *_HIDDEN)]
    parts = [f"{name.replace('_', ' ')} {point.counts.get(name, 0):,}" for name in names]
    return ", ".join(parts) or "nothing was counted"


def _means(point: FigurePoint) -> str:
    parts = []
    if point.mean_attempts is not None:
        parts.append(f"{point.mean_attempts:.2f} attempts")
    if point.mean_payload is not None:
        parts.append(f"{point.mean_payload:,.0f} bytes of payload")
    return ", ".join(parts)


def _draw_charts(screen: Screen, points: Sequence[FigurePoint]) -> None:
    for title, value, shown in _CHARTS:
        values = [value(point) if point.is_known else None for point in points]
        if any(values):
            most = max(each for each in values if each is not None)
            screen.line(f"{title:<10} ", Styled(chart(values), "green"), f"  up to {shown(most)}")


def _p95(name: str) -> Value:
    def value(point: FigurePoint) -> float | None:
        times: Times | None = getattr(point, name)
        return None if times is None else times.p95.total_seconds()

    return value


def _level(name: str) -> Value:
    return lambda point: point.levels[name].max if name in point.levels else None


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _time(value: float) -> str:
    return length(timedelta(seconds=value))


def _percent(value: float) -> str:
    return f"{value:.0f} %"


def _bytes(value: float) -> str:
    """
    >>> _bytes(512), _bytes(3_500_000)
    ('512 B', '3.3 MiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:,.0f} B" if unit == "B" else f"{value:,.1f} {unit}"
        value /= 1024
    raise AssertionError


_CHARTS: tuple[tuple[str, Value, Callable[[float], str]], ...] = (
    ("enqueued", lambda point: point.enqueued, _number),
    ("completed", lambda point: point.completed, _number),
    ("retried", lambda point: point.retried, _number),
    ("failed", lambda point: point.failed, _number),
    ("depth", _level("depth"), _number),
    ("wait p95", _p95("wait"), _time),
    ("run p95", _p95("run"), _time),
    ("workers", _level("workers"), _number),
    ("running", _level("running"), _number),
    ("latency", _level("latency"), _time),
    ("cpu", _level("cpu"), _percent),
    ("memory", _level("memory"), _bytes),
    ("size", _level("size"), _bytes),
)


def _draw_times(screen: Screen, total: FigurePoint) -> None:
    rows = [_times(name, times) for name, times in (("wait", total.wait), ("run", total.run)) if times is not None]
    if rows:
        titles = ("TIME", "MEAN", "MIN", "P50", "P95", "P99", "MAX")
        screen.table([Column(title=title, is_number=title != "TIME") for title in titles], rows)


def _times(name: str, times: Times) -> list[Cell]:
    lengths = (times.mean, times.min, times.p50, times.p95, times.p99, times.max)
    return [name, *(length(each) for each in lengths)]


_SHOWN_AS: dict[str, Callable[[float], str]] = {
    "oldest": _time,
    "latency": _time,
    "memory": _bytes,
    "max_memory": _bytes,
    "size": _bytes,
    "cpu": _percent,
}


def _draw_levels(screen: Screen, total: FigurePoint) -> None:
    if total.levels:
        rows: list[list[Cell]] = []
        for name, level in total.levels.items():
            shown = _SHOWN_AS.get(name, _number)
            values = (level.newest, level.mean, level.min, level.max)
            rows.append([name.replace("_", " "), *(shown(value) for value in values)])
        titles = ("LEVEL", "NEWEST", "MEAN", "MIN", "MAX")
        screen.table([Column(title=title, is_number=title != "LEVEL") for title in titles], rows)


def _draw_values(screen: Screen, found: Aggregated) -> None:
    rows: list[list[Cell]] = [
        [name.removesuffix("_seconds").removesuffix("_per_second").replace("_", " "), _value(name, value)]
        for name, value in found.total.items()
    ]
    screen.table([Column(title="MEASURE"), Column(title=found.aggregate.upper(), is_number=True)], rows)


def _value(name: str, value: float) -> str:
    """
    >>> _value("run_seconds", 2.0), _value("completed_per_second", 0.0512), _value("failed", 3.0), _value("depth", 2.25)
    ('2s', '0.0512/s', '3', '2.25')
    """
    if name.endswith("_per_second"):
        return f"{value:,.3g}/s"
    if name.endswith("_seconds"):
        return _time(value)
    shown = _SHOWN_AS.get(name)
    return f"{value:,.10g}" if shown is None else shown(value)


def _draw_names(screen: Screen, figures: Figures, kind: str) -> None:
    columns = [
        Column(title=kind.upper(), least=12),
        Column(title="ENQUEUED", is_number=True),
        Column(title="COMPLETED", is_number=True),
        Column(title="FAILED", is_number=True),
        Column(title="RETRIED", is_number=True),
        Column(title="WAIT P95", is_number=True),
        Column(title="RUN P95", is_number=True),
        Column(title="DEPTH", is_number=True, may_go=True),
    ]
    shown = list(figures.by.items())[:_SHOWN]
    screen.table(columns, [_name_row(name, point) for name, point in shown])
    if len(figures.by) > _SHOWN:
        screen.line(f"and {len(figures.by) - _SHOWN:,} more, with --json")


def _name_row(name: str, point: FigurePoint) -> list[Cell]:
    return [
        name,
        f"{point.enqueued:,}",
        f"{point.completed:,}",
        Styled(f"{point.failed:,}", "red" if point.failed else ""),
        Styled(f"{point.retried:,}", "yellow" if point.retried else ""),
        "-" if point.wait is None else length(point.wait.p95),
        "-" if point.run is None else length(point.run.p95),
        "-" if point.depth is None else f"{point.depth:,}",
    ]
