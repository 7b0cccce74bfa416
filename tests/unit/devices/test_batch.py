"""Registering many devices in one request, each with its own result and as few calls as can be."""

from dataclasses import replace
from typing import Any

import pytest

from functions.devices.batch import Rejected, Stored, register_batch
from functions.devices.records import OptOut
from functions.devices.registry import Registry
from functions.shared.errors import InvalidInputError, InvalidPart
from tests.unit.devices.conftest import FakeSns, body, client_error, seed


def batch(count: int, **members: Any) -> dict[str, Any]:
    return {"devices": [body(f"d{n}", **{"Address": f"token-{n}"} | members) for n in range(count)]}


def test_a_hundred_new_devices_cost_one_call_to_sns_each(registry: Registry, sns: FakeSns) -> None:
    results = register_batch(registry, batch(100))
    assert results == [Stored(index=n, device_id=f"d{n}") for n in range(100)]
    assert sns.calls == {"create": 100}
    assert registry.get("d99").address == "token-99"


@pytest.mark.parametrize("members", [{}, {"OptOut": "NONE"}])
def test_the_same_hundred_again_cost_one_call_to_sns_each(
    registry: Registry, sns: FakeSns, members: dict[str, str]
) -> None:
    register_batch(registry, batch(100, **members))
    sns.calls.clear()
    register_batch(registry, batch(100, **members))
    assert sns.calls == {"get": 100}
    assert len(sns.endpoints) == 100


def test_a_hundred_new_tokens_cost_one_call_each_and_keep_the_endpoints(
    registry: Registry, sns: FakeSns
) -> None:
    register_batch(registry, batch(100))
    before = set(sns.endpoints)
    sns.calls.clear()
    renewed = [body(f"d{n}", Address=f"token-new-{n}") for n in range(100)]
    register_batch(registry, {"devices": renewed})
    assert sns.calls == {"set": 100}
    assert set(sns.endpoints) == before
    assert registry.get("d7").address == "token-new-7"


def test_a_wrong_device_is_rejected_with_its_places_and_stops_no_other(
    registry: Registry,
) -> None:
    given = [body("a"), body("b", ChannelType="SMS", Colour="red"), "no device", body("c/d")]
    results = register_batch(registry, {"devices": given})
    assert results[0] == Stored(index=0, device_id="a")
    assert [
        (result.index, result.device_id, [part.place for part in result.parts])
        for result in results[1:]
        if isinstance(result, Rejected)
    ] == [(1, "b", ["Colour", "ChannelType"]), (2, None, ["device"]), (3, None, ["Id"])]


def test_of_an_id_given_twice_the_last_one_counts_and_both_are_answered(
    registry: Registry, sns: FakeSns
) -> None:
    given = [body("a", Address="token-1"), body("b", Address="token-b"), body("a")]
    results = register_batch(registry, {"devices": given})
    assert results == [
        Stored(index=0, device_id="a"),
        Stored(index=1, device_id="b"),
        Stored(index=2, device_id="a"),
    ]
    assert registry.get("a").address == "token-5ecre7"
    assert len(sns.endpoints) == 2


@pytest.mark.parametrize(
    ("code", "place", "reason"),
    [
        ("InvalidParameter", "Address", "SNS does not take it as a token of GCM"),
        ("Throttling", "device", "SNS takes no endpoints for now; try again."),
    ],
)
def test_a_device_that_sns_refuses_is_rejected_without_its_token(
    registry: Registry, sns: FakeSns, code: str, place: str, reason: str
) -> None:
    sns.script = lambda _, token: client_error(code, token) if token == "token-1" else None
    results = register_batch(registry, batch(3))
    assert results == [
        Stored(index=0, device_id="d0"),
        Rejected(index=1, device_id="d1", parts=(InvalidPart(place=place, reason=reason),)),
        Stored(index=2, device_id="d2"),
    ]
    assert registry.store.get("d1") is None


def test_a_platform_without_application_rejects_its_devices_only(registry: Registry) -> None:
    given = [body("a"), body("b", ChannelType="ADM")]
    results = register_batch(registry, {"devices": given})
    assert results[0] == Stored(index=0, device_id="a")
    assert isinstance(results[1], Rejected)
    assert results[1].parts == (
        InvalidPart(
            place="ChannelType",
            reason="There is no platform application for ADM; "
            "make it with: fanfare platform create ADM",
        ),
    )


def test_an_opt_out_that_is_not_mentioned_stays(registry: Registry) -> None:
    register_batch(registry, batch(3, OptOut="ALL"))
    register_batch(registry, batch(3, Attributes={"a": "1"}))
    stored = registry.get("d1")
    assert (stored.opt_out, stored.attributes) == (OptOut.ALL, {"a": ("1",)})


def test_an_opt_out_that_comes_in_between_is_not_lost(registry: Registry, sns: FakeSns) -> None:
    register_batch(registry, batch(1))
    stored = registry.get("d0")

    def opt_out_meanwhile(_: str, __: str) -> None:
        if sns.calls["get"] == 1:
            seed(registry, replace(stored, opt_out=OptOut.ALL))

    sns.script = opt_out_meanwhile
    sns.calls.clear()
    register_batch(registry, batch(1, Attributes={"a": "1"}))
    assert registry.get("d0").opt_out is OptOut.ALL
    assert registry.get("d0").attributes == {"a": ("1",)}


def test_a_device_that_changes_its_platform_drops_the_former_endpoint(
    registry: Registry, sns: FakeSns
) -> None:
    register_batch(registry, batch(2, OptOut="NONE"))
    register_batch(registry, batch(2, OptOut="NONE", ChannelType="APNS"))
    assert {sns.applications[arn] for arn in sns.endpoints} == {
        "arn:aws:sns:us-east-1:123456789012:app/APNS/Fanfare-APNS"
    }


def test_an_empty_batch_has_no_results(registry: Registry) -> None:
    assert register_batch(registry, {"devices": []}) == []


@pytest.mark.parametrize(
    ("raw", "place", "reason"),
    [
        (batch(101), "devices", "has 101 devices; at most 100 are allowed"),
        ({"devices": {}}, "devices", "must be a list, not an object"),
        ({"devices": [], "more": 1}, "body", "must hold devices and nothing else"),
        ({}, "body", "must hold devices and nothing else"),
        ([], "body", "must be an object, not a list"),
    ],
)
def test_what_is_no_batch_is_refused_as_a_whole(
    registry: Registry, raw: object, place: str, reason: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        register_batch(registry, raw)
    assert caught.value.parts == (InvalidPart(place=place, reason=reason),)
