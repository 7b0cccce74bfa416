"""Endpoints that nobody needs any more, and owners whose endpoint somebody else changed.

SNS knows no conditions: between looking and changing, a token may get another owner. So whoever
took an endpoint away from a token begins a new turn of the token after that. Who wants the token
and looked before is refused then, and looks again; who owns it by then is put right.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from functions.devices.endpoints import Endpoints
from functions.devices.ownership import Change
from functions.devices.records import ChannelType, Known
from functions.devices.store import DeviceStore
from functions.devices.tokens import key_of, token_key
from functions.shared.errors import FanfareError
from functions.shared.observability import logger

ApplicationOf = Callable[[ChannelType], str]


@dataclass(frozen=True, kw_only=True)
class Upkeep:
    """What keeps endpoints and owners in step, over the store and the gateway."""

    store: DeviceStore
    endpoints: Endpoints
    application_of: ApplicationOf

    def discard(self, former: Known, *, leaving: bool = False) -> None:
        """Deletes the endpoint that a device had, unless its present token is another device's.

        One that is leaving is going to be deleted, and needs no endpoint in its place.
        """
        if former.endpoint_arn is None:
            return
        attributes = self.endpoints.attributes(former.endpoint_arn)
        if attributes is None:
            return
        token = token_key(former.channel_type, attributes.get("Token", former.address))
        state = self.store.tokens([token]).get(token)
        if state is not None and state.owner not in (None, former.device_id):
            return
        self.endpoints.remove(former.endpoint_arn)
        self.taken_away({token}, leaving=former.device_id if leaving else None)
        self.put_others_right(former)

    def discard_quietly(self, former: Known) -> None:
        """The same; what fails is left over, since its device is stored and reachable."""
        try:
            self.discard(former)
        except FanfareError:
            extra = {"device_id": former.device_id}
            logger.warning("former endpoint is left over", extra=extra)

    def taken_away(self, tokens: Collection[str], *, leaving: str | None = None) -> None:
        """Begins the next turn of tokens that lost their endpoint, and puts their owners right."""
        if not tokens:
            return
        for token in tokens:
            self.store.next_turn(token)
        owners = {state.owner for state in self.store.tokens(tokens).values()} - {None, leaving}
        for known in self.store.known(filter(None, owners)).values():
            if known.endpoint_arn is not None and key_of(known) in tokens:
                self._put_right(known)

    def put_others_right(self, known: Known) -> None:
        """Puts right who else is stored with the endpoint that this device had: it may have had
        another token by the time that it was changed."""
        if known.endpoint_arn is not None:
            for holder in self.store.with_endpoint(known.endpoint_arn):
                if holder.device_id != known.device_id:
                    self._put_right(holder)

    def _put_right(self, known: Known) -> None:
        try:
            arn = self.endpoints.restore(known, self.application_of(known.channel_type))
            if arn != known.endpoint_arn:
                # If it is refused, the device registered again meanwhile, and has what it needs.
                self.store.commit([Change(after=replace(known, endpoint_arn=arn), before=known)])
        except FanfareError:
            logger.warning("endpoint may be another's", extra={"device_id": known.device_id})
