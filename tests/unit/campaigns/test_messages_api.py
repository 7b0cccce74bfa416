"""Previews and test sends over HTTP."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.audience.criteria import parse
from functions.campaigns import messages_api
from functions.campaigns.message import Message
from functions.campaigns.records import Campaign
from functions.campaigns.states import State
from functions.campaigns.store import CampaignStore
from tests.unit.campaigns.conftest import CRITERIA, NOON
from tests.unit.tables import make_campaigns_table, make_devices_table, make_idempotency_table

CAMPAIGN = "0123456789abcdef0123456789abcdef"
TOKEN = "a-token-nobody-may-see"


@pytest.fixture
def _deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with mock_aws():
        table = make_campaigns_table()
        make_devices_table()
        CampaignStore(table, clock=lambda: NOON).create(
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
        monkeypatch.setenv("CAMPAIGNS_TABLE", "campaigns")
        monkeypatch.setenv("DEVICES_TABLE", "devices")
        make_idempotency_table()
        monkeypatch.setenv("IDEMPOTENCY_TABLE", "idempotency")
        monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "messages")
        yield
        messages_api._once.cache_clear()
        messages_api._trial.cache_clear()


def call(path: str, body: object, *, key: str | None = None) -> tuple[int, dict[str, Any]]:
    event = {
        "version": "2.0",
        "rawPath": path,
        "headers": {"content-type": "application/json"}
        | ({} if key is None else {"idempotency-key": key}),
        "requestContext": {"http": {"method": "POST", "path": path}, "stage": "$default"},
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }
    context = SimpleNamespace(
        function_name="messages",
        memory_limit_in_mb=512,
        invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:messages",
        aws_request_id="r1",
        get_remaining_time_in_millis=lambda: 29_000,
    )
    answer = messages_api.handler(event, context)
    return answer["statusCode"], json.loads(answer["body"])


def preview(**message: Any) -> tuple[int, dict[str, Any]]:
    return call("/campaigns/preview", {"message": message})


def register(device_id: str, *, enabled: bool = True) -> str:
    """A device with an endpoint in SNS; the endpoint's ARN."""
    sns = boto3.client("sns")
    application = sns.create_platform_application(Name="gcm", Platform="GCM", Attributes={})
    endpoint = sns.create_platform_endpoint(
        PlatformApplicationArn=application["PlatformApplicationArn"], Token=TOKEN + device_id
    )["EndpointArn"]
    if not enabled:
        sns.set_endpoint_attributes(EndpointArn=endpoint, Attributes={"Enabled": "false"})
    boto3.resource("dynamodb").Table("devices").put_item(
        Item={
            "Id": device_id,
            "ChannelType": "GCM",
            "Address": TOKEN + device_id,
            "OptOut": "NONE",
            "EndpointStatus": "ACTIVE",
            "EndpointArn": endpoint,
        }
    )
    return endpoint


def test_a_preview_shows_what_sns_would_be_handed_and_needs_no_aws() -> None:
    status, shown = preview(title="Jazz", body="台北", time_to_live={"GCM": 0})
    assert status == 200
    apns = '{"aps":{"alert":{"title":"Jazz","body":"台北"}}}'
    assert shown == {
        "platforms": {
            "APNS": {"payload": apns, "bytes": 50, "limit": 4096, "refused": None},
            "APNS_SANDBOX": {"payload": apns, "bytes": 50, "limit": 4096, "refused": None},
            "GCM": {
                "payload": '{"fcmV1Message":{"message":'
                '{"notification":{"title":"Jazz","body":"台北"}}}}',
                "bytes": 78,
                "limit": 4096,
                "refused": None,
            },
            "ADM": {
                "payload": '{"data":{"title":"Jazz","body":"台北"}}',
                "bytes": 41,
                "limit": 4096,
                "refused": None,
            },
        },
        "attributes": {
            "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "alert",
            "AWS.SNS.MOBILE.FCM.TTL": "0",
        },
        "refused": [],
    }


def test_a_silent_preview_is_for_the_background() -> None:
    status, shown = preview(silent=True, data={"sync": "1"})
    assert status == 200
    assert shown["platforms"]["APNS"]["payload"] == '{"aps":{"content-available":1},"sync":"1"}'
    assert shown["attributes"] == {
        "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "background",
        "AWS.SNS.MOBILE.APNS.PRIORITY": "5",
    }


def test_what_is_too_long_for_a_platform_is_shown_and_refused() -> None:
    # {"aps":{"alert":{"title":"","body":""}}} and 1,352 characters of three bytes.
    status, shown = preview(body="台" * 1352)
    assert status == 200
    refused = {name: each["refused"] for name, each in shown["platforms"].items()}
    too_long = "has 4,113 bytes as UTF-8; the limit is 4,096"
    assert refused == {"APNS": None, "APNS_SANDBOX": None, "GCM": too_long, "ADM": None}
    assert shown["platforms"]["GCM"]["bytes"] == 4113
    assert shown["refused"] == [{"place": "message on GCM", "reason": too_long}]


@pytest.mark.parametrize(
    ("message", "errors"),
    [
        (
            {"title": 7, "sound": "x"},
            [
                ("message.title", "Input should be a valid string"),
                ("message.sound", "Extra inputs are not permitted"),
            ],
        ),
        (
            {"silent": True, "title": "Jazz", "time_to_live": {"ADM": 0}},
            [
                ("message.title", "must be left out of a silent message"),
                ("message.data", "must not be empty in a silent message"),
                ("message.time_to_live.ADM", "must be 60 to 2,678,400 seconds"),
            ],
        ),
        ({}, [("message", "title and body must not both be empty")]),
    ],
)
def test_what_is_no_message_is_a_400_with_each_place(
    message: dict[str, Any], errors: list[tuple[str, str]]
) -> None:
    status, problem = preview(**message)
    assert status == 400
    assert [(error["place"], error["reason"]) for error in problem["errors"]] == errors


def test_a_message_that_no_answer_could_hold_is_a_400() -> None:
    status, problem = preview(title="Jazz", data={"k": "x" * 300_000})
    assert status == 400
    assert [error["place"] for error in problem["errors"]] == ["message as given"]


@pytest.mark.usefixtures("_deployed")
def test_a_test_send_tells_what_became_of_each_device() -> None:
    register("d1")
    register("d2", enabled=False)

    status, answer = call(f"/campaigns/{CAMPAIGN}/test-send", {"device_ids": ["d1", "d2", "d3"]})

    assert status == 200
    [sent, skipped, refused] = answer["results"]
    assert sent["message_id"]
    assert sent == {"Id": "d1", "status": "sent", "message_id": sent["message_id"], "reason": None}
    assert skipped == {
        "Id": "d2",
        "status": "skipped",
        "message_id": None,
        "reason": "SNS has disabled this endpoint",
    }
    assert refused == {
        "Id": "d3",
        "status": "refused",
        "message_id": None,
        "reason": "no such device",
    }


@pytest.mark.usefixtures("_deployed")
def test_no_token_and_no_endpoint_gets_out(caplog: pytest.LogCaptureFixture) -> None:
    endpoint = register("d1")

    _, answer = call(f"/campaigns/{CAMPAIGN}/test-send", {"device_ids": ["d1"]})

    seen = json.dumps(answer) + "".join(
        str(vars(record)) for record in caplog.records if record.name == "test"
    )
    assert TOKEN not in seen
    assert endpoint not in seen


@pytest.mark.usefixtures("_deployed")
@pytest.mark.parametrize("campaign", ["preview", "nope", "0" * 32])
def test_a_test_send_of_no_campaign_is_a_404(campaign: str) -> None:
    status, problem = call(f"/campaigns/{campaign}/test-send", {"device_ids": ["d1"]})
    assert (status, problem["title"]) == (404, "Not found")


@pytest.mark.parametrize(
    ("device_ids", "place"),
    [
        ([], "device_ids"),
        ([f"d{number}" for number in range(11)], "device_ids"),
        (["d1", "d2", "d1"], "device_ids"),
        ("d1", "device_ids"),
        ([1], "device_ids[0]"),
        (["d1", ""], "device_ids[1]"),
        (["x" * 257], "device_ids[0]"),
        (["\ud83c"], "device_ids[0]"),
        (["a\u0000"], "device_ids[0]"),
    ],
)
def test_one_to_ten_ids_are_taken_and_none_of_them_twice(device_ids: object, place: str) -> None:
    status, problem = call(f"/campaigns/{CAMPAIGN}/test-send", {"device_ids": device_ids})
    assert status == 400
    assert [error["place"] for error in problem["errors"]] == [place]


@pytest.mark.usefixtures("_deployed")
def test_a_test_send_under_a_key_is_sent_once_and_answered_again() -> None:
    register("d1")
    path = f"/campaigns/{CAMPAIGN}/test-send"
    first = call(path, {"device_ids": ["d1"]}, key="k1")
    assert first[0] == 200
    assert first[1]["results"][0]["message_id"] is not None
    assert call(path, {"device_ids": ["d1"]}, key="k1") == first
    status, problem = call(path, {"device_ids": ["d2"]}, key="k1")
    assert (status, problem["type"]) == (422, "urn:fanfare:problem:idempotency-key-reused")
    assert call(path, {"device_ids": ["d1"]}, key="k2")[1] != first[1]


@pytest.mark.usefixtures("_deployed")
def test_a_key_whose_test_send_died_sends_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    register("d1")
    path = f"/campaigns/{CAMPAIGN}/test-send"

    class Died(BaseException):
        """No exception that anything catches: the function is gone."""

    def die(*_: object, **__: object) -> None:
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(CampaignStore, "end_trial", die)
        with pytest.raises(Died):
            call(path, {"device_ids": ["d1"]}, key="k1")
    # Powertools keeps a request of a function that died until its time would have been over.
    table = boto3.resource("dynamodb").Table("idempotency")
    for item in table.scan()["Items"]:
        table.delete_item(Key={"id": item["id"]})
    status, answer = call(path, {"device_ids": ["d1"]}, key="k1")
    assert (status, answer["results"][0]["status"]) == (200, "unknown")
    for item in table.scan()["Items"]:
        table.delete_item(Key={"id": item["id"]})
    assert call(path, {"device_ids": ["d2"]}, key="k1")[0] == 422
