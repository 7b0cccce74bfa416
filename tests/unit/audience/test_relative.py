"""How long ago something was is counted from one moment, for all who ask."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from functions.audience.criteria import from_json, parse, to_json, to_wire
from functions.audience.evaluate import matches
from functions.audience.relative import resolve
from tests.unit.audience.generated import cond

NOW = datetime(2026, 12, 8, 12, 30, tzinfo=UTC)
RECENT = cond("EffectiveDate", "in_last", "P7D")
WEEK_AGO = "2026-12-01T12:30:00.000Z"
TW = cond("Location.Country", "eq", "TW")


def test_relative_conditions_become_absolute_wherever_they_stand_and_others_stay() -> None:
    raw = {"all": [TW, {"any": [{"not": RECENT}, cond("Attributes.a", "not_in_last", "PT36H")]}]}
    assert to_wire(resolve(parse(raw), now=NOW)) == {
        "all": [
            TW,
            {
                "any": [
                    {"not": cond("EffectiveDate", "between", [WEEK_AGO, "9999-12-31"])},
                    cond("Attributes.a", "before", "2026-12-07T00:30:00.000Z"),
                ]
            },
        ]
    }


def test_resolved_criteria_depend_on_no_clock_any_more() -> None:
    once = resolve(parse(RECENT), now=NOW)
    assert resolve(once, now=NOW + timedelta(days=9)) == once
    assert from_json(to_json(once)) == once


@pytest.mark.parametrize(
    ("stored", "in_last", "not_in_last"),
    [
        (["2026-12-08T12:29Z"], True, False),
        (["2026-12-01T12:30:00.000Z"], True, False),
        (["2026-12-01T12:29:59.999Z"], False, True),
        (["2026-12-01T21:30:00+09:00"], True, False),
        (["2026-12-02"], True, False),
        (["2026-12-01"], False, True),
        (["2027-06-01"], True, False),
        (["soon"], False, False),
        (["2026-12-08", "2020-01-01"], True, True),
        (None, False, False),
    ],
)
def test_a_week_ago_is_seven_times_24_hours_before_now(
    stored: list[str] | None, in_last: bool, not_in_last: bool
) -> None:
    item: dict[str, Any] = {"Id": "d1"}
    if stored:
        values = sorted(stored)
        item["Attributes"] = {
            "a": {"all": "\x1f" + "\x1f".join(values) + "\x1f", "max": values[-1]}
        }
    for op, expected in (("in_last", in_last), ("not_in_last", not_in_last)):
        criteria = resolve(parse(cond("Attributes.a", op, "P7D")), now=NOW)
        assert matches(criteria, item) is expected


def test_unresolved_criteria_are_asked_of_nobody() -> None:
    with pytest.raises(
        ValueError, match="in_last depends on the clock; resolve the criteria first"
    ):
        matches(parse(RECENT), {"Id": "d1"})
