"""The gateway to EventBridge Scheduler: wakes a campaign's gate at its publish_at.

Each time has a schedule of its own. One that fires for a time that is not the campaign's any more
finds that out from the campaign's record (due.py), and removing itself it removes no newer one.
"""

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.shared.aws_errors import code_of
from functions.shared.clock import to_wire

if TYPE_CHECKING:
    from mypy_boto3_scheduler import EventBridgeSchedulerClient


class Schedules:
    """One-time schedules in a group of their own, named by campaign and time."""

    def __init__(
        self,
        scheduler: "EventBridgeSchedulerClient",
        *,
        group: str,
        role_arn: str = "",
        function_arn: str = "",
    ) -> None:
        self._scheduler = scheduler
        self._group = group
        self._role_arn = role_arn
        self._function_arn = function_arn

    def set(self, campaign_id: str, at: datetime) -> None:
        """Calls the Due function within a minute of `at`; set again, nothing changes.

        https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#one-time
        """
        try:
            self._scheduler.create_schedule(
                Name=_name(campaign_id, at),
                GroupName=self._group,
                ScheduleExpression=f"at({_not_before(at):%Y-%m-%dT%H:%M:%S})",
                ScheduleExpressionTimezone="UTC",
                FlexibleTimeWindow={"Mode": "OFF"},
                ActionAfterCompletion="DELETE",
                Target={
                    "Arn": self._function_arn,
                    "RoleArn": self._role_arn,
                    "Input": json.dumps({"campaign_id": campaign_id, "publish_at": to_wire(at)}),
                },
            )
        except ClientError as error:
            if code_of(error) != "ConflictException":
                raise

    def remove(self, campaign_id: str, at: datetime) -> None:
        """Removes the campaign's schedule for this time; one that is gone is no error."""
        try:
            self._scheduler.delete_schedule(Name=_name(campaign_id, at), GroupName=self._group)
        except ClientError as error:
            if code_of(error) != "ResourceNotFoundException":
                raise


def _name(campaign_id: str, at: datetime) -> str:
    return f"{campaign_id}-{int(at.timestamp() * 1000)}"


def _not_before(at: datetime) -> datetime:
    """The first whole second in UTC that is not before `at`: schedules know no fractions."""
    whole = at.astimezone(UTC).replace(microsecond=0)
    return whole if at == whole else whole + timedelta(seconds=1)
