"""What a message may hold, and what is refused, by place."""

from typing import Any

import pytest
from pydantic import ValidationError

from functions.campaigns.message import Message
from functions.shared.http import dotted


def message(**members: Any) -> Message:
    return Message.model_validate({"title": "Jazz", "body": "Tonight.", **members})


def refused(**members: Any) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        message(**members)
    return [(dotted(error["loc"]), error["msg"]) for error in caught.value.errors()]


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
        ("overrides.GCM", "title and body must not both be empty on GCM")
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
        ({"silent": "yes"}, "silent"),
        ({"silent": 1}, "silent"),
        ({"time_to_live": 60}, "time_to_live"),
        ({"time_to_live": {"SMS": 60}}, "time_to_live.SMS"),
        ({"time_to_live": {"GCM": "60"}}, "time_to_live.GCM"),
        ({"time_to_live": {"GCM": 60.5}}, "time_to_live.GCM"),
        ({"time_to_live": {"GCM": True}}, "time_to_live.GCM"),
        ({"time_to_live": {"GCM": None}}, "time_to_live.GCM"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(members: dict[str, Any], place: str) -> None:
    assert [found for found, _ in refused(**members)] == [place]


def test_a_message_comes_back_as_it_was_stored() -> None:
    given = message(data={"k": "v"}, overrides={"GCM": {"title": "🎷"}})
    assert Message.model_validate_json(given.model_dump_json()) == given


def test_a_message_of_before_there_were_silent_ones_is_read() -> None:
    stored = '{"title":"Jazz","body":"Tonight.","data":{},"overrides":{}}'
    assert Message.model_validate_json(stored) == message()


def refused_silent(**members: Any) -> list[tuple[str, str]]:
    return refused(**{"silent": True, "title": "", "body": "", "data": {"k": "v"}, **members})


def test_a_silent_message_says_nothing_anywhere() -> None:
    shown = "must be left out of a silent message"
    overrides = {"GCM": {"title": "Jazz"}, "ADM": {"body": " "}}
    assert refused_silent(title="Jazz", body="Tonight.", overrides=overrides) == [
        ("title", shown),
        ("overrides.GCM.title", shown),
        ("body", shown),
        ("overrides.ADM.body", shown),
    ]


def test_a_silent_message_carries_data_everywhere() -> None:
    carried = "must not be empty in a silent message"
    assert refused_silent(data={}) == [("data", carried)]
    assert refused_silent(overrides={"APNS": {"data": {}}}) == [("overrides.APNS.data", carried)]


def test_a_silent_message_comes_back_as_it_was_stored() -> None:
    given = message(
        silent=True, title="", body="", data={"k": "v"}, time_to_live={"GCM": 0, "ADM": 60}
    )
    assert Message.model_validate_json(given.model_dump_json()) == given


@pytest.mark.parametrize(
    ("platform", "shortest", "longest"),
    [
        ("APNS", 0, 2_592_000),
        ("APNS_SANDBOX", 0, 2_592_000),
        ("GCM", 0, 2_419_200),
        ("ADM", 60, 2_678_400),
    ],
)
def test_a_time_to_live_is_within_what_the_push_service_keeps(
    platform: str, shortest: int, longest: int
) -> None:
    for seconds in (shortest, longest):
        assert message(time_to_live={platform: seconds})
    for seconds in (shortest - 1, longest + 1):
        assert refused(time_to_live={platform: seconds}) == [
            (f"time_to_live.{platform}", f"must be {shortest:,} to {longest:,} seconds")
        ]


def test_every_wrong_place_is_named_at_once() -> None:
    wrong = refused_silent(title="Jazz", time_to_live={"ADM": 0, "GCM": -1})
    assert [place for place, _ in wrong] == ["title", "time_to_live.ADM", "time_to_live.GCM"]
