"""Numbers as DynamoDB keeps them: exact decimals, never binary floats."""

from decimal import Context, Decimal, Inexact

from functions.shared.text import json_type

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-data-types
MAX_DIGITS = 38
MAX_EXPONENT = 125
MIN_EXPONENT = -130
_EXACTLY = Context(prec=MAX_DIGITS, traps=[Inexact])


def exact_number(value: object) -> Decimal:
    """The number without trailing zeros; ValueError with the reason if DynamoDB cannot keep it."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError(f"must be a number, not {json_type(value)}")
    # The shortest text that means this float is the number that was written.
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        raise ValueError("must be a finite number")
    if number == 0:
        return Decimal(0)
    if not MIN_EXPONENT <= number.adjusted() <= MAX_EXPONENT:
        raise ValueError("must lie between 1E-130 and 9.9E+125, or be 0")
    try:
        return _EXACTLY.normalize(number)
    except Inexact:
        digits = len("".join(map(str, number.as_tuple().digits)).strip("0"))
        reason = f"has {digits} digits; at most {MAX_DIGITS} can be kept exactly"
        raise ValueError(reason) from None
