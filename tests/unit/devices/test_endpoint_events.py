"""What SNS tells of endpoints is applied to their devices, as often and as late as it comes."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from functions.devices import endpoint_events
from functions.devices.endpoints import Endpoints
from functions.devices.event_message import UnreadableEventError, endpoint_of
from functions.devices.parsing import parse_device
from functions.devices.reconciling import reconcile
from functions.devices.records import ChannelType, Device, EndpointStatus, OptOut, StatusReason
from functions.devices.registry import Registry
from functions.devices.store import DeviceStore
from functions.devices.tokens import token_key
from functions.shared.errors import UnavailableError
from functions.shared.observability import logger
from tests.unit.devices.conftest import TOKEN, FakeSns, body, client_error, seed

INACTIVE, ACTIVE = EndpointStatus.INACTIVE, EndpointStatus.ACTIVE


@dataclass
class Context:
    function_name: str = "endpoint-events"
    memory_limit_in_mb: int = 128
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:endpoint-events"
    aws_request_id: str = "request-1"


def sqs_body(arn: object, event: str = "EndpointUpdated", **more: object) -> str:
    """An SQS message body as SNS writes it for an application event."""
    message = {
        "EndpointArn": arn,
        "EventType": event,
        "Resource": "arn:aws:sns:us-east-1:123456789012:app/GCM/Fanfare-platform-GCM",
        "Service": "SNS",
        "Time": "2026-12-01T00:00:00.000Z",
        **more,
    }
    return json.dumps({"Type": "Notification", "MessageId": "m1", "Message": json.dumps(message)})


Deliver = Callable[..., list[str]]


@pytest.fixture
def deliver(store: DeviceStore, sns: FakeSns, monkeypatch: pytest.MonkeyPatch) -> Deliver:
    """Hands bodies to the handler as one batch; answers which of them are to come again."""
    parts = (store, Endpoints(sns))  # type: ignore[arg-type]
    monkeypatch.setattr(endpoint_events, "_parts", lambda: parts)

    def _deliver(*bodies: str) -> list[str]:
        records = [
            {
                "messageId": str(number),
                "body": text,
                "receiptHandle": "r",
                "attributes": {},
                "messageAttributes": {},
                "md5OfBody": "",
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:events",
                "awsRegion": "us-east-1",
            }
            for number, text in enumerate(bodies)
        ]
        answer = endpoint_events.handler({"Records": records}, Context())
        return [each["itemIdentifier"] for each in answer["batchItemFailures"]]

    return _deliver


def registered(registry: Registry, device_id: str = "d1", **members: Any) -> tuple[Device, str]:
    """The device, and the ARN of its endpoint."""
    device = registry.register(parse_device(body(device_id, **members)))
    assert device.endpoint_arn is not None
    return device, device.endpoint_arn


def status(registry: Registry) -> tuple[EndpointStatus, StatusReason | None]:
    stored = registry.get("d1")
    return stored.endpoint_status, stored.status_reason


def owner(registry: Registry, address: str) -> str | None:
    key = token_key(ChannelType.GCM, address)
    state = registry.store.tokens([key]).get(key)
    return state.owner if state else None


@pytest.mark.parametrize("event", ["EndpointUpdated", "DeliveryFailure"])
def test_a_disabled_endpoint_turns_its_device_off_and_an_enabled_one_on_again(
    registry: Registry, sns: FakeSns, deliver: Deliver, event: str
) -> None:
    device, arn = registered(registry, Attributes={"plan": "gold"})
    sns.endpoints[arn]["Enabled"] = "false"

    assert deliver(sqs_body(arn, event)) == []
    off = replace(device, endpoint_status=INACTIVE, status_reason=StatusReason.DISABLED)
    assert registry.get("d1") == off

    sns.endpoints[arn]["Enabled"] = "true"
    assert deliver(sqs_body(arn)) == []
    assert registry.get("d1") == device


def test_a_deleted_endpoint_turns_its_device_off_for_good(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    device, arn = registered(registry)
    sns.endpoints.clear()

    assert deliver(sqs_body(arn, "EndpointDeleted")) == []

    assert registry.get("d1") == replace(
        device,
        endpoint_status=INACTIVE,
        status_reason=StatusReason.DELETED,
        endpoint_arn=None,
    )


def test_a_device_that_sns_turned_off_is_revived_by_registering_again(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    for change in (
        lambda arn: sns.endpoints[arn].update(Enabled="false"),
        sns.endpoints.pop,
    ):
        _, arn = registered(registry)
        change(arn)
        deliver(sqs_body(arn))
        assert status(registry)[0] is INACTIVE

        _, arn = registered(registry)
        assert status(registry) == (ACTIVE, None)
        assert sns.endpoints[arn] == {"Token": TOKEN, "Enabled": "true", "CustomUserData": "d1"}


def test_the_same_event_twice_changes_nothing_more(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    _, arn = registered(registry)
    sns.endpoints[arn]["Enabled"] = "false"
    deliver(sqs_body(arn))
    once = registry.get("d1")

    assert deliver(sqs_body(arn), sqs_body(arn)) == []
    assert registry.get("d1") == once


def test_an_old_event_tells_no_lie(registry: Registry, sns: FakeSns, deliver: Deliver) -> None:
    device, arn = registered(registry)

    # It was disabled, then enabled, and the events come the other way round.
    deliver(
        sqs_body(arn, Attributes={"Enabled": "true"}),
        sqs_body(arn, Attributes={"Enabled": "false"}),
        sqs_body(arn, "EndpointDeleted"),
    )

    assert registry.get("d1") == device


@pytest.mark.parametrize("gone", [True, False])
def test_what_the_app_switched_off_stays_off(
    registry: Registry, sns: FakeSns, deliver: Deliver, gone: bool
) -> None:
    registered(registry)
    _, arn = registered(registry, EndpointStatus="INACTIVE")
    sns.endpoints[arn]["Enabled"] = "false"
    deliver(sqs_body(arn))
    assert status(registry) == (INACTIVE, StatusReason.APP)
    if gone:
        sns.endpoints.clear()
    else:
        sns.endpoints[arn]["Enabled"] = "true"

    deliver(sqs_body(arn))

    assert status(registry) == (INACTIVE, StatusReason.APP)
    assert registry.get("d1").endpoint_arn == (None if gone else arn)


def test_a_token_that_the_push_service_replaced_is_the_devices_from_now_on(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    device, arn = registered(registry)
    sns.endpoints[arn]["Token"] = "token-new"

    deliver(sqs_body(arn), sqs_body(arn))

    assert registry.get("d1") == replace(device, address="token-new")
    assert (owner(registry, TOKEN), owner(registry, "token-new")) == (None, "d1")


def test_a_token_that_was_replaced_and_does_not_work_either(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    _, arn = registered(registry)
    sns.endpoints[arn] |= {"Token": "token-new", "Enabled": "false"}

    deliver(sqs_body(arn))

    assert status(registry) == (INACTIVE, StatusReason.DISABLED)
    assert registry.get("d1").address == "token-new"


def test_an_endpoint_that_another_device_took_is_not_this_ones_any_more(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    _, arn = registered(registry)
    sns.endpoints[arn] |= {"Token": "token-other", "CustomUserData": "other"}

    deliver(sqs_body(arn))

    assert status(registry) == (INACTIVE, StatusReason.DELETED)
    assert registry.get("d1").endpoint_arn is None


def test_a_token_that_is_another_devices_is_not_followed(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    _, arn = registered(registry)
    registered(registry, "other", Address="token-other")
    sns.endpoints[arn]["Token"] = "token-other"

    deliver(sqs_body(arn))

    assert status(registry) == (INACTIVE, StatusReason.DELETED)
    assert owner(registry, "token-other") == "other"


def test_a_device_whose_token_another_one_owns_has_no_endpoint(
    registry: Registry, deliver: Deliver
) -> None:
    device, arn = registered(registry)
    registered(registry, "other")
    seed(registry, device)

    deliver(sqs_body(arn))

    assert status(registry) == (INACTIVE, StatusReason.MOVED)
    assert registry.get("other").endpoint_arn == arn


def test_attributes_and_an_opt_out_are_left_alone(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    device, arn = registered(registry, OptOut="ALL")

    def change_meanwhile(operation: str, _token: str) -> None:
        if operation == "get":
            seed(registry, replace(device, attributes={"plan": ("gold",)}))

    sns.endpoints[arn]["Enabled"] = "false"
    sns.script = change_meanwhile
    deliver(sqs_body(arn))

    stored = registry.get("d1")
    assert stored.status_reason is StatusReason.DISABLED
    assert (stored.attributes, stored.opt_out) == ({"plan": ("gold",)}, OptOut.ALL)


def test_an_unknown_endpoint_is_ignored_without_asking_sns(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    registered(registry)
    calls = sns.total

    assert deliver(sqs_body("arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Other/1")) == []
    assert sns.total == calls


@pytest.mark.parametrize(
    "unreadable",
    [
        "{",
        "[]",
        "{}",
        json.dumps({"Message": "no JSON"}),
        json.dumps({"Message": "[" * 100_000}),
        json.dumps({"Message": "{}"}),
        sqs_body(None),
        sqs_body(""),
        sqs_body(7),
    ],
)
def test_what_is_no_event_comes_again_until_it_is_a_dead_letter_and_holds_nothing_up(
    registry: Registry, sns: FakeSns, deliver: Deliver, unreadable: str
) -> None:
    with pytest.raises(UnreadableEventError):
        endpoint_of(unreadable)
    _, arn = registered(registry)
    sns.endpoints[arn]["Enabled"] = "false"

    assert deliver(unreadable, sqs_body(arn), unreadable) == ["0", "2"]
    assert status(registry) == (INACTIVE, StatusReason.DISABLED)


def test_an_event_comes_again_while_sns_does_not_answer(
    registry: Registry, sns: FakeSns, deliver: Deliver
) -> None:
    _, arn = registered(registry)
    sns.script = lambda _operation, _token: client_error("Throttling")

    assert deliver(sqs_body(arn)) == ["0"]
    assert status(registry) == (ACTIVE, None)


def test_a_registration_at_the_same_moment_wins(
    registry: Registry, sns: FakeSns, store: DeviceStore
) -> None:
    _, arn = registered(registry)
    sns.endpoints[arn]["Enabled"] = "false"
    endpoints = Endpoints(sns)  # type: ignore[arg-type]

    def register_meanwhile(operation: str, _token: str) -> None:
        if operation == "get":
            sns.script = lambda _operation, _token: None
            registered(registry, Address="token-new")

    sns.script = register_meanwhile
    assert reconcile(arn, store, endpoints) == set()
    assert status(registry) == (ACTIVE, None)


def test_a_device_that_never_stands_still_is_left_to_the_next_delivery(
    registry: Registry, sns: FakeSns, store: DeviceStore
) -> None:
    device, arn = registered(registry)
    sns.endpoints[arn]["Enabled"] = "false"
    opt_outs = [OptOut.NONE, OptOut.ALL] * 10

    def change_meanwhile(_operation: str, _token: str) -> None:
        seed(registry, replace(device, opt_out=opt_outs.pop()))

    sns.script = change_meanwhile
    with pytest.raises(UnavailableError):
        reconcile(arn, store, Endpoints(sns))  # type: ignore[arg-type]


def test_no_log_line_shows_a_token(
    registry: Registry, sns: FakeSns, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    for handler in logger.handlers:
        monkeypatch.setattr(handler, "stream", stream)
    _, arn = registered(registry)
    sns.endpoints[arn]["Enabled"] = "false"

    deliver(sqs_body(arn, Attributes={"Token": TOKEN}), json.dumps({"Message": TOKEN}))

    assert "endpoint event applied" in stream.getvalue()
    assert "UnreadableEventError" in stream.getvalue()
    assert TOKEN not in stream.getvalue()


def test_the_handler_puts_its_parts_together_from_the_environment(
    devices_table: Any, tokens_table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVICES_TABLE", devices_table.name)
    monkeypatch.setenv("TOKENS_TABLE", tokens_table.name)
    endpoint_events._parts.cache_clear()
    store, endpoints = endpoint_events._parts()
    endpoint_events._parts.cache_clear()

    assert reconcile("arn:unknown", store, endpoints) == set()
