"""Criteria: which devices a campaign is for, read from JSON and written back."""

import json
from decimal import Decimal
from typing import Any

from functions.audience.criteria_parser import read_criteria
from functions.audience.criteria_tree import (
    WITH_VALUES,
    AllOf,
    AnyOf,
    Condition,
    Criteria,
    Not,
    Op,
    conditions,
)
from functions.shared.wrong_places import WrongPlaces

__all__ = [
    "AllOf",
    "AnyOf",
    "Condition",
    "Criteria",
    "Not",
    "Op",
    "from_json",
    "parse",
    "to_json",
    "to_wire",
]

# As many as a segment's dimensions in Pinpoint:
# https://docs.aws.amazon.com/pinpoint/latest/developerguide/quotas.html#quotas-segment
MAX_CONDITIONS = 100
# They are kept in the campaign's item beside a message of up to 256 KB: 128 KB + 256 KB leave 16 KB
# of DynamoDB's 400 KB an item for the rest, which takes about 8 KB at its most (two task tokens of
# 2 KB, a reason of 500 characters, the name, times, counts, two ARNs). In the list's item, where
# relative times have become absolute ones of some 60 bytes each, they are alone.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items
CRITERIA_MAX_BYTES = 128 * 1024


def parse(raw: object, place: str = "criteria") -> Criteria:
    """The criteria that JSON holds, in their shortest form; InvalidInputError with every place."""
    criteria = read_criteria(raw, place)
    wrong = WrongPlaces()
    number = sum(1 for _ in conditions(criteria))
    if number > MAX_CONDITIONS:
        wrong.add(place, f"hold {number:,} conditions; the limit is {MAX_CONDITIONS}")
    size = len(to_json(criteria).encode())
    if size > CRITERIA_MAX_BYTES:
        wrong.add(place, f"take {size:,} bytes as JSON; the limit is {CRITERIA_MAX_BYTES:,}")
    wrong.refuse_if_any()
    return criteria


def from_json(text: str) -> Criteria:
    """The criteria that `to_json` wrote; they were let in once, so no limit is asked about."""
    return read_criteria(json.loads(text), "criteria")


def to_json(criteria: Criteria) -> str:
    """The criteria as JSON text, in any script as it is."""
    return json.dumps(to_wire(criteria), ensure_ascii=False)


def to_wire(criteria: Criteria) -> dict[str, Any]:
    """The criteria as plain JSON values, which `parse` reads back as the same criteria."""
    if isinstance(criteria, AllOf):
        return {"all": [to_wire(part) for part in criteria.parts]}
    if isinstance(criteria, AnyOf):
        return {"any": [to_wire(part) for part in criteria.parts]}
    if isinstance(criteria, Not):
        return {"not": to_wire(criteria.part)}
    wire: dict[str, Any] = {"field": criteria.field.name, "op": criteria.op.value}
    if criteria.op is Op.EXISTS:
        return {**wire, "value": criteria.wanted}
    values = [_value_to_wire(value) for value in criteria.values]
    return (
        {**wire, "values": values} if criteria.op in WITH_VALUES else {**wire, "value": values[0]}
    )


def _value_to_wire(value: str | Decimal) -> str | int | float:
    if isinstance(value, str):
        return value
    # Exact either way: the parser lets no fraction in that a double would not give back.
    return int(value) if value == value.to_integral_value() else float(value)
