"""One call's registrations on their way: look, ask SNS, write; who was overtaken looks again."""

import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from functions.devices.endpoints import Ensured, OutOfTimeError
from functions.devices.ownership import (
    Change,
    Registration,
    View,
    claimants,
    is_beaten,
    lost,
    said_inactive,
    won,
)
from functions.devices.records import Device, EndpointStatus, Known
from functions.devices.tokens import key_of, token_key
from functions.devices.upkeep import Upkeep
from functions.shared.errors import ConflictError, FanfareError

# Whoever loses against another change of the same item looks again, so many times at most. Of
# ten who want one token at once, the last may see nine others come before it.
MAX_ROUNDS = 12
FIRST_BACKOFF_SECONDS = 0.02
LONGEST_BACKOFF_SECONDS = 0.5

Outcome = Device | FanfareError
T = TypeVar("T")
R = TypeVar("R")


class ContendedError(ConflictError):
    """Others change the device, or want its token, again and again."""

    def __init__(self, device_id: str) -> None:
        super().__init__(f"The device {device_id} is being changed by others; try again.")


class Registering:
    """The registrations of one call, each Id once, until each has its outcome.

    SNS is asked first: what was done there and then could not be written leaves an endpoint that
    has no owner, which is in no list, or has a newer token than is stored, as its event will tell.
    """

    def __init__(
        self,
        registrations: Sequence[Registration],
        upkeep: Upkeep,
        *,
        threads: int,
        sleep: Callable[[float], None],
    ) -> None:
        self._pending = {each.device.device_id: each for each in registrations}
        self._upkeep = upkeep
        self._threads = threads
        self._sleep = sleep
        self._outcomes: dict[str, Outcome] = {}
        self._formers: list[Known] = []
        self._taken_from: dict[str, str] = {}
        self._out_of_time: OutOfTimeError | None = None

    def run(self) -> dict[str, Outcome]:
        """By Id, the device as it is stored, or why it is not; OutOfTimeError if some were left
        when the deadline came, UnavailableError if DynamoDB does not answer."""
        for round_ in range(MAX_ROUNDS):
            if not self._pending:
                break
            if round_ > 1:
                self._sleep(_backoff(round_))
            self._write(self._changes(self._look()))
        self._outcomes |= {device_id: ContendedError(device_id) for device_id in self._pending}
        self._side_by_side(self._upkeep.discard_quietly, self._formers)
        if self._out_of_time:
            raise self._out_of_time
        return self._outcomes

    def _look(self) -> View:
        """The devices first, then the owners: a device that lost its token meanwhile is found out
        by the condition on it."""
        store, wanted = self._upkeep.store, [each.device for each in self._pending.values()]
        known = store.known(self._pending)
        holders: list[Device | Known] = [*wanted, *known.values()]
        tokens = store.tokens(map(key_of, holders))
        view = View(known=known, tokens=tokens)
        owners = {owner for each in wanted if (owner := view.owner_of(each))}
        if strangers := owners - set(self._pending):
            return View(known=known | store.known(strangers), tokens=tokens)
        return view

    def _changes(self, view: View) -> list[Change]:
        claiming = claimants(self._pending.values(), view)
        endpoints = self._endpoints(
            {token: each for token, each in claiming.items() if not is_beaten(each, view)}, view
        )
        changes = []
        for device_id, each in list(self._pending.items()):
            token = key_of(each.device)
            endpoint = endpoints.get(token)
            if each.device.endpoint_status is EndpointStatus.INACTIVE:
                change = said_inactive(each, view)
            elif isinstance(endpoint, FanfareError):
                # Whoever lost against one with the same token is refused for the same reason.
                self._refuse(device_id, endpoint)
                continue
            elif endpoint is not None and claiming[token] is each:
                change = won(each, endpoint.arn, view)
                if endpoint.taken_from:
                    platform = each.device.channel_type
                    self._taken_from[device_id] = token_key(platform, endpoint.taken_from)
            else:
                change = lost(each, view)
            changes.append(replace(change, seen=each.seen))
        return changes

    def _endpoints(
        self, claiming: Mapping[str, Registration], view: View
    ) -> dict[str, Ensured | FanfareError]:
        """By token, its endpoint, or why it has none."""
        applications = {
            platform: _attempt(self._upkeep.application_of, platform)
            for platform in {each.device.channel_type for each in claiming.values()}
        }

        def ensure(device: Device) -> Ensured | FanfareError:
            application = applications[device.channel_type]
            if isinstance(application, FanfareError):
                return application
            known = view.known.get(device.device_id)
            if known and key_of(known) != key_of(device) and key_of(known) in claiming:
                known = None  # another one comes for the token, and with it for the endpoint
            return _attempt(self._upkeep.endpoints.ensure, device, application, known)

        found = self._side_by_side(ensure, [each.device for each in claiming.values()])
        return dict(zip(claiming, found, strict=True))

    def _write(self, changes: Sequence[Change]) -> None:
        refused = self._upkeep.store.commit(changes)
        taken_from, self._taken_from = self._taken_from, {}
        for change in changes:
            if change.device_id not in refused:
                self._settle(change)
                if taken_from.get(change.device_id) == change.released:
                    taken_from.pop(change.device_id, None)  # given up: its next turn has begun
            elif change.seen is not None:
                # Looking again is of no use: what it was made of is no more.
                self._refuse(change.device_id, ContendedError(change.device_id))
        self._upkeep.taken_away(set(taken_from.values()))
        for change in changes:
            if change.before and change.device_id in refused & taken_from.keys():
                self._upkeep.put_others_right(change.before)

    def _settle(self, change: Change) -> None:
        before, after = change.before, change.after
        assert isinstance(after, Device)  # noqa: S101 (a registration stores whole devices)
        del self._pending[change.device_id]
        self._outcomes[change.device_id] = after
        if before and before.endpoint_arn not in (None, after.endpoint_arn):
            self._formers.append(before)

    def _refuse(self, device_id: str, error: FanfareError) -> None:
        if isinstance(error, OutOfTimeError):
            self._out_of_time = error
        del self._pending[device_id]
        self._outcomes[device_id] = error

    def _side_by_side(self, act: Callable[[T], R], things: Sequence[T]) -> list[R]:
        if len(things) <= 1:
            return [act(each) for each in things]
        with ThreadPoolExecutor(self._threads, thread_name_prefix="sns") as pool:
            return list(pool.map(act, things))


def _attempt(act: Callable[..., T], *arguments: object) -> T | FanfareError:
    try:
        return act(*arguments)
    except FanfareError as error:
        return error


def _backoff(round_: int) -> float:
    longest = min(FIRST_BACKOFF_SECONDS * 2.0**round_, LONGEST_BACKOFF_SECONDS)
    return random.uniform(0, longest)  # noqa: S311 (jitter)
