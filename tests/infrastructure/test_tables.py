import pytest

from tests.infrastructure.synthesized import Synthesized
from tests.unit.tables import IMPORTS_LISTED

TABLES = {
    "Devices/DevicesTable": ["Id"],
    "Devices/TokensTable": ["token"],
    "Audience/ListsTable": ["campaign_id", "record"],
    "Imports/ImportsTable": ["import_id", "record"],
    "Campaigns/CampaignsTable": ["campaign_id", "record"],
    "Campaigns/IdempotencyTable": ["id"],
}


def test_there_are_these_tables_with_these_keys(fanfare: Synthesized) -> None:
    keys = {
        path: [key["AttributeName"] for key in properties["KeySchema"]]
        for path, properties in fanfare.of_type("AWS::DynamoDB::GlobalTable").items()
    }

    assert keys == TABLES


@pytest.mark.parametrize("path", TABLES)
def test_every_table_is_on_demand_and_recoverable(fanfare: Synthesized, path: str) -> None:
    table = fanfare.properties(path)

    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert [replica["PointInTimeRecoverySpecification"] for replica in table["Replicas"]] == [
        {"PointInTimeRecoveryEnabled": True}
    ]


@pytest.mark.parametrize("path", TABLES)
def test_a_table_stays_when_the_removal_policy_is_retain(kept: Synthesized, path: str) -> None:
    assert kept.resources[path]["DeletionPolicy"] == "Retain"
    assert kept.properties(path)["Replicas"][0]["DeletionProtectionEnabled"] is True


@pytest.mark.parametrize("path", TABLES)
def test_a_table_goes_when_the_removal_policy_is_destroy(fanfare: Synthesized, path: str) -> None:
    assert fanfare.resources[path]["DeletionPolicy"] == "Delete"
    assert fanfare.properties(path)["Replicas"][0]["DeletionProtectionEnabled"] is False


def test_campaigns_are_streamed_and_found_by_their_age(fanfare: Synthesized) -> None:
    table = fanfare.properties("Campaigns/CampaignsTable")

    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["GlobalSecondaryIndexes"] == [
        {
            "IndexName": "by_created",
            "KeySchema": [
                {"AttributeName": "kind", "KeyType": "HASH"},
                {"AttributeName": "created_at", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ]


def test_imports_are_found_by_their_age_without_their_rejected_rows(fanfare: Synthesized) -> None:
    assert fanfare.properties("Imports/ImportsTable")["GlobalSecondaryIndexes"] == [
        {
            "IndexName": "by_created",
            "KeySchema": [
                {"AttributeName": "kind", "KeyType": "HASH"},
                {"AttributeName": "created_at", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": IMPORTS_LISTED},
        }
    ]


def test_devices_are_found_by_their_endpoint(fanfare: Synthesized) -> None:
    assert fanfare.properties("Devices/DevicesTable")["GlobalSecondaryIndexes"] == [
        {
            "IndexName": "by_endpoint",
            "KeySchema": [{"AttributeName": "EndpointArn", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ]


def test_what_is_left_of_a_token_without_an_owner_expires(fanfare: Synthesized) -> None:
    assert fanfare.properties("Devices/TokensTable")["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }


def test_idempotency_records_expire(fanfare: Synthesized) -> None:
    assert fanfare.properties("Campaigns/IdempotencyTable")["TimeToLiveSpecification"] == {
        "AttributeName": "expiration",
        "Enabled": True,
    }
