"""Which texts are times, and which durations, whatever version of Python reads them."""

from datetime import timedelta

import pytest

from functions.audience.dates import instant_of, length, read_date_or_time, read_duration, span


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-12-01", "2026-12-01T00:00:00.000Z"),
        ("20261201", "2026-12-01T00:00:00.000Z"),
        ("2026-12-01T10:00:00Z", "2026-12-01T10:00:00.000Z"),
        ("2026-12-01T10:00:00.123456789Z", "2026-12-01T10:00:00.123Z"),
        ("2026-12-01T10:00:00,5Z", "2026-12-01T10:00:00.500Z"),
        ("2026-12-01T10:00:00", "2026-12-01T10:00:00.000Z"),
        ("2026-12-01 10:00", "2026-12-01T10:00:00.000Z"),
        ("2026-12-01t10z", "2026-12-01T10:00:00.000Z"),
        ("20261201T100000Z", "2026-12-01T10:00:00.000Z"),
        ("20261201T1000+0530", "2026-12-01T04:30:00.000Z"),
        ("2026-12-01T07:00+08", "2026-11-30T23:00:00.000Z"),
        ("2026-12-01T20:00:00-05:00", "2026-12-02T01:00:00.000Z"),
        ("2024-02-29", "2024-02-29T00:00:00.000Z"),
        ("0001-01-01", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_date_or_a_time_stands_for_an_instant_in_utc(text: str, instant: str) -> None:
    assert instant_of(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        *("", "jazz", "5", "2026", "2026-12", "2026-12-1", "26-12-01", "2026/12/01"),
        *("2026-02-29", "2026-13-01", "20261301", "2026-W49-2", "2026-335"),
        *("2026-12-01T24:00Z", "2026-12-01T10:60Z", "2026-12-01T10:00:60Z"),
        *("2026-12-01T", "2026-12-01x10:00Z", "2026-12-01T10:00+24:00", "2026-12-01T10:00 Z"),
        *("20261201T10:00Z", "2026-12-01T100000Z", "２０２６-12-01", " 2026-12-01"),
        *("0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00"),
        "2026-12-01T10:00:00." + "0" * 100 + "Z",
    ],
)
def test_any_other_text_stands_for_none(text: str) -> None:
    assert instant_of(text) is None


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-12-01", "2026-12-01T00:00:00.000Z", "2026-12-01T23:59:59.999Z"),
        ("2026-12-01T07:00+08:00", "2026-11-30T23:00:00.000Z", "2026-11-30T23:00:00.000Z"),
    ],
)
def test_a_date_in_criteria_spans_its_day_and_a_time_nothing(
    text: str, first: str, last: str
) -> None:
    assert span(read_date_or_time(text)) == (first, last)


@pytest.mark.parametrize(
    ("text", "kept", "hours"),
    [
        ("P7D", "P7D", 168),
        ("PT24H", "PT24H", 24),
        ("P1DT12H", "P1DT12H", 36),
        ("P030D", "P30D", 720),
        ("P0DT5H", "PT5H", 5),
        ("P36500D", "P36500D", 876_000),
    ],
)
def test_a_duration_is_days_and_hours(text: str, kept: str, hours: int) -> None:
    assert read_duration(text) == kept
    assert length(kept) == timedelta(hours=hours)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P",
        "PT",
        "P0D",
        "PT0H",
        "7D",
        "P7",
        "P1W",
        "P1M",
        "PT5M",
        "P1.5D",
        "-P7D",
        "P7DT",
        "p7d",
    ],
)
def test_what_is_no_such_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a duration of days and hours, like P7D or PT24H"):
        read_duration(text)


@pytest.mark.parametrize("text", ["P36501D", "P36500DT1H", "P999999999D"])
def test_a_duration_beyond_a_century_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must not be longer than 36,500 days"):
        read_duration(text)
