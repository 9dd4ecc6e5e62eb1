"""A client of the pages, in the process of the test, and a reader of what they hold."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from starlette.testclient import TestClient

from tests.web.http import Admitting
from windlass import Windlass
from windlass.web import dashboard

FORMS = (
    "/queues/mail/settings",
    "/schedules/nightly/edit",
    "/new/schedule",
    "/failures/mute?group=0123456789ab",
)
"""Pages with forms, for operators alone; they are not live."""

ALL = (
    "/",
    "/jobs",
    "/jobs/done",
    "/jobs/dead",
    "/jobs/later",
    "/jobs/waits",
    "/jobs?state=failed",
    "/jobs/dead/fail",
    "/jobs/later/snooze",
    "/jobs/later/fail",
    "/jobs/dead/delete",
    "/jobs/dead/edit",
    "/jobs?all=1&task=broken&meta.note=x",
    "/enqueue",
    "/bulk",
    "/bulk/begin/retry?state=failed",
    "/bulk/begin/delete?job=dead&job=waits",
    "/bulk/begin/cancel?queue=unserved",
    "/failures",
    "/failures?by=task",
    "/failures?by=queue",
    "/failures?by=host",
    "/failures/cause?task=broken",
    "/queues",
    "/queues/mail",
    "/queues/unserved",
    "/workers",
    "/tasks",
    "/tasks/mail.welcome",
    "/tasks/broken",
    "/limits",
    "/archive",
    "/system",
    "/schedules",
    "/schedules/nightly",
    *FORMS,
    "/alerts",
    "/alerts?severity=critical&state=firing&since=24h",
    "/alerts/rules",
    "/alerts/rules?name=broken-fails&expression=dead_letters+%3E+0&scope=task:broken",
    "/alerts/rules/deep",
)
"""Every page, of the store that ``shop`` fills."""
LOOKS = tuple(
    path for path in ALL if path not in FORMS and not path.startswith(("/bulk/", "/enqueue")) and path.count("/") < 3
)
"""Those that a viewer may see."""


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

    def named_jobs(self) -> list[str]:
        """The ids of the jobs that a list shows, in order."""
        links = [a["href"] or "" for tag, a in self.elements if tag == "a" and a.get("class") == "name"]
        return [link.removeprefix("/jobs/") for link in links if link.startswith("/jobs/")]


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
