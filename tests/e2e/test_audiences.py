"""Counting an audience, and trying a message, before anything is sent."""

import time
from typing import Any

import pytest

from cli.api import Api
from cli.errors import RefusedError
from tests.e2e.test_campaigns import MESSAGE, TAIWAN, create, ready

pytestmark = pytest.mark.usefixtures("devices")


def test_an_audience_is_counted_by_platform_before_there_is_a_campaign(api: Api) -> None:
    found = api.post("audiences", "preview", body={"criteria": TAIWAN})
    assert (found["matched"], found["reachable"], found["complete"]) == (300, 285, True)
    assert found["kept_out"] == {"opted_out": 15, "disabled": 0}
    assert {name: each["matched"] for name, each in found["by_platform"].items()} == {
        "GCM": 75,
        "APNS": 75,
        "APNS_SANDBOX": 75,
        "ADM": 75,
    }
    assert len(found["examples"]) == 10


def test_what_dynamodb_cannot_ask_is_asked_all_the_same(api: Api) -> None:
    criteria: dict[str, Any] = {
        "all": [
            {"field": "Location.Country", "op": "ieq", "value": "tw"},
            {"field": "Attributes.interests", "op": "icontains", "value": "MUS"},
            {"field": "Metrics.visits", "op": "between", "values": [1, 10]},
            {"not": {"field": "Attributes.joined", "op": "before", "value": "2026-01-01"}},
        ]
    }
    assert api.post("audiences", "preview", body={"criteria": criteria})["matched"] == 5
    assert ready(api, criteria)["counts"]["subscribed"] == 5


def test_a_message_is_seen_for_each_platform_before_it_is_sent(api: Api) -> None:
    seen = api.post("campaigns", "preview", body={"message": MESSAGE})
    assert set(seen["platforms"]) == {"GCM", "APNS", "APNS_SANDBOX", "ADM"}
    assert all(each["refused"] is None for each in seen["platforms"].values())
    long = {"title": "t", "body": "音" * 1400}
    refused = api.post("campaigns", "preview", body={"message": long})
    assert refused["platforms"]["APNS"]["bytes"] > 4096
    assert "4,096" in refused["platforms"]["APNS"]["refused"]


def test_a_test_send_reaches_just_the_devices_named(api: Api) -> None:
    campaign_id = create(api, {"field": "Id", "op": "eq", "value": "nobody"})
    body = {"device_ids": ["device-0001", "device-0020", "no-such-device"]}
    answer = api.post("campaigns", campaign_id, "test-send", body=body)
    statuses = {result["Id"]: result["status"] for result in answer["results"]}
    assert statuses == {
        "device-0001": "sent",
        "device-0020": "skipped",
        "no-such-device": "refused",
    }
    time.sleep(0.1)
    assert api.get("campaigns", campaign_id)["publishes"] == []


def test_too_many_devices_for_a_test_are_refused(api: Api) -> None:
    campaign_id = create(api, {"field": "Id", "op": "eq", "value": "nobody"})
    with pytest.raises(RefusedError) as error:
        api.post(
            "campaigns", campaign_id, "test-send", body={"device_ids": [f"d{n}" for n in range(11)]}
        )
    assert error.value.status == 400
