"""A DynamoDB table as Fanfare uses it: on demand, recoverable to any second of the last 35 days."""

from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from stacks.config import Config
from stacks.function import PythonFunction
from stacks.retention import removal_policy

_READ = ("BatchGetItem", "ConditionCheckItem", "GetItem", "Query")
_WRITE = ("BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem")


class Table(dynamodb.TableV2):
    """A table with text keys, and grants that name its actions one by one."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        partition_key: str,
        sort_key: str | None = None,
        indexes: list[dynamodb.GlobalSecondaryIndexPropsV2] | None = None,
        stream: dynamodb.StreamViewType | None = None,
        time_to_live_attribute: str | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            partition_key=text(partition_key),
            sort_key=text(sort_key) if sort_key else None,
            billing=dynamodb.Billing.on_demand(),
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            removal_policy=removal_policy(config),
            deletion_protection=config.retain,
            global_secondary_indexes=indexes,
            dynamo_stream=stream,
            time_to_live_attribute=time_to_live_attribute,
        )

    def allow_items(self, function: PythonFunction) -> None:
        """Reading and writing by key, which leaves out scans, indexes and the table itself."""
        function.allow(*_actions(_READ + _WRITE), on=self.table_arn)

    def allow_reading(self, function: PythonFunction) -> None:
        """Reading by key, and nothing more."""
        function.allow(*_actions(_READ), on=self.table_arn)

    def allow_noting(self, function: PythonFunction) -> None:
        """Putting items and updating them by key, and nothing more."""
        function.allow(*_actions(("PutItem", "UpdateItem")), on=self.table_arn)

    def allow_scan(self, function: PythonFunction) -> None:
        """Reading the table from end to end."""
        function.allow(*_actions(("Scan",)), on=self.table_arn)

    def allow_index(self, function: PythonFunction, index: str) -> None:
        """Querying one index."""
        function.allow(*_actions(("Query",)), on=f"{self.table_arn}/index/{index}")


def text(name: str) -> dynamodb.Attribute:
    """A key attribute that holds text."""
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)


def _actions(names: tuple[str, ...]) -> list[str]:
    return [f"dynamodb:{name}" for name in names]
