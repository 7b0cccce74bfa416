"""Registers the devices of a slice, or does as if. What may pass is raised, never a rejected row:
an hour without SNS must not turn a file into rejects.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from functions.devices.endpoint_errors import EndpointRefusedError
from functions.devices.parsing import refuse_if_too_large
from functions.devices.records import Device
from functions.devices.registering import ContendedError
from functions.devices.registry import Outcome, Registration, told
from functions.devices.store import DeviceStore
from functions.imports.records import Import
from functions.imports.rows import Change, Rejected, Whole, merged
from functions.imports.slice_rows import Candidate
from functions.shared.clock import optional_to_wire
from functions.shared.errors import InvalidInputError, UnavailableError

# A changed device that others change as well is read and merged again, so many times at most.
MAX_ROUNDS = 5
# No fault of a row: SNS is away, or refuses us (credentials, permissions) and not the token.
_PASSING = UnavailableError | EndpointRefusedError

GIVEN_UP = Rejected.at("row", "was given up after 5 tries; import the file again")

Settled = Device | Rejected


class Register(Protocol):
    """Stores devices, each Id once; OutOfTimeError, UnavailableError if not all are settled."""

    def __call__(
        self, registrations: Sequence[Registration], *, deadline: float
    ) -> Mapping[str, Outcome]: ...


class Settle(Protocol):
    """By Id, what becomes of devices; NotSettledError, OutOfTimeError, UnavailableError."""

    def __call__(
        self, candidates: Sequence[Candidate], *, deadline: float
    ) -> Mapping[str, Settled]: ...


class NotSettledError(UnavailableError):
    """Some devices are neither stored nor rejected for now; the same step may work later."""


def as_if(registrations: Sequence[Registration], *, deadline: float) -> Mapping[str, Outcome]:  # noqa: ARG001 (a dry run takes no time)
    """Stores nothing, and answers as if it had."""
    return {each.device.device_id: each.device for each in registrations}


def give_up(candidates: Sequence[Candidate], *, deadline: float) -> Mapping[str, Settled]:  # noqa: ARG001 (it takes no time)
    """Rejects them all."""
    return {each.says.device_id: GIVEN_UP for each in candidates}


def order_of(found: Import) -> str:
    """What the orders of all registrations of an import begin with: they sort by its start."""
    return f"{optional_to_wire(found.started_at)}#{found.import_id}#"


@dataclass(frozen=True, kw_only=True)
class Registrar:
    """What takes the candidates of one import."""

    devices: DeviceStore
    register: Register
    order: str  # what the orders of this import's registrations begin with

    def settle(self, candidates: Sequence[Candidate], *, deadline: float) -> dict[str, Settled]:
        """By Id, the device as it is stored, or why it is not; NotSettledError, OutOfTimeError."""
        settled: dict[str, Settled] = {}
        left = list(candidates)
        for _ in range(MAX_ROUNDS):
            ready, rejected = self._ready(left)
            settled |= rejected
            outcomes = self.register(ready, deadline=deadline)
            settled |= {
                device_id: _settled(outcome)
                for device_id, outcome in outcomes.items()
                if not isinstance(outcome, _PASSING | ContendedError)
            }
            left = [each for each in left if each.says.device_id not in settled]
            if not left:
                return settled
            if any(isinstance(outcome, _PASSING) for outcome in outcomes.values()):
                break
        raise NotSettledError(f"{len(left)} devices are not settled for now")

    def _ready(
        self, candidates: Iterable[Candidate]
    ) -> tuple[list[Registration], dict[str, Settled]]:
        every = list(candidates)
        changed = [each.says.device_id for each in every if isinstance(each.says, Change)]
        known = self.devices.get_all(changed)
        ready: list[Registration] = []
        rejected: dict[str, Settled] = {}
        for each in every:
            seen = known.get(each.says.device_id)
            device = _device(each, seen)
            if isinstance(device, Rejected):
                rejected[each.says.device_id] = device
                continue
            order = f"{self.order}{each.file:04}#{each.row.line:09}"
            made_of = seen if isinstance(each.says, Change) else None
            ready.append(Registration(device=device, order=order, seen=made_of))
        return ready, rejected


def _device(candidate: Candidate, seen: Device | None) -> Device | Rejected:
    says = candidate.says
    device = _said(says, seen)
    if isinstance(device, Device):
        # Also one that a row has whole: changes by later rows may have been folded into it.
        try:
            refuse_if_too_large(device)
        except InvalidInputError as error:
            return Rejected(errors=error.parts)
    return device


def _said(says: Whole | Change, seen: Device | None) -> Device | Rejected:
    if isinstance(says, Whole):
        return says.device
    if seen is None:
        return Rejected.at("Id", "is not known; a new device needs ChannelType and Address")
    return merged(seen, says)


def _settled(outcome: Outcome) -> Settled:
    answer = told(outcome)
    return answer if isinstance(answer, Device) else Rejected(errors=answer)
