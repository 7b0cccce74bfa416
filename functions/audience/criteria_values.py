"""Which operations a kind of field takes, and which values."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from functions.audience.criteria_fields import Field, Kind
from functions.audience.criteria_tree import RELATIVE, Op
from functions.audience.dates import read_date, read_date_or_time, read_duration, span
from functions.devices.records import VALUE_MAX_CHARS
from functions.shared.instants import read_instant
from functions.shared.numbers import exact_number
from functions.shared.text import why_not_text

Value = str | Decimal

_BASIC = (Op.EQ, Op.NE, Op.IN, Op.EXISTS)
_ORDERED = (*_BASIC, Op.GT, Op.GTE, Op.LT, Op.LTE)
_TEXTS = (*_ORDERED, Op.CONTAINS, Op.IEQ, Op.IIN, Op.ICONTAINS)
_DATES = (Op.BETWEEN, Op.BEFORE, Op.AFTER, Op.ON, Op.IN_LAST, Op.NOT_IN_LAST)
OPS = {
    Kind.TEXT: _TEXTS,
    Kind.MULTI: (*_TEXTS, *_DATES),
    Kind.NUMBER: (*_ORDERED, Op.BETWEEN),
    Kind.INSTANT: (*_ORDERED, *_DATES),
    Kind.CHOICE: _BASIC,
}
_DATE_READERS: dict[Op, Callable[[str], str]] = {
    Op.ON: read_date,
    **dict.fromkeys((Op.BETWEEN, Op.BEFORE, Op.AFTER), read_date_or_time),
    **dict.fromkeys(RELATIVE, read_duration),
}


def read_value(field: Field, op: Op, given: object) -> Value:
    """The value in the form that is kept and compared; ValueError with the reason if it does not
    fit the field or the operation."""
    if field.kind is Kind.NUMBER:
        return _portable(exact_number(given))
    if reason := why_not_text(given, max_chars=VALUE_MAX_CHARS):
        raise ValueError(reason)
    text = str(given)
    if op in _DATE_READERS:
        return _DATE_READERS[op](text)
    if field.kind is Kind.CHOICE and text not in field.choices:
        raise ValueError(f"must be one of {', '.join(field.choices)}")
    return read_instant(text) if field.kind is Kind.INSTANT else text


def why_no_range(values: Sequence[Value]) -> str | None:
    """The reason why these are not the two ends of `between`; None if they are."""
    if len(values) != 2:  # noqa: PLR2004 (from and to)
        return f"must be two values, from and to, not {len(values)}"
    # A date begins with its first instant and ends with its last.
    low, high = (span(each) if isinstance(each, str) else (each, each) for each in values)
    return "must not have the first above the second" if low[0] > high[1] else None  # type: ignore[operator]  # both are texts or both numbers


def _portable(number: Decimal) -> Decimal:
    """A fraction that every reader of JSON gives back, https://www.rfc-editor.org/rfc/rfc8259#section-6."""
    if number != number.to_integral_value() and Decimal(repr(float(number))) != number:
        raise ValueError("is a fraction with more digits than JSON carries safely (15)")
    return number
