"""Text that may be stored and searched, told apart from text that may not."""

import re

# Controls (among them the separator inside multi-values) and halves of surrogate pairs, which JSON
# can carry but UTF-8 cannot.
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def why_not_text(value: object, *, max_chars: int) -> str | None:
    """The reason why `value` is refused as a text, without the text itself; None if it is fine."""
    if not isinstance(value, str):
        return f"must be a text, not {json_type(value)}"
    if not value:
        return "must not be empty; leave it out instead"
    if len(value) > max_chars:
        return f"has {len(value):,} characters; at most {max_chars:,} are allowed"
    if _FORBIDDEN.search(value):
        return "must not hold control characters or broken surrogate pairs"
    return None


def json_type(value: object) -> str:
    """What JSON calls the type of the value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return "a number"


def has_broken_surrogates(text: str) -> bool:
    """Whether JSON smuggled in half of a surrogate pair, which no UTF-8 can hold."""
    return _SURROGATE.search(text) is not None
