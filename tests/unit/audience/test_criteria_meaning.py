"""What criteria mean, told by hand as docs/criteria.md has it; both evaluators agree."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from functions.audience.criteria import parse
from functions.audience.devices import scan_segment
from functions.audience.evaluate import matches
from functions.audience.relative import resolve
from functions.devices.items import encode
from functions.devices.parsing import parse_device
from tests.unit.audience.generated import cond
from tests.unit.tables import make_devices_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

NOW = datetime(2026, 12, 8, 12, tzinfo=UTC)
ITEM = encode(
    parse_device(
        {
            "Id": "d1",
            "ChannelType": "GCM",
            "Address": "t",
            "EffectiveDate": "2026-12-05T23:59:59.999Z",
            "Attributes": {
                "tags": ["b", "d"],
                "one": ["b"],
                "digits": ["5", "00123"],
                "street": ["Straße", "ΟΔΟΣ", "İstanbul", "台北"],
                "visits": ["2026-12-01", "2026-12-05", "2026-12-09"],
                "apart": ["2026-12-01", "2026-12-09"],
                "taipei": ["2026-12-05T07:00+08:00"],
                "bare": ["2026-12-05 00:00"],
                "mixed": ["never", "2026-12-05T12:00Z"],
                "never": ["never"],
            },
            "Metrics": {"m": 2, "score": 30.4},
            "Location": {"City": "Taipei"},
        }
    )
)


@pytest.fixture(scope="module")
def table() -> Iterator["Table"]:
    with mock_aws():
        devices = make_devices_table()
        devices.put_item(Item=ITEM)
        yield devices


def check(table: "Table", raw: dict[str, Any], expected: bool, item: dict[str, Any] = ITEM) -> None:
    """Both evaluators give this answer for the item, and the other one for the opposite."""
    for asked, answer in ((raw, expected), ({"not": raw}, not expected)):
        criteria = resolve(parse(asked), now=NOW)
        assert matches(criteria, item) is answer
        found = scan_segment(table, criteria, segment=0, segments_total=1)
        assert (item["Id"] in [each.device_id for each in found]) is answer


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (cond("Location.City", "eq", "Taipei"), True),
        (cond("Location.City", "eq", "taipei"), False),
        (cond("Location.City", "contains", "aip"), True),
        (cond("Location.City", "contains", "AIP"), False),
        (cond("Location.City", "ne", "Tokyo"), True),
        (cond("Location.City", "in", ["Tokyo", "Taipei"]), True),
        (cond("Location.City", "gt", "T"), True),
        (cond("Location.City", "lte", "Taipei"), True),
        (cond("Metrics.m", "gte", 2), True),
        (cond("Metrics.m", "gt", 2), False),
        (cond("Metrics.m", "in", [1, 2]), True),
        (cond("Metrics.score", "eq", 30.4), True),
        (cond("Metrics.score", "between", [30.4, 31]), True),
        (cond("Metrics.score", "between", [30, 30.4]), True),
        (cond("Metrics.score", "between", [30.41, 31]), False),
        (cond("Metrics.m", "between", [2, 2]), True),
        (cond("OptOut", "eq", "NONE"), True),
        (cond("EndpointStatus", "ne", "ACTIVE"), False),
    ],
)
def test_one_value_is_compared_exactly(table: "Table", raw: dict[str, Any], expected: bool) -> None:
    check(table, raw, expected)


@pytest.mark.parametrize(
    "raw",
    [
        *(cond("Attributes.none", op, "b") for op in ("eq", "ne", "gt", "gte", "lt", "lte")),
        *(cond("Demographic.Make", op, "b") for op in ("eq", "ne", "contains", "ieq", "icontains")),
        *(cond("Metrics.none", op, 2) for op in ("eq", "ne", "gt", "gte", "lt", "lte")),
        cond("Metrics.none", "between", [0, 9]),
        cond("User.UserId", "iin", ["a", "b"]),
        cond("User.UserAttributes.none", "contains", "b"),
        cond("Attributes.none", "in", ["b"]),
        cond("Attributes.none", "on", "2026-12-05"),
        cond("Attributes.none", "between", ["2026-12-01", "2026-12-31"]),
        cond("Attributes.none", "in_last", "P7D"),
        cond("Attributes.none", "not_in_last", "P7D"),
        cond("Attributes.none", "exists", True),
        cond("Location.Latitude", "exists", True),
        cond("Location.City", "exists", False),
    ],
)
def test_a_condition_on_an_absent_field_is_false_and_its_not_true(
    table: "Table", raw: dict[str, Any]
) -> None:
    check(table, raw, False)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (cond("Attributes.tags", "eq", "b"), True),
        (cond("Attributes.tags", "eq", "c"), False),
        (cond("Attributes.tags", "in", ["x", "d"]), True),
        (cond("Attributes.tags", "ne", "b"), True),
        (cond("Attributes.one", "ne", "b"), False),
        (cond("Attributes.tags", "lt", "b"), False),
        (cond("Attributes.tags", "lt", "ba"), True),
        (cond("Attributes.tags", "lte", "b"), True),
        (cond("Attributes.tags", "lte", "a"), False),
        (cond("Attributes.tags", "gt", "d"), False),
        (cond("Attributes.tags", "gt", "c"), True),
        (cond("Attributes.tags", "gte", "d"), True),
        (cond("Attributes.tags", "contains", "d"), True),
        (cond("Attributes.tags", "contains", "bd"), False),
        (cond("Attributes.tags", "ieq", "D"), True),
        (cond("Attributes.tags", "iin", ["X", "B"]), True),
        (cond("Attributes.tags", "icontains", "BD"), False),
        (cond("Attributes.tags", "exists", True), True),
        # One and the same of the three lies between the two, not one above and another below.
        (cond("Attributes.visits", "between", ["2026-12-04", "2026-12-06"]), True),
        (cond("Attributes.apart", "between", ["2026-12-04", "2026-12-06"]), False),
        (cond("Attributes.visits", "before", "2026-12-02"), True),
        (cond("Attributes.visits", "before", "2026-12-01"), False),
        (cond("Attributes.visits", "after", "2026-12-08"), True),
        (cond("Attributes.visits", "after", "2026-12-09"), False),
        (cond("Attributes.visits", "on", "2026-12-05"), True),
        (cond("Attributes.visits", "on", "2026-12-06"), False),
        (cond("Attributes.apart", "in_last", "P3D"), True),
        (cond("Attributes.apart", "not_in_last", "P3D"), True),
        (cond("Attributes.mixed", "on", "2026-12-05"), True),
    ],
)
def test_on_several_values_a_condition_holds_if_any_value_does(
    table: "Table", raw: dict[str, Any], expected: bool
) -> None:
    check(table, raw, expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("STRASSE", True),
        ("strasse", True),
        ("straße", True),
        ("Strase", False),
        ("οδος", True),  # both small sigmas, the one that ends a word and the other
        ("οδοσ", True),
        ("i\u0307stanbul", True),  # what becomes of a dotted capital I in small letters
        ("istanbul", False),
        ("ıstanbul", False),
        ("台北", True),
        ("臺北", False),
    ],
)
def test_case_is_folded_as_unicode_has_it_and_nothing_else_is(
    table: "Table", value: str, expected: bool
) -> None:
    check(table, cond("Attributes.street", "ieq", value), expected)
    check(table, cond("Attributes.street", "iin", ["x", value]), expected)
    check(table, cond("Attributes.street", "icontains", value), expected)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (cond("Location.City", "icontains", "PEI"), True),
        (cond("Location.City", "ieq", "TAIPEI"), True),
        (cond("Attributes.street", "icontains", "SS"), True),
        (cond("Attributes.street", "contains", "ss"), False),
        (cond("Id", "ieq", "D1"), True),
    ],
)
def test_case_counts_unless_the_operation_says_otherwise(
    table: "Table", raw: dict[str, Any], expected: bool
) -> None:
    check(table, raw, expected)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (cond("Attributes.digits", "eq", "5"), True),
        (cond("Attributes.digits", "eq", "5.0"), False),
        (cond("Attributes.digits", "eq", "123"), False),
        (cond("Attributes.digits", "in", ["00123"]), True),
        (cond("Attributes.digits", "gt", "40"), True),
        (cond("Attributes.m", "eq", "2"), False),
        (cond("Metrics.digits", "eq", 5), False),
    ],
)
def test_digits_are_text_and_never_equal_to_a_number(
    table: "Table", raw: dict[str, Any], expected: bool
) -> None:
    check(table, raw, expected)


@pytest.mark.parametrize(
    ("stored", "raw", "expected"),
    [
        ("2026-12-04T23:59:59.999Z", ("before", "2026-12-05"), True),
        ("2026-12-05T00:00:00.000Z", ("before", "2026-12-05"), False),
        ("2026-12-05T23:59:59.999Z", ("after", "2026-12-05"), False),
        ("2026-12-06T00:00:00.000Z", ("after", "2026-12-05"), True),
        ("2026-12-05T00:00:00.000Z", ("on", "2026-12-05"), True),
        ("2026-12-05T23:59:59.999Z", ("on", "2026-12-05"), True),
        ("2026-12-06T00:00:00.000Z", ("on", "2026-12-05"), False),
        ("2026-12-05T00:00:00.000Z", ("between", ["2026-12-05", "2026-12-06"]), True),
        ("2026-12-06T23:59:59.999Z", ("between", ["2026-12-05", "2026-12-06"]), True),
        ("2026-12-07T00:00:00.000Z", ("between", ["2026-12-05", "2026-12-06"]), False),
        ("2026-12-05T10:00:00.000Z", ("before", "2026-12-05T10:00:00Z"), False),
        ("2026-12-05T10:00:00.000Z", ("before", "2026-12-05T18:00:00.001+08:00"), True),
        ("2026-12-05T10:00:00.000Z", ("after", "2026-12-05T17:59:59.999+08:00"), True),
        ("2026-12-05T10:00:00.000Z", ("between", ["2026-12-05T10:00", "2026-12-05T10:00"]), True),
        ("2026-12-05T10:00:00.000Z", ("in_last", "P3D"), False),
        ("2026-12-05T12:00:00.000Z", ("in_last", "P3D"), True),
        ("2026-12-05T11:59:59.999Z", ("not_in_last", "PT72H"), True),
    ],
)
def test_a_date_stands_for_its_whole_day_in_utc(
    table: "Table", stored: str, raw: tuple[str, Any], expected: bool
) -> None:
    device = {"ChannelType": "GCM", "Address": "t", "EffectiveDate": stored}
    item = encode(parse_device({**device, "Attributes": {"copy": stored}}, path_id="d2"))
    table.put_item(Item=item)
    for field in ("EffectiveDate", "Attributes.copy"):
        check(table, cond(field, *raw), expected, item)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        # 07:00 in Taipei is 23:00 of the day before in UTC.
        (cond("Attributes.taipei", "on", "2026-12-04"), True),
        (cond("Attributes.taipei", "on", "2026-12-05"), False),
        (cond("Attributes.taipei", "before", "2026-12-04T23:00:00.001Z"), True),
        (cond("Attributes.taipei", "after", "2026-12-05T01:59-05:00"), False),
        (cond("Attributes.bare", "on", "2026-12-05"), True),
        (cond("Attributes.bare", "between", ["2026-12-05T00:00Z", "2026-12-05T00:00Z"]), True),
        (cond("Attributes.never", "before", "2026-12-05"), False),
        (cond("Attributes.never", "after", "2026-12-05"), False),
        (cond("Attributes.never", "in_last", "P7D"), False),
        (cond("Attributes.never", "not_in_last", "P7D"), False),
        (cond("Attributes.digits", "before", "2026-12-05"), False),
    ],
)
def test_times_compare_as_instants_and_what_is_no_time_is_like_absent(
    table: "Table", raw: dict[str, Any], expected: bool
) -> None:
    check(table, raw, expected)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"all": [cond("Metrics.m", "eq", 2), cond("Location.City", "ieq", "TAIPEI")]}, True),
        ({"all": [cond("Metrics.m", "eq", 3), cond("Location.City", "ieq", "TAIPEI")]}, False),
        ({"any": [cond("Metrics.m", "eq", 3), cond("Location.City", "ieq", "TAIPEI")]}, True),
        ({"any": [cond("Metrics.m", "eq", 3), {"not": cond("Id", "ieq", "D1")}]}, False),
        ({"all": [{"not": cond("Id", "ieq", "D2")}, {"not": cond("Id", "eq", "d2")}]}, True),
    ],
)
def test_conditions_are_put_together_by_all_any_and_not(
    table: "Table", raw: dict[str, Any], expected: bool
) -> None:
    check(table, raw, expected)


def test_a_hundred_conditions_and_a_long_list_are_answered_though_dynamodb_takes_less(
    table: "Table",
) -> None:
    values = [f"v{number:05}" for number in range(2_000)]
    check(table, cond("Attributes.tags", "in", values), False)
    check(table, cond("Attributes.tags", "in", [*values, "d"]), True)
    ids = [cond("Id", "ne", f"x{number}") for number in range(99)]
    check(table, {"all": [*ids, cond("Location.City", "ieq", "TAIPEI")]}, True)
    check(table, {"any": [{"not": each} for each in [*ids, cond("Id", "ieq", "D1")]]}, False)
