"""Makes the pictures of docs/dashboard.md and the README from a story of jobs; needs the Chromium of the system.

``python scripts/screenshots.py FOLDER`` puts every page into a folder instead, wide and narrow, light and dark, to be
looked at one by one.
"""

from __future__ import annotations

import argparse
import logging
import shutil
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, ViewportSize, expect, sync_playwright
from shop.story import BEGINS, Shop, shop

from windlass.testing import ManualClock
from windlass.web import dashboard
from windlass.web.security.security import Security
from windlass.web.security.settings import SecuritySettings
from windlass.web.server import Server

PICTURES = Path(__file__).parents[1] / "docs" / "images"
WIDE, NARROW = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)
_PATIENCE = 30_000


def main(folder: Path | None) -> None:
    """Write all pictures."""
    logging.disable(logging.CRITICAL)  # the failures of the story are meant
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no Chromium on this machine")
    clock = ManualClock(BEGINS - timedelta(days=1))
    with TemporaryDirectory() as place, shop(f"sqlite:///{place}/shop.db", clock) as story:
        security = Security(story.app, SecuritySettings(is_open_to_loopback=True))
        asgi = dashboard(story.app, security=security, environment="production")
        with Server(asgi, host="127.0.0.1", port=0).in_background() as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            camera = Camera(browser, address, clock)
            if folder is None:
                camera.shoot_docs(story, PICTURES)
            else:
                camera.shoot_all(story, folder)
            browser.close()


class Camera:
    """Opens pages as people do, at the time of the story."""

    def __init__(self, browser: Browser, address: str, clock: ManualClock) -> None:
        self._browser = browser
        self._address = address
        self._clock = clock

    def shoot_docs(self, story: Shop, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        shots = {
            "overview-light": "/",
            "overview-dark": "/",
            "jobs-light": "/jobs",
            "job-light": f"/jobs/{story.retrying}",
            "failures-light": "/failures",
            "cause-light": "/failures/cause?task=billing.capture_payment",
            "flow-light": f"/jobs/{story.waiting}",
        }
        for name, path in shots.items():
            self._shoot(path, folder / f"{name}.png", WIDE, name.rpartition("-")[2], opened=name == "failures-light")
        self._shoot("/", folder / "overview-narrow.png", NARROW, "light")

    def shoot_all(self, story: Shop, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in _every_page(story).items():
            for size, width in ((WIDE, "1280"), (NARROW, "390")):
                for scheme in ("light", "dark"):
                    self._shoot(path, folder / f"{name}-{width}-{scheme}.png", size, scheme, is_whole=True)

    def _shoot(
        self, path: str, file: Path, size: ViewportSize, scheme: str, *, is_whole: bool = False, opened: bool = False
    ) -> None:
        chosen: Any = scheme
        context = self._browser.new_context(
            base_url=self._address, viewport=size, color_scheme=chosen, timezone_id="UTC", reduced_motion="reduce"
        )
        page = context.new_page()
        page.clock.set_fixed_time(self._clock.now())
        page.goto(path)
        if page.locator("#live").count():
            expect(page.locator("#live-sign")).to_have_text("live", timeout=_PATIENCE)
        if path != "/login":
            # A process that has just begun knows after the first reading what asks for a look.
            expect(page.locator("[data-sign='/failures']")).not_to_have_text("0", timeout=_PATIENCE)
        if opened:
            page.locator(".cause > summary").first.click()
        page.screenshot(path=str(file), full_page=is_whole)
        context.close()


def _every_page(story: Shop) -> Mapping[str, str]:
    return {
        "overview": "/",
        "overview-day": "/?range=24h",
        "jobs": "/jobs",
        "jobs-failed": "/jobs?state=failed",
        "jobs-none": "/jobs?tag=nobody-has-this",
        "job-retrying": f"/jobs/{story.retrying}",
        "job-flow": f"/jobs/{story.waiting}",
        "job-enqueued": f"/jobs/{story.fanned_out}",
        "job-edit": f"/jobs/{story.retrying}/edit",
        "job-snooze": f"/jobs/{story.retrying}/snooze",
        "job-fail": f"/jobs/{story.retrying}/fail",
        "job-delete": f"/jobs/{story.retrying}/delete",
        "enqueue": "/enqueue",
        "failures": "/failures",
        "failures-by-queue": "/failures?by=queue",
        "failures-by-host": "/failures?by=host",
        "cause": "/failures/cause?task=billing.capture_payment",
        "mute": "/failures/mute?group=0123456789ab",
        "queues": "/queues",
        "queue": "/queues/mail",
        "queue-billing": "/queues/billing",
        "queue-settings": "/queues/billing/settings",
        "workers": "/workers",
        "worker": f"/workers/{story.worker}",
        "schedules": "/schedules",
        "schedule": "/schedules/orders.close_day",
        "schedule-new": "/new/schedule",
        "tasks": "/tasks",
        "task": "/tasks/billing.capture_payment",
        "limits": "/limits",
        "alerts": "/alerts",
        "alert-rules": "/alerts/rules",
        "alert-rule": "/alerts/rules/dead-letters",
        "alert-rule-of-cause": "/alerts/rules?name=billing-fails&expression=dead_letters+%3E+0&scope=queue:billing",
        "system": "/system",
        "archive": "/archive",
        "bulk": "/bulk/begin/retry?state=failed",
        "bulk-all": "/bulk",
        "nowhere": "/jobs/there-is-no-such-job",
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="for every page, instead of the pictures of the docs")
    return parser.parse_args()


if __name__ == "__main__":
    main(_arguments().folder)
