from decimal import Decimal

import pytest

from cli import exact_json


def test_a_fraction_comes_out_as_it_went_in() -> None:
    assert exact_json.dumps(exact_json.loads('{"n": 0.1000000000000000055}')) == (
        '{"n": 0.1000000000000000055}'
    )


def test_text_stays_readable_and_is_escaped() -> None:
    assert exact_json.dumps(["臺北", 'a"b\n', True, None]) == '["臺北", "a\\"b\\n", true, null]'
    assert exact_json.dumps({"臺北": 1}) == '{"臺北": 1}'


def test_pretty_text_is_indented() -> None:
    assert exact_json.dumps({"a": [1, Decimal("2.50")], "b": {}}, pretty=True) == (
        '{\n  "a": [\n    1,\n    2.50\n  ],\n  "b": {}\n}'
    )


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{", ""])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (json's own error is a ValueError)
        exact_json.loads(text)


def test_an_infinite_number_is_not_written() -> None:
    with pytest.raises(ValueError, match="no infinite numbers"):
        exact_json.dumps(Decimal("Infinity"))
