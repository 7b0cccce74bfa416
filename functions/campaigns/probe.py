"""What the probe queue hears of a publish: the campaign and the publish, nothing of the message."""

import json
from dataclasses import dataclass

PROBE_VERSION = 1


class UnreadableReceiptError(Exception):
    """The probe heard something that is no receipt of ours."""


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """Proof, through the topic itself, that a publish went out."""

    campaign_id: str
    publish_id: str
    message_id: str


def encode(campaign_id: str, publish_id: str) -> str:
    """The text that travels to the probe queue beside the payloads of the platforms."""
    return json.dumps(
        {"version": PROBE_VERSION, "campaign_id": campaign_id, "publish_id": publish_id}
    )


# As long as any: for what a message comes to before there is a publish.
SPECIMEN = encode("0" * 32, "0" * 32)


def decode(body: str) -> Receipt:
    """The receipt in an SQS message body; UnreadableReceiptError if there is none.

    https://docs.aws.amazon.com/sns/latest/dg/sns-sqs-as-subscriber.html
    """
    try:
        envelope = json.loads(body)
        text = json.loads(envelope["Message"])
        if text["version"] != PROBE_VERSION:
            raise UnreadableReceiptError(f"version {text['version']!r}")
        return Receipt(
            campaign_id=str(text["campaign_id"]),
            publish_id=str(text["publish_id"]),
            message_id=str(envelope["MessageId"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableReceiptError(type(error).__name__) from error
