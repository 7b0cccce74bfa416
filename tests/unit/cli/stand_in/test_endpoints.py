"""Endpoints that the stand-in keeps itself, as boto3 and AWS's token procedure meet them."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from cli.stand_in.script import Script
from cli.stand_in.server import running

APPLICATION = "arn:aws:sns:us-east-1:123456789012:app/GCM/Fanfare-platform-GCM"
NOBODY = "http://127.0.0.1:9"  # the discard port: nothing listens


@pytest.fixture
def sns() -> Iterator[Any]:
    with running(upstream=NOBODY, script=Script(own_endpoints=True)) as server:
        config = Config(retries={"total_max_attempts": 1}, proxies={})
        yield boto3.client("sns", endpoint_url=server.url, config=config)


def create(sns: Any, token: str, owner: str) -> str:
    return str(
        sns.create_platform_endpoint(
            PlatformApplicationArn=APPLICATION, Token=token, CustomUserData=owner
        )["EndpointArn"]
    )


def test_the_same_token_and_attributes_are_the_same_endpoint(sns: Any) -> None:
    assert create(sns, "t & 茶", "d1") == create(sns, "t & 茶", "d1")
    assert create(sns, "t2", "d1") != create(sns, "t & 茶", "d1")


def test_the_same_token_with_other_attributes_is_refused_with_the_endpoints_arn(sns: Any) -> None:
    arn = create(sns, "t", "d1")
    with pytest.raises(ClientError) as error:
        create(sns, "t", "d2")
    assert error.value.response["Error"]["Code"] == "InvalidParameter"
    assert f"Endpoint {arn} already exists" in error.value.response["Error"]["Message"]


def test_attributes_are_set_and_read(sns: Any) -> None:
    arn = create(sns, "t", "d1")
    sns.set_endpoint_attributes(EndpointArn=arn, Attributes={"Token": "u", "Enabled": "false"})
    found = sns.get_endpoint_attributes(EndpointArn=arn)["Attributes"]
    assert found == {"Token": "u", "Enabled": "false", "CustomUserData": "d1"}
    assert create(sns, "t", "d1") != arn


def test_a_token_of_another_endpoint_is_refused(sns: Any) -> None:
    first, second = create(sns, "t", "d1"), create(sns, "u", "d2")
    with pytest.raises(ClientError) as error:
        sns.set_endpoint_attributes(EndpointArn=second, Attributes={"Token": "t"})
    assert first in error.value.response["Error"]["Message"]


def test_a_deleted_endpoint_is_gone_and_deleting_it_again_is_no_error(sns: Any) -> None:
    arn = create(sns, "t", "d1")
    sns.delete_endpoint(EndpointArn=arn)
    sns.delete_endpoint(EndpointArn=arn)
    with pytest.raises(ClientError) as error:
        sns.get_endpoint_attributes(EndpointArn=arn)
    assert error.value.response["Error"]["Code"] == "NotFound"
    assert create(sns, "t", "d1") != arn
