"""A client that claims jobs over HTTP until SIGTERM. ``python -m tests.torture.leases.claimer ADDRESS``.

It knows the API alone, as a worker in another language does. It leaves the lines that tasks leave, and what it was
answered. No answer ends it: the server may be away, or be killed in the middle of one.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from tests.torture.leases.setting import COMPLETES, FAILS, LEASE, OVERSLEEPS, RELEASES, REMOTE
from tests.torture.witness import Answered, Began, Ended, Leased, Witness, now

THREADS = 4
WAIT = 4.0
"""Seconds for which a claim waits for a job."""
_PATIENCE = 30.0
"""Seconds after which a request is sent again."""
_PAUSE = 0.3
_LATER = (408, 429, 503)
"""Answers after which the same is asked again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said to a request, and when the first try of it was sent."""

    status: int
    document: dict[str, Any]
    asked: float


class Claimer:
    """One thread: claims a job, runs it, says how it ended."""

    def __init__(self, address: str, witness: Witness, stop: Event) -> None:
        place = urlsplit(address)
        self._host, self._port = place.hostname or "", place.port
        self._witness = witness
        self._stop = stop

    def run(self) -> None:
        while not self._stop.is_set():
            # A claim whose answer is lost is repeated under its id, and gives the same jobs.
            order = {"queues": [REMOTE], "lease": LEASE, "wait": WAIT, "worker": "claimer", "claim_id": uuid4().hex}
            answer = self._post("/leases", order)
            if answer is None:
                continue
            if answer.status != 200:
                self._note(answer, "claim")
            for job in answer.document.get("jobs", ()):
                self._witness.write(Leased(job["id"], job["fence"], answer.asked, LEASE, now()))
                self._run_job(job)

    def _run_job(self, job: dict[str, Any]) -> None:
        id, fence, attempt = job["id"], job["fence"], job["attempt"]
        seconds, ending = job["args"]
        self._witness.write(Began(id, fence, attempt, os.getpid(), now()))
        if attempt > 1:
            ending = COMPLETES
        if ending == OVERSLEEPS:
            self._stop.wait(1.4 * LEASE)
        elif self._is_cancelled_during(id, fence, seconds) or self._stop.is_set():
            ending = RELEASES
        # A job that was given back is not charged: what gives it back always would never end.
        elif ending == RELEASES and uuid4().int % 2:
            ending = COMPLETES
        self._end(id, fence, ending)

    def _is_cancelled_during(self, id: str, fence: int, seconds: float) -> bool:
        """Work, and keep the lease; a client that has lost it goes on all the same, and will write under its fence."""
        until = now() + seconds
        while now() < until and not self._stop.is_set():
            self._stop.wait(min(LEASE / 3, max(0.0, until - now())))
            answer = self._post(f"/leases/{id}/extend", {"fence": fence, "lease": LEASE})
            if answer is None:
                return False
            self._note(answer, "extend", id, fence)
            if answer.status == 200:
                self._witness.write(Leased(id, fence, answer.asked, LEASE, now()))
                if answer.document["cancel_requested"]:
                    return True
        return False

    def _end(self, id: str, fence: int, ending: str) -> None:
        endings: dict[str, tuple[str, str, dict[str, Any]]] = {
            FAILS: ("ValueError", "fail", {"error": "as it was told"}),
            RELEASES: ("released", "release", {}),
        }
        returned = ("returned", "complete", {"result": {"fence": fence, "value": 1}})
        how, verb, body = endings.get(ending, returned)
        self._witness.write(Ended(id, fence, os.getpid(), now(), how))
        answer = self._post(f"/leases/{id}/{verb}", {"fence": fence, **body}, is_last=True)
        if answer is not None:
            self._note(answer, verb, id, fence)

    def _note(self, answer: Answer, verb: str, id: str = "", fence: int = 0) -> None:
        title = str(answer.document.get("title", ""))
        self._witness.write(Answered(id, fence, verb, answer.status, title, answer.asked, now()))

    def _post(self, path: str, body: dict[str, Any], *, is_last: bool = False) -> Answer | None:
        """The answer; None if the client is told to stop before there is one. How a job ended is told all the same."""
        asked, until = now(), now() + _PATIENCE
        stop = Event() if is_last else self._stop
        while now() < until:
            answer = self._sent(path, body, asked)
            if answer is not None and answer.status not in _LATER:
                return answer
            if stop.wait(_PAUSE):
                return None
        return None

    def _sent(self, path: str, body: dict[str, Any], asked: float) -> Answer | None:
        connection = HTTPConnection(self._host, self._port, timeout=WAIT + _PATIENCE)
        try:
            headers = {"Content-Type": "application/json", "Host": f"{self._host}:{self._port}"}
            connection.request("POST", f"/api/v1{path}", json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
            return Answer(response.status, json.loads(text) if text else {}, asked)
        except (OSError, HTTPException):  # it is away, or was killed before it had answered
            return None
        finally:
            connection.close()


def main(address: str) -> None:
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    witness = Witness(Path(os.environ["TORTURE_FOLDER"]))
    threads = [Thread(target=Claimer(address, witness, stop).run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
