"""The deployed HTTP API at its edges: who may call it, and how it refuses."""

import json
from typing import Any

import pytest
import requests

from cli.api import Api
from cli.errors import RefusedError
from cli.target import Target


def test_an_unsigned_request_is_forbidden(deployed: Target) -> None:
    answer = requests.get(f"{deployed.api_url}/campaigns", timeout=30)
    assert answer.status_code == 403


def test_the_hello_endpoint_is_open_and_says_ok(deployed: Target) -> None:
    assert deployed.hello_url is not None
    answer = requests.get(deployed.hello_url, timeout=30)
    assert (answer.status_code, answer.text) == (200, "ok")
    assert answer.headers["content-type"].startswith("text/plain")


def test_a_device_is_put_got_and_deleted(api: Api) -> None:
    device = {
        "ChannelType": "GCM",
        "Address": "token-of-春子",
        "Attributes": {"interests": ["🎷", "jazz"]},
        "Metrics": {"score": 30.5},
        "User": {"UserId": "春子"},
    }
    stored = api.put("devices", "e2e 春子", body=device)
    assert stored["EndpointArn"]
    again = api.put("devices", "e2e 春子", body=device)
    assert again["EndpointArn"] == stored["EndpointArn"]
    assert api.get("devices", "e2e 春子") == again
    api.delete("devices", "e2e 春子")
    with pytest.raises(RefusedError) as error:
        api.get("devices", "e2e 春子")
    assert error.value.status == 404


def test_one_bad_device_of_a_batch_is_named_and_the_others_are_stored(api: Api) -> None:
    def device(name: str, channel: str = "GCM") -> dict[str, Any]:
        return {"Id": name, "ChannelType": channel, "Address": f"token-{name}"}

    batch = [device("e2e-a"), device("e2e-b", "PIGEON"), device("e2e-c")]
    answer = api.post("devices", "batch", body={"devices": batch})
    statuses = [result["status"] for result in answer["results"]]
    assert statuses == ["stored", "rejected", "stored"]
    (wrong,) = answer["results"][1]["errors"]
    assert wrong["place"].endswith("ChannelType")
    assert api.get("devices", "e2e-c")["Address"] == "token-e2e-c"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"name": "x"}, "criteria"),
        (
            {
                "name": "x",
                "criteria": {"any": [{"field": "Location.Country", "op": "near", "value": "TW"}]},
                "message": {"title": "t", "body": "b"},
            },
            "criteria.any[0].op",
        ),
        (
            {
                "name": "x",
                "criteria": {"field": "Location.Country", "op": "eq", "value": "TW"},
                "message": {"title": "t", "body": "音" * 1400},
            },
            "message",
        ),
    ],
)
def test_a_bad_campaign_is_refused_at_its_place(api: Api, body: dict[str, Any], place: str) -> None:
    with pytest.raises(RefusedError) as error:
        api.post("campaigns", body=body)
    assert error.value.status == 400
    assert any(wrong.place.startswith(place) for wrong in error.value.wrong)


def test_no_token_or_attribute_stands_in_any_log(deployed: Target, api: Api) -> None:
    secret = "zq-secret-9913"
    device = {
        "Id": "e2e-secret",
        "ChannelType": "GCM",
        "Address": f"token-{secret}",
        "Attributes": {"plan": [secret]},
    }
    api.post("devices", "batch", body={"devices": [device, {**device, "Metrics": {"x": "y"}}]})
    logs = deployed.cloud.client("logs")
    groups = [
        group["logGroupName"]
        for page in logs.get_paginator("describe_log_groups").paginate()
        for group in page["logGroups"]
    ]
    assert groups
    lines = [
        event["message"]
        for group in groups
        for event in logs.filter_log_events(logGroupName=group)["events"]
    ]
    assert lines
    assert secret not in json.dumps(lines)
