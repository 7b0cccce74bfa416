"""The store of campaigns and their publishes. Every change of state is one transaction, together
with its line in the history."""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, ConditionBase, Key
from botocore.exceptions import ClientError

from functions.audience.records import Tally
from functions.campaigns.conflicts import NotSchedulableError, StateConflictError
from functions.campaigns.history import SYSTEM, Action, Actor, Claim, Entry
from functions.campaigns.history_items import AUDIT, entry_item, entry_of
from functions.campaigns.items import (
    CAMPAIGN,
    KIND,
    PUBLISH,
    TRIAL,
    campaign_item,
    campaign_of,
    publish_item,
    publish_of,
    tally_item,
)
from functions.campaigns.records import Campaign, IfLate, Publish
from functions.campaigns.states import SCHEDULABLE, PublishState, State, allowed_from
from functions.shared.aws_errors import raise_unless_condition_failed
from functions.shared.batches import batch_delete
from functions.shared.clock import Clock, optional_to_wire, to_wire
from functions.shared.errors import ConflictError, NotFoundError
from functions.shared.transactions import ConditionFailedError, transact, update_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table

BY_CREATED = "by_created"
# After every id that a record may have.
LAST = "~"
_ACTIONS = {
    State.READY: Action.READY,
    State.PUBLISHING: Action.PUBLISH,
    State.PUBLISHED: Action.PUBLISHED,
    State.REFRESHING: Action.REFRESH,
    State.CANCELLED: Action.CANCEL,
    State.FAILED: Action.FAIL,
}


class CampaignStore:
    """The campaigns table."""

    def __init__(self, table: "Table", *, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def create(self, campaign: Campaign, *, by: Actor = SYSTEM) -> bool:
        """Stores a new campaign; False if the id is taken. The stream starts the workflow."""
        put = {
            "TableName": self._table.name,
            "Item": campaign_item(campaign),
            "ConditionExpression": "attribute_not_exists(#record)",
            "ExpressionAttributeNames": {"#record": "record"},
        }
        entry = self._entry(campaign.campaign_id, by, Action.CREATE, State.BUILDING)
        try:
            transact(self._table, [{"Put": put}, entry])
        except ConditionFailedError:
            return False
        return True

    def find(self, campaign_id: str) -> Campaign | None:
        """The campaign with its publishes, oldest first; None if there is none."""
        records = Key("record").between(CAMPAIGN, PUBLISH + LAST)
        items = {item["record"]: item for item in self._items(campaign_id, records)}
        if CAMPAIGN not in items:
            return None
        publishes = [publish_of(item) for name, item in items.items() if name.startswith(PUBLISH)]
        return campaign_of(items[CAMPAIGN], publishes)

    def get(self, campaign_id: str) -> Campaign:
        """The campaign; NotFoundError if there is none, or it is being deleted."""
        campaign = self.find(campaign_id)
        if campaign is None or campaign.deleting:
            raise _no_campaign(campaign_id)
        return campaign

    def page(
        self, *, limit: int, after: dict[str, str] | None
    ) -> tuple[list[Campaign], dict[str, str] | None]:
        """Up to `limit` campaigns, newest first, and where the next page starts."""
        request: dict[str, Any] = {
            "IndexName": BY_CREATED,
            "KeyConditionExpression": Key("kind").eq(KIND),
            "FilterExpression": Attr("deleting").not_exists(),
            "ScanIndexForward": False,
        }
        start: Any = None if after is None else {**after, "record": CAMPAIGN, "kind": KIND}
        found: list[Campaign] = []
        while True:
            more = request if start is None else {**request, "ExclusiveStartKey": start}
            answer = self._table.query(**more, Limit=limit - len(found))
            found += [campaign_of(item, ()) for item in answer["Items"]]
            start = answer.get("LastEvaluatedKey")
            if start is None:
                return found, None
            if len(found) == limit:
                return found, {name: str(start[name]) for name in ("campaign_id", "created_at")}

    def history(
        self, campaign_id: str, *, limit: int, after: str | None
    ) -> tuple[list[Entry], str | None]:
        """Up to `limit` entries, newest first, and the record that the next page starts after."""
        request: dict[str, Any] = {}
        if after is not None:
            request["ExclusiveStartKey"] = {"campaign_id": campaign_id, "record": after}
        answer = self._table.query(
            KeyConditionExpression=Key("campaign_id").eq(campaign_id)
            & Key("record").begins_with(AUDIT),
            ConsistentRead=True,
            ScanIndexForward=False,
            Limit=limit,
            **request,
        )
        last = answer.get("LastEvaluatedKey")
        return [entry_of(item) for item in answer["Items"]], str(last["record"]) if last else None

    # The campaign's life

    def change_state(
        self,
        campaign_id: str,
        target: State,
        *,
        reason: str | None = None,
        tally: Tally | None = None,
        due_at: datetime | None = None,
        by: Actor = SYSTEM,
    ) -> Campaign:
        """The campaign in its new state; ConflictError naming the present one, NotFoundError.

        With `due_at` only if that is the campaign's publish_at still.
        """
        values: dict[str, Any] = {"reason": reason}
        if tally is not None:
            values["tally"] = tally_item(tally)
        sources = sorted(allowed_from(target))
        names: dict[str, Any] = {f":from{index}": state for index, state in enumerate(sources)}
        still, due = still_due(due_at)
        return self._change(
            campaign_id,
            Change(values, state=target, now=self._clock()),
            f"#set_state IN ({', '.join(names)}){still}",
            names | due,
            self._entry(campaign_id, by, _ACTIONS[target], target, reason),
            asked=target,
        )

    def attach(self, campaign_id: str, *, topic_arn: str, execution_arn: str) -> Campaign:
        """Notes what a BUILDING campaign got; ConflictError if it is none any more."""
        return self._update(
            campaign_id,
            {"topic_arn": topic_arn, "execution_arn": execution_arn},
            condition=Attr("state").eq(State.BUILDING) & Attr("deleting").not_exists(),
            asked=State.BUILDING,
        )

    def store_gate_token(self, campaign_id: str, token: str, generation: int = 1) -> Campaign:
        """The campaign after its gate's token was stored; ConflictError if it is at another
        generation, whose gate is another's."""
        return self._update(campaign_id, {"gate_token": token}, condition=_at(generation))

    def store_receipt_token(self, campaign_id: str, token: str, generation: int = 1) -> Campaign:
        """The campaign, with publishes, after the token of who waits for the receipt was stored;
        ConflictError if it is at another generation."""
        self._update(campaign_id, {"receipt_token": token}, condition=_at(generation))
        campaign = self.find(campaign_id)
        if campaign is None:
            raise _no_campaign(campaign_id)
        return campaign

    def reschedule(
        self,
        campaign_id: str,
        *,
        publish_at: datetime | None,
        if_late: IfLate,
        former: frozenset[datetime] = frozenset(),
        by: Actor = SYSTEM,
    ) -> Campaign:
        """The campaign with another time, or none, that no publish has used up; ConflictError once
        a publish is asked for."""
        wire = optional_to_wire(publish_at)
        change = Change({"publish_at": wire, "if_late": if_late, "time_used": False})
        change.names["#state"] = "state"
        if former:
            change.expression += " ADD former_times :former"
            change.values[":former"] = set(map(to_wire, former))
        states: dict[str, Any] = {f":from{n}": state for n, state in enumerate(SCHEDULABLE)}
        return self._change(
            campaign_id,
            change,
            f"#state IN ({', '.join(states)}) AND attribute_not_exists(deleting)",
            states,
            self._entry(campaign_id, by, Action.SCHEDULE, wire or "by hand"),
            asked=None,
            action=Action.SCHEDULE,
        )

    def mark_deleting(self, campaign_id: str, *, by: Actor = SYSTEM) -> Campaign:
        """The campaign, from now on hidden; the stream has it cleaned up, again if asked again.
        ConflictError while it is PUBLISHING: deleting its topic could lose messages."""
        change = Change({"deleting": True, "delete_asked_at": to_wire(self._clock())})
        change.names["#state"] = "state"
        return self._change(
            campaign_id,
            change,
            "(attribute_exists(#set_deleting) OR #state <> :publishing)",
            {":publishing": State.PUBLISHING},
            self._entry(campaign_id, by, Action.DELETE, "hidden"),
            asked=None,
        )

    def delete(self, campaign_id: str) -> None:
        """Removes the campaign and all that is kept with it; itself last."""
        names = [item["record"] for item in self._items(campaign_id, only="record")]
        keys = [{"campaign_id": campaign_id, "record": name} for name in names if name != CAMPAIGN]
        batch_delete(self._table, keys)
        self._table.delete_item(Key=campaign_key(campaign_id))

    # Publishing

    def request_publish(
        self,
        campaign_id: str,
        publish_id: str,
        *,
        due_at: datetime | None = None,
        late_by: timedelta | None = None,
        by: Actor = SYSTEM,
    ) -> Campaign:
        """READY becomes PUBLISHING with a publish REQUESTED, both or none; ConflictError if not.

        With `due_at` only if that is the campaign's publish_at still.
        """
        now = self._clock()
        late = None if late_by is None else int(late_by.total_seconds())
        publish = Publish(
            publish_id=publish_id,
            state=PublishState.REQUESTED,
            requested_at=now,
            late_by_seconds=late,
        )
        change = Change(
            {"publish_id": publish_id, "reason": None, "time_used": True, "late_by_seconds": late},
            state=State.PUBLISHING,
            now=now,
        )
        still, due = still_due(due_at)
        condition = f"#set_state = :ready AND attribute_not_exists(deleting){still}"
        put = {
            "TableName": self._table.name,
            "Item": publish_item(campaign_id, publish),
            "ConditionExpression": "attribute_not_exists(#record)",
            "ExpressionAttributeNames": {"#record": "record"},
        }
        try:
            transact(
                self._table,
                [
                    self._update_action(
                        campaign_key(campaign_id), change, condition, {":ready": State.READY} | due
                    ),
                    {"Put": put},
                    self._entry(campaign_id, by, Action.PUBLISH, State.PUBLISHING),
                ],
            )
        except ConditionFailedError as error:
            raise conflict(self.find(campaign_id), campaign_id, State.PUBLISHING) from error
        return self.get(campaign_id)

    def begin_sending(self, campaign_id: str, publish_id: str) -> bool:
        """True for the one caller that may now call SNS for this publish."""
        sender = uuid.uuid4().hex
        if self._change_publish(
            campaign_id,
            publish_id,
            {
                "state": PublishState.SENDING,
                "sending_at": to_wire(self._clock()),
                "sender": sender,
            },
            condition=Attr("state").eq(PublishState.REQUESTED),
        ):
            return True
        # The SDK repeats a write whose answer was lost, and the repeat finds its own first try.
        answer = self._table.get_item(
            Key=_publish_key(campaign_id, publish_id), ConsistentRead=True
        )
        return answer.get("Item", {}).get("sender") == sender

    def note_sent(self, campaign_id: str, publish_id: str, message_id: str) -> None:
        """Keeps the id that SNS gave the message; a receipt may have come before."""
        sent = {"message_id": message_id, "sent_at": to_wire(self._clock())}
        if not self._change_publish(
            campaign_id,
            publish_id,
            {**sent, "state": PublishState.SENT},
            condition=Attr("state").eq(PublishState.SENDING),
        ):
            self._change_publish(campaign_id, publish_id, sent, condition=Attr("record").exists())

    def refuse_publish(
        self, campaign_id: str, publish_id: str, reason: str, *, while_: PublishState
    ) -> bool:
        """The publish becomes REFUSED and the campaign READY again, both or none, with the reason.

        False if the publish is not in that state any more, or the campaign not PUBLISHING.
        """
        refused = Change({"state": PublishState.REFUSED, "reason": reason})
        ready = Change({"reason": reason}, state=State.READY, now=self._clock())
        try:
            transact(
                self._table,
                [
                    self._update_action(
                        _publish_key(campaign_id, publish_id),
                        refused,
                        "#set_state = :while",
                        {":while": while_},
                    ),
                    self._update_action(
                        campaign_key(campaign_id),
                        ready,
                        "#set_state = :publishing",
                        {":publishing": State.PUBLISHING},
                    ),
                    self._entry(campaign_id, SYSTEM, Action.REFUSED, State.READY, reason),
                ],
            )
        except ConditionFailedError:
            return False
        return True

    def note_receipt(self, campaign_id: str, publish_id: str, message_id: str) -> Publish | None:
        """The publish after the probe heard the message; None if there is no such publish.

        Heard again, the same message changes nothing; another message is counted beside it.
        """
        try:
            answer = update_item(
                self._table,
                Key=_publish_key(campaign_id, publish_id),
                UpdateExpression=(
                    "SET #state = :received, received_at = if_not_exists(received_at, :now) "
                    "ADD receipts :message_ids"
                ),
                ConditionExpression=Attr("record").exists(),
                ExpressionAttributeNames={"#state": "state"},
                ExpressionAttributeValues={
                    ":received": PublishState.RECEIVED,
                    ":now": to_wire(self._clock()),
                    ":message_ids": {message_id},
                },
                ReturnValues="ALL_NEW",
            )
        except ClientError as error:
            raise_unless_condition_failed(error)
            return None
        return publish_of(answer["Attributes"])

    # Test sends

    def begin_trial(self, campaign_id: str, entry: Entry, *, claim: Claim | None) -> str | None:
        """The name of the new line in the history; None if the claim is taken. NotFoundError.

        Only a claim makes a second try under the same key see that there was a first.
        """
        item = entry_item(campaign_id, entry)
        there = {
            "TableName": self._table.name,
            "Key": campaign_key(campaign_id),
            "ConditionExpression": "attribute_exists(#record) AND attribute_not_exists(deleting)",
            "ExpressionAttributeNames": {"#record": "record"},
        }
        actions: list[dict[str, Any]] = [
            {"ConditionCheck": there},
            {"Put": {"TableName": self._table.name, "Item": item}},
        ]
        if claim is not None:
            put = {
                "TableName": self._table.name,
                "Item": {**_trial_key(campaign_id, claim), "body": claim.body},
                "ConditionExpression": "attribute_not_exists(#record)",
                "ExpressionAttributeNames": {"#record": "record"},
            }
            actions.append({"Put": put})
        try:
            transact(self._table, actions)
        except ConditionFailedError as error:
            if 0 in error.failed:
                raise _no_campaign(campaign_id) from error
            return None
        return str(item["record"])

    def trial_body(self, campaign_id: str, claim: Claim) -> str | None:
        """What was asked for under the claim first."""
        answer = self._table.get_item(Key=_trial_key(campaign_id, claim), ConsistentRead=True)
        body = answer.get("Item", {}).get("body")
        return None if body is None else str(body)

    def end_trial(self, campaign_id: str, record: str, outcome: str) -> None:
        """Says in the history how it ended, if that is there still."""
        try:
            update_item(
                self._table,
                Key={"campaign_id": campaign_id, "record": record},
                UpdateExpression="SET outcome = :outcome",
                ConditionExpression=Attr("record").exists(),
                ExpressionAttributeValues={":outcome": outcome},
            )
        except ClientError as error:
            raise_unless_condition_failed(error)

    # Shared by the above

    def _items(
        self, campaign_id: str, records: ConditionBase | None = None, *, only: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """What is kept under the campaign's key, over all pages."""
        key = Key("campaign_id").eq(campaign_id)
        request: dict[str, Any] = {
            "KeyConditionExpression": key if records is None else key & records,
            "ConsistentRead": True,
        }
        if only is not None:
            request |= {
                "ProjectionExpression": "#only",
                "ExpressionAttributeNames": {"#only": only},
            }
        while True:
            answer = self._table.query(**request)
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _entry(
        self,
        campaign_id: str,
        by: Actor,
        action: Action,
        outcome: str,
        reason: str | None = None,
    ) -> dict[str, Any]:
        """A new line of the history as a transaction has it."""
        entry = Entry(at=self._clock(), by=by, action=action, outcome=str(outcome), reason=reason)
        return {"Put": {"TableName": self._table.name, "Item": entry_item(campaign_id, entry)}}

    def _change(
        self,
        campaign_id: str,
        change: "Change",
        condition: str,
        values: dict[str, Any],
        entry: dict[str, Any],
        *,
        asked: State | None,
        action: Action | None = None,
    ) -> Campaign:
        """The campaign after the change and its line in the history were written, both or none."""
        change.names["#record"] = "record"
        condition = f"attribute_exists(#record) AND {condition}"
        update = self._update_action(campaign_key(campaign_id), change, condition, values)
        try:
            transact(self._table, [update, entry])
        except ConditionFailedError as error:
            raise conflict(self.find(campaign_id), campaign_id, asked, action) from error
        campaign = self.find(campaign_id)
        if campaign is None:
            raise _no_campaign(campaign_id)
        return campaign

    def _update_action(
        self, key: dict[str, str], change: "Change", condition: str, values: dict[str, Any]
    ) -> dict[str, Any]:
        """An update as a transaction has it; the condition may use the change's aliases."""
        return {
            "Update": {
                "TableName": self._table.name,
                "Key": key,
                "UpdateExpression": change.expression,
                "ConditionExpression": condition,
                "ExpressionAttributeNames": change.names,
                "ExpressionAttributeValues": change.values | values,
            }
        }

    def _update(
        self,
        campaign_id: str,
        values: dict[str, Any],
        *,
        condition: ConditionBase | None = None,
        asked: State | None = None,
    ) -> Campaign:
        change = Change(values)
        exists = Attr("record").exists()
        try:
            answer = update_item(
                self._table,
                Key=campaign_key(campaign_id),
                UpdateExpression=change.expression,
                ConditionExpression=exists if condition is None else exists & condition,
                ExpressionAttributeNames=change.names,
                ExpressionAttributeValues=change.values,
                ReturnValues="ALL_NEW",
            )
        except ClientError as error:
            raise_unless_condition_failed(error)
            raise conflict(self.find(campaign_id), campaign_id, asked) from error
        return campaign_of(answer["Attributes"], ())

    def _change_publish(
        self,
        campaign_id: str,
        publish_id: str,
        values: dict[str, Any],
        *,
        condition: ConditionBase,
    ) -> bool:
        change = Change(values)
        try:
            update_item(
                self._table,
                Key=_publish_key(campaign_id, publish_id),
                UpdateExpression=change.expression,
                ConditionExpression=condition,
                ExpressionAttributeNames=change.names,
                ExpressionAttributeValues=change.values,
            )
        except ClientError as error:
            raise_unless_condition_failed(error)
            return False
        return True


class Change:
    """An update that sets values, and a new state with its time, with every name aliased.

    The aliases begin with #set_, so that they never meet those of boto3's condition builder.
    """

    def __init__(
        self, values: dict[str, Any], *, state: State | None = None, now: datetime | None = None
    ) -> None:
        sets = dict(values) if state is None else {**values, "state": state}
        self.names = {f"#set_{name}": name for name in sets}
        self.values: dict[str, Any] = {f":set_{name}": value for name, value in sets.items()}
        parts = [f"#set_{name} = :set_{name}" for name in sets]
        if state is not None and now is not None:
            self.names |= {"#times": "times", "#time": state.value}
            self.values[":time"] = to_wire(now)
            parts.append("#times.#time = :time")
        self.expression = "SET " + ", ".join(parts)


def _at(generation: int) -> ConditionBase:
    same: ConditionBase = Attr("generation").eq(generation)
    return Attr("generation").not_exists() | same if generation == 1 else same


def still_due(due_at: datetime | None) -> tuple[str, dict[str, Any]]:
    """More of a condition, with its values: the time is the one that came, and not used up."""
    if due_at is None:
        return "", {}
    return (
        " AND publish_at = :due AND (attribute_not_exists(time_used) OR time_used = :unused)",
        {":due": to_wire(due_at), ":unused": False},
    )


def conflict(
    campaign: Campaign | None,
    campaign_id: str,
    asked: State | None,
    action: Action | None = None,
) -> ConflictError | NotFoundError:
    """Why a change of the campaign was refused, by what it is now."""
    if campaign is None or campaign.deleting:
        return _no_campaign(campaign_id)
    if action is Action.SCHEDULE:
        return NotSchedulableError(campaign)
    return StateConflictError(campaign, asked)


def _no_campaign(campaign_id: str) -> NotFoundError:
    return NotFoundError(f"There is no campaign {campaign_id}.")


def campaign_key(campaign_id: str) -> dict[str, str]:
    """Where the campaign's own record is."""
    return {"campaign_id": campaign_id, "record": CAMPAIGN}


def _trial_key(campaign_id: str, claim: Claim) -> dict[str, str]:
    return {"campaign_id": campaign_id, "record": TRIAL + claim.key}


def _publish_key(campaign_id: str, publish_id: str) -> dict[str, str]:
    return {"campaign_id": campaign_id, "record": PUBLISH + publish_id}
