"""What a page complains of: errors and warnings of scripts, and refused contents."""

from __future__ import annotations

from playwright.sync_api import ConsoleMessage, Page


class Console:
    """Listens to a page."""

    def __init__(self, page: Page) -> None:
        self.messages: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.messages.append(str(error)))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.messages.append(message.text)
