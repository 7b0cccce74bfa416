"""Texts, numbers and times as they are let in, and numbers as they are written out."""

from decimal import Decimal

import pytest

from functions.shared import exact_json
from functions.shared.instants import read_instant
from functions.shared.numbers import exact_number
from functions.shared.text import why_not_text


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (1, "1"),
        (0.1, "0.1"),
        (Decimal("1.50"), "1.5"),
        (Decimal("-0.0"), "0"),
        (100, "1E+2"),
        (
            Decimal("12345678901234567890123456789012345678"),
            "12345678901234567890123456789012345678",
        ),
        (Decimal("1E-130"), "1E-130"),
        (Decimal("9.9E+125"), "9.9E+125"),
        (Decimal("1." + "0" * 60), "1"),
    ],
)
def test_a_number_is_kept_exactly(given: int | float | Decimal, kept: str) -> None:
    assert str(exact_number(given)) == kept


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (True, "must be a number, not a boolean"),
        ("1", "must be a number, not a text"),
        (None, "must be a number, not null"),
        ([1], "must be a number, not a list"),
        ({}, "must be a number, not an object"),
        (float("nan"), "must be a finite number"),
        (Decimal("Infinity"), "must be a finite number"),
        (Decimal("1E+126"), "must lie between 1E-130 and 9.9E+125, or be 0"),
        (Decimal("1E+999999999"), "must lie between 1E-130 and 9.9E+125, or be 0"),
        (Decimal("9E-131"), "must lie between 1E-130 and 9.9E+125, or be 0"),
        (10**38 + 1, "has 39 digits; at most 38 can be kept exactly"),
    ],
)
def test_a_number_that_dynamodb_cannot_keep_is_refused(given: object, reason: str) -> None:
    with pytest.raises(ValueError, match="^" + reason.replace("+", r"\+") + "$"):
        exact_number(given)


@pytest.mark.parametrize("text", ["a", "台北 🎷", "a.b#c d", "e\u0301", "'"])
def test_a_text_of_any_script_is_let_in(text: str) -> None:
    assert why_not_text(text, max_chars=10) is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "must not be empty; leave it out instead"),
        ("12345678901", "has 11 characters; at most 10 are allowed"),
        ("a\x1fb", "must not hold control characters or broken surrogate pairs"),
        ("a\nb", "must not hold control characters or broken surrogate pairs"),
        ("\x7f", "must not hold control characters or broken surrogate pairs"),
        ("\ud83c", "must not hold control characters or broken surrogate pairs"),
        (3, "must be a text, not a number"),
    ],
)
def test_a_text_that_cannot_be_searched_is_refused(value: object, reason: str) -> None:
    assert why_not_text(value, max_chars=10) == reason


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-12-01", "2026-12-01T00:00:00.000Z"),
        ("2026-12-01T09:30:00+09:00", "2026-12-01T00:30:00.000Z"),
        ("2026-12-01T00:30:00.123456Z", "2026-12-01T00:30:00.123Z"),
    ],
)
def test_a_time_is_brought_into_the_form_that_sorts(text: str, instant: str) -> None:
    assert read_instant(text) == instant


@pytest.mark.parametrize("text", ["2026-12-01T09:30:00", "yesterday", "", "0001-01-01T00:00+14:00"])
def test_a_time_without_a_zone_or_none_at_all_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a date, or a time with its zone"):
        read_instant(text)


def test_numbers_are_written_as_they_are_stored() -> None:
    value = {"a": [Decimal("0.10000000000000000001"), Decimal("1E+2"), Decimal("1E-130")]}
    assert exact_json.dumps(value) == '{"a":[0.10000000000000000001,100,1E-130]}'


def test_everything_else_is_written_as_json_writes_it() -> None:
    value: dict[str, object] = {"台": None, "b": [True, 1, 'quote "'], "c": {}}
    assert exact_json.dumps(value) == '{"台":null,"b":[true,1,"quote \\""],"c":{}}'
