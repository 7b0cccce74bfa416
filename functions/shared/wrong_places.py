"""Collects what is wrong with an input, so that the caller hears of every place at once."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from functions.shared.errors import InvalidInputError, InvalidPart

# More than a reader wants, and few enough that the answer fits into Lambda's 6 MB.
MAX_WRONG_PLACES = 100

T = TypeVar("T")


class WrongPlaces:
    """The wrong places found so far."""

    def __init__(self) -> None:
        self._parts: list[InvalidPart] = []

    def add(self, place: str, reason: str) -> None:
        """Notes one wrong place."""
        self._parts.append(InvalidPart(place=place, reason=reason))
        self._stop_if_enough()

    def add_all(self, parts: Sequence[InvalidPart]) -> None:
        """Notes what others found."""
        self._parts += parts
        self._stop_if_enough()

    def attempt(self, read: Callable[[], T]) -> T | None:
        """What `read` reads; None if it refuses, with its reasons noted."""
        try:
            return read()
        except InvalidInputError as error:
            self.add_all(error.parts)
            return None

    def refuse_if_any(self) -> None:
        """InvalidInputError with every place noted; nothing if all was fine."""
        if self._parts:
            raise InvalidInputError(self._parts[:MAX_WRONG_PLACES])

    def certain(self, value: T | None) -> T:
        """The value, which is there if nothing was wrong; else InvalidInputError."""
        self.refuse_if_any()
        if value is None:
            raise AssertionError("a value is missing, and nobody noted why")
        return value

    def _stop_if_enough(self) -> None:
        if len(self._parts) >= MAX_WRONG_PLACES:
            self.refuse_if_any()
