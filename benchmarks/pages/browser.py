"""How long a real Chromium takes until it shows something of each page."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

_FIRST_PAINT = """() => new Promise((done) => {
    const name = "first-contentful-paint";
    new PerformanceObserver((seen) => {
        const [paint] = seen.getEntriesByName(name);
        if (paint) done(paint.startTime);
    }).observe({ type: "paint", buffered: true });
})"""


def first_paints(address: str, paths: Sequence[str], *, visits: int) -> dict[str, float]:
    """Milliseconds from going to a page to its first paint, the median of the visits by path; nothing where this
    machine has no Chromium, or Playwright is not installed.

    Scripts and style sheets are in the browser's cache but for the first page.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return {}
    if CHROMIUM is None:
        return {}
    found: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 900})
        for path in paths:
            times: list[float] = []
            for _ in range(visits):
                page.goto(path)
                times.append(page.evaluate(_FIRST_PAINT))
            found[path] = statistics.median(times)
        browser.close()
    return found
