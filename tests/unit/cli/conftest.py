"""A small HTTP server on 127.0.0.1 that stands in for a local cloud and remembers what it heard."""

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from cli import clouds, processes, target
from cli.api import Api
from cli.local_cloud import RunningCloud

API_PREFIX = "/_aws/execute-api/api1/$default"
OUTPUTS = {
    "ApiId": "api1",
    "ApiUrl": "https://unusable.example/",
    "PlatformParameterPath": "/Fanfare/platforms/",
    "EndpointEventsTopicArn": "arn:aws:sns:us-east-1:123456789012:Fanfare-EndpointEvents",
    "ProbeQueueUrl": "http://localhost/000000000000/probe",
}


@dataclass(kw_only=True)
class Heard:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


@dataclass(kw_only=True)
class FakeCloud:
    """Answers each route from its list, the last answer again and again."""

    port: int = 0
    stacks: dict[str, dict[str, str]] = field(default_factory=dict)
    answers: dict[str, list[tuple[int, Any]]] = field(default_factory=lambda: defaultdict(list))
    heard: list[Heard] = field(default_factory=list)

    def on(self, route: str, *answers: tuple[int, Any]) -> None:
        """Answers `METHOD /path` of the API with these, one after the other."""
        self.answers[route] = list(answers)

    def requests(self, route: str) -> list[Heard]:
        """What came in for `METHOD /path` of the API."""
        method, path = route.split(" ")
        return [
            heard
            for heard in self.heard
            if heard.method == method and heard.path.removeprefix(API_PREFIX) == path
        ]

    def answer(self, method: str, path: str, body: str) -> tuple[int, str]:
        """The answer to one request."""
        if path == "/" and "Action=DescribeStacks" in body:
            return self._describe(body)
        answers = self.answers[f"{method} {path.removeprefix(API_PREFIX)}"]
        if not answers:
            return 404, json.dumps({"title": "Not found", "detail": "no answer for this path"})
        status, value = answers.pop(0) if len(answers) > 1 else answers[0]
        return status, value if isinstance(value, str) else json.dumps(value)

    def _describe(self, body: str) -> tuple[int, str]:
        name = body.partition("StackName=")[2].partition("&")[0]
        if name not in self.stacks:
            return 400, (
                "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>"
                "<Message>does not exist</Message></Error></ErrorResponse>"
            )
        outputs = "".join(
            f"<member><OutputKey>{key}</OutputKey><OutputValue>{escape(value)}</OutputValue></member>"
            for key, value in self.stacks[name].items()
        )
        return 200, (
            "<DescribeStacksResponse><DescribeStacksResult><Stacks><member>"
            f"<StackName>{name}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>"
            f"<StackStatus>CREATE_COMPLETE</StackStatus><Outputs>{outputs}</Outputs>"
            "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>"
        )


class Server(ThreadingHTTPServer):
    """Waits for its answers when it closes, and says nothing of callers that hang up."""

    daemon_threads = False

    def handle_error(self, *_: object) -> None:
        """Some tests hang up on purpose."""


def _handler(cloud: FakeCloud) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = raw.decode(errors="replace")
            cloud.heard.append(
                Heard(method=self.command, path=self.path, headers=dict(self.headers), body=body)
            )
            status, text = cloud.answer(self.command, self.path, body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_PUT = do_PATCH = do_POST = do_DELETE = _serve  # noqa: N815 (the base class's names)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    return Handler


@pytest.fixture
def fake_cloud() -> Iterator[FakeCloud]:
    """A cloud in which Fanfare is deployed."""
    cloud = FakeCloud(stacks={"Fanfare": OUTPUTS})
    with Server(("127.0.0.1", 0), _handler(cloud)) as server:
        cloud.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield cloud
        server.shutdown()
        thread.join()


@pytest.fixture
def local_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the local cloud, and no way to the AWS of whoever runs the tests."""
    monkeypatch.setenv("FANFARE_LOCAL", str(tmp_path))
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return tmp_path


@pytest.fixture
def running(
    fake_cloud: FakeCloud, local_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> FakeCloud:
    """The fake cloud, found by the commands as the local cloud that runs."""
    state = {"pid": 4711, "port": fake_cloud.port, "started": "2026-12-01T08:00:00+00:00"}
    (local_folder / "cloud.json").write_text(json.dumps(state))
    monkeypatch.setattr(processes, "command_line", lambda _: "python -m ministack")
    return fake_cloud


@pytest.fixture
def api(fake_cloud: FakeCloud) -> Api:
    """The API of the fake cloud; waits for nothing."""
    local = RunningCloud(pid=4711, port=fake_cloud.port, started="2026-12-01T08:00:00+00:00")
    cloud = clouds.Cloud(session=clouds.local_session(), local=local)
    found = target.Target(cloud=cloud, stack="Fanfare", outputs=OUTPUTS, hello={})
    return Api(target=found, sleep=lambda _: None)
