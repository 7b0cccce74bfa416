"""The least a function can do, so that a benchmark measures the way to it and not the function."""


def handler(_event: dict[str, object], _context: object) -> dict[str, object]:
    """`ok` as plain text, in API Gateway's payload format 2.0."""
    return {"statusCode": 200, "headers": {"content-type": "text/plain"}, "body": "ok"}
