"""Listing something once: written down as chunks, claimed, then queued.

Whoever dies on the way leaves nothing that counts: chunks count only once their attempt has claimed
the segment, and they are queued only after that. A repeat finds the claim and queues what is left.
"""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from functions.audience.criteria import Criteria
from functions.audience.lists import Claim, ListStore
from functions.audience.queue import ChunkMessage, SubscribeQueue
from functions.audience.records import Chunk, ChunkKey
from functions.shared.errors import ConflictError


@dataclass(frozen=True, kw_only=True)
class Segment:
    """What is listed: a segment of the devices, or the members of the list (SWEEP)."""

    campaign_id: str
    number: int
    generation: int = 1

    def key(self, attempt: str, number: int) -> ChunkKey:
        """The key of the attempt's chunk of that number."""
        return ChunkKey(
            campaign_id=self.campaign_id,
            generation=self.generation,
            segment=self.number,
            attempt=attempt,
            number=number,
        )


@dataclass(frozen=True, kw_only=True)
class Written:
    """What an attempt wrote down; `members` there will be of it once the chunks are worked off."""

    chunks: tuple[Chunk, ...]
    members: int


@dataclass(frozen=True, kw_only=True)
class Listed:
    """What a segment came to."""

    matched: int
    chunks: int
    queued: int


# What there is to be done by the criteria, cut into chunks of this attempt.
Find = Callable[[Criteria, str], Written]


def list_once(segment: Segment, find: Find, *, lists: ListStore, queue: SubscribeQueue) -> Listed:
    """Lists the segment once, however often it is called; ConflictError if the list is closed."""
    claim = _claim_of(segment, lists)
    if claim is None:
        claim, keys = _claimed(segment, find, lists)
    else:
        keys = _pending(segment, claim, lists)
    queue.send([ChunkMessage(key=key) for key in keys])
    return Listed(matched=claim.matched, chunks=claim.chunks, queued=len(keys))


def _claimed(segment: Segment, find: Find, lists: ListStore) -> tuple[Claim, list[ChunkKey]]:
    """The claim that counts, ours or that of who was faster, and the chunks to be queued."""
    campaign_id = segment.campaign_id
    criteria = lists.criteria(campaign_id, segment.generation)
    if criteria is None:
        raise ConflictError(f"the list of campaign {campaign_id} takes no devices any more")
    attempt = uuid.uuid4().hex
    written = find(criteria, attempt)
    lists.write_chunks(written.chunks)
    keys = [chunk.key for chunk in written.chunks]
    claim = Claim(
        attempt=attempt,
        chunks=len(keys),
        matched=_devices(written.chunks),
        members=written.members,
    )
    if lists.claim(campaign_id, segment.number, claim, segment.generation):
        return claim, keys
    lists.remove_chunks(keys)
    winner = _claim_of(segment, lists)
    if winner is None:
        raise ConflictError(f"the list of campaign {campaign_id} was closed meanwhile")
    return winner, _pending(segment, winner, lists)


def _claim_of(segment: Segment, lists: ListStore) -> Claim | None:
    return lists.claim_of(segment.campaign_id, segment.number, segment.generation)


def _pending(segment: Segment, claim: Claim, lists: ListStore) -> list[ChunkKey]:
    return lists.pending(segment.campaign_id, segment.number, claim.attempt, segment.generation)


def _devices(chunks: Iterable[Chunk]) -> int:
    return sum(chunk.devices for chunk in chunks)
