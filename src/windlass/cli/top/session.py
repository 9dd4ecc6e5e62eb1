"""Connects all of them: draws, waits, acts."""

from __future__ import annotations

from typing import assert_never

from windlass import clock
from windlass.app import Windlass
from windlass.cli.times import now
from windlass.cli.top.ansi import picture
from windlass.cli.top.frame import Outage, frame
from windlass.cli.top.reader import Answer, Changed, Crashed, Failed, Looked, Read, Reader
from windlass.cli.top.snapshot import Snapshot, details, look
from windlass.cli.top.state import Act, HoldQueue, LookNow, Open, Quit, TopState
from windlass.cli.top.terminal import TopTerminal
from windlass.client.config import actor
from windlass.errors import StoreUnavailable


class TopSession:
    """One user at one terminal."""

    def __init__(self, app: Windlass, *, interval: float, terminal: TopTerminal) -> None:
        self._app = app
        self._interval = interval
        self._terminal = terminal
        self._reader = Reader(terminal.wake)
        self._state = TopState()
        self._snapshot: Snapshot | None = None
        self._outage: Outage | None = None
        self._is_wanted = True
        """Whether to read at once: at first, for another section, after a change; also while the picture is held."""
        self._due = 0.0
        self._is_looking = False

    def run(self) -> None:
        """Until the user leaves, a signal comes, or the terminal goes."""
        self._reader.start()
        try:
            while True:
                self._look_if_due()
                self._draw()
                happened = self._terminal.wait(self._pause())
                for key in happened.keys:
                    if self._act(self._state.press(key, self._snapshot)):
                        return
                if happened.is_over:
                    return
                for answer in self._reader.answers():
                    self._take_in(answer)
        finally:
            self._reader.stop()

    def _pause(self) -> float:
        """Seconds until something has to be done without a key; a wake-up ends it earlier."""
        is_idle = self._is_looking or self._state.is_held
        return self._interval if is_idle else max(0.0, self._due - clock.monotonic())

    def _look_if_due(self) -> None:
        is_due = not self._state.is_held and clock.monotonic() >= self._due
        if self._is_looking or not (self._is_wanted or is_due):
            return
        self._is_looking, self._is_wanted = True, False
        section, opened = self._state.section, self._state.opened
        if opened is not None:
            self._open(opened.source)
        self._reader.ask(LookNow(), lambda: Looked(look(self._app, section)))

    def _open(self, source: Open) -> None:
        self._reader.ask(source, lambda: Read(source, details(self._app, source.section, source.key)))

    def _draw(self) -> None:
        size = self._terminal.size
        lines = frame(self._snapshot, self._state, size, interval=self._interval, outage=self._outage)
        self._terminal.draw(picture(lines, size.rows))

    def _act(self, act: Act | None) -> bool:
        """Do what a key asks for; true to leave."""
        match act:
            case Quit():
                return True
            case LookNow():
                self._is_wanted = True
            case Open():
                self._open(act)
            case HoldQueue():
                self._reader.ask(act, lambda: _hold(self._app, act))
                self._is_wanted = True
            case None:
                pass
            case _:
                assert_never(act)
        return False

    def _take_in(self, answer: Answer) -> None:
        match answer:
            case Looked(snapshot):
                self._snapshot, self._outage = snapshot, None
                self._looked()
            case Read(source, view):
                if self._state.opened is not None and self._state.opened.source == source:
                    self._state.opened.view = view
            case Changed(sentence):
                self._state.message = sentence
            case Failed():
                self._failed(answer)
            case Crashed(error):
                raise error
            case _:
                assert_never(answer)

    def _looked(self) -> None:
        self._is_looking = False
        self._due = clock.monotonic() + self._interval

    def _failed(self, failed: Failed) -> None:
        if isinstance(failed.act, LookNow):
            self._looked()
        if isinstance(failed.error, StoreUnavailable):
            since = now() if self._outage is None else self._outage.since
            self._outage = Outage(since, str(failed.error))
            self._is_wanted = False  # a picture that is held is not tried for again and again
        elif isinstance(failed.act, Open):
            self._state.opened = None
        if not isinstance(failed.act, LookNow):
            self._state.message = str(failed.error)


def _hold(app: Windlass, act: HoldQueue) -> Changed:
    """Pause or resume; recorded in the audit as the commands of that name are."""
    queue, who = app.queue(act.name), actor()
    verb = "pause" if act.pauses else "resume"
    if act.pauses:
        queue.pause("from windlass top", by=who)
    else:
        queue.resume(by=who)
    app.record_change(who=who, via="cli", action=f"queues {verb}", target=act.name, count=1)
    return Changed(f"{verb}d queue {act.name}; workers follow within 2 s")
