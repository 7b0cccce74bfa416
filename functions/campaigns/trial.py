"""Test sends: a campaign's message to a few named devices, apart from its list and its publishes.

Nothing of the campaign changes by it but its history. Each device is sent the message at most
once: SNS is called once, and its answer is told as it is.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from functions.campaigns.history import SYSTEM, Action, Actor, Claim, Entry
from functions.campaigns.payloads import message_attributes, render
from functions.campaigns.publish_call import Accepted, NotAccepted, PublishAnswer, Unknown
from functions.campaigns.recipients import Recipient, Recipients
from functions.campaigns.store import CampaignStore
from functions.devices.records import StatusReason
from functions.shared.clock import Clock
from functions.shared.errors import IdempotencyMismatchError
from functions.shared.observability import logger

MAX_DEVICES = 10

# An endpoint's ARN, the text and the attributes for Publish.
Push = Callable[[str, str, Mapping[str, Any]], PublishAnswer]

_DIED = "an earlier try under this Idempotency-Key ended before its outcome was known"
_NO_DEVICE = "no such device"
_OPTED_OUT = "the user has opted out"
_NO_ENDPOINT = "it has no endpoint; register the device again"
_INACTIVE = {
    None: "it is INACTIVE",
    StatusReason.APP: "it is INACTIVE: the app, or an import, said so",
    StatusReason.MOVED: "it is INACTIVE: its token is another device's now",
    StatusReason.DISABLED: "it is INACTIVE: SNS has disabled its endpoint",
    StatusReason.DELETED: "it is INACTIVE: its endpoint is gone; register the device again",
}
# https://docs.aws.amazon.com/sns/latest/api/API_Publish.html#API_Publish_Errors
_DISABLED = "EndpointDisabled"
_REFUSALS = {
    "NotFound": "SNS has no such endpoint any more; register the device again",
    "InvalidParameter": "SNS does not take this message for this endpoint",
    "PlatformApplicationDisabled": "the platform application is disabled",
    "EndpointConnectionError": "SNS cannot be reached",
    "ConnectTimeoutError": "SNS cannot be reached",
}


class SendStatus(StrEnum):
    """What became of the message to one device."""

    SENT = "sent"  # SNS accepted it
    SKIPPED = "skipped"  # the device is there and not to be sent to; a list leaves it out, too
    REFUSED = "refused"  # there is no such device, or SNS is known not to have accepted it
    UNKNOWN = "unknown"  # SNS may have accepted it or not


@dataclass(frozen=True, kw_only=True)
class SendResult:
    """How the send to one device ended; `message_id` is SNS's."""

    device_id: str
    status: SendStatus
    message_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Test sends over their stores and gateway. `push` must not repeat a call by itself."""

    store: CampaignStore
    recipients: Recipients
    push: Push
    clock: Clock

    def send(
        self,
        campaign_id: str,
        device_ids: Sequence[str],
        *,
        by: Actor = SYSTEM,
        key: str | None = None,
    ) -> list[SendResult]:
        """What became of each, in the order asked; NotFoundError, UnavailableError.

        Whatever state the campaign is in: what is tried is its message. It is in the history
        before SNS is called. Under a key that an earlier try died with, nothing is sent again: it
        is not known what that one sent. IdempotencyMismatchError if that was asked something else.
        """
        message = self.store.get(campaign_id).message
        text, attributes = render(message), message_attributes(message)
        found = self.recipients.find(device_ids)
        claim = None if key is None else _claim(key, device_ids)
        record = self.store.begin_trial(campaign_id, _entry(by, self.clock), claim=claim)
        if record is None:
            return self._not_again(campaign_id, device_ids, claim)

        def send_one(device_id: str) -> SendResult:
            match _destination(device_id, found.get(device_id)):
                case SendResult() as settled:
                    return settled
                case endpoint_arn:
                    return _result(device_id, self.push(endpoint_arn, text, attributes))

        with ThreadPoolExecutor(MAX_DEVICES) as pool:
            results = list(pool.map(send_one, device_ids))
        counts = Counter(result.status.value for result in results)
        logger.info("test send", extra={"campaign_id": campaign_id, "devices": dict(counts)})
        outcome = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        self.store.end_trial(campaign_id, record, outcome)
        return results

    def _not_again(
        self, campaign_id: str, device_ids: Sequence[str], claim: Claim | None
    ) -> list[SendResult]:
        if claim is not None and self.store.trial_body(campaign_id, claim) != claim.body:
            raise IdempotencyMismatchError("The same Idempotency-Key came with other devices.")
        return [
            SendResult(device_id=device_id, status=SendStatus.UNKNOWN, reason=_DIED)
            for device_id in device_ids
        ]


def _entry(by: Actor, clock: Clock) -> Entry:
    return Entry(at=clock(), by=by, action=Action.TEST_SEND, outcome="begun")


def _claim(key: str, device_ids: Sequence[str]) -> Claim:
    return Claim(key=_digest(key), body=_digest(json.dumps(list(device_ids))))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _destination(device_id: str, recipient: Recipient | None) -> str | SendResult:
    """The endpoint to send to, or why there is nothing to send."""
    if recipient is None:
        return SendResult(device_id=device_id, status=SendStatus.REFUSED, reason=_NO_DEVICE)
    reason = None
    if recipient.opted_out:
        reason = _OPTED_OUT
    elif recipient.inactive:
        reason = _INACTIVE[recipient.status_reason]
    if reason is None and recipient.endpoint_arn is not None:
        return recipient.endpoint_arn
    return SendResult(device_id=device_id, status=SendStatus.SKIPPED, reason=reason or _NO_ENDPOINT)


def _result(device_id: str, answer: PublishAnswer) -> SendResult:
    match answer:
        case Accepted(message_id=message_id):
            return SendResult(device_id=device_id, status=SendStatus.SENT, message_id=message_id)
        case NotAccepted(code=code, later=later):
            status, reason = _refusal(code.removesuffix("Exception"), later=later)
            return SendResult(device_id=device_id, status=status, reason=reason)
        case Unknown(code=code):
            reason = f"SNS may have taken it or not: {code}"
            return SendResult(device_id=device_id, status=SendStatus.UNKNOWN, reason=reason)


def _refusal(code: str, *, later: bool) -> tuple[SendStatus, str]:
    if code == _DISABLED:
        return SendStatus.SKIPPED, "SNS has disabled this endpoint"
    otherwise = "SNS takes no more for now" if later else f"SNS answered {code}"
    return SendStatus.REFUSED, _REFUSALS.get(code, otherwise)
