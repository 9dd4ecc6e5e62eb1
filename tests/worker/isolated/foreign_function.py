"""An app that makes a task of a function from elsewhere; whoever uses it says where its jobs are."""

from __future__ import annotations

from tests.worker.isolated.tasks import undecorated
from windlass import Windlass

app = Windlass("sqlite:///:memory:")
plain = app.task(name="plain", isolation="process")(undecorated)
