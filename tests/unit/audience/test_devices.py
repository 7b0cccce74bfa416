"""Scanning finds every device that matches, over all segments and pages, with why not to send."""

from typing import TYPE_CHECKING, Any

import pytest

from functions.audience.criteria import parse
from functions.audience.devices import scan_segment
from functions.audience.records import Candidate
from tests.unit.tables import make_devices_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

TAIWAN = parse({"field": "Location.Country", "op": "eq", "value": "TW"})


@pytest.fixture
def devices(aws: None) -> "Table":
    return make_devices_table()


def test_opted_out_and_unreachable_devices_are_found_with_the_reason(devices: "Table") -> None:
    taiwan = {"Location": {"Country": "TW"}}
    items: list[dict[str, Any]] = [
        {"Id": "a", "EndpointArn": "arn-a", "OptOut": "NONE", **taiwan},
        {"Id": "b", "EndpointArn": "arn-b", "OptOut": "ALL", **taiwan},
        {"Id": "c", "EndpointArn": "arn-c", "EndpointStatus": "INACTIVE", **taiwan},
        {"Id": "d", **taiwan},
        {"Id": "e", "EndpointArn": "arn-e", "Location": {"Country": "JP"}},
    ]
    for item in items:
        devices.put_item(Item=item)
    found = sorted(
        scan_segment(devices, TAIWAN, segment=0, segments_total=1), key=lambda each: each.device_id
    )
    assert found == [
        Candidate(device_id="a", endpoint_arn="arn-a"),
        Candidate(device_id="b", endpoint_arn="arn-b", skip_reason="opted_out"),
        Candidate(device_id="c", endpoint_arn="arn-c", skip_reason="disabled"),
        Candidate(device_id="d", endpoint_arn=None, skip_reason="disabled"),
    ]


def test_segments_together_hold_each_match_once_beyond_the_first_page(devices: "Table") -> None:
    # 40 devices of 100 KB: some four pages of 1 MB.
    for number in range(40):
        country = "TW" if number % 4 == 0 else "JP"
        devices.put_item(
            Item={
                "Id": f"d{number}",
                "EndpointArn": f"arn-{number}",
                "Location": {"Country": country},
                "Attributes": {"big": {"all": "x" * 100_000, "max": "x"}},
            }
        )
    for segments_total in (1, 3):
        ids = [
            candidate.device_id
            for segment in range(segments_total)
            for candidate in scan_segment(
                devices, TAIWAN, segment=segment, segments_total=segments_total
            )
        ]
        assert sorted(ids) == sorted(f"d{number}" for number in range(0, 40, 4))
