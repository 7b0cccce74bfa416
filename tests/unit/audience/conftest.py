"""A list of a campaign on moto, and SNS as a fake that a test can script."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from functions.audience.criteria import parse
from functions.audience.lists import ListStore
from functions.audience.queue import ChunkMessage
from functions.audience.records import Candidate
from functions.audience.subscribing import SubscribeWorker
from functions.audience.topic import Answer, Subscribed, UnsubscribeAnswer, Unsubscribed
from functions.shared.pacing import Pace
from tests.unit.tables import make_lists_table

CAMPAIGN = "c0ffee"
TOPIC = "arn:aws:sns:us-east-1:123456789012:fanfare-campaign-c0ffee"
EVERYBODY = parse({"field": "Id", "op": "exists"})


@pytest.fixture
def lists(aws: None) -> ListStore:
    return ListStore(make_lists_table())


@dataclass
class FakeSns:
    """Subscribes endpoints; `script` may answer otherwise for an endpoint, call by call."""

    script: Callable[[str, int], Answer | None] = lambda _endpoint, _call: None
    calls: Counter[str] = field(default_factory=Counter)
    subscribed: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    unsubscribed: list[str] = field(default_factory=list)

    def subscribe(self, topic_arn: str, endpoint_arn: str) -> Answer:
        assert topic_arn == TOPIC
        with self.lock:
            self.calls[endpoint_arn] += 1
            call = self.calls[endpoint_arn]
        answer = self.script(endpoint_arn, call)
        if answer is not None:
            return answer
        with self.lock:
            self.subscribed.add(endpoint_arn)
        return Subscribed(subscription_arn=f"{TOPIC}:{endpoint_arn}")

    def unsubscribe(self, subscription_arn: str) -> UnsubscribeAnswer:
        with self.lock:
            self.unsubscribed.append(subscription_arn)
            self.subscribed.discard(subscription_arn.removeprefix(f"{TOPIC}:"))
        return Unsubscribed()


@pytest.fixture
def sns() -> FakeSns:
    return FakeSns()


@dataclass
class FakeQueue:
    """Keeps what was sent."""

    sent: list[ChunkMessage] = field(default_factory=list)
    postponed: list[tuple[str, int]] = field(default_factory=list)

    def send(self, messages: list[ChunkMessage]) -> None:
        self.sent += messages

    def postpone(self, receipt_handles: list[str], seconds: int) -> None:
        self.postponed += [(handle, seconds) for handle in receipt_handles]


@pytest.fixture
def queue() -> FakeQueue:
    return FakeQueue()


@dataclass
class Waker:
    """Keeps the tokens that were woken."""

    tokens: list[str] = field(default_factory=list)

    def __call__(self, token: str) -> bool:
        self.tokens.append(token)
        return True


@pytest.fixture
def waker() -> Waker:
    return Waker()


@pytest.fixture
def worker(lists: ListStore, sns: FakeSns, waker: Waker) -> SubscribeWorker:
    return SubscribeWorker(
        lists=lists,
        subscribe=sns.subscribe,
        unsubscribe=sns.unsubscribe,
        pace=Pace(100_000),
        wake=waker,
        threads=8,
        sleep=lambda _seconds: None,
    )


def devices(first: int, last: int, *, skip_reason: str | None = None) -> list[Candidate]:
    """Candidates d<first> to d<last>, each with an endpoint of its own."""
    return [
        Candidate(device_id=f"d{n}", endpoint_arn=f"endpoint-{n}", skip_reason=skip_reason)
        for n in range(first, last + 1)
    ]
