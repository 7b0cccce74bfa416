"""The tables as the stacks make them, for moto."""

from typing import TYPE_CHECKING, Any

import boto3

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table


_BY_CAMPAIGN: Any = [
    {"AttributeName": "campaign_id", "KeyType": "HASH"},
    {"AttributeName": "record", "KeyType": "RANGE"},
]


# Of an import, what is in its index.
IMPORTS_LISTED = [
    *("state", "dry_run", "reason", "files_total", "first_file", "started_at", "ended_at"),
    *("rows", "stored", "duplicates", "moved", "rejected", "skipped"),
]


def _texts(*names: str) -> Any:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def make_lists_table() -> "Table":
    """An empty lists table."""
    return boto3.resource("dynamodb").create_table(
        TableName="lists",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=_BY_CAMPAIGN,
        AttributeDefinitions=_texts("campaign_id", "record"),
    )


def make_campaigns_table() -> "Table":
    """An empty campaigns table with its index."""
    return boto3.resource("dynamodb").create_table(
        TableName="campaigns",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=_BY_CAMPAIGN,
        AttributeDefinitions=_texts("campaign_id", "record", "kind", "created_at"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_created",
                "KeySchema": [
                    {"AttributeName": "kind", "KeyType": "HASH"},
                    {"AttributeName": "created_at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )


def make_idempotency_table() -> "Table":
    """An empty table in the layout of Powertools' idempotency."""
    return boto3.resource("dynamodb").create_table(
        TableName="idempotency",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    )


def make_devices_table() -> "Table":
    """An empty devices table with its index."""
    return boto3.resource("dynamodb").create_table(
        TableName="devices",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
        AttributeDefinitions=_texts("Id", "EndpointArn"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_endpoint",
                "KeySchema": [{"AttributeName": "EndpointArn", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )


def make_tokens_table() -> "Table":
    """An empty table of who owns which token."""
    return boto3.resource("dynamodb").create_table(
        TableName="tokens",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "token", "KeyType": "HASH"}],
        AttributeDefinitions=_texts("token"),
    )


def make_imports_table() -> "Table":
    """An empty imports table."""
    return boto3.resource("dynamodb").create_table(
        TableName="imports",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": "import_id", "KeyType": "HASH"},
            {"AttributeName": "record", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=_texts("import_id", "record", "kind", "created_at"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_created",
                "KeySchema": [
                    {"AttributeName": "kind", "KeyType": "HASH"},
                    {"AttributeName": "created_at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": IMPORTS_LISTED},
            }
        ],
    )
