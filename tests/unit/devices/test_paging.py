"""All devices, page by page: each once, in answers that fit, by tokens that tell nothing."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from botocore.stub import Stubber

from functions.devices import paging
from functions.devices.paging import page_text
from functions.devices.parsing import parse_device
from functions.devices.records import Device
from functions.devices.registry import Registry
from functions.devices.store import DeviceStore, Page
from functions.shared.errors import InvalidInputError, InvalidPart
from tests.unit.devices.conftest import body, seed


def page(store: DeviceStore, token: str | None = None, **more: int) -> dict[str, Any]:
    options = {"limit": 10, "segment": 0, "segments": 1} | more
    found: dict[str, Any] = json.loads(page_text(store, token=token, **options))
    return found


def pages(store: DeviceStore, **more: int) -> list[list[str]]:
    """The Ids of all pages."""
    found, token = [], None
    while True:
        answer = page(store, token, **more)
        found.append([device["Id"] for device in answer["devices"]])
        token = answer["next"]
        if token is None:
            return found


def stored(registry: Registry, count: int) -> set[str]:
    devices = [parse_device(body(f"d{n}", Address=f"token-{n}")) for n in range(count)]
    seed(registry, *devices)
    return {device.device_id for device in devices}


def test_every_device_is_on_one_page(registry: Registry) -> None:
    wanted = stored(registry, 25)

    found = pages(registry.store, limit=10)

    assert [len(each) for each in found] == [10, 10, 5]
    assert {each for some in found for each in some} == wanted


def test_a_table_without_devices_has_one_empty_page(store: DeviceStore) -> None:
    assert page_text(store, limit=10, token=None, segment=0, segments=1) == (
        '{"devices":[],"next":null}'
    )


def test_all_segments_together_have_every_device_once(registry: Registry) -> None:
    wanted = stored(registry, 25)

    found = [
        each
        for segment in range(3)
        for some in pages(registry.store, limit=4, segment=segment, segments=3)
        for each in some
    ]

    assert sorted(found) == sorted(wanted)


def test_a_device_is_listed_as_it_is_answered_alone(registry: Registry) -> None:
    raw = body("d1", Attributes={"interests": ["rock", "jazz"]}, Metrics={"m": 1})
    registry.register(parse_device(raw))
    registry.register(parse_device(body("d2")))

    by_id = {device["Id"]: device for device in page(registry.store)["devices"]}

    assert by_id["d1"] == {
        **body("d1"),
        "OptOut": "NONE",
        "EndpointStatus": "INACTIVE",
        "StatusReason": "moved",
        "Attributes": {"interests": ["jazz", "rock"]},
        "Metrics": {"m": 1},
    }
    assert by_id["d2"]["EndpointArn"].endswith("/0")


class OnePage(DeviceStore):
    """A store whose page is as given, however large."""

    def __init__(self, devices: list[Device]) -> None:
        self._devices = devices

    def page(self, *, limit: int, after_id: str | None, **_segment: int) -> Page:
        ids = [device.device_id for device in self._devices]
        start = ids.index(after_id) + 1 if after_id else 0
        return Page(devices=self._devices[start : start + limit], last_id=None)


def test_an_answer_stays_below_six_megabytes_with_its_quotes_counted_twice() -> None:
    device = replace(parse_device(body("d")), attributes={"a": ('"' * 100_000,)})
    devices = [replace(device, device_id=f"d{number}") for number in range(30)]
    store = OnePage(devices)

    text = page_text(store, limit=1_000, token=None, segment=0, segments=1)

    assert 5_000_000 < len(json.dumps(text)) < 6_000_000
    assert [each for some in pages(store, limit=1_000) for each in some] == [
        f"d{number}" for number in range(30)
    ]


def test_a_device_that_is_larger_than_an_answer_is_answered_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(paging, "ANSWER_MAX_BYTES", 10)
    devices = [parse_device(body(f"d{number}")) for number in range(3)]

    assert pages(OnePage(devices)) == [["d0"], ["d1"], ["d2"]]


def token(*values: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


@pytest.mark.parametrize(
    "strange",
    [
        "",
        "%%%",
        "é",
        base64.urlsafe_b64encode(b"\xff").decode(),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
        token(),
        token("d1"),
        token("d1", 0, 1, 2),
        token(7, 0, 1),
        token("", 0, 1),
        token("a/b", 0, 1),
        token({"Id": "d1"}, 0, 1),
    ],
)
def test_a_token_that_nobody_gave_out_is_refused(store: DeviceStore, strange: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        page(store, strange)
    assert caught.value.parts == (
        InvalidPart(place="next", reason="is no token that this API gave out"),
    )


def test_a_token_belongs_to_its_segment(registry: Registry) -> None:
    stored(registry, 25)
    following = page(registry.store, limit=2, segment=1, segments=3)["next"]

    assert page(registry.store, following, segment=1, segments=3)["devices"]
    for other in ({"segment": 0, "segments": 3}, {"segment": 1, "segments": 2}, {}):
        with pytest.raises(InvalidInputError, match="next: is the token of another segment"):
            page(registry.store, following, **other)


def test_there_are_as_many_segments_as_asked_for(store: DeviceStore) -> None:
    with pytest.raises(InvalidInputError, match="segment: must be below segments, which is 2"):
        page(store, segment=2, segments=2)


def test_a_token_whose_device_dynamodb_places_elsewhere_is_refused(store: DeviceStore) -> None:
    with Stubber(store._table.meta.client) as stub:
        stub.add_client_error("scan", "ValidationException", "the key is not of this segment")
        with pytest.raises(InvalidInputError, match="next: is no token that this API gave out"):
            page(store, token("d1", 0, 2), segment=0, segments=2)
