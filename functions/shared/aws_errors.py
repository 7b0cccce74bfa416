"""What AWS's errors have in common: their codes, and what may be done about them."""

from botocore.exceptions import ClientError

# As SNS and the SDK's own retries know them:
# https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html
THROTTLES = frozenset(
    {"Throttling", "ThrottlingException", "Throttled", "ThrottledException"}
    | {"RequestLimitExceeded", "TooManyRequestsException"}
    | {"ProvisionedThroughputExceededException", "RequestThrottled"}
    | {"KMSThrottling", "KMSThrottlingException"}
)
FIRST_SERVER_ERROR = 500


def code_of(error: ClientError) -> str:
    """The error's code, like NotFound."""
    return str(error.response["Error"]["Code"])


def is_throttle(error: ClientError) -> bool:
    """Too fast: the call was not carried out, and may be made again later."""
    return code_of(error) in THROTTLES


def is_server_error(error: ClientError) -> bool:
    """AWS's own failure: the call may or may not have been carried out."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status >= FIRST_SERVER_ERROR


def raise_unless_condition_failed(error: ClientError) -> None:
    """Returns if a single write was refused by its condition; raises any other error again."""
    if code_of(error) != "ConditionalCheckFailedException":
        raise error
