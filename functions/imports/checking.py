"""Checking files: every row is judged, the good ones are shuffled, the others counted and kept."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from functions.devices.records import ChannelType
from functions.devices.registry import ApplicationOf
from functions.imports import keys, shuffle, unpacking
from functions.imports.bucket import Bucket
from functions.imports.lines import lines
from functions.imports.reading import Layout, Row, RowReader, kept, open_rows
from functions.imports.records import Reject, Upload
from functions.imports.refusal import FileRefusedError
from functions.imports.rejects import RejectsWriter, rejected_line
from functions.imports.results import ERRORS_SHOWN, REJECTS_SHOWN, CheckedFile, CheckedGroup
from functions.imports.rows import CHANNELS, Rejected, Skipped, Verdict, Whole
from functions.shared.errors import ConflictError

# How often the clock is looked at.
ROWS_A_LOOK = 1_024


@dataclass(kw_only=True)
class Checker:
    """One check of a group of files, an attempt of its own."""

    import_id: str
    group: int
    attempt: str
    slices: int
    bucket: Bucket
    application_of: ApplicationOf
    deadline: float
    clock: Callable[[], float] = time.monotonic
    progress: Callable[[int], None] = lambda _bytes: None
    buffer_bytes: int = shuffle.BUFFER_BYTES
    _rejects: list[Reject] = field(default_factory=list)
    _platforms: dict[ChannelType, Rejected | None] = field(default_factory=dict)

    def check(self, uploads: Sequence[Upload]) -> CheckedGroup:
        """What became of the files' rows. FileChangedError if a file is another than it was."""
        shuffled = shuffle.Shuffle(self.slices, self._put_slice, buffer_bytes=self.buffer_bytes)
        files = [self._file(upload, shuffled) for upload in uploads]
        shuffled.flush()
        return CheckedGroup(
            files=tuple(files), slice_rows=tuple(shuffled.rows), rejects=tuple(self._rejects)
        )

    def _file(self, upload: Upload, shuffled: shuffle.Shuffle) -> CheckedFile:
        packed = self._pieces(upload)
        first = next(packed, b"")
        gzip = unpacking.is_gzip(first)
        pieces = _chained(first, packed)
        try:
            unpacking.refuse_archive(first)
            layout, rows = open_rows(lines(unpacking.gunzip(pieces) if gzip else pieces))
            counted = _Counted(layout=layout)
            self._rows(upload.number, rows, counted, shuffled)
            counted.refuse_if_nothing_is_known()
        except FileRefusedError as error:
            return CheckedFile(number=upload.number, gzip=gzip, refused=str(error))
        return CheckedFile(
            number=upload.number,
            gzip=gzip,
            layout=layout,
            rows=counted.rows,
            good=counted.good,
            rejected=counted.rejected,
            skipped=dict(counted.skipped),
        )

    def _rows(
        self, file: int, rows: Iterator[Row], counted: "_Counted", shuffled: shuffle.Shuffle
    ) -> None:
        reader = RowReader(counted.layout)
        rejects = RejectsWriter(partial(self._put_rejects, file))
        for row in rows:
            verdict = self._with_platform(reader.judge(row))
            counted.add(verdict)
            if isinstance(verdict, Rejected):
                rejects.add(rejected_line(counted.layout, row, verdict.errors))
                self._note(file, row, verdict)
            elif not isinstance(verdict, Skipped):
                shuffled.add(verdict.device_id, kept(row, file))
            if counted.rows % ROWS_A_LOOK == 0 and self.clock() > self.deadline:
                raise FileRefusedError(
                    f"is too long to be checked in one go (it took too long after "
                    f"{counted.rows:,} rows): cut it into parts"
                )
        rejects.close()

    def _with_platform(self, verdict: Verdict) -> Verdict:
        """The verdict, or why nothing can be registered with this push service."""
        if not isinstance(verdict, Whole):
            return verdict
        platform = verdict.device.channel_type
        if platform not in self._platforms:
            self._platforms[platform] = self._missing(platform)
        return self._platforms[platform] or verdict

    def _missing(self, platform: ChannelType) -> Rejected | None:
        try:
            self.application_of(platform)
        except ConflictError as error:
            return Rejected.at("ChannelType", str(error))
        return None

    def _note(self, file: int, row: Row, rejected: Rejected) -> None:
        if len(self._rejects) < REJECTS_SHOWN:
            errors = rejected.errors[:ERRORS_SHOWN]
            self._rejects.append(Reject(file=file, line=row.line, errors=errors))

    def _pieces(self, upload: Upload) -> Iterator[bytes]:
        key = keys.file(self.import_id, upload.number)
        for piece in self.bucket.pieces(key, bytes_=upload.bytes, etag=upload.etag):
            yield piece
            self.progress(len(piece))

    def _put_slice(self, number: int, flush: int, rows: bytes) -> None:
        key = keys.slice_part(self.import_id, number, self.group, self.attempt, flush)
        self.bucket.put(key, rows)

    def _put_rejects(self, file: int, part: int, rows: bytes) -> None:
        self.bucket.put(keys.rejects_of_check(self.import_id, file, self.attempt, part), rows)


@dataclass(kw_only=True)
class _Counted:
    """The rows of one file by what became of them."""

    layout: Layout
    rows: int = 0
    good: int = 0
    rejected: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    channels: set[bool] = field(default_factory=set)  # whether rows have known ones, or others

    def add(self, verdict: Verdict) -> None:
        self.rows += 1
        match verdict:
            case Rejected(channel_known=known):
                self.rejected += 1
                if known is not None:
                    self.channels.add(known)
            case Skipped(channel=channel):
                self.skipped[channel] += 1
                self.channels.add(True)
            case _:
                self.good += 1
                self.channels.add(True)

    def refuse_if_nothing_is_known(self) -> None:
        """FileRefusedError if there are no rows, or none of a channel that there is."""
        if not self.rows:
            raise FileRefusedError("has a header, but no rows")
        if self.channels == {False}:
            raise FileRefusedError(
                "has no row with a ChannelType that there is: maybe another column is meant; "
                f"there are {', '.join(sorted(CHANNELS))}"
            )


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
