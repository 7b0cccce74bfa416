"""The message of a campaign: what it says, or carries silently, and how long it is worth it."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from functions.campaigns.push_services import PUSH_SERVICES
from functions.devices.records import ChannelType
from functions.shared.text import has_broken_surrogates

# What the push services would overwrite or refuse: Apple's `aps`; FCM's own words (see
# https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type); and title
# and body, which travel to ADM among the data, since it has no other place for them.
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
Seconds = Annotated[int, Field(strict=True)]


class Override(BaseModel):
    """What one platform is sent instead; what is not given is the message's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    title: Text | None = None
    body: Text | None = None
    data: Data | None = None


class Message(BaseModel):
    """A title, a body (one of them at least) and data for the app; or, silently, the data alone."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    title: Text = ""
    body: Text = ""
    data: Data = Field(default_factory=dict)
    overrides: dict[ChannelType, Override] = Field(default_factory=dict)
    silent: Annotated[
        bool,
        Field(
            strict=True,
            description="For the app only, in the background: data, and no title or body.",
        ),
    ] = False
    time_to_live: Annotated[
        dict[ChannelType, Seconds],
        Field(
            description="Seconds that a push service keeps the message for a device that is off; "
            "0: now or never (not with ADM). See docs/messages.md."
        ),
    ] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _can_be_sent(self) -> Self:
        content = _wrong_silent(self) if self.silent else _wrong_shown(self)
        wrong = [*content, *_wrong_times(self)]
        if wrong:
            # As pydantic's own, and not as one error at the message: each place is named.
            raise ValidationError.from_exception_data("Message", wrong, hide_input=True)
        return self

    @property
    def text(self) -> str:
        """What it says in one line's worth; empty if it is silent."""
        return self.body.strip() or self.title.strip()

    def on(self, platform: ChannelType) -> "Message":
        """The message as that platform is sent it."""
        own = self.overrides.get(platform, Override())
        return Message.model_construct(
            title=self.title if own.title is None else own.title,
            body=self.body if own.body is None else own.body,
            data=self.data if own.data is None else own.data,
            silent=self.silent,
        )


def _wrong_shown(message: Message) -> Iterator[InitErrorDetails]:
    reason = "title and body must not both be empty"
    if not message.text:
        yield _wrong(reason)
        return
    for platform in message.overrides:
        if not message.on(platform).text:
            yield _wrong(f"{reason} on {platform}", "overrides", platform)


def _wrong_silent(message: Message) -> Iterator[InitErrorDetails]:
    shown = "must be left out of a silent message"
    carried = "must not be empty in a silent message"
    for name in ("title", "body"):
        if getattr(message, name):
            yield _wrong(shown, name)
        for platform, override in message.overrides.items():
            if getattr(override, name):
                yield _wrong(shown, "overrides", platform, name)
    if not message.data:
        yield _wrong(carried, "data")
    for platform, override in message.overrides.items():
        if override.data == {}:
            yield _wrong(carried, "overrides", platform, "data")


def _wrong_times(message: Message) -> Iterator[InitErrorDetails]:
    for platform, seconds in message.time_to_live.items():
        service = PUSH_SERVICES[platform]
        if not service.shortest <= seconds <= service.longest:
            reason = f"must be {service.shortest:,} to {service.longest:,} seconds"
            yield _wrong(reason, "time_to_live", platform)


def _wrong(reason: str, *place: str) -> InitErrorDetails:
    error = PydanticCustomError("message", "{reason}", {"reason": reason})
    return InitErrorDetails(type=error, loc=tuple(map(str, place)), input=None)
