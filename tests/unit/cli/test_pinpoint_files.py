"""The sample of a Pinpoint export says the same to the account's reader as it does to a person."""

from collections import Counter

import pytest

from cli.paths import ROOT
from functions.imports.lines import lines
from functions.imports.reading import RowReader, open_rows
from functions.imports.rows import Rejected, Skipped, Verdict, Whole

FOLDER = ROOT / "examples" / "pinpoint" / "devices"


def verdicts(name: str) -> list[Verdict]:
    layout, rows = open_rows(lines([(FOLDER / name).read_bytes()]))
    reader = RowReader(layout)
    return [reader.judge(row) for row in rows]


@pytest.mark.parametrize(
    ("name", "whole", "places"),
    [
        ("part-00000.ndjson", 14, []),
        ("part-00001.ndjson", 12, ["Metrics.sessions", "OptOut"]),
        ("part-00002.csv", 13, ["Location.Latitude"]),
    ],
)
def test_each_part_holds_devices_and_other_channels_and_what_is_wrong(
    name: str, whole: int, places: list[str]
) -> None:
    found = verdicts(name)

    assert sum(1 for verdict in found if isinstance(verdict, Whole)) == whole
    skipped = Counter(verdict.channel for verdict in found if isinstance(verdict, Skipped))
    assert skipped == {"SMS": 2, "EMAIL": 2, "VOICE": 1, "BAIDU": 1}
    wrong = [
        error.place
        for verdict in found
        if isinstance(verdict, Rejected)
        for error in verdict.errors
    ]
    assert wrong == places


def test_values_keep_their_kind_and_their_script() -> None:
    first = verdicts("part-00000.ndjson")[0]

    assert isinstance(first, Whole)
    assert first.device.attributes["interests"] == ("music", "茶🍵")
    assert first.device.location["City"] == "臺北市"
    assert first.device.location["PostalCode"] == "00123"


def test_a_repeated_header_and_an_array_in_a_cell_are_several_values() -> None:
    rows = verdicts("part-00002.csv")

    several = [
        verdict.device.attributes.get("interests")
        for verdict in rows
        if isinstance(verdict, Whole) and len(verdict.device.attributes.get("interests", ())) > 1
    ]
    assert several == [
        ("music", "茶🍵"),
        ("music", "音楽"),
        ("jazz", "music"),
        ("music", "茶🍵"),
        ("film", "music"),
        ("music", "音楽"),
    ]


def test_the_second_part_holds_a_device_of_the_first_again() -> None:
    ids = [
        verdict.device_id
        for name in ("part-00000.ndjson", "part-00001.ndjson", "part-00002.csv")
        for verdict in verdicts(name)
        if isinstance(verdict, Whole)
    ]

    assert (len(ids), len(set(ids))) == (39, 38)
