"""Criteria as a tree of conditions, in their shortest form. No AWS in here."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from functions.audience.criteria_fields import Field


class Op(StrEnum):
    """What a condition asks of its field; an absent field answers no to all but `exists` false."""

    EQ = "eq"  # equals the value
    NE = "ne"  # is there and differs from the value
    IN = "in"  # equals one of the values
    CONTAINS = "contains"  # holds the value as a part of its text
    GT = "gt"  # above the value
    GTE = "gte"  # the value or above
    LT = "lt"  # below the value
    LTE = "lte"  # the value or below
    EXISTS = "exists"  # is there; with false, is not there
    IEQ = "ieq"  # equals the value but for upper and lower case
    IIN = "iin"  # equals one of the values but for upper and lower case
    ICONTAINS = "icontains"  # holds the value as a part, but for upper and lower case
    BETWEEN = "between"  # the first value, the second, or anything between them
    BEFORE = "before"  # is a time before the value begins
    AFTER = "after"  # is a time after the value is over
    ON = "on"  # is a time within the value, which is a date
    IN_LAST = "in_last"  # is a time no longer ago than the value, which is a duration
    NOT_IN_LAST = "not_in_last"  # is a time longer ago than the value, which is a duration


# What takes several values; the rest take one.
WITH_VALUES = frozenset({Op.IN, Op.IIN, Op.BETWEEN})
# What depends on when it is asked: relative.py makes it absolute before anybody is asked.
RELATIVE = frozenset({Op.IN_LAST, Op.NOT_IN_LAST})


@dataclass(frozen=True, kw_only=True)
class Condition:
    """One question about one field. `exists` has no values; `wanted` is its true or false."""

    field: Field
    op: Op
    values: tuple[str | Decimal, ...] = ()
    wanted: bool = True


@dataclass(frozen=True, kw_only=True)
class AllOf:
    """Holds if every part does. Two parts at least, none of them an AllOf."""

    parts: "tuple[Criteria, ...]"


@dataclass(frozen=True, kw_only=True)
class AnyOf:
    """Holds if a part does. Two parts at least, none of them an AnyOf."""

    parts: "tuple[Criteria, ...]"


@dataclass(frozen=True, kw_only=True)
class Not:
    """Holds if the part does not, which is no Not itself."""

    part: "Criteria"


Criteria: TypeAlias = Condition | AllOf | AnyOf | Not


def conditions(criteria: Criteria) -> Iterator[Condition]:
    """Every condition of the criteria, in their order."""
    if isinstance(criteria, Condition):
        yield criteria
        return
    for part in (criteria.part,) if isinstance(criteria, Not) else criteria.parts:
        yield from conditions(part)
