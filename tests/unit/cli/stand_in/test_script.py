"""Which calls a script's rules apply to, and in what order."""

import pytest
from pydantic import ValidationError

from cli.stand_in.quota import Quota
from cli.stand_in.script import Director, Effect, Rule, Script


def effects(script: Script, action: str, calls: int, **parameters: str) -> list[str]:
    director = Director(script)
    verdicts = [director.decide(action, parameters) for _ in range(calls)]
    return [verdict.rule.effect if verdict.rule else "-" for verdict in verdicts]


def test_a_rule_skips_calls_and_ends_after_its_times() -> None:
    script = Script(rules=(Rule(effect=Effect.DROP, action="Publish", skip=2, times=1),))
    assert effects(script, "Publish", 5) == ["-", "-", "drop", "-", "-"]


def test_a_rule_leaves_other_actions_alone() -> None:
    script = Script(rules=(Rule(effect=Effect.ERROR, action="Publish"),))
    assert effects(script, "Subscribe", 2) == ["-", "-"]


def test_a_rule_can_ask_for_a_part_of_a_parameter() -> None:
    script = Script(rules=(Rule(effect=Effect.REFUSE, contains="endpoint/7"),))
    assert effects(script, "Subscribe", 1, Endpoint="arn:x:endpoint/7") == ["refuse"]
    assert effects(script, "Subscribe", 1, Endpoint="arn:x:endpoint/8") == ["-"]


def test_the_first_rule_that_applies_counts() -> None:
    script = Script(
        rules=(Rule(effect=Effect.THROTTLE, times=1), Rule(effect=Effect.ERROR, times=2))
    )
    assert effects(script, "Subscribe", 4) == ["throttle", "error", "error", "-"]


def test_a_share_of_the_calls_is_the_same_for_the_same_seed() -> None:
    script = Script(rules=(Rule(effect=Effect.THROTTLE, share=0.3),), seed=7)
    found = effects(script, "Subscribe", 1_000)
    assert found == effects(script, "Subscribe", 1_000)
    assert 250 < found.count("throttle") < 350


def test_a_call_waits_for_the_latency_and_the_rules_own_seconds() -> None:
    rule = Rule(effect=Effect.DELAY, seconds=2.0, times=1)
    director = Director(Script(rules=(rule,), latency_seconds=0.25))
    waits = [director.decide("Subscribe", {}).wait_seconds for _ in range(2)]
    assert waits == [2.25, 0.25]


def test_a_call_over_the_quota_is_throttled() -> None:
    assert effects(Script(quotas={"Subscribe": 3}), "Subscribe", 5) == [
        *("-", "-", "-"),
        *("throttle", "throttle"),
    ]


def test_a_quota_lets_one_seconds_calls_through_and_fills_steadily() -> None:
    now = 0.0
    quota = Quota(100, clock=lambda: now)
    assert sum(quota.take() for _ in range(150)) == 100
    now = 0.5
    assert sum(quota.take() for _ in range(150)) == 50
    now = 60.0
    assert sum(quota.take() for _ in range(150)) == 100


@pytest.mark.parametrize(
    "raw",
    [
        '{"rules": [{"effect": "explode"}]}',
        '{"rules": [{"effect": "drop", "share": 0}]}',
        '{"quotas": {"Subscribe": 0}}',
        '{"speed": 1}',
    ],
)
def test_a_script_with_a_mistake_is_refused(raw: str) -> None:
    with pytest.raises(ValidationError):
        Script.model_validate_json(raw)
