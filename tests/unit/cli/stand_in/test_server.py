"""The stand-in as boto3 meets it: calls passed on, refused, dropped, lost, and counted."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import boto3
import pytest
import requests
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError

from cli.stand_in.script import Effect, Rule, Script
from cli.stand_in.server import CONTROL, StandIn, running

TOPIC = "arn:aws:sns:us-east-1:123456789012:t"
ANSWER = (
    b'<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult>'
    b"<MessageId>m-1</MessageId></PublishResult></PublishResponse>"
)


class Upstream(ThreadingHTTPServer):
    """SNS, as far as it takes any message; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Upstream)
        self.messages: list[str] = []


class _Upstream(BaseHTTPRequestHandler):
    server: Upstream

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.messages += parse_qs(body)["Message"]
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def stand_in(upstream: Upstream) -> Iterator[StandIn]:
    with running(upstream=f"http://127.0.0.1:{upstream.server_port}") as server:
        yield server


def publish(stand_in: StandIn, message: str) -> str:
    config = Config(retries={"total_max_attempts": 1}, proxies={})
    sns = boto3.client("sns", endpoint_url=stand_in.url, config=config)
    return str(sns.publish(TopicArn=TOPIC, Message=message)["MessageId"])


def test_a_call_is_passed_on_with_its_answer(stand_in: StandIn, upstream: Upstream) -> None:
    assert publish(stand_in, "爵士 🎷") == "m-1"
    assert upstream.messages == ["爵士 🎷"]
    assert stand_in.record.counts() == {"Publish": {"passed": 1}}


@pytest.mark.parametrize(
    ("rule", "status", "code"),
    [
        (Rule(effect=Effect.THROTTLE), 400, "Throttling"),
        (Rule(effect=Effect.ERROR), 500, "InternalError"),
        (Rule(effect=Effect.REFUSE, code="NotFound", status=404), 404, "NotFound"),
    ],
)
def test_a_refused_call_is_answered_as_sns_does_and_not_carried_out(
    stand_in: StandIn, upstream: Upstream, rule: Rule, status: int, code: str
) -> None:
    stand_in.follow(Script(rules=(rule,)))
    with pytest.raises(ClientError) as error:
        publish(stand_in, "no")
    assert error.value.response["Error"]["Code"] == code
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    assert upstream.messages == []


@pytest.mark.parametrize(("effect", "carried_out"), [("drop", []), ("lose_answer", ["maybe"])])
def test_without_an_answer_the_caller_cannot_tell_whether_it_was_carried_out(
    stand_in: StandIn, upstream: Upstream, effect: str, carried_out: list[str]
) -> None:
    stand_in.follow(Script(rules=(Rule(effect=Effect(effect)),)))
    with pytest.raises(ConnectionClosedError):
        publish(stand_in, "maybe")
    assert upstream.messages == carried_out
    assert stand_in.record.counts() == {"Publish": {effect: 1}}


def test_a_delayed_call_is_carried_out_later(stand_in: StandIn, upstream: Upstream) -> None:
    stand_in.follow(Script(latency_seconds=0.2))
    began = time.monotonic()
    publish(stand_in, "late")
    assert time.monotonic() - began >= 0.2
    assert upstream.messages == ["late"]


def test_the_script_is_exchanged_and_the_counts_are_read_over_http(stand_in: StandIn) -> None:
    script = {"rules": [{"effect": "throttle", "action": "Publish", "times": 1}]}
    url = stand_in.url + CONTROL
    assert requests.post(url, json=script, timeout=5).status_code == 200
    with pytest.raises(ClientError):
        publish(stand_in, "one")
    publish(stand_in, "two")
    seen = requests.get(url, timeout=5).json()
    assert seen["counts"] == {"Publish": {"throttle": 1, "passed": 1}}
    assert sum(seen["busiest_second"].values()) in (1, 2)


def test_a_wrong_script_is_refused_and_changes_nothing(stand_in: StandIn) -> None:
    stand_in.follow(Script(rules=(Rule(effect=Effect.THROTTLE),)))
    answer = requests.post(stand_in.url + CONTROL, json={"rules": [{}]}, timeout=5)
    assert answer.status_code == 400
    assert "effect" in answer.text
    with pytest.raises(ClientError):
        publish(stand_in, "still throttled")
