"""Criteria answered in plain Python: what the DynamoDB filter must come to, said another way."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from functions.audience.criteria_fields import Kind
from functions.audience.criteria_tree import AllOf, AnyOf, Condition, Criteria, Not, Op
from functions.devices import multi_values

_Value = str | Decimal
# The order of code points is that of UTF-8 bytes, so Python compares texts as DynamoDB does.
_ANSWERS: dict[Op, Callable[[Any, tuple[Any, ...]], bool]] = {
    Op.EQ: lambda have, values: have == values[0],
    Op.NE: lambda have, values: have != values[0],
    Op.IN: lambda have, values: have in values,
    Op.CONTAINS: lambda have, values: values[0] in have,
    Op.GT: lambda have, values: have > values[0],
    Op.GTE: lambda have, values: have >= values[0],
    Op.LT: lambda have, values: have < values[0],
    Op.LTE: lambda have, values: have <= values[0],
}


def matches(criteria: Criteria, item: Mapping[str, Any]) -> bool:
    """Whether the device, as its item holds it, is one that the criteria select."""
    if isinstance(criteria, AllOf):
        return all(matches(part, item) for part in criteria.parts)
    if isinstance(criteria, AnyOf):
        return any(matches(part, item) for part in criteria.parts)
    if isinstance(criteria, Not):
        return not matches(criteria.part, item)
    present = _values(criteria, item)
    if criteria.op is Op.EXISTS:
        return bool(present) is criteria.wanted
    answer = _ANSWERS[criteria.op]
    return any(answer(have, criteria.values) for have in present)


def _values(condition: Condition, item: Mapping[str, Any]) -> tuple[_Value, ...]:
    """What the item has in the condition's field; nothing if the field is absent."""
    found: Any = item
    for step in condition.field.path:
        if step not in found:
            return ()
        found = found[step]
    return multi_values.decode(found) if condition.field.kind is Kind.MULTI else (found,)
