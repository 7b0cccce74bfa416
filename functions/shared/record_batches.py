"""Batches of records from a queue or stream: each is worked off apart, each failure is logged."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.shared.observability import logger


def work_off(
    event: dict[str, Any],
    context: LambdaContext,
    *,
    kind: EventType,
    record_handler: Callable[[Any], None],
) -> Any:
    """The partial batch response: the records whose handler raised are delivered again.

    https://docs.aws.amazon.com/powertools/python/latest/utilities/batch/
    """
    processor = BatchProcessor(
        event_type=kind,
        raise_on_entire_batch_failure=False,
        logger=logger,  # type: ignore[arg-type]  # Powertools' own: a Logger in all but type
    )
    return process_partial_response(
        event=event, record_handler=record_handler, processor=processor, context=context
    )
