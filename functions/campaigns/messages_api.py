"""Lambda: the API of messages before they are sent to a list: previews and test sends.

Apart from the campaigns' own API, which can reach no device.
"""

from functools import cache, partial
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.campaigns.callers import caller_of
from functions.campaigns.ids import campaign_id_of
from functions.campaigns.message_schema import (
    PreviewRequest,
    PreviewView,
    TrialRequest,
    TrialView,
    preview_view,
    trial_view,
)
from functions.campaigns.publish_call import publish_to_endpoint
from functions.campaigns.recipients import Recipients
from functions.campaigns.store import CampaignStore
from functions.campaigns.trial import Trial
from functions.shared import clients
from functions.shared.clock import utc_now
from functions.shared.errors import (
    ConflictError,
    IdempotencyMismatchError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from functions.shared.http import http_api
from functions.shared.idempotency import IdempotencyKey, Once
from functions.shared.observability import logger, tracer
from functions.shared.openapi import answers
from functions.shared.settings import Settings


class MessagesApiSettings(Settings):
    """Where the campaigns and the devices are."""

    campaigns_table: str
    devices_table: str
    idempotency_table: str


app = http_api()


@cache
def _trial() -> Trial:
    settings = MessagesApiSettings.from_environment()
    return Trial(
        store=CampaignStore(clients.table(settings.campaigns_table), clock=utc_now),
        recipients=Recipients(clients.table(settings.devices_table)),
        push=partial(publish_to_endpoint, clients.sns_single_attempt()),
        clock=utc_now,
    )


@cache
def _once() -> Once:
    return Once(MessagesApiSettings.from_environment().idempotency_table)


@app.post(
    "/campaigns/preview",
    summary="See what each push service would be handed for a message; sends and stores nothing",
    responses=answers(HTTPStatus.OK, "The payloads", PreviewView, InvalidInputError),
)
def preview_message(request: PreviewRequest) -> PreviewView:
    return preview_view(request.message)


@app.post(
    "/campaigns/<campaign_id>/test-send",
    summary="Send a campaign's message to up to ten devices, now; the campaign stays as it is",
    responses=answers(
        HTTPStatus.OK,
        "What became of each",
        TrialView,
        InvalidInputError,
        NotFoundError,
        ConflictError,
        IdempotencyMismatchError,
        UnavailableError,
    ),
)
def try_message(
    campaign_id: str, request: TrialRequest, idempotency_key: IdempotencyKey = None
) -> TrialView:
    campaign_id, caller = campaign_id_of(campaign_id), caller_of(app.current_event)

    def send() -> dict[str, Any]:
        results = _trial().send(campaign_id, request.device_ids, by=caller, key=idempotency_key)
        return trial_view(results).model_dump(mode="json")

    if idempotency_key is None:
        return TrialView.model_validate(send())
    body = request.model_dump(mode="json")
    once = _once()
    once.register(app.lambda_context)
    found = once.run("test-send", idempotency_key, body, send, subject=campaign_id)
    return TrialView.model_validate(found)


@logger.inject_lambda_context(
    correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True
)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """The HTTP answer."""
    return app.resolve(event, context)
