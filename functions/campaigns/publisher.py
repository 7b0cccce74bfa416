"""Lambda: the only one that may publish to a campaign's topic."""

from functools import cache, partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.campaigns.executions import generation_of
from functions.campaigns.message import Message
from functions.campaigns.payloads import message_attributes, render
from functions.campaigns.probe import encode
from functions.campaigns.publish_call import PublishAnswer
from functions.campaigns.publishing import send_once
from functions.campaigns.store import CampaignStore
from functions.campaigns.topics import Topics
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.observability import logger, tracer
from functions.shared.settings import Settings


class PublisherSettings(Settings):
    """Where the campaigns are."""

    campaigns_table: str


@cache
def _parts() -> tuple[CampaignStore, Topics]:
    settings = PublisherSettings.from_environment()
    store = CampaignStore(clients.table(settings.campaigns_table), clock=utc_now)
    return store, Topics(clients.sns_single_attempt())


@logger.inject_lambda_context(clear_state=True)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, str]:
    """The outcome of the campaign's requested publish."""
    store, topics = _parts()
    campaign_id = event["campaign_id"]
    logger.append_keys(campaign_id=campaign_id)
    outcome = send_once(
        campaign_id,
        store=store,
        send=partial(send, topics, campaign_id),
        generation=generation_of(event),
    )
    logger.info("publish called", extra={"outcome": outcome})
    return {"outcome": outcome}


def send(
    topics: Topics, campaign_id: str, topic_arn: str, message: Message, publish_id: str
) -> PublishAnswer:
    """What SNS answers to the message, rendered for every platform and for the probe."""
    payload = render(message, probe=encode(campaign_id, publish_id))
    return topics.publish(topic_arn, payload, message_attributes(message))
