"""What SNS is handed for a message, and which messages are refused."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from functions.campaigns.message import Message, message_attributes, render
from functions.shared.errors import InvalidInputError
from functions.shared.http import dotted


def message(**members: Any) -> Message:
    return Message.model_validate({"title": "Jazz", "body": "Tonight.", **members})


def payloads(given: Message, **more: Any) -> dict[str, Any]:
    """Each platform's payload, read from the string of JSON that it is."""
    rendered = json.loads(render(given, **more))
    return {
        name: text if name in ("default", "sqs") else json.loads(text)
        for name, text in rendered.items()
    }


def refused(**members: Any) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        message(**members)
    return [(dotted(error["loc"]), error["msg"]) for error in caught.value.errors()]


def test_every_platform_gets_a_payload_of_its_own_shape() -> None:
    assert payloads(message(data={"screen": "live"})) == {
        "default": "Tonight.",
        "APNS": {"aps": {"alert": {"title": "Jazz", "body": "Tonight."}}, "screen": "live"},
        "APNS_SANDBOX": {"aps": {"alert": {"title": "Jazz", "body": "Tonight."}}, "screen": "live"},
        "GCM": {
            "fcmV1Message": {
                "message": {
                    "notification": {"title": "Jazz", "body": "Tonight."},
                    "data": {"screen": "live"},
                }
            }
        },
        "ADM": {"data": {"screen": "live", "title": "Jazz", "body": "Tonight."}},
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


@pytest.mark.parametrize(
    "key",
    ["aps", "from", "message_type", "gcm.x", "gcmkey", "google.x", "googleid", "title", "body", ""],
)
def test_a_key_that_a_push_service_would_overwrite_is_refused(key: str) -> None:
    assert refused(data={key: "x"}) == [
        (f"data.{key}", "must not be empty or a push service's own word")
    ]
    assert refused(overrides={"ADM": {"data": {key: "x"}}}) == [
        (f"overrides.ADM.data.{key}", "must not be empty or a push service's own word")
    ]


@pytest.mark.parametrize("key", ["From", "fromage", "APS", "my.google", "台", "data"])
def test_any_other_key_is_let_in(key: str) -> None:
    assert message(data={key: "x"}).data == {key: "x"}


@pytest.mark.parametrize(("title", "body"), [("", ""), (" ", "\n")])
def test_a_message_that_says_nothing_is_refused(title: str, body: str) -> None:
    assert refused(title=title, body=body) == [("", "title and body must not both be empty")]


def test_an_override_that_leaves_nothing_to_say_is_refused() -> None:
    assert refused(body="", overrides={"GCM": {"title": ""}}) == [
        ("", "title and body must not both be empty on GCM")
    ]


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"sound": "x"}, "sound"),
        ({"title": 3}, "title"),
        ({"title": "\ud83c"}, "title"),
        ({"data": {"k": 1}}, "data.k"),
        ({"data": {"k": None}}, "data.k"),
        ({"data": ["k"]}, "data"),
        ({"overrides": {"SMS": {}}}, "overrides.SMS"),
        ({"overrides": {"GCM": {"sound": "x"}}}, "overrides.GCM.sound"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(members: dict[str, Any], place: str) -> None:
    assert [found for found, _ in refused(**members)] == [place]


def test_a_message_comes_back_as_it_was_stored() -> None:
    given = message(data={"k": "v"}, overrides={"GCM": {"title": "🎷"}})
    assert Message.model_validate_json(given.model_dump_json()) == given


def test_apple_is_told_that_it_is_an_alert() -> None:
    assert message_attributes() == {
        "AWS.SNS.MOBILE.APNS.PUSH_TYPE": {"DataType": "String", "StringValue": "alert"}
    }
