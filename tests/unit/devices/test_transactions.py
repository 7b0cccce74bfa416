"""Changes are packed into few transactions, within DynamoDB's limits, no item twice in one."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from functions.devices.actions import Tables, actions, transactions
from functions.devices.ownership import Change, Claim
from functions.devices.records import ChannelType, Device

TABLES = Tables(devices="devices", tokens="tokens")


def change(number: int, **more: object) -> Change:
    device = Device(
        device_id=f"d{number}",
        channel_type=ChannelType.GCM,
        address=f"token-{number}",
        **more,  # type: ignore[arg-type]
    )
    return Change(after=device, before=None, claim=Claim(token=f"t{number}", order="1#", seen=None))


def sizes(changes: Sequence[Change]) -> list[int]:
    return [len(each.changes) for each in transactions(changes)]


def test_fifty_new_devices_fit_into_one() -> None:
    assert sizes([change(number) for number in range(50)]) == [50]
    assert sizes([change(number) for number in range(120)]) == [50, 50, 20]


def test_large_devices_are_cut_by_their_bytes() -> None:
    text = "x" * 100_000
    large = [change(n, attributes={f"a{k}": (text,) for k in range(2)}) for n in range(25)]

    # Each value is stored twice: 400 KB a device, ten of which fit into 4 MB.
    assert sizes(large) == [10, 10, 5]


def test_changes_of_one_item_follow_each_other() -> None:
    first, second, third = change(1), change(1), change(2)

    found = transactions([first, second, third])

    assert [each.changes for each in found] == [[first, third], [second]]


_CHANGES = st.lists(
    st.builds(
        lambda device, token, released, displaced: Change(
            after=Device(device_id=device, channel_type=ChannelType.GCM, address="t"),
            before=None,
            claim=Claim(token=token, order="1#", seen=None),
            released=released,
            displaced=displaced,
        ),
        device=st.sampled_from("abcdef"),
        token=st.sampled_from("uvw"),
        released=st.none() | st.sampled_from("xyz"),
        displaced=st.none() | st.sampled_from("ghijk"),
    ),
    max_size=60,
)


@given(changes=_CHANGES)
def test_no_item_is_twice_in_one_and_every_change_is_in_one(changes: list[Change]) -> None:
    found = transactions(changes)

    assert sorted(id(each) for one in found for each in one.changes) == sorted(map(id, changes))
    for transaction in found:
        items = [
            str([value.get("Key", value.get("Item", {}).get("Id") or value.get("Item"))])
            for each in transaction.changes
            for action in actions(each, TABLES)
            for value in action.values()
        ]
        assert len(items) == len(set(items)) <= 100
