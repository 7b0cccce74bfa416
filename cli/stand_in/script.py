"""What the stand-in does to which calls: a script of rules, read from JSON, the same each time."""

import random
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cli.stand_in.quota import Quota


class Effect(StrEnum):
    """What becomes of a call that a rule applies to."""

    THROTTLE = "throttle"  # refused with SNS's own throttling error, not carried out
    ERROR = "error"  # an internal error of SNS, not carried out
    REFUSE = "refuse"  # refused with the rule's code, not carried out
    DROP = "drop"  # the connection is closed, not carried out
    LOSE_ANSWER = "lose_answer"  # carried out, and the connection is closed
    DELAY = "delay"  # carried out after the rule's seconds


class Rule(BaseModel):
    """Which calls, and what becomes of them. Of several that apply, the first one counts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    effect: Effect
    action: Annotated[str | None, Field(description="Subscribe, Publish, ...; None: any.")] = None
    contains: Annotated[str | None, Field(description="A part of a parameter's value.")] = None
    share: Annotated[float, Field(gt=0, le=1, description="Of the calls, by the seed.")] = 1.0
    skip: Annotated[int, Field(ge=0, description="Calls that pass before it applies.")] = 0
    times: Annotated[int | None, Field(ge=1, description="At most so often.")] = None
    seconds: Annotated[float, Field(ge=0, le=60)] = 0.0
    code: str = "InvalidParameter"
    status: Annotated[int, Field(ge=400, le=599)] = 400

    def fits(self, action: str, parameters: Mapping[str, str]) -> bool:
        """Whether it speaks of such a call."""
        if self.action not in (None, action):
            return False
        part = self.contains
        return part is None or any(part in value for value in parameters.values())


class Script(BaseModel):
    """Everything that the stand-in does beside passing calls on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: tuple[Rule, ...] = ()
    quotas: Annotated[
        dict[str, Annotated[float, Field(gt=0)]], Field(description="Calls a second, by action.")
    ] = Field(default_factory=dict)
    latency_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0
    own_endpoints: Annotated[
        bool, Field(description="Keeps platform endpoints itself instead of passing calls on.")
    ] = False
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is done with one call: wait so long, then this; None passes it on."""

    wait_seconds: float = 0.0
    rule: Rule | None = None


_THROTTLED = Rule(effect=Effect.THROTTLE)


class Director:
    """Decides for one call after the other what becomes of it; safe to share between threads."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._random = random.Random(script.seed)  # noqa: S311 (repeatable on purpose)
        self._seen: Counter[int] = Counter()
        self._applied: Counter[int] = Counter()
        self._quotas = {action: Quota(rate) for action, rate in script.quotas.items()}

    def decide(self, action: str, parameters: Mapping[str, str]) -> Verdict:
        """The verdict on this call; a call over its quota is throttled at once."""
        with self._lock:
            quota = self._quotas.get(action)
            if quota is not None and not quota.take():
                return Verdict(rule=_THROTTLED)
            wait = self._script.latency_seconds
            for number, rule in enumerate(self._script.rules):
                if self._applies(number, rule, action, parameters):
                    return Verdict(wait_seconds=wait + rule.seconds, rule=rule)
            return Verdict(wait_seconds=wait)

    def _applies(self, number: int, rule: Rule, action: str, parameters: Mapping[str, str]) -> bool:
        if not rule.fits(action, parameters):
            return False
        self._seen[number] += 1
        if self._seen[number] <= rule.skip:
            return False
        if rule.times is not None and self._applied[number] >= rule.times:
            return False
        if rule.share < 1 and self._random.random() >= rule.share:
            return False
        self._applied[number] += 1
        return True
