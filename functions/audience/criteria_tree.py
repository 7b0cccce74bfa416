"""Criteria as a tree of conditions, in their shortest form. No AWS in here."""

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
