"""Expected failures, one root. Each knows the HTTP status it becomes; only http.py uses it."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class InvalidPart:
    """Where in the input something is wrong, and why."""

    place: str
    reason: str


class FanfareError(Exception):
    """Root of every failure that Fanfare expects. The text is for the caller: no token, no data."""

    status: ClassVar[HTTPStatus] = HTTPStatus.INTERNAL_SERVER_ERROR
    slug: ClassVar[str] = "internal-error"
    title: ClassVar[str] = "Internal error"


class InvalidInputError(FanfareError):
    """The input is refused, with every place that is wrong."""

    status = HTTPStatus.BAD_REQUEST
    slug = "invalid-input"
    title = "The input is not valid"

    def __init__(self, parts: Sequence[InvalidPart]) -> None:
        self.parts = tuple(parts)
        super().__init__("; ".join(f"{part.place}: {part.reason}" for part in self.parts))

    @classmethod
    def at(cls, place: str, reason: str) -> "InvalidInputError":
        """The error for one wrong place."""
        return cls([InvalidPart(place=place, reason=reason)])


class NotFoundError(FanfareError):
    """What was asked for does not exist."""

    status = HTTPStatus.NOT_FOUND
    slug = "not-found"
    title = "Not found"


class ConflictError(FanfareError):
    """The present state does not allow what was asked; the text names the state."""

    status = HTTPStatus.CONFLICT
    slug = "conflict"
    title = "Not possible in the present state"


class IdempotencyMismatchError(FanfareError):
    """An Idempotency-Key came again with another body."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    slug = "idempotency-key-reused"
    title = "The Idempotency-Key was used with another body"


class UnavailableError(FanfareError):
    """AWS refused or did not answer for now; the same request may work later."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    slug = "unavailable"
    title = "Unavailable for now"
