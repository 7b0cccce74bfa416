"""Where the parts of an import lie in the bucket: all under its id.

files/0003                          an uploaded file
checks/0002-<attempt>               what one check of a group of files found
plan                                which attempts count, and how to read a row of each file
slices/00012/0002-<attempt>-00001   good rows whose Id falls into slice 12, a flush of that check
rejects/0003/0-<attempt>-00001      rows of file 3 that the check rejected
rejects/0003/1-00012-<run>          rows of file 3 that loading slice 12 rejected, in one run
rejected/0003                       both together, to be downloaded
"""

from collections.abc import Set

_CHECKED, _LOADED = "0", "1"  # the order in which they come in a rejects file


def files(import_id: str) -> str:
    """What the keys of the uploaded files begin with."""
    return f"imports/{import_id}/files/"


def file(import_id: str, number: int) -> str:
    """An uploaded file."""
    return f"{files(import_id)}{number:04}"


def check(import_id: str, group: int, attempt: str) -> str:
    """What a check found."""
    return f"imports/{import_id}/checks/{group:04}-{attempt}"


def plan(import_id: str) -> str:
    """The plan of the load."""
    return f"imports/{import_id}/plan"


def slice_(import_id: str, number: int) -> str:
    """What the keys of a slice's rows begin with; they sort in the order of the files."""
    return f"imports/{import_id}/slices/{number:05}/"


def slice_part(import_id: str, number: int, group: int, attempt: str, flush: int) -> str:
    """Rows of a slice that a check put at once."""
    return f"{slice_(import_id, number)}{group:04}-{attempt}-{flush:05}"


def attempt_of(part: str) -> tuple[int, str]:
    """The group and the attempt that put these rows of a slice."""
    group, attempt, _ = part.rpartition("/")[2].split("-")
    return int(group), attempt


def rejects(import_id: str) -> str:
    """What the keys of all rejected rows begin with."""
    return f"imports/{import_id}/rejects/"


def rejects_of_check(import_id: str, number: int, attempt: str, part: int) -> str:
    """Rows of a file that a check rejected."""
    return f"{rejects(import_id)}{number:04}/{_CHECKED}-{attempt}-{part:05}"


def rejects_of_run(import_id: str, number: int, run: str) -> str:
    """Rows of a file that were rejected in one run of a load."""
    return f"{rejects(import_id)}{number:04}/{_LOADED}-{run}"


def file_of_rejects(key: str) -> int:
    """The number of the file that these rejected rows are of."""
    return int(key.split("/")[-2])


def counts(key: str, attempts: Set[str], runs: Set[str]) -> bool:
    """Whether these rejected rows are of an attempt or of a run that counts."""
    kind, _, name = key.rpartition("/")[2].partition("-")
    return name in runs if kind == _LOADED else name.rpartition("-")[0] in attempts


def rejected(import_id: str, number: int) -> str:
    """All rejected rows of a file."""
    return f"imports/{import_id}/rejected/{number:04}"
