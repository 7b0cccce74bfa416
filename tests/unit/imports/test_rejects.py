"""Which rows are rejected, why, and how they are given back."""

import json
from decimal import Decimal

import pytest

from tests.unit.devices.conftest import client_error
from tests.unit.imports.conftest import (
    HEADER,
    Account,
    counted,
    csv_of,
    reasons,
)

OK = '{"Id":"ok","ChannelType":"GCM","Address":"t"}'


def test_a_bad_row_is_rejected_with_file_line_place_and_reason(account: Account) -> None:
    view = account.imported(
        csv_of(HEADER, "d1,GCM,t1"),
        csv_of(
            f"{HEADER},Metrics.score,OptOut,Attributes.x",
            'd2,GCM,t2,many,,"multi',
            'line"',
            "d3,GCM,t3,1,,",
            "d4,FAX,t4,,MAYBE,",
            "d5,GCM,t5,1",
            ",GCM,,,,x",
        ),
    )

    assert counted(view) == {"rows": 6, "stored": 2, "rejected": 4}
    controls = "must not hold control characters or broken surrogate pairs"
    assert reasons(view) == [
        ("b", 2, "Attributes.x[0]", controls),
        ("b", 2, "Metrics.score", "must be a number, not a text"),
        ("b", 5, "ChannelType", "must be one of APNS, APNS_SANDBOX, GCM, ADM"),
        ("b", 5, "OptOut", "must be one of ALL, NONE"),
        ("b", 6, "row", "has 4 cells, and the header has 6"),
        ("b", 7, "row", "must have an Id, or both ChannelType and Address"),
    ]
    assert [file.rejects_url is not None for file in view.files] == [False, True]


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("{nonsense", "row", "is not JSON, at character 2"),
        ('{"Id":"d9","Address":"t","ChannelType":NaN}', "row", "NaN is not JSON"),
        ('{"Metrics":{"x":1e999999999999999999999}}', "row", "holds a number that is too long"),
        ('{"Metrics":{"x":' + "9" * 5000 + "}}", "row", "holds a number that is too long"),
        ("[" * 100_000, "row", "is nested too deeply"),
        ("17", "row", "must be an object, not a number"),
        ('{"User":{"UserId":"u1"}}', "row", "must have an Id, or both ChannelType and Address"),
        ('{"Id":"d9","Unheard":1}', "Unheard", "is unknown; there are Id, ChannelType, Address, "),
        ('{"Id":"d9","Address":"\\ud800","ChannelType":"GCM"}', "Address", "must not hold control"),
    ],
)
def test_a_line_that_is_no_device_is_rejected_alone(
    account: Account, line: str, place: str, reason: str
) -> None:
    first = '{"Id":"d1","ChannelType":"GCM","Address":"t1"}'

    view = account.imported(f"{first}\n{line}\n")

    assert counted(view) == {"rows": 2, "stored": 1, "rejected": 1}
    [(file, at, where, why)] = reasons(view)
    assert (file, at, where) == ("a", 2, place)
    assert why.startswith(reason)


def test_rejected_csv_rows_come_back_as_csv_and_can_be_imported_once_mended(
    account: Account,
) -> None:
    view = account.imported(
        csv_of(
            f"{HEADER},Metrics.score,Attributes.x",
            "d1,GCM,t1,1,",
            'd2,GCM,t2,many,"臺北, ""信義"""',
            "d3,GCM,t3,2",
        )
    )

    rejects = account.rejects(view.id).decode()
    assert rejects == (
        "Id,ChannelType,Address,Metrics.score,Attributes.x,RejectReason\n"
        'd2,GCM,t2,many,"臺北, ""信義""",'
        '"Metrics.score: must be a number, not a text"\n'
        'd3,GCM,t3,2,"row: has 4 cells, and the header has 5"\n'
    )

    again = account.imported(rejects)
    assert counted(again) == {"rows": 2, "rejected": 2}
    assert account.rejects(again.id).decode() == rejects.replace(
        "row: has 4 cells, and the header has 5", "row: has 5 cells, and the header has 6"
    ).replace('d3,GCM,t3,2,"row', 'd3,GCM,t3,2,"row: has 4 cells, and the header has 5",,"row')
    # However often it comes back unmended, it never fits under other headers than its own.
    third = account.imported(account.rejects(again.id).decode())
    assert counted(third) == {"rows": 2, "rejected": 2}

    mended = rejects.replace(",many,", ",3,").replace("d3,GCM,t3,2,", "d3,GCM,t3,2,,")
    assert counted(account.imported(mended)) == {"rows": 2, "stored": 2}
    assert account.device("d2").attributes == {"x": ('臺北, "信義"',)}
    assert account.device("d3").metrics == {"score": Decimal(2)}


def test_rejected_json_lines_come_back_as_json_as_they_were(account: Account) -> None:
    view = account.imported(
        '{"Id":"d1","ChannelType":"GCM","Address":"t1"}\n'
        '{"Id":"d2", "ChannelType":"GCM","Address":"t2","Metrics":{"x":"臺", "y": 1.50}}\n'
        "{}\n"
        "{broken\n"
    )

    assert account.rejects(view.id).decode() == (
        '{"Id":"d2", "ChannelType":"GCM","Address":"t2","Metrics":{"x":"臺", "y": 1.50},'
        '"RejectReason":"Metrics.x: must be a number, not a text"}\n'
        '{"RejectReason":"row: must have an Id, or both ChannelType and Address"}\n'
        '{"RejectedLine":"{broken","RejectReason":"row: is not JSON, at character 2"}\n'
    )
    again = account.imported(account.rejects(view.id))
    assert counted(again) == {"rows": 3, "rejected": 3}


def test_what_sns_refuses_is_rejected_beside_what_the_check_rejected(account: Account) -> None:
    account.sns.script = lambda _operation, token: (
        client_error("InvalidParameter", "bad token") if token == "bad" else None
    )

    view = account.imported(csv_of(HEADER, "d1,GCM,bad", "d2,GCM,t2", "d3,FAX,t3"))

    assert counted(view) == {"rows": 3, "stored": 1, "rejected": 2}
    assert account.rejects(view.id).decode() == (
        "Id,ChannelType,Address,RejectReason\n"
        'd3,FAX,t3,"ChannelType: must be one of APNS, APNS_SANDBOX, GCM, ADM"\n'
        "d1,GCM,bad,Address: SNS does not take it as a token of GCM\n"
    )
    assert reasons(view) == [
        ("a", 4, "ChannelType", "must be one of APNS, APNS_SANDBOX, GCM, ADM"),
        ("a", 2, "Address", "SNS does not take it as a token of GCM"),
    ]


def test_rows_of_a_platform_that_nobody_made_are_rejected_with_the_way_to_make_it(
    account: Account,
) -> None:
    view = account.imported(csv_of(HEADER, "d1,ADM,t1", "d2,GCM,t2", "d3,ADM,t3"))

    assert counted(view) == {"rows": 3, "stored": 1, "rejected": 2}
    assert reasons(view)[0] == (
        "a",
        2,
        "ChannelType",
        "There is no platform application for ADM; make it with: fanfare platform create ADM",
    )


def test_no_reason_and_no_answer_holds_a_value_of_the_row(account: Account) -> None:
    secret = "5ecre7"
    view = account.imported(
        csv_of(
            f"{HEADER},OptOut,EffectiveDate,Metrics.n",
            f"{secret},{secret},{secret},{secret},{secret},{secret}",
            f"d1,GCM,{secret}\x01,,,",
        ),
        f'{{"Id":"{secret}", {secret}\n{{"{secret}":1}}\n',
    )

    assert view.counts.rejected == 4
    # The name of an unknown member is told, since it says where.
    assert secret not in view.model_dump_json().replace(f'"place":"{secret}"', "")


def test_a_row_that_is_nested_very_deep_comes_back_as_a_line(account: Account) -> None:
    deep = '{"a":' * 600 + "1" + "}" * 600
    row = f'{{"RejectReason":"x","Id":"d1","Attributes":{deep}}}'
    view = account.imported(row + "\n" + OK)
    assert counted(view) == {"rows": 2, "stored": 1, "rejected": 1}
    assert json.loads(account.rejects(view.id).splitlines()[0])["RejectedLine"] == row


def test_a_name_that_no_utf8_can_hold_rejects_its_row_alone(account: Account) -> None:
    bad = '{"Id":"d1","ChannelType":"GCM","Address":"t1","\\ud83d":"x"}'
    view = account.imported(bad + "\n" + OK)
    assert counted(view) == {"rows": 2, "stored": 1, "rejected": 1}
    assert view.rejects[0].errors[0].place == "?"
