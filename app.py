"""Which stacks there are; what they are made with is in cdk.json."""

import sys

import stacks  # noqa: F401 (before CDK starts: it quiets jsii)

# isort: split
from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from stacks.config import Config, ConfigError
from stacks.fanfare import Fanfare
from stacks.hello import Hello


def build(app: App) -> tuple[Fanfare, Hello]:
    """The stacks as the app's context wants them."""
    config = Config.from_context(app.node.get_all_context())
    return (
        Fanfare(app, config.name, config=config),
        Hello(app, f"{config.name}-Hello", config=config),
    )


if __name__ == "__main__":
    app = App()
    try:
        build(app)
    except ConfigError as error:
        sys.exit(f"Not synthesized: {error}")
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()
