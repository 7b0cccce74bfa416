"""Scanning finds every device that matches, over all segments and pages, with why not to send."""

from typing import TYPE_CHECKING, Any

import pytest

from functions.audience.criteria import Criteria, parse
from functions.audience.devices import scan_segment
from functions.audience.records import Candidate
from functions.devices.items import encode
from functions.devices.parsing import parse_device
from tests.unit.audience.generated import cond
from tests.unit.tables import make_devices_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

TAIWAN = parse({"field": "Location.Country", "op": "eq", "value": "TW"})


@pytest.fixture
def devices(aws: None) -> "Table":
    return make_devices_table()


def test_opted_out_and_unreachable_devices_are_found_with_the_reason(devices: "Table") -> None:
    taiwan = {"ChannelType": "GCM", "Location": {"Country": "TW"}}
    items: list[dict[str, Any]] = [
        {"Id": "a", "EndpointArn": "arn-a", "OptOut": "NONE", **taiwan},
        {"Id": "b", "EndpointArn": "arn-b", "OptOut": "ALL", **taiwan},
        {"Id": "c", "EndpointArn": "arn-c", "EndpointStatus": "INACTIVE", **taiwan},
        {"Id": "d", **taiwan},
        {"Id": "e", "ChannelType": "GCM", "Location": {"Country": "JP"}},
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
    put_large(devices)
    for segments_total in (1, 3):
        ids = ids_of(devices, TAIWAN, segments_total=segments_total)
        assert ids == sorted(f"d{number}" for number in range(0, 40, 4))


def test_pages_beyond_the_first_are_decided_in_python_where_dynamodb_cannot(
    devices: "Table",
) -> None:
    put_large(devices)
    folded = parse(
        {
            "all": [
                {"field": "Attributes.big", "op": "icontains", "value": "X" * 99_999},
                {"field": "Location.Country", "op": "iin", "values": ["tw"]},
            ]
        }
    )
    assert ids_of(devices, folded) == sorted(f"d{number}" for number in range(0, 40, 4))


@pytest.mark.parametrize("op", ["eq", "in", "contains", "ieq", "gte", "lte"])
def test_values_of_100_kilobytes_are_found(devices: "Table", op: str) -> None:
    put_large(devices)
    value = "x" * 102_400
    raw = cond("Attributes.big", op, ["no", value] if op == "in" else value)
    assert len(ids_of(devices, parse(raw))) == 40


# Reserved words, what an expression would trip over, and other scripts.
STRANGE = [
    "Status",
    "Name",
    "Size",
    "AND",
    "a.b.c",
    "a#b",
    "#n0",
    ":v0",
    "a b",
    "年齢",
    "🎷",
    "[0]",
]


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("op", ["eq", "ieq"])
def test_names_that_an_expression_would_trip_over_are_searched_like_others(
    devices: "Table", name: str, op: str
) -> None:
    for family in ("Attributes", "UserAttributes"):
        named = {name: ["yes"], "other": ["yes"]}
        put(devices, "in", Attributes=named, User={"UserAttributes": named})
        put(devices, "out", Attributes={"other": ["yes"]})
        field = f"User.{family}.{name}" if family == "UserAttributes" else f"{family}.{name}"
        assert ids_of(devices, parse({"field": field, "op": op, "value": "yes"})) == ["in"]


def test_a_field_that_is_read_anyway_is_not_read_twice_when_python_decides(
    devices: "Table",
) -> None:
    put(devices, "d1", OptOut="ALL")
    raw = {
        "all": [
            {"field": "Id", "op": "ieq", "value": "D1"},
            {"field": "OptOut", "op": "eq", "value": "ALL"},
            {"field": "EndpointStatus", "op": "exists"},
            {"field": "ChannelType", "op": "eq", "value": "GCM"},
        ]
    }
    assert ids_of(devices, parse(raw)) == ["d1"]


def put(devices: "Table", device_id: str, **more: Any) -> None:
    """Stores a device as the API does."""
    raw = {"ChannelType": "GCM", "Address": "t", **more}
    devices.put_item(Item=encode(parse_device(raw, path_id=device_id)))


def put_large(devices: "Table") -> None:
    """40 devices of 200 KB, some eight pages of 1 MB; every fourth is in Taiwan."""
    for number in range(40):
        country = "TW" if number % 4 == 0 else "JP"
        big = {"big": "x" * 102_400}
        put(devices, f"d{number}", Location={"Country": country}, Attributes=big)


def ids_of(devices: "Table", criteria: Criteria, *, segments_total: int = 1) -> list[str]:
    return sorted(
        candidate.device_id
        for segment in range(segments_total)
        for candidate in scan_segment(
            devices, criteria, segment=segment, segments_total=segments_total
        )
    )
