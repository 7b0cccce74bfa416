"""How several texts under one name are kept so that a DynamoDB filter can ask about any of them.

`all` holds every value between separators, `max` the last one in the order of UTF-8 bytes. The
separator sorts before every character that a value may hold, which is what makes comparing work.
"""

from collections.abc import Iterable, Mapping

SEPARATOR = "\u001f"
ALL = "all"
MAX = "max"


def normal(values: Iterable[str]) -> tuple[str, ...]:
    """The distinct values in the order of their UTF-8 bytes, which is that of code points."""
    return tuple(sorted(set(values)))


def encode(values: Iterable[str]) -> dict[str, str]:
    """The stored form of one value at least."""
    ordered = normal(values)
    return {ALL: enclosed(SEPARATOR.join(ordered)), MAX: ordered[-1]}


def decode(stored: Mapping[str, str]) -> tuple[str, ...]:
    """The values that `encode` stored."""
    return tuple(stored[ALL][1:-1].split(SEPARATOR))


def enclosed(value: str) -> str:
    """The value as it stands in `all`, where it is found only as a whole."""
    return f"{SEPARATOR}{value}{SEPARATOR}"


def below(value: str) -> str:
    """`all` sorts below this if a value, the first at least, sorts below `value`."""
    return SEPARATOR + value


def upto(value: str) -> str:
    """`all` sorts below this if a value, the first at least, is `value` or sorts below it."""
    # A space is the first character that may stand where the separator ends the first value.
    return f"{SEPARATOR}{value} "
