"""The store of devices."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, ConditionBase
from botocore.exceptions import ClientError

from functions.devices.items import KNOWN_NAMES, decode, decode_known, encode
from functions.devices.records import Device, Known
from functions.shared.aws_errors import raise_unless_condition_failed
from functions.shared.batches import batch_get, batch_put

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table


# Some three seconds: whoever calls the API waits for 29 at the most.
API_ROUNDS = 6


class DeviceStore:
    """The devices table, and the table of who owns which token.

    What is changed under a condition is changed by one of two at a time.
    """

    def __init__(self, table: "Table", tokens: "Table") -> None:
        self._table = table
        self._tokens = tokens

    def get(self, device_id: str) -> Device | None:
        """The device as it is now; None if there is none."""
        answer = self._table.get_item(Key={"Id": device_id}, ConsistentRead=True)
        return decode(answer["Item"]) if "Item" in answer else None

    def known(self, device_ids: Sequence[str]) -> dict[str, Known]:
        """What is known of those of the devices that are stored; UnavailableError."""
        keys = [{"Id": device_id} for device_id in device_ids]
        items = batch_get(self._table, keys, attributes=KNOWN_NAMES)
        return {item["Id"]: decode_known(item) for item in items}

    def put(self, device: Device, *, known: Known | None) -> bool:
        """Stores the device; False if it is no longer as it was known."""
        return self._changed(
            self._client.put_item, known, Item=encode(device), TableName=self._table.name
        )

    def put_all(self, devices: Iterable[Device]) -> None:
        """Stores the devices, each Id once, whatever was stored; unprocessed ones are repeated.

        https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
        """
        batch_put(self._table, map(encode, devices), rounds=API_ROUNDS)

    def delete(self, known: Known) -> bool:
        """Removes the device; False if it is no longer as it was known."""
        return self._changed(
            self._client.delete_item,
            known,
            Key={"Id": known.device_id},
            TableName=self._table.name,
        )

    @property
    def _client(self) -> Any:
        # The table is not made for threads; the client behind it is, and it converts as well.
        # https://boto3.amazonaws.com/v1/documentation/api/latest/guide/resources.html#multithreading-or-multiprocessing-with-resources
        return self._table.meta.client

    @staticmethod
    def _changed(call: Any, known: Known | None, **request: Any) -> bool:
        try:
            call(ConditionExpression=_still(known), **request)
        except ClientError as error:
            raise_unless_condition_failed(error)
            return False
        return True


def _still(known: Known | None) -> ConditionBase:
    """That the device is still as it was known; its attributes are replaced whatever they are."""
    if known is None:
        return Attr("Id").not_exists()
    arn = Attr("EndpointArn")
    return (
        (arn.not_exists() if known.endpoint_arn is None else arn.eq(known.endpoint_arn))
        & Attr("Address").eq(known.address)
        & Attr("ChannelType").eq(known.channel_type.value)
        & Attr("OptOut").eq(known.opt_out.value)
    )
