"""Runs several things side by side, one step at a time, in an order that a test decides.

A step ends before each call to AWS. Nothing else runs meanwhile, so that moto, which is not made
for threads, sees one call after the other.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from typing import Any

import pytest
from botocore.client import BaseClient


class Interleaving:
    """Takes turns; threads that it did not start run through."""

    def __init__(self) -> None:
        self._turns: dict[int, threading.Semaphore] = {}
        self._paused = threading.Semaphore(0)

    def step(self) -> None:
        """Ends the turn of the thread that calls it, until it gets another one."""
        turn = self._turns.get(threading.get_ident())
        if turn is not None:
            self._paused.release()
            turn.acquire()

    def run(self, acts: Iterable[Callable[[], object]], choices: Iterable[int]) -> None:
        """Runs all of them to their ends; `choices` says whose turn it is each time."""
        failures: list[BaseException] = []
        running: list[tuple[threading.Thread, threading.Semaphore]] = []
        for act in acts:
            turn = threading.Semaphore(0)
            thread = threading.Thread(target=self._play, args=(act, turn, failures))
            thread.start()
            running.append((thread, turn))
        for choice in chain(choices, repeat(0)):
            if not running:
                break
            thread, turn = running[choice % len(running)]
            turn.release()
            assert self._paused.acquire(timeout=10)
            if thread.ident not in self._turns:
                thread.join()
                running.remove((thread, turn))
        assert failures == []

    def _play(
        self, act: Callable[[], object], turn: threading.Semaphore, failures: list[BaseException]
    ) -> None:
        turn.acquire()
        self._turns[threading.get_ident()] = turn
        try:
            act()
        except BaseException as error:  # noqa: BLE001 (told by the thread that asserts)
            failures.append(error)
        finally:
            del self._turns[threading.get_ident()]
            self._paused.release()


@contextmanager
def before_each_operation(act: Callable[[str], Any]) -> Iterator[None]:
    """Does `act` with the name of each call that a client of boto3 makes, before it."""
    call = BaseClient._make_api_call  # type: ignore[attr-defined]

    def acting_call(self: BaseClient, operation: str, request: Any) -> Any:
        act(operation)
        return call(self, operation, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", acting_call)
        yield


@contextmanager
def before_each_call(act: Callable[[], Any]) -> Iterator[None]:
    """Does `act` before each call that a client of boto3 makes."""
    with before_each_operation(lambda _operation: act()):
        yield


@contextmanager
def one_call_at_a_time() -> Iterator[None]:
    """For threads that nobody steps: moto forgets and mixes up what comes at the same time."""
    call = BaseClient._make_api_call  # type: ignore[attr-defined]
    lock = threading.Lock()

    def locked_call(self: BaseClient, *arguments: Any) -> Any:
        with lock:
            return call(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", locked_call)
        yield
