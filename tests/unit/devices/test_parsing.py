"""What is let in as a device, and what is refused with its place."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from functions.devices.items import decode, encode, size_of
from functions.devices.parsing import parse_device
from functions.devices.records import ChannelType, EndpointStatus, OptOut
from functions.devices.wire import to_wire
from functions.shared import exact_json
from functions.shared.errors import InvalidInputError
from tests.unit.devices.conftest import TOKEN, body

FULL = body(
    "端末-1",
    OptOut="NONE",
    EndpointStatus="INACTIVE",
    EffectiveDate="2026-12-01T09:00:00+09:00",
    Attributes={"interests": ["rock", "jazz", "rock"], "名前.with#all kinds 🎷": "台北"},
    Metrics={"score": Decimal("0.10000000000000000000000000000000000001"), "visits": 12},
    Demographic={"AppVersion": "1.2", "Platform": "android"},
    Location={"City": "Taipei", "Country": "TW", "Latitude": Decimal("25.033"), "Longitude": 121},
    User={"UserId": "u1", "UserAttributes": {"plan": ["gold"]}},
)


def refused(raw: object, path_id: str | None = None) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInputError) as caught:
        parse_device(raw, path_id=path_id)
    return [(part.place, part.reason) for part in caught.value.parts]


def test_a_full_device_is_stored_in_the_form_that_criteria_search() -> None:
    assert encode(replace(parse_device(FULL), endpoint_arn="arn:e")) == {
        "Id": "端末-1",
        "ChannelType": "GCM",
        "Address": TOKEN,
        "OptOut": "NONE",
        "EndpointStatus": "INACTIVE",
        "EffectiveDate": "2026-12-01T00:00:00.000Z",
        "Attributes": {
            "interests": {"all": "\x1fjazz\x1frock\x1f", "max": "rock"},
            "名前.with#all kinds 🎷": {"all": "\x1f台北\x1f", "max": "台北"},
        },
        "Metrics": {"score": Decimal("0.10000000000000000000000000000000000001"), "visits": 12},
        "Demographic": {"AppVersion": "1.2", "Platform": "android"},
        "Location": {
            "City": "Taipei",
            "Country": "TW",
            "Latitude": Decimal("25.033"),
            "Longitude": 121,
        },
        "User": {
            "UserId": "u1",
            "UserAttributes": {"plan": {"all": "\x1fgold\x1f", "max": "gold"}},
        },
        "EndpointArn": "arn:e",
    }


def test_a_device_comes_back_from_its_item_as_it_went_in() -> None:
    device = replace(parse_device(FULL), endpoint_arn="arn:e")
    assert decode(encode(device)) == device


def test_a_device_is_answered_with_sorted_lists_and_exact_numbers() -> None:
    wire = to_wire(replace(parse_device(FULL), endpoint_arn="arn:e"))
    assert wire["Attributes"] == {
        "interests": ["jazz", "rock"],
        "名前.with#all kinds 🎷": ["台北"],
    }
    assert wire["User"] == {"UserId": "u1", "UserAttributes": {"plan": ["gold"]}}
    assert exact_json.dumps(wire["Metrics"]) == (
        '{"score":0.10000000000000000000000000000000000001,"visits":12}'
    )


def test_a_small_device_holds_nothing_that_was_not_said() -> None:
    device = parse_device(body(Attributes={}, Metrics={}, User={"UserAttributes": {"a": []}}))
    assert (device.channel_type, device.endpoint_status) == (
        ChannelType.GCM,
        EndpointStatus.ACTIVE,
    )
    assert device.opt_out is None
    assert encode(device) == {
        "Id": "d1",
        "ChannelType": "GCM",
        "Address": TOKEN,
        "OptOut": "NONE",
        "EndpointStatus": "ACTIVE",
    }


def test_the_id_may_stand_in_the_path_only() -> None:
    raw = {"ChannelType": "APNS", "Address": TOKEN, "OptOut": "ALL"}
    device = parse_device(raw, path_id="d1")
    assert (device.device_id, device.opt_out) == ("d1", OptOut.ALL)


def test_the_id_in_the_body_must_be_that_of_the_path() -> None:
    assert refused(body("d2"), path_id="d1") == [("Id", "differs from the Id in the path")]


def test_every_wrong_place_is_told_at_once() -> None:
    raw = {
        "ChannelType": "SMS",
        "Colour": "red",
        "OptOut": "all",
        "EndpointStatus": 1,
        "EffectiveDate": "2026-12-01T09:00:00",
        "Attributes": {"a": ["ok", 3, ""], "x" * 51: "v", "b\n": "v"},
        "Metrics": {"m": True, "n": "1"},
        "Demographic": {"Shoe": "9", "Make": None},
        "Location": [],
        "User": {"UserId": "", "UserAttributes": {"a": {"b": "c"}}},
    }
    places = [place for place, _ in refused(raw)]
    assert places == [
        "Colour",
        "Id",
        "ChannelType",
        "Address",
        "OptOut",
        "EndpointStatus",
        "EffectiveDate",
        "Attributes." + "x" * 50,
        "Attributes.b\n",
        "Attributes.a[1]",
        "Attributes.a[2]",
        "Metrics.m",
        "Metrics.n",
        "Demographic.Shoe",
        "Demographic.Make",
        "Location",
        "User.UserId",
        "User.UserAttributes.a",
    ]


@pytest.mark.parametrize(
    ("raw", "place", "reason"),
    [
        (body(ChannelType="BAIDU"), "ChannelType", "must be one of APNS, APNS_SANDBOX, GCM, ADM"),
        (body(Address=""), "Address", "must not be empty; leave it out instead"),
        (
            body(Metrics={"m": 1.5e300}),
            "Metrics.m",
            "must lie between 1E-130 and 9.9E+125, or be 0",
        ),
        (
            body(Attributes={"a": "x" * 102_401}),
            "Attributes.a",
            "has 102,401 characters; at most 102,400 are allowed",
        ),
        (
            body(Attributes={"a": "left\x1fright"}),
            "Attributes.a",
            "must not hold control characters or broken surrogate pairs",
        ),
        (body("x" * 257), "Id", "has 257 characters; at most 256 are allowed"),
        (body("a\tb"), "Id", "must not hold control characters or broken surrogate pairs"),
        ([], "device", "must be an object, not a list"),
        (None, "device", "must be an object, not null"),
    ],
)
def test_one_wrong_place_is_told_with_its_reason(raw: object, place: str, reason: str) -> None:
    assert refused(raw) == [(place, reason)]


@pytest.mark.parametrize("device_id", ["a/b", "a?b", "a#b", "100%", ".", ".."])
def test_an_id_that_a_path_cannot_carry_is_refused(device_id: str) -> None:
    assert refused(body(device_id)) == [
        ("Id", "must not hold / ? # or %, nor be . or .., which a URL's path cannot carry")
    ]


@pytest.mark.parametrize("device_id", ["x" * 256, "台北 🎷", "a.b", "a b+c:d@e", "..."])
def test_any_other_id_is_let_in(device_id: str) -> None:
    assert parse_device(body(device_id)).device_id == device_id


def test_the_longest_names_and_values_are_let_in() -> None:
    device = parse_device(body(Attributes={"界" * 50: ["x" * 102_400, "🎷"]}))
    assert device.attributes == {"界" * 50: ("x" * 102_400, "🎷")}


def test_a_value_of_100_kilobytes_counts_twice_among_others_under_its_name() -> None:
    first, second = "x" * 102_400, "y" * 102_400
    parse_device(body(Attributes={"a": [first, second]}))
    assert refused(body(Attributes={"a": first, "b": second})) == [
        ("device", "takes 410,743 bytes in DynamoDB; the limit is 409,600")
    ]


def test_a_device_that_dynamodb_could_not_keep_is_refused_before_anything_is_done() -> None:
    values = [f"{number:03}" + "x" * 997 for number in range(420)]
    found = refused(body(Attributes={"a": values}))
    assert found == [("device", "takes 422,547 bytes in DynamoDB; the limit is 409,600")]


def test_the_size_counts_bytes_and_not_characters() -> None:
    assert size_of({"Id": "台", "Metrics": {"a": Decimal(1)}}) == 43


def test_hundreds_of_wrong_places_are_told_a_hundred_at_most() -> None:
    assert len(refused(body(Attributes={f"a{n}": 1 for n in range(5000)}))) == 100


def test_no_representation_of_a_device_shows_its_token_or_its_attributes() -> None:
    shown = repr(parse_device(FULL))
    for secret in (TOKEN, "jazz", "interests", "Taipei", "u1", "gold", "25.033"):
        assert secret not in shown


def test_no_error_shows_a_value() -> None:
    raw: dict[str, Any] = body(
        Address=TOKEN + "\n", Attributes={"a": "secret\n"}, Metrics={"m": "secret"}, OptOut="secret"
    )
    text = str(refused(raw))
    assert "secret" not in text
    assert TOKEN not in text
