"""The DynamoDB filter of criteria: what is written, its limits, and that it means what they say.

moto 5.2.5 evaluates filters as AWS documents them, redundant parentheses and unused names refused,
but lets pass what AWS refuses: more than 4 KB, 300 operators or 100 operands of IN, and unused
values. Those are therefore asserted on the expression itself.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from functions.audience.criteria import parse
from functions.audience.dynamodb_filter import compile_filter
from functions.audience.evaluate import matches
from functions.devices.items import encode
from functions.devices.parsing import parse_device
from functions.shared.errors import InvalidInputError
from tests.unit.tables import make_devices_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table


def cond(field: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"field": field, "op": op, ("values" if op == "in" else "value"): value}


TW = cond("Location.Country", "eq", "TW")
JAZZ = cond("Attributes.interests", "eq", "jazz")
OLD = cond("Metrics.visits", "lt", 3)


@pytest.mark.parametrize(
    ("raw", "expression"),
    [
        (TW, "#n0.#n1 = :v0"),
        (cond("Id", "gte", "a"), "#n0 >= :v0"),
        (cond("Id", "contains", "a"), "contains(#n0, :v0)"),
        (cond("Id", "ne", "a"), "attribute_exists(#n0) AND #n0 <> :v0"),
        (cond("Id", "in", ["a", "b"]), "#n0 IN (:v0, :v1)"),
        (cond("Id", "exists", True), "attribute_exists(#n0)"),
        (cond("Id", "exists", False), "attribute_not_exists(#n0)"),
        (JAZZ, "contains(#n0.#n1.#n2, :v0)"),
        (
            cond("Attributes.a", "in", ["x", "y"]),
            "contains(#n0.#n1.#n2, :v0) OR contains(#n0.#n1.#n2, :v1)",
        ),
        (cond("Attributes.a", "ne", "x"), "attribute_exists(#n0.#n1) AND #n0.#n1.#n2 <> :v0"),
        (cond("Attributes.a", "exists", True), "attribute_exists(#n0.#n1)"),
        (cond("Attributes.a", "gt", "x"), "#n0.#n1.#n2 > :v0"),
        (cond("Attributes.a", "lt", "x"), "#n0.#n1.#n2 < :v0"),
        (cond("Attributes.a.b.c", "exists", True), "attribute_exists(#n0.#n1)"),
        (cond("User.UserAttributes.a", "eq", "x"), "contains(#n0.#n1.#n2.#n3, :v0)"),
        ({"all": [TW, JAZZ]}, "#n0.#n1 = :v0 AND contains(#n2.#n3.#n4, :v1)"),
        ({"all": [{"any": [TW, OLD]}, TW]}, "(#n0.#n1 = :v0 OR #n2.#n3 < :v1) AND #n0.#n1 = :v0"),
        ({"any": [{"all": [TW, OLD]}, TW]}, "#n0.#n1 = :v0 AND #n2.#n3 < :v1 OR #n0.#n1 = :v0"),
        ({"not": TW}, "NOT #n0.#n1 = :v0"),
        ({"not": {"all": [TW, OLD]}}, "NOT (#n0.#n1 = :v0 AND #n2.#n3 < :v1)"),
        ({"not": cond("Id", "ne", "a")}, "NOT (attribute_exists(#n0) AND #n0 <> :v0)"),
        (
            {"all": [cond("Attributes.a", "in", ["x", "y"]), OLD]},
            "(contains(#n0.#n1.#n2, :v0) OR contains(#n0.#n1.#n2, :v1)) AND #n3.#n4 < :v2",
        ),
        (
            {"all": [cond("Id", "ne", "a"), OLD]},
            "attribute_exists(#n0) AND #n0 <> :v0 AND #n1.#n2 < :v1",
        ),
    ],
)
def test_an_expression_has_no_parenthesis_too_many(raw: dict[str, Any], expression: str) -> None:
    assert compile_filter(parse(raw)).expression == expression


def test_names_and_values_go_by_aliases_and_are_not_repeated() -> None:
    raw = {"any": [cond("Attributes.size", "eq", "x"), cond("User.UserAttributes.size", "gt", "x")]}
    compiled = compile_filter(parse(raw))
    assert compiled.names == {
        "#n0": "Attributes",
        "#n1": "size",
        "#n2": "all",
        "#n3": "User",
        "#n4": "UserAttributes",
        "#n5": "max",
    }
    assert compiled.values == {":v0": "\x1fx\x1f", ":v1": "x"}


def test_numbers_stay_exact() -> None:
    assert compile_filter(parse(cond("Metrics.m", "eq", 0.1))).values == {":v0": Decimal("0.1")}


def test_in_is_cut_into_hundreds() -> None:
    expression = compile_filter(parse(cond("Id", "in", [f"d{n}" for n in range(250)]))).expression
    assert [part.count(":v") for part in expression.split(" OR ")] == [100, 100, 50]


def refused(raw: object) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInputError) as caught:
        compile_filter(parse(raw))
    return [(part.place, part.reason) for part in caught.value.parts]


def test_an_expression_longer_than_dynamodb_takes_is_refused_with_the_figures() -> None:
    compile_filter(parse(cond("Attributes.a", "in", [f"{n}" for n in range(123)])))
    assert refused(cond("Attributes.a", "in", [f"{n}" for n in range(150)])) == [
        ("criteria", "takes 4,686 bytes as a DynamoDB expression; the limit is 4,096")
    ]


def test_more_operators_than_dynamodb_takes_are_refused_with_the_figures() -> None:
    assert refused({"any": [cond("Id", "eq", f"{n % 9}") for n in range(200)]}) == [
        ("criteria", "takes 399 operators in DynamoDB; the limit is 300")
    ]
    compile_filter(parse({"any": [cond("Id", "eq", f"{n % 9}") for n in range(150)]}))


def test_fifty_levels_compile_and_need_a_parenthesis_at_every_second_one_only() -> None:
    tree: object = OLD
    for level in range(50):
        tree = {"all": [TW, tree]} if level % 2 else {"any": [JAZZ, tree]}
    expression = compile_filter(parse(tree)).expression
    assert expression.count("(") == 25 + 25  # 25 contains(...), 25 groups


# What the filter selects, told by hand

ITEM = encode(
    parse_device(
        {
            "Id": "d1",
            "ChannelType": "GCM",
            "Address": "t",
            "Attributes": {"tags": ["b", "d"], "one": ["b"]},
            "Metrics": {"m": 2},
            "Location": {"City": "Taipei"},
        }
    )
)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (cond("Location.City", "eq", "Taipei"), True),
        (cond("Location.City", "eq", "taipei"), False),
        (cond("Location.City", "contains", "aip"), True),
        (cond("Location.City", "ne", "Tokyo"), True),
        (cond("Location.Region", "ne", "Tokyo"), False),
        (cond("Location.Region", "exists", False), True),
        ({"not": cond("Location.Region", "eq", "Tokyo")}, True),
        ({"not": cond("Location.Region", "ne", "Tokyo")}, True),
        (cond("Demographic.Make", "lt", "z"), False),
        (cond("Metrics.m", "gte", 2), True),
        (cond("Metrics.m", "gt", 2), False),
        (cond("Metrics.m", "in", [1, 2]), True),
        (cond("Metrics.other", "ne", 2), False),
        (cond("OptOut", "eq", "NONE"), True),
        (cond("Attributes.tags", "eq", "b"), True),
        (cond("Attributes.tags", "eq", "c"), False),
        (cond("Attributes.tags", "in", ["x", "d"]), True),
        (cond("Attributes.tags", "ne", "b"), True),
        (cond("Attributes.one", "ne", "b"), False),
        (cond("Attributes.none", "ne", "b"), False),
        (cond("Attributes.tags", "lt", "b"), False),
        (cond("Attributes.tags", "lt", "ba"), True),
        (cond("Attributes.tags", "lte", "b"), True),
        (cond("Attributes.tags", "lte", "a"), False),
        (cond("Attributes.tags", "gt", "d"), False),
        (cond("Attributes.tags", "gt", "c"), True),
        (cond("Attributes.tags", "gte", "d"), True),
        (cond("Attributes.none", "lt", "z"), False),
        (cond("Attributes.tags", "contains", "d"), True),
        (cond("Attributes.tags", "contains", "bd"), False),
        (cond("Attributes.tags", "exists", True), True),
        (cond("Attributes.none", "exists", True), False),
    ],
)
def test_a_condition_means_what_it_says(
    devices_table: "Table", raw: dict[str, Any], expected: bool
) -> None:
    devices_table.put_item(Item=ITEM)
    assert matches(parse(raw), ITEM) is expected
    assert selected(devices_table, raw) == ({"d1"} if expected else set())


def selected(table: "Table", raw: object) -> set[str]:
    """The Ids that DynamoDB selects."""
    compiled = compile_filter(parse(raw))
    request: dict[str, Any] = {
        "FilterExpression": compiled.expression,
        "ExpressionAttributeNames": compiled.names,
    }
    if compiled.values:
        request["ExpressionAttributeValues"] = compiled.values
    return {str(item["Id"]) for item in table.scan(**request)["Items"]}


# The same, told by a second way of answering, for whatever criteria there are

# Reserved words, what an expression would trip over, prefixes of each other, and every plane.
NAMES = ["size", "all", "max", "a.b", "a#b", "a b", ":v0", "#n0", "年齢", "🎷", "AND"]
TEXTS = ["a", "ab", "a b", "b", "~", "é", "台", "台北", "\uffee", "🎷", "🎷a", "(", "A"]
NUMBERS = [0, -1, 3, 0.1, 2.5, 10**20]

texts = st.sampled_from(TEXTS)
numbers = st.sampled_from(NUMBERS)
names = st.sampled_from(NAMES)
text_lists = st.lists(texts, min_size=1, max_size=3)
ordered = st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte"])


def _conditions(
    fields: st.SearchStrategy[str], values: st.SearchStrategy[Any], *, contains: bool
) -> st.SearchStrategy[dict[str, Any]]:
    ops = st.one_of(ordered, st.just("contains")) if contains else ordered
    return st.one_of(
        st.builds(cond, fields, ops, values),
        st.builds(cond, fields, st.just("in"), st.lists(values, min_size=1, max_size=4)),
        st.builds(cond, fields, st.just("exists"), st.booleans()),
    )


named_texts = names.flatmap(
    lambda name: st.sampled_from([f"Attributes.{name}", f"User.UserAttributes.{name}"])
)
fixed_texts = st.sampled_from(["Location.City", "Demographic.Make", "User.UserId", "Id"])
number_fields = st.one_of(names.map("Metrics.{}".format), st.just("Location.Latitude"))
leaves = st.one_of(
    _conditions(named_texts, texts, contains=True),
    _conditions(fixed_texts, texts, contains=True),
    _conditions(number_fields, numbers, contains=False),
    st.builds(cond, st.just("ChannelType"), st.just("in"), st.just(["APNS", "ADM"])),
    st.builds(cond, st.just("OptOut"), st.sampled_from(["eq", "ne"]), st.just("ALL")),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
        inner.map(lambda part: {"not": part}),
    ),
    max_leaves=8,
)
devices = st.fixed_dictionaries(
    {"ChannelType": st.sampled_from(["APNS", "GCM", "ADM"]), "Address": st.just("t")},
    optional={
        "OptOut": st.sampled_from(["ALL", "NONE"]),
        "Attributes": st.dictionaries(names, text_lists, max_size=4),
        "Metrics": st.dictionaries(names, numbers, max_size=4),
        "Location": st.fixed_dictionaries({}, optional={"City": texts, "Latitude": numbers}),
        "Demographic": st.fixed_dictionaries({}, optional={"Make": texts}),
        "User": st.fixed_dictionaries(
            {},
            optional={
                "UserId": texts,
                "UserAttributes": st.dictionaries(names, text_lists, max_size=4),
            },
        ),
    },
)


@pytest.fixture(scope="module")
def shared_table() -> Iterator["Table"]:
    with mock_aws():
        yield make_devices_table()


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(raw=trees, population=st.lists(devices, min_size=1, max_size=6))
def test_dynamodb_selects_exactly_what_the_criteria_say(
    shared_table: "Table", raw: dict[str, Any], population: list[dict[str, Any]]
) -> None:
    items = {
        each: encode(parse_device(device, path_id=each))
        for each, device in zip(TEXTS, population, strict=False)
    }
    with shared_table.batch_writer() as writer:
        for item in items.values():
            writer.put_item(Item=item)
    criteria = parse(raw)
    try:
        expected = {each for each, item in items.items() if matches(criteria, item)}
        assert selected(shared_table, raw) == expected
    finally:
        with shared_table.batch_writer() as writer:
            for each in items:
                writer.delete_item(Key={"Id": each})


@given(raw=trees)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_every_alias_is_used_and_no_pair_of_parentheses_holds_just_another(
    raw: dict[str, Any],
) -> None:
    compiled = compile_filter(parse(raw))
    used = set(re.findall(r"[#:]\w+", compiled.expression))
    assert used == compiled.names.keys() | compiled.values.keys()
    pairs = _pairs(compiled.expression)
    assert not {(start + 1, end - 1) for start, end in pairs} & pairs
    assert "NOT NOT" not in compiled.expression


def _pairs(expression: str) -> set[tuple[int, int]]:
    """Where the parentheses of the expression open and close."""
    found, open_ = set(), []
    for index, character in enumerate(expression):
        if character == "(":
            open_.append(index)
        elif character == ")":
            found.add((open_.pop(), index))
    return found
