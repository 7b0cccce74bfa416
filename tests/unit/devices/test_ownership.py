"""Whose a token is: the last registration's, wherever from; the others keep their record."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from functions.devices.batch import register_batch
from functions.devices.parsing import parse_device
from functions.devices.records import ChannelType, Device, EndpointStatus, OptOut, StatusReason
from functions.devices.registry import Registration, Registry
from functions.devices.tokens import token_key
from functions.shared.errors import InvalidPart
from tests.unit.devices.conftest import TOKEN, FakeSns, body, client_error, seed
from tests.unit.devices.interleaving import before_each_operation

ACTIVE = (EndpointStatus.ACTIVE, None)
MOVED = (EndpointStatus.INACTIVE, StatusReason.MOVED)


def device(device_id: str = "d1", **members: Any) -> Device:
    return parse_device(body(device_id, **members))


def registrations(*devices: Device, order: str = "2026-12-01#") -> list[Registration]:
    return [Registration(device=each, order=order) for each in devices]


def status(registry: Registry, device_id: str) -> tuple[EndpointStatus, StatusReason | None]:
    stored = registry.get(device_id)
    assert (stored.endpoint_arn is None) or stored.endpoint_status is EndpointStatus.ACTIVE
    return stored.endpoint_status, stored.status_reason


def owner(registry: Registry, address: str = TOKEN) -> str | None:
    key = token_key(ChannelType.GCM, address)
    state = registry.store.tokens([key]).get(key)
    return state.owner if state else None


def test_a_token_is_never_a_key(registry: Registry) -> None:
    registry.register(device())

    [item] = registry.store._tokens_table.scan()["Items"]
    assert TOKEN not in str(item)
    assert item["token"] == "56a312d673086ec41c0d63cceb50d193be3165fa0c86b9af9b90db0920342a11"
    assert item["device_id"] == "d1"


def test_a_phone_that_is_handed_on_leaves_the_former_device_without_an_endpoint(
    registry: Registry, sns: FakeSns
) -> None:
    former = registry.register(device("former", Attributes={"plan": "gold"}, OptOut="ALL"))
    present = registry.register(device("present"))

    assert list(sns.endpoints) == [present.endpoint_arn]
    assert owner(registry) == "present"
    assert registry.get("former") == replace(
        former,
        endpoint_status=EndpointStatus.INACTIVE,
        status_reason=StatusReason.MOVED,
        endpoint_arn=None,
    )


def test_a_device_that_lost_its_token_gets_it_back_by_registering_again(
    registry: Registry, sns: FakeSns
) -> None:
    for device_id in ("first", "second", "first"):
        registry.register(device(device_id))

    assert (status(registry, "first"), status(registry, "second")) == (ACTIVE, MOVED)
    assert owner(registry) == "first"
    assert len(sns.endpoints) == 1


def test_a_device_that_lost_its_token_lives_again_with_a_new_one(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device("first"))
    registry.register(device("second"))
    registry.register(device("first", Address="token-new"))

    assert (status(registry, "first"), status(registry, "second")) == (ACTIVE, ACTIVE)
    assert sorted(each["Token"] for each in sns.endpoints.values()) == [TOKEN, "token-new"]


def test_an_older_registration_does_not_take_the_token_from_a_newer_one(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register_all(registrations(device("newer"), order="2026-12-02#"))
    calls = sns.total

    answered = registry.register_all(registrations(device("older"), order="2026-12-01#"))

    assert answered == {"older": registry.get("older")}
    assert (status(registry, "older"), status(registry, "newer")) == (MOVED, ACTIVE)
    assert sns.total == calls


def test_who_owns_a_token_keeps_the_greatest_order_it_came_with(registry: Registry) -> None:
    registry.register_all(registrations(device("mine"), order="2026-12-03#"))
    registry.register_all(registrations(device("mine"), order="2026-12-01#"))
    registry.register_all(registrations(device("other"), order="2026-12-02#"))

    assert (status(registry, "mine"), status(registry, "other")) == (ACTIVE, MOVED)


def test_of_one_token_in_one_batch_the_last_has_it_by_one_call(
    registry: Registry, sns: FakeSns
) -> None:
    register_batch(registry, {"devices": [body("a"), body("b"), body("a"), body("c"), body("a")]})

    assert [status(registry, each) for each in "abc"] == [ACTIVE, MOVED, MOVED]
    assert sns.calls == {"create": 1}


def test_what_sns_has_against_a_token_it_has_against_all_who_bring_it(
    registry: Registry, sns: FakeSns
) -> None:
    sns.script = lambda _, token: client_error("InvalidParameter") if token == TOKEN else None

    answered = registry.register_all(registrations(device("a"), device("b")))

    refused = (InvalidPart(place="Address", reason="SNS does not take it as a token of GCM"),)
    assert answered == {"a": refused, "b": refused}
    assert registry.store.known(["a", "b"]) == {}


def test_two_devices_swap_their_tokens_in_one_batch(registry: Registry, sns: FakeSns) -> None:
    tokens = {"a": "token-a", "b": "token-b"}
    registry.register_all(registrations(*(device(d, Address=t) for d, t in tokens.items())))

    registry.register_all(
        registrations(device("a", Address="token-b"), device("b", Address="token-a"))
    )

    assert (owner(registry, "token-a"), owner(registry, "token-b")) == ("b", "a")
    for device_id, token in (("a", "token-b"), ("b", "token-a")):
        arn = registry.get(device_id).endpoint_arn
        assert sns.endpoints[arn or ""]["Token"] == token
        assert status(registry, device_id) == ACTIVE
    assert len(sns.endpoints) == 2


def test_tokens_that_go_round_in_one_batch_all_arrive(registry: Registry, sns: FakeSns) -> None:
    register_batch(registry, {"devices": [body(f"d{n}", Address=f"token-{n}") for n in range(25)]})

    register_batch(
        registry,
        {"devices": [body(f"d{n}", Address=f"token-{(n + 1) % 25}") for n in range(25)]},
    )

    for number in range(25):
        assert owner(registry, f"token-{(number + 1) % 25}") == f"d{number}"
        arn = registry.get(f"d{number}").endpoint_arn
        assert sns.endpoints[arn or ""]["Token"] == f"token-{(number + 1) % 25}"
    assert len(sns.endpoints) == 25


def test_a_token_that_is_given_up_may_be_had_by_anybody(registry: Registry) -> None:
    registry.register_all(registrations(device("a"), order="2026-12-09#"))
    registry.register_all(registrations(device("a", Address="token-new"), order="2026-12-09#"))
    assert owner(registry) is None

    registry.register_all(registrations(device("b"), order="2026-12-01#"))

    assert owner(registry) == "b"
    assert status(registry, "b") == ACTIVE


def test_the_same_token_on_another_platform_is_another_token(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device("a"))
    registry.register(device("b", ChannelType="APNS"))

    assert (status(registry, "a"), status(registry, "b")) == (ACTIVE, ACTIVE)
    assert len(sns.endpoints) == 2


def test_a_deleted_device_leaves_its_token_to_the_next(registry: Registry, sns: FakeSns) -> None:
    registry.register(device("a"))
    registry.delete("a")
    assert owner(registry) is None

    registry.register(device("b"))

    assert (owner(registry), len(sns.endpoints)) == ("b", 1)


def test_a_device_said_to_be_inactive_costs_no_call_and_owns_nothing(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device("a"))
    calls = sns.total

    stored = registry.register(device("b", EndpointStatus="INACTIVE"))

    assert (stored.status_reason, stored.endpoint_arn) == (StatusReason.APP, None)
    assert (owner(registry), sns.total) == ("a", calls)
    assert registry.get("b") == stored


def test_a_device_said_to_be_inactive_keeps_its_endpoint_until_it_is_active_again(
    registry: Registry, sns: FakeSns
) -> None:
    first = registry.register(device())
    calls = sns.total

    stored = registry.register(device(EndpointStatus="INACTIVE"))

    assert (stored.endpoint_arn, stored.status_reason) == (first.endpoint_arn, StatusReason.APP)
    assert (owner(registry), sns.total) == ("d1", calls)
    assert registry.register(device()) == first


def test_a_device_said_to_be_inactive_with_another_token_gives_its_former_up(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(device())

    stored = registry.register(device(EndpointStatus="INACTIVE", Address="token-new"))

    assert (stored.endpoint_arn, stored.address) == (None, "token-new")
    assert (owner(registry), owner(registry, "token-new")) == (None, None)
    assert sns.endpoints == {}


@pytest.mark.parametrize("reason", list(StatusReason))
def test_inactive_again_keeps_the_reason(registry: Registry, reason: StatusReason) -> None:
    seed(
        registry,
        replace(
            device(),
            endpoint_status=EndpointStatus.INACTIVE,
            status_reason=reason,
            opt_out=OptOut.NONE,
        ),
    )

    registry.register(device(EndpointStatus="INACTIVE"))
    assert registry.get("d1").status_reason is reason

    registry.register(device(EndpointStatus="INACTIVE", Address="token-new"))
    assert registry.get("d1").status_reason is StatusReason.APP

    registry.register(device())
    assert status(registry, "d1") == ACTIVE


def test_a_device_said_to_be_inactive_needs_no_platform(registry: Registry) -> None:
    stored = registry.register(device(ChannelType="ADM", EndpointStatus="INACTIVE"))
    assert stored.endpoint_arn is None


def test_an_opt_out_stays_with_a_device_that_loses_its_token_and_gets_it_back(
    registry: Registry,
) -> None:
    registry.register(device("a", OptOut="ALL"))
    registry.register(device("b"))
    registry.register(device("a"))

    assert registry.get("a").opt_out is OptOut.ALL
    assert registry.get("b").opt_out is OptOut.NONE


def test_a_hundred_new_devices_cost_two_reads_two_writes_and_a_hundred_calls(
    registry: Registry, sns: FakeSns
) -> None:
    calls: Counter[str] = Counter()
    with before_each_operation(lambda operation: calls.update([operation])):
        register_batch(
            registry, {"devices": [body(f"d{n}", Address=f"token-{n}") for n in range(100)]}
        )

    assert calls == {"BatchGetItem": 2, "TransactWriteItems": 2}
    assert sns.calls == {"create": 100}


def test_a_hundred_changed_tokens_cost_three_reads_four_writes_and_a_hundred_calls(
    registry: Registry, sns: FakeSns
) -> None:
    register_batch(registry, {"devices": [body(f"d{n}", Address=f"token-{n}") for n in range(100)]})
    sns.calls.clear()
    calls: Counter[str] = Counter()
    with before_each_operation(lambda operation: calls.update([operation])):
        register_batch(
            registry, {"devices": [body(f"d{n}", Address=f"token-new-{n}") for n in range(100)]}
        )

    # Two hundred tokens are read, and three hundred actions written, of which 99 fit into one.
    assert calls == {"BatchGetItem": 3, "TransactWriteItems": 4}
    assert sns.calls == {"set": 100}


def test_a_device_that_is_overtaken_holds_no_other_up(registry: Registry, sns: FakeSns) -> None:
    first = registry.register(device("slow", Address="token-slow"))

    def change_meanwhile(operation: str, _token: str) -> None:
        if sns.calls[operation] == 1:
            seed(registry, replace(first, opt_out=OptOut.ALL))

    sns.calls.clear()
    sns.script = change_meanwhile
    many = [device(f"d{n}", Address=f"token-{n}") for n in range(20)]
    answered = registry.register_all(registrations(device("slow", Address="token-slow"), *many))

    assert {type(each) for each in answered.values()} == {Device}
    assert registry.get("slow").opt_out is OptOut.ALL
    assert sns.calls == {"create": 20, "get": 2}


def test_an_endpoint_that_could_not_be_written_is_taken_up_by_the_next_attempt(
    registry: Registry, sns: FakeSns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_changes: object) -> set[str]:
        raise RuntimeError("the power went out")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(registry.store, "commit", broken)
        registry.register(device())
    assert registry.store.get("d1") is None

    stored = registry.register(device())

    assert list(sns.endpoints) == [stored.endpoint_arn]
