"""What is skipped, refused as a whole, or only looked at."""

import gzip
import json

import pytest

from functions.devices.records import OptOut
from tests.unit.imports.conftest import (
    HEADER,
    Account,
    counted,
    csv_of,
    good,
    ndjson_of,
    reasons,
)


def test_channels_that_are_not_push_are_skipped_and_counted(account: Account) -> None:
    view = account.imported(
        csv_of(
            HEADER,
            "d1,SMS,+886900000000",
            "d2,EMAIL,a@example.com",
            "d3,SMS,",
            ",VOICE,1",
            "d5,CUSTOM,x",
            "d6,IN_APP,x",
            "d7,BAIDU,x",
            "d8,APNS_VOIP,x",
            "d9,APNS_VOIP_SANDBOX,x",
            "d10,GCM,t10",
        )
    )

    assert view.state == "DONE"
    assert counted(view) == {
        "rows": 10,
        "stored": 1,
        "skipped": {
            "SMS": 2,
            **dict.fromkeys(
                ("EMAIL", "VOICE", "CUSTOM", "IN_APP", "BAIDU", "APNS_VOIP", "APNS_VOIP_SANDBOX"), 1
            ),
        },
    }
    assert sorted(account.stored()) == ["d10"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"\n \r\n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"Id,ChannelType,Address\n", "has a header, but no rows"),
        ("Id,ChannelType,Address\nd1,GCM,café\n".encode("latin-1"), "is not UTF-8, at line 2"),
        ("Id,ChannelType,Address\n".encode("utf-16"), "is not UTF-8, at line 1"),
        (gzip.compress(b"Id\nd1\n", mtime=0)[:-12], "is cut off"),
        (b"\x1f\x8bno gzip at all", "is damaged"),
        (b"PK\x03\x04\x14\x00\x06\x00", "is a zip or a spreadsheet (xlsx)"),
        (gzip.compress(b"Id\nd1\n", mtime=0) + b"behind it", "is damaged"),
        (b'[{"Id":"d1"}]', "is a JSON array: write one object a line"),
        (
            b"Id,Adress,ChannelType\n1,2,3\n",
            "its header is not that of a device file: column 2 'Adr",
        ),
        (
            b"Id,Id,Address\n1,2,3\n",
            "its header is not that of a device file: column 2 'Id'",
        ),
        (
            b"Id,,Address\n1,2,3\n",
            "its header is not that of a device file: column 2 with",
        ),
        (b"ChannelType,OptOut\nGCM,ALL\n", "its header has neither Id nor both ChannelType and"),
        (
            b"Id,ChannelType,Address\n1,fcm,t\n2,ios,t\n",
            "has no row with a ChannelType that",
        ),
        (b'{"Id":"1","ChannelType":"fcm"}\n', "has no row with a ChannelType that"),
        (
            b'Id,ChannelType,Address\nd1,GCM,"t\n1\n',
            "ends within quotes: a quote in the record",
        ),
        (b'Id,ChannelType,Address\nd1,GCM,"t"1\n', "is no CSV, in the record at line 2"),
        (b"Id,ChannelType,Address\rd1,GCM,t1\r", "has a carriage return that ends no line"),
        (
            b'Id\n"' + b"x" * 5_000_000 + b'"\n',
            "has a record of more than 4,194,304 bytes at",
        ),
        (b'Id\n"' + b"x\n" * 3_000_000, "has a record of more than 4,194,304 bytes at"),
        (b"I\0d\nd1\n", "its first line is no header: none of its 1 names is known"),
    ],
)
def test_a_file_that_cannot_be_imported_refuses_all_and_nothing_is_written(
    account: Account, content: bytes, why: str
) -> None:
    view = account.imported(csv_of(HEADER, "d1,GCM,t1"), content)

    assert view.state == "REFUSED"
    assert view.reason is not None
    assert view.reason.startswith(f"b {why}")
    assert [file.refused is None for file in view.files] == [True, False]
    assert account.stored() == {}
    assert account.sns.total == 0


def test_every_refused_file_is_named(account: Account) -> None:
    view = account.imported("", csv_of(HEADER, "d1,GCM,t1"), "[]")

    assert view.reason is not None
    assert view.reason.startswith("a is empty; c is a JSON array")


def test_a_line_of_ten_megabytes_is_rejected_alone(account: Account) -> None:
    long_one = json.dumps({"Id": "d2", "Attributes": {"x": "y" * 10_000_000}})
    last = ndjson_of({"Id": "d3", "ChannelType": "GCM", "Address": "t3"})

    view = account.imported(f'{{"Id":"d1","ChannelType":"GCM","Address":"t1"}}\n{long_one}\n{last}')

    assert counted(view) == {"rows": 3, "stored": 2, "rejected": 1}
    assert reasons(view) == [("a", 2, "row", "is a line of more than 4,194,304 bytes")]
    assert len(account.rejects(view.id)) < 2_000


def test_a_file_may_be_all_changes_or_all_skipped(account: Account) -> None:
    account.imported(csv_of(HEADER, "d1,GCM,t1"))

    assert account.imported(csv_of("Id,ChannelType,OptOut", "d1,,ALL")).state == "DONE"
    assert account.imported(csv_of(HEADER, "d2,SMS,1")).state == "DONE"
    assert account.device("d1").opt_out is OptOut.ALL


def test_a_dry_run_counts_what_would_be_and_writes_nothing(account: Account) -> None:
    account.imported(csv_of(HEADER, "d1,GCM,t1"))
    before, calls = account.stored(), account.sns.total

    view = account.imported(
        csv_of(
            f"{HEADER},OptOut",
            "d1,GCM,other,ALL",
            "d2,GCM,t2,",
            "d2,GCM,t2,",
            "d3,FAX,t3,",
            "d4,SMS,1,",
            "d5,,,ALL",
        ),
        dry_run=True,
    )

    assert view.state == "DONE"
    assert view.dry_run is True
    assert counted(view) == {
        "rows": 6,
        "stored": 2,
        "duplicates": 1,
        "rejected": 2,
        "skipped": {"SMS": 1},
    }
    assert reasons(view)[1] == (
        "a",
        7,
        "Id",
        "is not known; a new device needs ChannelType and Address",
    )
    assert account.rejects(view.id).count(b"\n") == 3
    assert account.stored() == before
    assert account.sns.total == calls


def test_importing_again_ends_in_the_same_state_and_asks_sns_once_a_device(
    account: Account,
) -> None:
    file = csv_of(f"{HEADER},Attributes.x", *(f"{row},v" for row in good(1, 40)))
    account.imported(file)
    before, calls = account.stored(), account.sns.total

    view = account.imported(file)

    assert counted(view) == {"rows": 40, "stored": 40}
    assert account.stored() == before
    assert account.sns.total - calls == 40
    assert account.sns.calls["create"] == 40


def test_rows_are_shuffled_over_many_slices_and_all_arrive(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("functions.imports.shuffle.SLICE_BYTES", 64)
    monkeypatch.setattr("functions.imports.grouping.GROUP_BYTES", 1)

    view = account.imported(csv_of(HEADER, *good(1, 30)), csv_of(HEADER, *good(20, 60)))

    assert counted(view) == {"rows": 71, "stored": 60, "duplicates": 11}
    found = account.store.find(view.id)
    assert found is not None
    assert (len(found.groups), found.partitions, found.slices_total) == (2, 20, 20)


def test_a_missing_header_is_told_without_showing_the_device_in_its_place(account: Account) -> None:
    view = account.imported("d1,GCM,secret-token\nd2,GCM,another\n")
    assert view.state == "REFUSED"
    assert view.files[0].refused == "its first line is no header: none of its 3 names is known"
    assert "secret-token" not in view.model_dump_json()
