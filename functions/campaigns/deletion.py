"""Deleting a campaign: written down on its record, carried out from a queue until it is done."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.audience.lists import ListStore
from functions.campaigns.executions import Executions
from functions.campaigns.schedule import Schedules
from functions.campaigns.store import CampaignStore
from functions.campaigns.topics import Topics

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

REASON = "deleted"


class CleanUpQueue:
    """Where campaigns wait to be deleted."""

    def __init__(self, sqs: "SQSClient", url: str) -> None:
        self._sqs = sqs
        self._url = url

    def send(self, campaign_id: str) -> None:
        """Asks for the deletion."""
        self._sqs.send_message(
            QueueUrl=self._url, MessageBody=json.dumps({"campaign_id": campaign_id})
        )


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """Everything that a campaign may have left, and how it is removed."""

    store: CampaignStore
    lists: ListStore
    topics: Topics
    executions: Executions
    schedules: Schedules
    topic_arn_prefix: str

    def run(self, campaign_id: str) -> None:
        """Removes it all, safe to repeat: first what could still add to it is stopped, the record
        of the campaign goes last."""
        campaign = self.store.find(campaign_id)
        if campaign is None or not campaign.deleting:
            return
        self.lists.close(campaign_id)
        if campaign.execution_arn is not None:
            self.executions.stop(campaign.execution_arn, REASON)
        for at in campaign.schedule_times:
            self.schedules.remove(campaign_id, at)
        # By its name: a workflow that ended early may have made it without noting it.
        self.topics.delete(self.topic_arn_prefix + campaign_id)
        self.lists.delete_all(campaign_id)
        found = self.store.find(campaign_id)
        if found is not None and found.deleting:
            self.store.delete(campaign_id)
