"""Registering one device: by AWS's own procedure for tokens, and never losing an opt-out."""

import threading
from dataclasses import replace
from decimal import Decimal
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.stub import Stubber

from functions.devices.endpoint_errors import EndpointRefusedError
from functions.devices.endpoints import Endpoints
from functions.devices.parsing import parse_device
from functions.devices.records import Device, OptOut
from functions.devices.registry import Registry
from functions.devices.store import DeviceStore
from functions.shared.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from tests.unit.devices.conftest import (
    TOKEN,
    FakeSns,
    application_of,
    body,
    client_error,
    seed,
)


def device(device_id: str = "d1", **members: Any) -> Device:
    return parse_device(body(device_id, **members))


def only(sns: FakeSns) -> dict[str, str]:
    """The one endpoint that there is."""
    (attributes,) = sns.endpoints.values()
    return attributes


def test_a_new_device_gets_an_endpoint_by_one_call(registry: Registry, sns: FakeSns) -> None:
    stored = registry.register(device(Metrics={"score": Decimal("0.1")}))
    assert stored.endpoint_arn == (
        "arn:aws:sns:us-east-1:123456789012:endpoint/GCM/Fanfare-platform-GCM/0"
    )
    assert registry.get("d1") == stored
    assert only(sns) == {"Token": TOKEN, "Enabled": "true", "CustomUserData": "d1"}
    assert sns.calls == {"create": 1}


def test_the_same_again_changes_nothing_and_asks_sns_once(registry: Registry, sns: FakeSns) -> None:
    first = registry.register(device())
    sns.calls.clear()
    assert registry.register(device()) == first
    assert sns.calls == {"get": 1}


def test_a_changed_token_keeps_the_endpoint(registry: Registry, sns: FakeSns) -> None:
    first = registry.register(device())
    sns.calls.clear()
    second = registry.register(device(Address="token-new"))
    assert second.endpoint_arn == first.endpoint_arn
    assert only(sns)["Token"] == "token-new"
    assert registry.get("d1").address == "token-new"
    assert sns.calls == {"set": 1}


def test_a_disabled_endpoint_is_enabled_again(registry: Registry, sns: FakeSns) -> None:
    first = registry.register(device())
    only(sns)["Enabled"] = "false"
    assert registry.register(device()) == first
    assert only(sns)["Enabled"] == "true"


def test_a_token_that_sns_replaced_is_put_right(registry: Registry, sns: FakeSns) -> None:
    registry.register(device())
    only(sns)["Token"] = "token-stale"
    registry.register(device())
    assert only(sns) == {"Token": TOKEN, "Enabled": "true", "CustomUserData": "d1"}


@pytest.mark.parametrize("address", [TOKEN, "token-new"])
def test_an_endpoint_that_is_gone_is_made_anew(
    registry: Registry, sns: FakeSns, address: str
) -> None:
    registry.register(device())
    sns.endpoints.clear()
    stored = registry.register(device(Address=address))
    assert list(sns.endpoints) == [stored.endpoint_arn]
    assert only(sns)["Token"] == address


def test_a_device_that_was_stored_without_an_endpoint_gets_one(
    registry: Registry, sns: FakeSns
) -> None:
    seed(registry, device("d1", OptOut="ALL"), device("d2"))
    stored = registry.register(device("d1"))
    assert list(sns.endpoints) == [stored.endpoint_arn]
    assert registry.get("d1").opt_out is OptOut.ALL
    registry.delete("d2")
    assert registry.store.get("d2") is None


def test_an_endpoint_that_has_the_token_already_is_taken_over(
    registry: Registry, sns: FakeSns
) -> None:
    former = registry.register(device("former"))
    sns.endpoints[former.endpoint_arn or ""]["Enabled"] = "false"
    stored = registry.register(device("installed-again"))
    assert stored.endpoint_arn == former.endpoint_arn
    assert only(sns) == {"Token": TOKEN, "Enabled": "true", "CustomUserData": "installed-again"}


def test_a_token_that_another_endpoint_has_moves_the_device_there(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device("d1", Address="token-1"))
    other = registry.register(device("d2", Address="token-2"))
    stored = registry.register(device("d1", Address="token-2"))
    assert stored.endpoint_arn == other.endpoint_arn
    assert list(sns.endpoints) == [other.endpoint_arn]


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:sns:us-east-1:000000000000:app/GCM/Fanfare-platform-GCM/7f3c",
        "arn:aws-cn:sns:cn-north-1:123456789012:endpoint/GCM/Fanfare-platform-GCM/7f3c",
    ],
)
@pytest.mark.parametrize("prefix", ["", "Invalid parameter: Token Reason: "])
def test_the_existing_arn_is_found_in_whatever_sns_writes_around_it(
    store: DeviceStore, arn: str, prefix: str
) -> None:
    client = boto3.client("sns")
    registry = Registry(
        store=store,
        endpoints=Endpoints(client),
        application_of=application_of,
    )
    text = f"{prefix}Endpoint {arn} already exists with the same Token, but different attributes."
    with Stubber(client) as stub:
        stub.add_client_error("create_platform_endpoint", "InvalidParameter", text, 400)
        stub.add_response(
            "set_endpoint_attributes",
            {},
            {
                "EndpointArn": arn,
                "Attributes": {"Enabled": "true", "CustomUserData": "d1"},
            },
        )
        assert registry.register(device()).endpoint_arn == arn
        stub.assert_no_pending_responses()


def test_another_platform_brings_another_endpoint_and_drops_the_former(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device())
    stored = registry.register(device(ChannelType="APNS"))
    assert list(sns.endpoints) == [stored.endpoint_arn]
    assert sns.applications[stored.endpoint_arn or ""].endswith("app/APNS/Fanfare-APNS")


def test_a_former_endpoint_that_cannot_be_dropped_now_is_no_failure(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device())
    sns.script = lambda operation, _: client_error("Throttling") if operation == "get" else None
    stored = registry.register(device(ChannelType="APNS"))
    assert registry.get("d1") == stored


def test_attributes_are_replaced_and_not_merged(registry: Registry) -> None:
    registry.register(device(Attributes={"a": "1", "b": "2"}, Location={"City": "Taipei"}))
    registry.register(device(Attributes={"a": "3"}))
    stored = registry.get("d1")
    assert (stored.attributes, stored.location) == ({"a": ("3",)}, {})


def test_an_opt_out_that_is_not_mentioned_stays(registry: Registry) -> None:
    registry.register(device(OptOut="ALL"))
    assert registry.register(device()).opt_out is OptOut.ALL
    assert registry.get("d1").opt_out is OptOut.ALL
    assert registry.register(device(OptOut="NONE")).opt_out is OptOut.NONE


def test_an_opt_out_that_comes_in_between_is_not_lost(registry: Registry, sns: FakeSns) -> None:
    first = registry.register(device())

    def opt_out_meanwhile(operation: str, _: str) -> None:
        if operation == "get" and sns.calls["get"] == 1:
            seed(registry, replace(first, opt_out=OptOut.ALL))

    sns.script = opt_out_meanwhile
    registry.register(device(Attributes={"a": "1"}))
    stored = registry.get("d1")
    assert (stored.opt_out, stored.attributes) == (OptOut.ALL, {"a": ("1",)})


def test_who_always_loses_against_others_is_told_so(registry: Registry, sns: FakeSns) -> None:
    first = registry.register(device())

    def change_meanwhile(_: str, __: str) -> None:
        seed(registry, replace(first, address=f"token-{sns.total}"))

    sns.script = change_meanwhile
    with pytest.raises(ConflictError, match=r"The device d1 is being changed by others"):
        registry.register(device())


@pytest.mark.parametrize("tokens", [(TOKEN, TOKEN), ("token-1", "token-2")])
def test_two_registrations_at_the_same_time_end_with_one_endpoint(
    registry: Registry, sns: FakeSns, tokens: tuple[str, str]
) -> None:
    both_know_nothing = threading.Barrier(2)
    creating = threading.local()

    class Meeting(FakeSns):
        def create_platform_endpoint(self, **request: str) -> dict[str, str]:
            if not getattr(creating, "done", False):
                creating.done = True
                both_know_nothing.wait(timeout=10)
            return super().create_platform_endpoint(**request)

    meeting = Meeting()
    meeting.endpoints, meeting.applications = sns.endpoints, sns.applications
    together = replace(registry, endpoints=Endpoints(meeting))  # type: ignore[arg-type]
    failures: list[BaseException] = []

    def register(token: str) -> None:
        try:
            together.register(device(Address=token))
        except BaseException as error:  # noqa: BLE001 (told below, by the thread that asserts)
            failures.append(error)

    threads = [threading.Thread(target=register, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    stored = registry.get("d1")
    assert list(sns.endpoints) == [stored.endpoint_arn]
    assert only(sns)["Token"] == stored.address


def test_a_device_that_is_deleted_takes_its_endpoint_along(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device())
    registry.delete("d1")
    assert sns.endpoints == {}
    with pytest.raises(NotFoundError, match=r"There is no device with the Id d1\."):
        registry.get("d1")


def test_deleting_what_is_not_there_is_no_error(registry: Registry, sns: FakeSns) -> None:
    registry.delete("d1")
    registry.register(device())
    sns.endpoints.clear()
    registry.delete("d1")
    assert registry.store.get("d1") is None


def test_a_deleted_device_leaves_the_endpoint_that_another_one_has_now(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device("former"))
    present = registry.register(device("installed-again"))
    registry.delete("former")
    assert list(sns.endpoints) == [present.endpoint_arn]


def test_a_device_that_could_not_lose_its_endpoint_is_still_there_to_try_again(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device())
    sns.script = lambda operation, _: client_error("Throttling") if operation == "delete" else None
    with pytest.raises(UnavailableError):
        registry.delete("d1")
    assert registry.get("d1").address == TOKEN


def test_a_platform_without_application_says_how_to_make_it(registry: Registry) -> None:
    with pytest.raises(ConflictError) as caught:
        registry.register(device(ChannelType="ADM"))
    assert str(caught.value) == (
        "There is no platform application for ADM; make it with: fanfare platform create ADM"
    )


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (client_error("InvalidParameter", f"Invalid token {TOKEN}"), InvalidInputError),
        (client_error("Throttling", TOKEN), UnavailableError),
        (client_error("InternalError", TOKEN, 500), UnavailableError),
        (client_error("Strange", TOKEN, 503), UnavailableError),
        (client_error("NotFound", TOKEN, 404), ConflictError),
        (client_error("PlatformApplicationDisabled", TOKEN), ConflictError),
        (client_error("AuthorizationError", TOKEN, 403), EndpointRefusedError),
        (EndpointConnectionError(endpoint_url="https://sns.example"), UnavailableError),
    ],
)
def test_what_sns_refuses_stores_nothing_and_shows_no_token(
    registry: Registry, sns: FakeSns, error: ClientError, expected: type[Exception]
) -> None:
    sns.script = lambda _operation, _token: error
    with pytest.raises(expected) as caught:
        registry.register(device())
    assert TOKEN not in str(caught.value)
    assert caught.value.__suppress_context__
    assert registry.store.get("d1") is None


def test_a_failed_registration_leaves_what_was_stored(registry: Registry, sns: FakeSns) -> None:
    first = registry.register(device())
    sns.script = lambda _operation, _token: client_error("Throttling")
    with pytest.raises(UnavailableError):
        registry.register(device(Address="token-new", Attributes={"a": "1"}))
    assert registry.get("d1") == first


def test_it_works_against_moto_as_against_the_fake(store: DeviceStore) -> None:
    client = boto3.client("sns")
    application = client.create_platform_application(
        Name="Fanfare-platform-GCM", Platform="GCM", Attributes={}
    )["PlatformApplicationArn"]
    registry = Registry(
        store=store,
        endpoints=Endpoints(client),
        application_of=lambda _: application,
    )
    first = registry.register(device())
    second = registry.register(device(Address="token-new"))
    assert registry.register(device(Address="token-new")) == second
    found = client.list_endpoints_by_platform_application(PlatformApplicationArn=application)
    (endpoint,) = found["Endpoints"]
    assert (endpoint["EndpointArn"], first.endpoint_arn) == (
        second.endpoint_arn,
        second.endpoint_arn,
    )
    assert endpoint["Attributes"]["Token"] == "token-new"
    registry.delete("d1")
    found = client.list_endpoints_by_platform_application(PlatformApplicationArn=application)
    assert found["Endpoints"] == []
