"""A client of the pages, in the process of the test, and a reader of what they hold."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from starlette.testclient import TestClient

from tests.web.http import Admitting
from windlass import Windlass
from windlass.web import dashboard

ALL = (
    "/",
    "/jobs",
    "/jobs/done",
    "/jobs/dead",
    "/jobs/later",
    "/jobs/waits",
    "/jobs?state=failed",
    "/failures",
    "/queues",
    "/queues/mail",
    "/queues/unserved",
    "/workers",
    "/schedules",
    "/schedules/nightly",
)
"""Every page, of the store that ``shop`` fills."""


class Html(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str, attribute: str) -> list[str]:
        """That attribute of every element of that kind."""
        return [
            attributes[attribute] or ""
            for found, attributes in self.elements
            if found == tag and attribute in attributes
        ]


class Pages(TestClient):
    """Asks for pages; ``security`` has kept what was changed."""

    def __init__(self, app: Windlass, security: Admitting, **options: Any) -> None:
        self.security = security
        super().__init__(
            dashboard(app, security=security, **options), base_url="http://localhost", follow_redirects=False
        )

    def read(self, path: str) -> Html:
        """A page, which has to be there."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/html")
        return Html(answer.text)
