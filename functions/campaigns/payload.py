"""Renders a message into what SNS publishes: one payload per push service, and never one too long."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from functions.campaigns.message import Message
from functions.devices.records import ChannelType
from functions.shared.errors import InvalidInputError, InvalidPart

if TYPE_CHECKING:
    from mypy_boto3_sns.type_defs import MessageAttributeValueTypeDef

# https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
# https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type
PLATFORM_MAX_BYTES = 4_096
# https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
MESSAGE_MAX_BYTES = 256 * 1024
