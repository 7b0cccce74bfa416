import os
from pathlib import Path

import pytest

from cli import import_files
from cli.errors import UsageError, Wrong
from cli.import_files import ImportFile, find_files


def made(path: Path, content: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def refusal(*paths: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        find_files(paths)
    return caught.value


def test_files_keep_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    second, first = made(tmp_path / "b.csv"), made(tmp_path / "a.csv", "12345")

    assert find_files([second, first]) == [
        ImportFile(path=second, name="b.csv", size=2),
        ImportFile(path=first, name="a.csv", size=5),
    ]


def test_a_folder_stands_for_all_files_in_it_however_deep(tmp_path: Path) -> None:
    export = tmp_path / "export"
    for name in ("part-10.gz", "part-02.gz", "b/part-03.gz", "a/x/part-03.gz", "臺北.csv"):
        made(export / name)
    remarks: list[str] = []

    found = find_files([export], remark=remarks.append)

    assert [file.path.relative_to(export).as_posix() for file in found] == [
        "a/x/part-03.gz",
        "b/part-03.gz",
        "part-02.gz",
        "part-10.gz",
        "臺北.csv",
    ]
    assert len({file.name for file in found}) == 5
    assert remarks == [f"{export}: 5 files in 3 folders"]


def test_what_holds_no_rows_by_its_name_is_passed_over_and_said(tmp_path: Path) -> None:
    for name in ("part-0", "_SUCCESS", ".DS_Store", ".git/config", "_temporary/0/part-0"):
        made(tmp_path / name)
    (tmp_path / "round").symlink_to(tmp_path)
    remarks: list[str] = []

    found = find_files([tmp_path], remark=remarks.append)

    assert [file.name for file in found] == ["part-0"]
    names = (".DS_Store", ".git", "_SUCCESS", "_temporary", "round")
    assert remarks == [
        f"{tmp_path}: 1 file",
        "passed over: " + ", ".join(str(tmp_path / name) for name in names),
    ]


def test_a_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    assert [file.name for file in find_files([made(tmp_path / "_devices.csv")])] == ["_devices.csv"]


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert refusal(tmp_path / "pipe").wrong == (
        Wrong(place=str(tmp_path / "pipe"), reason="is no ordinary file"),
    )


def test_files_of_one_name_are_told_apart_by_their_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(Path("may/part-0")), made(Path("june/part-0"))

    names = [file.name for file in find_files([Path("may"), Path("june")])]

    assert names == ["may/part-0", "june/part-0"]


def test_names_that_cannot_be_told_apart_are_numbered(tmp_path: Path) -> None:
    made(tmp_path / "a\tb"), made(tmp_path / "a\nb")

    names = [file.name for file in find_files([tmp_path])]

    assert [name[:5] for name in names] == ["0001 ", "0002 "]
    assert all(name.endswith("a_b") for name in names)


def test_a_very_long_path_is_cut_at_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_files, "NAME_MAX_CHARS", 20)

    [file] = find_files([made(tmp_path / ("long" * 50 + ".csv"))])

    assert file.name == "longlonglonglong.csv"


def test_every_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    empty, good = made(tmp_path / "empty.csv", ""), made(tmp_path / "good.csv")
    hollow = tmp_path / "hollow"
    made(hollow / "_SUCCESS")
    missing = tmp_path / "missing.csv"

    error = refusal(empty, missing, hollow, good, tmp_path / "." / "good.csv")

    assert error.exit_code == 2
    assert sorted(error.wrong, key=lambda wrong: wrong.place) == [
        Wrong(place=str(empty), reason="is empty"),
        Wrong(place=str(good), reason="is named twice"),
        Wrong(place=str(good), reason="is named twice"),
        Wrong(place=str(hollow), reason=f"holds no files, only {hollow}/_SUCCESS"),
        Wrong(place=str(missing), reason="cannot be read: No such file or directory"),
    ]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path).wrong == (Wrong(place=str(tmp_path), reason="holds no files"),)


def test_a_file_that_one_upload_cannot_carry_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(5 * 1024**3 + 1)

    [wrong] = refusal(large).wrong

    assert wrong.reason.startswith("is over 5 GiB")


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    for number in range(1001):
        made(tmp_path / f"{number:04}")

    assert refusal(tmp_path).title == "1,001 files are too many for one import: 1,000 at most"
