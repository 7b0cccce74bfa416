"""What is let in as criteria, in which form they are kept, and what is refused with its place."""

import json
from decimal import Decimal
from typing import Any

import pytest

from functions.audience.criteria import (
    AllOf,
    AnyOf,
    Not,
    from_json,
    parse,
    to_json,
    to_wire,
)
from functions.shared.errors import InvalidInputError

TW = {"field": "Location.Country", "op": "eq", "value": "TW"}
JAZZ = {"field": "Attributes.interests", "op": "eq", "value": "jazz"}
OLD = {"field": "Metrics.visits", "op": "lt", "value": 3}


def kept(raw: object) -> dict[str, Any]:
    """The form in which the criteria are kept."""
    wire = to_wire(parse(raw))
    assert parse(json.loads(json.dumps(wire))) == parse(raw)
    return wire


def refused(raw: object, place: str = "criteria") -> list[tuple[str, str]]:
    with pytest.raises(InvalidInputError) as caught:
        parse(raw, place)
    return [(part.place, part.reason) for part in caught.value.parts]


@pytest.mark.parametrize(
    "raw",
    [
        TW,
        {"field": "Id", "op": "in", "values": ["a", "台 🎷"]},
        {"field": "Attributes.a.b#c d", "op": "contains", "value": "x"},
        {"field": "User.UserAttributes.plan", "op": "ne", "value": "gold"},
        {"field": "User.UserId", "op": "exists", "value": False},
        {"field": "Metrics.score", "op": "gte", "value": 0.1},
        {"field": "Location.Latitude", "op": "in", "values": [25, -0.5]},
        {"field": "ChannelType", "op": "in", "values": ["APNS", "GCM"]},
        {"field": "Demographic.AppVersion", "op": "lte", "value": "2.0"},
        {"field": "Location.City", "op": "ieq", "value": "TAIPEI"},
        {"field": "Attributes.tags", "op": "iin", "values": ["Jazz", "JAZZ"]},
        {"field": "User.UserId", "op": "icontains", "value": "ß"},
        {"field": "Metrics.score", "op": "between", "values": [-0.5, 3]},
        {"field": "Metrics.score", "op": "between", "values": [3, 3]},
        {"field": "EffectiveDate", "op": "on", "value": "2026-12-01"},
        {"field": "EffectiveDate", "op": "between", "values": ["2026-12-01", "2026-12-01"]},
        {"field": "Attributes.joined", "op": "before", "value": "2026-12-01T10:00:00.000Z"},
        {"field": "User.UserAttributes.born", "op": "after", "value": "2026-12-01"},
        {"field": "EffectiveDate", "op": "in_last", "value": "P7D"},
        {"field": "Attributes.bought", "op": "not_in_last", "value": "P1DT12H"},
        {"all": [TW, {"any": [JAZZ, {"not": OLD}]}]},
    ],
)
def test_criteria_in_their_shortest_form_are_kept_as_they_are(raw: dict[str, Any]) -> None:
    assert kept(raw) == raw


@pytest.mark.parametrize(
    ("raw", "shortest"),
    [
        ({"all": [TW]}, TW),
        ({"any": [{"all": [{"any": [TW]}]}]}, TW),
        ({"not": {"not": TW}}, TW),
        ({"not": {"all": [{"not": TW}]}}, TW),
        ({"not": {"not": {"not": TW}}}, {"not": TW}),
        ({"all": [TW, {"all": [JAZZ, OLD]}]}, {"all": [TW, JAZZ, OLD]}),
        ({"any": [{"any": [TW, JAZZ]}, {"all": [OLD]}]}, {"any": [TW, JAZZ, OLD]}),
        ({"all": [{"not": {"not": {"all": [TW, JAZZ]}}}, OLD]}, {"all": [TW, JAZZ, OLD]}),
        ({"field": "Id", "op": "exists"}, {"field": "Id", "op": "exists", "value": True}),
        (
            {"field": "Id", "op": "in", "values": ["b", "a", "b"]},
            {"field": "Id", "op": "in", "values": ["b", "a"]},
        ),
        (
            {"field": "EffectiveDate", "op": "gt", "value": "2026-12-01"},
            {"field": "EffectiveDate", "op": "gt", "value": "2026-12-01T00:00:00.000Z"},
        ),
        (
            {"field": "Attributes.a", "op": "before", "value": "2026-12-01 10:00+08:00"},
            {"field": "Attributes.a", "op": "before", "value": "2026-12-01T02:00:00.000Z"},
        ),
        (
            {"field": "EffectiveDate", "op": "after", "value": "20261201T100000.1239"},
            {"field": "EffectiveDate", "op": "after", "value": "2026-12-01T10:00:00.123Z"},
        ),
        (
            {"field": "Attributes.a", "op": "on", "value": "20261201"},
            {"field": "Attributes.a", "op": "on", "value": "2026-12-01"},
        ),
        (
            {"field": "EffectiveDate", "op": "in_last", "value": "P007DT0H"},
            {"field": "EffectiveDate", "op": "in_last", "value": "P7D"},
        ),
        (
            {"field": "Metrics.m", "op": "eq", "value": Decimal("1.50")},
            {"field": "Metrics.m", "op": "eq", "value": 1.5},
        ),
    ],
)
def test_criteria_are_brought_into_their_shortest_form(
    raw: dict[str, Any], shortest: dict[str, Any]
) -> None:
    assert kept(raw) == shortest


def test_groups_of_another_kind_stay_groups() -> None:
    tree = parse({"all": [TW, {"any": [JAZZ, OLD]}, {"not": {"all": [JAZZ, OLD]}}]})
    assert isinstance(tree, AllOf)
    assert isinstance(tree.parts[1], AnyOf)
    assert isinstance(tree.parts[2], Not)


def test_every_wrong_place_is_told_at_once() -> None:
    raw = {
        "all": [
            {"field": "Location.Country", "op": "like", "value": "T"},
            {"any": []},
            {"not": {"field": "Metrics.m", "op": "gt", "value": "3"}},
            {"field": "Address", "op": "eq", "value": "x"},
            {"field": "Id", "op": "in", "values": ["a", 1, ""]},
            {"any": [TW], "all": [TW]},
            {"op": "eq"},
            "TW",
        ]
    }
    assert [place for place, _ in refused(raw)] == [
        "criteria.all[0].op",
        "criteria.all[1].any",
        "criteria.all[2].not.value",
        "criteria.all[3].field",
        "criteria.all[4].values[1]",
        "criteria.all[4].values[2]",
        "criteria.all[5]",
        "criteria.all[6].field",
        "criteria.all[7]",
    ]


def cond(field: str, op: str, **more: Any) -> dict[str, Any]:
    return {"field": field, "op": op, **more}


@pytest.mark.parametrize(
    ("raw", "place", "reason"),
    [
        (None, "criteria", "must be an object, not null"),
        ([], "criteria", "must be an object, not a list"),
        ({"all": TW}, "criteria.all", "must be a list, not an object"),
        ({"all": []}, "criteria.all", "must not be empty"),
        ({"all": [TW], "note": ""}, "criteria", "takes nothing but all here"),
        ({"not": [TW]}, "criteria.not", "must be an object, not a list"),
        ({**TW, "values": []}, "criteria", "takes nothing but field, op, value here"),
        (cond("Id", "in", value="a"), "criteria", "takes nothing but field, op, values here"),
        (cond("Id", "in"), "criteria.values", "is missing"),
        (cond("Id", "in", values="a"), "criteria.values", "must be a list, not a text"),
        (cond("Id", "in", values=[]), "criteria.values", "must not be empty"),
        (cond("Id", "eq"), "criteria.value", "is missing"),
        (cond("Id", "eq", value=None), "criteria.value", "must be a text, not null"),
        (cond("Id", "eq", value=3), "criteria.value", "must be a text, not a number"),
        (cond("Id", "exists", value="no"), "criteria.value", "must be true or false, not a text"),
        (cond("Metrics.m", "eq", value=True), "criteria.value", "must be a number, not a boolean"),
        (cond("Metrics.m", "eq", value="1"), "criteria.value", "must be a number, not a text"),
        (
            cond("Location.Latitude", "eq", value="1"),
            "criteria.value",
            "must be a number, not a text",
        ),
        (
            cond("Metrics.m", "eq", value=Decimal("0.1000000000000000055")),
            "criteria.value",
            "is a fraction with more digits than JSON carries safely (15)",
        ),
        (
            cond("Metrics.m", "contains", value=1),
            "criteria.op",
            "must fit a number field: eq, ne, in, exists, gt, gte, lt, lte, between",
        ),
        (
            cond("OptOut", "gt", value="ALL"),
            "criteria.op",
            "must fit a choice field: eq, ne, in, exists",
        ),
        (cond("OptOut", "eq", value="SOME"), "criteria.value", "must be one of ALL, NONE"),
        (
            cond("ChannelType", "in", values=["SMS"]),
            "criteria.values[0]",
            "must be one of APNS, APNS_SANDBOX, GCM, ADM",
        ),
        (
            cond("EndpointStatus", "eq", value="x"),
            "criteria.value",
            "must be one of ACTIVE, INACTIVE",
        ),
        (
            cond("EffectiveDate", "gt", value="2026-12-01T00:00:00"),
            "criteria.value",
            "must be a date, or a time with its zone, as ISO 8601 has them",
        ),
        (
            cond("Id", "EQ", value="a"),
            "criteria.op",
            "must fit a text field: eq, ne, in, exists, gt, gte, lt, lte, contains, ieq, iin, "
            "icontains",
        ),
        (
            cond("Attributes.a", "~", value="a"),
            "criteria.op",
            "must fit a multi-value text field: eq, ne, in, exists, gt, gte, lt, lte, contains, "
            "ieq, iin, icontains, between, before, after, on, in_last, not_in_last",
        ),
        (
            cond("EffectiveDate", "contains", value="2026"),
            "criteria.op",
            "must fit a time field: eq, ne, in, exists, gt, gte, lt, lte, "
            "between, before, after, on, in_last, not_in_last",
        ),
        (
            cond("Id", "iin", value="a"),
            "criteria",
            "takes nothing but field, op, values here",
        ),
        (cond("Id", "ieq", value=5), "criteria.value", "must be a text, not a number"),
        (
            cond("Metrics.m", "between", values=[1]),
            "criteria.values",
            "must be two values, from and to, not 1",
        ),
        (
            cond("Metrics.m", "between", values=[1, 2, 3]),
            "criteria.values",
            "must be two values, from and to, not 3",
        ),
        (
            cond("Metrics.m", "between", values=[2, 1]),
            "criteria.values",
            "must not have the first above the second",
        ),
        (
            cond("Metrics.m", "between", values=[1, "2"]),
            "criteria.values[1]",
            "must be a number, not a text",
        ),
        (
            cond("Attributes.a", "between", values=["2026-12-02", "2026-12-01T23:59:59.999Z"]),
            "criteria.values",
            "must not have the first above the second",
        ),
        (
            cond("Attributes.a", "between", values=["4", "2026-12-01"]),
            "criteria.values[0]",
            "must be a date or a time, as ISO 8601 has them",
        ),
        (
            cond("Attributes.a", "before", value="2026-02-30"),
            "criteria.value",
            "must be a date, as ISO 8601 has it: 2026-12-31",
        ),
        (
            cond("EffectiveDate", "on", value="2026-12-01T10:00Z"),
            "criteria.value",
            "must be a date, as ISO 8601 has it: 2026-12-31",
        ),
        (
            cond("EffectiveDate", "in_last", value="P1W"),
            "criteria.value",
            "must be a duration of days and hours, like P7D or PT24H",
        ),
        (
            cond("EffectiveDate", "in_last", value="P999999999DT999999999H"),
            "criteria.value",
            "must not be longer than 36,500 days",
        ),
        (cond("Id", [], value="a"), "criteria.op", "must be a text, not a list"),  # type: ignore[arg-type]
        (
            cond("Attributes.", "exists"),
            "criteria.field",
            "the name after Attributes. must not be empty; leave it out instead",
        ),
        (
            cond("Attributes." + "x" * 51, "exists"),
            "criteria.field",
            "the name after Attributes. has 51 characters; at most 50 are allowed",
        ),
        (
            cond("Id", "contains", value="a\x1fb"),
            "criteria.value",
            "must not hold control characters or broken surrogate pairs",
        ),
    ],
)
def test_one_wrong_place_is_told_with_its_reason(raw: object, place: str, reason: str) -> None:
    assert refused(raw) == [(place, reason)]


@pytest.mark.parametrize(
    "field",
    ["Address", "Attributes", "Demographic.Shoe", "User", "User.Name", "id", "", "Location"],
)
def test_a_field_that_cannot_be_searched_is_refused_with_those_that_can(field: str) -> None:
    ((place, reason),) = refused(cond(field, "exists"))
    assert place == "criteria.field"
    assert reason.startswith("is not a searchable field; there are Id, EffectiveDate, User.UserId")


def test_places_begin_where_the_caller_says() -> None:
    assert refused({"any": [1]}, "segments[2]")[0][0] == "segments[2].any[0]"


def nested(depth: int, leaf: object) -> object:
    tree = leaf
    for level in range(depth):
        tree = {"all": [TW, tree]} if level % 2 else {"any": [JAZZ, tree]}
    return tree


def test_fifty_levels_are_let_in() -> None:
    assert kept(nested(50, OLD)) == nested(50, OLD)


def test_a_hundred_levels_are_let_in_and_one_more_is_not() -> None:
    parse(nested(99, OLD))
    assert refused(nested(100, OLD)) == [("criteria", "is nested deeper than 100 levels")]


@pytest.mark.parametrize("wrap", [lambda tree: {"not": tree}, lambda tree: {"all": [tree]}])
def test_absurd_depth_is_refused_like_any_other(wrap: Any) -> None:
    tree: object = TW
    for _ in range(50_000):
        tree = wrap(tree)
    assert refused(tree) == [("criteria", "is nested deeper than 100 levels")]


def test_thousands_of_wrong_places_are_told_a_hundred_at_most() -> None:
    assert len(refused({"any": [{"op": "eq"}] * 5000})) == 100


def test_a_hundred_conditions_are_let_in_and_one_more_is_not() -> None:
    parse({"any": [{"not": {"all": [TW, JAZZ]}}] * 50})
    assert refused({"any": [{"not": {"all": [TW, JAZZ]}}] * 50 + [TW]}) == [
        ("criteria", "hold 101 conditions; the limit is 100")
    ]


def test_criteria_that_the_campaign_could_not_keep_are_refused_with_the_figures() -> None:
    # One long value over and over: DynamoDB would take it once, the campaign keeps it each time.
    same = {"field": "Attributes.茶", "op": "eq", "value": "茶" * 1000}
    assert refused({"any": [same] * 43}) == [
        ("criteria", "take 131,331 bytes as JSON; the limit is 131,072")
    ]
    parse({"any": [same] * 42})


def test_values_of_100_kilobytes_are_let_in() -> None:
    parse({"field": "Attributes.a", "op": "in", "values": ["x" * 102_400]})
    assert refused({"field": "Attributes.a", "op": "eq", "value": "x" * 102_401}) == [
        ("criteria.value", "has 102,401 characters; at most 102,400 are allowed")
    ]


def test_what_was_stored_is_read_back_whatever_the_limits_are_by_now() -> None:
    many = {"any": [{"field": "Id", "op": "eq", "value": f"{number}"} for number in range(150)]}
    assert to_json(from_json(json.dumps(many))) == json.dumps(many)
