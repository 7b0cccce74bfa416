"""JSON read with its numbers exact; every way in which a text can be no JSON is a ValueError."""

import json
from decimal import Decimal, InvalidOperation
from typing import Any


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


# Made once: json.loads would make one for every row.
_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant)


def decoded(text: str) -> Any:
    """The value; ValueError with a reason that holds nothing of the text."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON, at character {error.pos + 1:,}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except InvalidOperation:
        # An exponent beyond 64 bits, which Python does not read.
        raise ValueError("holds a number that is too long") from None
    except ValueError as error:
        # NaN and the like, or an integer of more than 4,300 digits.
        constant = str(error).endswith("is not JSON")
        raise ValueError(str(error) if constant else "holds a number that is too long") from None
