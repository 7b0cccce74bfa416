"""SNS's errors about endpoints, told in our own: its text may quote the token, ours never does."""

import re
from http import HTTPStatus
from typing import NoReturn

from botocore.exceptions import BotoCoreError, ClientError

from functions.devices.records import ChannelType
from functions.shared.aws_errors import code_of, is_server_error, is_throttle
from functions.shared.errors import (
    ConflictError,
    FanfareError,
    InvalidInputError,
    UnavailableError,
)

# The form of the ARN differs from place to place; it is found, and never taken apart.
_EXISTING = re.compile(r"\b(arn:\S+) already exists")
_FOR_NOW = frozenset({"InternalError", "InternalFailure", "ServiceUnavailable"})
_GONE = frozenset({"NotFound", "NotFoundException"})
_INVALID = frozenset({"InvalidParameter", "InvalidParameterException"})
_DISABLED = frozenset({"PlatformApplicationDisabled", "PlatformApplicationDisabledException"})


class EndpointRefusedError(FanfareError):
    """SNS refused for a reason that is not the device's; tells the code, never SNS's own text."""

    status = HTTPStatus.BAD_GATEWAY
    slug = "refused-by-sns"
    title = "SNS refused"


def is_gone(error: ClientError) -> bool:
    """There is no such endpoint (or, on making one, no such application)."""
    return code_of(error) in _GONE


def is_passing(error: ClientError | BotoCoreError) -> bool:
    """A fault on the way or at SNS: the same call may do a moment later."""
    if isinstance(error, BotoCoreError):
        return True
    return code_of(error) in _FOR_NOW or is_throttle(error) or is_server_error(error)


def existing_arn(error: ClientError) -> str | None:
    """The ARN of the endpoint that has the token already, out of SNS's text."""
    if code_of(error) not in _INVALID:
        return None
    found = _EXISTING.search(error.response["Error"].get("Message", ""))
    return found[1] if found else None


def translate(error: ClientError | BotoCoreError, platform: ChannelType | None = None) -> NoReturn:
    """Raises the error of ours; `platform` is that of the token that SNS was given, if any."""
    # `from None`: SNS's text may quote the token, and the log shows causes.
    if isinstance(error, BotoCoreError):
        raise UnavailableError("SNS does not answer for now; try again.") from None
    if is_passing(error):
        raise UnavailableError("SNS takes no endpoints for now; try again.") from None
    code = code_of(error)
    if platform and code in _INVALID:
        reason = f"SNS does not take it as a token of {platform}"
        raise InvalidInputError.at("Address", reason) from None
    if platform and code in _GONE:
        raise missing_platform(platform) from None
    if platform and code in _DISABLED:
        raise ConflictError(f"The platform application of {platform} is disabled.") from None
    raise EndpointRefusedError(f"SNS answered {code}") from None


def missing_platform(platform: ChannelType) -> ConflictError:
    """The error for a platform that has no application yet; says how to make it."""
    return ConflictError(
        f"There is no platform application for {platform}; make it with: "
        f"fanfare platform create {platform}"
    )
