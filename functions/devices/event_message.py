"""What SNS tells of an endpoint: only which one it is about is believed, the rest is asked for.

So an event that is late, repeated, out of order or made up does no harm.
"""

import json


class UnreadableEventError(Exception):
    """The queue held something that is no event of an endpoint; the text shows nothing of it."""


def endpoint_of(body: str) -> str:
    """The ARN of the endpoint that the SQS message is about; UnreadableEventError.

    https://docs.aws.amazon.com/sns/latest/dg/application-event-notifications.html
    https://docs.aws.amazon.com/sns/latest/dg/sns-sqs-as-subscriber.html
    """
    try:
        arn = json.loads(json.loads(body)["Message"])["EndpointArn"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        # `from None`: an event may hold a token, and the log shows causes.
        raise UnreadableEventError(type(error).__name__) from None
    if not isinstance(arn, str) or not arn:
        raise UnreadableEventError("EndpointArn is no text")
    return arn
