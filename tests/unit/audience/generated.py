"""Criteria and devices made up at random, out of the same few names and values: so they meet."""

from datetime import UTC, datetime
from random import Random
from typing import Any

from hypothesis import strategies as st

from functions.devices.items import encode
from functions.devices.parsing import parse_device

NOW = datetime(2026, 12, 2, 12, tzinfo=UTC)

# Reserved words, what an expression would trip over, prefixes of each other, and every plane.
NAMES = ["Status", "Name", "Size", "size", "all", "max", "a.b", "a#b", "a b", ":v0", "#n0", "AND"]
NAMES += ["年齢", "🎷", "a"]
TEXTS = ["a", "ab", "a b", "b", "~", "é", "É", "台", "台北", "\uffee", "🎷", "🎷a", "(", "A", "5"]
TEXTS += ["Straße", "STRASSE", "ss", "ß", "İ", "i\u0307", "ς", "Σ", "00123", "123"]
DATES = ["2026-12-01", "2026-12-02", "20261202", "2026-12-02T00:00:00.000Z", "2026-12-02T11:59"]
DATES += ["2026-12-01T23:59:59.9999Z", "2026-12-02T07:00+08:00", "2026-12-01 20:00-05:00"]
DATES += ["2026-12-01T12:00Z", "2026-11-25T12:00:00.000Z", "2027-01-01", "20261130T1015Z"]
TIMES = ["2026-12-01", "2026-12-02T00:00:00.000Z", "2026-12-02T07:00+08:00", "2026-12-01T12:00Z"]
TIMES += ["2026-11-25T12:00:00.000Z", "2027-01-01T00:00:00.001Z", "2026-11-30T10:15Z"]
DAYS = ["2026-11-30", "2026-12-01", "20261202", "2027-01-01"]
NO_DATES = ["2026-02-30", "2026-12-1", "2026-W49-2", "1", "2026-12-02T24:00Z", "2026-12-02x10:00Z"]
DURATIONS = ["P1D", "PT24H", "P7D", "P30D", "P1DT12H"]
NUMBERS = [0, -1, 3, 0.1, 2.5, 10**20]

NAMED_TEXTS = [
    f"{family}.{name}" for name in NAMES for family in ("Attributes", "User.UserAttributes")
]
FIXED_TEXTS = ["Location.City", "Demographic.Make", "User.UserId", "Id"]
NAMED_NUMBERS = [*(f"Metrics.{name}" for name in NAMES), "Location.Latitude"]

ORDERED = ["eq", "ne", "gt", "gte", "lt", "lte"]
WITH_VALUES = ("in", "iin", "between")


def cond(field: str, op: str, value: Any = None) -> dict[str, Any]:
    """One condition as JSON has it."""
    return {"field": field, "op": op, ("values" if op in WITH_VALUES else "value"): value}


def _built(fields: list[str], ops: list[str], values: st.SearchStrategy[Any]) -> Any:
    return st.builds(cond, st.sampled_from(fields), st.sampled_from(ops), values)


def _some(values: list[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=4)


def _ranges(values: list[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.sampled_from(values), min_size=2, max_size=2).map(sorted)


_texts = st.sampled_from([*TEXTS, *DATES, *NO_DATES])
EXACT_CONDITIONS: Any = st.one_of(
    _built(NAMED_TEXTS, [*ORDERED, "contains"], _texts),
    _built(NAMED_TEXTS, ["in"], _some(TEXTS)),
    _built(FIXED_TEXTS, [*ORDERED, "contains"], st.sampled_from(TEXTS)),
    _built(FIXED_TEXTS, ["in"], _some(TEXTS)),
    _built(NAMED_NUMBERS, ORDERED, st.sampled_from(NUMBERS)),
    _built(NAMED_NUMBERS, ["in"], _some(NUMBERS)),
    _built(NAMED_NUMBERS, ["between"], _ranges(NUMBERS)),
    _built(["EffectiveDate"], ORDERED, st.sampled_from(["2026-12-01", "2026-12-02T07:00+08:00"])),
    _built(["EffectiveDate"], ["before", "after"], st.sampled_from(TIMES)),
    _built(["EffectiveDate"], ["on"], st.sampled_from(DAYS)),
    _built(
        ["EffectiveDate"], ["between"], _ranges(["2026-11-25", "2026-12-01T12:00Z", "2026-12-02"])
    ),
    _built(["EffectiveDate"], ["in_last", "not_in_last"], st.sampled_from(DURATIONS)),
    _built(
        [*NAMED_TEXTS, *FIXED_TEXTS, *NAMED_NUMBERS, "EffectiveDate"], ["exists"], st.booleans()
    ),
    _built(["ChannelType"], ["in"], _some(["APNS", "ADM"])),
    _built(["OptOut"], ["eq", "ne"], st.just("ALL")),
)
INEXACT_CONDITIONS: Any = st.one_of(
    _built([*NAMED_TEXTS, *FIXED_TEXTS], ["ieq", "icontains"], st.sampled_from(TEXTS)),
    _built([*NAMED_TEXTS, *FIXED_TEXTS], ["iin"], _some(TEXTS)),
    _built(NAMED_TEXTS, ["before", "after"], st.sampled_from(TIMES)),
    _built(NAMED_TEXTS, ["on"], st.sampled_from(DAYS)),
    _built(NAMED_TEXTS, ["between"], _ranges(["2026-11-25", "2026-12-01T12:00Z", "2026-12-02"])),
    _built(NAMED_TEXTS, ["in_last", "not_in_last"], st.sampled_from(DURATIONS)),
)


def trees(conditions: Any, *, max_leaves: int = 8) -> Any:
    """Conditions put together with all, any and not, to any depth."""
    return st.recursive(
        conditions,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
            inner.map(lambda part: {"not": part}),
        ),
        max_leaves=max_leaves,
    )


def population(seed: int, size: int) -> dict[str, dict[str, Any]]:
    """The items of so many devices by Id, as they are stored; the same for the same seed."""
    random = Random(seed)  # noqa: S311 (test data)
    ids = [*TEXTS, *(f"{seed}-{number}" for number in range(size))][:size]
    return {each: encode(parse_device(_device(random), path_id=each)) for each in ids}


def _device(random: Random) -> dict[str, Any]:
    device: dict[str, Any] = {
        "ChannelType": random.choice(["APNS", "GCM", "ADM"]),
        "Address": "t",
        "Attributes": _multi(random),
        "Metrics": {name: random.choice(NUMBERS) for name in random.sample(NAMES, 5)},
        "Location": _partly(
            random, {"City": random.choice(TEXTS), "Latitude": random.choice(NUMBERS)}
        ),
        "Demographic": _partly(random, {"Make": random.choice(TEXTS)}),
        "User": _partly(random, {"UserId": random.choice(TEXTS), "UserAttributes": _multi(random)}),
        "OptOut": random.choice(["ALL", "NONE"]),
    }
    if random.random() < 0.8:
        device["EffectiveDate"] = random.choice(TIMES)
    return device


def _multi(random: Random) -> dict[str, list[str]]:
    values = [*TEXTS, *DATES, *NO_DATES]
    return {name: random.sample(values, random.randint(1, 3)) for name in random.sample(NAMES, 6)}


def _partly(random: Random, members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if random.random() < 0.8}
