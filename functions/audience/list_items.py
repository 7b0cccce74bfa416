"""How a list is laid out in its table: everything of a campaign under one partition key.

record                        what it is
list                          criteria, topic, progress, and the token of the waiting workflow
segment#003                   which attempt at listing segment 3 counts
chunk#003#<attempt>#00012     a slice of that attempt's devices
member#<device id>            one device and what became of it: the truth about the list
"""

from typing import Any

from functions.audience.records import (
    Candidate,
    Chunk,
    ChunkKey,
    ChunkState,
    ListProgress,
    ListState,
    Member,
    MemberStatus,
)

LIST = "list"
SEGMENT = "segment#"
CHUNK = "chunk#"
MEMBER = "member#"


def progress_of(item: dict[str, Any]) -> ListProgress:
    return ListProgress(
        campaign_id=item["campaign_id"],
        state=ListState(item["state"]),
        topic_arn=item["topic_arn"],
        segments_total=int(item["segments_total"]),
        segments_listed=int(item["segments_listed"]),
        chunks_total=int(item["chunks_total"]),
        chunks_done=int(item["chunks_done"]),
        matched=int(item["matched"]),
        processed=int(item["processed"]),
        waiter=item.get("waiter"),
    )


def segment_record(segment: int) -> str:
    return f"{SEGMENT}{segment:03}"


def chunk_table_key(key: ChunkKey) -> dict[str, str]:
    record = f"{CHUNK}{key.segment:03}#{key.attempt}#{key.number:05}"
    return {"campaign_id": key.campaign_id, "record": record}


def chunk_key_of(item: dict[str, Any]) -> ChunkKey:
    _, segment, attempt, number = item["record"].split("#")
    return ChunkKey(
        campaign_id=item["campaign_id"],
        segment=int(segment),
        attempt=attempt,
        number=int(number),
    )


def chunk_item(chunk: Chunk) -> dict[str, Any]:
    return {
        **chunk_table_key(chunk.key),
        "state": chunk.state,
        "candidates": [
            [each.device_id, each.endpoint_arn, each.skip_reason] for each in chunk.candidates
        ],
    }


def chunk_of(item: dict[str, Any]) -> Chunk:
    return Chunk(
        key=chunk_key_of(item),
        state=ChunkState(item["state"]),
        candidates=tuple(
            Candidate(device_id=device_id, endpoint_arn=endpoint_arn, skip_reason=skip_reason)
            for device_id, endpoint_arn, skip_reason in item["candidates"]
        ),
    )


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
