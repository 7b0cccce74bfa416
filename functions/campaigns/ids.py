"""The ids of campaigns."""

import re

from functions.shared.errors import NotFoundError

CAMPAIGN_ID = re.compile(r"[0-9a-f]{32}")


def campaign_id_of(text: str) -> str:
    """The text, if it can be a campaign's id; NotFoundError without asking DynamoDB if not."""
    if not CAMPAIGN_ID.fullmatch(text):
        raise NotFoundError("There is no campaign with such an id.")
    return text
