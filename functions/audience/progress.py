"""Ticking chunks off, and waking the workflow when the last one is."""

from collections.abc import Iterable, Sequence

from functions.audience.lists import TICKS_A_TRANSACTION, ListStore, Tick
from functions.audience.records import ChunkKey, Member
from functions.shared.batches import batched
from functions.shared.task_tokens import Wake
from functions.shared.transactions import ConditionFailedError

_LIST_ACTION = 0  # the first action of a tick is the list's own progress; the chunks follow


def settle(
    lists: ListStore,
    campaign_id: str,
    ticks: Sequence[Tick],
    members: Iterable[Member],
    *,
    unfinished: Sequence[ChunkKey] = (),
    written_before: Sequence[Member] = (),
) -> None:
    """Writes members, then ticks their chunks off; nothing stays of a campaign that is gone.

    `unfinished` are the chunks of members that are written without their chunk being ticked off;
    `written_before` are members of these chunks that need not be written, but may have to go.
    """
    written = list(members)
    lists.write_members(written)
    written += written_before
    not_ticked = list(unfinished)
    for some in batched(ticks, TICKS_A_TRANSACTION):
        if not _tick(lists, campaign_id, some):
            not_ticked += [tick.key for tick in some]
    # A chunk that is still there belongs to a list that goes on, is complete or was cancelled: its
    # members are right, or will be deleted with it, since deletion removes chunks before members.
    if not_ticked and not lists.chunks(not_ticked):
        lists.remove_members(campaign_id, [member.device_id for member in written])


def wake_if_complete(lists: ListStore, campaign_ids: Iterable[str], wake: Wake) -> None:
    """Wakes the workflow of every list that is complete now and has somebody waiting.

    Whoever ticks the last chunk off does this; whoever stores the waiter looks at the progress
    after storing. Whichever is later sees both.
    """
    for progress in lists.progress(list(campaign_ids)).values():
        if progress.complete and progress.waiter is not None:
            wake(progress.waiter)


def _tick(lists: ListStore, campaign_id: str, ticks: Sequence[Tick]) -> bool:
    """False if the list takes no ticks any more. Chunks ticked off before are left out."""
    left = list(ticks)
    while left:
        try:
            lists.tick(campaign_id, left)
        except ConditionFailedError as error:
            if _LIST_ACTION in error.failed:
                return False
            ticked_before = {index - 1 for index in error.failed}
            left = [tick for index, tick in enumerate(left) if index not in ticked_before]
        else:
            return True
    return True
