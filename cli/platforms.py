"""SNS platform applications: CloudFormation has none, so the operator makes them.

Only the ARN is kept (Systems Manager); the credentials go to SNS and nowhere else.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import botocore.exceptions

from cli.target import Target


class PlatformName(StrEnum):
    """A push service, as SNS and Pinpoint name it."""

    GCM = "GCM"  # Firebase Cloud Messaging
    APNS = "APNS"  # Apple
    APNS_SANDBOX = "APNS_SANDBOX"  # Apple, for development builds
    ADM = "ADM"  # Amazon Device Messaging


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """What SNS needs to reach a push service; never printed, and hidden from repr."""

    attributes: dict[str, str]

    def __repr__(self) -> str:
        return f"Credentials({', '.join(self.attributes)})"


@dataclass(frozen=True, kw_only=True)
class Platform:
    """A push service that is set up."""

    name: str
    arn: str
    enabled: str


# What devices hear of: https://docs.aws.amazon.com/sns/latest/dg/application-event-notifications.html
# That an endpoint was created, its creator knows.
EVENTS = ("EventEndpointDeleted", "EventEndpointUpdated", "EventDeliveryFailure")


def create(target: Target, name: PlatformName, credentials: Credentials) -> str:
    """The ARN of the platform application. One that is there already takes these credentials.

    Either sends its events to the stack from then on.

    https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformApplication.html
    """
    sns = target.cloud.client("sns")
    events = dict.fromkeys(EVENTS, target.output("EndpointEventsTopicArn"))
    attributes = {**credentials.attributes, **events}
    arn = _existing(target, name)
    if arn is None:
        arn = str(
            sns.create_platform_application(
                Name=_application(target, name), Platform=name, Attributes=attributes
            )["PlatformApplicationArn"]
        )
    else:
        sns.set_platform_application_attributes(PlatformApplicationArn=arn, Attributes=attributes)
    target.cloud.client("ssm").put_parameter(
        Name=target.output("PlatformParameterPath") + name,
        Description="SNS platform application, made by `fanfare platform create`",
        Value=arn,
        Type="String",
        Overwrite=True,
    )
    return arn


def delete(target: Target, name: PlatformName) -> bool:
    """Removes the platform application, with its endpoints, and its ARN; False if there is none."""
    ssm = target.cloud.client("ssm")
    parameter = target.output("PlatformParameterPath") + name
    stored = ssm.get_parameters(Names=[parameter])["Parameters"]
    arn = str(stored[0]["Value"]) if stored else _existing(target, name)
    if arn is None:
        return False
    target.cloud.client("sns").delete_platform_application(PlatformApplicationArn=arn)
    ssm.delete_parameters(Names=[parameter])
    return True


def list_all(target: Target) -> list[Platform]:
    """The push services that are set up, by name."""
    pages = target.cloud.client("ssm").get_paginator("get_parameters_by_path")
    path = target.output("PlatformParameterPath")
    sns = target.cloud.client("sns")
    found = []
    for page in pages.paginate(Path=path):
        for parameter in page["Parameters"]:
            arn = parameter["Value"]
            name = parameter["Name"].removeprefix(path)
            found.append(Platform(name=name, arn=arn, enabled=_enabled(sns, arn)))
    return sorted(found, key=lambda platform: platform.name)


def _enabled(sns: Any, arn: str) -> str:
    try:
        answer = sns.get_platform_application_attributes(PlatformApplicationArn=arn)
    except botocore.exceptions.ClientError as error:
        if error.response["Error"]["Code"] in {"NotFound", "NotFoundException"}:
            return "gone"
        raise
    return "yes" if answer["Attributes"].get("Enabled", "true").lower() == "true" else "no"


def _existing(target: Target, name: PlatformName) -> str | None:
    pages = target.cloud.client("sns").get_paginator("list_platform_applications")
    wanted = f"app/{name}/{_application(target, name)}"
    for page in pages.paginate():
        for application in page["PlatformApplications"]:
            arn = str(application["PlatformApplicationArn"])
            if arn.rpartition(":")[2] == wanted:
                return arn
    return None


def _application(target: Target, name: PlatformName) -> str:
    return f"{target.stack}-platform-{name}"
