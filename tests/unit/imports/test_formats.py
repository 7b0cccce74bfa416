"""What a file may look like, and where its fields go."""

import gzip
from decimal import Decimal

import pytest

from functions.devices.records import ChannelType, EndpointStatus, OptOut
from tests.unit.imports.conftest import (
    HEADER,
    Account,
    counted,
    csv_of,
    good,
    reasons,
)


@pytest.mark.parametrize(
    "file",
    [
        "Id,ChannelType,Address\nd1,GCM,t1\nd2,APNS,t2\n",
        "\ufeffId,ChannelType,Address\nd1,GCM,t1\nd2,APNS,t2\n",
        "Id,ChannelType,Address\r\nd1,GCM,t1\r\nd2,APNS,t2\r\n",
        "Id,ChannelType,Address\nd1,GCM,t1\nd2,APNS,t2",
        "\n\n  \r\nId,ChannelType,Address\n\nd1,GCM,t1\n,,\n\r\nd2,APNS,t2\n\n",
        ' Id , ChannelType ,"Address"\n"d1",GCM,"t1"\nd2,"APNS",t2\n',
        '{"Id":"d1","ChannelType":"GCM","Address":"t1"}\n'
        '{"Id":"d2","ChannelType":"APNS","Address":"t2"}\n',
        '\ufeff\r\n{"Id":"d1","ChannelType":"GCM","Address":"t1"}\r\n\r\n'
        '  {"Id":"d2","ChannelType":"APNS","Address":"t2"}  ',
    ],
    ids=["csv", "bom", "crlf", "no-last-end", "blank", "quoted", "ndjson", "ndjson-bom-blank"],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_same_devices_come_out_of_every_way_to_write_them(
    account: Account, file: str, packed: bool
) -> None:
    content = gzip.compress(file.encode()) if packed else file.encode()

    view = account.imported(content)

    assert (view.state, counted(view)) == ("DONE", {"rows": 2, "stored": 2})
    assert {
        each.device_id: (each.channel_type, each.address) for each in account.stored().values()
    } == {
        "d1": (ChannelType.GCM, "t1"),
        "d2": (ChannelType.APNS, "t2"),
    }
    assert view.files[0].gzip is packed
    assert view.files[0].format == ("ndjson" if "{" in file else "csv")


def test_gzip_of_several_members_filled_up_with_zeros_is_read_to_its_end(account: Account) -> None:
    content = (
        gzip.compress(csv_of(HEADER, *good(1, 2)).encode())
        + gzip.compress(csv_of(*good(3, 4)).encode())
        + b"\0" * 512
    )

    assert account.imported(content).counts.stored == 4


def test_every_field_of_a_csv_row_finds_its_place(account: Account) -> None:
    header = (
        "Id,ChannelType,Address,OptOut,EndpointStatus,EffectiveDate,RequestId,ApplicationId,CohortId,"
        "CreationDate,Attributes.tags,Attributes.tags,Attributes.a.b,Metrics.score,Metrics.count,"
        "Demographic.Make,Location.City,Location.Latitude,Location.PostalCode,User.UserId,"
        "User.UserAttributes.name,EndpointArn,StatusReason"
    )
    row = (
        'd1,GCM,t1,ALL,ACTIVE,2026-01-31,r,a,c,2020,tea,"[""咖啡"", 7, null, """", ""tea""]",x,'
        '30.4,00123,"Pear, Inc. ""P""","臺北, 信義",-25.0330,00123,0007,"佐藤 葵",arn:x,moved'
    )

    account.imported(csv_of(header, row))

    device = account.device("d1")
    assert device.opt_out is OptOut.ALL
    assert device.endpoint_status is EndpointStatus.ACTIVE
    assert device.effective_date == "2026-01-31T00:00:00.000Z"
    assert device.attributes == {"tags": ("7", "tea", "咖啡"), "a.b": ("x",)}
    assert device.metrics == {"score": Decimal("30.4"), "count": Decimal(123)}
    assert device.demographic == {"Make": 'Pear, Inc. "P"'}
    assert device.location == {
        "City": "臺北, 信義",
        "PostalCode": "00123",
        "Latitude": Decimal("-25.033"),
    }
    assert device.user_id == "0007"
    assert device.user_attributes == {"name": ("佐藤 葵",)}


def test_every_field_of_a_json_row_finds_its_place(account: Account) -> None:
    row = (
        '{"Id":"d1","ChannelType":"GCM","Address":"t1","OptOut":"NONE","RequestId":"r","CohortId":"7",'
        '"ApplicationId":"a","CreationDate":"x","EndpointStatus":"ACTIVE","EffectiveDate":null,'
        '"Attributes":{"tags":["tea","",null],"none":[],"one":"x"},"Metrics":{"score":30.4},'
        '"Demographic":{"Make":"","Model":"M"},"Location":{},'
        '"User":{"UserId":"u1","UserAttributes":{"name":["葵"]}},"RejectReason":"once"}\n'
    )

    view = account.imported(row)

    assert reasons(view) == []
    device = account.device("d1")
    assert device.effective_date is None
    assert device.attributes == {"tags": ("tea",), "one": ("x",)}
    assert device.metrics == {"score": Decimal("30.4")}
    assert device.demographic == {"Model": "M"}
    assert device.user_attributes == {"name": ("葵",)}


def test_a_cell_that_begins_with_a_bracket_and_is_no_json_is_a_text(account: Account) -> None:
    account.imported(csv_of(f"{HEADER},Attributes.note", 'd1,GCM,t1,"[sic] a note"'))

    assert account.device("d1").attributes == {"note": ("[sic] a note",)}


def test_a_row_without_an_id_finds_the_same_device_each_time(account: Account) -> None:
    rows = csv_of("ChannelType,Address", "GCM,t1", "APNS,t1")

    account.imported(rows)
    account.imported(rows)

    assert sorted(account.stored()) == [
        "162c9650-da5d-551d-86cf-4f74b418ed68",
        "21467ac5-f9e8-5891-9f3b-c6505af7d72b",
    ]
