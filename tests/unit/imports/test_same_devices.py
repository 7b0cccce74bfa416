"""Whatever devices are written as CSV or as NDJSON, plain or packed: the same ones are read."""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from functions.devices.parsing import parse_device
from functions.devices.records import Device
from functions.imports.lines import lines
from functions.imports.reading import RowReader, open_rows
from functions.imports.rows import Whole
from functions.imports.unpacking import gunzip
from functions.shared import exact_json

# Any text that a device may hold.
TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
NAMES = st.sampled_from(["a", "b.c", "咖啡", 'q"x', "x,y", " z "])
NUMBERS = st.decimals(-1000, 1000, places=3).map(lambda number: number.normalize())
# A cell that begins with a bracket may be a list; what is written as a list is one.
VALUES = st.lists(TEXT, min_size=1, max_size=3)


@st.composite
def devices(draw: st.DrawFn) -> dict[str, Any]:
    """A device as JSON."""
    members: dict[str, Any] = {
        "Id": draw(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True)),
        "ChannelType": draw(st.sampled_from(["GCM", "APNS", "ADM"])),
        "Address": draw(TEXT),
    }
    optional: dict[str, st.SearchStrategy[Any]] = {
        "OptOut": st.sampled_from(["ALL", "NONE"]),
        "Attributes": st.dictionaries(NAMES, VALUES, min_size=1, max_size=3),
        "Metrics": st.dictionaries(NAMES, NUMBERS, min_size=1, max_size=2),
        "Demographic": st.fixed_dictionaries({"Make": TEXT}),
        "Location": st.fixed_dictionaries({"City": TEXT, "Latitude": NUMBERS}),
        "User": st.fixed_dictionaries({"UserId": TEXT, "UserAttributes": st.just({"n": ["x"]})}),
    }
    for name, strategy in optional.items():
        if draw(st.booleans()):
            members[name] = draw(strategy)
    return members


def as_csv(written: list[dict[str, Any]], end: str) -> str:
    rows = [dict(flat("", each)) for each in written]
    header = sorted({name for row in rows for name in row})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=end)
    writer.writerow(header)
    writer.writerows([[row.get(name, "") for name in header] for row in rows])
    return out.getvalue()


def flat(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from flat(f"{place}.{name}" if place else name, each)
    elif isinstance(value, list):
        yield place, json.dumps(value, ensure_ascii=False)
    else:
        yield place, format(value, "f") if isinstance(value, Decimal) else value


def read(content: bytes, *, packed: bool, piece: int) -> list[Device]:
    raw = gzip.compress(content) if packed else content
    pieces = [raw[at : at + piece] for at in range(0, len(raw), piece)]
    layout, rows = open_rows(lines(gunzip(pieces) if packed else pieces))
    reader = RowReader(layout)
    verdicts = [reader.judge(row) for row in rows]
    assert all(isinstance(each, Whole) for each in verdicts), verdicts
    return [each.device for each in verdicts if isinstance(each, Whole)]


@given(
    written=st.lists(devices(), min_size=1, max_size=5),
    mark=st.sampled_from(["", "\ufeff"]),
    end=st.sampled_from(["\n", "\r\n"]),
    packed=st.booleans(),
    piece=st.integers(1, 40),
)
def test_csv_and_ndjson_are_read_as_the_same_devices(
    written: list[dict[str, Any]], mark: str, end: str, packed: bool, piece: int
) -> None:
    expected = [parse_device(each) for each in written]
    as_json = mark + "".join(exact_json.dumps(each) + end for each in written)
    as_table = mark + as_csv(written, end)

    assert read(as_json.encode(), packed=packed, piece=piece) == expected
    assert read(as_table.encode(), packed=packed, piece=piece) == expected
