"""A file's bytes, unpacked if they are gzip, piece by piece: memory does not grow with the file."""

import zlib
from collections.abc import Iterable, Iterator

from functions.imports.refusal import FileRefusedError

# https://datatracker.ietf.org/doc/html/rfc1952#section-2.3.1
GZIP_MAGIC = b"\x1f\x8b"
# https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.7
ZIP_MAGIC = b"PK\x03\x04"
PIECE_BYTES = 1024 * 1024
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def refuse_archive(beginning: bytes) -> None:
    """FileRefusedError for a file that begins as a zip, which spreadsheets are, too."""
    if beginning.startswith(ZIP_MAGIC):
        raise FileRefusedError(
            "is a zip or a spreadsheet (xlsx): unpack it, or save it as CSV in UTF-8"
        )


def is_gzip(beginning: bytes) -> bool:
    """Whether a file that begins so is gzip."""
    return beginning.startswith(GZIP_MAGIC)


def gunzip(packed: Iterable[bytes]) -> Iterator[bytes]:
    """What was packed, all members of it; FileRefusedError if it is damaged or ends early."""
    member = zlib.decompressobj(_GZIP_WINDOW)
    begun = False
    for piece in packed:
        rest = piece
        while rest:
            if member.eof:
                # Members may follow each other; zeros may fill up what is behind the last one.
                rest = rest.lstrip(b"\0")
                if not rest:
                    break
                member, begun = zlib.decompressobj(_GZIP_WINDOW), False
            begun = True
            yield _unpack(member, rest)
            rest = member.unconsumed_tail or member.unused_data
    if begun and not member.eof:
        raise FileRefusedError("is cut off: the gzip data end too early")


def _unpack(member: "zlib._Decompress", packed: bytes) -> bytes:
    try:
        # Bounded, since a megabyte of gzip may hold a gigabyte.
        return member.decompress(packed, PIECE_BYTES)
    except zlib.error:
        raise FileRefusedError("is damaged: its gzip data cannot be unpacked") from None
