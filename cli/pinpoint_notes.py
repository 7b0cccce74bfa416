"""Reads a foreign document member by member, and notes what is wrong in it and what to remark."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from cli.errors import Wrong

# What the device API takes: docs/criteria.md.
NAME_MAX_CHARS = 50
VALUE_MAX_CHARS = 102_400
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SMALLEST, _LARGEST = 1e-130, 9.9e125

T = TypeVar("T")


@dataclass(kw_only=True)
class Notes:
    """What was noted so far, in the order in which it was met."""

    wrong: list[Wrong] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def refuse(self, place: str, reason: str) -> None:
        """Something that cannot be taken over."""
        self.wrong.append(Wrong(place=place, reason=reason))

    def remark(self, place: str, text: str) -> None:
        """Something that was taken over, but not quite as it was."""
        self.remarks.append(f"{place}: {text}")

    def members(self, raw: Any, place: str, known: Collection[str]) -> dict[str, Any]:
        """The object's members that are not null; those of other names are noted."""
        members = self._object(raw, place)
        for name in members:
            if name not in known:
                self.refuse(inside(place, name), "is not known")
        return members

    def named(self, raw: Any, place: str) -> Iterator[tuple[str, str, Any]]:
        """Name, place and value of each member of an object whose names are free."""
        for name, value in self._object(raw, place).items():
            at = inside(place, name)
            if reason := _why_no_text(name, NAME_MAX_CHARS):
                self.refuse(at, f"the name {reason}")
            yield name, at, value

    def items(self, raw: Any, place: str) -> list[Any]:
        """The list's items; none if there is no list."""
        if raw is not None and not isinstance(raw, list):
            self.refuse(place, "must be a list")
            return []
        return raw or []

    def texts(self, members: Mapping[str, Any], place: str) -> list[str]:
        """The texts of the member Values, which must be there."""
        at = inside(place, "Values")
        items = self.items(members.get("Values"), at)
        if not items:
            self.refuse(at, "must hold a value at least")
        for index, item in enumerate(items):
            if reason := _why_no_text(item, VALUE_MAX_CHARS):
                self.refuse(f"{at}[{index}]", reason)
        return [item for item in items if isinstance(item, str)]

    def choice(
        self,
        members: Mapping[str, Any],
        name: str,
        place: str,
        choices: Mapping[str, T],
        *,
        default: str | None = None,
    ) -> T | None:
        """What the member stands for; None, noted, if it is none of the choices."""
        given = members.get(name, default)
        if isinstance(given, str) and given in choices:
            return choices[given]
        reason = "is missing" if given is None else f"must be one of {', '.join(choices)}"
        self.refuse(inside(place, name), reason)
        return None

    def number(self, members: Mapping[str, Any], name: str, place: str) -> int | Decimal | None:
        """The number, as the double that Pinpoint keeps; None, noted, if it is none."""
        try:
            return _double(members.get(name))
        except ValueError as error:
            self.refuse(inside(place, name), str(error))
            return None

    def _object(self, raw: Any, place: str) -> dict[str, Any]:
        if not isinstance(raw, dict):
            self.refuse(place, "must be an object")
            return {}
        return {name: value for name, value in raw.items() if value is not None}


def inside(place: str, name: str) -> str:
    """The place of a member."""
    return f"{place}.{name}" if place else name


def _why_no_text(value: Any, max_chars: int) -> str | None:
    if not isinstance(value, str):
        return "must be a text"
    if not value:
        return "is empty, which no device has"
    if len(value) > max_chars:
        return f"has {len(value):,} characters; at most {max_chars:,} can be searched"
    return "holds control characters, which no device has" if _FORBIDDEN.search(value) else None


def _double(value: Any) -> int | Decimal:
    if value is None:
        raise ValueError("is missing")
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("must be a number")
    try:
        double = float(value)
    except OverflowError:
        double = float("inf")
    if double and not _SMALLEST <= abs(double) <= _LARGEST:
        raise ValueError("lies beyond what can be stored: 1E-130 to 9.9E+125")
    # The shortest text that means this double: every reader of JSON gives it back.
    return int(double) if double == value and double.is_integer() else Decimal(repr(double))
