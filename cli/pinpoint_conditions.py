"""Criteria as the API takes them, put together out of conditions."""

from collections.abc import Sequence
from typing import Any

Criteria = dict[str, Any]


def condition(field: str, op: str, value: Any) -> Criteria:
    """One condition; a list is its values."""
    return {"field": field, "op": op, ("values" if isinstance(value, list) else "value"): value}


def one_of(field: str, values: Sequence[str]) -> list[Criteria]:
    """That the field has one of the values; nothing if there are none."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return [condition(field, "eq", distinct[0])]
    return [condition(field, "in", distinct)] if distinct else []


def all_of(parts: Sequence[Criteria]) -> list[Criteria]:
    """That every part holds; nothing if there is none."""
    return _group("all", parts)


def any_of(parts: Sequence[Criteria]) -> list[Criteria]:
    """That one of the parts holds; nothing if there is none."""
    return _group("any", parts)


def none_of(parts: Sequence[Criteria]) -> list[Criteria]:
    """That no part holds; nothing if there is none."""
    return [{"not": part} for part in any_of(parts)]


def count(criteria: Criteria) -> int:
    """How many conditions there are."""
    if "not" in criteria:
        return count(criteria["not"])
    parts = criteria.get("all") or criteria.get("any")
    return sum(map(count, parts)) if parts else 1


def _group(name: str, parts: Sequence[Criteria]) -> list[Criteria]:
    flat: list[Criteria] = []
    for part in parts:
        flat += part.get(name, [part])
    return [{name: flat}] if len(flat) > 1 else flat
