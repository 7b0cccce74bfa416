"""Errors in the form in which SNS's query protocol answers them.

https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html
"""

import uuid
from dataclasses import dataclass
from http import HTTPStatus
from xml.sax.saxutils import escape

from cli.stand_in.script import Effect, Rule

NAMESPACE = "http://sns.amazonaws.com/doc/2010-03-31/"
XML = "text/xml"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One HTTP answer."""

    status: int
    body: bytes
    content_type: str = XML


def refusal(rule: Rule) -> Answer:
    """The answer to a call that the rule refuses."""
    if rule.effect is Effect.THROTTLE:
        return error(HTTPStatus.BAD_REQUEST, "Throttling", "Rate exceeded")
    if rule.effect is Effect.ERROR:
        return error(HTTPStatus.INTERNAL_SERVER_ERROR, "InternalError", "Try again")
    return error(rule.status, rule.code, "Refused by the script")


def error(status: int, code: str, message: str) -> Answer:
    """An error of SNS."""
    kind = "Receiver" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "Sender"
    body = (
        f'<ErrorResponse xmlns="{NAMESPACE}"><Error><Type>{kind}</Type><Code>{escape(code)}</Code>'
        f"<Message>{escape(message)}</Message></Error><RequestId>{uuid.uuid4()}</RequestId>"
        "</ErrorResponse>"
    )
    return Answer(status=status, body=body.encode())
