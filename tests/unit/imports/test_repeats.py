"""Whatever is done twice, dies half-way or overlaps, counts and devices come out the same."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from functions.devices.endpoints import OutOfTimeError
from functions.devices.records import Device
from functions.imports import keys
from functions.imports.check import UploadChangedError
from functions.imports.queue import SliceKey
from functions.imports.records import Import, ImportState
from functions.imports.registering import NotSettledError, Settle, Settled
from functions.imports.schema import ImportView
from functions.imports.slice_rows import Candidate
from functions.imports.steps import CountsDoNotAddUpError
from tests.unit.devices.conftest import client_error
from tests.unit.imports.conftest import BUCKET, HEADER, Account, counted, csv_of, good, reasons

FILE = csv_of(HEADER, *good(1, 25), "d1,GCM,token-1", "d99,FAX,t")
COUNTED = {"rows": 27, "stored": 25, "duplicates": 1, "rejected": 1}


def finished(account: Account, import_id: str) -> dict[str, object]:
    """What is counted when the workflow has gone its way from the load on."""
    account.load_all(import_id)
    account.steps.finish(import_id)
    assert account.api.show(import_id).state == "DONE"
    return counted(account.api.show(import_id))


def loading(account: Account, content: str = FILE) -> tuple[str, SliceKey]:
    """An import that is LOADING, and its one slice."""
    import_id = account.upload(content)
    assert account.check_all(import_id) == "LOAD"
    return import_id, SliceKey(import_id, 0)


def lasting(view: ImportView) -> dict[str, Any]:
    """The view without its addresses, which are signed anew each second."""
    return view.model_dump(exclude={"files": {"__all__": {"rejects_url"}}})


def test_a_step_of_the_workflow_that_is_done_twice_changes_nothing(account: Account) -> None:
    import_id = account.upload(FILE)

    assert account.steps.begin(import_id) == account.steps.begin(import_id)
    account.check(import_id)
    assert account.check(import_id) == 0
    assert account.steps.decide(import_id) == account.steps.decide(import_id) == {"outcome": "LOAD"}
    account.steps.queue_slices(import_id)
    account.load_all(import_id)
    account.steps.finish(import_id)
    first = account.api.show(import_id)
    account.steps.finish(import_id)
    account.steps.fail(import_id, {"Error": "States.Timeout"})

    assert counted(first) == COUNTED
    assert lasting(account.api.show(import_id)) == lasting(first)
    assert account.steps.begin(import_id) == {"active": False, "groups": []}


def test_a_check_that_died_before_its_claim_leaves_nothing_that_counts(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_id = account.upload(FILE)
    account.steps.begin(import_id)
    with monkeypatch.context() as dying:
        dying.setattr(account.store, "claim_check", lambda *_a, **_k: False)
        account.check(import_id)
    account.check(import_id)
    account.steps.decide(import_id)

    assert len(list(account.bucket.listed(keys.slice_(import_id, 0)))) == 2
    assert finished(account, import_id) == COUNTED
    assert account.rejects(import_id).count(b"d99") == 1


def test_a_file_that_is_uploaded_again_after_the_start_ends_the_import(account: Account) -> None:
    import_id = account.upload(FILE)
    account.steps.begin(import_id)
    account.s3.put_object(Bucket=BUCKET, Key=keys.file(import_id, 1), Body=b"Id\nother\n")

    with pytest.raises(UploadChangedError, match="uploaded again"):
        account.check(import_id)


def test_a_slice_that_is_delivered_twice_counts_once(account: Account) -> None:
    import_id, key = loading(account)

    first = account.loader().load(key, deadline=math.inf)
    calls = account.sns.total
    second = account.loader().load(key, deadline=math.inf)

    assert (first.stored, second.stored, account.sns.total - calls) == (25, 0, 0)
    assert finished(account, import_id) == COUNTED


def test_two_workers_at_one_slice_count_each_device_once(account: Account) -> None:
    import_id, key = loading(account)
    account.per_second = 2  # ten devices a step
    settle_of, once = account.settle_of, [True]

    def slow(found: Import) -> Settle:
        settle = settle_of(found)

        def settle_late(
            candidates: Sequence[Candidate], *, deadline: float
        ) -> Mapping[str, Settled]:
            settled = settle(candidates, deadline=deadline)
            if once:
                once.clear()
                account.loader().load(key, deadline=math.inf)  # the other one overtakes
            return settled

        return settle_late

    loaded = account.loader(settle_of=slow).load(key, deadline=math.inf)

    assert loaded.stored == 0
    assert finished(account, import_id) == COUNTED


def test_a_worker_that_dies_after_registering_is_repeated_for_one_call_a_device(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_id, key = loading(account)
    with monkeypatch.context() as dying, pytest.raises(ZeroDivisionError):
        dying.setattr(account.store, "step", lambda *_a: 1 / 0)
        account.loader().load(key, deadline=math.inf)

    assert finished(account, import_id) == COUNTED
    assert account.sns.calls == {"create": 25, "get": 25}


def test_what_time_does_not_suffice_for_goes_on_where_it_stopped(account: Account) -> None:
    import_id, key = loading(account)
    account.per_second = 2
    clock = iter([0.0, 5.0, 20.0])

    loaded = account.loader(clock=lambda: next(clock)).load(key, deadline=10.0)

    assert (loaded.stored, loaded.out_of_time) == (20, True)
    assert account.api.show(import_id).progress.rows_loaded == 20
    assert finished(account, import_id) == COUNTED
    assert account.sns.calls == {"create": 25}


def test_a_deadline_within_a_step_counts_nothing_of_it(account: Account) -> None:
    import_id, key = loading(account)

    def never(*_a: object, **_k: object) -> dict[str, object]:
        raise OutOfTimeError("no time")

    loaded = account.loader(settle_of=lambda _import: never).load(key, deadline=10.0)

    assert (loaded.stored, loaded.out_of_time) == (0, True)
    assert finished(account, import_id) == COUNTED


def test_an_outage_of_sns_rejects_nobody(account: Account) -> None:
    import_id, key = loading(account)
    account.sns.script = lambda _operation, _token: client_error("InternalError", status=500)

    with pytest.raises(NotSettledError, match="25 devices are not settled for now"):
        account.loader().load(key, deadline=math.inf)
    account.sns.script = lambda _operation, _token: None

    assert finished(account, import_id) == COUNTED


def test_a_slice_that_the_queue_gives_up_is_rejected_and_the_import_ends(account: Account) -> None:
    import_id, key = loading(account)
    account.per_second = 2
    clock = iter([0.0, 20.0])
    account.loader(clock=lambda: next(clock)).load(key, deadline=10.0)
    account.steps.await_load(import_id, "token")

    assert account.give_up(key) == 15
    assert account.give_up(key) == 0
    assert account.woken == ["token", "token"]

    account.steps.finish(import_id)
    view = account.api.show(import_id)
    assert view.state == "DONE"
    assert counted(view) == {"rows": 27, "stored": 10, "duplicates": 1, "rejected": 16}
    assert reasons(view)[1][2:] == ("row", "was given up after 5 tries; import the file again")
    assert account.rejects(import_id).count(b"given up") == 15


def test_whoever_counts_the_last_step_wakes_the_workflow(account: Account) -> None:
    import_id, key = loading(account)
    account.steps.await_load(import_id, "token")
    assert account.woken == []

    account.loader().load(key, deadline=math.inf)

    assert account.woken == ["token"]


def test_a_waiter_that_comes_after_the_last_step_is_woken_at_once(account: Account) -> None:
    import_id, key = loading(account)
    account.loader().load(key, deadline=math.inf)

    account.steps.await_load(import_id, "token")

    assert account.woken == ["token"]


@pytest.mark.parametrize("state", [ImportState.FAILED, ImportState.DONE])
def test_a_message_of_an_import_that_is_over_does_nothing(
    account: Account, state: ImportState
) -> None:
    import_id, key = loading(account)
    account.store.end(import_id, state, while_=[ImportState.LOADING])

    assert account.loader().load(key, deadline=math.inf).stored == 0
    assert account.give_up(key) == 0
    assert account.sns.total == 0


def test_an_import_that_ends_while_a_step_is_under_way_takes_it_no_more(account: Account) -> None:
    import_id, key = loading(account)
    settle_of = account.settle_of

    def ended(found: Import) -> Settle:
        account.steps.fail(import_id, {"Error": "States.Timeout", "Cause": ""})
        return settle_of(found)

    loaded = account.loader(settle_of=ended).load(key, deadline=math.inf)

    assert loaded.stored == 0
    view = account.api.show(import_id)
    assert (view.state, view.reason) == ("FAILED", "States.Timeout: ")


def test_a_change_that_another_change_overtakes_is_made_of_the_newer_device(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    account.imported(csv_of(f"{HEADER},Attributes.a", "d1,GCM,t1,old"))
    _, key = loading(account, csv_of("Id,Attributes.b", "d1,new"))
    get_all, once = account.devices.get_all, [True]

    def overtaken(ids: Iterable[str]) -> dict[str, Device]:
        found = get_all(ids)
        if once:
            once.clear()
            account.registry.register(replace(found["d1"], attributes={"a": ("newer",)}))
        return found

    monkeypatch.setattr(account.devices, "get_all", overtaken)
    account.loader().load(key, deadline=math.inf)

    assert account.device("d1").attributes == {"a": ("newer",), "b": ("new",)}


def test_an_import_whose_counts_do_not_add_up_fails_with_the_numbers(account: Account) -> None:
    import_id, _ = loading(account)

    with pytest.raises(
        CountsDoNotAddUpError, match="26 rows were to be loaded, and 0 are counted; 0 of 1"
    ):
        account.steps.finish(import_id)
    account.steps.fail(
        import_id, {"Error": "Runtime.HandlerError", "Cause": '{"errorMessage":"it says why"}'}
    )

    view = account.api.show(import_id)
    assert (view.state, view.reason) == ("FAILED", "Runtime.HandlerError: it says why")
