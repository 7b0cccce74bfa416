"""Conditions on how long ago something was, made absolute at one moment for all who ask."""

from datetime import datetime

from functions.audience.criteria_tree import RELATIVE, AllOf, AnyOf, Condition, Criteria, Not, Op
from functions.audience.dates import LAST_DAY, length
from functions.shared.clock import to_wire


def resolve(criteria: Criteria, *, now: datetime) -> Criteria:
    """The criteria as they stand at that moment: nothing in them depends on the clock any more."""
    if isinstance(criteria, AllOf | AnyOf):
        return type(criteria)(parts=tuple(resolve(part, now=now) for part in criteria.parts))
    if isinstance(criteria, Not):
        return Not(part=resolve(criteria.part, now=now))
    return _absolute(criteria, now) if criteria.op in RELATIVE else criteria


def _absolute(condition: Condition, now: datetime) -> Condition:
    since = to_wire(now - length(str(condition.values[0])))
    if condition.op is Op.NOT_IN_LAST:
        return Condition(field=condition.field, op=Op.BEFORE, values=(since,))
    # No upper end: what lies ahead is a clock that runs fast, or a device that was active while the
    # list was being built.
    return Condition(field=condition.field, op=Op.BETWEEN, values=(since, LAST_DAY))
