"""The one reader of the environment: a typed, frozen settings model per handler."""

import os
from typing import Self

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Base of each handler's settings: the field `devices_table` is read from DEVICES_TABLE."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    @classmethod
    def from_environment(cls) -> Self:
        """The settings as deployed; pydantic's ValidationError names what is missing."""
        return cls.model_validate({name.lower(): value for name, value in os.environ.items()})
