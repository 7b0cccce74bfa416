"""Who calls the API: the IAM identity that API Gateway found behind the signature."""

from typing import Any

from functions.campaigns.history import Actor

UNKNOWN = Actor(who="unknown")


def caller_of(event: Any) -> Actor:
    """The caller of an HTTP API request, by ARN and unique id, never by access key.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    request = event.raw_event.get("requestContext") or {}
    iam = (request.get("authorizer") or {}).get("iam") or {}
    arn = iam.get("userArn")
    return Actor(who=arn, caller_id=iam.get("callerId")) if arn else UNKNOWN
