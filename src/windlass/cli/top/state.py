"""What the user looks at, and what each key does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from windlass.cli.output import View
from windlass.cli.top.sections import KINDS, Row, sorted_rows
from windlass.cli.top.snapshot import Section, Snapshot

SECTIONS = tuple(Section)
_PAGE = 10


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave."""


@dataclass(frozen=True, slots=True)
class LookNow:
    """Read again without waiting: another section is shown."""


@dataclass(frozen=True, slots=True)
class Open:
    """Read one row in full."""

    section: Section
    key: str


@dataclass(frozen=True, slots=True)
class HoldQueue:
    """Pause a queue, or resume it: the only change that can be made here, after a question."""

    name: str
    pauses: bool


Act: TypeAlias = "Quit | LookNow | Open | HoldQueue"


@dataclass(slots=True)
class Opened:
    """A row in full."""

    title: str
    view: View | None
    """None until it is read."""
    source: Open
    """What is read again at every look."""
    offset: int = 0
    """The first line that is shown."""


@dataclass(slots=True)
class TopState:
    """Changed by keys; ``press`` returns what the program has to do."""

    section: Section = Section.QUEUES
    is_held: bool = False
    """Whether the picture stays as it is."""
    orders: dict[Section, int] = field(default_factory=lambda: dict.fromkeys(Section, 0))
    reversed: set[Section] = field(default_factory=set)
    selected: dict[Section, str] = field(default_factory=dict)
    """The key of the row on which the cursor is; rows move, the cursor stays on its row."""
    opened: Opened | None = None
    question: HoldQueue | None = None
    shows_help: bool = False
    message: str = ""
    _sorted: tuple[object, list[Row]] = (None, [])
    """The rows that were made last, and of what: keys are pressed more often than the store is read."""

    def rows(self, snapshot: Snapshot | None) -> list[Row]:
        """What is listed, in the chosen order."""
        if snapshot is None:
            return []
        order, is_reversed = self.orders[self.section], self.section in self.reversed
        made_of = (id(snapshot), snapshot.at, self.section, order, is_reversed)
        if self._sorted[0] != made_of:
            self._sorted = made_of, sorted_rows(self.section, snapshot, order=order, reverse=is_reversed)
        return self._sorted[1]

    def cursor(self, rows: list[Row]) -> int:
        """The number of the selected row; the first where it is gone."""
        wanted = self.selected.get(self.section)
        return next((number for number, row in enumerate(rows) if row.key == wanted), 0)

    def press(self, key: str, snapshot: Snapshot | None) -> Act | None:
        """What one key does."""
        self.message = ""
        if self.question is not None:
            return self._answer(key)
        if self.shows_help:
            self.shows_help = False
            return None
        if key in ("q", "Q") and self.opened is None:
            return Quit()
        match key:
            case "?" | "h":
                self.shows_help = True
            case "space":
                self.is_held = not self.is_held
                return None if self.is_held else LookNow()
            case "p" if self.section is Section.QUEUES:
                self._ask(snapshot)
            case "1" | "2" | "3" | "4":
                return self._go(SECTIONS[int(key) - 1])
            case "tab" | "right":
                return self._go(SECTIONS[(SECTIONS.index(self.section) + 1) % len(SECTIONS)])
            case "back-tab" | "left":
                return self._go(SECTIONS[SECTIONS.index(self.section) - 1])
            case _ if self.opened is not None:
                self._scroll(key, self.opened)
            case _:
                return self._in_list(key, snapshot)
        return None

    def _go(self, section: Section) -> Act:
        self.section, self.opened = section, None
        return LookNow()

    def _in_list(self, key: str, snapshot: Snapshot | None) -> Act | None:
        rows = self.rows(snapshot)
        match key:
            case "s":
                self.orders[self.section] = (self.orders[self.section] + 1) % len(KINDS[self.section].orders)
            case "r":
                self.reversed ^= {self.section}
            case "enter" if rows:
                row = rows[self.cursor(rows)]
                source = Open(self.section, row.opens)
                self.opened = Opened(f"{_NOUNS[self.section]} {row.opens}", None, source)
                return source
            case _:
                self._move(key, rows)
        return None

    def _move(self, key: str, rows: list[Row]) -> None:
        if not rows:
            return
        last = len(rows) - 1
        cursor = _moved(key, self.cursor(rows), last)
        self.selected[self.section] = rows[max(0, min(last, cursor))].key

    def _scroll(self, key: str, opened: Opened) -> None:
        if key in ("escape", "backspace", "q", "Q", "enter"):
            self.opened = None
        else:
            opened.offset = max(0, _moved(key, opened.offset, opened.offset + _PAGE))

    def _ask(self, snapshot: Snapshot | None) -> None:
        rows = self.rows(snapshot)
        if snapshot is None or not rows:
            return
        name = self.opened.source.key if self.opened else rows[self.cursor(rows)].opens
        queue = next((one for one in snapshot.overview.queues if one.name == name), None)
        if queue is not None:
            self.question = HoldQueue(name, pauses=not queue.settings.paused)

    def _answer(self, key: str) -> Act | None:
        asked, self.question = self.question, None
        if key in ("y", "Y"):
            return asked
        self.message = "nothing was changed"
        return None


_NOUNS = {Section.QUEUES: "queue", Section.WORKERS: "worker", Section.RUNNING: "job", Section.FAILURES: "job"}


def _moved(key: str, position: int, last: int) -> int:
    match key:
        case "up" | "k":
            return position - 1
        case "down" | "j":
            return position + 1
        case "page-up":
            return position - _PAGE
        case "page-down":
            return position + _PAGE
        case "home" | "g":
            return 0
        case "end" | "G":
            return last
        case _:
            return position
