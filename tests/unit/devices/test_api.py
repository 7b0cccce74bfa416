"""The device API over HTTP: routes, statuses, bodies, and that nothing private is logged."""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import boto3
import pytest

from functions.devices import api
from functions.devices.registry import Registry
from functions.shared.clients import sns as sns_client
from functions.shared.observability import logger
from tests.unit.devices.conftest import TOKEN, FakeSns, body, client_error

SECRETS = (TOKEN, "jazz-secret", "interests-secret", "Taipei-secret", "user-secret", "4711.25")


@dataclass
class Context:
    function_name: str = "devices"
    memory_limit_in_mb: int = 128
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:devices"
    aws_request_id: str = "request-1"

    def get_remaining_time_in_millis(self) -> int:
        return 30_000


def call(
    method: str, path: str, given: Any = None, *, raw: str | None = None, **query: str
) -> tuple[int, Any]:
    """The status and the body of the answer."""
    event = {
        "version": "2.0",
        "rawPath": path,
        "queryStringParameters": query,
        "headers": {"content-type": "application/json"},
        "requestContext": {
            "http": {"method": method, "path": path},
            "stage": "$default",
            "requestId": "request-1",
        },
        "body": raw if raw is not None else None if given is None else json.dumps(given),
        "isBase64Encoded": False,
    }
    answer = api.handler(event, Context())
    text = answer.get("body")
    return answer["statusCode"], json.loads(text, parse_float=Decimal) if text else None


_make_registry = api._registry


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is logged during the test."""
    stream = io.StringIO()
    for handler in logger.handlers:
        monkeypatch.setattr(handler, "stream", stream)
    return stream


@pytest.fixture(autouse=True)
def served(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_registry", lambda: registry)


def test_a_device_is_put_got_and_deleted() -> None:
    given = {"ChannelType": "GCM", "Address": TOKEN, "Attributes": {"interests": ["rock", "jazz"]}}
    status, stored = call("PUT", "/devices/d1", given)
    assert status == 200
    assert stored == {
        "Id": "d1",
        "ChannelType": "GCM",
        "Address": TOKEN,
        "OptOut": "NONE",
        "EndpointStatus": "ACTIVE",
        "Attributes": {"interests": ["jazz", "rock"]},
        "EndpointArn": "arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Fanfare-platform-GCM/0",
    }
    assert call("GET", "/devices/d1") == (200, stored)
    assert call("DELETE", "/devices/d1") == (204, None)
    assert call("DELETE", "/devices/d1") == (204, None)
    status, problem = call("GET", "/devices/d1")
    assert (status, problem["detail"]) == (404, "There is no device with the Id d1.")


def test_numbers_are_answered_to_the_last_digit() -> None:
    raw = '{"ChannelType":"GCM","Address":"t","Metrics":{"m":0.1000000000000000055511151231257827}}'
    assert call("PUT", "/devices/d1", raw=raw)[0] == 200
    _, device = call("GET", "/devices/d1")
    assert device["Metrics"]["m"] == Decimal("0.1000000000000000055511151231257827")


@pytest.mark.parametrize(
    ("path", "device_id"),
    [
        ("/devices/台北 🎷", "台北 🎷"),
        ("/devices/%E5%8F%B0%E5%8C%97%20%F0%9F%8E%B7", "台北 🎷"),
        ("/devices/a+b:c@d", "a+b:c@d"),
        ("/devices/batch", "batch"),
    ],
)
def test_an_id_of_any_script_travels_in_the_path(path: str, device_id: str) -> None:
    status, device = call("PUT", path, {"ChannelType": "GCM", "Address": TOKEN})
    assert (status, device["Id"]) == (200, device_id)
    assert call("GET", path) == (200, device)
    assert call("DELETE", path)[0] == 204


def test_a_device_that_lost_its_token_says_so() -> None:
    call("PUT", "/devices/d1", {"ChannelType": "GCM", "Address": TOKEN})
    call("PUT", "/devices/d2", {"ChannelType": "GCM", "Address": TOKEN})

    assert call("GET", "/devices/d1") == (
        200,
        {
            "Id": "d1",
            "ChannelType": "GCM",
            "Address": TOKEN,
            "OptOut": "NONE",
            "EndpointStatus": "INACTIVE",
            "StatusReason": "moved",
        },
    )


def test_all_devices_are_read_page_by_page() -> None:
    for number in range(3):
        call("PUT", f"/devices/d{number}", {"ChannelType": "GCM", "Address": f"token-{number}"})

    status, first = call("GET", "/devices", limit="2")
    assert (status, len(first["devices"])) == (200, 2)
    status, second = call("GET", "/devices", limit="2", next=first["next"])
    assert (status, len(second["devices"]), second["next"]) == (200, 1, None)
    listed = [*first["devices"], *second["devices"]]
    assert sorted(device["Id"] for device in listed) == ["d0", "d1", "d2"]
    assert [call("GET", f"/devices/{device['Id']}")[1] for device in listed] == listed


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ({"limit": "0"}, "query.limit"),
        ({"limit": "1001"}, "query.limit"),
        ({"limit": "many"}, "query.limit"),
        ({"segments": "101"}, "query.segments"),
        ({"segment": "-1"}, "query.segment"),
        ({"segment": "1"}, "segment"),
        ({"next": "nonsense"}, "next"),
    ],
)
def test_a_page_that_there_is_not_is_refused(query: dict[str, str], place: str) -> None:
    status, problem = call("GET", "/devices", **query)
    assert (status, [error["place"] for error in problem["errors"]]) == (400, [place])


def test_a_wrong_device_is_a_problem_with_every_place() -> None:
    status, problem = call("PUT", "/devices/d1", {"ChannelType": "SMS", "Metrics": {"m": "1"}})
    assert (status, problem["type"]) == (400, "urn:fanfare:problem:invalid-input")
    assert [error["place"] for error in problem["errors"]] == [
        "ChannelType",
        "Address",
        "Metrics.m",
    ]


@pytest.mark.parametrize(
    ("raw", "place", "reason"),
    [
        (None, "body", "Field required"),
        ('[{"ChannelType": "GCM", "Address": "t"}]', "device", "must be an object, not a list"),
        ("{", "body", "not JSON, at character 1"),
        ('{"Metrics": {"m": NaN}}', "body", "NaN is not JSON"),
    ],
)
def test_a_body_that_is_no_device_is_refused(raw: str | None, place: str, reason: str) -> None:
    status, problem = call("PUT", "/devices/d1", raw=raw)
    assert (status, problem["errors"]) == (400, [{"place": place, "reason": reason}])


def test_a_missing_platform_is_a_conflict_that_says_what_to_do() -> None:
    status, problem = call("PUT", "/devices/d1", {"ChannelType": "ADM", "Address": TOKEN})
    assert status == 409
    assert problem["detail"].endswith("fanfare platform create ADM")


def test_a_throttle_of_sns_is_503(sns: FakeSns) -> None:
    sns.script = lambda _operation, _token: client_error("Throttling")
    status, problem = call("PUT", "/devices/d1", {"ChannelType": "GCM", "Address": TOKEN})
    assert (status, problem["type"]) == (503, "urn:fanfare:problem:unavailable")


def test_a_batch_is_answered_device_by_device() -> None:
    status, answer = call(
        "POST", "/devices/batch", {"devices": [body("a"), body("b", Address=""), body("c/d")]}
    )
    assert status == 200
    assert answer == {
        "results": [
            {"index": 0, "Id": "a", "status": "stored"},
            {
                "index": 1,
                "Id": "b",
                "status": "rejected",
                "errors": [
                    {"place": "Address", "reason": "must not be empty; leave it out instead"}
                ],
            },
            {
                "index": 2,
                "status": "rejected",
                "errors": [
                    {
                        "place": "Id",
                        "reason": "must not hold / ? # or %, nor be . or .., "
                        "which a URL's path cannot carry",
                    }
                ],
            },
        ]
    }


@pytest.mark.parametrize(
    "code", ["", "InvalidParameter", "Throttling", "NotFound", "AuthorizationError"]
)
def test_no_log_line_and_no_problem_shows_a_token_or_an_attribute(
    sns: FakeSns, log: io.StringIO, code: str
) -> None:
    if code:
        sns.script = lambda _, token: client_error(code, f"Invalid parameter: Token {token}")
    given = {
        "ChannelType": "GCM",
        "Address": TOKEN,
        "Attributes": {"interests-secret": ["jazz-secret"]},
        "Metrics": {"m": 4711.25},
        "Location": {"City": "Taipei-secret"},
        "User": {"UserId": "user-secret"},
    }
    _, single = call("PUT", "/devices/d1", given)
    _, batch = call("POST", "/devices/batch", {"devices": [{"Id": "d2", **given}]})
    _, wrong = call("PUT", "/devices/d1", {**given, "Address": TOKEN + "\n", "OptOut": TOKEN})
    logged = log.getvalue()
    assert "batch registered" in logged
    for secret in SECRETS:
        assert secret not in logged
        assert secret not in json.dumps([batch, wrong])
        if code:
            assert secret not in json.dumps(single)


def test_openapi_documents_every_route_with_its_answers_and_problems() -> None:
    document = json.loads(api.app.get_openapi_json_schema(title="Fanfare", version="1"))
    routes = {
        f"{method} {path}": sorted(set(operation["responses"]) - {"422"})
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert routes == {
        "get /devices": ["200", "400"],
        "get /devices/{device_id}": ["200", "404"],
        "put /devices/{device_id}": ["200", "400", "409", "502", "503"],
        "delete /devices/{device_id}": ["204", "404", "409", "502", "503"],
        "post /devices/batch": ["200", "400", "409", "502", "503"],
    }
    put = document["paths"]["/devices/{device_id}"]["put"]
    shown = put["requestBody"]["content"]["application/json"]["schema"]
    assert shown["required"] == ["ChannelType", "Address"]
    assert shown["properties"]["ChannelType"]["enum"] == ["APNS", "APNS_SANDBOX", "GCM", "ADM"]
    problem = put["responses"]["400"]["content"]["application/problem+json"]["schema"]
    assert problem == {"$ref": "#/components/schemas/Problem"}


@pytest.fixture
def deployed(
    devices_table: Any, tokens_table: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The handler with what the stack gives it, on moto."""
    monkeypatch.setattr(api, "_registry", _make_registry)
    monkeypatch.setenv("DEVICES_TABLE", devices_table.name)
    monkeypatch.setenv("TOKENS_TABLE", tokens_table.name)
    monkeypatch.setenv("PLATFORM_PARAMETER_PATH", "/Fanfare/platforms/")
    application = sns_client().create_platform_application(
        Name="Fanfare-platform-GCM", Platform="GCM", Attributes={}
    )
    boto3.client("ssm").put_parameter(
        Name="/Fanfare/platforms/GCM",
        Value=application["PlatformApplicationArn"],
        Type="String",
    )
    api._registry.cache_clear()
    yield
    api._registry.cache_clear()


@pytest.mark.usefixtures("deployed")
def test_the_handler_puts_its_parts_together_from_the_environment() -> None:
    status, device = call("PUT", "/devices/d1", {"ChannelType": "GCM", "Address": TOKEN})
    assert status == 200
    assert call("GET", "/devices/d1") == (200, device)
    assert call("POST", "/devices/batch", {"devices": [body("d2")]}) == (
        200,
        {"results": [{"index": 0, "Id": "d2", "status": "stored"}]},
    )
