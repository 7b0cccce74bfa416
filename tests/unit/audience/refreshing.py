"""A list that is built and refreshed on moto, with a topic that counts, and functions that die."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3

from functions.audience.claiming import Listed
from functions.audience.criteria import Criteria, parse
from functions.audience.device_reader import look_up
from functions.audience.devices import scan_segment
from functions.audience.listing import list_segment
from functions.audience.lists import ListStore
from functions.audience.queue import ChunkMessage
from functions.audience.records import ListProgress, Member, MemberStatus
from functions.audience.refresh_lists import RefreshLists
from functions.audience.subscribing import SubscribeWorker
from functions.audience.sweeping import Sweep
from functions.audience.topic import Answer, Subscribed, UnsubscribeAnswer, Unsubscribed
from functions.shared.pacing import Pace
from tests.unit.tables import make_devices_table, make_lists_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

CAMPAIGN = "c0ffee"
TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c0ffee"
SEGMENTS = 2
FIJI = parse({"field": "Location.Country", "op": "eq", "value": "FJ"})


class KilledError(Exception):
    """The function died here."""


@dataclass
class Deaths:
    """Lets a function die at the marked lines that were chosen, counted as they are passed."""

    at: frozenset[int] = frozenset()
    passed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def line(self) -> None:
        with self.lock:
            self.passed += 1
            if self.passed in self.at:
                raise KilledError


@dataclass
class FakeTopic:
    """SNS: an endpoint has one subscription on the topic, and a new one each time it comes back."""

    deaths: Deaths
    subscriptions: dict[str, str] = field(default_factory=dict)  # by ARN, the endpoint
    calls: Counter[str] = field(default_factory=Counter)
    made: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def subscribe(self, _topic_arn: str, endpoint_arn: str) -> Answer:
        self.deaths.line()
        with self.lock:
            self.calls["Subscribe"] += 1
            arn = next((arn for arn, e in self.subscriptions.items() if e == endpoint_arn), None)
            if arn is None:
                self.made += 1
                arn = f"{TOPIC}:{self.made}"
                self.subscriptions[arn] = endpoint_arn
        self.deaths.line()
        return Subscribed(subscription_arn=arn)

    def unsubscribe(self, subscription_arn: str) -> UnsubscribeAnswer:
        self.deaths.line()
        with self.lock:
            self.calls["Unsubscribe"] += 1
            self.subscriptions.pop(subscription_arn, None)
        self.deaths.line()
        return Unsubscribed()

    @property
    def endpoints(self) -> list[str]:
        return sorted(self.subscriptions.values())


@dataclass
class FakeQueue:
    """Keeps what was sent until it is delivered, then maybe delivers it again."""

    deaths: Deaths
    waiting: list[ChunkMessage] = field(default_factory=list)
    sent: int = 0

    def send(self, messages: Sequence[ChunkMessage]) -> None:
        for message in messages:
            self.deaths.line()
            self.waiting.append(message)
            self.sent += 1
        self.deaths.line()


class Counting:
    """The requests that DynamoDB was sent, and the items that these wrote."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.writes = 0
        self._lock = threading.Lock()

    def watch(self, table: "Table") -> None:
        table.meta.client.meta.events.register("before-call.dynamodb", self._count)

    def clear(self) -> None:
        self.requests.clear()
        self.writes = 0

    def _count(self, model: Any, params: dict[str, Any], **_: Any) -> None:
        body = json.loads(params["body"])
        with self._lock:
            self.requests[model.name] += 1
            if model.name == "BatchWriteItem":
                self.writes += sum(map(len, body["RequestItems"].values()))
            elif model.name == "TransactWriteItems":
                self.writes += len(body["TransactItems"])
            elif model.name in {"PutItem", "UpdateItem", "DeleteItem"}:
                self.writes += 1


class RefreshWorld:
    """Devices, a list of those in Fiji, and all that works on it."""

    def __init__(self, *, chunk_size: int = 3) -> None:
        self.deaths = Deaths()
        # moto's transactions copy the whole table, which nobody may change meanwhile.
        self.one_at_a_time = threading.Lock()
        self.devices = make_devices_table()
        self.table = make_lists_table()
        self.lists = ListStore(self.table)
        self.refreshes = RefreshLists(self.table)
        self.topic = FakeTopic(self.deaths)
        self.queue = FakeQueue(self.deaths)
        self.generation = 1
        self.twice = False
        self.chunk_size = chunk_size
        self.worker = SubscribeWorker(
            lists=self.lists,
            subscribe=self.topic.subscribe,
            unsubscribe=self.topic.unsubscribe,
            pace=Pace(1_000_000),
            wake=lambda _token: True,
            threads=1,
            sleep=lambda _seconds: None,
        )
        self._mark("write_chunks", "claim", "write_members", "tick", "remove_leaver")

    # What happens to devices

    def put(self, device_id: str, endpoint: str | None, **more: str) -> None:
        item: dict[str, Any] = {
            "Id": device_id,
            "ChannelType": "GCM",
            "Location": {"Country": more.pop("country", "FJ")},
            **more,
        }
        if endpoint is not None:
            item["EndpointArn"] = endpoint
        self.devices.put_item(Item=item)

    def remove(self, device_id: str) -> None:
        self.devices.delete_item(Key={"Id": device_id})

    # What is true

    def audience(self) -> dict[str, str | None]:
        """The devices that match now, by the endpoint at which they can be reached."""
        found = scan_segment(self.devices, FIJI, segment=0, segments_total=1)
        return {each.device_id: None if each.skip_reason else each.endpoint_arn for each in found}

    def members(self) -> dict[str, Member]:
        pages = self.refreshes.everyone(CAMPAIGN)
        return {member.device_id: member for page in pages for member in page}

    def progress(self) -> ListProgress:
        return self.lists.progress([CAMPAIGN])[CAMPAIGN]

    # What the workflow does

    def build(self) -> None:
        self.lists.open(CAMPAIGN, criteria=FIJI, topic_arn=TOPIC, segments_total=SEGMENTS)
        self._list()
        self._end()

    def refresh(self) -> None:
        self.generation += 1
        self._refresh_once()
        self._end()

    def refresh_and_fail(self) -> None:
        """A refresh of which somebody gives up half the work, as MarkFailed does."""
        self.generation += 1
        self.refreshes.reopen(CAMPAIGN, generation=self.generation, criteria=FIJI)
        self._repeat(self._sweep)
        half = self.queue.waiting[: (len(self.queue.waiting) + 1) // 2]
        with suppress(KilledError):
            self._work(half, begun=False)
        self.lists.close(CAMPAIGN)

    def _refresh_once(self) -> None:
        self.refreshes.reopen(CAMPAIGN, generation=self.generation, criteria=FIJI)
        self._repeat(self._sweep)
        self._deliver(self.queue.waiting)
        assert self.progress().complete
        self.refreshes.begin_listing(CAMPAIGN, generation=self.generation, segments_total=SEGMENTS)
        assert not self.progress().complete
        self._list()

    def _sweep(self) -> Listed:
        sweep = Sweep(
            lists=self.lists,
            refreshes=self.refreshes,
            queue=self.queue,  # type: ignore[arg-type]
            chunk_size=self.chunk_size,
        )
        return sweep.run(CAMPAIGN, self.generation, partial(look_up, self.devices))

    def _list(self) -> None:
        for segment in range(SEGMENTS):
            self._repeat(partial(self._list_segment, segment))
        self._deliver(self.queue.waiting)

    def _list_segment(self, segment: int) -> Listed:
        def scan(criteria: Criteria) -> Iterator[Any]:
            return scan_segment(self.devices, criteria, segment=segment, segments_total=SEGMENTS)

        return list_segment(
            campaign_id=CAMPAIGN,
            segment=segment,
            scan=scan,
            lists=self.lists,
            queue=self.queue,  # type: ignore[arg-type]
            chunk_size=self.chunk_size,
            generation=self.generation,
        )

    def _end(self) -> None:
        progress = self.progress()
        assert progress.complete
        assert self.lists.tally(CAMPAIGN).total == progress.expected
        self.lists.close(CAMPAIGN, adds_up=True)

    def _deliver(self, messages: Sequence[ChunkMessage]) -> None:
        """Each batch until it is worked off, and once more if everything comes twice."""
        batch = list(messages)
        self.queue.waiting = [each for each in self.queue.waiting if each not in batch]
        self._repeat(lambda: self._work(batch, begun=False), lambda: self._work(batch, begun=True))
        if self.twice:
            self._repeat(lambda: self._work(batch, begun=True))

    def _work(self, batch: Sequence[ChunkMessage], *, begun: bool) -> None:
        messages = [ChunkMessage(key=each.key, begun=begun) for each in batch]
        worked = self.worker.work(messages, deadline=time.monotonic() + 60)
        assert (worked.out_of_time, worked.unsettled) == ((), {})

    def _repeat(
        self, first: Callable[[], object], again: Callable[[], object] | None = None
    ) -> None:
        """As SQS and Step Functions do: a function that died is called again."""
        call = first
        while True:
            try:
                call()
                return
            except KilledError:
                call = again or first

    def _mark(self, *names: str) -> None:
        """Lets a function die before and after each of these calls of the store."""
        for name in names:
            setattr(self.lists, name, self._marked(getattr(self.lists, name)))

    def _marked(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            self.deaths.line()
            with self.one_at_a_time:
                answer = method(*args, **more)
            self.deaths.line()
            return answer

        return call


def reached(members: dict[str, Member]) -> dict[str, str | None]:
    """The members that are subscribed, by endpoint; None for the others."""
    return {
        device_id: member.endpoint_arn if member.status is MemberStatus.SUBSCRIBED else None
        for device_id, member in members.items()
    }


@contextmanager
def emptied(world: RefreshWorld) -> Iterator[RefreshWorld]:
    """The world, without its tables afterwards, for the next example."""
    try:
        yield world
    finally:
        for table in (world.devices, world.table):
            boto3.client("dynamodb").delete_table(TableName=table.name)
