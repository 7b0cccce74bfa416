#!/usr/bin/env python3
"""Writes a sample file of devices with Pinpoint's names: the same rows every time.

Device n is the same in every file, however many there are. Nothing here depends on a library's
random numbers: each choice is a hash of the row's number and the column.

    python3 examples/make_devices.py --rows 5000 --out devices-5000.csv
    python3 examples/make_devices.py --format ndjson --mixed --out export.ndjson

With --mixed the file is what Pinpoint's exports are like: between the devices stand the same
people's SMS, EMAIL and VOICE endpoints, and now and then a row that is wrong.
"""

import argparse
import csv
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

SEED = "fanfare-1"
DEFAULT_ROWS = 2000
INTEREST_COLUMNS = 3

COLUMNS = (
    "Id",
    "ChannelType",
    "Address",
    "OptOut",
    "EffectiveDate",
    *["Attributes.interests"] * INTEREST_COLUMNS,
    "Attributes.plan",
    "Metrics.sessions",
    "Metrics.spent",
    "Demographic.AppVersion",
    "Demographic.Locale",
    "Demographic.Make",
    "Demographic.Model",
    "Demographic.Platform",
    "Demographic.PlatformVersion",
    "Demographic.Timezone",
    "Location.City",
    "Location.Country",
    "Location.Latitude",
    "Location.Longitude",
    "User.UserId",
    "User.UserAttributes.name",
)


class Place(NamedTuple):
    """A city, how its people write and read, and how often it comes up (of all weights)."""

    weight: int
    country: str
    city: str
    latitude: str
    longitude: str
    zone: str
    locales: tuple[str, ...]
    names: tuple[str, ...]


class Hardware(NamedTuple):
    """A kind of device, the push service that reaches it, and how often it comes up."""

    weight: int
    channel: str
    make: str
    model: str
    platform: str
    versions: tuple[str, ...]


PLACES = (
    Place(
        24, "TW", "臺北市", "25.0330", "121.5654", "Asia/Taipei", ("zh-TW",), ("陳怡君", "林志明")
    ),
    Place(10, "TW", "高雄市", "22.6273", "120.3014", "Asia/Taipei", ("zh-TW",), ("黃淑芬",)),
    Place(
        24, "JP", "東京", "35.6762", "139.6503", "Asia/Tokyo", ("ja-JP",), ("佐藤 葵", "鈴木 蓮")
    ),
    Place(11, "JP", "大阪", "34.6937", "135.5023", "Asia/Tokyo", ("ja-JP",), ("髙橋 さくら",)),
    Place(5, "KR", "서울", "37.5665", "126.9780", "Asia/Seoul", ("ko-KR",), ("김서연",)),
    Place(
        8, "US", "New York", "40.7128", "-74.0060", "America/New_York", ("en-US", "es-US"), ("Ada",)
    ),
    Place(
        5, "US", "Seattle", "47.6062", "-122.3321", "America/Los_Angeles", ("en-US",), ("Grace",)
    ),
    Place(6, "DE", "München", "48.1351", "11.5820", "Europe/Berlin", ("de-DE",), ("Jürgen Groß",)),
    Place(5, "BR", "São Paulo", "-23.5505", "-46.6333", "America/Sao_Paulo", ("pt-BR",), ("João",)),
    Place(2, "FR", "Orléans", "47.9030", "1.9093", "Europe/Paris", ("fr-FR",), ("Zoë, d'Arc",)),
)
HARDWARE = (
    Hardware(30, "GCM", "Google", "Pixel 9", "Android", ("14", "15", "16")),
    Hardware(22, "GCM", "Samsung", "Galaxy S25", "Android", ("15", "16")),
    Hardware(38, "APNS", "Apple", "iPhone 17", "iOS", ("18.6", "26.1")),
    Hardware(4, "APNS_SANDBOX", "Apple", "iPhone 16", "iOS", ("26.2",)),
    Hardware(6, "ADM", "Amazon", "Fire HD 10", "Fire OS", ("8",)),
)
OTHER_INTERESTS = ("sport", "film", "food", "travel", "games", "科技", "音楽")
PLANS = (*["free"] * 6, *["plus"] * 3, "family")
APP_VERSIONS = ("3.9.0", "4.0.1", "4.1.0", "4.1.2")
MUSIC_PERCENT = 72
OPTED_OUT_PERCENT = 3
TWO_DEVICES_EVERY = 7  # each seventh device belongs to the same person as the one before it
# How many devices in a hundred are followed by a row of that channel, or by one that is wrong.
OTHER_CHANNELS = {"SMS": 9, "EMAIL": 14, "VOICE": 2}
WRONG_PERCENT = 2
WRONG_CELLS = (
    ("Address", ""),
    ("OptOut", "MAYBE"),
    ("Metrics.sessions", "many"),
    ("Location.Latitude", "north"),
)
NOT_OF_OTHER_CHANNELS = ("Demographic.", "Metrics.sessions")
# What Pinpoint says of each endpoint for its own ends.
BOOKKEEPING = {
    "ApplicationId": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    "CohortId": "17",
    "CreationDate": "2026-10-29T23:59:59.000Z",
    "EndpointStatus": "ACTIVE",
    "RequestId": "00000000-0000-4000-8000-000000000000",
}
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


def number(row: int, what: str, below: int) -> int:
    """A number from 0 to below - 1 that depends on nothing but the row and its purpose."""
    digest = hashlib.sha256(f"{SEED}:{row}:{what}".encode()).digest()
    return int.from_bytes(digest[:8]) % below


def pick(row: int, what: str, choices: Sequence[str]) -> str:
    """One of the choices, all alike."""
    return choices[number(row, what, len(choices))]


def weighted(row: int, what: str, weights: Sequence[int]) -> int:
    """The index of one choice, by weight."""
    rest = number(row, what, sum(weights))
    for index, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return index
    raise AssertionError("the weights add up")


def token(row: int, channel: str) -> str:
    """A push token as that service writes them; no device has it."""
    digits = "".join(
        hashlib.sha256(f"{SEED}:{row}:token:{part}".encode()).hexdigest() for part in "ab"
    )
    if channel == "GCM":
        return f"{digits[:22]}:APA91b{digits[22:]}"
    if channel == "ADM":
        return f"amzn1.adm-registration.v3.{digits}"
    return digits[:64]


def interests(row: int) -> list[str]:
    """None to three interests, in no order, as separate cells; empty cells fill up."""
    found = ["music"] if number(row, "music", 100) < MUSIC_PERCENT else []
    for nth in range(number(row, "others", INTEREST_COLUMNS)):
        other = pick(row, f"interest{nth}", OTHER_INTERESTS)
        if other not in found:
            found.append(other)
    return found + [""] * (INTEREST_COLUMNS - len(found))


def device(row: int) -> list[str]:
    """The cells of one row, in the order of COLUMNS."""
    place = PLACES[weighted(row, "place", [place.weight for place in PLACES])]
    hardware = HARDWARE[weighted(row, "hardware", [kind.weight for kind in HARDWARE])]
    cents = number(row, "cents", 40_000)
    second = number(row, "second", 365 * 24 * 3600)
    day, second = divmod(second, 24 * 3600)
    month, day = divmod(day, 28)
    person = row - 1 if row % TWO_DEVICES_EVERY == 0 else row
    return [
        f"device-{row:07}",
        hardware.channel,
        token(row, hardware.channel),
        "ALL" if number(row, "opt-out", 100) < OPTED_OUT_PERCENT else "NONE",
        f"2026-{month % 12 + 1:02}-{day + 1:02}T{second // 3600:02}:{second // 60 % 60:02}:00Z",
        *interests(row),
        pick(row, "plan", PLANS),
        str(number(row, "sessions", 500)),
        f"{cents // 100}.{cents % 100:02}" if cents % 3 else "",
        pick(row, "app", APP_VERSIONS),
        pick(row, "locale", place.locales),
        hardware.make,
        hardware.model,
        hardware.platform,
        pick(row, "os", hardware.versions),
        place.zone,
        place.city,
        place.country,
        place.latitude,
        place.longitude,
        f"user-{person:07}",
        pick(person, "name", place.names) if person == row else "",
    ]


def other_channels(row: int, cells: list[str]) -> Iterator[list[str]]:
    """The same person's endpoints that are not for push."""
    for channel, percent in OTHER_CHANNELS.items():
        if number(row, channel, 100) >= percent:
            continue
        address = f"+8869{number(row, 'phone', 10**8):08}"
        if channel == "EMAIL":
            address = f"user-{row:07}@example.com"
        other = [
            "" if name.startswith(NOT_OF_OTHER_CHANNELS) else cell
            for name, cell in zip(COLUMNS, cells, strict=True)
        ]
        yield [f"{channel.lower()}-{row:07}", channel, address, *other[3:]]


def wrong(row: int, cells: list[str]) -> Iterator[list[str]]:
    """A row like the device's with one cell that cannot be right, or none."""
    if number(row, "wrong", 100) < WRONG_PERCENT:
        name, cell = WRONG_CELLS[number(row, "wrong cell", len(WRONG_CELLS))]
        found = [f"wrong-{row:07}", cells[1], token(-row, cells[1]), *cells[3:]]
        found[COLUMNS.index(name)] = cell
        yield found


def rows(count: int, *, mixed: bool) -> Iterator[list[str]]:
    """The cells of that many devices; if mixed, with what stands between them in an export."""
    for row in range(1, count + 1):
        cells = device(row)
        yield cells
        if mixed:
            yield from other_channels(row, cells)
            yield from wrong(row, cells)


def endpoint(cells: list[str]) -> dict[str, object]:
    """The row in Pinpoint's JSON shape: dots nest, names of one's own hold lists of values."""
    found: dict[str, object] = {}
    for name, cell in zip(COLUMNS, cells, strict=True):
        if not cell:
            continue
        *path, last = name.split(".")
        inner: dict[str, object] = found
        for step in path:
            inner = inner.setdefault(step, {})  # type: ignore[assignment]
        if path and path[-1] in {"Attributes", "UserAttributes"}:
            inner.setdefault(last, []).append(cell)  # type: ignore[attr-defined]
        else:
            numeric = NUMBER.fullmatch(cell) and name.startswith(("Metrics.", "Location.L"))
            inner[last] = json.loads(cell) if numeric else cell
    return found


def write_csv(out: IO[str], lines: Iterator[list[str]]) -> None:
    """The whole file, as RFC 4180 has it but with plain line ends."""
    written = csv.writer(out, lineterminator="\n")
    written.writerow(COLUMNS)
    written.writerows(lines)


def write_ndjson(out: IO[str], lines: Iterator[list[str]], *, mixed: bool) -> None:
    """The whole file, an endpoint a line; if mixed, with Pinpoint's own bookkeeping."""
    for cells in lines:
        more = BOOKKEEPING if mixed else {}
        out.write(json.dumps({**endpoint(cells), **more}, ensure_ascii=False) + "\n")


def write(out: IO[str], options: argparse.Namespace) -> None:
    """The file that was asked for."""
    lines = rows(options.rows, mixed=options.mixed)
    if options.format == "csv":
        write_csv(out, lines)
    else:
        write_ndjson(out, lines, mixed=options.mixed)


def main() -> None:
    """Writes to --out, or to standard output."""
    parser = argparse.ArgumentParser(description="Writes a sample file of devices.")
    parser.add_argument("--rows", type=int, default=DEFAULT_ROWS, help="how many devices")
    parser.add_argument("--out", type=Path, help="the file; standard output if left out")
    parser.add_argument("--format", choices=("csv", "ndjson"), default="csv")
    parser.add_argument(
        "--mixed", action="store_true", help="with the rows of other channels, and wrong ones"
    )
    options = parser.parse_args()
    if options.rows < 1:
        parser.error("--rows must be 1 or more")
    if options.out is None:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        write(sys.stdout, options)
        return
    with options.out.open("w", encoding="utf-8", newline="") as out:
        write(out, options)


if __name__ == "__main__":
    main()
