"""Reading single devices as the criteria see them: are they there, do they match, can they be
sent to."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.audience.criteria import Criteria
from functions.audience.criteria_tree import conditions
from functions.audience.devices import candidate_of
from functions.audience.evaluate import matcher
from functions.audience.records import Candidate
from functions.shared.batches import BATCH_GET_MAX_KEYS, batch_get, batched

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

# Requests at once, each of a hundred devices: more would wait for the function's processor.
THREADS = 8
_READ = ("Id", "EndpointArn", "OptOut", "EndpointStatus")


@dataclass(frozen=True, kw_only=True)
class Present:
    """A device that is there, and whether the criteria still select it."""

    candidate: Candidate
    matches: bool


# The devices that are there among these, by Id.
LookUp = Callable[[Sequence[str]], dict[str, Present]]


def look_up(devices: "Table", criteria: Criteria) -> LookUp:
    """Reads devices by Id, consistently; with whole attributes, which DynamoDB charges anyway."""
    matches = matcher(criteria)
    asked = {condition.field.path[0] for condition in conditions(criteria)}
    attributes = tuple(dict.fromkeys((*_READ, *sorted(asked))))

    def read(device_ids: list[str]) -> list[tuple[str, Present]]:
        keys = [{"Id": device_id} for device_id in device_ids]
        return [
            (item["Id"], Present(candidate=candidate_of(item), matches=matches(item)))
            for item in batch_get(devices, keys, attributes=attributes)
        ]

    def find(device_ids: Sequence[str]) -> dict[str, Present]:
        with ThreadPoolExecutor(THREADS) as pool:
            batches = pool.map(read, batched(device_ids, BATCH_GET_MAX_KEYS))
            return dict(pair for batch in batches for pair in batch)

    return find
