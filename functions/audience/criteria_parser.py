"""Reads criteria from JSON, tells every wrong place, and brings them into their shortest form."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from functions.audience.criteria_fields import Field, field_of
from functions.audience.criteria_tree import (
    WITH_VALUES,
    AllOf,
    AnyOf,
    Condition,
    Criteria,
    Not,
    Op,
)
from functions.audience.criteria_values import OPS, Value, read_value, why_no_range
from functions.shared.errors import InvalidInputError
from functions.shared.text import json_type
from functions.shared.wrong_places import WrongPlaces

MAX_DEPTH = 100

_GROUPS: dict[str, type[AllOf] | type[AnyOf]] = {"all": AllOf, "any": AnyOf}

T = TypeVar("T")


class _TooDeepError(Exception):
    pass


def read_criteria(raw: object, place: str) -> Criteria:
    """The criteria; InvalidInputError with every place that is wrong."""
    try:
        return _node(raw, place, depth=1)
    except _TooDeepError:
        raise InvalidInputError.at(place, f"is nested deeper than {MAX_DEPTH} levels") from None


def _node(raw: object, place: str, depth: int) -> Criteria:
    if depth > MAX_DEPTH:
        raise _TooDeepError
    if not isinstance(raw, Mapping):
        raise InvalidInputError.at(place, f"must be an object, not {json_type(raw)}")
    if "not" in raw:
        _only(raw, place, ("not",))
        return _negated(_node(raw["not"], f"{place}.not", depth + 1))
    for name, group in _GROUPS.items():
        if name in raw:
            _only(raw, place, (name,))
            parts = _each(raw[name], f"{place}.{name}", partial(_node, depth=depth + 1))
            return _joined(group, parts)
    return _condition(raw, place)


def _negated(part: Criteria) -> Criteria:
    return part.part if isinstance(part, Not) else Not(part=part)


def _joined(group: type[AllOf] | type[AnyOf], parts: Sequence[Criteria]) -> Criteria:
    flat: list[Criteria] = []
    for part in parts:
        flat += part.parts if isinstance(part, group) else (part,)
    return flat[0] if len(flat) == 1 else group(parts=tuple(flat))


def _condition(raw: Mapping[Any, Any], place: str) -> Condition:
    wrong = WrongPlaces()
    maybe_field = wrong.attempt(partial(_field, raw, place))
    maybe_op = wrong.attempt(partial(_op, raw, place, maybe_field))
    field, op = wrong.certain(maybe_field), wrong.certain(maybe_op)
    key = "values" if op in WITH_VALUES else "value"
    _only(raw, place, ("field", "op", key))
    place = f"{place}.{key}"
    if op is Op.EXISTS:
        return Condition(field=field, op=op, wanted=_true_or_false(raw.get(key, True), place))
    if key not in raw:
        raise InvalidInputError.at(place, "is missing")
    if op in WITH_VALUES:
        return Condition(field=field, op=op, values=_values(field, op, raw[key], place))
    return Condition(field=field, op=op, values=(_value(field, op, raw[key], place),))


def _field(raw: Mapping[Any, Any], place: str) -> Field:
    place = f"{place}.field"
    name = _text(raw, "field", place)
    try:
        return field_of(name)
    except ValueError as error:
        raise InvalidInputError.at(place, str(error)) from None


def _op(raw: Mapping[Any, Any], place: str, field: Field | None) -> Op:
    place = f"{place}.op"
    name = _text(raw, "op", place)
    fitting = OPS[field.kind] if field else tuple(Op)
    if name not in fitting:
        what = f"must fit a {field.kind} field" if field else "must be one"
        raise InvalidInputError.at(place, f"{what}: {', '.join(fitting)}")
    return Op(name)


def _text(raw: Mapping[Any, Any], key: str, place: str) -> str:
    if key not in raw:
        raise InvalidInputError.at(place, "is missing")
    if not isinstance(raw[key], str):
        raise InvalidInputError.at(place, f"must be a text, not {json_type(raw[key])}")
    return str(raw[key])


def _values(field: Field, op: Op, given: object, place: str) -> tuple[Value, ...]:
    values = _each(given, place, partial(_value, field, op))
    if op is not Op.BETWEEN:
        return tuple(dict.fromkeys(values))
    if reason := why_no_range(values):
        raise InvalidInputError.at(place, reason)
    return tuple(values)


def _value(field: Field, op: Op, given: object, place: str) -> Value:
    try:
        return read_value(field, op, given)
    except ValueError as error:
        raise InvalidInputError.at(place, str(error)) from None


def _true_or_false(given: object, place: str) -> bool:
    if not isinstance(given, bool):
        raise InvalidInputError.at(place, f"must be true or false, not {json_type(given)}")
    return given


def _each(given: object, place: str, read: Callable[[object, str], T]) -> list[T]:
    """What is read of each thing in a list that must have some."""
    if not isinstance(given, list | tuple):
        raise InvalidInputError.at(place, f"must be a list, not {json_type(given)}")
    if not given:
        raise InvalidInputError.at(place, "must not be empty")
    wrong = WrongPlaces()
    found = [
        wrong.attempt(partial(read, each, f"{place}[{index}]")) for index, each in enumerate(given)
    ]
    wrong.refuse_if_any()
    return [each for each in found if each is not None]


def _only(raw: Mapping[Any, Any], place: str, known: Sequence[str]) -> None:
    if any(key not in known for key in raw):
        raise InvalidInputError.at(place, f"takes nothing but {', '.join(known)} here")
