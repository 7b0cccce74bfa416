"""The import API's bodies, as they are read, answered and documented."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from functions.imports.records import FILE_NAME_MAX_CHARS, FILES_MAX, FileFormat, ImportState
from functions.shared.http import InvalidPlace
from functions.shared.text import why_not_text


def _a_name(name: str) -> str:
    if reason := why_not_text(name, max_chars=FILE_NAME_MAX_CHARS):
        raise ValueError(reason)
    return name


class FileRequest(BaseModel):
    """A file that is going to be uploaded."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[
        str,
        Field(
            max_length=FILE_NAME_MAX_CHARS,
            description="To tell it from the others; nothing follows from it.",
        ),
        AfterValidator(_a_name),
    ]


class ImportRequest(BaseModel):
    """What POST /imports takes."""

    model_config = ConfigDict(extra="forbid")

    files: Annotated[
        list[FileRequest],
        Field(
            min_length=1,
            max_length=FILES_MAX,
            description="Left out: one file. Of an Id that comes again the last row counts, in "
            "the order of the files.",
        ),
    ] = [FileRequest(name="devices")]
    dry_run: Annotated[
        bool, Field(description="Every row is judged and counted, nothing is written.")
    ] = False


class FileView(BaseModel):
    """One file of an import."""

    name: str
    format: FileFormat | None
    gzip: bool | None
    bytes: int | None
    refused: str | None
    rejects_url: Annotated[
        str | None,
        Field(description="Its rejected rows, in its own format, with the reasons; for an hour."),
    ]


class CountsView(BaseModel):
    """What became of the rows: rows = stored + duplicates + rejected + all that were skipped."""

    rows: int
    stored: int
    duplicates: Annotated[int, Field(description="Rows that a later row of the same Id replaced.")]
    moved: Annotated[
        int, Field(description="Stored, but INACTIVE: the token is another device's by now.")
    ]
    rejected: int
    skipped: Annotated[
        dict[str, int], Field(description="Rows of channels that are not push, by channel.")
    ]


class ProgressView(BaseModel):
    """How far the import is."""

    bytes_checked: int
    bytes_total: int
    rows_loaded: int
    rows_to_load: int


class RejectView(BaseModel):
    """A row that is not stored; it holds nothing of the row."""

    file: str
    line: int
    errors: list[InvalidPlace]


class ImportView(BaseModel):
    """An import as it is now."""

    id: str
    state: ImportState
    dry_run: bool
    reason: str | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    files: list[FileView]
    counts: CountsView
    progress: ProgressView
    rejects: Annotated[list[RejectView], Field(description="The first 50.")]


class ImportSummary(BaseModel):
    """An import in a list."""

    id: str
    state: ImportState
    dry_run: bool
    reason: str | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    files: Annotated[int, Field(description="How many.")]
    first_file: Annotated[str, Field(description="The name of the first one.")]
    counts: CountsView


class ImportPage(BaseModel):
    """Imports of the last 30 days, newest first; `next` asks for the page after this one."""

    imports: list[ImportSummary]
    next: str | None


class UploadView(BaseModel):
    """Where to PUT a file."""

    name: str
    url: str


class NewImportView(ImportView):
    """An import that waits for its files."""

    uploads: list[UploadView]
    expires_at: Annotated[str, Field(description="Until when the URLs can be used.")]
