"""The store of imports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, ConditionBase, Key
from botocore.exceptions import ClientError

from functions.imports.items import (
    CHECK,
    CHECKED,
    FILE,
    IMPORT,
    KIND,
    REJECTED,
    SLICE,
    UPLOADED,
    check_record,
    file_record,
    files_of,
    import_of,
    reject_texts,
    slice_of,
    slice_record,
)
from functions.imports.records import (
    Counts,
    Group,
    Import,
    ImportFile,
    ImportState,
    Reject,
    SliceProgress,
    Step,
    Upload,
)
from functions.imports.results import CheckedFile
from functions.shared.aws_errors import raise_unless_condition_failed
from functions.shared.batches import batch_put
from functions.shared.clock import Clock, to_wire
from functions.shared.transactions import ConditionFailedError, transact, update_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

KEPT_FOR = timedelta(days=30)
BY_CREATED = "by_created"


class ImportStore:
    """The imports table. Every change of state is one conditional write."""

    def __init__(self, table: "Table", *, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    # The import

    def create(self, import_id: str, names: Sequence[str], *, dry_run: bool) -> Import:
        """A new import, UPLOADING; its files first, so that one that is there is whole."""
        files = ({"name": name, "number": number} for number, name in enumerate(names, start=1))
        self._put_files(import_id, "", files)
        item: dict[str, Any] = {
            "import_id": import_id,
            "record": IMPORT,
            "kind": KIND,
            "state": ImportState.UPLOADING.value,
            "dry_run": dry_run,
            "files_total": len(names),
            "first_file": names[0],
            "created_at": to_wire(self._clock()),
            "expires_at": self._expires_at(),
        }
        self._table.put_item(Item=item)
        return import_of(item)

    def find(self, import_id: str) -> Import | None:
        """The import as it is now."""
        answer = self._table.get_item(Key=_key(import_id, IMPORT), ConsistentRead=True)
        return import_of(answer["Item"]) if "Item" in answer else None

    def page(
        self, *, limit: int, after: Mapping[str, str] | None
    ) -> tuple[list[Import], dict[str, str] | None]:
        """Up to `limit` imports, newest first, as the index has them: without their progress and
        their rejected rows; and where the next page starts."""
        request: dict[str, Any] = {}
        if after is not None:
            request["ExclusiveStartKey"] = {**after, "record": IMPORT, "kind": KIND}
        answer = self._table.query(
            IndexName=BY_CREATED,
            KeyConditionExpression=Key("kind").eq(KIND),
            ScanIndexForward=False,
            Limit=limit,
            **request,
        )
        last = answer.get("LastEvaluatedKey")
        found = [import_of(item) for item in answer["Items"]]
        if last is None:
            return found, None
        return found, {name: str(last[name]) for name in ("import_id", "created_at")}

    def note_started(self, import_id: str) -> None:
        """Notes when the import was started, until its workflow takes over."""
        self._change(
            import_id, _is(ImportState.UPLOADING), once={"started_at": to_wire(self._clock())}
        )

    def begin(
        self, import_id: str, *, groups: Sequence[Group], partitions: int, bytes_total: int
    ) -> Import | None:
        """UPLOADING turns CHECKING; None if it is not UPLOADING."""
        return self._change(
            import_id,
            _is(ImportState.UPLOADING),
            once={"started_at": to_wire(self._clock())},
            state=ImportState.CHECKING.value,
            groups=[[group.first, group.last] for group in groups],
            partitions=partitions,
            bytes_total=bytes_total,
        )

    def start_load(
        self, import_id: str, *, slices: int, rows: int, counts: Counts, rejects: Sequence[Reject]
    ) -> Import | None:
        """CHECKING turns LOADING, with what the checks counted; None if it is not CHECKING."""
        return self._change(
            import_id,
            _is(ImportState.CHECKING),
            state=ImportState.LOADING.value,
            slices_total=slices,
            slices_done=0,
            rows_to_load=rows,
            rows_loaded=0,
            rejects=reject_texts(rejects),
            **_numbers(counts),
            skipped=dict(counts.skipped),
        )

    def store_waiter(self, import_id: str, token: str) -> Import | None:
        """Keeps the token of the workflow that waits, and tells how far the import is then."""
        return self._change(import_id, Attr("record").exists(), waiter=token)

    def end(
        self,
        import_id: str,
        state: ImportState,
        *,
        while_: Sequence[ImportState],
        reason: str | None = None,
        counts: Counts | None = None,
        rejects: Sequence[Reject] | None = None,
    ) -> Import | None:
        """The import turns into a state in which it stays; None if it is in none of those."""
        more: dict[str, Any] = {} if reason is None else {"reason": reason}
        if counts is not None:
            more |= {**_numbers(counts), "skipped": dict(counts.skipped)}
        if rejects is not None:
            more |= {"rejects": reject_texts(rejects)}
        return self._change(
            import_id,
            Attr("state").is_in([each.value for each in while_]),
            state=state.value,
            ended_at=to_wire(self._clock()),
            **more,
        )

    # Its files and their checks

    def files(self, import_id: str) -> list[ImportFile]:
        """All files, in their order."""
        return files_of(import_id, self._query(import_id, FILE))

    def put_uploads(self, import_id: str, uploads: Iterable[Upload]) -> None:
        """Notes what lay in the bucket when the import was started."""
        self._put_files(
            import_id,
            UPLOADED,
            ({"number": each.number, "bytes": each.bytes, "etag": each.etag} for each in uploads),
        )

    def uploads(self, import_id: str, group: Group) -> list[Upload]:
        """What `put_uploads` noted of the files of a group."""
        first, last = file_record(group.first), file_record(group.last, "$")
        condition = Key("import_id").eq(import_id) & Key("record").between(first, last)
        return [
            Upload(number=int(item["number"]), bytes=int(item["bytes"]), etag=item["etag"])
            for item in self._pages(KeyConditionExpression=condition)
            if item["record"].endswith(UPLOADED)
        ]

    def note_checked(self, import_id: str, group: int, bytes_: int) -> None:
        """How far a check is: progress, not the truth."""
        self._update(_key(import_id, check_record(group)), bytes_checked=bytes_)

    def bytes_checked(self, import_id: str) -> int:
        """How far all checks are."""
        return sum(int(item["bytes_checked"]) for item in self._query(import_id, CHECK))

    def claim_check(self, import_id: str, group: int, attempt: str, *, bytes_: int) -> bool:
        """Makes this attempt at a check the one that counts; False if another one does."""
        key = _key(import_id, check_record(group))
        changed = self._update(
            key, Attr("attempt").not_exists(), attempt=attempt, bytes_checked=bytes_
        )
        return changed is not None

    def attempts(self, import_id: str) -> dict[int, str]:
        """The attempts that count, by group."""
        return {
            int(item["record"].removeprefix(CHECK)): item["attempt"]
            for item in self._query(import_id, CHECK)
            if "attempt" in item
        }

    def put_checked(self, import_id: str, files: Iterable[CheckedFile]) -> None:
        """Notes what the checks found of each file."""
        self._put_files(import_id, CHECKED, map(_checked, files))

    def put_rejected(self, import_id: str, files: Iterable[int]) -> None:
        """Notes that the rejected rows of these files can be downloaded."""
        self._put_files(import_id, REJECTED, ({"number": number} for number in files))

    # Its slices

    def slice(self, import_id: str, number: int) -> SliceProgress:
        """How far a slice is."""
        key = _key(import_id, slice_record(number))
        answer = self._table.get_item(Key=key, ConsistentRead=True)
        return slice_of(answer["Item"]) if "Item" in answer else SliceProgress()

    def slices(self, import_id: str) -> Iterator[SliceProgress]:
        """Every slice that was begun."""
        return map(slice_of, self._query(import_id, SLICE))

    def step(self, import_id: str, number: int, step: Step) -> bool:
        """Counts a step of a slice, in the slice and in the import; False if it was counted before
        or the import takes none any more."""
        try:
            transact(
                self._table,
                [
                    self._step_of_slice(import_id, number, step),
                    self._step_of_import(import_id, step),
                ],
            )
        except ConditionFailedError:
            return False
        return True

    def _step_of_slice(self, import_id: str, number: int, step: Step) -> dict[str, Any]:
        numbers = _numbers(step.counts)
        condition = "#done = :before AND #over = :no"
        if step.before == 0:
            condition = f"attribute_not_exists(#done) OR ({condition})"
        return self._action(
            _key(import_id, slice_record(number)),
            "SET #done = :after, #over = :over, #expires_at = :expires_at, "
            "#rejects = list_append(if_not_exists(#rejects, :none), :rejects), "
            "#runs = list_append(if_not_exists(#runs, :none), :runs) " + _add(numbers),
            condition,
            names=("done", "over", "expires_at", "rejects", "runs", *numbers),
            before=step.before,
            after=step.after,
            over=step.over,
            no=False,
            none=[],
            runs=[] if step.run is None else [step.run],
            rejects=reject_texts(step.rejects),
            expires_at=self._expires_at(),
            **numbers,
        )

    def _step_of_import(self, import_id: str, step: Step) -> dict[str, Any]:
        numbers = {
            **_numbers(step.counts),
            "rows_loaded": step.counts.settled,
            "slices_done": int(step.over),
        }
        return self._action(
            _key(import_id, IMPORT),
            _add(numbers),
            "#state = :loading",
            names=("state", *numbers),
            loading=ImportState.LOADING.value,
            **numbers,
        )

    # Shared by the above

    def _action(
        self,
        key: dict[str, str],
        update: str,
        condition: str,
        *,
        names: Sequence[str],
        **values: Any,
    ) -> dict[str, Any]:
        return {
            "Update": {
                "TableName": self._table.name,
                "Key": key,
                "UpdateExpression": update,
                "ConditionExpression": condition,
                "ExpressionAttributeNames": {f"#{name}": name for name in names},
                "ExpressionAttributeValues": {f":{name}": value for name, value in values.items()},
            }
        }

    def _change(
        self,
        import_id: str,
        condition: ConditionBase,
        *,
        once: Mapping[str, str] | None = None,
        **values: Any,
    ) -> Import | None:
        changed = self._update(_key(import_id, IMPORT), condition, once=once, **values)
        return None if changed is None else import_of(changed)

    def _update(
        self,
        key: dict[str, str],
        condition: ConditionBase | None = None,
        *,
        once: Mapping[str, str] | None = None,
        **values: Any,
    ) -> dict[str, Any] | None:
        """The whole item after it; None if the condition does not hold. What is given `once` stays
        as it is if it is there already."""
        values["expires_at"] = self._expires_at()
        kept = once or {}
        sets = [f"#{name} = :{name}" for name in values]
        sets += [f"#{name} = if_not_exists(#{name}, :{name})" for name in kept]
        values |= kept
        names = {f"#{name}": name for name in values}
        only: dict[str, Any] = {} if condition is None else {"ConditionExpression": condition}
        try:
            answer = update_item(
                self._table,
                Key=key,
                UpdateExpression="SET " + ", ".join(sets),
                ExpressionAttributeNames=names,
                ExpressionAttributeValues={f":{name}": value for name, value in values.items()},
                ReturnValues="ALL_NEW",
                **only,
            )
        except ClientError as error:
            raise_unless_condition_failed(error)
            return None
        return dict(answer["Attributes"])

    def _put_files(self, import_id: str, part: str, files: Iterable[Mapping[str, Any]]) -> None:
        expires_at = self._expires_at()
        batch_put(
            self._table,
            (
                {
                    **_key(import_id, file_record(int(each["number"]), part)),
                    "expires_at": expires_at,
                    **each,
                }
                for each in files
            ),
        )

    def _query(self, import_id: str, prefix: str) -> Iterator[dict[str, Any]]:
        condition = Key("import_id").eq(import_id) & Key("record").begins_with(prefix)
        return self._pages(KeyConditionExpression=condition)

    def _pages(self, **request: Any) -> Iterator[dict[str, Any]]:
        while True:
            page = self._table.query(ConsistentRead=True, **request)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _expires_at(self) -> int:
        return int((self._clock() + KEPT_FOR).timestamp())


def _key(import_id: str, record: str) -> dict[str, str]:
    return {"import_id": import_id, "record": record}


def _is(state: ImportState) -> ConditionBase:
    return Attr("state").eq(state.value)


def _numbers(counts: Counts) -> dict[str, Any]:
    return {
        "rows": counts.rows,
        "stored": counts.stored,
        "duplicates": counts.duplicates,
        "moved": counts.moved,
        "rejected": counts.rejected,
    }


def _add(numbers: Mapping[str, int]) -> str:
    return "ADD " + ", ".join(f"#{name} :{name}" for name in numbers)


def _checked(file: CheckedFile) -> dict[str, Any]:
    item: dict[str, Any] = {"number": file.number, "gzip": file.gzip}
    if file.layout is not None:
        item["format"] = file.layout.format.value
    if file.refused is not None:
        item["refused"] = file.refused
    return item
