"""Findings of cdk-nag that are meant as they are, each with its reason."""

from typing import Any

from aws_cdk import Acknowledgment, Stack, Validations
from constructs import IConstruct


def acknowledge(construct: IConstruct, finding: str, reason: str) -> None:
    """Lets one finding (`Rule` or `Rule[Finding]`) pass at this construct and below it."""
    Validations.of(construct).acknowledge(
        Acknowledgment(id=f"AwsSolutions-{finding}", reason=reason)
    )


def acknowledge_wildcard(construct: IConstruct, resource: str, reason: str) -> None:
    """Lets the policies of this construct name this one resource with a `*` in it."""
    written = _as_written(Stack.of(construct).resolve(resource))
    acknowledge(construct, f"IAM5[Resource::{written}]", reason)


def _as_written(resolved: Any) -> str:
    """An ARN as cdk-nag writes it in a finding, with `<AWS::Region>` where a template refers."""
    match resolved:
        case str():
            return resolved
        case {"Fn::Join": [str(separator), list(parts)]}:
            return separator.join(_as_written(part) for part in parts)
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return f"<{name}.{attribute}>"
    raise TypeError(f"cdk-nag is not known to write {resolved}")
