"""What SNS is handed for a message: one payload for each push service, and attributes.

https://docs.aws.amazon.com/sns/latest/dg/sns-send-custom-platform-specific-payloads-mobile-devices.html
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from functions.campaigns.message import Message
from functions.campaigns.push_services import PUSH_SERVICES
from functions.devices.records import ChannelType
from functions.shared.errors import InvalidInputError, InvalidPart

if TYPE_CHECKING:
    from mypy_boto3_sns.type_defs import MessageAttributeValueTypeDef

# https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
MESSAGE_MAX_BYTES = 256 * 1024

# SNS wants a text for subscribers of every other kind. Fanfare makes none but the probe, which has
# a text of its own; whoever adds one is told what this was, and none of the data.
SILENT_DEFAULT = "A silent message for the app."

_PUSH_TYPE = "AWS.SNS.MOBILE.APNS.PUSH_TYPE"
_PRIORITY = "AWS.SNS.MOBILE.APNS.PRIORITY"
# Apple: background notifications have priority 5, any other is an error.
# https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app
_BACKGROUND_PRIORITY = "5"


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The text for Publish with MessageStructure=json, its payloads, and what is too long of it."""

    text: str
    payloads: Mapping[ChannelType, str]
    too_long: Mapping[ChannelType, str]  # with the reason
    wrong: tuple[InvalidPart, ...]  # these, and what is wrong with the whole


def rendered(message: Message, *, probe: str | None = None, place: str = "message") -> Rendered:
    """The message as SNS is handed it; `probe` is what SQS subscribers hear.

    Sizes are those of the whole payload in UTF-8, its frame included.
    """
    payloads = {platform: _payload(message, platform) for platform in ChannelType}
    too_long = {
        platform: reason
        for platform, payload in payloads.items()
        if (reason := _too_long(payload, PUSH_SERVICES[platform].payload_max_bytes))
    }
    named = {platform.value: payload for platform, payload in payloads.items()}
    others = {"default": message.text or SILENT_DEFAULT} | ({} if probe is None else {"sqs": probe})
    text = _json(named | others)
    wrong = [
        InvalidPart(place=f"{place} on {platform}", reason=reason)
        for platform, reason in too_long.items()
    ]
    if reason := _too_long(text, MESSAGE_MAX_BYTES):
        wrong.append(InvalidPart(place=place, reason=reason))
    return Rendered(
        text=text,
        payloads=payloads,
        too_long=too_long,
        wrong=(*wrong, *_too_long_as_given(message, place)),
    )


def render(message: Message, *, probe: str | None = None, place: str = "message") -> str:
    """The text for Publish; InvalidInputError with size and limit for all that is too long."""
    found = rendered(message, probe=probe, place=place)
    if found.wrong:
        raise InvalidInputError(found.wrong)
    return found.text


def refuse_endless(message: Message, *, place: str = "message") -> None:
    """InvalidInputError for a message that is longer as given than SNS takes in all."""
    if wrong := list(_too_long_as_given(message, place)):
        raise InvalidInputError(wrong)


def message_attributes(message: Message) -> "dict[str, MessageAttributeValueTypeDef]":
    """The attributes for Publish: Apple is told whether it is an alert, and the times to live.

    Each is read for its platform only; Apple's are for its sandbox, too, except for the time.
    They are six at most, of the ten that every kind of subscriber takes. Apple's topic is left to
    the platform application, which knows its app's bundle id.
    https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html
    """
    attributes = {_PUSH_TYPE: "background" if message.silent else "alert"}
    if message.silent:
        attributes[_PRIORITY] = _BACKGROUND_PRIORITY
    for platform, seconds in message.time_to_live.items():
        attributes[PUSH_SERVICES[platform].time_to_live_attribute] = str(seconds)
    return {
        name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()
    }


def _payload(message: Message, platform: ChannelType) -> str:
    said = message.on(platform)
    shown = {name: text for name, text in (("title", said.title), ("body", said.body)) if text}
    if platform is ChannelType.ADM:
        return _json({"data": {**said.data, **shown}})
    if platform is ChannelType.GCM:
        parts = {"notification": shown, "data": said.data}
        return _json({"fcmV1Message": {"message": {k: part for k, part in parts.items() if part}}})
    aps = {"content-available": 1} if message.silent else {"alert": shown}
    return _json({"aps": aps, **said.data})


def _too_long_as_given(message: Message, place: str) -> Iterator[InvalidPart]:
    """What every platform overrides is in no payload, and is stored all the same."""
    if reason := _too_long(message.model_dump_json(), MESSAGE_MAX_BYTES):
        yield InvalidPart(place=f"{place} as given", reason=reason)


def _too_long(text: str, limit: int) -> str | None:
    size = len(text.encode())
    return None if size <= limit else f"has {size:,} bytes as UTF-8; the limit is {limit:,}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
