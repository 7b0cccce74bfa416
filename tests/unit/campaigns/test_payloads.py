"""What SNS is handed for a message: payloads to the letter, and attributes."""

import json
from typing import Any

import pytest

from functions.campaigns.message import Message
from functions.campaigns.payloads import (
    MESSAGE_MAX_BYTES,
    message_attributes,
    refuse_endless,
    render,
    rendered,
)
from functions.devices.records import ChannelType
from functions.shared.errors import InvalidInputError


def message(**members: Any) -> Message:
    return Message.model_validate({"title": "Jazz", "body": "Tonight.", **members})


def silent(**members: Any) -> Message:
    return Message.model_validate({"silent": True, "data": {"sync": "1"}, **members})


def payloads(given: Message, **more: Any) -> dict[str, Any]:
    """Each platform's payload, read from the string of JSON that it is."""
    rendered = json.loads(render(given, **more))
    return {
        name: text if name in ("default", "sqs") else json.loads(text)
        for name, text in rendered.items()
    }


def test_what_is_empty_is_left_out() -> None:
    assert payloads(message(body=""))["GCM"] == {
        "fcmV1Message": {"message": {"notification": {"title": "Jazz"}}}
    }
    assert payloads(message(body=""))["default"] == "Jazz"


def test_an_override_replaces_what_it_gives_on_its_platform_only() -> None:
    given = message(
        data={"screen": "live"},
        overrides={"GCM": {"body": "台北,今晚。", "data": {}}, "APNS": {"title": "Rock"}},
    )
    found = payloads(given)
    assert found["GCM"] == {
        "fcmV1Message": {"message": {"notification": {"title": "Jazz", "body": "台北,今晚。"}}}
    }
    assert found["APNS"]["aps"]["alert"] == {"title": "Rock", "body": "Tonight."}
    assert found["APNS_SANDBOX"]["aps"]["alert"] == {"title": "Jazz", "body": "Tonight."}


def test_the_probe_hears_its_own_text_and_nobody_else_does() -> None:
    assert payloads(message(), probe="receipt")["sqs"] == "receipt"
    assert "sqs" not in payloads(message())


def test_every_script_stays_itself() -> None:
    rendered = render(message(title="今夜 🎷"))
    assert "今夜 🎷" in rendered
    assert "\\u" not in rendered


# {"aps":{"alert":{"title":"Jazz","body":""}}} are 44 bytes, without the body.
APNS_ROOM = 4096 - 44
# {"fcmV1Message":{"message":{"notification":{"title":"Jazz","body":""}}}} are 72.
GCM_ROOM = 4096 - 72
# {"data":{"title":"Jazz","body":""}} are 35.
ADM_ROOM = 4096 - 35
ROOMS = [("APNS", APNS_ROOM), ("APNS_SANDBOX", APNS_ROOM), ("GCM", GCM_ROOM), ("ADM", ADM_ROOM)]


def exactly(unit: str, size: int) -> str:
    """A text of that many UTF-8 bytes, of as many units as fit, filled up with letters."""
    count, rest = divmod(size, len(unit.encode()))
    return unit * count + "x" * rest


@pytest.mark.parametrize("unit", ["x", "é", "台", "🎷"])
@pytest.mark.parametrize(("platform", "room"), ROOMS)
def test_a_payload_may_have_4096_bytes_and_not_one_more(
    platform: str, room: int, unit: str
) -> None:
    for size, spare in ((4095, 1), (4096, 0)):
        fitting = message(overrides={platform: {"body": exactly(unit, room - spare)}})
        assert len(json.loads(render(fitting))[platform].encode()) == size
    too_long = message(overrides={platform: {"body": exactly(unit, room + 1)}})
    with pytest.raises(InvalidInputError) as caught:
        render(too_long)
    assert [(part.place, part.reason) for part in caught.value.parts] == [
        (f"message on {platform}", "has 4,097 bytes as UTF-8; the limit is 4,096")
    ]


def test_every_platform_that_is_too_long_is_named() -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(message(body="台" * 1366))
    assert [part.place for part in caught.value.parts] == [
        "message on APNS",
        "message on APNS_SANDBOX",
        "message on GCM",
        "message on ADM",
    ]


def test_data_counts_as_well() -> None:
    with pytest.raises(InvalidInputError, match="message on GCM: has 4,1"):
        render(message(overrides={"GCM": {"data": {"k": "🎷" * 1010}}}))


def test_the_whole_message_may_have_256_kb() -> None:
    with pytest.raises(InvalidInputError) as caught:
        render(message(), probe="x" * 262_144)
    assert caught.value.parts[0].place == "message"
    assert caught.value.parts[0].reason.endswith("the limit is 262,144")


def test_what_every_platform_overrides_is_measured_all_the_same() -> None:
    short: dict[str, Any] = {"body": "Tonight.", "data": {}}
    given = message(
        data={"k": "x" * 262_144},
        overrides=dict.fromkeys(["APNS", "APNS_SANDBOX", "GCM", "ADM"], short),
    )
    with pytest.raises(InvalidInputError, match="message as given: has 262,"):
        render(given)


# Each payload is the very string that SNS is handed, to the last byte.
ALERT = {
    "APNS": '{"aps":{"alert":{"title":"Jazz","body":"Tonight."}},"screen":"live"}',
    "APNS_SANDBOX": '{"aps":{"alert":{"title":"Jazz","body":"Tonight."}},"screen":"live"}',
    "GCM": '{"fcmV1Message":{"message":{"notification":{"title":"Jazz","body":"Tonight."},'
    '"data":{"screen":"live"}}}}',
    "ADM": '{"data":{"screen":"live","title":"Jazz","body":"Tonight."}}',
}
SILENT = {
    "APNS": '{"aps":{"content-available":1},"sync":"1"}',
    "APNS_SANDBOX": '{"aps":{"content-available":1},"sync":"1"}',
    "GCM": '{"fcmV1Message":{"message":{"data":{"sync":"1"}}}}',
    "ADM": '{"data":{"sync":"1"}}',
}


def test_an_alert_is_written_to_the_letter() -> None:
    assert json.loads(render(message(data={"screen": "live"}))) == {"default": "Tonight.", **ALERT}


def test_a_silent_message_has_data_and_nothing_to_show() -> None:
    assert json.loads(render(silent())) == {
        "default": "A silent message for the app.",
        **SILENT,
    }


def test_data_of_a_silent_message_can_differ_by_platform() -> None:
    found = payloads(silent(overrides={"ADM": {"data": {"sync": "2"}}}))
    assert found["ADM"] == {"data": {"sync": "2"}}
    assert found["GCM"] == {"fcmV1Message": {"message": {"data": {"sync": "1"}}}}


def test_no_subscriber_is_shown_the_data_of_a_silent_message() -> None:
    found = json.loads(render(silent(data={"code": "4711"}), probe="receipt"))
    assert "4711" not in found["default"] + found["sqs"]


# {"aps":{"content-available":1},"k":""} are 38 bytes, without the value.
SILENT_APNS_ROOM = 4096 - 38
# {"fcmV1Message":{"message":{"data":{"k":""}}}} are 46.
SILENT_GCM_ROOM = 4096 - 46
# {"data":{"k":""}} are 17.
SILENT_ADM_ROOM = 4096 - 17


@pytest.mark.parametrize("unit", ["x", "台", "🎷"])
@pytest.mark.parametrize(
    ("platform", "room"),
    [
        ("APNS", SILENT_APNS_ROOM),
        ("APNS_SANDBOX", SILENT_APNS_ROOM),
        ("GCM", SILENT_GCM_ROOM),
        ("ADM", SILENT_ADM_ROOM),
    ],
)
def test_a_silent_payload_has_the_same_bound(platform: str, room: int, unit: str) -> None:
    fitting = silent(overrides={platform: {"data": {"k": exactly(unit, room)}}})
    assert len(json.loads(render(fitting))[platform].encode()) == 4096
    too_long = silent(overrides={platform: {"data": {"k": exactly(unit, room + 1)}}})
    with pytest.raises(InvalidInputError, match=f"message on {platform}: has 4,097 bytes"):
        render(too_long)


def test_what_is_too_long_is_rendered_all_the_same_and_named() -> None:
    found = rendered(message(overrides={"GCM": {"body": "台" * 1342}}))
    assert list(found.too_long) == [ChannelType.GCM]
    assert found.too_long[ChannelType.GCM] == "has 4,098 bytes as UTF-8; the limit is 4,096"
    assert json.loads(found.text)["GCM"] == found.payloads[ChannelType.GCM]


def test_a_message_that_is_longer_than_sns_takes_in_all_is_refused_unrendered() -> None:
    with pytest.raises(InvalidInputError, match="message as given: has 262,"):
        refuse_endless(message(body="x" * MESSAGE_MAX_BYTES))
    refuse_endless(message(body="x" * 200_000))


def attributes(given: Message) -> dict[str, str]:
    found = message_attributes(given)
    assert {value["DataType"] for value in found.values()} == {"String"}
    return {name: value["StringValue"] for name, value in found.items()}


def test_apple_is_told_that_it_is_an_alert() -> None:
    assert attributes(message()) == {"AWS.SNS.MOBILE.APNS.PUSH_TYPE": "alert"}


def test_apple_is_told_that_it_is_for_the_background() -> None:
    assert attributes(silent()) == {
        "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "background",
        "AWS.SNS.MOBILE.APNS.PRIORITY": "5",
    }


def test_each_push_service_is_told_how_long_to_keep_the_message() -> None:
    times = {"APNS": 0, "APNS_SANDBOX": 60, "GCM": 0, "ADM": 86400}
    found = attributes(silent(time_to_live=times))
    assert found == {
        "AWS.SNS.MOBILE.APNS.PUSH_TYPE": "background",
        "AWS.SNS.MOBILE.APNS.PRIORITY": "5",
        "AWS.SNS.MOBILE.APNS.TTL": "0",
        "AWS.SNS.MOBILE.APNS_SANDBOX.TTL": "60",
        "AWS.SNS.MOBILE.FCM.TTL": "0",
        "AWS.SNS.MOBILE.ADM.TTL": "86400",
    }
    # What a subscriber with raw delivery takes at most.
    assert len(found) <= 10
