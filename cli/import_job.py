"""An import from beginning to end: announced, uploaded, started, and watched while it works."""

import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from cli.api import Api
from cli.errors import CliError, FailedError, NoCloudError, RefusedError
from cli.import_files import ImportFile
from cli.interruption import Interruption
from cli.uploads import Uploader
from cli.watching import LOCAL_POLL_SECONDS, POLL_SECONDS

POLL_GROWTH = 1.01
MOST_POLL_SECONDS = 5.0
OVER = frozenset({"DONE", "REFUSED", "FAILED"})


def begin(
    api: Api,
    files: Sequence[ImportFile],
    *,
    dry_run: bool,
    stands: Interruption,
    uploaded: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """The import once it is started; `uploaded` hears how many bytes more have gone out.

    `stands` is told what an interruption finds, from the first request on.
    """
    body = {"files": [{"name": file.name} for file in files], "dry_run": dry_run}
    uploader = Uploader(direct=api.target.cloud.local is not None, progress=uploaded)
    stands.would_say(
        "interrupted before the import was started",
        detail="nothing is written; what was uploaded is thrown away by itself",
    )
    # A second one that nobody uploads to does nothing.
    made = api.post("imports", body=body, repeatable=True)
    uploader.send(files, {upload["name"]: upload["url"] for upload in made["uploads"]})
    stands.would_say(
        "interrupted; the import may have been started", detail=_how_to_look(made["id"])
    )
    started: dict[str, Any] = api.post("imports", made["id"], "start", repeatable=True)
    goes_on(stands, made["id"])
    return started


def wait_for(
    api: Api,
    import_id: str,
    *,
    update: Callable[[dict[str, Any]], None] = lambda _: None,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """The import when it is over."""
    poll = POLL_SECONDS if api.target.cloud.local is None else LOCAL_POLL_SECONDS
    try:
        while True:
            found: dict[str, Any] = api.get("imports", import_id)
            update(found)
            if found["state"] in OVER:
                return found
            sleep(poll)
            # Who waits for hours need not be told every second.
            poll = min(poll * POLL_GROWTH, MOST_POLL_SECONDS)
    except RefusedError as error:
        if error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        raise _lost(import_id, error) from None
    except (FailedError, NoCloudError) as error:
        raise _lost(import_id, error) from None


def goes_on(stands: Interruption, import_id: str) -> None:
    """An interruption says that the import works on, and how to look at it."""
    stands.would_say(
        "interrupted; the import goes on in the account", detail=_how_to_look(import_id)
    )


def is_over(stands: Interruption, import_id: str) -> None:
    """An interruption says that the import has ended, and how to see how."""
    stands.would_say("interrupted; the import is over", detail=_how_to_look(import_id))


def _lost(import_id: str, error: CliError) -> FailedError:
    detail = f"{error.title}\n{error.detail}".rstrip() + f"\n{_how_to_look(import_id)}"
    return FailedError("the import was lost sight of; it goes on in the account", detail=detail)


def _how_to_look(import_id: str) -> str:
    return (
        f"look at it: fanfare devices import-status {import_id}\n"
        "importing the same files again is harmless"
    )
