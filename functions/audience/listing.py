"""Listing one segment of the devices: who matches, cut into chunks.

While a list is refreshed only who is no member yet; the sweep has seen to the members before.
"""

from collections.abc import Callable, Iterable, Iterator

from functions.audience.claiming import Listed, Segment, Written, list_once
from functions.audience.criteria import Criteria
from functions.audience.cutting import cut
from functions.audience.lists import ListStore
from functions.audience.queue import SubscribeQueue
from functions.audience.records import Candidate, Chunk, ChunkState
from functions.shared.batches import BATCH_GET_MAX_KEYS, batched

__all__ = ["Listed", "list_segment"]

# Of a candidate beside its two texts: its list, its skip reason, the lengths.
OVERHEAD = 30

Scan = Callable[[Criteria], Iterator[Candidate]]


def list_segment(
    *,
    campaign_id: str,
    segment: int,
    scan: Scan,
    lists: ListStore,
    queue: SubscribeQueue,
    chunk_size: int,
    generation: int = 1,
) -> Listed:
    """Lists the segment once, however often it is called; ConflictError if the list is closed."""
    place = Segment(campaign_id=campaign_id, number=segment, generation=generation)

    def find(criteria: Criteria, attempt: str) -> Written:
        found: Iterable[Candidate] = scan(criteria)
        if generation > 1:
            found = _strangers(campaign_id, found, lists)
        chunks = tuple(
            Chunk(
                key=place.key(attempt, number),
                state=ChunkState.PENDING,
                candidates=tuple(some),
            )
            for number, some in enumerate(cut(found, chunk_size, _bytes))
        )
        return Written(chunks=chunks, members=sum(chunk.devices for chunk in chunks))

    return list_once(place, find, lists=lists, queue=queue)


def _strangers(
    campaign_id: str, found: Iterable[Candidate], lists: ListStore
) -> Iterator[Candidate]:
    for some in batched(found, BATCH_GET_MAX_KEYS):
        members = lists.members(campaign_id, [candidate.device_id for candidate in some])
        known = {member.device_id for member in members}
        yield from (candidate for candidate in some if candidate.device_id not in known)


def _bytes(candidate: Candidate) -> int:
    return len(candidate.device_id.encode()) + len(candidate.endpoint_arn or "") + OVERHEAD
