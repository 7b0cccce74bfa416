"""The gateway to SNS platform endpoints, by AWS's own procedure for tokens.

https://docs.aws.amazon.com/sns/latest/dg/mobile-platform-endpoint.html

An endpoint's CustomUserData is the Id of the device that registered its token last. Whose the
token is, tokens.py says.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from functions.devices.endpoint_errors import existing_arn, is_gone, is_passing, translate
from functions.devices.records import Device, Known
from functions.shared.aws_errors import is_throttle
from functions.shared.errors import UnavailableError
from functions.shared.pacing import Pace

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient

# At a pace, the gateway repeats what the SDK repeats elsewhere; every call here may be repeated.
MAX_FAULTS = 5

T = TypeVar("T")


class OutOfTimeError(UnavailableError):
    """The deadline came before SNS took all calls; what is left may be tried again."""


@dataclass(frozen=True, kw_only=True)
class Ensured:
    """The endpoint that has the token now, and the address that it had until then, if another."""

    arn: str
    taken_from: str | None = field(default=None, repr=False)


class Endpoints:
    """SNS, as far as endpoints go. At a pace, each call waits for its turn until the deadline."""

    def __init__(
        self, sns: "SNSClient", pace: Pace | None = None, *, deadline: float | None = None
    ) -> None:
        self._sns = sns
        self._pace = pace
        self._deadline = math.inf if deadline is None else deadline

    def until(self, deadline: float | None) -> "Endpoints":
        """The same, with a deadline by the pace's clock; OutOfTimeError from then on."""
        return Endpoints(self._sns, self._pace, deadline=deadline)

    def ensure(self, device: Device | Known, application_arn: str, known: Known | None) -> Ensured:
        """An enabled endpoint with the device's token; one call if all is as expected.

        InvalidInputError if SNS does not take the token, ConflictError if the platform is switched
        off or gone, UnavailableError if SNS takes nothing for now.
        """
        try:
            if known is None or known.endpoint_arn is None:
                return self._create(device, application_arn)
            if known.channel_type is not device.channel_type:
                return self._create(device, application_arn)
            try:
                return self._keep(device, application_arn, known.endpoint_arn, known.address)
            except ClientError as error:
                if not is_gone(error):
                    raise
                return self._create(device, application_arn)
        except (ClientError, BotoCoreError) as error:
            translate(error, device.channel_type)

    def restore(self, known: Known, application_arn: str) -> str:
        """The ARN of the endpoint with the device's token, taken from nobody, made if need be."""
        if known.endpoint_arn is not None:
            attributes = self.attributes(known.endpoint_arn)
            if attributes is not None and attributes.get("Token") == known.address:
                return known.endpoint_arn
        return self.ensure(known, application_arn, None).arn

    def attributes(self, endpoint_arn: str) -> Mapping[str, str] | None:
        """What SNS says of the endpoint: Token, Enabled, CustomUserData; None if it is gone."""
        try:
            return self._attributes(endpoint_arn)
        except ClientError as error:
            if is_gone(error):
                return None
            translate(error)
        except BotoCoreError as error:
            translate(error)

    def remove(self, endpoint_arn: str) -> None:
        """Deletes the endpoint; one that is gone is no error."""
        try:
            self._call(self._sns.delete_endpoint, EndpointArn=endpoint_arn)
        except ClientError as error:
            if not is_gone(error):
                translate(error)
        except BotoCoreError as error:
            translate(error)

    def _keep(
        self, device: Device | Known, application_arn: str, endpoint_arn: str, address: str
    ) -> Ensured:
        """The endpoint that the device had, or another if others took that over."""
        if address != device.address:
            return self._rename(device, endpoint_arn, address)
        attributes = self._attributes(endpoint_arn)
        if attributes.get("Token") != device.address:
            if is_taken(attributes, device):
                return self._create(device, application_arn)
            return self._rename(device, endpoint_arn, attributes.get("Token"))
        named = attributes.get("CustomUserData") == device.device_id
        if not is_enabled(attributes) or not named:
            self._set(device, endpoint_arn)
        return Ensured(arn=endpoint_arn)

    def _create(self, device: Device | Known, application_arn: str) -> Ensured:
        try:
            answer = self._call(
                self._sns.create_platform_endpoint,
                PlatformApplicationArn=application_arn,
                Token=device.address,
                CustomUserData=device.device_id,
            )
        except ClientError as error:
            existing = existing_arn(error)
            if existing is None:
                raise
            self._set(device, existing)
            return Ensured(arn=existing)
        return Ensured(arn=answer["EndpointArn"])

    def _rename(self, device: Device | Known, endpoint_arn: str, address: str | None) -> Ensured:
        """The endpoint with another token; or the one that had that token before."""
        try:
            self._set(device, endpoint_arn, Token=device.address)
        except ClientError as error:
            existing = existing_arn(error)
            if existing is None or existing == endpoint_arn:
                raise
            self._set(device, existing)
            return Ensured(arn=existing)
        return Ensured(arn=endpoint_arn, taken_from=address)

    def _set(self, device: Device | Known, endpoint_arn: str, **more: str) -> None:
        """Without a Token, the endpoint keeps the one that it has, whoever gave it that."""
        attributes = {**more, "Enabled": "true", "CustomUserData": device.device_id}
        self._call(
            self._sns.set_endpoint_attributes, EndpointArn=endpoint_arn, Attributes=attributes
        )

    def _attributes(self, endpoint_arn: str) -> Mapping[str, str]:
        return self._call(self._sns.get_endpoint_attributes, EndpointArn=endpoint_arn)["Attributes"]

    def _call(self, operation: Callable[..., T], **request: Any) -> T:
        if self._pace is None:
            return operation(**request)
        faults = 0
        while self._pace.wait(self._deadline):
            try:
                return operation(**request)
            except (ClientError, BotoCoreError) as error:
                if isinstance(error, ClientError) and is_throttle(error):
                    self._pace.throttled()
                    continue
                faults += 1
                if faults == MAX_FAULTS or not is_passing(error):
                    raise
        raise OutOfTimeError("There was no time left to ask SNS; try again.")


def is_enabled(attributes: Mapping[str, str]) -> bool:
    """Whether SNS sends to the endpoint."""
    return attributes.get("Enabled", "").lower() == "true"


def is_taken(attributes: Mapping[str, str], device: Device | Known) -> bool:
    """Whether another device made the endpoint its own: its token and its Id are there now."""
    if attributes.get("Token") == device.address:
        return False
    return attributes.get("CustomUserData", device.device_id) != device.device_id
