"""A whole import on moto: the steps as the workflow calls them, and the queue as SQS serves it."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from functions.devices.endpoints import Endpoints
from functions.devices.records import Device
from functions.devices.registry import Registry
from functions.devices.store import DeviceStore
from functions.imports import keys
from functions.imports.bucket import Bucket
from functions.imports.check import check
from functions.imports.loading import SliceLoader
from functions.imports.operations import Imports
from functions.imports.queue import SliceKey
from functions.imports.records import Import
from functions.imports.registering import Registrar, Settle, as_if, give_up, order_of
from functions.imports.schema import ImportRequest, ImportView
from functions.imports.slices import Slices
from functions.imports.steps import Steps
from functions.imports.store import ImportStore
from functions.shared import clients
from tests.unit.devices.conftest import FakeSns, application_of
from tests.unit.tables import make_devices_table, make_imports_table, make_tokens_table

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BUCKET = "imports"
HEADER = "Id,ChannelType,Address"
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@dataclass
class FakeQueue:
    """Keeps the slices that wait."""

    sent: list[SliceKey] = field(default_factory=list)
    postponed: list[tuple[str, int]] = field(default_factory=list)

    def send(self, keys: Iterator[SliceKey]) -> None:
        self.sent += keys

    def postpone(self, receipt_handle: str, seconds: int) -> None:
        self.postponed.append((receipt_handle, seconds))


@dataclass
class FakeExecutions:
    """Keeps what was started."""

    started: list[str] = field(default_factory=list)

    def start(self, import_id: str) -> None:
        self.started.append(import_id)


@dataclass
class Account:
    """An account in which imports run, one step after another, when a test says so."""

    s3: "S3Client"
    store: ImportStore
    bucket: Bucket
    devices: DeviceStore
    sns: FakeSns
    registry: Registry
    now: list[datetime]
    queue: FakeQueue = field(default_factory=FakeQueue)
    executions: FakeExecutions = field(default_factory=FakeExecutions)
    woken: list[str] = field(default_factory=list)
    per_second: float = 10_000.0

    @property
    def api(self) -> Imports:
        return Imports(
            store=self.store,
            bucket=self.bucket,
            executions=self.executions,  # type: ignore[arg-type]
            clock=self.clock,
        )

    @property
    def steps(self) -> Steps:
        return Steps(
            store=self.store,
            bucket=self.bucket,
            queue=self.queue,  # type: ignore[arg-type]
            wake=self.wake,
        )

    def clock(self) -> datetime:
        return self.now[0]

    def wake(self, token: str) -> bool:
        self.woken.append(token)
        return True

    def loader(self, **others: Any) -> SliceLoader:
        parts: dict[str, Any] = {
            "store": self.store,
            "bucket": self.bucket,
            "slices": Slices(self.bucket),
            "settle_of": self.settle_of,
            "devices_per_second": lambda: self.per_second,
            "wake": self.wake,
        }
        return SliceLoader(**{**parts, **others})

    def settle_of(self, found: Import) -> Settle:
        register = as_if if found.dry_run else self.registry.outcomes
        registrar = Registrar(devices=self.devices, register=register, order=order_of(found))
        return registrar.settle

    def upload(self, *contents: str | bytes, dry_run: bool = False) -> str:
        """The id of an import of files with these contents, called a, b, c and so on."""
        names = [chr(ord("a") + index) for index in range(len(contents))]
        body = {"files": [{"name": name} for name in names], "dry_run": dry_run}
        import_id = self.api.create(ImportRequest.model_validate(body)).id
        for number, content in enumerate(contents, start=1):
            raw = content.encode() if isinstance(content, str) else content
            self.s3.put_object(Bucket=BUCKET, Key=keys.file(import_id, number), Body=raw)
        return import_id

    def check_all(self, import_id: str) -> str:
        """Begins, checks and decides; answers the outcome."""
        begun = self.steps.begin(import_id)
        for group in begun["groups"]:
            self.check(import_id, group)
        return self.steps.decide(import_id)["outcome"]

    def check(self, import_id: str, group: int = 1) -> int:
        return check(
            import_id,
            group,
            store=self.store,
            bucket=self.bucket,
            application_of=application_of,
            deadline=math.inf,
        )

    def load_all(self, import_id: str) -> None:
        """Queues the slices, works them off, and waits."""
        self.steps.queue_slices(import_id)
        while self.queue.sent:
            key = self.queue.sent.pop(0)
            if self.loader().load(key, deadline=math.inf).out_of_time:
                self.queue.send(iter([key]))
        self.steps.await_load(import_id, "token")
        assert self.woken[-1] == "token"

    def run(self, import_id: str) -> ImportView:
        """The import when it is over."""
        if self.check_all(import_id) == "LOAD":
            self.load_all(import_id)
            self.steps.finish(import_id)
        self.now[0] += timedelta(minutes=5)
        return self.api.show(import_id)

    def imported(self, *contents: str | bytes, dry_run: bool = False) -> ImportView:
        """The import of files with these contents when it is over."""
        return self.run(self.upload(*contents, dry_run=dry_run))

    def give_up(self, key: SliceKey) -> int:
        loader = self.loader(settle_of=lambda _import: give_up)
        return loader.load(key, deadline=math.inf).rejected

    def rejects(self, import_id: str, file: int = 1) -> bytes:
        """The file of rejects."""
        answer = self.s3.get_object(Bucket=BUCKET, Key=keys.rejected(import_id, file))
        return answer["Body"].read()

    def device(self, device_id: str) -> Device:
        """A device that must be stored."""
        found = self.devices.get(device_id)
        assert found is not None, device_id
        return found

    def stored(self) -> dict[str, Device]:
        """All devices by Id."""
        page = self.devices.page(limit=10_000, after_id=None)
        return {each.device_id: each for each in page.devices}


@pytest.fixture
def account(aws: None) -> Account:
    """An account without devices, at noon."""
    s3 = clients.s3()
    s3.create_bucket(Bucket=BUCKET)
    now = [NOON]
    devices = DeviceStore(make_devices_table(), make_tokens_table())
    sns = FakeSns()
    return Account(
        s3=s3,
        store=ImportStore(make_imports_table(), clock=lambda: now[0]),
        bucket=Bucket(s3, BUCKET),
        devices=devices,
        sns=sns,
        registry=Registry(
            store=devices,
            endpoints=Endpoints(sns),  # type: ignore[arg-type]
            application_of=application_of,
        ),
        now=now,
    )


def csv_of(header: str, *rows: str) -> str:
    """A CSV file."""
    return "\n".join([header, *rows]) + "\n"


def ndjson_of(*devices: dict[str, Any]) -> str:
    """A file of one JSON object a line."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in devices)


def good(first: int, last: int) -> list[str]:
    """Rows of HEADER for the devices d<first> to d<last>."""
    return [f"d{number},GCM,token-{number}" for number in range(first, last + 1)]


def reasons(view: ImportView) -> list[tuple[str, int, str, str]]:
    """File, line, place and reason of everything that was rejected."""
    return [
        (reject.file, reject.line, error.place, error.reason)
        for reject in view.rejects
        for error in reject.errors
    ]


def counted(view: ImportView) -> dict[str, Any]:
    """The counts that are not 0."""
    return {name: value for name, value in view.counts.model_dump().items() if value}
