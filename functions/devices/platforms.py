"""Which SNS platform application a channel type has; the operator made it and wrote it down."""

from aws_lambda_powertools.utilities.parameters import SSMProvider

from functions.devices.endpoint_errors import missing_platform
from functions.devices.records import ChannelType

CACHE_SECONDS = 60


class Platforms:
    """The platform applications under a path of Parameter Store, one parameter each."""

    def __init__(self, parameters: SSMProvider, path: str) -> None:
        self._parameters = parameters
        self._path = path

    def application_arn(self, platform: ChannelType) -> str:
        """The ARN of its application; ConflictError that says how to make it if there is none."""
        # What is not in the cache may have been made a moment ago, by somebody who waits for it.
        for force in (False, True):
            found = self._parameters.get_multiple(
                self._path, max_age=CACHE_SECONDS, force_fetch=force
            )
            if platform in found:
                return str(found[platform])
        raise missing_platform(platform)
