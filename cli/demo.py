"""The main job from beginning to end on the local cloud, timed, and checked independently."""

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli import demo_checks, exact_json, import_job, paths, platforms
from cli.api import Api
from cli.clouds import Choice
from cli.demo_checks import Check
from cli.demo_file import LABEL_NAME, LabelledFile, labelled
from cli.errors import FailedError, UsageError
from cli.import_files import find_files
from cli.interruption import on_interruption
from cli.local_cloud import LocalCloud
from cli.local_up import bring_up
from cli.platforms import Credentials, PlatformName
from cli.progress import campaign_progress, import_progress
from cli.steps import Steps
from cli.target import Target
from cli.watching import RESTING, wait_for

CRITERIA = {
    "all": [
        {"field": "Location.Country", "op": "in", "values": ["JP", "TW"]},
        {"field": "Attributes.interests", "op": "eq", "value": "music"},
    ]
}
BUILD_PATIENCE_SECONDS = 1800.0
RECEIPT_PATIENCE_SECONDS = 120.0


@dataclass(frozen=True, kw_only=True)
class DemoResult:
    """What the demonstration did and what its checks found."""

    target: Target
    campaign: dict[str, Any]
    checks: list[Check]
    seconds: dict[str, float]
    rows: int

    @property
    def ok(self) -> bool:
        """Nothing differs."""
        return all(check.ok for check in self.checks)


def run(
    here: LocalCloud,
    *,
    choice: Choice,
    stack: str,
    port: int | None,
    file: Path,
    everyone: bool,
    show: bool,
) -> DemoResult:
    """The whole job, on a local cloud only; FailedError where it comes to a halt."""
    if choice is Choice.AWS:
        raise UsageError(
            "the demonstration runs on a local cloud only",
            detail="in AWS: fanfare platform create, devices import, campaign create",
        )
    copy = labelled(file, here.folder)
    steps = Steps()
    target = bring_up(here, port=port, stack=stack, steps=steps)
    api = Api(target=target)
    with steps.step("set the push services up"):
        _create_platforms(target)
    try:
        with steps.timed("import"):
            imported = _import(api, copy, show=show)
    finally:
        copy.path.unlink(missing_ok=True)  # it holds push tokens
    with steps.timed("build the list"), campaign_progress(show=show) as update:
        campaign_id = _create_campaign(api, copy.label, everyone=everyone)
        ready = wait_for(
            api, campaign_id, until=RESTING, update=update, patience_seconds=BUILD_PATIENCE_SECONDS
        )
    _demand(ready, "READY")
    log_begins = here.log_file.stat().st_size
    with steps.step("publish, and hear the receipt"):
        api.post("campaigns", campaign_id, "publish")
        sent = wait_for(api, campaign_id, until=RESTING, patience_seconds=RECEIPT_PATIENCE_SECONDS)
    _demand(sent, "PUBLISHED")
    with steps.step("check"):
        expected = demo_checks.expect(file, everyone=everyone)
        found = demo_checks.look(target.cloud, str(sent["topic_arn"]))
        # Asked once more at the very end, so that a message that came twice is seen.
        campaign = api.get("campaigns", campaign_id)
        checks = demo_checks.compare(
            expected,
            found,
            imported=imported,
            campaign=campaign,
            probe_queue_url=target.output("ProbeQueueUrl"),
        )
        checks.append(demo_checks.handed_over(_log_since(here, log_begins), found))
    return DemoResult(
        target=target,
        campaign=campaign,
        checks=checks,
        seconds=steps.seconds,
        rows=copy.rows,
    )


def _create_platforms(target: Target) -> None:
    """With credentials that no push service knows: nothing leaves the local cloud."""
    made_up = {"PlatformPrincipal": "demo", "PlatformCredential": "demo"}
    for name in PlatformName:
        platforms.create(target, name, Credentials(attributes=made_up))


def _import(api: Api, copy: LabelledFile, *, show: bool) -> int:
    """How many rows are stored; FailedError if the import did not come to its end."""
    files = find_files([copy.path])
    size = files[0].size
    with on_interruption() as stands, import_progress(show=show, size=size) as progress:
        begun = import_job.begin(
            api, files, dry_run=False, stands=stands, uploaded=progress.uploaded
        )
        found = import_job.wait_for(api, begun["id"], update=progress.update)
    if found["state"] != "DONE":
        refused = [file["refused"] for file in found["files"] if file["refused"]]
        raise FailedError(
            f"the import is {found['state']}, and should be DONE",
            detail="; ".join(refused) or found["reason"] or "it gives no reason",
        )
    return int(found["counts"]["stored"])


def _create_campaign(api: Api, label: str, *, everyone: bool) -> str:
    ours = {"field": f"Attributes.{LABEL_NAME}", "op": "eq", "value": label}
    criteria = ours if everyone else {"all": [ours, *CRITERIA["all"]]}
    message = exact_json.loads((paths.ROOT / "examples" / "message.json").read_text("utf-8"))
    body = {"name": "demo", "criteria": criteria, "message": message}
    return str(api.post("campaigns", body=body, idempotency_key=str(uuid.uuid4()))["id"])


def _demand(campaign: dict[str, Any], state: str) -> None:
    if campaign["state"] != state:
        raise FailedError(
            f"the campaign is {campaign['state']}, and should be {state}",
            detail=f"{campaign.get('reason') or 'it gives no reason'}\n"
            f"look closer: fanfare campaign show {campaign['id']}",
        )


def _log_since(here: LocalCloud, position: int) -> str:
    with here.log_file.open("rb") as log:
        log.seek(position)
        return log.read().decode("utf-8", errors="replace")
