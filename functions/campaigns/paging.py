"""The opaque tokens that ask for the next page."""

import base64
import re

from functions.campaigns.ids import CAMPAIGN_ID
from functions.devices.records import ID_MAX_CHARS
from functions.shared import page_tokens
from functions.shared.errors import InvalidInputError

PLACE = "next"

_ENTRY = re.compile(r"audit#[0-9TZ:.#a-z-]{1,100}", re.ASCII)
_FIELDS = ("campaign_id", "created_at")


def encode_next(start: dict[str, str] | None) -> str | None:
    """The token for where the next page starts; None if there is none."""
    return None if start is None else page_tokens.encode([start[name] for name in _FIELDS])


def decode_next(token: str | None) -> dict[str, str] | None:
    """Where the page starts; InvalidInputError for a token that we did not give out."""
    if token is None:
        return None
    texts = page_tokens.decode(token, CAMPAIGN_ID, page_tokens.INSTANT)
    return dict(zip(_FIELDS, texts, strict=True))


def encode_member(device_id: str) -> str:
    """The token for the page of members after this one."""
    return base64.urlsafe_b64encode(device_id.encode()).decode()


def decode_member(token: str | None) -> str | None:
    """The Id that the page starts after; InvalidInputError for what is no such token."""
    if token is None:
        return None
    try:
        device_id = base64.b64decode(token.encode(), altchars=b"-_", validate=True).decode()
    except ValueError:
        raise _unknown() from None
    if not 0 < len(device_id) <= ID_MAX_CHARS:
        raise _unknown()
    return device_id


def encode_next_entry(record: str | None) -> str | None:
    """The token for the history after this record; None if there is no more."""
    return None if record is None else base64.urlsafe_b64encode(record.encode()).decode()


def decode_next_entry(token: str | None) -> str | None:
    """The record that the page starts after; InvalidInputError for what we did not give out."""
    if token is None:
        return None
    try:
        record = base64.b64decode(token.encode(), altchars=b"-_", validate=True).decode("ascii")
    except ValueError:
        raise _unknown() from None
    if not _ENTRY.fullmatch(record):
        raise _unknown()
    return record


def _unknown() -> InvalidInputError:
    return InvalidInputError.at(PLACE, "is no token that this API gave out")
