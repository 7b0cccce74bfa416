"""Which operations a kind of field takes, and which values."""

from decimal import Decimal

from functions.audience.criteria_fields import Field, Kind
from functions.audience.criteria_tree import Op
from functions.devices.records import VALUE_MAX_CHARS
from functions.shared.instants import read_instant
from functions.shared.numbers import exact_number
from functions.shared.text import why_not_text

_BASIC = (Op.EQ, Op.NE, Op.IN, Op.EXISTS)
_ORDERED = (*_BASIC, Op.GT, Op.GTE, Op.LT, Op.LTE)
OPS = {
    Kind.TEXT: (*_ORDERED, Op.CONTAINS),
    Kind.MULTI: (*_ORDERED, Op.CONTAINS),
    Kind.NUMBER: _ORDERED,
    Kind.INSTANT: _ORDERED,
    Kind.CHOICE: _BASIC,
}


def read_value(field: Field, given: object) -> str | Decimal:
    """The value as the device's item holds it; ValueError with the reason if it does not fit."""
    if field.kind is Kind.NUMBER:
        return _portable(exact_number(given))
    if reason := why_not_text(given, max_chars=VALUE_MAX_CHARS):
        raise ValueError(reason)
    text = str(given)
    if field.kind is Kind.CHOICE and text not in field.choices:
        raise ValueError(f"must be one of {', '.join(field.choices)}")
    return read_instant(text) if field.kind is Kind.INSTANT else text


def _portable(number: Decimal) -> Decimal:
    """A fraction that every reader of JSON gives back, https://www.rfc-editor.org/rfc/rfc8259#section-6."""
    if number != number.to_integral_value() and Decimal(repr(float(number))) != number:
        raise ValueError("is a fraction with more digits than JSON carries safely (15)")
    return number
