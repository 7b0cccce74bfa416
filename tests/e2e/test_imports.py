"""Files on their way into the account: what is loaded, counted, rejected, refused, and exported."""

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest
import requests

from cli import exact_json
from cli.api import Api
from cli.errors import RefusedError
from cli.target import Target

PATIENCE_SECONDS = 120.0
OVER = {"DONE", "REFUSED", "FAILED"}

CSV = """\ufeffId,ChannelType,Address,OptOut,Attributes.t,Attributes.t,Metrics.score,Location.City\r
imp-1,GCM,imp-token-1,,tea,咖啡,30.4,"臺北, 信義"\r
\r
imp-2,APNS,imp-token-2,ALL,"[""a"",""b""]",,00.50,\r
imp-3,GCM,imp-token-3,,,,many,\r
imp-4,SMS,+886900000000,,,,,\r
imp-1,GCM,imp-token-1,,last,,1,New 🏙 City\r
"""


def imported(api: Api, *files: tuple[str, bytes], dry_run: bool = False) -> dict[str, Any]:
    """The import of these files when it is over."""
    body = {"files": [{"name": name} for name, _ in files], "dry_run": dry_run}
    made = api.post("imports", body=body)
    for upload, (_, content) in zip(made["uploads"], files, strict=True):
        requests.put(upload["url"], data=content, timeout=30).raise_for_status()
    api.post("imports", made["id"], "start", repeatable=True)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (now := api.get("imports", made["id"]))["state"] not in OVER:
        assert time.monotonic() < deadline, now
        time.sleep(0.2)
    result: dict[str, Any] = now
    return result


def test_a_csv_as_pinpoint_and_spreadsheets_write_it_is_loaded(api: Api) -> None:
    done = imported(api, ("export.csv", CSV.encode()))
    assert done["state"] == "DONE"
    assert done["counts"] == {
        "rows": 5,
        "stored": 2,
        "duplicates": 1,
        "moved": 0,
        "rejected": 1,
        "skipped": {"SMS": 1},
    }
    (reject,) = done["rejects"]
    assert (reject["file"], reject["line"]) == ("export.csv", 5)
    assert reject["errors"][0]["place"] == "Metrics.score"

    first, second = api.get("devices", "imp-1"), api.get("devices", "imp-2")
    # The last row of an Id counts, as a whole.
    assert first["Attributes"] == {"t": ["last"]}
    assert first["Location"] == {"City": "New 🏙 City"}
    assert first["Metrics"] == {"score": 1}
    assert second["Attributes"] == {"t": ["a", "b"]}
    assert second["OptOut"] == "ALL"
    with pytest.raises(RefusedError):
        api.get("devices", "imp-3")


def test_rejects_come_back_in_their_own_format_and_can_be_mended_and_imported(api: Api) -> None:
    done = imported(api, ("export.csv", CSV.encode()))
    (file,) = done["files"]
    text = requests.get(file["rejects_url"], timeout=30).content.decode("utf-8-sig")
    header, row = text.splitlines()
    assert header.endswith(",RejectReason")
    assert "many" in row
    assert "Metrics.score" in row
    mended = text.replace(",many,", ",7,").encode()
    again = imported(api, ("mended.csv", mended))
    assert (again["state"], again["counts"]["stored"], again["counts"]["rejected"]) == (
        "DONE",
        1,
        0,
    )
    assert api.get("devices", "imp-3")["Metrics"] == {"score": 7}


def test_parts_of_an_export_gzip_and_plain_are_one_import(api: Api) -> None:
    def row(device_id: str, **more: Any) -> str:
        body = {"Id": device_id, "ChannelType": "GCM", "Address": f"tok-{device_id}", **more}
        return json.dumps(body, ensure_ascii=False)

    first = gzip.compress((row("part-1") + "\n" + row("part-2") + "\n").encode())
    second = (row("part-2", User={"UserId": "春子"}) + "\r\n\r\n" + row("part-3")).encode()
    done = imported(api, ("part-0.gz", first), ("part-1", second))
    assert done["counts"]["stored"] == 3
    assert done["counts"]["duplicates"] == 1
    assert [file["format"] for file in done["files"]] == ["ndjson", "ndjson"]
    assert [file["gzip"] for file in done["files"]] == [True, False]
    assert api.get("devices", "part-2")["User"] == {"UserId": "春子"}


def test_a_file_in_another_encoding_refuses_the_whole_import(api: Api) -> None:
    good = b"Id,ChannelType,Address\nwhole-1,GCM,whole-token-1\n"
    bad = "Id,ChannelType,Address,Location.City\nwhole-2,GCM,t2,Zürich\n".encode("latin-1")
    done = imported(api, ("good.csv", good), ("bad.csv", bad))
    assert done["state"] == "REFUSED"
    assert done["files"][0]["refused"] is None
    assert "UTF-8, at line 2" in done["files"][1]["refused"]
    for device_id in ("whole-1", "whole-2"):
        with pytest.raises(RefusedError):
            api.get("devices", device_id)


def test_a_dry_run_counts_and_writes_nothing(api: Api) -> None:
    rows = b"Id,ChannelType,Address\ndry-1,GCM,dry-token\ndry-2,PIGEON,x\n"
    done = imported(api, ("dry.csv", rows), dry_run=True)
    assert (done["state"], done["counts"]["stored"], done["counts"]["rejected"]) == ("DONE", 1, 1)
    with pytest.raises(RefusedError):
        api.get("devices", "dry-1")


def test_a_token_that_moves_leaves_its_former_owner_inactive(api: Api) -> None:
    rows = b"Id,ChannelType,Address\nmove-a,GCM,one-token\nmove-b,GCM,one-token\n"
    done = imported(api, ("move.csv", rows))
    assert (done["counts"]["stored"], done["counts"]["moved"]) == (2, 1)
    former, owner = api.get("devices", "move-a"), api.get("devices", "move-b")
    assert (former["EndpointStatus"], former["StatusReason"]) == ("INACTIVE", "moved")
    assert "EndpointArn" not in former
    assert owner["EndpointStatus"] == "ACTIVE"
    back = api.put("devices", "move-a", body={"ChannelType": "GCM", "Address": "one-token"})
    assert back["EndpointArn"] == owner["EndpointArn"]
    assert api.get("devices", "move-b")["StatusReason"] == "moved"


def test_an_import_does_not_undo_an_opt_out_that_it_does_not_mention(api: Api) -> None:
    device = {"ChannelType": "GCM", "Address": "out-token", "OptOut": "ALL"}
    api.put("devices", "out-1", body=device)
    imported(api, ("out.csv", b"Id,ChannelType,Address\nout-1,GCM,out-token-2\n"))
    assert api.get("devices", "out-1")["OptOut"] == "ALL"
    assert api.get("devices", "out-1")["Address"] == "out-token-2"


def test_starting_without_an_upload_is_a_conflict_that_names_the_file(api: Api) -> None:
    made = api.post("imports", body={"files": [{"name": "never.csv"}]})
    with pytest.raises(RefusedError) as error:
        api.post("imports", made["id"], "start")
    assert error.value.status == 409
    assert "never.csv" in error.value.detail


def test_what_sns_tells_of_an_endpoint_reaches_its_device(deployed: Target, api: Api) -> None:
    stored = api.put("devices", "event-1", body={"ChannelType": "GCM", "Address": "event-token"})
    sns = deployed.cloud.client("sns")
    topic = deployed.output("EndpointEventsTopicArn")
    application = sns.get_platform_application_attributes(
        PlatformApplicationArn=next(
            each["PlatformApplicationArn"]
            for each in sns.list_platform_applications()["PlatformApplications"]
            if "GCM" in each["PlatformApplicationArn"]
        )
    )
    assert application["Attributes"]["EventEndpointUpdated"] == topic

    arn = stored["EndpointArn"]
    sns.set_endpoint_attributes(EndpointArn=arn, Attributes={"Enabled": "false"})
    event = {"EventType": "EndpointUpdated", "EndpointArn": arn, "Service": "SNS"}
    sns.publish(TopicArn=topic, Message=json.dumps(event))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (told := api.get("devices", "event-1"))["EndpointStatus"] != "INACTIVE":
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert told["StatusReason"] == "disabled"

    # Registering again with a good token revives it, at SNS as well.
    body = {"ChannelType": "GCM", "Address": "event-token"}
    revived = api.put("devices", "event-1", body=body)
    assert (revived["EndpointStatus"], revived["EndpointArn"]) == ("ACTIVE", arn)
    assert sns.get_endpoint_attributes(EndpointArn=arn)["Attributes"]["Enabled"] == "true"


def test_an_export_imported_again_changes_nothing(
    deployed: Target, api: Api, tmp_path: Path
) -> None:
    def every_device() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        query: dict[str, str] = {}
        while True:
            page = api.get("devices", query=query)
            found += page["devices"]
            if page["next"] is None:
                return sorted(found, key=lambda device: str(device["Id"]))
            query = {"next": page["next"]}

    before = every_device()
    assert before
    lines = "\n".join(exact_json.dumps(device) for device in before)
    done = imported(api, ("export.ndjson", lines.encode()))
    assert (done["state"], done["counts"]["rejected"]) == ("DONE", 0)
    assert every_device() == before
