"""Which cloud a command talks to: the local one while it runs, else AWS by the ordinary profile."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import boto3
import botocore.exceptions
from botocore.config import Config

from cli import output
from cli.errors import NoCloudError
from cli.local_cloud import LocalCloud, RunningCloud

LOCAL_REGION = "us-east-1"
# What does not answer is told so in minutes, not after boto3's own five tries of a minute each.
_AWS = Config(
    max_pool_connections=16,
    connect_timeout=5,
    read_timeout=60,
    retries={"mode": "standard", "total_max_attempts": 3},
)
# No proxy may stand between this machine and itself; and what is silent here once, stays so.
_LOCAL = _AWS.merge(Config(proxies={}, retries={"mode": "standard", "total_max_attempts": 1}))


class Choice(StrEnum):
    """Which cloud the person asked for."""

    AUTO = "auto"  # the local one if it runs, else AWS
    LOCAL = "local"
    AWS = "aws"


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """A cloud to talk to; `local` is None for AWS."""

    session: boto3.Session
    local: RunningCloud | None

    def client(self, service: str) -> Any:
        """A boto3 client of that service in this cloud."""
        make: Callable[..., Any] = self.session.client
        if self.local is None:
            return make(service, config=_AWS)
        return make(service, endpoint_url=self.local.url, config=_LOCAL)


def local_session() -> boto3.Session:
    """The session for a local cloud, which takes any credentials."""
    return boto3.Session(
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 (no secret: the local cloud takes anything)
        region_name=LOCAL_REGION,
    )


def choose(choice: Choice, here: LocalCloud) -> Cloud:
    """The cloud for this command, said on standard error; NoCloudError if there is none."""
    running = None if choice is Choice.AWS else here.running()
    if running is not None:
        output.note(f"using the local cloud at {running.url}")
        return Cloud(session=local_session(), local=running)
    if here.leftover() and choice is not Choice.AWS:
        # What was meant for the local cloud must not reach an account because that has died.
        raise NoCloudError(
            "the local cloud was running here and is gone",
            detail="start a new one: fanfare up; or say where to go: fanfare --cloud aws ...",
        )
    if choice is Choice.LOCAL:
        raise NoCloudError("no local cloud is running", detail="start one: fanfare up")
    return Cloud(session=_aws_session(), local=None)


def _aws_session() -> boto3.Session:
    """AWS as the ordinary profile, Region and credentials say."""
    start = (
        "start a local cloud: fanfare up; or name an AWS profile: AWS_PROFILE=... AWS_REGION=..."
    )
    try:
        session = boto3.Session(region_name=os.environ.get("AWS_REGION") or None)
        credentials = session.get_credentials()
    except botocore.exceptions.BotoCoreError as error:
        raise NoCloudError("the AWS profile cannot be used", detail=str(error)) from None
    if credentials is None:
        raise NoCloudError(
            "no local cloud is running and there are no AWS credentials", detail=start
        )
    if session.region_name is None:
        raise NoCloudError("no local cloud is running and no AWS Region is set", detail=start)
    output.note(f"using AWS in {session.region_name}")
    return session
