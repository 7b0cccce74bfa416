"""The gateway to SNS platform endpoints, by AWS's own procedure for tokens.

https://docs.aws.amazon.com/sns/latest/dg/mobile-platform-endpoint.html

An endpoint's CustomUserData is the Id of the device that registered its token last: two Ids may
come with one token (an app that was installed again), and only the last owner may delete it.
"""

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, NoReturn

from botocore.exceptions import BotoCoreError, ClientError

from functions.devices.records import ChannelType, Device, Known
from functions.shared.aws_errors import code_of, is_server_error, is_throttle
from functions.shared.errors import (
    ConflictError,
    FanfareError,
    InvalidInputError,
    UnavailableError,
)
from functions.shared.pacing import Pace

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient

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


class OutOfTimeError(UnavailableError):
    """The deadline came before SNS took all calls; what is left may be tried again."""


class Endpoints:
    """SNS, as far as endpoints go."""

    def __init__(self, sns: "SNSClient", pace: Pace | None = None) -> None:
        self._sns = sns
        self._pace = pace

    def ensure(self, device: Device, application_arn: str, known: Known | None) -> str:
        """The ARN of an enabled endpoint with the device's token; one call if all is as expected.

        InvalidInputError if SNS does not take the token, ConflictError if the platform is switched
        off or gone, UnavailableError if SNS takes nothing for now.
        """
        same_platform = known is not None and known.channel_type is device.channel_type
        try:
            if known is None or known.endpoint_arn is None or not same_platform:
                return self._create(device, application_arn)
            try:
                if known.address == device.address and self._is_right(device, known.endpoint_arn):
                    return known.endpoint_arn
                return self._set(device, known.endpoint_arn)
            except ClientError as error:
                if code_of(error) not in _GONE:
                    raise
                return self._create(device, application_arn)
        except ClientError as error:
            _translate(error, device.channel_type)
        except BotoCoreError:
            raise UnavailableError("SNS does not answer for now; try again.") from None

    def remove(self, endpoint_arn: str, *, owner: str) -> None:
        """Deletes the endpoint, unless it is gone or another device's by now; UnavailableError."""
        try:
            attributes = self._sns.get_endpoint_attributes(EndpointArn=endpoint_arn)["Attributes"]
            if attributes.get("CustomUserData", owner) == owner:
                self._sns.delete_endpoint(EndpointArn=endpoint_arn)
        except ClientError as error:
            if code_of(error) not in _GONE:
                _translate(error, None)
        except BotoCoreError:
            raise UnavailableError("SNS does not answer for now; try again.") from None

    def _is_right(self, device: Device, endpoint_arn: str) -> bool:
        attributes = self._sns.get_endpoint_attributes(EndpointArn=endpoint_arn)["Attributes"]
        enabled = attributes.get("Enabled", "").lower() == "true"
        right = {"Token": device.address, "CustomUserData": device.device_id}
        return enabled and all(attributes.get(name) == value for name, value in right.items())

    def _create(self, device: Device, application_arn: str) -> str:
        try:
            answer = self._sns.create_platform_endpoint(
                PlatformApplicationArn=application_arn,
                Token=device.address,
                CustomUserData=device.device_id,
            )
        except ClientError as error:
            if existing := _existing(error):
                return self._set(device, existing)
            raise
        return answer["EndpointArn"]

    def _set(self, device: Device, endpoint_arn: str) -> str:
        """The ARN of the endpoint that has the token now: another one, if that had it before."""
        attributes = {
            "Token": device.address,
            "Enabled": "true",
            "CustomUserData": device.device_id,
        }
        try:
            self._sns.set_endpoint_attributes(EndpointArn=endpoint_arn, Attributes=attributes)
        except ClientError as error:
            existing = _existing(error)
            if existing is None or existing == endpoint_arn:
                raise
            self._sns.set_endpoint_attributes(EndpointArn=existing, Attributes=attributes)
            return existing
        return endpoint_arn


def _existing(error: ClientError) -> str | None:
    """The ARN of the endpoint that has the token already, out of SNS's text."""
    if code_of(error) not in _INVALID:
        return None
    found = _EXISTING.search(error.response["Error"].get("Message", ""))
    return found[1] if found else None


def _translate(error: ClientError, platform: ChannelType | None) -> NoReturn:
    code = code_of(error)
    # `from None`: SNS's text may quote the token, and the log shows causes.
    if code in _FOR_NOW or is_throttle(error) or is_server_error(error):
        raise UnavailableError("SNS takes no endpoints for now; try again.") from None
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
