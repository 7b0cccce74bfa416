"""Unit tests reach no network: AWS is moto or a fake, and the credentials are worth nothing."""

import os
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws

from tests.unit.tables import make_devices_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# Before a test imports what runs in Lambda: Powertools reads some of these on import.
os.environ |= {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_SESSION_TOKEN": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "POWERTOOLS_SERVICE_NAME": "test",
    "POWERTOOLS_METRICS_NAMESPACE": "Fanfare",
    "POWERTOOLS_TRACE_DISABLED": "true",
}
for _name in [name for name in os.environ if name.startswith(("AWS_PROFILE", "AWS_ENDPOINT"))]:
    del os.environ[_name]

_connect = socket.socket.connect


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever connects to another machine fails the test; moto answers before that."""

    def connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a unit test tried to reach {address[0]}")
        _connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def aws() -> Iterator[None]:
    """An AWS account that is empty, and forgotten after the test."""
    with mock_aws():
        yield


@pytest.fixture
def devices_table(aws: None) -> "Table":
    """The devices table as the stack makes it, empty."""
    return make_devices_table()
