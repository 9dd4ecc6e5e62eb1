"""Problems name the field that is wrong, also where another part of the program found it wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.http import ANY, V1, Http

_SCHEDULE = {"name": "nightly", "task": "mail.welcome", "args": [1], "cron": "30 2 * * *"}
_OFTEN = {"name": "often", "task": "mail.welcome", "args": [1], "every": "1h"}
_RULE = {"name": "deep", "expression": "queue_depth > 1"}

WRONG = (
    ("POST", "/schedules", {**_SCHEDULE, "cron": "61 * * * *"}, "cron"),
    ("POST", "/schedules", {**_SCHEDULE, "cron": "0 2 * * *", "tz": "Mars/Base"}, "tz"),
    (
        "POST",
        "/schedules",
        {**_OFTEN, "tz": "Europe/Berlin"},
        "tz",
    ),
    ("POST", "/schedules", {**_SCHEDULE, "name": "a b"}, "name"),
    ("POST", "/schedules", {**_SCHEDULE, "queue": "a b"}, "queue"),
    ("POST", "/alert-rules", {**_RULE, "expression": "depth > 1"}, "expression"),
    ("POST", "/alert-rules", {**_RULE, "severity": "bad"}, "severity"),
    ("POST", "/alert-rules", {**_RULE, "window": "1s"}, "window"),
    ("POST", "/alert-rules", {**_RULE, "name": "a b"}, "name"),
    ("POST", "/tokens", {"name": "a b", "role": "viewer"}, "name"),
    ("POST", "/leases", {"queues": ["a b"]}, "queues"),
    ("PATCH", "/queues/a%20b", {"weight": 1}, "name"),
    ("PUT", "/limits/github", {"rate": "often"}, "rate"),
    ("GET", "/metrics?range=1h&step=7s", None, "step"),
)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(("method", "path", "body", "field"), WRONG)
def test_the_field_is_named(http: Http, method: str, path: str, body: Any, field: str) -> None:
    """B19."""
    answer = http.request(method, f"{V1}{path}", json=body, headers=ANY)
    assert (answer.status_code, answer.json().get("field")) == (400, field), answer.text
