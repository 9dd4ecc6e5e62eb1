"""Workers in other languages: those of the documentation run, are killed, and their jobs come back."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from tests.waiting import PATIENCE, eventually
from tests.web.http import V1, Http
from windlass import State, Windlass
from windlass.testing import ManualClock
from windlass.web import api
from windlass.web.security.security import Security
from windlass.web.security.settings import SecuritySettings
from windlass.web.server import Server

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "other-languages.md"
WORKERS = {
    "node": (["node", str(ROOT / "examples" / "worker.mjs"), "tts"], "tts.wait"),
    "curl": (["sh", str(ROOT / "examples" / "worker.sh"), "tts", "sleep 60 #"], "any"),
}

pytestmark = [
    pytest.mark.only_on("sqlite"),
    pytest.mark.skipif(not all(map(shutil.which, ("node", "curl", "jq"))), reason="needs node, curl and jq"),
]


@contextmanager
def served(app: Windlass) -> Iterator[dict[str, str]]:
    """The API of an app, and what a worker has to know of it."""
    token = app.add_token("speech", role="worker", queues=["tts"]).text
    server = Server(api(app, security=Security(app, SecuritySettings())), host="127.0.0.1", port=0)
    with server.in_background() as address:
        eventually(lambda: is_up(address))
        yield {**os.environ, "WINDLASS_API": f"{address}{V1}", "WINDLASS_TOKEN": token}


def is_up(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/healthz").status_code == 200
    except httpx2.TransportError:
        return False


@contextmanager
def started(arguments: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A program in a group of its own, which is gone at the end."""
    process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def enqueue(app: Windlass, task: str, id: str = "one") -> None:
    app.enqueue_many([app.request(task, ["hello"], queue="tts", id=id, attempts=3)])


@pytest.mark.parametrize("name", WORKERS)
def test_the_job_of_a_killed_worker_comes_back_and_its_late_ending_is_refused(
    app: Windlass, clock: ManualClock, name: str
) -> None:
    """B27: a worker in another language dies as ours do."""
    arguments, task = WORKERS[name]
    enqueue(app, task)
    with served(app) as environment, started(arguments, environment) as worker:
        assert worker.stdout is not None
        _, said, fence = worker.stdout.readline().split()
        assert said == "claimed"
        kill(worker)
        clock.advance("10m")
        http = Http(app)
        [again] = http.order("/leases", {"queues": ["tts"]})["jobs"]
        assert again["id"] == "one"
        assert again["fence"] > int(fence)
        late = http.post(f"{V1}/leases/one/complete", json={"fence": int(fence)})
        assert (late.status_code, late.json()["title"]) == (409, "Lease lost")
        assert http.post(f"{V1}/leases/one/complete", json={"fence": again["fence"], "result": 1}).status_code == 204
        assert app.job("one").result() == 1


def test_the_worker_in_node_completes_fails_and_gives_back(app: Windlass) -> None:
    """B27: what a user would write; a job that waits is given back on SIGTERM."""
    enqueue(app, "tts.speak", "speaks")
    enqueue(app, "tts.unknown", "unknown")
    with served(app) as environment, started(WORKERS["node"][0], environment) as worker:
        eventually(lambda: app.job("unknown").state is State.RETRYING)
        assert app.job("speaks").result() == {"said": "hello", "lang": "en"}
        assert "does not know the task" in app.job("unknown").errors[0].message
        enqueue(app, "tts.wait", "waits")
        eventually(lambda: app.job("waits").state is State.RUNNING)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
        assert (app.job("waits").state, app.job("waits").attempt) == (State.PENDING, 0)


def test_the_worker_with_curl_completes_and_the_guides_calls_work(app: Windlass, tmp_path: Path) -> None:
    """B27: a worked example."""
    [calls] = re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)

    @app.task(name="tts.speak", queue="tts")
    def speak(text: str, lang: str = "en") -> None:
        """Is run elsewhere."""

    with served(app) as environment:
        done = subprocess.run(
            ["sh", "-ec", calls], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert '"status":4' not in done.stdout
        assert app.job("greeting").result() == {"seconds": 1.2}
        enqueue(app, "any")
        with started(["sh", str(ROOT / "examples" / "worker.sh"), "tts", "tr a-z A-Z"], environment):
            eventually(lambda: app.job("one").done)
            assert app.job("one").result() == "HELLO"
