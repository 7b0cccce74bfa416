"""SNS platform endpoints in memory, found by key: for runs whose growth an emulator would hide.

Only what SNS documents of them: one endpoint a token and application, the same answer for the same
attributes, and an error that names the endpoint for others.
https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformEndpoint.html
"""

import threading
import uuid
from collections.abc import Callable, Mapping
from http import HTTPStatus
from xml.sax.saxutils import escape

from cli.stand_in.answers import NAMESPACE, Answer, error

Parameters = Mapping[str, str]


class Endpoints:
    """The endpoints that were made here; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attributes: dict[str, dict[str, str]] = {}
        self._applications: dict[str, str] = {}
        self._by_token: dict[tuple[str, str], str] = {}
        self._acts: dict[str, Callable[[Parameters], Answer]] = {
            "CreatePlatformEndpoint": self._create,
            "GetEndpointAttributes": self._get,
            "SetEndpointAttributes": self._set,
            "DeleteEndpoint": self._delete,
        }

    def answer(self, action: str, parameters: Parameters) -> Answer | None:
        """SNS's answer; None if the call is about something else."""
        act = self._acts.get(action)
        if act is None:
            return None
        with self._lock:
            return act(parameters)

    def _create(self, parameters: Parameters) -> Answer:
        application, token = parameters["PlatformApplicationArn"], parameters["Token"]
        wanted = {
            "Token": token,
            "Enabled": "true",
            "CustomUserData": parameters.get("CustomUserData", ""),
        }
        arn = self._by_token.get((application, token))
        if arn is None:
            arn = f"{application.replace(':app/', ':endpoint/')}/{uuid.uuid4()}"
            self._by_token[application, token] = arn
            self._applications[arn] = application
            self._attributes[arn] = wanted
        elif self._attributes[arn] != wanted:
            return _exists(arn)
        return _result("CreatePlatformEndpoint", f"<EndpointArn>{escape(arn)}</EndpointArn>")

    def _get(self, parameters: Parameters) -> Answer:
        found = self._attributes.get(parameters["EndpointArn"])
        if found is None:
            return _gone()
        entries = "".join(
            f"<entry><key>{name}</key><value>{escape(value)}</value></entry>"
            for name, value in found.items()
        )
        return _result("GetEndpointAttributes", f"<Attributes>{entries}</Attributes>")

    def _set(self, parameters: Parameters) -> Answer:
        arn = parameters["EndpointArn"]
        if arn not in self._attributes:
            return _gone()
        new = dict(_entries(parameters))
        before, application = self._attributes[arn], self._applications[arn]
        token = new.get("Token", before["Token"])
        other = self._by_token.get((application, token), arn)
        if other != arn:
            return _exists(other)
        del self._by_token[application, before["Token"]]
        self._by_token[application, token] = arn
        self._attributes[arn] = {**before, **new}
        return _result("SetEndpointAttributes", "")

    def _delete(self, parameters: Parameters) -> Answer:
        arn = parameters["EndpointArn"]
        found = self._attributes.pop(arn, None)
        if found is not None:
            del self._by_token[self._applications.pop(arn), found["Token"]]
        return _result("DeleteEndpoint", "")


def _entries(parameters: Parameters) -> list[tuple[str, str]]:
    """The attributes of a call, which the query protocol numbers."""
    prefix, suffix = "Attributes.entry.", ".key"
    return [
        (name, parameters[f"{key.removesuffix(suffix)}.value"])
        for key, name in parameters.items()
        if key.startswith(prefix) and key.endswith(suffix)
    ]


def _result(action: str, inner: str) -> Answer:
    body = (
        f'<{action}Response xmlns="{NAMESPACE}"><{action}Result>{inner}</{action}Result>'
        f"<ResponseMetadata><RequestId>{uuid.uuid4()}</RequestId></ResponseMetadata>"
        f"</{action}Response>"
    )
    return Answer(status=HTTPStatus.OK, body=body.encode())


def _exists(arn: str) -> Answer:
    reason = f"Endpoint {arn} already exists with the same Token, but different attributes."
    message = f"Invalid parameter: Token Reason: {reason}"
    return error(HTTPStatus.BAD_REQUEST, "InvalidParameter", message)


def _gone() -> Answer:
    return error(HTTPStatus.NOT_FOUND, "NotFound", "Endpoint does not exist")
