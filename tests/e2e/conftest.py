"""Fanfare deployed with the real CDK onto a local cloud of the tests' own, on a free port."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cli import clouds, platforms, target
from cli.api import Api
from cli.deployment import Cdk
from cli.local_cloud import HOST, LocalCloud
from cli.platforms import Credentials, PlatformName
from cli.steps import Steps
from cli.target import Target

STACK = "FanfareTest"
THREADS = 4


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """The deployed stacks; the local cloud ends with the tests."""
    here = LocalCloud(folder=tmp_path_factory.mktemp("local"))
    running = here.start(_free_port())
    try:
        cloud = clouds.Cloud(session=clouds.local_session(), local=running)
        Cdk(url=running.url, folder=here.folder).deploy_all(cloud, STACK, Steps())
        yield target.find(cloud, STACK)
    finally:
        here.stop()


@pytest.fixture(scope="session")
def api(deployed: Target) -> Api:
    """The deployed API, signed for, with an application for every platform."""
    made_up = {"PlatformPrincipal": "made up", "PlatformCredential": "made up"}
    for name in PlatformName:
        platforms.create(deployed, name, Credentials(attributes=made_up))
    return Api(target=deployed)


@pytest.fixture(scope="session")
def devices(api: Api) -> list[dict[str, Any]]:
    """600 registered devices: half in Taiwan, half in Japan, every twentieth opted out."""
    found = [_device(number) for number in range(600)]
    batches = [found[start : start + 100] for start in range(0, 600, 100)]

    def register(batch: list[dict[str, Any]]) -> list[str]:
        answer = api.post("devices", "batch", body={"devices": batch}, repeatable=True)
        return [result["status"] for result in answer["results"]]

    with ThreadPoolExecutor(THREADS) as pool:
        statuses = [status for some in pool.map(register, batches) for status in some]
    assert statuses == ["stored"] * 600
    return found


def _device(number: int) -> dict[str, Any]:
    return {
        "Id": f"device-{number:04}",
        "ChannelType": ("GCM", "APNS", "APNS_SANDBOX", "ADM")[number % 4],
        "Address": f"token-{number:04}",
        "OptOut": "ALL" if number % 20 == 0 else "NONE",
        "Location": {"Country": "TW" if number < 300 else "JP", "City": "臺北"},
        "Attributes": {"interests": ["music", "茶🍵"] if number % 2 else ["tea"]},
        "Metrics": {"visits": number},
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
