"""Whose a push token is. The table of tokens alone says so, and each token has one owner at most.

SNS has an opinion, too (one endpoint a token, with the Id of whoever registered it last), but it
knows no conditions; what is written there is information, and decides nothing.
"""

import hashlib
from dataclasses import dataclass

from functions.devices.records import ChannelType, Device, Known


@dataclass(frozen=True, kw_only=True)
class TokenState:
    """Who owns a token (None: nobody), by a registration of which order; its turn counts up when
    the token is given up, or when the endpoint that had it was taken away."""

    owner: str | None
    order: str
    turn: int


def token_key(platform: ChannelType, address: str) -> str:
    """The key of a platform's token, from which nobody reads the token."""
    return hashlib.sha256(f"{platform}\0{address}".encode()).hexdigest()


def key_of(holder: Device | Known) -> str:
    """The key of the token that this device has, whether it owns it or not."""
    return token_key(holder.channel_type, holder.address)
