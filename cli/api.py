"""Fanfare's HTTP API: signed requests, repeated only where that is safe, problems made readable."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import botocore.auth
import botocore.awsrequest
import requests
import urllib3.exceptions

from cli import exact_json
from cli.errors import FailedError, NoCloudError, RefusedError, Wrong
from cli.target import Target

# A function behind HTTP API has 30 seconds: https://docs.aws.amazon.com/apigateway/latest/
# developerguide/http-api-quotas.html
TIMEOUT_SECONDS = (5.0, 35.0)
TRIES = 5
FIRST_BACKOFF_SECONDS = 0.2
_WORTH_REPEATING = frozenset({429, 500, 502, 503, 504})


@dataclass(kw_only=True)
class Api:
    """The API of one deployed Fanfare; may be used from several threads."""

    target: Target
    sleep: Callable[[float], None] = time.sleep
    _local: threading.local = field(default_factory=threading.local)

    def get(self, *steps: str, query: dict[str, str] | None = None) -> Any:
        """What is at the path; RefusedError if nothing is."""
        return self._call("GET", steps, query=query, repeatable=True)

    def put(self, *steps: str, body: Any) -> Any:
        """The stored thing as it is now."""
        return self._call("PUT", steps, body=body, repeatable=True)

    def patch(self, *steps: str, body: Any) -> Any:
        """The thing with these parts changed, as it is now."""
        return self._call("PATCH", steps, body=body, repeatable=True)

    def delete(self, *steps: str) -> Any:
        """What the API says of the removal; None if it says nothing."""
        return self._call("DELETE", steps)

    def post(
        self,
        *steps: str,
        body: Any = None,
        idempotency_key: str | None = None,
        repeatable: bool = False,
    ) -> Any:
        """The answer. Sent once, unless a key (or `repeatable`) makes a second time harmless."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        again = repeatable or idempotency_key is not None
        return self._call("POST", steps, body=body, headers=headers, repeatable=again)

    def _call(
        self,
        method: str,
        steps: tuple[str, ...],
        *,
        query: dict[str, str] | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
        repeatable: bool = False,
    ) -> Any:
        path = "/".join(quote(step, safe="") for step in steps)
        url = f"{self.target.api_url}/{path}" + (f"?{urlencode(query)}" if query else "")
        data = b"" if body is None else exact_json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **(headers or {})}
        for again in reversed(range(TRIES if repeatable else 1)):
            try:
                answer = self._send(method, url, data, sent)
            except requests.RequestException as error:
                if again:
                    self._back_off(again)
                    continue
                raise _unreachable(error, url, harmless=repeatable) from None
            if answer.status_code not in _WORTH_REPEATING or not again:
                return _read(answer)
            self._back_off(again)
        raise AssertionError("the last try returns or raises")

    def _send(
        self, method: str, url: str, data: bytes, headers: dict[str, str]
    ) -> requests.Response:
        session = self.target.cloud.session
        # Signed for each try: credentials expire, and so does a signature.
        request = botocore.awsrequest.AWSRequest(method, url, headers=headers, data=data)
        credentials = session.get_credentials()
        if credentials is None:
            raise NoCloudError("the AWS credentials are gone", detail="log in again")
        signer = botocore.auth.SigV4Auth(credentials, "execute-api", session.region_name)
        signer.add_auth(request)
        return self._http().request(
            method,
            url,
            data=data,
            headers=dict(request.headers),
            timeout=TIMEOUT_SECONDS,
            auth=_without_netrc,
        )

    def _http(self) -> requests.Session:
        """A connection pool per thread: requests' sessions are not made to be shared."""
        if not hasattr(self._local, "session"):
            self._local.session = requests.Session()
            # No proxy between this machine and itself.
            self._local.session.trust_env = self.target.cloud.local is None
        session: requests.Session = self._local.session
        return session

    def _back_off(self, again: int) -> None:
        longest = FIRST_BACKOFF_SECONDS * 2.0 ** (TRIES - again)
        self.sleep(random.uniform(longest / 2, longest))  # noqa: S311 (jitter)


def _read(answer: requests.Response) -> Any:
    """The answer's value; RefusedError for a problem."""
    try:
        value = exact_json.loads(answer.content) if answer.content else None
    except ValueError:
        value = None
        if answer.ok:
            raise FailedError("the API's answer is not JSON") from None
    if answer.ok:
        return value
    problem = value if isinstance(value, dict) else {}
    raise RefusedError(
        answer.status_code,
        f"{problem.get('title') or answer.reason} ({answer.status_code})",
        # API Gateway's own refusals (403, 429) carry a `message`.
        detail=str(problem.get("detail") or problem.get("message") or ""),
        wrong=[
            Wrong(place=str(wrong.get("place")), reason=str(wrong.get("reason")))
            for wrong in problem.get("errors") or ()
        ],
    )


def _unreachable(error: requests.RequestException, url: str, *, harmless: bool) -> Exception:
    reason = getattr(error.args[0], "reason", None) if error.args else None
    if isinstance(
        reason, urllib3.exceptions.NewConnectionError | urllib3.exceptions.NameResolutionError
    ):
        return NoCloudError("the API does not answer", detail=f"nothing listens at {url}")
    detail = "" if harmless else "the request may have been carried out; look before you repeat it"
    return FailedError("the connection to the API broke off or timed out", detail=detail)


def _without_netrc(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """As `auth`, keeps requests from replacing the signature by a login from ~/.netrc."""
    return request
