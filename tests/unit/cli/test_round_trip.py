"""What an export writes, an import reads as the same devices: the law that ties the two formats."""

import io
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cli import exact_json
from cli.export_csv import Header, to_csv
from functions.devices.parsing import parse_device
from functions.devices.records import Device
from functions.devices.wire import to_wire
from functions.imports.lines import lines
from functions.imports.reading import RowReader, open_rows
from functions.imports.rows import Verdict, Whole

TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)
LIKE_AN_ARRAY = st.sampled_from(["[x]", '["a"]', "[", "[]", ' ["a"]', "[1, 2]", "null", '"', "a,b"])
VALUE = TEXT | LIKE_AN_ARRAY
NUMBER = st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.integers(
    -(10**20), 10**20
)
NAMED_VALUES = st.dictionaries(TEXT, st.lists(VALUE, min_size=1, max_size=3), max_size=3)
DEVICE = st.fixed_dictionaries(
    {
        "Id": st.text("abc臺🏙 []\"',.:", min_size=1, max_size=20),
        "ChannelType": st.sampled_from(["GCM", "APNS", "APNS_SANDBOX", "ADM"]),
        "Address": VALUE,
        "OptOut": st.sampled_from(["ALL", "NONE"]),
    },
    optional={
        "EndpointStatus": st.sampled_from(["ACTIVE", "INACTIVE"]),
        "EffectiveDate": st.sampled_from(["2026-01-02", "2026-01-02T03:04:05.678Z"]),
        "Attributes": NAMED_VALUES,
        "Metrics": st.dictionaries(TEXT, NUMBER, max_size=3),
        "Demographic": st.fixed_dictionaries({}, optional={"Make": VALUE, "Model": VALUE}),
        "Location": st.fixed_dictionaries({}, optional={"City": VALUE, "Latitude": NUMBER}),
        "User": st.fixed_dictionaries(
            {}, optional={"UserId": VALUE, "UserAttributes": NAMED_VALUES}
        ),
    },
).filter(lambda raw: raw["Id"] not in {".", ".."})
DEVICES = st.lists(DEVICE, min_size=1, max_size=4)
TRICKY = {
    "Id": "[1]",
    "ChannelType": "GCM",
    "Address": "[t]",
    "OptOut": "NONE",
    "Attributes": {"a.b": ["[x]"], "ends with a space ": ["00123"], '"q", r': ["a", "[b]"]},
    "Metrics": {"m": Decimal("1E+30"), "n": Decimal("0.1000000000000000055")},
}


def answered(raw: Iterable[dict[str, Any]]) -> tuple[list[Device], list[dict[str, Any]]]:
    """The devices, and what GET /devices answers of them."""
    devices = [parse_device(each) for each in raw]
    return devices, [exact_json.loads(exact_json.dumps(to_wire(each))) for each in devices]


def read(content: bytes) -> list[Verdict]:
    """What the account makes of the file."""
    layout, rows = open_rows(lines([content]))
    reader = RowReader(layout)
    return [reader.judge(row) for row in rows]


@given(DEVICES)
@example([TRICKY])
def test_a_csv_is_read_as_the_devices_that_were_exported(raw: list[dict[str, Any]]) -> None:
    devices, answers = answered(raw)
    header, out = Header(), io.BytesIO()
    for answer in answers:
        header.add(answer)

    assert to_csv(answers, header, out) == len(devices)

    assert read(out.getvalue()) == [Whole(device=device) for device in devices]


@given(DEVICES)
@example([TRICKY])
def test_lines_of_json_are_read_as_the_devices_that_were_exported(
    raw: list[dict[str, Any]],
) -> None:
    devices, answers = answered(raw)
    written = "".join(f"{exact_json.dumps(answer)}\n" for answer in answers)

    assert read(written.encode()) == [Whole(device=device) for device in devices]


@pytest.mark.parametrize("name", ["StatusReason", "EndpointArn"])
def test_what_only_we_know_of_a_device_is_passed_over(name: str) -> None:
    devices, [answer] = answered([TRICKY])
    answer[name] = "x"
    header, out = Header(), io.BytesIO()
    header.add(answer)
    to_csv([answer], header, out)

    assert read(out.getvalue()) == [Whole(device=devices[0])]
