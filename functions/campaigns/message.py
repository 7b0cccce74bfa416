"""The message of a campaign, and what SNS is handed for it: one payload per push service.

https://docs.aws.amazon.com/sns/latest/dg/sns-send-custom-platform-specific-payloads-mobile-devices.html
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from functions.devices.records import ChannelType
from functions.shared.errors import InvalidInputError, InvalidPart
from functions.shared.text import has_broken_surrogates

if TYPE_CHECKING:
    from mypy_boto3_sns.type_defs import MessageAttributeValueTypeDef

# https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
# https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type
PLATFORM_MAX_BYTES = 4_096
# https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
MESSAGE_MAX_BYTES = 256 * 1024

# What the push services would overwrite or refuse: Apple's `aps`; FCM's own words (see above); and
# title and body, which travel to ADM among the data, since it has no other place for them.
_RESERVED = frozenset({"aps", "from", "message_type", "title", "body"})
_RESERVED_PREFIXES = ("gcm", "google")


def _sound(text: str) -> str:
    if has_broken_surrogates(text):
        raise PydanticCustomError("broken_text", "must not hold broken surrogate pairs")
    return text


def _free(key: str) -> str:
    if not key or key in _RESERVED or key.startswith(_RESERVED_PREFIXES):
        raise PydanticCustomError("reserved_key", "must not be empty or a push service's own word")
    return key


Text = Annotated[str, Field(strict=True), AfterValidator(_sound)]
Data = dict[Annotated[Text, AfterValidator(_free)], Text]


class Override(BaseModel):
    """What one platform is sent instead; what is not given is the message's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    title: Text | None = None
    body: Text | None = None
    data: Data | None = None


class Message(BaseModel):
    """What every device is sent: a title, a body (one of them at least), and data for the app."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    title: Text = ""
    body: Text = ""
    data: Data = Field(default_factory=dict)
    overrides: dict[ChannelType, Override] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not _text(self):
            raise PydanticCustomError("empty_message", "title and body must not both be empty")
        for platform in self.overrides:
            if not _text(self.on(platform)):
                raise PydanticCustomError(
                    "empty_message",
                    "title and body must not both be empty on {platform}",
                    {"platform": platform.value},
                )
        return self

    def on(self, platform: ChannelType) -> "Message":
        """The message as that platform is sent it."""
        own = self.overrides.get(platform, Override())
        return Message.model_construct(
            title=self.title if own.title is None else own.title,
            body=self.body if own.body is None else own.body,
            data=self.data if own.data is None else own.data,
        )


def render(message: Message, *, probe: str | None = None, place: str = "message") -> str:
    """The text for Publish with MessageStructure=json; `probe` is what SQS subscribers hear.

    InvalidInputError with size and limit for every platform whose payload has too many UTF-8
    bytes; they are counted over the whole payload, its frame included.
    """
    payloads = {platform.value: _payload(message, platform) for platform in ChannelType}
    wrong = list(_too_long(payloads, f"{place} on "))
    payloads |= {"default": _text(message)} | ({} if probe is None else {"sqs": probe})
    rendered = _json(payloads)
    whole = {"": rendered, " as given": message.model_dump_json()}
    wrong += _too_long(whole, place, limit=MESSAGE_MAX_BYTES)
    if wrong:
        raise InvalidInputError(wrong)
    return rendered


def message_attributes() -> "dict[str, MessageAttributeValueTypeDef]":
    """The attributes for Publish: an alert, which Apple wants to be told.

    Apple's topic is left to the platform application, which knows its app's bundle id.
    https://docs.aws.amazon.com/sns/latest/dg/sns-send-custom-platform-specific-payloads-mobile-devices.html
    """
    return {"AWS.SNS.MOBILE.APNS.PUSH_TYPE": {"DataType": "String", "StringValue": "alert"}}


def _payload(message: Message, platform: ChannelType) -> str:
    said = message.on(platform)
    shown = {name: text for name, text in (("title", said.title), ("body", said.body)) if text}
    if platform is ChannelType.ADM:
        return _json({"data": {**said.data, **shown}})
    if platform is ChannelType.GCM:
        data = {"data": said.data} if said.data else {}
        return _json({"fcmV1Message": {"message": {"notification": shown, **data}}})
    return _json({"aps": {"alert": shown}, **said.data})


def _too_long(
    payloads: Mapping[str, str], place: str, *, limit: int = PLATFORM_MAX_BYTES
) -> Iterator[InvalidPart]:
    for name, payload in payloads.items():
        size = len(payload.encode())
        if size > limit:
            reason = f"has {size:,} bytes as UTF-8; the limit is {limit:,}"
            yield InvalidPart(place=place + name, reason=reason)


def _text(message: Message) -> str:
    return message.body.strip() or message.title.strip()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
