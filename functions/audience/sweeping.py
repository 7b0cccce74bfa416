"""Sweeping a list that is refreshed: which members leave, before anybody new is subscribed.

A member leaves if its device is gone or no longer matches, and also if it is to be treated anew
(its endpoint is another, it can or cannot be sent to any more, SNS refused it before): the listing
after the sweep finds it as a stranger. All have left before the first is subscribed, because an
endpoint may pass from one device to another, and an endpoint has one subscription.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from functions.audience.claiming import Listed, Segment, Written, list_once
from functions.audience.criteria import Criteria
from functions.audience.cutting import cut
from functions.audience.device_reader import LookUp, Present
from functions.audience.lists import ListStore
from functions.audience.queue import SubscribeQueue
from functions.audience.records import (
    FAILED_GIVEN_UP,
    MAYBE_SUBSCRIBED,
    SWEEP,
    Chunk,
    ChunkState,
    Leaver,
    Member,
    MemberStatus,
)
from functions.audience.refresh_lists import RefreshLists

# Of a leaver beside its texts: its list, the lengths.
OVERHEAD = 60

# How the devices are read by these criteria.
OpenLookUp = Callable[[Criteria], LookUp]


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep over its stores."""

    lists: ListStore
    refreshes: RefreshLists
    queue: SubscribeQueue
    chunk_size: int

    def run(self, campaign_id: str, generation: int, devices: OpenLookUp) -> Listed:
        """Sweeps once, however often it is called; ConflictError if the list is closed."""
        place = Segment(campaign_id=campaign_id, number=SWEEP, generation=generation)

        def find(criteria: Criteria, attempt: str) -> Written:
            self._doubt_what_is_half_done(campaign_id, generation)
            found = self._sort(campaign_id, devices(criteria))
            chunks = tuple(
                Chunk(key=place.key(attempt, number), state=ChunkState.PENDING, leavers=tuple(some))
                for number, some in enumerate(cut(found.leavers, self.chunk_size, _bytes))
            )
            return Written(chunks=chunks, members=found.staying)

        return list_once(place, find, lists=self.lists, queue=self.queue)

    def _doubt_what_is_half_done(self, campaign_id: str, generation: int) -> None:
        """After a failure, what a worker may have done without noting it is taken for not known."""
        progress = self.lists.progress([campaign_id]).get(campaign_id)
        if progress is None or not progress.unfinished:
            return
        for chunk in self.refreshes.unfinished(campaign_id, before=generation):
            for leaver in chunk.leavers:
                if leaver.device_id is not None and leaver.subscription_arn is not None:
                    self.refreshes.lose(campaign_id, leaver.device_id, leaver.subscription_arn)
            for candidate in chunk.candidates:
                if candidate.skip_reason is None:
                    self.lists.add_member(
                        Member(
                            campaign_id=campaign_id,
                            device_id=candidate.device_id,
                            status=MemberStatus.FAILED,
                            endpoint_arn=candidate.endpoint_arn,
                            reason=FAILED_GIVEN_UP,
                        )
                    )

    def _sort(self, campaign_id: str, look_up: LookUp) -> "_Sorted":
        found = _Sorted(strays=self.refreshes.strays(campaign_id))
        for members in self.refreshes.everyone(campaign_id):
            present = look_up([member.device_id for member in members])
            for member in members:
                found.add(member, present.get(member.device_id))
        if found.endpoints:
            # Two devices had one endpoint at different times, and so have one subscription: with
            # that one gone, the other has to be subscribed anew.
            for members in self.refreshes.everyone(campaign_id):
                for member in members:
                    found.add_twin(member)
        found.add_strays()
        return found


@dataclass(kw_only=True)
class _Sorted:
    """Who leaves and how many stay; keeps in memory only what changes."""

    strays: list[str]
    leavers: list[Leaver] = field(default_factory=list)
    staying: int = 0
    endpoints: set[str] = field(default_factory=set)  # that will have no subscription
    _leaving: set[str] = field(default_factory=set)
    _held: set[str] = field(default_factory=set)

    def add(self, member: Member, present: Present | None) -> None:
        """Sorts a member by its device as it is now."""
        if _stays(member, present):
            self.staying += 1
            if member.subscription_arn in self.strays:
                self._held.add(member.subscription_arn)
            return
        self._leave(member, _leaver(member, present))

    def add_twin(self, member: Member) -> None:
        """Lets a member leave that stays, but whose subscription goes with another's."""
        if member.device_id in self._leaving or member.status is not MemberStatus.SUBSCRIBED:
            return
        if member.endpoint_arn in self.endpoints:
            self.staying -= 1
            self._leave(member, _leaver(member, None))

    def add_strays(self) -> None:
        """Adds the subscriptions that are nobody's; what a member holds by now is left alone."""
        for arn in self.strays:
            if arn not in self._held:
                self.leavers.append(Leaver(device_id=None, subscription_arn=arn))

    def _leave(self, member: Member, leaver: Leaver) -> None:
        self.leavers.append(leaver)
        self._leaving.add(member.device_id)
        if member.endpoint_arn and (leaver.subscription_arn or leaver.endpoint_arn):
            self.endpoints.add(member.endpoint_arn)


def _stays(member: Member, present: Present | None) -> bool:
    if present is None or not present.matches:
        return False
    candidate = present.candidate
    if member.status is MemberStatus.SUBSCRIBED:
        return candidate.skip_reason is None and candidate.endpoint_arn == member.endpoint_arn
    if member.status is MemberStatus.SKIPPED:
        return candidate.skip_reason == member.reason
    return False  # what SNS would not take is tried again


def _leaver(member: Member, present: Present | None) -> Leaver:
    return Leaver(
        device_id=member.device_id,
        subscription_arn=member.subscription_arn,
        endpoint_arn=member.endpoint_arn if _to_be_asked(member, present) else None,
        reason=member.reason,
    )


def _to_be_asked(member: Member, present: Present | None) -> bool:
    """Whether there may be a subscription that is not known, and will not be made again."""
    if member.status is not MemberStatus.FAILED or member.reason not in MAYBE_SUBSCRIBED:
        return False
    if present is None or not present.matches:
        return True
    candidate = present.candidate
    return candidate.skip_reason is not None or candidate.endpoint_arn != member.endpoint_arn


def _bytes(leaver: Leaver) -> int:
    texts = (leaver.device_id, leaver.subscription_arn, leaver.endpoint_arn, leaver.reason)
    return sum(len(text.encode()) for text in texts if text) + OVERHEAD
