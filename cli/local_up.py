"""Brings the local cloud up: starts it unless it runs, and deploys this checkout to it."""

from cli import clouds, output, target
from cli.deployment import Cdk
from cli.errors import UsageError
from cli.local_cloud import DEFAULT_PORT, LocalCloud
from cli.steps import Steps


def bring_up(here: LocalCloud, *, port: int | None, stack: str, steps: Steps) -> target.Target:
    """The deployed Fanfare in the local cloud. Deploys always: with nothing new it is quick."""
    running = here.running()
    if running is None:
        if here.leftover():
            output.note("a local cloud was running here and is gone; starting a new one")
        with steps.step("start the local cloud"):
            running = here.start(DEFAULT_PORT if port is None else port)
    elif port not in {None, running.port}:
        raise UsageError(
            f"the local cloud already runs on port {running.port}",
            detail="stop it first (fanfare down), or leave the port out",
        )
    else:
        output.note(f"using the local cloud at {running.url}")
    cloud = clouds.Cloud(session=clouds.local_session(), local=running)
    Cdk(url=running.url, folder=here.folder).deploy_all(cloud, stack, steps)
    return target.find(cloud, stack)
