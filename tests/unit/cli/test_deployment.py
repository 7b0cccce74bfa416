from cli import deployment


def test_the_cdk_is_aimed_at_the_local_cloud_and_cannot_reach_aws() -> None:
    caller = {
        "PATH": "/usr/bin",
        "HOME": "/home/me",
        "AWS_PROFILE": "production",
        "AWS_SESSION_TOKEN": "secret",
        "CDK_DEFAULT_ACCOUNT": "123456789012",
        "NO_PROXY": "internal.example",
    }

    environment = deployment.environment("http://127.0.0.1:4620", caller)

    assert environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:4620"
    assert environment["AWS_ENDPOINT_URL_S3"] == "http://127.0.0.1:4620"
    assert environment["AWS_ACCESS_KEY_ID"] == "test"
    assert environment["AWS_CONFIG_FILE"] == "/dev/null"
    assert environment["AWS_REGION"] == "us-east-1"
    assert environment["NO_PROXY"] == "internal.example,127.0.0.1"
    assert environment["HOME"] == "/home/me"
    assert environment["PATH"].endswith(":/usr/bin")
    assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN", "CDK_DEFAULT_ACCOUNT"} & environment.keys()
