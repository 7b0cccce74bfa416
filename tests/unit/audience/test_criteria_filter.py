"""The DynamoDB filter of criteria: what is written, and what when DynamoDB cannot say it all.

That it means what the criteria say is held in test_criteria_meaning and test_criteria_properties.
"""

from decimal import Decimal
from typing import Any

import pytest

from functions.audience.criteria import parse
from functions.audience.dynamodb_filter import Filter, compile_filter
from tests.unit.audience.generated import cond

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
        (cond("Metrics.m", "between", [1, 2]), "#n0.#n1 BETWEEN :v0 AND :v1"),
        (cond("EffectiveDate", "before", "2026-12-01"), "#n0 < :v0"),
        (cond("EffectiveDate", "after", "2026-12-01"), "#n0 > :v0"),
        (cond("EffectiveDate", "on", "2026-12-01"), "#n0 BETWEEN :v0 AND :v1"),
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
        ({"not": cond("Metrics.m", "between", [1, 2])}, "NOT #n0.#n1 BETWEEN :v0 AND :v1"),
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
    compiled = compile_filter(parse(raw))
    assert (compiled.expression, compiled.exact, compiled.needs) == (expression, True, ())


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
    expression = text_of(cond("Id", "in", [f"d{n}" for n in range(250)]))
    assert [part.count(":v") for part in expression.split(" OR ")] == [100, 100, 50]


def text_of(raw: object) -> str:
    """The expression, which there is."""
    expression = compile_filter(parse(raw)).expression
    assert expression is not None
    return expression


def test_a_day_is_bounded_by_its_first_and_last_instant() -> None:
    assert compile_filter(parse(cond("EffectiveDate", "on", "2026-12-01"))).values == {
        ":v0": "2026-12-01T00:00:00.000Z",
        ":v1": "2026-12-01T23:59:59.999Z",
    }


def test_fifty_levels_compile_and_need_a_parenthesis_at_every_second_one_only() -> None:
    tree: object = OLD
    for level in range(50):
        tree = {"all": [TW, tree]} if level % 2 else {"any": [JAZZ, tree]}
    assert text_of(tree).count("(") == 25 + 25  # 25 contains(...), 25 groups


# What DynamoDB cannot say: the filter lets at least the matching devices through

FOLDED = cond("Location.City", "ieq", "taipei")
DATED = cond("Attributes.joined", "after", "2026-12-01")


@pytest.mark.parametrize(
    ("raw", "expression"),
    [
        (FOLDED, "attribute_exists(#n0.#n1)"),
        (DATED, "attribute_exists(#n0.#n1)"),
        ({"not": FOLDED}, None),
        ({"not": {"not": FOLDED}}, "attribute_exists(#n0.#n1)"),
        ({"all": [TW, FOLDED]}, "#n0.#n1 = :v0 AND attribute_exists(#n0.#n2)"),
        ({"any": [TW, FOLDED]}, "#n0.#n1 = :v0 OR attribute_exists(#n0.#n2)"),
        ({"all": [TW, {"not": FOLDED}]}, "#n0.#n1 = :v0"),
        ({"any": [TW, {"not": FOLDED}]}, None),
        ({"not": {"all": [TW, FOLDED]}}, None),
        ({"not": {"any": [TW, FOLDED]}}, "NOT #n0.#n1 = :v0"),
        ({"not": {"any": [{"not": TW}, FOLDED]}}, "#n0.#n1 = :v0"),
        (
            {"not": {"all": [TW, {"not": {"any": [OLD, FOLDED]}}]}},
            "NOT (#n0.#n1 = :v0 AND NOT (#n2.#n3 < :v1 OR attribute_exists(#n0.#n4)))",
        ),
    ],
)
def test_under_a_not_the_filter_lets_at_most_the_matching_ones_through(
    raw: dict[str, Any], expression: str | None
) -> None:
    compiled = compile_filter(parse(raw))
    assert (compiled.expression, compiled.exact) == (expression, False)


def test_a_filter_that_is_not_exact_says_what_the_rest_needs() -> None:
    raw = {"all": [TW, FOLDED, {"not": DATED}, TW, cond("Attributes.joined", "exists", True)]}
    assert compile_filter(parse(raw)).needs == (
        ("Location", "Country"),
        ("Location", "City"),
        ("Attributes", "joined"),
    )


@pytest.mark.parametrize("op", ["in_last", "not_in_last"])
@pytest.mark.parametrize("field", ["EffectiveDate", "Attributes.joined"])
def test_what_depends_on_the_clock_cannot_be_compiled_unresolved(field: str, op: str) -> None:
    with pytest.raises(ValueError, match=f"{op} depends on the clock; resolve the criteria first"):
        compile_filter(parse(cond(field, op, "P7D")))


# More than DynamoDB takes: a weaker filter, and Python decides


def long_in(count: int) -> dict[str, Any]:
    return cond("Attributes.a", "in", [f"{number}" for number in range(count)])


def test_what_fits_into_4096_bytes_is_exact_and_what_does_not_only_asks_for_the_field() -> None:
    fits = compile_filter(parse(long_in(131)))
    assert (len(fits.expression or ""), fits.exact) == (4_078, True)
    assert compile_filter(parse(long_in(132))) == Filter(
        expression="attribute_exists(#n0.#n1)",
        names={"#n0": "Attributes", "#n1": "a"},
        values={},
        exact=False,
        needs=(("Attributes", "a"),),
    )


def test_more_than_300_operators_only_ask_for_the_fields() -> None:
    # Three operators for each ne, and 99 between them.
    hundred = {"any": [cond("Id", "ne", f"{number}") for number in range(100)]}
    compiled = compile_filter(parse(hundred))
    assert compiled.expression == " OR ".join(["attribute_exists(#n0)"] * 100)
    assert (compiled.values, compiled.exact) == ({}, False)
    assert compile_filter(parse({"any": hundred["any"][:75]})).exact


def test_of_what_must_hold_together_as_much_as_fits_is_kept() -> None:
    compiled = compile_filter(parse({"all": [TW, long_in(500), OLD, FOLDED]}))
    assert compiled.expression == (
        "#n0.#n1 = :v0 AND attribute_exists(#n2.#n3) AND #n5.#n6 < :v501"
        " AND attribute_exists(#n0.#n7)"
    )
    assert compiled.values == {":v0": "TW", ":v501": Decimal(3)}
    assert not compiled.exact


def test_where_not_even_the_fields_fit_there_is_no_filter() -> None:
    absent = [cond(f"User.UserAttributes.{number}", "exists", False) for number in range(100)]
    compiled = compile_filter(parse({"any": [{"not": each} for each in absent]}))
    assert (compiled.expression, compiled.names, compiled.exact) == (None, {}, False)
    assert len(compiled.needs) == 100
