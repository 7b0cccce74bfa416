"""What keeps a device from being settled, told apart from what is wrong with its row."""

from collections.abc import Sequence

import pytest

from functions.devices.endpoint_errors import EndpointRefusedError
from functions.devices.records import ChannelType, Device
from functions.devices.registry import Outcome, Registration
from functions.imports.reading import Row
from functions.imports.registering import NotSettledError, Registrar
from functions.imports.rows import Rejected, Whole
from functions.imports.slice_rows import Candidate
from tests.unit.imports.conftest import Account


def candidate(**more: tuple[str, ...]) -> Candidate:
    device = Device(
        device_id="d1", channel_type=ChannelType.GCM, address="t", attributes=dict(more)
    )
    return Candidate(file=1, row=Row(2, "{}"), says=Whole(device=device))


def test_that_sns_refuses_us_and_not_the_token_rejects_nobody(account: Account) -> None:
    refused = EndpointRefusedError("SNS answered ExpiredToken")

    def register(registrations: Sequence[Registration], *, deadline: float) -> dict[str, Outcome]:
        return {each.device.device_id: refused for each in registrations if deadline == 0}

    registrar = Registrar(devices=account.devices, register=register, order="now#i#")
    with pytest.raises(NotSettledError, match="1 devices are not settled for now"):
        registrar.settle([candidate()], deadline=0)


def test_a_device_that_has_become_too_large_is_rejected_and_not_written(account: Account) -> None:
    registrar = Registrar(
        devices=account.devices, register=account.registry.outcomes, order="now#i#"
    )
    large = candidate(a=("a" * 100_000, "b" * 100_000), b=("a" * 100_000, "b" * 100_000))
    settled = registrar.settle([large], deadline=1e12)["d1"]
    assert isinstance(settled, Rejected)
    assert "bytes in DynamoDB; the limit is 409,600" in settled.errors[0].reason
    assert account.sns.total == 0
