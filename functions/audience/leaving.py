"""One member leaves: its subscription is removed first, then its record, so that a death between
the two is made good by a repeat."""

from collections.abc import Callable
from dataclasses import dataclass

from functions.audience.paced_calls import OutOfTime, PacedCalls
from functions.audience.records import Leaver
from functions.audience.topic import Answer, Subscribed, Unsettled, Unsubscribe


@dataclass(frozen=True, kw_only=True)
class Left:
    """It has left; whether SNS was asked to unsubscribe something."""

    unsubscribed: bool


def leave(
    leaver: Leaver,
    *,
    remove: Callable[[Leaver], None],
    subscribe: Callable[[str], Answer],
    unsubscribe: Unsubscribe,
    calls: PacedCalls,
    deadline: float,
) -> Left | Unsettled | OutOfTime:
    """Left once neither topic nor list has it any more; harmless twice."""
    arn = leaver.subscription_arn
    if arn is None and leaver.endpoint_arn is not None:
        endpoint_arn = leaver.endpoint_arn
        # Subscribing again is how SNS tells the subscription of an endpoint.
        match calls.settle(lambda: subscribe(endpoint_arn), deadline):
            case Subscribed(subscription_arn=known):
                arn = known
            case Unsettled() | OutOfTime() as open_:
                return open_
            case _:
                pass  # refused: there is no such endpoint, topic or room, so nothing to remove
    if arn is not None:
        known_arn = arn
        answer = calls.settle(lambda: unsubscribe(known_arn), deadline)
        if isinstance(answer, Unsettled | OutOfTime):
            return answer
    remove(leaver)
    return Left(unsubscribed=arn is not None)
