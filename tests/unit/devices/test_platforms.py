"""Finding a platform's application in Parameter Store."""

import boto3
import pytest
from aws_lambda_powertools.utilities.parameters import SSMProvider

from functions.devices.platforms import Platforms
from functions.devices.records import ChannelType
from functions.shared.errors import ConflictError

PATH = "/Fanfare/platforms/"


class CountingProvider(SSMProvider):
    """Counts how often Parameter Store was asked."""

    fetches = 0

    def _get_multiple(self, path: str, *args: object, **options: object) -> dict[str, str]:
        self.fetches += 1
        found: dict[str, str] = super()._get_multiple(path, *args, **options)  # type: ignore[arg-type]
        return found


@pytest.fixture
def provider(aws: None) -> CountingProvider:
    return CountingProvider(boto3_client=boto3.client("ssm"))


def create(name: str, value: str) -> None:
    boto3.client("ssm").put_parameter(Name=name, Value=value, Type="String")


def test_an_application_is_found_and_remembered(provider: CountingProvider) -> None:
    create(PATH + "GCM", "arn:gcm")
    create(PATH + "APNS", "arn:apns")
    create("/Other/platforms/ADM", "arn:adm")
    platforms = Platforms(provider, PATH)
    assert platforms.application_arn(ChannelType.GCM) == "arn:gcm"
    assert platforms.application_arn(ChannelType.APNS) == "arn:apns"
    assert provider.fetches == 1


def test_a_platform_that_was_made_a_moment_ago_is_found_at_once(
    provider: CountingProvider,
) -> None:
    platforms = Platforms(provider, PATH)
    with pytest.raises(ConflictError, match="fanfare platform create APNS_SANDBOX"):
        platforms.application_arn(ChannelType.APNS_SANDBOX)
    create(PATH + "APNS_SANDBOX", "arn:sandbox")
    assert platforms.application_arn(ChannelType.APNS_SANDBOX) == "arn:sandbox"
