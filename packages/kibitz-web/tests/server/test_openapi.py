"""Requests made from our own schema, right and wrong: every answer is one that the schema promises."""

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from kibitz_web.server.api.routes import router

pytestmark = pytest.mark.long

CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]


app = FastAPI()
app.include_router(router)
schema = schemathesis.openapi.from_dict(app.openapi())


@schema.parametrize()
@settings(max_examples=6, suppress_health_check=list(HealthCheck), deadline=None)
def test_every_answer_is_one_that_the_schema_promises(case: Case, busy_client: TestClient) -> None:
    sent = case.as_transport_kwargs(base_url="http://localhost")
    known = ("method", "url", "params", "json", "data", "headers")
    asked = {key: value for key, value in sent.items() if key in known and value is not None}
    asked["headers"] = {**dict(asked.get("headers", {})), "authorization": busy_client.headers["authorization"]}
    data = asked.pop("data", None)
    if data is not None:
        asked["content"] = data if isinstance(data, (bytes, str)) else str(data)
    case.validate_response(busy_client.request(**asked), checks=CHECKS)
