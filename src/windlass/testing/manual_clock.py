"""A clock that stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Lock

from windlass.core.units import duration
from windlass.core.validate import milliseconds_since_1970
from windlass.errors import Duration

_START = datetime(2026, 1, 1, tzinfo=UTC)


class ManualClock:
    """The time of an app's store: ``Windlass(url, clock=clock)``. May be moved from any thread, also backwards.

    It sets what the store decides by: what is due, which lease has expired, how old a finished job is. A worker
    measures its own intervals, such as the time limit of a job, on the machine's clock. Give a worker that runs while
    the clock moves a lease that is longer than the steps: ``app.worker(lease="30d")``.

    >>> clock = ManualClock(datetime(2026, 3, 1, 12, tzinfo=UTC))
    >>> clock.advance("10m")
    >>> clock.now()
    datetime.datetime(2026, 3, 1, 12, 10, tzinfo=datetime.timezone.utc)
    >>> clock.set(datetime(2026, 3, 1, tzinfo=UTC))
    >>> clock()
    1772323200000
    """

    def __init__(self, start: datetime = _START) -> None:
        self._lock = Lock()
        self._milliseconds = milliseconds_since_1970(start, "start")

    def __call__(self) -> int:
        """Milliseconds since 1970, the unit of the stores."""
        return self._milliseconds

    def now(self) -> datetime:
        """Its time, in UTC."""
        return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=self._milliseconds)

    def advance(self, length: Duration) -> None:
        """Move forwards: ``clock.advance("10m")``."""
        step = duration(length, "length")
        with self._lock:
            self._milliseconds += round(step.total_seconds() * 1000)

    def set(self, moment: datetime) -> None:
        """Set it to this time, earlier or later; a naive ``datetime`` is rejected."""
        milliseconds = milliseconds_since_1970(moment, "moment")
        with self._lock:
            self._milliseconds = milliseconds

    def __repr__(self) -> str:
        return f"<ManualClock {self.now().isoformat()}>"
