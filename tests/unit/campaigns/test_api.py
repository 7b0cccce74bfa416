"""The campaign API over HTTP: statuses, problem+json, idempotency."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.campaigns import api
from tests.unit.campaigns.conftest import CRITERIA
from tests.unit.tables import make_campaigns_table, make_idempotency_table, make_lists_table

BODY = {
    "name": "Jazz night",
    "criteria": CRITERIA,
    "message": {"title": "Jazz", "body": "Tonight at eight."},
}


@pytest.fixture(autouse=True)
def _deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with mock_aws():
        make_campaigns_table()
        make_lists_table()
        make_idempotency_table()
        queue = boto3.client("sqs").create_queue(QueueName="clean-up")
        boto3.client("scheduler").create_schedule_group(Name="campaigns")
        for name, value in {
            "CAMPAIGNS_TABLE": "campaigns",
            "LISTS_TABLE": "lists",
            "IDEMPOTENCY_TABLE": "idempotency",
            "CLEAN_UP_QUEUE_URL": queue["QueueUrl"],
            "SCHEDULE_GROUP": "campaigns",
            "SCHEDULE_ROLE_ARN": "arn:aws:iam::123456789012:role/due",
            "DUE_FUNCTION_ARN": "arn:aws:lambda:us-east-1:123456789012:function:due",
            "GATE_DAYS": "90",
            "AWS_LAMBDA_FUNCTION_NAME": "campaigns",
        }.items():
            monkeypatch.setenv(name, value)
        yield
        api._campaigns.cache_clear()
        api._once.cache_clear()


def call(
    method: str,
    path: str,
    body: object = None,
    *,
    raw: str | None = None,
    headers: dict[str, str] | None = None,
    query: dict[str, str] | None = None,
) -> tuple[int, dict[str, Any]]:
    event = {
        "version": "2.0",
        "rawPath": path,
        "headers": {"content-type": "application/json", **(headers or {})},
        "queryStringParameters": query,
        "requestContext": {"http": {"method": method, "path": path}, "stage": "$default"},
        "body": raw if raw is not None else json.dumps(body) if body is not None else None,
        "isBase64Encoded": False,
    }
    context = SimpleNamespace(
        function_name="campaigns",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:campaigns",
        aws_request_id="r1",
        get_remaining_time_in_millis=lambda: 30_000,
    )
    answer = api.handler(event, context)
    return answer["statusCode"], json.loads(answer["body"])


def test_a_campaign_is_created_and_can_be_looked_at() -> None:
    status, created = call("POST", "/campaigns", BODY)
    assert status == 201
    assert (created["state"], created["name"]) == ("BUILDING", "Jazz night")
    assert call("GET", f"/campaigns/{created['id']}") == (200, created)
    status, page = call("GET", "/campaigns", query={"limit": "5"})
    shown_alone = {"criteria", "message", "publishes"}
    summary = {name: value for name, value in created.items() if name not in shown_alone}
    assert (status, page) == (200, {"campaigns": [summary], "next": None})


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("{", "not JSON, at character 1"),
        ('{"name": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_broken_json_is_a_400_with_the_reason(raw: str, reason: str) -> None:
    status, problem = call("POST", "/campaigns", raw=raw)
    assert status == 400
    assert problem["type"] == "urn:fanfare:problem:invalid-input"
    assert problem["errors"] == [{"place": "body", "reason": reason}]


def test_a_bad_body_names_every_wrong_place() -> None:
    body = {"name": "", "message": {"title": 7}, "colour": "red"}
    status, problem = call("POST", "/campaigns", body)
    assert status == 400
    assert {error["place"] for error in problem["errors"]} == {
        "name",
        "criteria",
        "message.title",
        "colour",
    }


def test_bad_criteria_point_at_the_place() -> None:
    criteria = {"all": [{"field": "Location.Country", "op": "like", "value": "T%"}]}
    status, problem = call("POST", "/campaigns", BODY | {"criteria": criteria})
    assert status == 400
    assert [error["place"] for error in problem["errors"]] == ["criteria.all[0].op"]


@pytest.mark.parametrize("limit", ["0", "101", "many"])
def test_a_page_has_between_1_and_100_campaigns(limit: str) -> None:
    status, problem = call("GET", "/campaigns", query={"limit": limit})
    assert status == 400
    assert [error["place"] for error in problem["errors"]] == ["query.limit"]


def test_publishing_while_building_is_a_409_that_names_the_state() -> None:
    _, created = call("POST", "/campaigns", BODY)
    status, problem = call("POST", f"/campaigns/{created['id']}/publish")
    assert status == 409
    assert problem["detail"] == (
        "The campaign is BUILDING: its list is still being built; "
        f"publish when it is READY: fanfare campaign watch {created['id']}"
    )


def test_cancel_and_delete_answer_the_campaign() -> None:
    _, created = call("POST", "/campaigns", BODY)
    status, cancelled = call("POST", f"/campaigns/{created['id']}/cancel")
    assert (status, cancelled["state"]) == (200, "CANCELLED")
    status, _ = call("DELETE", f"/campaigns/{created['id']}")
    assert status == 202
    status, problem = call("GET", f"/campaigns/{created['id']}")
    assert (status, problem["title"]) == (404, "Not found")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/nowhere"), ("PATCH", "/campaigns"), ("GET", "/campaigns/nope")]
)
def test_what_is_not_there_is_a_404(method: str, path: str) -> None:
    status, problem = call(method, path)
    assert (status, problem["type"]) == (404, "urn:fanfare:problem:not-found")


def test_the_same_key_and_body_get_the_same_answer() -> None:
    headers = {"idempotency-key": "k1"}
    first = call("POST", "/campaigns", BODY, headers=headers)
    assert call("POST", "/campaigns", BODY, headers=headers) == first
    assert len(call("GET", "/campaigns")[1]["campaigns"]) == 1


def test_the_same_key_with_another_body_is_a_422() -> None:
    headers = {"idempotency-key": "k1"}
    call("POST", "/campaigns", BODY, headers=headers)
    status, problem = call("POST", "/campaigns", BODY | {"name": "Rock"}, headers=headers)
    assert (status, problem["type"]) == (422, "urn:fanfare:problem:idempotency-key-reused")


def test_a_fraction_in_the_criteria_stays_a_number_with_a_key_and_without() -> None:
    criteria = {"field": "Metrics.score", "op": "gte", "value": 30.5}
    for headers in ({}, {"idempotency-key": "k1"}, {"idempotency-key": "k1"}):
        status, created = call("POST", "/campaigns", BODY | {"criteria": criteria}, headers=headers)
        assert (status, created["criteria"]) == (201, criteria)


def test_a_silent_message_is_kept_and_answered_with_a_key_and_without() -> None:
    message = {
        "title": "",
        "body": "",
        "data": {"sync": "1"},
        "overrides": {"ADM": {"title": None, "body": None, "data": {"sync": "2"}}},
        "silent": True,
        "time_to_live": {"GCM": 0, "ADM": 60},
    }
    for headers in ({}, {"idempotency-key": "k1"}, {"idempotency-key": "k1"}):
        status, created = call("POST", "/campaigns", BODY | {"message": message}, headers=headers)
        assert (status, created["message"]) == (201, message)


def test_a_refused_body_does_not_use_up_its_key() -> None:
    headers = {"idempotency-key": "k1"}
    bad = BODY | {"criteria": {"field": "Shoe.Size", "op": "eq", "value": "9"}}
    assert call("POST", "/campaigns", bad, headers=headers)[0] == 400
    assert call("POST", "/campaigns", BODY, headers=headers)[0] == 201


def test_an_internal_failure_shows_nothing_of_the_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    def explode() -> None:
        raise RuntimeError("the secret plan")

    monkeypatch.setattr(api, "_campaigns", explode)
    status, problem = call("GET", "/campaigns/x")
    monkeypatch.undo()
    assert (status, problem["title"]) == (500, "Internal error")
    assert "secret" not in json.dumps(problem)


def test_a_campaign_of_fifty_levels_and_of_emoji_is_taken() -> None:
    criteria: dict[str, Any] = {"field": "Attributes.兴趣", "op": "eq", "value": "🎷爵士"}
    for level in range(50):
        criteria = {"not": criteria} if level % 2 else {"any": [criteria, CRITERIA]}
    body = BODY | {"criteria": criteria, "message": {"title": "🎷", "body": "今晚八點"}}
    status, created = call("POST", "/campaigns", body)
    assert status == 201
    assert created["criteria"] == criteria
