"""What the devices part keeps, and the names it has on the wire, which are Pinpoint's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

# https://docs.aws.amazon.com/pinpoint/latest/developerguide/quotas.html#quotas-endpoint
NAME_MAX_CHARS = 50
# 100 KB. Pinpoint stops at 100 characters, so whatever an export holds fits. The true bound is
# DynamoDB's 400 KB an item, in which a value of several is held up to twice (multi_values).
VALUE_MAX_CHARS = 102_400
ID_MAX_CHARS = 256
# FCM's tokens have no promised length; the longest seen are far below this.
ADDRESS_MAX_CHARS = 4_096

DEMOGRAPHIC_NAMES = (
    "AppVersion",
    "Locale",
    "Make",
    "Model",
    "ModelVersion",
    "Platform",
    "PlatformVersion",
    "Timezone",
)
LOCATION_TEXTS = ("City", "Country", "PostalCode", "Region")
LOCATION_NUMBERS = ("Latitude", "Longitude")


class ChannelType(StrEnum):
    """The push service that a device listens to; also the name of its platform application."""

    APNS = "APNS"  # Apple, apps from the store
    APNS_SANDBOX = "APNS_SANDBOX"  # Apple, apps from a developer's machine
    GCM = "GCM"  # Firebase Cloud Messaging, under the name SNS kept for it
    ADM = "ADM"  # Amazon Device Messaging


class OptOut(StrEnum):
    """Whether the user refused to be sent anything."""

    ALL = "ALL"  # nothing may be sent
    NONE = "NONE"  # everything may be sent


class EndpointStatus(StrEnum):
    """Whether the app says that the device may be sent to."""

    ACTIVE = "ACTIVE"  # reachable as far as the app knows
    INACTIVE = "INACTIVE"  # left out of every list


class StatusReason(StrEnum):
    """Why a device is INACTIVE."""

    APP = "app"  # the app, or an import, said so
    MOVED = "moved"  # its token is another device's now
    DISABLED = "disabled"  # SNS disabled the endpoint: the push service does not take the token
    DELETED = "deleted"  # SNS has the endpoint no more


@dataclass(frozen=True, kw_only=True)
class Device:
    """One app install. Its representation shows neither the token nor any attribute.

    `opt_out` is None as long as nobody has decided: then what is stored counts, or NONE.
    `status_reason` goes with INACTIVE, `endpoint_arn` with every device that SNS was told of.
    """

    device_id: str
    channel_type: ChannelType
    address: str = field(repr=False)
    opt_out: OptOut | None = field(default=None, repr=False)
    endpoint_status: EndpointStatus = field(default=EndpointStatus.ACTIVE, repr=False)
    effective_date: str | None = field(default=None, repr=False)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    metrics: Mapping[str, Decimal] = field(default_factory=dict, repr=False)
    demographic: Mapping[str, str] = field(default_factory=dict, repr=False)
    location: Mapping[str, str | Decimal] = field(default_factory=dict, repr=False)
    user_id: str | None = field(default=None, repr=False)
    user_attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    endpoint_arn: str | None = None
    status_reason: StatusReason | None = None


@dataclass(frozen=True, kw_only=True)
class Known:
    """What registering a device again needs to know of it as it is stored."""

    device_id: str
    channel_type: ChannelType
    address: str = field(repr=False)
    opt_out: OptOut = field(repr=False)
    endpoint_status: EndpointStatus = field(repr=False)
    status_reason: StatusReason | None
    endpoint_arn: str | None
