"""The stand-in as a server on the loopback: it decides, waits, refuses or passes each call on."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import ValidationError

from cli.stand_in.answers import XML, Answer, refusal
from cli.stand_in.endpoints import Endpoints
from cli.stand_in.records import PASSED, Record
from cli.stand_in.script import Director, Effect, Script, Verdict

HOST = "127.0.0.1"
CONTROL = "/_stand_in"
UPSTREAM_TIMEOUT_SECONDS = 30
JSON = "application/json"
# What belongs to one connection, and not to the call: RFC 9110, 7.6.1.
_HOP_BY_HOP = frozenset({"connection", "content-length", "transfer-encoding", "keep-alive", "host"})


class StandIn(ThreadingHTTPServer):
    """Listens on the loopback only. Its script can be exchanged while it runs."""

    daemon_threads = True
    # A fleet's connections come at once; the default of 5 makes the others wait a second.
    request_queue_size = 256

    def __init__(self, *, upstream: str, script: Script | None = None, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.upstream = urlsplit(upstream).netloc
        self.endpoints: Endpoints | None = None
        self.follow(script or Script())

    @property
    def url(self) -> str:
        """Where callers reach it."""
        return f"http://{HOST}:{self.server_port}"

    def follow(self, script: Script) -> None:
        """From now on does as the script says, and counts from nothing; own endpoints stay."""
        self.director = Director(script)
        if script.own_endpoints:
            self.endpoints = self.endpoints or Endpoints()
        self.record = Record()


@contextmanager
def running(*, upstream: str, script: Script | None = None, port: int = 0) -> Iterator[StandIn]:
    """A stand-in that answers from a thread of its own until the block ends."""
    server = StandIn(upstream=upstream, script=script, port=port)
    thread = threading.Thread(target=server.serve_forever, name="stand-in", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True, kw_only=True)
class _Call:
    """One call as it came."""

    action: str
    parameters: dict[str, str]
    body: bytes


class _Handler(BaseHTTPRequestHandler):
    """One connection of a caller."""

    server: StandIn
    protocol_version = "HTTP/1.1"
    # Head and body of an answer are two writes, which Nagle's algorithm would hold apart.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self._body()
        if self.path.startswith(CONTROL):
            self._control(body)
            return
        parameters = dict(parse_qsl(body.decode("utf-8", "replace")))
        action = parameters.get("Action", "unknown")
        verdict = self.server.director.decide(action, parameters)
        time.sleep(verdict.wait_seconds)
        self.server.record.add(action, verdict.rule.effect if verdict.rule else PASSED)
        answer = self._answer(verdict, _Call(action=action, parameters=parameters, body=body))
        if answer is None:
            self.close_connection = True
            return
        self._send(answer)

    def do_GET(self) -> None:
        if self.path != CONTROL:
            self._send(Answer(status=HTTPStatus.NOT_FOUND, body=b""))
            return
        record = self.server.record
        seen = {"counts": record.counts(), "busiest_second": record.busiest_second()}
        self._send(_json(HTTPStatus.OK, seen))

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a line for each of a million calls helps nobody, and the counts are kept."""

    def _control(self, body: bytes) -> None:
        try:
            self.server.follow(Script.model_validate_json(body))
        except ValidationError as error:
            self._send(Answer(status=HTTPStatus.BAD_REQUEST, body=str(error).encode()))
        else:
            self._send(_json(HTTPStatus.OK, {}))

    def _answer(self, verdict: Verdict, call: _Call) -> Answer | None:
        """None if the caller gets none."""
        rule = verdict.rule
        if rule is None or rule.effect is Effect.DELAY:
            return self._carry_out(call)
        if rule.effect is Effect.LOSE_ANSWER:
            self._carry_out(call)
            return None
        return None if rule.effect is Effect.DROP else refusal(rule)

    def _carry_out(self, call: _Call) -> Answer:
        endpoints = self.server.endpoints
        own = endpoints.answer(call.action, call.parameters) if endpoints else None
        return own or self._pass_on(call.body)

    def _pass_on(self, body: bytes) -> Answer:
        # A connection for each call: one that had idled could break off, and then nobody could
        # tell whether the call was carried out.
        behind = http.client.HTTPConnection(self.server.upstream, timeout=UPSTREAM_TIMEOUT_SECONDS)
        headers = {
            name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP
        }
        try:
            behind.request("POST", self.path, body=body, headers=headers)
            answer = behind.getresponse()
            content_type = answer.getheader("Content-Type", XML)
            return Answer(status=answer.status, body=answer.read(), content_type=content_type)
        finally:
            behind.close()

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)


def _json(status: int, value: Any) -> Answer:
    return Answer(status=status, body=json.dumps(value).encode(), content_type=JSON)
