"""The devices: registered, known, forgotten. Each token has one owner, who has one endpoint."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from functions.devices.endpoints import Endpoints
from functions.devices.ownership import Registration
from functions.devices.records import Device
from functions.devices.registering import MAX_ROUNDS, ContendedError, Outcome, Registering
from functions.devices.store import DeviceStore
from functions.devices.tokens import key_of
from functions.devices.upkeep import ApplicationOf, Upkeep
from functions.shared.clock import Clock, to_wire, utc_now
from functions.shared.errors import (
    ConflictError,
    FanfareError,
    InvalidInputError,
    InvalidPart,
    NotFoundError,
)

__all__ = ["ApplicationOf", "Outcome", "Refusal", "Registration", "Registry", "told"]

# SNS takes some 20 ms a call; sixteen at once keep a full batch well under a second.
SNS_THREADS = 16

Refusal = tuple[InvalidPart, ...]


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The operations on devices, over their store and gateways."""

    store: DeviceStore
    endpoints: Endpoints
    application_of: ApplicationOf
    clock: Clock = utc_now
    threads: int = SNS_THREADS
    sleep: Callable[[float], None] = time.sleep

    def get(self, device_id: str) -> Device:
        """The device; NotFoundError if there is none."""
        device = self.store.get(device_id)
        if device is None:
            raise NotFoundError(f"There is no device with the Id {device_id}.")
        return device

    def order(self) -> str:
        """The order of a registration that comes now."""
        return f"{to_wire(self.clock())}#"

    def register(self, device: Device) -> Device:
        """The device as it is stored; the same again changes nothing.

        InvalidInputError for a token that SNS does not take, ConflictError without a platform
        application or if others keep changing the device, UnavailableError.
        """
        registration = Registration(device=device, order=self.order())
        outcome = self.outcomes([registration])[device.device_id]
        if isinstance(outcome, FanfareError):
            raise outcome
        return outcome

    def register_all(
        self, registrations: Sequence[Registration], *, deadline: float | None = None
    ) -> dict[str, Device | Refusal]:
        """By Id, each given once: the device as it is stored, or why it is not; see `outcomes`."""
        outcomes = self.outcomes(registrations, deadline=deadline)
        return {device_id: told(outcome) for device_id, outcome in outcomes.items()}

    def outcomes(
        self, registrations: Sequence[Registration], *, deadline: float | None = None
    ) -> dict[str, Outcome]:
        """By Id, each given once: the device as it is stored, or the error that kept it from that.

        One whose token is another's by a greater order is stored INACTIVE, and answered so.
        OutOfTimeError if the deadline (of the pace's clock) came before all were through; what
        was through is stored, and may be registered again. UnavailableError, the same.
        """
        upkeep = self._upkeep(self.endpoints.until(deadline))
        return Registering(registrations, upkeep, threads=self.threads, sleep=self.sleep).run()

    def delete(self, device_id: str) -> None:
        """Removes the device, its endpoint and its token; one that is gone is no error."""
        upkeep = self._upkeep(self.endpoints)
        for _ in range(MAX_ROUNDS):
            known = self.store.known([device_id]).get(device_id)
            if known is None:
                return
            state = self.store.tokens([key_of(known)]).get(key_of(known))
            owned = state is not None and state.owner == device_id
            # The endpoint first: if what follows fails, the device is still there to repeat it.
            upkeep.discard(known, leaving=True)
            if self.store.delete(known, token=key_of(known) if owned else None):
                return
        raise ContendedError(device_id)

    def _upkeep(self, endpoints: Endpoints) -> Upkeep:
        return Upkeep(store=self.store, endpoints=endpoints, application_of=self.application_of)


def told(outcome: Outcome) -> Device | Refusal:
    """The device, or the reasons why it is not stored."""
    if isinstance(outcome, InvalidInputError):
        return outcome.parts
    if isinstance(outcome, FanfareError):
        of_platform = isinstance(outcome, ConflictError) and not isinstance(outcome, ContendedError)
        place = "ChannelType" if of_platform else "device"
        return (InvalidPart(place=place, reason=str(outcome)),)
    return outcome
