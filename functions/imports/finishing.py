"""Putting the rejected rows of each file together, so that they can be downloaded as one."""

from collections.abc import Iterator, Mapping, Set
from itertools import chain, groupby

from functions.imports import keys
from functions.imports.bucket import Bucket
from functions.imports.reading import Layout
from functions.imports.rejects import beginning


def write_rejects(
    import_id: str,
    bucket: Bucket,
    layouts: Mapping[int, Layout],
    *,
    attempts: Set[str],
    runs: Set[str],
) -> list[int]:
    """Writes a file of rejects for each file that has any, and answers their numbers.

    Those of the check come first, then those of the load. Memory stays flat: one part at a time.
    """
    every = (listed.key for listed in bucket.listed(keys.rejects(import_id)))
    counting = (key for key in every if keys.counts(key, attempts, runs))
    written = []
    for file, parts in groupby(counting, key=keys.file_of_rejects):
        rows: Iterator[bytes] = map(bucket.get, parts)
        bucket.write(keys.rejected(import_id, file), chain([beginning(layouts[file])], rows))
        written.append(file)
    return written
