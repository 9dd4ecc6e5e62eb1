"""The helper that strikes: it ends, whatever other threads have left behind."""

from __future__ import annotations

from threading import get_ident

from tests.strikes import Striker
from windlass.worker.executors.user_code import _set_none


def test_an_exception_that_is_never_raised_holds_up_no_sweep() -> None:
    """It was meant for a thread that has ended, say; under a tracer Python 3.11 looks for it for ever."""

    def work() -> int:
        _set_none(get_ident(), None)  # as if one had been set just now and taken back
        return sum(map(abs, range(10)))

    assert Striker(10**6, modules=(__name__,)).during(work) is None
