"""Files from upload to stored devices, by the rules of the format and of the import."""

from tests.unit.imports.conftest import HEADER, Account, csv_of, good


def test_good_rows_are_stored(account: Account) -> None:
    view = account.imported(csv_of(HEADER, *good(1, 3)))

    assert view.state == "DONE"
    assert view.counts.stored == 3
    assert sorted(account.stored()) == ["d1", "d2", "d3"]
