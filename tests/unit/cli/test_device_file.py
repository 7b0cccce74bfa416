from decimal import Decimal
from pathlib import Path

import pytest

from cli.device_file import BadRow, GoodRow, open_file
from cli.errors import UsageError, Wrong

HEAD = "Id,ChannelType,Address"


def rows_of(tmp_path: Path, text: str, *, encoding: str = "utf-8") -> list[GoodRow | BadRow]:
    path = tmp_path / "devices.csv"
    path.write_bytes(text.encode(encoding))
    return list(open_file(path).rows())


def refusal(tmp_path: Path, content: bytes) -> UsageError:
    path = tmp_path / "devices.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        open_file(path)
    return caught.value


def test_every_family_of_columns_goes_where_pinpoint_puts_it(tmp_path: Path) -> None:
    header = (
        "Id,ChannelType,Address,OptOut,EffectiveDate,Attributes.team,Metrics.spent,"
        "Demographic.Locale,Location.City,Location.Latitude,User.UserId,User.UserAttributes.tier"
    )
    row = "d1,GCM,t1,NONE,2026-01-02T03:04:05Z,red,12.50,zh-TW,臺北市,25.0330,u1,gold"

    assert rows_of(tmp_path, f"{header}\n{row}\n") == [
        GoodRow(
            line=2,
            device={
                "Id": "d1",
                "ChannelType": "GCM",
                "Address": "t1",
                "OptOut": "NONE",
                "EffectiveDate": "2026-01-02T03:04:05Z",
                "Attributes": {"team": ["red"]},
                "Metrics": {"spent": Decimal("12.50")},
                "Demographic": {"Locale": "zh-TW"},
                "Location": {"City": "臺北市", "Latitude": Decimal("25.0330")},
                "User": {"UserId": "u1", "UserAttributes": {"tier": ["gold"]}},
            },
        )
    ]


def test_a_byte_order_mark_is_no_part_of_the_first_header(tmp_path: Path) -> None:
    assert rows_of(tmp_path, f"{HEAD}\nd1,GCM,t1\n", encoding="utf-8-sig") == [
        GoodRow(line=2, device={"Id": "d1", "ChannelType": "GCM", "Address": "t1"})
    ]


def test_a_repeated_header_holds_several_values(tmp_path: Path) -> None:
    text = f"{HEAD},Attributes.i,Attributes.i,Attributes.i\nd1,GCM,t1,music,,sport\n"

    [row] = rows_of(tmp_path, text)

    assert isinstance(row, GoodRow)
    assert row.device["Attributes"] == {"i": ["music", "sport"]}


def test_a_json_array_in_a_cell_holds_several_values(tmp_path: Path) -> None:
    text = f'{HEAD},Attributes.i\nd1,GCM,t1,"[""a"", 1.50, true, ""a""]"\n'

    [row] = rows_of(tmp_path, text)

    assert isinstance(row, GoodRow)
    assert row.device["Attributes"] == {"i": ["a", "1.50", "true"]}


def test_a_cell_that_only_begins_like_an_array_is_a_text(tmp_path: Path) -> None:
    [row] = rows_of(tmp_path, f"{HEAD},Attributes.i\nd1,GCM,t1,[vip] club\n")

    assert isinstance(row, GoodRow)
    assert row.device["Attributes"] == {"i": ["[vip] club"]}


def test_an_empty_array_is_absent(tmp_path: Path) -> None:
    assert rows_of(tmp_path, f"{HEAD},Attributes.i\nd1,GCM,t1,[]\n") == [
        GoodRow(line=2, device={"Id": "d1", "ChannelType": "GCM", "Address": "t1"})
    ]


def test_an_array_of_arrays_is_a_bad_row(tmp_path: Path) -> None:
    assert rows_of(tmp_path, f'{HEAD},Attributes.i\nd1,GCM,t1,"[[1]]"\n') == [
        BadRow(
            line=2,
            wrong=(Wrong(place="Attributes.i", reason="a JSON array of plain values is needed"),),
        )
    ]


def test_a_name_with_dots_is_one_name(tmp_path: Path) -> None:
    [row] = rows_of(tmp_path, f"{HEAD},Attributes.a.b,Metrics.c.d\nd1,GCM,t1,x,1\n")

    assert isinstance(row, GoodRow)
    assert row.device["Attributes"] == {"a.b": ["x"]}
    assert row.device["Metrics"] == {"c.d": Decimal(1)}


def test_an_empty_cell_is_absent(tmp_path: Path) -> None:
    assert rows_of(tmp_path, f"{HEAD},Location.City,Metrics.m\nd1,GCM,t1,,\n") == [
        GoodRow(line=2, device={"Id": "d1", "ChannelType": "GCM", "Address": "t1"})
    ]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("007", "7"),
        ("-.5", "-0.5"),
        ("3.", "3"),
        ("1e3", "1E+3"),
    ],
)
def test_a_number_stays_exact(tmp_path: Path, text: str, number: str) -> None:
    [row] = rows_of(tmp_path, f"{HEAD},Metrics.m\nd1,GCM,t1,{text}\n")

    assert isinstance(row, GoodRow)
    assert str(row.device["Metrics"]["m"]) == number


@pytest.mark.parametrize(
    "text", ["abc", "NaN", "inf", "1_000", "１２", "1 ", "+1", "0x1", "1e9999"]
)
def test_what_is_no_number_is_a_bad_row_that_does_not_repeat_the_value(
    tmp_path: Path, text: str
) -> None:
    assert rows_of(tmp_path, f"{HEAD},Metrics.m\nd1,GCM,t1,{text}\n") == [
        BadRow(line=2, wrong=(Wrong(place="Metrics.m", reason="not a number"),))
    ]


def test_every_missing_value_of_a_row_is_named(tmp_path: Path) -> None:
    assert rows_of(tmp_path, f"{HEAD}\n,GCM,\n") == [
        BadRow(
            line=2,
            wrong=(
                Wrong(place="Id", reason="missing"),
                Wrong(place="Address", reason="missing"),
            ),
        )
    ]


def test_a_row_of_another_length_is_bad(tmp_path: Path) -> None:
    assert rows_of(tmp_path, f"{HEAD}\nd1,GCM\nd2,GCM,t2,x\n") == [
        BadRow(line=2, wrong=(Wrong(place="row", reason="2 cells, and the header has 3"),)),
        BadRow(line=3, wrong=(Wrong(place="row", reason="4 cells, and the header has 3"),)),
    ]


def test_the_same_id_again_is_bad_and_names_the_first_line(tmp_path: Path) -> None:
    first, again = rows_of(tmp_path, f"{HEAD}\nd1,GCM,t1\nd1,GCM,t2\n")

    assert isinstance(first, GoodRow)
    assert again == BadRow(line=3, wrong=(Wrong(place="Id", reason="the same Id is on line 2"),))


def test_line_numbers_are_those_of_an_editor(tmp_path: Path) -> None:
    text = f'{HEAD},Attributes.i\r\nd1,GCM,t1,"two\r\nlines"\r\n\r\nd2,GCM,t2,x\r\n'

    assert [row.line for row in rows_of(tmp_path, text)] == [2, 5]


def test_pinpoints_own_columns_are_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "devices.csv"
    path.write_text(f"{HEAD},RequestId,CohortId\nd1,GCM,t1,r,7\n")

    opened = open_file(path)

    assert opened.ignored == ("RequestId", "CohortId")
    assert opened.row_count == 1
    assert list(opened.rows()) == [
        GoodRow(line=2, device={"Id": "d1", "ChannelType": "GCM", "Address": "t1"})
    ]


def test_a_header_with_wrong_columns_is_refused_with_each_of_them(tmp_path: Path) -> None:
    error = refusal(tmp_path, b"Id,Adress,OptOut,OptOut,,Attributes.\nd1,t1,NONE,ALL,,x\n")

    assert error.title == "the header line is not that of a device file"
    assert error.wrong == (
        Wrong(place="column 2 'Adress'", reason="no column of a device"),
        Wrong(place="column 4 'OptOut'", reason="is there twice"),
        Wrong(place="column 5 ''", reason="the header is empty"),
        Wrong(place="column 6 'Attributes.'", reason="no column of a device"),
        Wrong(place="ChannelType", reason="this column is missing"),
        Wrong(place="Address", reason="this column is missing"),
    )


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (b"", "devices.csv is empty"),
        (b"\n\n", "devices.csv is empty"),
        (HEAD.encode() + b"\n", "devices.csv has a header, but no rows"),
        (
            HEAD.encode() + b"\nd1,GCM,caf\xe9\n",
            "devices.csv is not UTF-8, at line 2",
        ),
        (HEAD.encode() + b'\nd1,GCM,"t1\n', "is not CSV, at line 2: unexpected end of data"),
    ],
)
def test_a_file_that_cannot_be_imported_at_all_is_refused(
    tmp_path: Path, content: bytes, title: str
) -> None:
    assert title in refusal(tmp_path, content).title


def test_utf_16_is_refused(tmp_path: Path) -> None:
    assert "is not UTF-8" in refusal(tmp_path, f"{HEAD}\nd1,GCM,t1\n".encode("utf-16")).title


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.csv cannot be read: No such file or directory"):
        open_file(tmp_path / "none.csv")
