"""What the imports part keeps: an import, its files, and how far each step of it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from functions.shared.errors import InvalidPart

FILES_MAX = 1_000
FILE_NAME_MAX_CHARS = 255


class ImportState(StrEnum):
    """How far an import is."""

    UPLOADING = "UPLOADING"  # made; its files may be on their way, or it was never started
    CHECKING = "CHECKING"  # every row is read and judged; nothing is written yet
    LOADING = "LOADING"  # the good rows are registered
    DONE = "DONE"  # every row is stored or counted under the reason why not
    REFUSED = "REFUSED"  # a file cannot be imported at all; nothing was written
    FAILED = "FAILED"  # it broke off, the reason says where; the same files can be imported again


class FileFormat(StrEnum):
    """How a file's rows are written, told from its first character."""

    CSV = "csv"
    NDJSON = "ndjson"


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What became of the rows: rows = stored + duplicates + rejected + all that were skipped."""

    rows: int = 0
    stored: int = 0  # moved ones included
    duplicates: int = 0  # an Id's rows that a later row replaced
    moved: int = 0  # stored INACTIVE, since the token is another device's by now
    rejected: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)  # by channels that are not push

    @property
    def settled(self) -> int:
        """The rows of which it is known what became."""
        return self.stored + self.duplicates + self.rejected + sum(self.skipped.values())


@dataclass(frozen=True, kw_only=True)
class Reject:
    """A row that is not stored, by its place, and why; it holds nothing of the row."""

    file: int
    line: int
    errors: tuple[InvalidPart, ...]


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file as it lay in the bucket when the import was started."""

    number: int
    bytes: int
    etag: str


@dataclass(frozen=True, kw_only=True)
class Group:
    """Files that one check reads one after another, small ones together."""

    number: int
    first: int
    last: int


@dataclass(frozen=True, kw_only=True)
class Import:
    """An import; what is None is not known yet."""

    import_id: str
    state: ImportState
    dry_run: bool
    files_total: int
    created_at: datetime
    first_file: str = ""  # its name
    started_at: datetime | None = None
    ended_at: datetime | None = None
    reason: str | None = None
    bytes_total: int = 0
    groups: tuple[Group, ...] = ()
    partitions: int = 0  # slices that rows are shuffled into; some may stay empty
    slices_total: int = 0
    slices_done: int = 0
    rows_to_load: int = 0
    rows_loaded: int = 0
    counts: Counts = Counts()
    rejects: tuple[Reject, ...] = ()  # the first ones
    waiter: str | None = field(default=None, repr=False)

    @property
    def phase(self) -> ImportState:
        """How far it is for who looks: started it is checked, though its workflow may yet begin."""
        begun = self.state is ImportState.UPLOADING and self.started_at is not None
        return ImportState.CHECKING if begun else self.state

    @property
    def loaded(self) -> bool:
        """Every slice is worked off."""
        return self.state is ImportState.LOADING and self.slices_done == self.slices_total


@dataclass(frozen=True, kw_only=True)
class ImportFile:
    """One file of an import; what is None is not known yet."""

    number: int
    name: str
    bytes: int | None = None
    format: FileFormat | None = None
    gzip: bool | None = None
    refused: str | None = None
    rejects_key: str | None = None


@dataclass(frozen=True, kw_only=True)
class SliceProgress:
    """How far a slice is: which of its devices are registered, and what became of its rows."""

    done: int = 0  # devices, in the slice's order
    over: bool = False
    counts: Counts = Counts()
    runs: tuple[str, ...] = ()  # those that rejected rows; what they put there counts
    rejects: tuple[Reject, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Step:
    """What one run did of a slice, to be counted once."""

    before: int  # devices that were done before it
    after: int
    over: bool  # nothing is left after it
    counts: Counts
    run: str | None = None  # if it rejected rows
    rejects: tuple[Reject, ...] = ()
