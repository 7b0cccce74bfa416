"""Listing one segment: who matches, written down as chunks, claimed, then queued.

Whoever dies on the way leaves nothing that counts: chunks count only once their attempt has claimed
the segment, and they are queued only after that. A repeat finds the claim and queues what is left.
"""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from functions.audience.criteria import Criteria
from functions.audience.lists import Claim, ListStore
from functions.audience.queue import ChunkMessage, SubscribeQueue
from functions.audience.records import Candidate, Chunk, ChunkKey, ChunkState
from functions.shared.errors import ConflictError

# An item holds 400 KB:
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
CHUNK_MAX_BYTES = 350_000
# Of a candidate beside its two texts: its list, its skip reason, the lengths.
OVERHEAD = 30

Scan = Callable[[Criteria], Iterator[Candidate]]


@dataclass(frozen=True, kw_only=True)
class Listed:
    """What a segment came to."""

    matched: int
    chunks: int
    queued: int


def list_segment(
    *,
    campaign_id: str,
    segment: int,
    scan: Scan,
    lists: ListStore,
    queue: SubscribeQueue,
    chunk_size: int,
) -> Listed:
    """Lists the segment once, however often it is called; ConflictError if the list is closed."""
    claim = lists.claim_of(campaign_id, segment)
    if claim is None:
        criteria = lists.criteria(campaign_id)
        if criteria is None:
            raise ConflictError(f"the list of campaign {campaign_id} takes no devices any more")
        attempt = uuid.uuid4().hex
        chunks = _cut(campaign_id, segment, attempt, scan(criteria), chunk_size)
        lists.write_chunks(chunks)
        keys = [chunk.key for chunk in chunks]
        matched = sum(len(chunk.candidates) for chunk in chunks)
        claim = Claim(attempt=attempt, chunks=len(chunks), matched=matched)
        if not lists.claim(campaign_id, segment, claim):
            lists.remove_chunks(keys)
            winner = lists.claim_of(campaign_id, segment)
            if winner is None:
                raise ConflictError(f"the list of campaign {campaign_id} was closed meanwhile")
            claim = winner
            keys = lists.pending(campaign_id, segment, claim.attempt)
    else:
        keys = lists.pending(campaign_id, segment, claim.attempt)
    queue.send([ChunkMessage(key=key) for key in keys])
    return Listed(matched=claim.matched, chunks=claim.chunks, queued=len(keys))


def _cut(
    campaign_id: str, segment: int, attempt: str, candidates: Iterator[Candidate], size: int
) -> list[Chunk]:
    return [
        Chunk(
            key=ChunkKey(campaign_id=campaign_id, segment=segment, attempt=attempt, number=number),
            state=ChunkState.PENDING,
            candidates=tuple(some),
        )
        for number, some in enumerate(_slices(candidates, size))
    ]


def _slices(candidates: Iterator[Candidate], size: int) -> Iterator[list[Candidate]]:
    """Up to `size` candidates each, and no more than fit into one item."""
    some: list[Candidate] = []
    room = CHUNK_MAX_BYTES
    for candidate in candidates:
        takes = len(candidate.device_id.encode()) + len(candidate.endpoint_arn or "") + OVERHEAD
        if some and (len(some) == size or takes > room):
            yield some
            some, room = [], CHUNK_MAX_BYTES
        some.append(candidate)
        room -= takes
    if some:
        yield some
