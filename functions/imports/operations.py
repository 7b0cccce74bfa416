"""What callers of the API may do with imports."""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from functions.imports import keys
from functions.imports.bucket import URL_SECONDS, Bucket
from functions.imports.executions import Executions
from functions.imports.paging import decode_next, encode_next
from functions.imports.records import FileFormat, Import, ImportFile, ImportState
from functions.imports.schema import (
    ImportPage,
    ImportRequest,
    ImportView,
    NewImportView,
    UploadView,
)
from functions.imports.store import ImportStore
from functions.imports.view import summary_of, view_of
from functions.shared.clock import Clock, to_wire
from functions.shared.errors import ConflictError, InvalidInputError, NotFoundError

MISSING_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class Imports:
    """The operations, over their store and gateways."""

    store: ImportStore
    bucket: Bucket
    executions: Executions
    clock: Clock

    def create(self, request: ImportRequest) -> NewImportView:
        """A new import, and where its files are to be put; InvalidInputError."""
        names = [file.name for file in request.files]
        _refuse_same_names(names)
        import_id = str(uuid.uuid4())
        expires_at = self.clock() + timedelta(seconds=URL_SECONDS)
        made = self.store.create(import_id, names, dry_run=request.dry_run)
        uploads = [
            UploadView(name=name, url=self.bucket.upload_url(keys.file(import_id, number)))
            for number, name in enumerate(names, start=1)
        ]
        files = [ImportFile(number=number, name=name) for number, name in enumerate(names, start=1)]
        return NewImportView(
            **self._view(made, files).model_dump(), uploads=uploads, expires_at=to_wire(expires_at)
        )

    def show(self, import_id: str) -> ImportView:
        """The import as it is now; NotFoundError."""
        return self._view(self._find(import_id), self.store.files(import_id))

    def page(self, *, limit: int, token: str | None) -> ImportPage:
        """A page of imports, newest first; InvalidInputError for a wrong token."""
        found, start = self.store.page(limit=limit, after=decode_next(token))
        return ImportPage(imports=[summary_of(each) for each in found], next=encode_next(start))

    def start(self, import_id: str) -> ImportView:
        """The import once it is started; one that was started stays as it is. ConflictError if a
        file is not uploaded yet, NotFoundError."""
        if self._find(import_id).state is ImportState.UPLOADING:
            self._demand_uploads(import_id)
            self.executions.start(import_id)
            self.store.note_started(import_id)
        return self.show(import_id)

    def _find(self, import_id: str) -> Import:
        found = self.store.find(import_id)
        if found is None:
            raise NotFoundError("There is no import with such an id.")
        return found

    def _demand_uploads(self, import_id: str) -> None:
        uploaded = {each.key for each in self.bucket.listed(keys.files(import_id))}
        missing = [
            file.name
            for file in self.store.files(import_id)
            if keys.file(import_id, file.number) not in uploaded
        ]
        if missing:
            more = f" and {len(missing) - MISSING_SHOWN:,} more" if missing[MISSING_SHOWN:] else ""
            raise ConflictError(
                f"The import is {ImportState.UPLOADING}: these files are not uploaded yet: "
                f"{', '.join(missing[:MISSING_SHOWN])}{more}"
            )

    def _view(self, found: Import, files: Sequence[ImportFile]) -> ImportView:
        begun = found.state is not ImportState.UPLOADING
        return view_of(
            found,
            files,
            bytes_checked=self.store.bytes_checked(found.import_id) if begun else 0,
            rejects_url=self._rejects_url,
        )

    def _rejects_url(self, file: ImportFile) -> str | None:
        if file.rejects_key is None:
            return None
        ending = (file.format or FileFormat.CSV).value
        return self.bucket.download_url(file.rejects_key, f"{file.name}.rejects.{ending}")


def _refuse_same_names(names: Sequence[str]) -> None:
    again = [name for name, times in Counter(names).items() if times > 1]
    if again:
        number = len(names) - 1 - names[::-1].index(again[0])
        raise InvalidInputError.at(f"files[{number}].name", "is the name of another file, too")
