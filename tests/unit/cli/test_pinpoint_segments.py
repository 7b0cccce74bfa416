"""Row by row of docs/pinpoint.md: what a Pinpoint segment becomes, and what it cannot."""

import json
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli import exact_json
from cli.errors import FailedError, UsageError
from cli.main import app
from cli.pinpoint_segments import EVERYBODY, convert
from functions.audience.criteria import parse

EXAMPLES = Path(__file__).parents[3] / "examples" / "pinpoint"


def read(raw: object) -> Any:
    """The document as the command reads it: fractions exact."""
    return exact_json.loads(json.dumps(raw))


def converted(raw: object) -> Any:
    """The criteria, which the API takes."""
    criteria = convert(read(raw)).criteria
    parse(json.loads(exact_json.dumps(criteria)))
    return criteria


def refused(raw: object) -> list[tuple[str, str]]:
    with pytest.raises(FailedError, match="this segment cannot be converted") as caught:
        convert(read(raw))
    return [(wrong.place, wrong.reason) for wrong in caught.value.wrong]


def cond(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, ("values" if isinstance(value, list) else "value"): value}


def attribute(kind: str | None, *values: str, family: str = "Attributes") -> dict[str, Any]:
    dimension: dict[str, Any] = {"Values": list(values)}
    return {family: {"a.b 茶": dimension | ({} if kind is None else {"AttributeType": kind})}}


def one_set(kind: str | None, *values: str) -> dict[str, Any]:
    return {"Values": list(values)} | ({} if kind is None else {"DimensionType": kind})


def metric(operator: str, value: float) -> dict[str, Any]:
    return {"Metrics": {"m": {"ComparisonOperator": operator, "Value": value}}}


def recency(kind: str, duration: str) -> dict[str, Any]:
    return {"Behavior": {"Recency": {"RecencyType": kind, "Duration": duration}}}


A = "Attributes.a.b 茶"
ROWS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (attribute("INCLUSIVE", "x"), cond(A, "eq", "x")),
    (attribute("INCLUSIVE", "x", "y", "x"), cond(A, "in", ["x", "y"])),
    (attribute(None, "x"), cond(A, "eq", "x")),
    (attribute("EXCLUSIVE", "x"), {"not": cond(A, "eq", "x")}),
    (attribute("EXCLUSIVE", "x", "y"), {"not": cond(A, "in", ["x", "y"])}),
    (attribute("CONTAINS", "x"), cond(A, "contains", "x")),
    (
        attribute("CONTAINS", "x", "y"),
        {"any": [cond(A, "contains", "x"), cond(A, "contains", "y")]},
    ),
    (
        attribute("BEFORE", "2026-12-01T08:00:00Z"),
        cond(A, "before", "2026-12-01T08:00:00.000Z"),
    ),
    (
        attribute("AFTER", "2026-12-01T08:00:00+08:00"),
        cond(A, "after", "2026-12-01T00:00:00.000Z"),
    ),
    (attribute("AFTER", "2026-12-01"), cond(A, "after", "2026-12-01")),
    (attribute("ON", "2026-12-01T20:00:00-05:00"), cond(A, "on", "2026-12-02")),
    (
        attribute("ON", "2026-12-01", "2026-12-24T18:00:00Z"),
        {"any": [cond(A, "on", "2026-12-01"), cond(A, "on", "2026-12-24")]},
    ),
    (
        attribute("BETWEEN", "2026-12-01T00:00:00Z", "2026-12-24"),
        cond(A, "between", ["2026-12-01T00:00:00.000Z", "2026-12-24"]),
    ),
    (
        attribute("BETWEEN", "2026-12-24T08:00:00Z", "2026-12-24"),
        cond(A, "between", ["2026-12-24T08:00:00.000Z", "2026-12-24"]),
    ),
    (
        attribute("INCLUSIVE", "x", family="UserAttributes"),
        cond("User.UserAttributes.a.b 茶", "eq", "x"),
    ),
    (metric("EQUAL", 30.0), cond("Metrics.m", "eq", 30)),
    (metric("GREATER_THAN", 30.4), cond("Metrics.m", "gt", Decimal("30.4"))),
    (metric("GREATER_THAN_OR_EQUAL", -1), cond("Metrics.m", "gte", -1)),
    (metric("LESS_THAN", 1e-7), cond("Metrics.m", "lt", Decimal("1e-07"))),
    (metric("LESS_THAN_OR_EQUAL", 0.0), cond("Metrics.m", "lte", 0)),
    (recency("ACTIVE", "HR_24"), cond("EffectiveDate", "in_last", "PT24H")),
    (recency("ACTIVE", "DAY_7"), cond("EffectiveDate", "in_last", "P7D")),
    (recency("INACTIVE", "DAY_14"), cond("EffectiveDate", "not_in_last", "P14D")),
    (recency("INACTIVE", "DAY_30"), cond("EffectiveDate", "not_in_last", "P30D")),
    *(
        (
            {"Demographic": {name: one_set("INCLUSIVE", "x", "y")}},
            cond(f"Demographic.{name}", "in", ["x", "y"]),
        )
        for name in ("AppVersion", "Make", "Model", "Platform")
    ),
    (
        {"Demographic": {"Platform": one_set("EXCLUSIVE", "ios")}},
        {"not": cond("Demographic.Platform", "eq", "ios")},
    ),
    ({"Demographic": {"Channel": one_set(None, "GCM")}}, cond("ChannelType", "eq", "GCM")),
    (
        {"Demographic": {"Channel": one_set("INCLUSIVE", "APNS", "APNS_SANDBOX", "ADM")}},
        cond("ChannelType", "in", ["APNS", "APNS_SANDBOX", "ADM"]),
    ),
    (
        {"Location": {"Country": one_set("INCLUSIVE", "TW", "JP")}},
        cond("Location.Country", "in", ["TW", "JP"]),
    ),
    (
        {"Location": {"Country": one_set("EXCLUSIVE", "US")}},
        {"not": cond("Location.Country", "eq", "US")},
    ),
]


@pytest.mark.parametrize(("dimension", "criteria"), ROWS)
def test_a_dimension_becomes_a_condition(
    dimension: dict[str, Any], criteria: dict[str, Any]
) -> None:
    assert converted(dimension) == criteria
    assert convert(read(dimension)).remarks == ()


def test_the_dimensions_of_one_object_must_all_hold() -> None:
    raw = {
        **attribute("INCLUSIVE", "x"),
        "UserAttributes": {},
        "Behavior": None,
        **metric("EQUAL", 1),
        "Location": {"Country": one_set("INCLUSIVE", "TW")},
    }
    assert converted(raw) == {
        "all": [
            cond(A, "eq", "x"),
            cond("Metrics.m", "eq", 1),
            cond("Location.Country", "eq", "TW"),
        ]
    }


# Groups

X, Y, Z = (attribute("INCLUSIVE", value) for value in "xyz")
IS_X, IS_Y, IS_Z = (cond(A, "eq", value) for value in "xyz")


def groups(include: str | None, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"Groups": list(parts)} | ({} if include is None else {"Include": include})


def group(kind: str | None, *dimensions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Dimensions": list(dimensions), **more} | ({} if kind is None else {"Type": kind})


@pytest.mark.parametrize(
    ("raw", "criteria"),
    [
        (groups("ALL", group("ALL", X, Y)), {"all": [IS_X, IS_Y]}),
        (groups("ALL", group("ANY", X, Y)), {"any": [IS_X, IS_Y]}),
        (groups("ALL", group("NONE", X, Y)), {"not": {"any": [IS_X, IS_Y]}}),
        (groups("ALL", group("NONE", X)), {"not": IS_X}),
        (groups("ANY", group("ALL", X), group("NONE", Y)), {"any": [IS_X, {"not": IS_Y}]}),
        (
            groups("NONE", group("ALL", X), group("ANY", Y, Z)),
            {"not": {"any": [IS_X, IS_Y, IS_Z]}},
        ),
        (groups("NONE", group("ALL", X)), {"not": IS_X}),
        (groups(None, group(None, X)), IS_X),
        (groups("ANY", group("ALL", X), group("ALL")), {"any": [IS_X, EVERYBODY]}),
        (groups("ALL", group("ALL", {}, SourceSegments=[], SourceType="NONE")), EVERYBODY),
        (groups("ALL"), EVERYBODY),
    ],
)
def test_groups_are_put_together_as_they_say(raw: dict[str, Any], criteria: dict[str, Any]) -> None:
    assert converted(raw) == criteria


@pytest.mark.parametrize(
    ("kind", "others", "criteria"),
    [
        ("NONE", [], {"not": EVERYBODY}),
        ("NONE", [{"Location": {"Country": one_set("INCLUSIVE", "TW")}}], None),
        ("ANY", [{"Location": {"Country": one_set("INCLUSIVE", "TW")}}], None),
    ],
)
def test_dimensions_that_ask_for_nothing_are_everybody_in_a_group_as_well(
    kind: str, others: list[dict[str, Any]], criteria: dict[str, Any] | None
) -> None:
    sms = {"Demographic": {"Channel": {"DimensionType": "EXCLUSIVE", "Values": ["SMS"]}}}
    group = {"Type": kind, "Dimensions": [sms, *others]}
    found = converted({"SegmentGroups": {"Include": "ALL", "Groups": [group]}})
    if criteria is not None:
        assert found == criteria
    else:
        inner = found["not"] if kind == "NONE" else found
        assert inner["any"][0] == EVERYBODY


def test_a_missing_type_or_include_is_taken_as_all_and_remarked() -> None:
    conversion = convert(read(groups(None, group(None, X, Y), group("ALL", Z))))
    assert conversion.criteria == {"all": [IS_X, IS_Y, IS_Z]}
    assert conversion.remarks == (
        "SegmentGroups.Groups[0].Type: is missing and taken as ALL",
        "SegmentGroups.Include: is missing and taken as ALL",
    )


# Where it comes from

SEGMENT = {
    "ApplicationId": "p1",
    "Arn": "arn",
    "CreationDate": "2026-03-02T09:30:00.000Z",
    "Id": "s1",
    "LastModifiedDate": "2026-03-02T09:30:00.000Z",
    "Name": "n",
    "SegmentType": "DIMENSIONAL",
    "Version": 1,
    "tags": {},
}


@pytest.mark.parametrize(
    "raw",
    [
        {"SegmentResponse": {**SEGMENT, "Dimensions": X}},
        {"SegmentResponse": {**SEGMENT, "SegmentGroups": groups("ALL", group("ALL", X))}},
        {
            "SegmentResponse": {
                **SEGMENT,
                "Dimensions": {},
                "SegmentGroups": groups("ALL", group("ALL", X)),
            }
        },
        {**SEGMENT, "Dimensions": X},
        {"Name": "n", "SegmentGroups": groups("ALL", group("ALL", X))},
        {"Dimensions": X},
        groups("ALL", group("ALL", X)),
        X,
    ],
)
def test_a_segment_is_taken_whole_or_in_part(raw: dict[str, Any]) -> None:
    assert converted(raw) == IS_X


def test_a_segment_without_any_dimension_is_everybody() -> None:
    assert converted({"SegmentResponse": SEGMENT}) == EVERYBODY


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ([], "this is no segment: a JSON object is needed"),
        ({}, "this is no segment: it has neither SegmentGroups nor Dimensions"),
        ({"Id": "d1", "Address": "t"}, "this is no segment"),
        ({"SegmentsResponse": {"Item": []}}, "this holds several segments"),
    ],
)
def test_what_is_no_segment_is_a_wrong_file(raw: object, error: str) -> None:
    with pytest.raises(UsageError, match=error):
        convert(raw)


# What cannot be converted, by its place


@pytest.mark.parametrize(
    ("raw", "place", "reason"),
    [
        (
            {"SegmentResponse": {**SEGMENT, "SegmentType": "IMPORT"}},
            "SegmentResponse.SegmentType",
            "is an imported segment: the endpoints of a file, not a condition; import that file "
            "with an attribute of its own and search for that",
        ),
        (
            groups("ALL", group("ALL", X, SourceSegments=[{"Id": "s2", "Version": 1}])),
            "SegmentGroups.Groups[0].SourceSegments[0]",
            "is another segment; convert that one by itself and put the two together with all",
        ),
        (
            {"Demographic": {"DeviceType": one_set("INCLUSIVE", "tablet")}},
            "Dimensions.Demographic.DeviceType",
            "is nothing that a device says of itself, so it cannot be searched",
        ),
        (
            {"Demographic": {"Channel": one_set("INCLUSIVE", "GCM", "SMS")}},
            "Dimensions.Demographic.Channel.Values",
            "SMS is no channel of Fanfare's; there are APNS, APNS_SANDBOX, GCM, ADM",
        ),
        (
            groups("SOME", group("ALL", X)),
            "SegmentGroups.Include",
            "must be one of ALL, ANY, NONE",
        ),
        (
            groups("ALL", group("MOST", X)),
            "SegmentGroups.Groups[0].Type",
            "must be one of ALL, ANY, NONE",
        ),
        (
            attribute("STARTS_WITH", "x"),
            "Dimensions.Attributes.a.b 茶.AttributeType",
            "must be one of INCLUSIVE, EXCLUSIVE, CONTAINS, BEFORE, AFTER, ON, BETWEEN",
        ),
        (
            attribute("BEFORE", "next week"),
            "Dimensions.Attributes.a.b 茶.Values[0]",
            "must be a date or a time, as ISO 8601 has them",
        ),
        (
            attribute("BETWEEN", "2026-12-01"),
            "Dimensions.Attributes.a.b 茶.Values",
            "must be two, from and to, not 1",
        ),
        (
            attribute("BETWEEN", "2026-12-02", "2026-12-01T23:59:59Z"),
            "Dimensions.Attributes.a.b 茶.Values",
            "must not have the first above the second",
        ),
        (
            attribute("INCLUSIVE"),
            "Dimensions.Attributes.a.b 茶.Values",
            "must hold a value at least",
        ),
        (
            attribute("INCLUSIVE", "x", ""),
            "Dimensions.Attributes.a.b 茶.Values[1]",
            "is empty, which no device has",
        ),
        (
            attribute("INCLUSIVE", "a\nb"),
            "Dimensions.Attributes.a.b 茶.Values[0]",
            "holds control characters, which no device has",
        ),
        (
            {"Attributes": {"x" * 51: one_set(None, "x")["Values"]}},
            f"Dimensions.Attributes.{'x' * 51}",
            "the name has 51 characters; at most 50 can be searched",
        ),
        (
            {"Location": {"Country": one_set("MAYBE", "TW")}},
            "Dimensions.Location.Country.DimensionType",
            "must be one of INCLUSIVE, EXCLUSIVE",
        ),
        (
            recency("ACTIVE", "DAY_3"),
            "Dimensions.Behavior.Recency.Duration",
            "must be one of HR_24, DAY_7, DAY_14, DAY_30",
        ),
        (
            {"Behavior": {"Recency": {"Duration": "DAY_7"}}},
            "Dimensions.Behavior.Recency.RecencyType",
            "is missing",
        ),
        (
            metric("BETWEEN", 1),
            "Dimensions.Metrics.m.ComparisonOperator",
            "must be one of EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL, LESS_THAN, "
            "LESS_THAN_OR_EQUAL",
        ),
        (
            {"Metrics": {"m": {"ComparisonOperator": "EQUAL", "Value": "1"}}},
            "Dimensions.Metrics.m.Value",
            "must be a number",
        ),
        (
            metric("EQUAL", 1e200),
            "Dimensions.Metrics.m.Value",
            "lies beyond what can be stored: 1E-130 to 9.9E+125",
        ),
        ({"Attributes": []}, "Dimensions.Attributes", "must be an object"),
        ({"Attributes": {}, "Weather": {}}, "Dimensions.Weather", "is not known"),
        ({"Groups": {}}, "SegmentGroups.Groups", "must be a list"),
    ],
)
def test_what_cannot_be_converted_is_named_with_its_place(
    raw: dict[str, Any], place: str, reason: str
) -> None:
    assert (place, reason) in refused(raw)


def test_everything_that_cannot_be_converted_is_named_at_once() -> None:
    raw = {
        "Demographic": {"DeviceType": one_set(None, "x"), "Channel": one_set(None, "SMS", "EMAIL")},
        "Behavior": {"Frequency": {}},
    }
    assert [place for place, _ in refused(raw)] == [
        "Dimensions.Demographic.DeviceType",
        "Dimensions.Demographic.Channel.Values",
        "Dimensions.Demographic.Channel.Values",
        "Dimensions.Behavior.Frequency",
    ]


def test_channels_that_fanfare_does_not_have_need_not_be_excluded() -> None:
    raw = {"Demographic": {"Channel": one_set("EXCLUSIVE", "SMS", "ADM", "EMAIL")}}
    assert converted(raw) == {"not": cond("ChannelType", "eq", "ADM")}
    assert convert(read(raw)).remarks == (
        "Dimensions.Demographic.Channel.Values: SMS is left out: Fanfare has no such devices",
        "Dimensions.Demographic.Channel.Values: EMAIL is left out: Fanfare has no such devices",
    )


def test_more_conditions_than_criteria_take_are_refused_with_the_figures() -> None:
    many = [f"v{number}" for number in range(101)]
    assert refused(attribute("CONTAINS", *many)) == [
        ("the segment", "comes to 101 conditions; at most 100 fit")
    ]
    assert converted(attribute("INCLUSIVE", *many))["op"] == "in"


def test_more_bytes_than_criteria_take_are_refused_with_the_figures() -> None:
    assert refused(attribute("INCLUSIVE", "x" * 70_000, "y" * 70_000)) == [
        ("the segment", "comes to 140,063 bytes; at most 131,072 fit")
    ]


# A circle on the globe becomes the box around it


def gps(latitude: float, longitude: float, kilometers: float | None) -> dict[str, Any]:
    point: dict[str, Any] = {"Coordinates": {"Latitude": latitude, "Longitude": longitude}}
    return {
        "Location": {
            "GPSPoint": point
            | ({"RangeInKilometers": kilometers} if kilometers is not None else {})
        }
    }


def box_of(raw: dict[str, Any]) -> tuple[list[float], list[list[float]]]:
    latitude, longitude = converted(raw)["all"]
    parts = longitude.get("any", [longitude])
    return (
        [float(each) for each in latitude["values"]],
        [[float(each) for each in part["values"]] for part in parts],
    )


def test_a_circle_becomes_the_box_around_it_with_a_remark() -> None:
    # One degree of latitude is 111.195 km; at 60 degrees north, one of longitude is half of that.
    latitudes, longitudes = box_of(gps(60, 20, 111.195))
    assert latitudes == pytest.approx([59, 61], abs=0.0001)
    assert longitudes == [pytest.approx([17.999, 22.001], abs=0.001)]
    assert convert(read(gps(60, 20, 111.195))).remarks == (
        "Dimensions.Location.GPSPoint: the circle became the box around it, which also holds the "
        "corners",
    )


def test_a_box_across_the_180th_meridian_has_two_parts() -> None:
    assert box_of(gps(0, 179.5, 111.195))[1] == [
        pytest.approx([178.5, 180], abs=0.0001),
        pytest.approx([-180, -179.5], abs=0.0001),
    ]
    assert box_of(gps(0, -179.5, 111.195))[1] == [
        pytest.approx([179.5, 180], abs=0.0001),
        pytest.approx([-180, -178.5], abs=0.0001),
    ]


@pytest.mark.parametrize(("latitude", "kilometers"), [(89.9, 100), (-89.9, 100), (0, 20_100)])
def test_a_box_around_a_pole_has_every_longitude(latitude: float, kilometers: float) -> None:
    assert box_of(gps(latitude, 20, kilometers))[1] == [[-180, 180]]


@pytest.mark.parametrize(
    ("raw", "place", "reason"),
    [
        (gps(0, 0, None), "RangeInKilometers", "is missing"),
        (gps(90.1, 0, 1), "", "has no place on the globe: latitude to 90, longitude to 180"),
        (gps(0, 0, -1), "", "has a range below 0"),
        ({"Location": {"GPSPoint": {"RangeInKilometers": 1}}}, "Coordinates", "must be an object"),
    ],
)
def test_a_circle_that_is_none_is_named(raw: dict[str, Any], place: str, reason: str) -> None:
    at = "Dimensions.Location.GPSPoint" + (f".{place}" if place else "")
    assert (at, reason) in refused(raw)


# Whatever is converted, the API takes

_texts = st.sampled_from(
    ["x", "茶 🎷", "2026-12-01", "2026-12-01T08:00:00Z", "2026-12-24T18:00+08:00"]
)
_values = st.lists(_texts, min_size=1, max_size=3)
_kinds = ["INCLUSIVE", "EXCLUSIVE", "CONTAINS", "BEFORE", "AFTER", "ON", "BETWEEN", None]
_attributes = st.dictionaries(
    st.sampled_from(["a", "b.c", "茶"]),
    st.builds(
        lambda kind, values: {"AttributeType": kind, "Values": values},
        st.sampled_from(_kinds),
        _values,
    ),
    max_size=3,
)
_sets = st.builds(
    lambda kind, values: {"DimensionType": kind, "Values": values},
    st.sampled_from(["INCLUSIVE", "EXCLUSIVE", None]),
    _values,
)
_doubles = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e100, max_value=1e100)
_dimensions = st.fixed_dictionaries(
    {},
    optional={
        "Attributes": _attributes,
        "UserAttributes": _attributes,
        "Metrics": st.dictionaries(
            st.sampled_from(["m", "n"]),
            st.builds(
                lambda operator, value: {"ComparisonOperator": operator, "Value": value},
                st.sampled_from(["EQUAL", "LESS_THAN"]),
                _doubles,
            ),
        ),
        "Behavior": st.just({"Recency": {"RecencyType": "ACTIVE", "Duration": "DAY_7"}}),
        "Demographic": st.fixed_dictionaries({}, optional={"Make": _sets, "Platform": _sets}),
        "Location": st.builds(
            gps, st.floats(-90, 90), st.floats(-180, 180), st.floats(0, 30_000)
        ).map(lambda made: made["Location"]),
    },
)
_how = st.sampled_from(["ALL", "ANY", "NONE", None])
_segments = st.builds(
    lambda include, parts: groups(include, *parts),
    _how,
    st.lists(
        st.builds(lambda kind, parts: group(kind, *parts), _how, st.lists(_dimensions, max_size=3)),
        max_size=3,
    ),
)


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(raw=_segments)
def test_whatever_is_converted_is_taken_by_the_api(raw: dict[str, Any]) -> None:
    with suppress(FailedError):
        parse(json.loads(exact_json.dumps(convert(read(raw)).criteria)))


# The command


def test_the_example_is_converted_on_standard_output() -> None:
    result = CliRunner().invoke(app, ["criteria", "from-pinpoint", str(EXAMPLES / "segment.json")])
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "all": [
            {
                "any": [
                    {
                        "all": [
                            cond("Attributes.interests", "in", ["music", "jazz"]),
                            cond("EffectiveDate", "in_last", "P30D"),
                            cond("Location.Country", "in", ["TW", "JP"]),
                        ]
                    },
                    cond("Metrics.visits", "gte", 30),
                ]
            },
            {
                "not": {
                    "any": [
                        cond("Demographic.Platform", "eq", "web"),
                        cond("User.UserAttributes.plan", "contains", "trial"),
                    ]
                }
            },
        ]
    }


def test_what_cannot_be_converted_goes_to_standard_error_and_nothing_to_standard_output() -> None:
    path = EXAMPLES / "segment-not-convertible.json"
    result = CliRunner().invoke(app, ["criteria", "from-pinpoint", str(path), "--json"])
    assert (result.exit_code, result.stdout) == (1, "")
    place = "  SegmentResponse.SegmentGroups.Groups[0]"
    assert result.stderr == (
        f"error: {path}: this segment cannot be converted\n"
        f"{place}.SourceSegments[0]: is another segment; convert that one by itself and put the "
        "two together with all\n"
        f"{place}.Dimensions[0].Demographic.Channel.Values: SMS is no channel of Fanfare's; there "
        "are APNS, APNS_SANDBOX, GCM, ADM\n"
        f"{place}.Dimensions[0].Demographic.DeviceType: is nothing that a device says of itself, "
        "so it cannot be searched\n"
    )


def test_a_remark_goes_to_standard_error_and_the_criteria_stay_usable(tmp_path: Path) -> None:
    path = tmp_path / "gps.json"
    path.write_text("\ufeff" + json.dumps(gps(25.0339, 121.5645, 10)), encoding="utf-8")
    result = CliRunner().invoke(app, ["criteria", "from-pinpoint", str(path)])
    assert result.exit_code == 0
    assert result.stderr.startswith("remark: Dimensions.Location.GPSPoint: the circle became")
    parse(json.loads(result.stdout))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "segment.json is not JSON: Expecting property name"),
        ("[" * 100_000, "segment.json is nested too deeply"),
        ('{"a": 1e999999999999999999999}', "segment.json is not JSON"),
        ("[]", "segment.json: this is no segment: a JSON object is needed"),
        ("{}", "segment.json: this is no segment: it has neither SegmentGroups nor Dimensions"),
        (None, "segment.json cannot be read: No such file or directory"),
    ],
    ids=["broken", "deep", "huge", "list", "empty", "absent"],
)
def test_a_file_that_cannot_be_used_exits_with_2(
    tmp_path: Path, text: str | None, error: str
) -> None:
    path = tmp_path / "segment.json"
    if text is not None:
        path.write_text(text)
    result = CliRunner().invoke(app, ["criteria", "from-pinpoint", str(path)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert error in result.stderr


def test_a_segment_may_come_by_standard_input() -> None:
    told = CliRunner().invoke(app, ["criteria", "from-pinpoint", "-"], input='{"Dimensions": {}}')
    assert (told.exit_code, json.loads(told.stdout)) == (
        0,
        {"field": "Id", "op": "exists", "value": True},
    )
    told = CliRunner().invoke(app, ["criteria", "from-pinpoint", "-"], input="[]")
    assert "error: standard input: this is no segment" in told.stderr


@pytest.mark.parametrize(
    ("source_type", "sources", "advice"),
    [
        (None, 1, "convert that one by itself and put the two together with all"),
        ("ANY", 1, "convert that one by itself and put the two together with all"),
        (None, 2, "convert each by itself and put all together with all"),
        ("ALL", 2, "convert each by itself and put all together with all"),
        (
            "ANY",
            2,
            "convert each by itself, put them together with any, and that and the rest with all",
        ),
        (
            "NONE",
            1,
            "convert each by itself, put them together with any, negate that with not, and put it "
            "and the rest together with all",
        ),
    ],
)
def test_the_advice_for_other_segments_follows_how_pinpoint_put_them_together(
    source_type: str | None, sources: int, advice: str
) -> None:
    group: dict[str, Any] = {"SourceSegments": [{"Id": f"s{n}"} for n in range(sources)]}
    if source_type:
        group["SourceType"] = source_type
    with pytest.raises(FailedError) as caught:
        convert({"SegmentGroups": {"Groups": [group], "Include": "ALL"}})
    assert [wrong.reason for wrong in caught.value.wrong] == [
        f"is another segment; {advice}"
    ] * sources


def test_an_unknown_source_type_is_refused_at_its_place() -> None:
    group = {"SourceSegments": [{"Id": "s"}], "SourceType": "SOME"}
    with pytest.raises(FailedError) as caught:
        convert({"SegmentGroups": {"Groups": [group], "Include": "ALL"}})
    assert ("SegmentGroups.Groups[0].SourceType", "must be one of ALL, ANY, NONE") in [
        (wrong.place, wrong.reason) for wrong in caught.value.wrong
    ]
