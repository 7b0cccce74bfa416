"""The two evaluators are held equal over criteria and devices made up at random.

A run makes 2,000 criteria that DynamoDB can say, 2,000 of every kind, and 600 under narrowed
limits, each asked of 60 devices; and 200 whole scans. moto evaluates filters as AWS documents them,
redundant parentheses and unused names refused, but lets pass what AWS refuses: more than 4 KB, 300
operators or 100 operands of IN, and unused values. Those are asserted on the expression itself.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from boto3.dynamodb.types import TypeSerializer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws
from moto.dynamodb.comparisons import get_filter_expression
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from functions.audience import dynamodb_filter
from functions.audience.criteria import Criteria, from_json, parse, to_json
from functions.audience.devices import scan_segment
from functions.audience.dynamodb_filter import Filter, compile_filter
from functions.audience.evaluate import matcher, matches
from functions.audience.relative import resolve
from tests.unit.audience.generated import (
    EXACT_CONDITIONS,
    INEXACT_CONDITIONS,
    NOW,
    population,
    trees,
)
from tests.unit.tables import make_devices_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

_SERIALIZER = TypeSerializer()
POPULATIONS = [population(seed, 60) for seed in range(5)]
STORED = [
    {
        each: Item(
            DynamoType({"S": each}),
            None,
            {name: _SERIALIZER.serialize(value) for name, value in item.items()},
        )
        for each, item in items.items()
    }
    for items in POPULATIONS
]

populations = st.integers(0, len(POPULATIONS) - 1)
all_conditions = st.one_of(EXACT_CONDITIONS, INEXACT_CONDITIONS)


def many(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


def asked(raw: dict[str, Any]) -> Criteria:
    return resolve(parse(raw), now=NOW)


def let_through(filter_: Filter, number: int) -> set[str]:
    """The Ids that moto's filter lets through."""
    stored = STORED[number]
    if filter_.expression is None:
        return set(stored)
    values: dict[str, Any] = {
        alias: _SERIALIZER.serialize(value) for alias, value in filter_.values.items()
    }
    compiled = get_filter_expression(filter_.expression, filter_.names, values)
    return {each for each, item in stored.items() if compiled.expr(item)}


def matching(criteria: Criteria, number: int) -> set[str]:
    return {each for each, item in POPULATIONS[number].items() if matches(criteria, item)}


@many(2_000)
@given(raw=trees(EXACT_CONDITIONS), number=populations)
def test_what_dynamodb_can_say_it_says_exactly(raw: dict[str, Any], number: int) -> None:
    criteria = asked(raw)
    filter_ = compile_filter(criteria)
    assert filter_.exact
    assert let_through(filter_, number) == matching(criteria, number)


@many(2_000)
@given(raw=trees(all_conditions), number=populations)
def test_whatever_they_say_no_matching_device_is_filtered_out(
    raw: dict[str, Any], number: int
) -> None:
    criteria = asked(raw)
    assert let_through(compile_filter(criteria), number) >= matching(criteria, number)


@many(600)
@given(raw=trees(all_conditions, max_leaves=20), number=populations)
def test_a_weaker_filter_keeps_within_the_limits_and_filters_no_matching_device_out(
    raw: dict[str, Any], number: int
) -> None:
    criteria = asked(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dynamodb_filter, "MAX_EXPRESSION_BYTES", 150)
        patch.setattr(dynamodb_filter, "MAX_OPERATORS", 6)
        filter_ = compile_filter(criteria)
    assert len((filter_.expression or "").encode()) <= 150
    assert let_through(filter_, number) >= matching(criteria, number)


@many(500)
@given(raw=trees(all_conditions))
def test_every_alias_is_used_and_no_pair_of_parentheses_holds_just_another(
    raw: dict[str, Any],
) -> None:
    filter_ = compile_filter(asked(raw))
    expression = filter_.expression or ""
    used = set(re.findall(r"[#:]\w+", expression))
    assert used == filter_.names.keys() | filter_.values.keys()
    pairs = _pairs(expression)
    assert not {(start + 1, end - 1) for start, end in pairs} & pairs
    assert "NOT NOT" not in expression


@many(500)
@given(raw=trees(all_conditions))
def test_criteria_come_back_from_their_json_resolved_or_not(raw: dict[str, Any]) -> None:
    for criteria in (parse(raw), asked(raw)):
        assert from_json(to_json(criteria)) == criteria


@pytest.fixture(scope="module")
def small_table() -> Iterator["Table"]:
    """A dozen devices; moto copies every item at each scan."""
    with mock_aws():
        table = make_devices_table()
        for item in list(POPULATIONS[0].values())[:12]:
            table.put_item(Item=item)
        yield table


@many(200)
@given(raw=trees(all_conditions))
def test_a_scan_finds_the_devices_that_match_and_no_others(
    small_table: "Table", raw: dict[str, Any]
) -> None:
    criteria = asked(raw)
    holds = matcher(criteria)
    found = {
        each.device_id for each in scan_segment(small_table, criteria, segment=0, segments_total=1)
    }
    assert found == {each for each, item in list(POPULATIONS[0].items())[:12] if holds(item)}


def _pairs(expression: str) -> set[tuple[int, int]]:
    """Where the parentheses of the expression open and close."""
    found, open_ = set(), []
    for index, character in enumerate(expression):
        if character == "(":
            open_.append(index)
        elif character == ")":
            found.add((open_.pop(), index))
    return found
