"""JSON whose numbers are exactly those that are stored: Decimal out, never binary float."""

import json
from decimal import Decimal
from typing import Any

# Beyond this many zeros a number is written with an exponent.
_PLAIN_EXPONENT = 20


def dumps(value: Any) -> str:
    """The JSON text of dicts, lists, texts, numbers, booleans and None."""
    if isinstance(value, Decimal):
        return format(value, "f") if abs(value.adjusted()) <= _PLAIN_EXPONENT else str(value)
    if isinstance(value, dict):
        members = (f"{dumps(str(name))}:{dumps(each)}" for name, each in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dumps, value)) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
