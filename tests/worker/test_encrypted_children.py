"""Encrypted jobs in child processes, in test blocks and beside programs: none of these needs a key."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps
from tests.places.dump import dump_of
from tests.places.place import Place
from tests.waiting import PATIENCE
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated
from windlass import ConfigError, JobFailed, Windlass, current_job, new_encryption_key
from windlass.testing import drain, inline, manual

PLANTED = "planted-clear-text"


@pytest.mark.only_on("sqlite")
def test_a_child_gets_clear_texts_and_no_key(new_app: Apps, place: Place) -> None:
    """Its worker opens what it is given, and encrypts what it gives: the child's own app has no keys."""
    app = new_app(encryption_keys=[new_encryption_key()])
    isolated(app)
    with app.worker():
        echo, broken, waits = (
            enqueue(app, "echo", PLANTED),
            enqueue(app, "broken", PLANTED, attempts=1),
            enqueue(app, "asking"),
        )
        assert echo.result(timeout=PATIENCE) == PLANTED
        with pytest.raises(JobFailed, match=PLANTED):
            broken.result(timeout=PATIENCE)
        app.send("approved", PLANTED)
        assert waits.result(timeout=PATIENCE) == PLANTED
    assert PLANTED.encode() not in dump_of(place)
    assert {"payload", "errors"} <= broken.refresh().encrypted.keys()


def test_test_blocks_run_encrypted_jobs() -> None:
    app = Windlass("sqlite:///:memory:", encryption_keys=[new_encryption_key()])

    @app.task
    def shout(text: str) -> str:
        job = current_job()
        assert job is not None
        return str(job.step("shout", str.upper, text))

    with inline(app):
        assert shout.enqueue("a").result() == "A"
    with manual(app):
        job = shout.enqueue("b")
        assert job.args == ("b",)
        drain(app)
        assert (job.result(), set(job.refresh().encrypted)) == ("B", {"payload", "result"})
    app.close()


def test_a_task_that_is_to_be_encrypted_needs_a_key() -> None:
    """Nothing of it is stored in clear by mistake: neither what is enqueued nor what it gives."""
    app = Windlass("sqlite:///:memory:")

    @app.task(encrypt=True)
    def secret() -> None: ...

    with pytest.raises(ConfigError, match="is to be encrypted, and there are no keys"):
        secret.enqueue()
    with pytest.raises(ConfigError, match="is to be encrypted, and there are no keys"):
        app.worker()
    app.configure(encryption_keys=[new_encryption_key()])
    assert "payload" in secret.enqueue().encrypted
    app.close()
