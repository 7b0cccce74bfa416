"""The audience API over HTTP: counts of whom criteria match, and of devices their ids only."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from functions.audience import api
from functions.devices.items import encode
from functions.devices.parsing import parse_device

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

TOKEN = "token-5ecre7"


@pytest.fixture(autouse=True)
def deployed(devices_table: "Table", monkeypatch: pytest.MonkeyPatch) -> Iterator["Table"]:
    monkeypatch.setenv("DEVICES_TABLE", "devices")
    yield devices_table
    api._devices.cache_clear()


def put(table: "Table", device_id: str, *, arn: str | None = "arn", **more: Any) -> None:
    raw = {"ChannelType": "GCM", "Address": TOKEN, **more}
    item = encode(parse_device(raw, path_id=device_id))
    table.put_item(Item=item | ({} if arn is None else {"EndpointArn": arn}))


def ask(body: object, *, seconds: float = 29, raw: str | None = None) -> tuple[int, dict[str, Any]]:
    path = "/audiences/preview"
    event = {
        "version": "2.0",
        "rawPath": path,
        "headers": {"content-type": "application/json"},
        "requestContext": {"http": {"method": "POST", "path": path}, "stage": "$default"},
        "body": json.dumps(body) if raw is None else raw,
        "isBase64Encoded": False,
    }
    context = SimpleNamespace(
        function_name="audiences",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:audiences",
        aws_request_id="r1",
        get_remaining_time_in_millis=lambda: seconds * 1000,
    )
    answer = api.handler(event, context)
    return answer["statusCode"], json.loads(answer["body"])


def test_whom_criteria_match_is_counted_by_platform_and_by_what_keeps_them_out(
    deployed: "Table", caplog: pytest.LogCaptureFixture
) -> None:
    jazz: dict[str, Any] = {"Attributes": {"genre": "Jazz-Manouche"}}
    put(deployed, "d1", **jazz)
    put(deployed, "d2", ChannelType="APNS", **jazz)
    put(deployed, "d3", OptOut="ALL", **jazz)
    put(deployed, "d4", EndpointStatus="INACTIVE", **jazz)
    put(deployed, "d5", arn=None, ChannelType="APNS", **jazz)
    put(deployed, "d6", Attributes={"genre": "rock"})
    criteria = {"field": "Attributes.genre", "op": "icontains", "value": "JAZZ"}

    status, answer = ask({"criteria": criteria})

    assert status == 200
    examples = answer.pop("examples")
    assert sorted(examples[:2]) == ["d1", "d2"]
    assert sorted(examples[2:]) == ["d3", "d4", "d5"]
    assert answer == {
        "matched": 5,
        "reachable": 2,
        "by_platform": {
            "APNS": {"matched": 2, "reachable": 1},
            "GCM": {"matched": 3, "reachable": 1},
        },
        "kept_out": {"opted_out": 1, "disabled": 2},
        "complete": True,
        "devices_scanned": 6,
    }
    logged = " ".join(str(vars(record)) for record in caplog.records)
    assert "'matched': 5" in logged
    for secret in (TOKEN, "Manouche", "JAZZ", "genre", "d1"):
        assert secret not in logged


def test_a_preview_of_nobody_is_empty() -> None:
    assert ask({"criteria": {"field": "Id", "op": "exists"}}) == (
        200,
        {
            "matched": 0,
            "reachable": 0,
            "by_platform": {},
            "kept_out": {"opted_out": 0, "disabled": 0},
            "examples": [],
            "complete": True,
            "devices_scanned": 0,
        },
    )


def test_how_long_ago_something_was_counts_from_now(deployed: "Table") -> None:
    put(deployed, "old", EffectiveDate="2001-01-01")
    put(deployed, "ahead", EffectiveDate="9000-01-01")
    for op, device_id in (("in_last", "ahead"), ("not_in_last", "old")):
        _, answer = ask({"criteria": {"field": "EffectiveDate", "op": op, "value": "P7D"}})
        assert answer["examples"] == [device_id]


def test_a_fraction_in_the_criteria_stays_exact(deployed: "Table") -> None:
    put(deployed, "d1", Metrics={"score": 30.4})
    raw = '{"criteria": {"field": "Metrics.score", "op": "between", "values": [30.4, 30.40]}}'
    assert ask(None, raw=raw)[1]["matched"] == 1


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({}, ["criteria"]),
        ({"criteria": []}, ["criteria"]),
        ({"criteria": {"all": []}}, ["criteria.all"]),
        ({"criteria": {"field": "Id", "op": "exists"}, "limit": 3}, ["limit"]),
        (
            {"criteria": {"any": [{"field": "Address", "op": "eq"}, {"field": "Id", "op": "~"}]}},
            ["criteria.any[0].field", "criteria.any[1].op"],
        ),
    ],
)
def test_wrong_criteria_are_refused_with_each_place(body: object, places: list[str]) -> None:
    status, problem = ask(body)
    assert status == 400
    assert [error["place"] for error in problem["errors"]] == places


def test_a_throttled_table_is_answered_as_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    def throttled(**_: object) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, "Scan")

    monkeypatch.setattr(api._devices().meta.client, "scan", throttled)
    status, problem = ask({"criteria": {"field": "Id", "op": "exists"}})
    assert (status, problem["title"]) == (503, "Unavailable for now")
    assert problem["detail"] == "DynamoDB kept throttling the scan of the devices"


def test_a_function_that_has_little_time_left_answers_what_it_has() -> None:
    status, answer = ask({"criteria": {"field": "Id", "op": "exists"}}, seconds=2)
    assert (status, answer["matched"]) == (200, 0)
    assert answer["complete"] in (False, True)
