"""Criteria answered in plain Python for one device, as docs/criteria.md says they are meant."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from functions.audience.criteria_fields import Field, Kind
from functions.audience.criteria_tree import AllOf, AnyOf, Condition, Criteria, Not, Op
from functions.audience.dates import instant_of, span
from functions.devices import multi_values

Item = Mapping[str, Any]
Matcher = Callable[[Item], bool]

_Values = tuple[Any, ...]
_Question = Callable[[Any], bool]  # about one text or number that the device has


def matches(criteria: Criteria, item: Item) -> bool:
    """Whether the device, as its item holds it, is one that the criteria select.

    ValueError if they speak of how long ago something was: resolve them first.
    """
    return matcher(criteria)(item)


def matcher(criteria: Criteria) -> Matcher:
    """`matches` for many devices: what does not depend on the device is worked out once."""
    if isinstance(criteria, AllOf):
        every = [matcher(part) for part in criteria.parts]
        return lambda item: all(holds(item) for holds in every)
    if isinstance(criteria, AnyOf):
        some = [matcher(part) for part in criteria.parts]
        return lambda item: any(holds(item) for holds in some)
    if isinstance(criteria, Not):
        part = matcher(criteria.part)
        return lambda item: not part(item)
    field, wanted = criteria.field, criteria.wanted
    if criteria.op is Op.EXISTS:
        return lambda item: bool(_present(field, item)) is wanted
    question = _QUESTIONS[criteria.op](criteria)
    return lambda item: any(question(have) for have in _present(field, item))


def _present(field: Field, item: Item) -> tuple[str | Decimal, ...]:
    """What the item has in the field; nothing if the field is absent."""
    found: Any = item
    for step in field.path:
        if step not in found:
            return ()
        found = found[step]
    return multi_values.decode(found) if field.kind is Kind.MULTI else (found,)


def _folded(values: _Values) -> frozenset[str]:
    """Upper and lower case made one, in any script: https://docs.python.org/3/library/stdtypes.html#str.casefold"""
    return frozenset(value.casefold() for value in values)


def _plain(compare: Callable[[Any, Any], bool]) -> Callable[[Condition], _Question]:
    # The order of code points is that of UTF-8 bytes, so Python compares texts as DynamoDB does.
    return lambda condition: lambda have: compare(have, condition.values[0])


def _dated(compare: Callable[[str, str, str], bool]) -> Callable[[Condition], _Question]:
    """Asks about the time that the text stands for; one that stands for none answers no."""

    def question(condition: Condition) -> _Question:
        ends = [span(str(value)) for value in condition.values]
        first, last = ends[0][0], ends[-1][1]

        def answer(have: str) -> bool:
            at = instant_of(have)
            return at is not None and compare(at, first, last)

        return answer

    return question


def _one_of(condition: Condition) -> _Question:
    values = frozenset(condition.values)
    return lambda have: have in values


def _folded_one_of(condition: Condition) -> _Question:
    values = _folded(condition.values)
    return lambda have: have.casefold() in values


def _folded_part(condition: Condition) -> _Question:
    (value,) = _folded(condition.values)
    return lambda have: value in have.casefold()


_within = _dated(lambda at, first, last: first <= at <= last)


def _between(condition: Condition) -> _Question:
    if condition.field.kind is not Kind.NUMBER:
        return _within(condition)
    low, high = condition.values
    return lambda have: low <= have <= high


def _relative(condition: Condition) -> _Question:
    raise ValueError(f"{condition.op} depends on the clock; resolve the criteria first")


_QUESTIONS: dict[Op, Callable[[Condition], _Question]] = {
    Op.EQ: _plain(lambda have, value: have == value),
    Op.NE: _plain(lambda have, value: have != value),
    Op.IN: _one_of,
    Op.CONTAINS: _plain(lambda have, value: value in have),
    Op.GT: _plain(lambda have, value: have > value),
    Op.GTE: _plain(lambda have, value: have >= value),
    Op.LT: _plain(lambda have, value: have < value),
    Op.LTE: _plain(lambda have, value: have <= value),
    Op.IEQ: _folded_one_of,
    Op.IIN: _folded_one_of,
    Op.ICONTAINS: _folded_part,
    Op.BETWEEN: _between,
    Op.BEFORE: _dated(lambda at, first, _last: at < first),
    Op.AFTER: _dated(lambda at, _first, last: at > last),
    Op.ON: _within,
    Op.IN_LAST: _relative,
    Op.NOT_IN_LAST: _relative,
}
