"""How a list is laid out in its table: everything of a campaign under one partition key.

record                        what it is
list                          criteria, topic, progress, and the token of the waiting workflow
segment#003                   which attempt at listing segment 3 counts
chunk#003#<attempt>#00012     a slice of that attempt's devices
member#<device id>            one device and what became of it: the truth about the list
stray#<subscription>          a subscription of nobody's, which the next refresh removes

Of a refresh, segments and chunks carry their generation before the segment: chunk#r2#003#...
"""

from typing import Any

from functions.audience.records import (
    Candidate,
    Chunk,
    ChunkKey,
    ChunkState,
    Leaver,
    ListProgress,
    ListState,
    Member,
    MemberStatus,
)

LIST = "list"
SEGMENT = "segment#"
CHUNK = "chunk#"
MEMBER = "member#"
STRAY = "stray#"


def progress_of(item: dict[str, Any]) -> ListProgress:
    matched = int(item["matched"])
    return ListProgress(
        campaign_id=item["campaign_id"],
        state=ListState(item["state"]),
        topic_arn=item["topic_arn"],
        segments_total=int(item["segments_total"]),
        segments_listed=int(item["segments_listed"]),
        chunks_total=int(item["chunks_total"]),
        chunks_done=int(item["chunks_done"]),
        matched=matched,
        processed=int(item["processed"]),
        waiter=item.get("waiter"),
        generation=int(item.get("generation", 1)),
        expected=int(item.get("expected", matched)),
        unfinished=bool(item.get("unfinished", False)),
    )


def segment_record(segment: int, generation: int = 1) -> str:
    return f"{SEGMENT}{_of(generation)}{segment:03}"


def attempt_prefix(segment: int, attempt: str, generation: int = 1) -> str:
    """What the records of all chunks of an attempt begin with."""
    return f"{CHUNK}{_of(generation)}{segment:03}#{attempt}#"


def _of(generation: int) -> str:
    return "" if generation == 1 else f"r{generation}#"


def chunk_table_key(key: ChunkKey) -> dict[str, str]:
    record = f"{attempt_prefix(key.segment, key.attempt, key.generation)}{key.number:05}"
    return {"campaign_id": key.campaign_id, "record": record}


def chunk_key_of(item: dict[str, Any]) -> ChunkKey:
    *generation, segment, attempt, number = item["record"].removeprefix(CHUNK).split("#")
    return ChunkKey(
        campaign_id=item["campaign_id"],
        segment=int(segment),
        attempt=attempt,
        number=int(number),
        generation=int(generation[0].removeprefix("r")) if generation else 1,
    )


def chunk_item(chunk: Chunk) -> dict[str, Any]:
    item = {
        **chunk_table_key(chunk.key),
        "state": chunk.state,
        "candidates": [
            [each.device_id, each.endpoint_arn, each.skip_reason] for each in chunk.candidates
        ],
    }
    if chunk.leavers:
        item["leavers"] = [
            [each.device_id, each.subscription_arn, each.endpoint_arn, each.reason]
            for each in chunk.leavers
        ]
    return item


def chunk_of(item: dict[str, Any]) -> Chunk:
    return Chunk(
        key=chunk_key_of(item),
        state=ChunkState(item["state"]),
        candidates=tuple(
            Candidate(device_id=device_id, endpoint_arn=endpoint_arn, skip_reason=skip_reason)
            for device_id, endpoint_arn, skip_reason in item["candidates"]
        ),
        leavers=tuple(
            Leaver(device_id=device_id, subscription_arn=arn, endpoint_arn=endpoint, reason=reason)
            for device_id, arn, endpoint, reason in item.get("leavers", ())
        ),
    )


def leaver_record(leaver: Leaver) -> str:
    """The record that goes when the leaver has left."""
    if leaver.device_id is None:
        return f"{STRAY}{leaver.subscription_arn}"
    return MEMBER + leaver.device_id


def member_item(member: Member) -> dict[str, Any]:
    item = {
        "campaign_id": member.campaign_id,
        "record": MEMBER + member.device_id,
        "status": member.status,
        "endpoint_arn": member.endpoint_arn,
        "subscription_arn": member.subscription_arn,
        "reason": member.reason,
    }
    return {name: value for name, value in item.items() if value is not None}


def member_of(item: dict[str, Any]) -> Member:
    return Member(
        campaign_id=item["campaign_id"],
        device_id=item["record"].removeprefix(MEMBER),
        status=MemberStatus(item["status"]),
        endpoint_arn=item.get("endpoint_arn"),
        subscription_arn=item.get("subscription_arn"),
        reason=item.get("reason"),
    )
