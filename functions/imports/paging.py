"""The opaque token that asks for the next page of imports."""

import re
from collections.abc import Mapping

from functions.shared import page_tokens

PAGE_DEFAULT = 20
PAGE_MAX = 100
IMPORT_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FIELDS = ("import_id", "created_at")


def encode_next(start: Mapping[str, str] | None) -> str | None:
    """The token for where the next page starts; None if there is none."""
    return None if start is None else page_tokens.encode([start[name] for name in _FIELDS])


def decode_next(token: str | None) -> dict[str, str] | None:
    """Where the page starts; InvalidInputError for a token that we did not give out."""
    if token is None:
        return None
    texts = page_tokens.decode(token, IMPORT_ID, page_tokens.INSTANT)
    return dict(zip(_FIELDS, texts, strict=True))
