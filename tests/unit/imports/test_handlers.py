"""The Lambda functions as AWS calls them, and what they answer SQS."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from functions.imports import check, dead_letter, load, workflow
from functions.imports.loading import Loaded
from functions.imports.queue import SliceKey, decode, encode
from functions.shared.errors import UnavailableError
from functions.shared.fair_queue import UnreadableMessageError
from tests.unit.imports.conftest import BUCKET, HEADER, Account, FakeQueue, csv_of, good

KEY = SliceKey("0b7b5d1b-1111-4222-8333-444455556666", 7)


@dataclass
class FakeLoader:
    """Answers as it is told."""

    answer: Loaded | Exception
    deadlines: list[float] = field(default_factory=list)

    def load(self, _key: SliceKey, *, deadline: float) -> Loaded:
        self.deadlines.append(deadline)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def record(body: str, *, receives: int = 1) -> dict[str, Any]:
    return {
        "messageId": "m1",
        "body": body,
        "receiptHandle": "handle",
        "attributes": {"ApproximateReceiveCount": str(receives)},
    }


def taken(answer: Loaded | Exception, queue: FakeQueue, *, receives: int = 1) -> dict[str, Any]:
    loader: Any = FakeLoader(answer)
    anything: Any = queue
    return load.take(
        [record(encode(KEY), receives=receives)], loader=loader, queue=anything, seconds_left=60
    )


def test_a_message_comes_out_as_it_went_in() -> None:
    assert decode(encode(KEY)) == KEY


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"version":2,"import_id":"x","number":1}', "7"])
def test_a_foreign_message_is_unreadable(body: str) -> None:
    with pytest.raises(UnreadableMessageError):
        decode(body)


def test_a_slice_that_is_over_is_acknowledged() -> None:
    queue = FakeQueue()

    assert taken(Loaded(stored=3), queue) == {"batchItemFailures": []}
    assert (queue.sent, queue.postponed) == ([], [])


def test_a_slice_that_ran_out_of_time_is_queued_anew_and_acknowledged() -> None:
    queue = FakeQueue()

    assert taken(Loaded(stored=3, out_of_time=True), queue) == {"batchItemFailures": []}
    assert queue.sent == [KEY]


@pytest.mark.parametrize(("receives", "seconds"), [(1, 60), (2, 180), (3, 540), (4, 900)])
def test_a_slice_that_may_work_later_comes_again_soon_and_then_later(
    receives: int, seconds: int
) -> None:
    queue = FakeQueue()

    answer = taken(UnavailableError("no answer"), queue, receives=receives)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert queue.postponed == [("handle", seconds)]


def test_a_message_that_nobody_can_read_ends_in_the_dead_letters() -> None:
    queue: Any = FakeQueue()
    loader: Any = FakeLoader(Loaded())

    answer = load.take([record("?")], loader=loader, queue=queue, seconds_left=60)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "m1"}]}


@pytest.mark.parametrize(
    ("region", "quota", "share"),
    [("us-east-1", 0, 1200.0), ("eu-central-1", 0, 60.0), ("eu-south-2", 0, 12.0), ("x", 50, 20.0)],
)
def test_a_worker_takes_its_share_of_the_regions_quota(
    region: str, quota: float, share: float
) -> None:
    settings = load.LoadSettings(
        imports_table="i",
        import_bucket="b",
        load_queue_url="q",
        devices_table="d",
        tokens_table="t",
        platform_parameter_path="/p/",
        aws_region=region,
        endpoint_quota_per_second=quota,
        endpoint_headroom=0.8,
        import_concurrency=2,
        import_threads=16,
    )

    assert settings.calls_per_second == share


@dataclass
class Context:
    """As much of Lambda's as our handlers look at."""

    function_name: str = "f"
    memory_limit_in_mb: int = 1024
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:f"
    aws_request_id: str = "request-1"

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        return 60_000


@pytest.fixture
def deployed(account: Account, monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    """The functions with what the stack gives them, on moto."""
    for name, value in {
        "IMPORTS_TABLE": "imports",
        "IMPORT_BUCKET": BUCKET,
        "LOAD_QUEUE_URL": "https://sqs/queue",
        "DEVICES_TABLE": "devices",
        "TOKENS_TABLE": "tokens",
        "PLATFORM_PARAMETER_PATH": "/Fanfare/platforms/",
        "AWS_REGION": "us-east-1",
        "ENDPOINT_QUOTA_PER_SECOND": "0",
        "ENDPOINT_HEADROOM": "0.8",
        "IMPORT_CONCURRENCY": "2",
        "IMPORT_THREADS": "4",
    }.items():
        monkeypatch.setenv(name, value)
    cached = (check._parts, load._pace, load._queue, load._loader, dead_letter._loader)
    for each in (*cached, workflow._steps):
        each.cache_clear()
    yield account
    for each in (*cached, workflow._steps):
        each.cache_clear()


def test_the_functions_work_an_import_off_as_deployed(
    deployed: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    context: Any = Context()
    # Nobody made a platform application here: the check says so, and the dead letter has its turn.
    import_id = deployed.upload(csv_of(HEADER, *good(1, 3)), csv_of("Id,OptOut", "d1,ALL"))

    def step(name: str, **more: Any) -> Any:
        return workflow.handler({"import_id": import_id, "step": name, **more}, context)

    assert step("begin") == {"active": True, "groups": [1]}
    check.handler({"import_id": import_id, "group": 1}, context)
    assert step("decide") == {"outcome": "LOAD"}
    event = {"Records": [{**record(encode(SliceKey(import_id, 0))), "eventSource": "aws:sqs"}]}
    assert dead_letter.handler(event, context) == {"batchItemFailures": []}
    assert load.handler(event, context) == {"batchItemFailures": []}
    step("finish")
    step("fail", error={})

    view = deployed.api.show(import_id)
    assert (view.state, view.counts.rows, view.counts.rejected) == ("DONE", 4, 4)
    log = capsys.readouterr().out
    assert "token-" not in log
    metrics = [json.loads(line) for line in log.splitlines() if '"_aws"' in line]
    assert [each["RowsChecked"] for each in metrics if "RowsChecked" in each] == [[4.0]]
    with pytest.raises(KeyError):
        step("unheard")
