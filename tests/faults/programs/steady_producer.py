"""Enqueues numbered jobs until it is told to stop, and repeats with the same ids whatever it is not sure of."""

from __future__ import annotations

import sys
from itertools import count
from threading import Event, Thread

from tests.faults.programs.tasks import app, record, say
from windlass import StoreUnavailable


def await_the_word(enough: Event) -> None:
    sys.stdin.readline()
    enough.set()


if __name__ == "__main__":
    enough = Event()
    Thread(target=await_the_word, args=(enough,), daemon=True).start()
    for number in count():
        if enough.is_set():
            say("in all", number)
            break
        request = app.request(record, (number,), id=f"job-{number}")
        while True:
            try:
                app.enqueue_many([request])
            except StoreUnavailable as error:
                say("away", error)
                enough.wait(0.05)
            else:
                say("stored", number)
                break
        enough.wait(0.002)
    app.close()
