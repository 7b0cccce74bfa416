"""Reads the members of a JSON object one by one, and notes the place of each that is wrong."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from functions.devices.records import NAME_MAX_CHARS
from functions.shared.errors import InvalidInputError
from functions.shared.text import json_type, why_not_text
from functions.shared.wrong_places import WrongPlaces

T = TypeVar("T")
# Reads a value that stands at a place; refuses it by an InvalidInputError.
Read = Callable[[object, str], T]


class ObjectReader:
    """One object of the input, at its place. Without `known`, its names are the caller's own."""

    def __init__(
        self, raw: object, place: str, wrong: WrongPlaces, *, known: Collection[str] | None = None
    ) -> None:
        self._place, self._wrong = place, wrong
        self._raw: dict[Any, Any] = {}
        if not isinstance(raw, dict):
            wrong.add(place, f"must be an object, not {json_type(raw)}")
            return
        self._raw = raw
        for name in raw:
            reason = _why_not_name(name) if known is None else _why_unknown(name, known)
            if reason:
                wrong.add(self._at(name), reason)

    def must(self, name: str, read: Read[T]) -> T | None:
        """The member, which must be there; None if it is wrong."""
        if name not in self._raw:
            self._wrong.add(self._at(name), "is missing")
        return self.may(name, read)

    def may(self, name: str, read: Read[T]) -> T | None:
        """The member, which may be absent; None then, or if it is wrong."""
        if name not in self._raw:
            return None
        try:
            return read(self._raw[name], self._at(name))
        except InvalidInputError as error:
            self._wrong.add_all(error.parts)
            return None

    def all(self, read: Read[T], names: Iterable[str] | None = None) -> dict[str, T]:
        """The members of these names, or of any name, that are there and right."""
        wanted = self._raw if names is None else names
        found = {name: self.may(name, read) for name in wanted if name in self._raw}
        return {name: value for name, value in found.items() if value is not None}

    def inner(self, name: str, known: Collection[str] | None = None) -> "ObjectReader":
        """The object that is the member of that name; an empty one if it is absent."""
        return ObjectReader(self._raw.get(name, {}), self._at(name), self._wrong, known=known)

    def _at(self, name: str) -> str:
        # A name may hold what no UTF-8 can, and whoever writes the place down must be able to.
        shown = name[:NAME_MAX_CHARS].encode("utf-8", "replace").decode()
        return f"{self._place}.{shown}" if self._place else shown


def reading(read: Callable[[object], T]) -> Read[T]:
    """`read`, which knows no places and raises ValueError with the reason, as a Read."""

    def read_at(raw: object, place: str) -> T:
        try:
            return read(raw)
        except ValueError as error:
            raise InvalidInputError.at(place, str(error)) from None

    return read_at


def _why_not_name(name: str) -> str | None:
    reason = why_not_text(name, max_chars=NAME_MAX_CHARS)
    return f"the name {reason}" if reason else None


def _why_unknown(name: str, known: Collection[str]) -> str | None:
    return None if name in known else f"is unknown; there are {', '.join(known)}"
