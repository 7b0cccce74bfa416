"""Working chunks off: subscribe or unsubscribe every device at the worker's pace, then settle
chunk by chunk.

While the pool calls SNS, chunks that are over are written and ticked off.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from functions.audience.leaving import Left, leave
from functions.audience.lists import ListStore, Tick
from functions.audience.paced_calls import OutOfTime, PacedCalls
from functions.audience.progress import settle, wake_if_complete
from functions.audience.queue import ChunkMessage
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
from functions.audience.topic import Refused, Subscribe, Subscribed, Unsettled, Unsubscribe
from functions.shared.pacing import Pace
from functions.shared.task_tokens import Wake

SETTLE_INTERVAL_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Worked:
    """How a batch of messages ended. Chunks in neither tuple are done, or need not be."""

    out_of_time: tuple[ChunkKey, ...]
    unsettled: dict[ChunkKey, str]  # with the error code of one of its devices
    subscribed: int
    skipped: int
    failed: int
    throttled: int
    unsubscribed: int = 0


Outcome = Member | Left | OutOfTime | Unsettled


@dataclass(kw_only=True)
class _Job:
    """A chunk under way."""

    chunk: Chunk
    topic_arn: str
    left: Sequence[Candidate | Leaver]  # those without a result from an earlier delivery
    outcomes: list[Outcome] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)  # of the outcomes, as is the next
    gone: list[Left] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """What one device came to."""
        self.outcomes.append(outcome)
        if isinstance(outcome, Member):
            self.members.append(outcome)
        if isinstance(outcome, Left):
            self.gone.append(outcome)

    @property
    def over(self) -> bool:
        return len(self.outcomes) == len(self.left)

    @property
    def complete(self) -> bool:
        return len(self.members) + len(self.gone) == len(self.left)

    @property
    def unsettled(self) -> str | None:
        """Why a device is not settled, if SNS was asked and did not settle it."""
        for outcome in self.outcomes:
            if isinstance(outcome, Unsettled):
                return outcome.code
        return None


class SubscribeWorker:
    """One worker: a pool of threads behind one pace."""

    def __init__(
        self,
        *,
        lists: ListStore,
        subscribe: Subscribe,
        unsubscribe: Unsubscribe,
        pace: Pace,
        wake: Wake,
        threads: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._lists = lists
        self._subscribe = subscribe
        self._unsubscribe = unsubscribe
        self._calls = PacedCalls(pace, sleep=sleep)
        self._wake = wake
        self._threads = threads

    def work(self, messages: Sequence[ChunkMessage], *, deadline: float) -> Worked:
        """Works chunks off until done or `deadline` (on the pace's clock).

        Idempotent: a chunk that is done, or of a list that is closed, gone or at another
        generation, is passed over, and of one that was begun before only the devices without a
        result are seen to.
        """
        keys = [message.key for message in messages]
        lists = self._lists.progress([key.campaign_id for key in keys])
        jobs = self._jobs(messages, lists)
        throttles_before = self._calls.throttles
        with ThreadPoolExecutor(self._threads) as pool:
            futures = {
                pool.submit(self._outcome, job, each, deadline): job
                for job in jobs
                for each in job.left
            }
            try:
                self._collect(futures, jobs)
            except BaseException:
                # The batch will be delivered again; what is not under way need not be begun.
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        wake_if_complete(self._lists, lists, self._wake)
        return _summary(jobs, throttled=self._calls.throttles - throttles_before)

    def _jobs(self, messages: Sequence[ChunkMessage], lists: dict[str, ListProgress]) -> list[_Job]:
        chunks = self._lists.chunks([message.key for message in messages])
        begun = {message.key for message in messages if message.begun}
        jobs = []
        for key, chunk in chunks.items():
            progress = lists.get(key.campaign_id)
            if progress is None or progress.state is not ListState.OPEN:
                continue
            if progress.generation != key.generation or chunk.state is not ChunkState.PENDING:
                continue
            left = self._left(chunk) if key in begun else chunk.entries
            jobs.append(_Job(chunk=chunk, topic_arn=progress.topic_arn, left=left))
        return jobs

    def _left(self, chunk: Chunk) -> Sequence[Candidate | Leaver]:
        """Candidates that are no members yet, leavers that still are."""
        ids = [each.device_id for each in chunk.entries if each.device_id is not None]
        found = self._lists.members(chunk.key.campaign_id, ids)
        members = {None, *(member.device_id for member in found)}
        return [
            each
            for each in chunk.entries
            if isinstance(each, Leaver) is (each.device_id in members)
        ]

    def _collect(self, futures: dict[Future[Outcome], _Job], jobs: Sequence[_Job]) -> None:
        """Settles what is over about once a second, so that many small chunks share a write."""
        to_settle = [job for job in jobs if job.over]
        waiting = set(futures)
        while waiting or to_settle:
            finished, waiting = wait(waiting, timeout=SETTLE_INTERVAL_SECONDS)
            for future in finished:
                job = futures[future]
                job.add(future.result())
                if job.over:
                    to_settle.append(job)
            self._settle(to_settle)
            to_settle = []

    def _settle(self, jobs: Sequence[_Job]) -> None:
        for campaign_id, group in groupby(sorted(jobs, key=_campaign_id), key=_campaign_id):
            over = list(group)
            ticks = [
                Tick(
                    key=job.chunk.key,
                    state=ChunkState.DONE,
                    devices=job.chunk.devices,
                )
                for job in over
                if job.complete
            ]
            unfinished = [job.chunk.key for job in over if not job.complete]
            settle(self._lists, campaign_id, ticks, _members(over), unfinished=unfinished)

    def _outcome(self, job: _Job, each: Candidate | Leaver, deadline: float) -> Outcome:
        campaign_id = job.chunk.key.campaign_id
        if isinstance(each, Leaver):
            return leave(
                each,
                remove=partial(self._lists.remove_leaver, campaign_id),
                subscribe=partial(self._subscribe, job.topic_arn),
                unsubscribe=self._unsubscribe,
                calls=self._calls,
                deadline=deadline,
            )
        member = _skipped(campaign_id, each)
        if member is not None:
            return member
        arn = each.endpoint_arn or ""
        answer: Subscribed | Refused | Unsettled | OutOfTime = self._calls.settle(
            lambda: self._subscribe(job.topic_arn, arn), deadline
        )
        match answer:
            case Subscribed(subscription_arn=subscription_arn):
                return _member(
                    job, each, MemberStatus.SUBSCRIBED, subscription_arn=subscription_arn
                )
            case Refused(reason=reason):
                return _member(job, each, MemberStatus.FAILED, reason=reason)
            case unsettled:
                return unsettled


def _campaign_id(job: _Job) -> str:
    return job.chunk.key.campaign_id


def _members(jobs: Sequence[_Job]) -> Iterator[Member]:
    for job in jobs:
        yield from job.members


def _skipped(campaign_id: str, candidate: Candidate) -> Member | None:
    if candidate.skip_reason is None:
        return None
    return Member(
        campaign_id=campaign_id,
        device_id=candidate.device_id,
        status=MemberStatus.SKIPPED,
        endpoint_arn=candidate.endpoint_arn,
        reason=candidate.skip_reason,
    )


def _member(
    job: _Job,
    candidate: Candidate,
    status: MemberStatus,
    *,
    subscription_arn: str | None = None,
    reason: str | None = None,
) -> Member:
    return Member(
        campaign_id=job.chunk.key.campaign_id,
        device_id=candidate.device_id,
        status=status,
        endpoint_arn=candidate.endpoint_arn,
        subscription_arn=subscription_arn,
        reason=reason,
    )


def _summary(jobs: Sequence[_Job], *, throttled: int) -> Worked:
    statuses = Counter(member.status for member in _members(jobs))
    unsettled = {job.chunk.key: job.unsettled for job in jobs if job.unsettled is not None}
    out_of_time = [
        job.chunk.key for job in jobs if not job.complete and job.chunk.key not in unsettled
    ]
    return Worked(
        out_of_time=tuple(out_of_time),
        unsettled=unsettled,
        subscribed=statuses[MemberStatus.SUBSCRIBED],
        skipped=statuses[MemberStatus.SKIPPED],
        failed=statuses[MemberStatus.FAILED],
        throttled=throttled,
        unsubscribed=sum(left.unsubscribed for job in jobs for left in job.gone),
    )
