"""Cutting what is listed into chunks, each of which is an item and a queue message."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

# An item holds 400 KB:
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
CHUNK_MAX_BYTES = 350_000

T = TypeVar("T")


def cut(things: Iterable[T], size: int, bytes_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Up to `size` things each, and no more than fit into one item."""
    some: list[T] = []
    room = CHUNK_MAX_BYTES
    for thing in things:
        takes = bytes_of(thing)
        if some and (len(some) == size or takes > room):
            yield some
            some, room = [], CHUNK_MAX_BYTES
        some.append(thing)
        room -= takes
    if some:
        yield some
