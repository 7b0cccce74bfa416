"""The bodies of the API of a list's members: what is accepted, and what is answered."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from functions.audience.records import MemberStatus
from functions.devices.records import ID_MAX_CHARS

MEMBERS_MAX = 1_000
MEMBERS_DEFAULT = 100
REPAIR_MAX = 1_000
# DynamoDB's bound for the key that a stray is noted under, less the prefix:
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys
ARN_MAX_CHARS = 1_000

Arn = Annotated[str, Field(strict=True, pattern=r"^arn:[\x21-\x7e]+$", max_length=ARN_MAX_CHARS)]


class MemberView(BaseModel):
    """One device of the list and what became of it."""

    Id: str
    status: MemberStatus
    reason: str | None
    endpoint_arn: str | None
    subscription_arn: str | None


class MemberPage(BaseModel):
    """Members in the order of their Ids; `next` asks for the page after this one."""

    members: list[MemberView]
    next: str | None


class LostMember(BaseModel):
    """A member whose subscription is not on the topic."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    Id: Annotated[str, Field(strict=True, min_length=1, max_length=ID_MAX_CHARS)]
    subscription_arn: Arn


class RepairRequest(BaseModel):
    """How the topic differs from the members; the next refresh mends it."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    missing: Annotated[
        list[LostMember], Field(max_length=REPAIR_MAX, description="Not on the topic.")
    ] = Field(default_factory=list)
    extra: Annotated[
        list[Arn],
        Field(max_length=REPAIR_MAX, description="Subscriptions on the topic that are nobody's."),
    ] = Field(default_factory=list)
    probe: Annotated[
        bool, Field(strict=True, description="Whether the probe's subscription is missing.")
    ] = False


class RepairView(BaseModel):
    """What was noted. A member that has another subscription by now is not counted."""

    missing: int
    extra: int
    probe: bool
