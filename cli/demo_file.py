"""The device file of the demonstration: which one, and its copy whose devices can be told apart."""

import csv
import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cli import paths
from cli.errors import UsageError
from cli.local_cloud import LocalCloud

# Marks the devices of the demonstration's own file, whatever else the local cloud holds.
LABEL_NAME = "demo"
_LABEL_COLUMN = f"Attributes.{LABEL_NAME}"
_LABEL_LENGTH = 12


@dataclass(frozen=True, kw_only=True)
class LabelledFile:
    """A copy of a device file in which every row carries the label."""

    path: Path
    label: str
    rows: int


def sample_file(here: LocalCloud, *, devices: int | None, rows: Path | None) -> Path:
    """The device file: the one named, one generated with that many rows, or the one shipped."""
    if rows is not None and devices is not None:
        raise UsageError("choose --devices or --rows, not both")
    if rows is not None:
        return rows
    if devices is None:
        return paths.SAMPLE_DEVICES
    here.folder.mkdir(parents=True, exist_ok=True)
    made = here.folder / f"devices-{devices}.csv"
    # S603: our own interpreter with our own script.
    subprocess.run(
        [sys.executable, str(paths.DEVICES_GENERATOR), "--rows", str(devices), "--out", str(made)],
        check=True,
    )
    return made


def labelled(file: Path, folder: Path) -> LabelledFile:
    """The labelled copy, made in the folder; UsageError if the file is no CSV with rows.

    The label is made of the file's content: the same file again is the same devices again.
    """
    try:
        label = hashlib.sha256(file.read_bytes()).hexdigest()[:_LABEL_LENGTH]
        with file.open(encoding="utf-8-sig", newline="") as opened:
            header, *rows = [cells for cells in csv.reader(opened, strict=True) if cells] or [[]]
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise UsageError(
            f"{file} is no CSV in UTF-8", detail="the demonstration takes nothing else"
        ) from None
    if not rows:
        raise UsageError(f"{file} has no rows")
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{file.stem}-{label}.csv"
    with copy.open("w", encoding="utf-8", newline="") as out:
        written = csv.writer(out)
        written.writerow([*header, _LABEL_COLUMN])
        written.writerows([*row, label] for row in rows)
    return LabelledFile(path=copy, label=label, rows=len(rows))
