"""Reads the rows of one slice out of the bucket, as the import's plan says."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from functions.imports import keys
from functions.imports.bucket import Bucket
from functions.imports.reading import Row, read_kept
from functions.imports.results import Plan, plan_from_json
from functions.imports.slice_rows import SliceRows, last_of_each

GETS_AT_ONCE = 16
# A worker goes from one slice of an import to the next one of it, as a rule.
PLANS_KEPT = 2


class Slices:
    """The slices of imports that are being loaded."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self.plan: Callable[[str], Plan] = lru_cache(PLANS_KEPT)(self._plan)

    def read(self, import_id: str, number: int) -> SliceRows:
        """What is to be registered of a slice; the same each time."""
        plan = self.plan(import_id)
        return last_of_each(self._rows(import_id, number, plan), plan.layouts)

    def _rows(self, import_id: str, number: int, plan: Plan) -> Iterator[tuple[int, Row]]:
        parts = []
        for listed in self._bucket.listed(keys.slice_(import_id, number)):
            group, attempt = keys.attempt_of(listed.key)
            if plan.attempts[group] == attempt:
                parts.append(listed.key)
        with ThreadPoolExecutor(GETS_AT_ONCE, thread_name_prefix="s3") as pool:
            for part in pool.map(self._bucket.get, parts):
                yield from map(read_kept, part.splitlines())

    def _plan(self, import_id: str) -> Plan:
        return plan_from_json(self._bucket.get(keys.plan(import_id)))
