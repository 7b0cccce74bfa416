"""Which row of an Id or a token counts, and what a row without an address changes."""

from decimal import Decimal

from functions.devices.records import ChannelType, EndpointStatus, OptOut, StatusReason
from tests.unit.imports.conftest import (
    HEADER,
    Account,
    counted,
    csv_of,
    ndjson_of,
    reasons,
)


def test_of_an_id_that_comes_again_the_last_row_counts_over_all_files(account: Account) -> None:
    header = f"{HEADER},Attributes.n"
    view = account.imported(
        csv_of(header, "d1,GCM,t1,first", "d2,GCM,t2,only", "d1,GCM,t1,second"),
        ndjson_of(
            {"Id": "d1", "ChannelType": "GCM", "Address": "t1b", "Attributes": {"n": "third"}}
        ),
        csv_of(header, "d1,APNS,t1c,fourth"),
    )

    assert counted(view) == {"rows": 5, "stored": 2, "duplicates": 3}
    assert account.device("d1").attributes == {"n": ("fourth",)}
    assert account.device("d1").channel_type is ChannelType.APNS
    assert account.device("d2").attributes == {"n": ("only",)}


def test_a_row_that_does_not_mention_opting_out_undoes_it_neither_in_the_file_nor_stored(
    account: Account,
) -> None:
    account.imported(csv_of(f"{HEADER},OptOut", "d1,GCM,t1,ALL"))

    account.imported(
        csv_of(f"{HEADER},OptOut", "d1,GCM,t1,", "d2,GCM,t2,ALL", "d2,GCM,t2,", "d3,GCM,t3,ALL"),
        csv_of(f"{HEADER},OptOut", "d3,GCM,t3,NONE"),
    )

    assert {each: account.device(each).opt_out for each in ("d1", "d2", "d3")} == {
        "d1": OptOut.ALL,
        "d2": OptOut.ALL,
        "d3": OptOut.NONE,
    }


def test_of_two_ids_with_one_token_the_later_row_has_it(account: Account) -> None:
    view = account.imported(
        csv_of(HEADER, "d1,GCM,same", "d2,GCM,same", "d3,GCM,other"), csv_of(HEADER, "d4,GCM,other")
    )

    assert view.counts.stored == 4
    states = {
        device_id: (device.endpoint_status, device.status_reason)
        for device_id, device in account.stored().items()
    }
    moved = (EndpointStatus.INACTIVE, StatusReason.MOVED)
    assert states == {
        "d1": moved,
        "d2": (EndpointStatus.ACTIVE, None),
        "d3": moved,
        "d4": (EndpointStatus.ACTIVE, None),
    }
    assert len(account.sns.endpoints) == 2


def test_a_row_with_an_id_and_no_address_changes_what_it_mentions(account: Account) -> None:
    account.imported(
        csv_of(
            f"{HEADER},OptOut,Attributes.a,Attributes.b,Metrics.n,User.UserId",
            "d1,GCM,t1,ALL,1,2,3.5,u1",
        )
    )

    view = account.imported(
        csv_of("Id,Attributes.b,Metrics.m,Location.City", "d1,changed,7,大阪", "d9,x,,")
    )

    assert counted(view) == {"rows": 2, "stored": 1, "rejected": 1}
    assert reasons(view) == [
        ("a", 3, "Id", "is not known; a new device needs ChannelType and Address")
    ]
    device = account.device("d1")
    assert (device.channel_type, device.address) == (ChannelType.GCM, "t1")
    assert device.opt_out is OptOut.ALL
    assert device.attributes == {"a": ("1",), "b": ("changed",)}
    assert device.metrics == {"n": Decimal("3.5"), "m": Decimal(7)}
    assert device.location == {"City": "大阪"}
    assert device.user_id == "u1"


def test_changes_of_one_device_add_up_in_the_files_order(account: Account) -> None:
    view = account.imported(
        csv_of(f"{HEADER},OptOut,Attributes.a,Attributes.b", "d1,GCM,t1,,1,1"),
        csv_of("Id,OptOut,Attributes.a,Attributes.c", "d1,ALL,2,2", "d1,,,3"),
    )

    assert counted(view) == {"rows": 3, "stored": 1, "duplicates": 2}
    assert account.device("d1").attributes == {"a": ("2",), "b": ("1",), "c": ("3",)}
    assert account.device("d1").opt_out is OptOut.ALL


def test_a_change_to_another_platform_needs_a_token(account: Account) -> None:
    account.imported(csv_of(HEADER, "d1,GCM,t1"))

    view = account.imported(ndjson_of({"Id": "d1", "ChannelType": "APNS"}))

    assert reasons(view) == [
        ("a", 1, "ChannelType", "is another than the device's; with it an Address is needed")
    ]
    assert account.device("d1").channel_type is ChannelType.GCM
