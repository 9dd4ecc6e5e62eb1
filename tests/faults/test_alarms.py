"""Exceptions that a signal handler raises inside a call: the usual time limit by ``SIGALRM``, or Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

from tests.places.place import Place

_STRUCK = dedent(
    """
    import os, signal, sys
    from windlass import Windlass

    app = Windlass(sys.argv[1], namespace=sys.argv[2])
    app.task(name="greet")(lambda: None)
    struck = 0


    class Late(Exception): ...


    def strike(*_):
        raise Late


    signal.signal(signal.SIGALRM, strike)
    app.enqueue("greet")
    for number in range(600):
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0003 + number % 50 * 0.00005)
                for _ in range(200):
                    app.enqueue("greet")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Late:
            struck += 1
    assert struck > 0
    app.enqueue("greet")
    print("goes on", flush=True)
    os._exit(0)
    """
)


def test_alarms_anywhere_in_a_call_end_no_process(place: Place) -> None:
    """On Redis a number that was being written for the server when an alarm came was a segmentation fault."""
    program = [sys.executable, "-W", "ignore", "-c", _STRUCK, place.url, place.namespace]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=240, check=False)
    assert (ended.returncode, ended.stdout) == (0, "goes on\n"), ended.stderr[-2000:]
