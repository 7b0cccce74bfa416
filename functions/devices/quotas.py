"""How many calls for platform endpoints SNS takes a second, by Region.

https://docs.aws.amazon.com/general/latest/gr/sns.html: CreatePlatformEndpoint, Get- and
SetEndpointAttributes have the same figures, each its own bucket. They can be raised on request.
"""

_BY_REGION = {
    "us-east-1": 3_000.0,
    "us-west-2": 900.0,
    "eu-west-1": 900.0,
    "us-east-2": 150.0,
    "us-west-1": 150.0,
    "ap-south-1": 150.0,
    "ap-northeast-1": 150.0,
    "ap-northeast-2": 150.0,
    "ap-southeast-1": 150.0,
    "ap-southeast-2": 150.0,
    "eu-central-1": 150.0,
}
_ELSEWHERE = 30.0


def endpoint_calls_per_second(region: str) -> float:
    """The account's calls a second in the Region; the lowest there is where it is not known."""
    return _BY_REGION.get(region, _ELSEWHERE)
