import csv
from pathlib import Path

import pytest

from cli.demo_file import labelled
from cli.errors import UsageError


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_every_row_of_the_copy_carries_the_label_and_the_file_is_left_alone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "devices.csv"
    path.write_bytes('\ufeffId,Attributes.i\r\nd1,"臺北, 信義"\r\n\r\nd2,\r\n'.encode())

    copy = labelled(path, tmp_path / "local")

    assert copy.rows == 2
    assert rows_of(copy.path) == [
        ["Id", "Attributes.i", "Attributes.demo"],
        ["d1", "臺北, 信義", copy.label],
        ["d2", "", copy.label],
    ]
    assert len(path.read_bytes()) == len(
        '\ufeffId,Attributes.i\r\nd1,"臺北, 信義"\r\n\r\nd2,\r\n'.encode()
    )


def test_the_label_is_that_of_the_content(tmp_path: Path) -> None:
    for name, row in (("a", "d1"), ("b", "d1"), ("c", "d2")):
        (tmp_path / name).write_text(f"Id\n{row}\n")

    labels = [labelled(tmp_path / name, tmp_path).label for name in "abc"]

    assert labels[0] == labels[1] != labels[2]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (b"Id\n\xff\n", "is no CSV in UTF-8"),
        (b'Id\n"open\n', "is no CSV in UTF-8"),
        (b"Id\n", "has no rows"),
        (b"", "has no rows"),
    ],
)
def test_what_the_demonstration_cannot_read_is_refused(
    tmp_path: Path, content: bytes, title: str
) -> None:
    (tmp_path / "x").write_bytes(content)

    with pytest.raises(UsageError, match=title):
        labelled(tmp_path / "x", tmp_path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory"):
        labelled(tmp_path / "none", tmp_path)
