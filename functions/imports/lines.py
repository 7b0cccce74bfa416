"""Bytes cut into lines of UTF-8, each with its number; a line that is too long is not kept."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from functions.imports.refusal import FileRefusedError

# A device has 400 KB at most; escaped as JSON it may take several times as much.
LINE_MAX_BYTES = 4 * 1024 * 1024
# What is shown of a line that is not kept.
SHOWN_BYTES = 1_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line without its end; `cut` if it was too long and only its beginning is left."""

    number: int
    text: str
    cut: bool = False


def lines(pieces: Iterable[bytes]) -> Iterator[Line]:
    """The lines, counted from 1, without a byte-order mark; FileRefusedError if one is not UTF-8.

    A line ends with LF; a CR before it is still there.
    """
    for number, (raw, cut) in enumerate(_cut(pieces), start=1):
        whole = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
        try:
            # What was cut may end within a character.
            yield Line(number, whole.decode("utf-8", "ignore" if cut else "strict"), cut)
        except UnicodeDecodeError:
            raise FileRefusedError(
                f"is not UTF-8, at line {number:,}: save it as CSV in UTF-8"
            ) from None


def _cut(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Lines as bytes, and whether they were cut. No character of UTF-8 holds the byte of LF."""
    begun = bytearray()
    dropping = False
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        for end in ended:
            if not begun:
                yield (end, False) if len(end) <= LINE_MAX_BYTES else (end[:SHOWN_BYTES], True)
                continue
            if not dropping:
                begun += end
            cut = dropping or len(begun) > LINE_MAX_BYTES
            yield bytes(begun[:SHOWN_BYTES] if cut else begun), cut
            begun.clear()
            dropping = False
        if rest and not dropping:
            begun += rest
            if len(begun) > LINE_MAX_BYTES:
                dropping = True
                del begun[SHOWN_BYTES:]
    if begun:
        yield bytes(begun), dropping
