"""Numbers as DynamoDB keeps them: exact decimals, never binary floats."""

from decimal import Decimal

from functions.shared.text import json_type

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-data-types
MAX_DIGITS = 38
MAX_EXPONENT = 125
MIN_EXPONENT = -130


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
    sign, digits, exponent = number.as_tuple()
    written = "".join(map(str, digits)).lstrip("0")
    kept = written.rstrip("0")
    if len(kept) > MAX_DIGITS:
        raise ValueError(f"has {len(kept)} digits; at most {MAX_DIGITS} can be kept exactly")
    scale = int(exponent) + len(written) - len(kept)
    return Decimal((sign, tuple(map(int, kept)), scale))
