"""cdk-nag's AWS Solutions rules hold, and would not if something were wrong."""

from collections.abc import Iterator
from typing import Any

import pytest
from aws_cdk import Acknowledgment, App, Stack, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from cdk_nag import AwsSolutionsChecks
from constructs import IConstruct

from app import build

ACKNOWLEDGED = "aws:cdk:acknowledged-rules"


def findings(scope: IConstruct) -> set[str]:
    """The rules that are broken anywhere below, `Rule` or `Rule[Finding]`."""
    report = AwsSolutionsChecks().validate_scope(scope)
    found = {violation.rule_name for violation in report.violations}
    assert report.success is not bool(found)
    return found


@pytest.mark.parametrize("enforce_ssl", [True, False])
def test_both_stacks_keep_every_rule(context: dict[str, Any], enforce_ssl: bool) -> None:
    app = App(context={**context, "enforce_ssl": enforce_ssl})
    build(app)

    assert findings(app) == set()


def test_a_queue_without_tls_and_dead_letters_is_found() -> None:
    stack = Stack(App(), "Careless")
    sqs.Queue(stack, "Queue")

    assert findings(stack) == {"AwsSolutions-SQS3", "AwsSolutions-SQS4"}


def test_a_grant_of_everything_is_found_within_our_own_stack(context: dict[str, Any]) -> None:
    app = App(context=context)
    fanfare, _ = build(app)
    iam.Policy(
        fanfare,
        "Careless",
        roles=[iam.Role(fanfare, "CarelessRole", assumed_by=iam.AccountRootPrincipal())],
        statements=[iam.PolicyStatement(actions=["sns:*"], resources=["*"])],
    )

    assert findings(app) == {
        "AwsSolutions-IAM5[Action::sns:*]",
        "AwsSolutions-IAM5[Resource::*]",
    }


def test_an_acknowledged_finding_excuses_no_other() -> None:
    stack = Stack(App(), "Careless")
    queue = sqs.Queue(stack, "Queue")
    sqs.Queue(stack, "Other")

    Validations.of(queue).acknowledge(
        Acknowledgment(id="AwsSolutions-SQS3", reason="Alone in this test.")
    )

    assert findings(stack) == {"AwsSolutions-SQS3", "AwsSolutions-SQS4"}


def test_every_acknowledgement_gives_its_reason_once_and_narrowly(context: dict[str, Any]) -> None:
    app = App(context=context)
    build(app)

    given = dict(acknowledgements(app))

    assert len(given) > 10
    for (path, rule), reason in given.items():
        assert path.count("/") >= 1, f"{rule} is acknowledged for the whole of {path}"
        assert len(reason) > 20, f"{rule} at {path}: {reason}"
        assert not rule.endswith("IAM5"), f"{path} excuses every wildcard"


def acknowledgements(scope: IConstruct) -> Iterator[tuple[tuple[str, str], str]]:
    """Place and rule, and the reason."""
    for construct in scope.node.find_all():
        for entry in construct.node.metadata:
            if entry.type == ACKNOWLEDGED:
                yield from (((construct.node.path, r), t) for r, t in entry.data.items())
