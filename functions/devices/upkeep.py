"""Endpoints that nobody needs any more, and owners whose endpoint somebody else changed.

SNS knows no conditions: between looking and changing, a token may get another owner. So whoever
changed an endpoint and then finds that its token is another's puts that other's endpoint right.
"""

from collections.abc import Callable, Sequence
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

    def discard(self, former: Known) -> bool:
        """Deletes the endpoint that a device had, unless its present token is another device's;
        True if there was something to delete."""
        if former.endpoint_arn is None:
            return False
        attributes = self.endpoints.attributes(former.endpoint_arn)
        if attributes is None:
            return False
        token = token_key(former.channel_type, attributes.get("Token", former.address))
        owner = self.store.owners([token]).get(token)
        if owner is not None and owner.device_id != former.device_id:
            return False
        self.endpoints.remove(former.endpoint_arn)
        return True

    def discard_quietly(self, former: Known) -> bool:
        """The same; what fails is left over, since its device is stored and reachable."""
        try:
            return self.discard(former)
        except FanfareError:
            extra = {"device_id": former.device_id}
            logger.warning("former endpoint is left over", extra=extra)
            return False

    def mend(self, formers: Sequence[Known]) -> None:
        """Sees that whoever owns these devices' former tokens by now has an endpoint of it."""
        tokens = {key_of(former): former.device_id for former in formers if former.endpoint_arn}
        if not tokens:
            return
        owners = self.store.owners(tokens)
        others = [
            owner.device_id for token, owner in owners.items() if owner.device_id != tokens[token]
        ]
        for known in self.store.known(others).values():
            if known.endpoint_arn is not None and key_of(known) in tokens:
                self._put_right(known)

    def _put_right(self, known: Known) -> None:
        try:
            arn = self.endpoints.ensure(known, self.application_of(known.channel_type), known)
            if arn != known.endpoint_arn:
                # If it is refused, the device registered again meanwhile, and has what it needs.
                self.store.commit([Change(after=replace(known, endpoint_arn=arn), before=known)])
        except FanfareError:
            logger.warning("endpoint may be another's", extra={"device_id": known.device_id})
