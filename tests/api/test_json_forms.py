"""JSON forms: what the command line and an HTTP API show, made without either."""

from __future__ import annotations

import json
import subprocess
import sys

from windlass import Windlass
from windlass.insight import json_forms
from windlass.insight.payload import parameters_of
from windlass.insight.redact import MASK


def test_everything_that_is_shown_has_a_form(app: Windlass) -> None:
    """B21: with secrets masked, by the names of parameters too."""

    @app.task
    def login(user: str, password: str) -> dict[str, str]:
        return {"token": "t0p"}

    job, dead = login.enqueue("ann", "hunter2"), app.enqueue("fail")
    app.worker().run_until_empty()
    overview, page = app.overview(), app.jobs()
    forms = [
        json_forms.job_page(page, page.next),
        json_forms.job_detail(job.refresh(), parameters_of(job.task, app.tasks)),
        json_forms.timeline(job.id, job.timeline()),
        json_forms.why(dead, dead.why()),
        json_forms.dead_groups(app.dead_groups()),
        json_forms.queues(overview.queues, overview.everywhere),
        json_forms.workers(app.workers()),
        json_forms.overview(app.store, overview),
    ]
    text = json.dumps(forms, ensure_ascii=False)
    assert "ann" in text
    assert MASK in text
    assert "hunter2" not in text
    assert "t0p" not in text


def test_forms_need_no_command_line() -> None:
    code = "import sys, windlass.insight.json_forms; print([m for m in sys.modules if m in ('click', 'windlass.cli')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
