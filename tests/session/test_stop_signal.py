"""The signal by which workers learn that the run was stopped."""

import threading

import pytest

from pytest_compaction.session.shared.files import SharedFiles
from pytest_compaction.session.shared.stop_signal import StopSignal, on_stop

WAIT_S = 20


def test_all_workers_learn_that_the_run_was_stopped_and_not_before(tmp_path):
    signal = StopSignal(tmp_path)
    told = [threading.Event(), threading.Event()]
    for event in told:
        on_stop(tmp_path, event.set)
    assert not any(event.wait(0.05) for event in told)
    signal.give()
    signal.give()
    assert all(event.wait(WAIT_S) for event in told)


def test_a_worker_that_comes_later_learns_it_too(tmp_path):
    StopSignal(tmp_path).give()
    told = threading.Event()
    on_stop(tmp_path, told.set)
    assert told.wait(WAIT_S)


@pytest.mark.parametrize("end", ["stop", "close"])
def test_the_end_of_the_shared_files_is_a_stop(end):
    shared = SharedFiles.make(4, 2)
    told = threading.Event()
    on_stop(shared.folder, told.set)
    try:
        getattr(shared, end)()
        assert told.wait(WAIT_S)
    finally:
        if end != "close":
            shared.close()


def test_where_there_is_no_signal_nobody_is_told(tmp_path):
    told = threading.Event()
    on_stop(tmp_path, told.set)
    assert not told.wait(0.05)
