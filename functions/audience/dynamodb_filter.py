"""Compiles criteria into a DynamoDB filter that lets at least the matching devices through.

DynamoDB charges for what it reads, before the filter, so that a weaker one costs no read more, only
transfer; what it lets through too much, evaluate.py sorts out.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.FilterExpression
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from functions.audience.criteria_tree import AllOf, Criteria, conditions
from functions.audience.filter_writer import Binds, Bound, Writer, Written, is_exact, joined

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters
MAX_EXPRESSION_BYTES = 4_096
MAX_OPERATORS = 300

_ALIAS = re.compile(r"[#:]\w+")

Path = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Filter:
    """A filter expression with the names (#n0, ...) and values (:v0, ...) it speaks of.

    No expression lets everything through. Unless it is `exact`, the devices that it lets through
    have to be asked themselves, which `needs` these paths of their items.
    """

    expression: str | None
    names: dict[str, str]
    values: dict[str, str | Decimal]
    exact: bool
    needs: tuple[Path, ...]


def compile_filter(criteria: Criteria) -> Filter:
    """The filter of resolved criteria; exact unless they hold what DynamoDB cannot say, or more
    than it takes."""
    writer = Writer()
    written = writer.tree(criteria, Bound.AT_LEAST)
    exact = all(map(is_exact, conditions(criteria)))
    if written is not None and not _fits(written):
        written, exact = _weaker(criteria, writer), False
    text = written.text if written else None
    used = set(_ALIAS.findall(text or ""))
    asked = dict.fromkeys(condition.field.path for condition in conditions(criteria))
    return Filter(
        expression=text,
        # DynamoDB refuses an alias that no expression speaks of.
        names={alias: name for name, alias in writer.names.items() if alias in used},
        values={alias: value for value, alias in writer.values.items() if alias in used},
        exact=exact,
        needs=() if exact else tuple(asked),
    )


def _weaker(criteria: Criteria, writer: Writer) -> Written | None:
    """Of what must hold together, as much as fits, the fields alone where the whole does not."""
    kept: list[Written] = []
    for part in criteria.parts if isinstance(criteria, AllOf) else (criteria,):
        for coarse in (False, True):
            written = writer.tree(part, Bound.AT_LEAST, coarse=coarse)
            if written is not None and _fits(joined(Binds.AND, [*kept, written])):
                kept.append(written)
                break
    return joined(Binds.AND, kept) if kept else None


def _fits(written: Written) -> bool:
    return len(written.text.encode()) <= MAX_EXPRESSION_BYTES and written.operators <= MAX_OPERATORS
