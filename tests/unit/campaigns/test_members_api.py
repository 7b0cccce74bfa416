"""The members of a list over HTTP, and the refresh of a campaign."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.audience.criteria import parse
from functions.audience.lists import ListStore
from functions.audience.records import Member, MemberStatus
from functions.campaigns import api, members_api
from functions.campaigns.history import Action
from functions.campaigns.message import Message
from functions.campaigns.records import Campaign
from functions.campaigns.refresh_store import RefreshStore
from functions.campaigns.states import State
from tests.unit.campaigns.conftest import CRITERIA, NOON
from tests.unit.tables import make_campaigns_table, make_idempotency_table, make_lists_table

CAMPAIGN = "0123456789abcdef0123456789abcdef"
TOPIC = f"arn:aws:sns:us-east-1:123456789012:fanfare-campaign-{CAMPAIGN}"


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[RefreshStore]:
    """A READY campaign with one member."""
    with mock_aws():
        found = RefreshStore(make_campaigns_table(), clock=lambda: NOON)
        lists = ListStore(make_lists_table())
        make_idempotency_table()
        boto3.client("scheduler").create_schedule_group(Name="campaigns")
        found.create(
            Campaign(
                campaign_id=CAMPAIGN,
                name="Jazz night",
                state=State.BUILDING,
                criteria=parse(CRITERIA),
                message=Message(title="Jazz", body="Tonight at eight."),
                created_at=NOON,
                times={State.BUILDING: NOON},
            )
        )
        found.attach(CAMPAIGN, topic_arn=TOPIC, execution_arn="x1")
        found.change_state(CAMPAIGN, State.READY)
        lists.write_members(
            [
                Member(
                    campaign_id=CAMPAIGN,
                    device_id="d1",
                    status=MemberStatus.SUBSCRIBED,
                    endpoint_arn="e1",
                    subscription_arn=f"{TOPIC}:1",
                )
            ]
        )
        for name, value in {
            "CAMPAIGNS_TABLE": "campaigns",
            "LISTS_TABLE": "lists",
            "IDEMPOTENCY_TABLE": "idempotency",
            "SCHEDULE_GROUP": "campaigns",
            "SCHEDULE_ROLE_ARN": "arn:aws:iam::123456789012:role/due",
            "DUE_FUNCTION_ARN": "arn:aws:lambda:us-east-1:123456789012:function:due",
            "GATE_DAYS": "90",
            "AWS_LAMBDA_FUNCTION_NAME": "campaigns",
        }.items():
            monkeypatch.setenv(name, value)
        yield found
        members_api._members.cache_clear()
        api._campaigns.cache_clear()
        api._once.cache_clear()


def call(
    handler: Any,
    method: str,
    step: str,
    body: object = None,
    *,
    query: dict[str, str] | None = None,
    key: str | None = None,
) -> tuple[int, dict[str, Any]]:
    path = f"/campaigns/{CAMPAIGN}/{step}"
    event = {
        "version": "2.0",
        "rawPath": path,
        "headers": {"content-type": "application/json"}
        | ({} if key is None else {"idempotency-key": key}),
        "requestContext": {"http": {"method": method, "path": path}, "stage": "$default"},
        "queryStringParameters": query or {},
        "pathParameters": {"id": CAMPAIGN},
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }
    context = SimpleNamespace(
        function_name="members",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:members",
        aws_request_id="r1",
        get_remaining_time_in_millis=lambda: 29_000,
    )
    answer = handler(event, context)
    return answer["statusCode"], json.loads(answer["body"])


def test_members_are_paged() -> None:
    assert call(members_api.handler, "GET", "members", query={"limit": "10"}) == (
        200,
        {
            "members": [
                {
                    "Id": "d1",
                    "status": "SUBSCRIBED",
                    "reason": None,
                    "endpoint_arn": "e1",
                    "subscription_arn": f"{TOPIC}:1",
                }
            ],
            "next": None,
        },
    )


@pytest.mark.parametrize("limit", ["0", "1001", "x"])
def test_a_page_has_a_size(limit: str) -> None:
    status, problem = call(members_api.handler, "GET", "members", query={"limit": limit})
    assert (status, problem["errors"][0]["place"]) == (400, "query.limit")


def test_what_was_noted_is_told() -> None:
    body = {
        "missing": [{"Id": "d1", "subscription_arn": f"{TOPIC}:1"}],
        "extra": [f"{TOPIC}:2"],
        "probe": True,
    }
    assert call(members_api.handler, "POST", "repair", body) == (
        200,
        {"missing": 1, "extra": 1, "probe": True},
    )


@pytest.mark.parametrize(
    "body",
    [
        {"extra": ["no ARN"]},
        {"extra": [f"{TOPIC}:{'x' * 1000}"]},
        {"missing": [{"Id": "", "subscription_arn": f"{TOPIC}:1"}]},
        {"missing": [{"Id": "d1"}]},
        {"probe": "yes"},
        {"extra": [f"{TOPIC}:1"] * 1001},
        {"unknown": []},
    ],
)
def test_a_repair_that_says_something_else_is_refused(body: object, store: RefreshStore) -> None:
    status, _ = call(members_api.handler, "POST", "repair", body)
    assert status == 400
    assert not store.get(CAMPAIGN).probe_lost


def test_a_refresh_is_accepted_once_and_is_in_the_history(store: RefreshStore) -> None:
    status, view = call(api.handler, "POST", "refresh")
    assert (status, view["state"], view["generation"]) == (202, "REFRESHING", 2)
    status, problem = call(api.handler, "POST", "refresh")
    assert status == 409
    assert problem["detail"].startswith("The campaign is REFRESHING: ")
    entries, _ = store.history(CAMPAIGN, limit=10, after=None)
    refreshes = [each for each in entries if each.action is Action.REFRESH]
    assert [each.outcome for each in refreshes] == ["REFRESHING"]


def test_a_key_asks_for_one_refresh_however_often_it_comes(store: RefreshStore) -> None:
    for _ in range(2):
        status, view = call(api.handler, "POST", "refresh", key="k1")
        assert (status, view["state"], view["generation"]) == (202, "REFRESHING", 2)
    status, _ = call(api.handler, "POST", "refresh", key="k2")
    assert status == 409
    assert store.get(CAMPAIGN).generation == 2
