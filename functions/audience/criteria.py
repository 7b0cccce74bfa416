"""Criteria: which devices a campaign is for, read from JSON and written back."""

import json
from decimal import Decimal
from typing import Any

from functions.audience.criteria_parser import read_criteria
from functions.audience.criteria_tree import AllOf, AnyOf, Condition, Criteria, Not, Op
from functions.shared.errors import InvalidInputError

__all__ = ["AllOf", "AnyOf", "Condition", "Criteria", "Not", "Op", "parse", "to_json", "to_wire"]

# They are kept in the campaign's item and in the list's, beside a message of up to 256 KB.
CRITERIA_MAX_BYTES = 64 * 1024


def parse(raw: object, place: str = "criteria") -> Criteria:
    """The criteria that JSON holds, in their shortest form; InvalidInputError with every place."""
    criteria = read_criteria(raw, place)
    size = len(to_json(criteria).encode())
    if size > CRITERIA_MAX_BYTES:
        reason = f"take {size:,} bytes as JSON; the limit is {CRITERIA_MAX_BYTES:,}"
        raise InvalidInputError.at(place, reason)
    return criteria


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
    return {**wire, "values": values} if criteria.op is Op.IN else {**wire, "value": values[0]}


def _value_to_wire(value: str | Decimal) -> str | int | float:
    if isinstance(value, str):
        return value
    # Exact either way: the parser lets no fraction in that a double would not give back.
    return int(value) if value == value.to_integral_value() else float(value)
