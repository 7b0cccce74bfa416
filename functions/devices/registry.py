"""Registering devices: each has one endpoint with its present token, and is stored with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from functions.devices.endpoints import EndpointRefusedError, Endpoints, OutOfTimeError
from functions.devices.records import ChannelType, Device, Known, OptOut
from functions.devices.store import DeviceStore
from functions.shared.errors import (
    ConflictError,
    FanfareError,
    InvalidInputError,
    InvalidPart,
    NotFoundError,
    UnavailableError,
)
from functions.shared.observability import logger

# Whoever loses against another change of the same device looks again, so many times at most.
MAX_ROUNDS = 5

ApplicationOf = Callable[[ChannelType], str]
Refusal = tuple[InvalidPart, ...]


@dataclass(frozen=True, kw_only=True)
class Registration:
    """A device that registers. Of two with one token the greater order, a text, has it."""

    device: Device
    order: str


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The operations on single devices, over their store and gateways."""

    store: DeviceStore
    endpoints: Endpoints
    application_of: ApplicationOf

    def get(self, device_id: str) -> Device:
        """The device; NotFoundError if there is none."""
        device = self.store.get(device_id)
        if device is None:
            raise NotFoundError(f"There is no device with the Id {device_id}.")
        return device

    def register(self, device: Device) -> Device:
        """The device as it is stored; the same again changes nothing.

        InvalidInputError for a token that SNS does not take, ConflictError without a platform
        application or if others keep changing the device, UnavailableError.
        """
        application_arn = self.application_of(device.channel_type)
        for _ in range(MAX_ROUNDS):
            known = self.store.known([device.device_id]).get(device.device_id)
            ready = self.prepare(device, application_arn, known)
            if self.store.put(ready, known=known):
                self.discard_former(ready, known)
                return ready
        raise _contended(device.device_id)

    def register_all(
        self,
        registrations: Sequence[Registration],
        *,
        deadline: float | None = None,  # noqa: ARG002 (for the paced gateway)
    ) -> dict[str, Device | Refusal]:
        """By Id, each given once: the device as it is stored, or why it is not.

        OutOfTimeError if the deadline (of the pace's clock) comes first, UnavailableError.
        """
        outcomes: dict[str, Device | Refusal] = {}
        for each in registrations:
            try:
                outcomes[each.device.device_id] = self.register(each.device)
            except OutOfTimeError:
                raise
            except InvalidInputError as error:
                outcomes[each.device.device_id] = error.parts
            except FanfareError as error:
                reason = InvalidPart(place="device", reason=str(error))
                outcomes[each.device.device_id] = (reason,)
        return outcomes

    def prepare(self, device: Device, application_arn: str, known: Known | None) -> Device:
        """The device as it is to be stored, with its endpoint; errors as of `register`."""
        arn = self.endpoints.ensure(device, application_arn, known)
        decided = device.opt_out or (known.opt_out if known else OptOut.NONE)
        return replace(device, endpoint_arn=arn, opt_out=decided)

    def discard_former(self, device: Device, known: Known | None) -> None:
        """Deletes the endpoint that the device had before, if it has another one now."""
        if known is None or known.endpoint_arn in (None, device.endpoint_arn):
            return
        try:
            self.endpoints.remove(known.endpoint_arn, owner=device.device_id)
        except (UnavailableError, EndpointRefusedError):
            # The device is stored and reachable; a dead endpoint more does no harm.
            logger.warning("former endpoint is left over", extra={"device_id": device.device_id})

    def delete(self, device_id: str) -> None:
        """Removes the device and its endpoint; one that is gone is no error."""
        for _ in range(MAX_ROUNDS):
            known = self.store.known([device_id]).get(device_id)
            if known is None:
                return
            # The endpoint first: if what follows fails, the device is still there to repeat it.
            if known.endpoint_arn is not None:
                self.endpoints.remove(known.endpoint_arn, owner=device_id)
            if self.store.delete(known):
                return
        raise _contended(device_id)


def _contended(device_id: str) -> ConflictError:
    return ConflictError(f"The device {device_id} is being changed by others; try again.")
