"""What jobs have logged, in ``windlass jobs show``."""

from __future__ import annotations

import logging

from tests.cli.program import Program
from windlass import Retry

log = logging.getLogger("shop.cli")
log.setLevel(logging.INFO)


def test_the_log_of_a_job_is_shown(windlass: Program) -> None:
    """Below the traceback; nothing in it steers the terminal."""

    @windlass.app.task(name="talkative", retry=Retry(attempts=1))
    def talkative() -> None:
        log.info("first line\nsecond \x1b[31mline")
        raise ValueError("bad luck")

    [job] = windlass.app.enqueue_many([windlass.app.request("talkative", id="loud")])
    windlass.app.worker().run_until_empty()
    shown = windlass("jobs", "show", "loud").out
    assert shown.index("ValueError: bad luck") < shown.index("first line")
    assert "INFO shop.cli: first line\n    second \\x1b[31mline\n" in shown
    told = windlass.json("jobs", "show", "loud")
    assert told["log"] == told["errors"][0]["log"] == job.refresh().log


def test_the_log_of_a_job_that_returned_is_shown_if_it_was_kept(windlass: Program) -> None:
    @windlass.app.task(name="content", keep_log=True)
    def content() -> None:
        log.info("all is well")

    windlass.app.enqueue_many([windlass.app.request("content", id="fine")])
    windlass.app.worker().run_until_empty()
    assert "INFO shop.cli: all is well\n" in windlass("jobs", "show", "fine").out
