"""The opaque tokens that ask for the next page: texts that only we put together."""

import base64
import json
import re
from collections.abc import Sequence

from functions.shared.errors import InvalidInputError

PLACE = "next"
INSTANT = re.compile(r"[0-9TZ:.-]{24}", re.ASCII)


def encode(texts: Sequence[str]) -> str:
    """The token."""
    return base64.urlsafe_b64encode(json.dumps(list(texts)).encode()).decode()


def decode(token: str, *forms: re.Pattern[str]) -> list[str]:
    """Its texts, each in its form; InvalidInputError for a token that we did not give out."""
    try:
        texts = json.loads(base64.b64decode(token.encode(), altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        raise _unknown() from None
    if not isinstance(texts, list) or len(texts) != len(forms):
        raise _unknown()
    for text, form in zip(texts, forms, strict=True):
        if not isinstance(text, str) or not form.fullmatch(text):
            raise _unknown()
    return texts


def _unknown() -> InvalidInputError:
    return InvalidInputError.at(PLACE, "is no token that this API gave out")
