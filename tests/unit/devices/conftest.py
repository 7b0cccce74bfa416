"""Devices on moto, and SNS as a fake that keeps endpoints as AWS does and can be scripted."""

# ruff: noqa: N803 (arguments have boto3's names)

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from functions.devices.endpoint_errors import missing_platform
from functions.devices.endpoints import Endpoints
from functions.devices.items import encode
from functions.devices.records import ChannelType, Device
from functions.devices.registry import Registry
from functions.devices.store import DeviceStore
from tests.unit.tables import make_tokens_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

TOKEN = "token-5ecre7"
APPLICATIONS = {
    ChannelType.GCM: "arn:aws:sns:us-east-1:123456789012:app/GCM/Fanfare-platform-GCM",
    ChannelType.APNS: "arn:aws:sns:us-east-1:123456789012:app/APNS/Fanfare-APNS",
}


def client_error(code: str, message: str = "", status: int = 400) -> ClientError:
    """An error as botocore raises it."""
    response: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "AnyOperation")


@dataclass
class FakeSns:
    """Endpoints per application and token; `script` may refuse a call to an operation and token."""

    endpoints: dict[str, dict[str, str]] = field(default_factory=dict)
    applications: dict[str, str] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    script: Callable[[str, str], ClientError | None] = lambda _operation, _token: None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def total(self) -> int:
        return self.calls.total()

    def create_platform_endpoint(
        self, *, PlatformApplicationArn: str, Token: str, CustomUserData: str
    ) -> dict[str, str]:
        self._called("create", Token)
        with self.lock:
            existing = self._with_token(PlatformApplicationArn, Token)
            if existing is None:
                prefix = PlatformApplicationArn.replace(":app/", ":endpoint/")
                arn = f"{prefix}/{len(self.applications)}"
                self.applications[arn] = PlatformApplicationArn
                self.endpoints[arn] = {
                    "Token": Token,
                    "Enabled": "true",
                    "CustomUserData": CustomUserData,
                }
                return {"EndpointArn": arn}
            attributes = self.endpoints[existing]
            if attributes["CustomUserData"] != CustomUserData or attributes["Enabled"] != "true":
                raise self._exists(existing)
            return {"EndpointArn": existing}

    def get_endpoint_attributes(self, *, EndpointArn: str) -> dict[str, Any]:
        self._called("get", "")
        with self.lock:
            return {"Attributes": dict(self._endpoint(EndpointArn))}

    def set_endpoint_attributes(self, *, EndpointArn: str, Attributes: dict[str, str]) -> None:
        self._called("set", Attributes.get("Token", ""))
        with self.lock:
            self._endpoint(EndpointArn)
            if "Token" in Attributes:
                existing = self._with_token(self.applications[EndpointArn], Attributes["Token"])
                if existing not in (None, EndpointArn):
                    raise self._exists(existing)
            self.endpoints[EndpointArn].update(Attributes)

    def delete_endpoint(self, *, EndpointArn: str) -> None:
        self._called("delete", "")
        with self.lock:
            self.endpoints.pop(EndpointArn, None)

    def _called(self, operation: str, token: str) -> None:
        with self.lock:
            self.calls[operation] += 1
        if error := self.script(operation, token):
            raise error

    def _endpoint(self, arn: str) -> dict[str, str]:
        if arn not in self.endpoints:
            raise client_error("NotFound", "Endpoint does not exist", 404)
        return self.endpoints[arn]

    def _with_token(self, application: str, token: str) -> str | None:
        for arn, attributes in self.endpoints.items():
            if self.applications[arn] == application and attributes["Token"] == token:
                return arn
        return None

    @staticmethod
    def _exists(arn: str | None) -> ClientError:
        return client_error(
            "InvalidParameter",
            f"Invalid parameter: Token Reason: Endpoint {arn} already exists with the same Token, "
            "but different attributes.",
        )


def application_of(platform: ChannelType) -> str:
    """The application of the platforms that there are."""
    if platform not in APPLICATIONS:
        raise missing_platform(platform)
    return APPLICATIONS[platform]


@pytest.fixture
def sns() -> FakeSns:
    return FakeSns()


@pytest.fixture
def tokens_table(aws: None) -> "Table":
    """The table of who owns which token, empty."""
    return make_tokens_table()


@pytest.fixture
def store(devices_table: "Table", tokens_table: "Table") -> DeviceStore:
    return DeviceStore(devices_table, tokens_table)


@pytest.fixture
def registry(store: DeviceStore, sns: FakeSns) -> Registry:
    return Registry(
        store=store,
        endpoints=Endpoints(sns),  # type: ignore[arg-type]
        application_of=application_of,
        sleep=lambda _: None,
    )


def body(device_id: str = "d1", **members: Any) -> dict[str, Any]:
    """A device as JSON, as small as it may be."""
    return {"Id": device_id, "ChannelType": "GCM", "Address": TOKEN, **members}


def seed(registry: Registry, *devices: Device) -> None:
    """Stores devices as they are, past the registry and without their tokens' owners."""
    for device in devices:
        registry.store._table.put_item(Item=encode(device))
