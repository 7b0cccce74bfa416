"""Requests with an Idempotency-Key: carried out once a day, answered as often as they come.

Powertools keeps the answers (https://docs.aws.amazon.com/powertools/python/latest/utilities/idempotency/).
A request that is being worked on is a 409. One that died is taken over once the time of its
function is over, which is seconds, not the day: so the work itself must be safe to repeat.
"""

from collections.abc import Callable
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Header
from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyInconsistentStateError,
    IdempotencyPersistenceLayerError,
    IdempotencyValidationError,
)
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.shared import clients
from functions.shared.errors import ConflictError, IdempotencyMismatchError, UnavailableError

DAY_SECONDS = 24 * 60 * 60
KEY_MAX_CHARACTERS = 255
MISMATCH = "The same Idempotency-Key came with another body within a day."

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=KEY_MAX_CHARACTERS,
        description="The same key and body within a day get the same answer.",
    ),
]


class Once:
    """What is carried out once for each operation, subject and key."""

    def __init__(self, table_name: str) -> None:
        self._store = DynamoDBPersistenceLayer(
            table_name=table_name, boto3_client=clients.dynamodb()
        )
        self._config = IdempotencyConfig(
            event_key_jmespath="key",
            payload_validation_jmespath="body",
            expires_after_seconds=DAY_SECONDS,
        )

    def register(self, context: LambdaContext) -> None:
        """Tells how much time the function has left: so long nobody takes its request over."""
        self._config.register_lambda_context(context)

    def run(
        self, operation: str, key: str, body: Any, work: Callable[[], Any], *, subject: str = ""
    ) -> Any:
        """What `work` answered to this key first, as JSON has it. A key that failed is free again.

        IdempotencyMismatchError for another body, ConflictError while the same request is being
        worked on, UnavailableError; and what `work` raises.
        """

        def perform(*, call: dict[str, Any]) -> Any:  # noqa: ARG001 (what Powertools looks at)
            return work()

        once = idempotent_function(
            perform,
            data_keyword_argument="call",
            persistence_store=self._store,
            config=self._config,
        )
        try:
            return once(call={"key": f"{operation} {subject} {key}", "body": body})
        except IdempotencyValidationError as error:
            raise IdempotencyMismatchError(MISMATCH) from error
        except IdempotencyAlreadyInProgressError as error:
            raise ConflictError("The same request is being worked on at this moment.") from error
        except (IdempotencyPersistenceLayerError, IdempotencyInconsistentStateError) as error:
            raise UnavailableError("What belongs to the key is not known for now.") from error
