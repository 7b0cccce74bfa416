"""The audience API's bodies: what is accepted, and what is answered."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from functions.audience.preview import Preview
from functions.devices.records import ChannelType


class PreviewRequest(BaseModel):
    """Whom to count."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        json_schema_extra={
            "example": {"criteria": {"field": "EffectiveDate", "op": "in_last", "value": "P7D"}}
        },
    )

    criteria: Annotated[dict[str, Any], Field(description="Which devices: see docs/criteria.md.")]


class ReachView(BaseModel):
    """How many devices match, and how many of them a campaign would reach."""

    matched: int
    reachable: int


class KeptOutView(BaseModel):
    """How many devices match and would be skipped, by the reason."""

    opted_out: int
    disabled: int


class PreviewView(ReachView):
    """Whom the criteria match at this moment. Of devices it holds ids and nothing else."""

    by_platform: Annotated[
        dict[ChannelType, ReachView], Field(description="Of the platforms with a match.")
    ]
    kept_out: KeptOutView
    examples: Annotated[list[str], Field(description="Up to 10 ids, reachable devices first.")]
    complete: Annotated[bool, Field(description="Whether time sufficed to read all devices.")]
    devices_scanned: int


def preview_view(preview: Preview) -> PreviewView:
    """The preview as the API shows it."""
    total = preview.total
    return PreviewView(
        matched=total.matched,
        reachable=total.reachable,
        by_platform={
            platform: ReachView(matched=reach.matched, reachable=reach.reachable)
            for platform, reach in preview.by_platform.items()
        },
        kept_out=KeptOutView(opted_out=preview.opted_out, disabled=preview.disabled),
        examples=list(preview.examples),
        complete=preview.complete,
        devices_scanned=preview.scanned,
    )
