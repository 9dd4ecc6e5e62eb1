"""The OpenAPI document: true, and the API keeps to it."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tests.web.http import V1, Http
from windlass import Windlass
from windlass.web.table import ROUTES

pytestmark = pytest.mark.only_on("sqlite")

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
NAMES = {"id": "done", "name": "mail"}


def test_every_row_is_in_it(http: Http) -> None:
    document = http.read("/openapi.json")
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert described == {(route.method, route.path) for route in ROUTES}
    assert document["openapi"].startswith("3.1")
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(set(ids)) == len(ids)
    assert document["paths"][f"{V1}/jobs"]["get"]["security"] == [{"token": []}]
    assert document["paths"]["/healthz"]["get"]["security"] == []


@pytest.mark.filterwarnings("ignore")
def test_the_api_keeps_to_it(app: Windlass, http: Http) -> None:
    app.enqueue_many([app.request("mail.welcome", [1], id="done")])
    app.limit("mail").configure(rate="1/s")
    app.add_schedule("done", "mail.welcome", every="1h", args=[1])
    schema: Any = schemathesis.openapi.from_asgi(f"{V1}/openapi.json", http.app)
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=8,
            deadline=None,
            database=None,
            phases=[Phase.generate],  # a failure is told as it was found
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def keeps_to_it(case: Any) -> None:
            for name in case.path_parameters or {}:
                if len(str(case.path_parameters[name])) % 2:
                    case.path_parameters[name] = NAMES.get(name, "promote")
            if isinstance(case.body, dict):
                case.body.pop("wait", None)  # a claim would wait in truth
            if case.path.endswith("/stream"):
                case.query = {**(case.query or {}), "seconds": 0}  # or it would not end
            case.call_and_validate(checks=CHECKS)

        keeps_to_it()
