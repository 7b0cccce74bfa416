"""The message of a campaign, and the payloads that SNS sends for it to each push service."""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from functions.devices.records import ChannelType
from functions.shared.text import has_broken_surrogates

# https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type
_FCM_RESERVED = frozenset({"from", "message_type"})
_FCM_RESERVED_PREFIXES = ("gcm", "google")
_APNS_RESERVED = frozenset({"aps"})
# ADM has no place for a notification but its data, so title and body travel there.
_ADM_RESERVED = frozenset({"title", "body"})


def _sound(text: str) -> str:
    if has_broken_surrogates(text):
        raise PydanticCustomError("broken_text", "must not hold broken surrogate pairs")
    return text


def _key(key: str) -> str:
    if not key:
        raise PydanticCustomError("empty_key", "a key must not be empty")
    reserved = key in _FCM_RESERVED | _APNS_RESERVED | _ADM_RESERVED
    if reserved or key.startswith(_FCM_RESERVED_PREFIXES):
        raise PydanticCustomError("reserved_key", "this key belongs to the push services")
    return _sound(key)


Text = Annotated[str, Field(strict=True), AfterValidator(_sound)]
Data = dict[Annotated[Text, AfterValidator(_key)], Text]


class Override(BaseModel):
    """What one platform is sent instead; what is not given is the message's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    title: Text | None = None
    body: Text | None = None
    data: Data | None = None


class Message(BaseModel):
    """What every device is sent: a title, a body, and data for the app."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    title: Text = ""
    body: Text = ""
    data: Data = Field(default_factory=dict)
    overrides: dict[ChannelType, Override] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        for platform in (None, *self.overrides):
            said = self.on(platform) if platform else self
            if not (said.title.strip() or said.body.strip()):
                where = f" on {platform}" if platform else ""
                raise PydanticCustomError(
                    "empty_message", f"title and body must not both be empty{where}"
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
