"""Whatever comes in between: one owner a token, one endpoint an owner, and no opt-out undone."""

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.devices.ownership import Registration
from functions.devices.parsing import parse_device
from functions.devices.records import ChannelType, Device, EndpointStatus, OptOut, StatusReason
from functions.devices.registry import Registry
from functions.devices.tokens import token_key
from tests.unit.devices.conftest import TOKEN, FakeSns, body
from tests.unit.devices.interleaving import Interleaving, before_each_call, one_call_at_a_time

LAW = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
THREADS = 10
DEVICES = TOKENS = 6

# A registration's token; whose turn it is.
TOKEN_NUMBERS = st.integers(0, 3)
TURNS = st.lists(st.integers(0, 5), max_size=60)
_examples = itertools.count()


class Play:
    """Registrations of one example, whose Ids and tokens no other example has."""

    def __init__(self, registry: Registry, sns: FakeSns) -> None:
        self.registry, self.sns = registry, sns
        self.mark = next(_examples)
        self.turns = Interleaving()
        # moto copies a table for each transaction.
        store = registry.store
        for table, key in ((store._table, "Id"), (store._tokens_table, "token")):
            for item in table.scan()["Items"]:
                table.delete_item(Key={key: item[key]})

    def registration(self, device: int, token: int, order: int) -> Registration:
        raw = body(f"{self.mark}-d{device}", Address=self.token(token))
        return Registration(device=parse_device(raw), order=f"2026-12-01#import#{order:04}")

    def token(self, number: int) -> str:
        return f"{self.mark}-token{number}"

    def side_by_side(self, sequences: Sequence[Sequence[Registration]], turns: list[int]) -> None:
        """Registers each sequence one after the other, and all of them at the same time."""

        def registering(sequence: Sequence[Registration]) -> Callable[[], object]:
            return lambda: [self.registry.register_all([each]) for each in sequence]

        def step(_operation: str, _token: str) -> None:
            self.turns.step()

        self.sns.script = step
        with before_each_call(self.turns.step):
            self.turns.run([registering(each) for each in sequences], turns)
        self.sns.script = lambda _operation, _token: None

    def stored(self) -> list[Device]:
        ids = [f"{self.mark}-d{number}" for number in range(DEVICES)]
        return [device for each in ids if (device := self.registry.store.get(each))]

    def owner(self, token: int) -> str | None:
        key = token_key(ChannelType.GCM, self.token(token))
        state = self.registry.store.tokens([key]).get(key)
        return state.owner if state else None

    def is_in_order(self) -> None:
        """Each token has one owner at most, who can be reached; all others know that they lost."""
        devices = self.stored()
        for number in range(TOKENS):
            owner, token = self.owner(number), self.token(number)
            holders = {device.device_id: device for device in devices if device.address == token}
            assert owner is None or self.reaches(holders.pop(owner))
            for loser in holders.values():
                assert (loser.endpoint_status, loser.status_reason, loser.endpoint_arn) == (
                    EndpointStatus.INACTIVE,
                    StatusReason.MOVED,
                    None,
                )

    def reaches(self, device: Device) -> bool:
        """Whether SNS would send to the device."""
        assert (device.endpoint_status, device.status_reason) == (EndpointStatus.ACTIVE, None)
        attributes = self.sns.endpoints[device.endpoint_arn or ""]
        return (attributes["Token"], attributes["Enabled"]) == (device.address, "true")


@LAW
@given(tokens=st.lists(st.integers(0, 2), min_size=2, max_size=5), turns=TURNS, orders=st.randoms())
def test_of_all_who_register_a_token_the_greatest_order_has_it(
    registry: Registry, sns: FakeSns, tokens: list[int], turns: list[int], orders: object
) -> None:
    play = Play(registry, sns)
    numbers = list(range(len(tokens)))
    orders.shuffle(numbers)  # type: ignore[attr-defined]
    registrations = [
        [play.registration(device, token, order)]
        for device, (token, order) in enumerate(zip(tokens, numbers, strict=True))
    ]

    play.side_by_side(registrations, turns)

    play.is_in_order()
    for token in set(tokens):
        rivals = [order for order, wanted in zip(numbers, tokens, strict=True) if wanted == token]
        assert play.owner(token) == f"{play.mark}-d{numbers.index(max(rivals))}"


@LAW
@given(
    sequences=st.lists(st.lists(TOKEN_NUMBERS, min_size=1, max_size=2), min_size=2, max_size=4),
    turns=TURNS,
    before=st.integers(0, 4),
)
def test_devices_that_change_their_tokens_at_the_same_time_end_in_order(
    registry: Registry, sns: FakeSns, sequences: list[list[int]], turns: list[int], before: int
) -> None:
    play = Play(registry, sns)
    for number in range(before):
        registry.register_all([play.registration(number, number, 0)])

    play.side_by_side(
        [
            [play.registration(device, token, 1 + device + 4 * at) for at, token in enumerate(each)]
            for device, each in enumerate(sequences)
        ],
        turns,
    )

    play.is_in_order()
    arns = [device.endpoint_arn for device in play.stored() if device.endpoint_arn]
    assert len(arns) == len(set(arns))


@LAW
@given(tokens=st.lists(TOKEN_NUMBERS, min_size=2, max_size=5), turns=TURNS, known=st.booleans())
def test_one_device_with_many_tokens_at_the_same_time_ends_in_order(
    registry: Registry, sns: FakeSns, tokens: list[int], turns: list[int], known: bool
) -> None:
    play = Play(registry, sns)
    if known:
        registry.register_all([play.registration(0, 0, 0)])

    play.side_by_side([[play.registration(0, token, 1)] for token in tokens], turns)

    play.is_in_order()
    (device,) = play.stored()
    assert play.reaches(device)
    assert [play.owner(number) for number in range(4)].count(f"{play.mark}-d0") == 1


def at_the_same_time(acts: Sequence[Callable[[], object]]) -> None:
    """Runs all of them in threads of their own, which start together."""
    ready = threading.Barrier(len(acts))
    failures: list[BaseException] = []

    def play(act: Callable[[], object]) -> None:
        ready.wait(timeout=10)
        try:
            act()
        except BaseException as error:  # noqa: BLE001 (told below, by the thread that asserts)
            failures.append(error)

    threads = [threading.Thread(target=play, args=(act,)) for act in acts]
    with one_call_at_a_time():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def test_ten_threads_with_one_token_end_in_one_endpoint_and_one_owner(
    registry: Registry, sns: FakeSns
) -> None:
    devices = [parse_device(body(f"d{number}")) for number in range(THREADS)]

    at_the_same_time([lambda device=device: registry.register(device) for device in devices])  # type: ignore[misc]

    stored = [registry.get(f"d{number}") for number in range(THREADS)]
    [owner] = [each for each in stored if each.endpoint_status is EndpointStatus.ACTIVE]
    assert list(sns.endpoints) == [owner.endpoint_arn]
    assert [each.status_reason for each in stored].count(StatusReason.MOVED) == THREADS - 1
    [token] = registry.store._tokens_table.scan()["Items"]
    assert token["device_id"] == owner.device_id


@pytest.mark.parametrize("tokens", [1, THREADS])
def test_ten_threads_with_one_device_end_in_one_endpoint_and_one_owner(
    registry: Registry, sns: FakeSns, tokens: int
) -> None:
    devices = [
        parse_device(body("d1", Address=f"token-{number % tokens}")) for number in range(THREADS)
    ]

    at_the_same_time([lambda device=device: registry.register(device) for device in devices])  # type: ignore[misc]

    stored = registry.get("d1")
    assert stored.endpoint_status is EndpointStatus.ACTIVE
    assert [(arn, each["Token"]) for arn, each in sns.endpoints.items()] == [
        (stored.endpoint_arn, stored.address)
    ]
    owned = [item for item in registry.store._tokens_table.scan()["Items"] if "device_id" in item]
    assert [item["device_id"] for item in owned] == ["d1"]


def test_an_opt_out_among_ten_threads_is_never_undone(registry: Registry) -> None:
    silent = [parse_device(body("d1", Attributes={"n": str(n)})) for n in range(THREADS - 1)]
    registry.register(parse_device(body("d1", OptOut="NONE")))

    at_the_same_time(
        [lambda device=device: registry.register(device) for device in silent]
        + [lambda: registry.register(parse_device(body("d1", OptOut="ALL")))]
    )

    assert registry.get("d1").opt_out is OptOut.ALL


@LAW
@given(turns=TURNS, silent=st.integers(1, 3))
def test_an_opt_out_is_never_undone_whatever_comes_in_between(
    registry: Registry, sns: FakeSns, turns: list[int], silent: int
) -> None:
    play = Play(registry, sns)
    known = play.registration(0, 0, 0)
    registry.register_all([known])
    opted_out = replace(known, device=replace(known.device, opt_out=OptOut.ALL))

    play.side_by_side(
        [[opted_out]] + [[play.registration(0, token, 1)] for token in range(silent)], turns
    )

    assert play.stored()[0].opt_out is OptOut.ALL


def test_a_token_that_is_claimed_while_its_owner_is_deleted_has_an_endpoint(
    registry: Registry, sns: FakeSns
) -> None:
    registry.register(parse_device(body("leaving")))

    def claim_meanwhile(operation: str, _token: str) -> None:
        if operation == "delete" and sns.calls["delete"] == 1:
            registry.register(parse_device(body("coming")))

    sns.script = claim_meanwhile
    registry.delete("leaving")

    assert registry.store.get("leaving") is None
    coming = registry.get("coming")
    assert sns.endpoints[coming.endpoint_arn or ""]["Token"] == TOKEN


def test_a_device_that_came_and_went_with_its_token_meanwhile_does_not_keep_it(
    registry: Registry, sns: FakeSns
) -> None:
    play = Play(registry, sns)
    registry.register_all([play.registration(0, 1, 0)])

    # The first has read the device, the second leaves the token, the first reads who owns that,
    # the second comes back to it, and the first writes.
    play.side_by_side(
        [
            [play.registration(0, 3, 1)],
            [play.registration(0, 2, 1), play.registration(0, 1, 1)],
        ],
        turns=[0, 0, *(1, 1, 1, 1, 1), 0, *(1, 1, 1, 1)],
    )

    assert [play.owner(number) for number in range(4)] == [None, None, None, f"{play.mark}-d0"]
    play.is_in_order()
