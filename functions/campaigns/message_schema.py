"""The bodies of previews and test sends: what is accepted, and what is answered."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from functions.campaigns.message import Message
from functions.campaigns.payloads import message_attributes, refuse_endless, rendered
from functions.campaigns.probe import SPECIMEN
from functions.campaigns.push_services import PUSH_SERVICES
from functions.campaigns.trial import MAX_DEVICES, SendResult, SendStatus
from functions.devices.records import ID_MAX_CHARS, ChannelType
from functions.shared.http import InvalidPlace
from functions.shared.text import why_not_text


class PreviewRequest(BaseModel):
    """A message to be looked at."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        json_schema_extra={
            "example": {
                "message": {
                    "title": "Jazz night",
                    "body": "Tonight at eight.",
                    "time_to_live": {"GCM": 3600, "APNS": 3600},
                }
            }
        },
    )

    message: Message


class PayloadView(BaseModel):
    """One platform's payload: the text that SNS is handed for it, its size and bound in bytes."""

    payload: str
    bytes: int
    limit: int
    refused: Annotated[str | None, Field(description="Why it could not be sent.")]


class PreviewView(BaseModel):
    """The message as SNS would be handed it. With anything in `refused` no campaign takes it."""

    platforms: dict[ChannelType, PayloadView]
    attributes: Annotated[dict[str, str], Field(description="SNS's message attributes.")]
    refused: list[InvalidPlace]


def _known_form(device_id: str) -> str:
    if reason := why_not_text(device_id, max_chars=ID_MAX_CHARS):
        raise PydanticCustomError("device_id", "{reason}", {"reason": reason})
    return device_id


def _no_repeats(device_ids: list[str]) -> list[str]:
    if len(set(device_ids)) < len(device_ids):
        raise PydanticCustomError("repeated", "must not name a device twice")
    return device_ids


class TrialRequest(BaseModel):
    """The devices that are sent the campaign's message."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        json_schema_extra={"example": {"device_ids": ["my-own-phone", "the-old-tablet"]}},
    )

    device_ids: Annotated[
        list[Annotated[str, Field(strict=True), AfterValidator(_known_form)]],
        Field(min_length=1, max_length=MAX_DEVICES),
        AfterValidator(_no_repeats),
    ]


class SendResultView(BaseModel):
    """What became of the message to one device."""

    Id: str
    status: SendStatus
    message_id: str | None
    reason: str | None


class TrialView(BaseModel):
    """One result for each device, in the order asked."""

    results: list[SendResultView]


def preview_view(message: Message) -> PreviewView:
    """The message's preview; InvalidInputError if it is too long to be shown at all."""
    refuse_endless(message)
    found = rendered(message, probe=SPECIMEN)
    return PreviewView(
        platforms={
            platform: PayloadView(
                payload=payload,
                bytes=len(payload.encode()),
                limit=PUSH_SERVICES[platform].payload_max_bytes,
                refused=found.too_long.get(platform),
            )
            for platform, payload in found.payloads.items()
        },
        attributes={
            name: value["StringValue"] for name, value in message_attributes(message).items()
        },
        refused=[InvalidPlace(place=part.place, reason=part.reason) for part in found.wrong],
    )


def trial_view(results: Sequence[SendResult]) -> TrialView:
    """The results as the API answers them."""
    return TrialView(
        results=[
            SendResultView(
                Id=result.device_id,
                status=result.status,
                message_id=result.message_id,
                reason=result.reason,
            )
            for result in results
        ]
    )
