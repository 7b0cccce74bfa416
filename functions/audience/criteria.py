"""Criteria: which devices a campaign is for, read from JSON and written back."""

from decimal import Decimal
from typing import Any

from functions.audience.criteria_parser import read_criteria
from functions.audience.criteria_tree import AllOf, AnyOf, Condition, Criteria, Not, Op

__all__ = ["AllOf", "AnyOf", "Condition", "Criteria", "Not", "Op", "parse", "to_wire"]


def parse(raw: object, place: str = "criteria") -> Criteria:
    """The criteria that JSON holds, in their shortest form; InvalidInputError with every place."""
    return read_criteria(raw, place)


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
