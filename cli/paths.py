"""Where things are: the project's folder, and the folder of what a machine makes for itself."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE_DEVICES = ROOT / "examples" / "devices.csv"
DEVICES_GENERATOR = ROOT / "examples" / "make_devices.py"

# Another folder lets several local clouds of one checkout stand side by side.
LOCAL_FOLDER_VARIABLE = "FANFARE_LOCAL"


def local_folder() -> Path:
    """The folder for everything that is made here and may be thrown away."""
    return Path(os.environ.get(LOCAL_FOLDER_VARIABLE) or ROOT / ".local").resolve()
