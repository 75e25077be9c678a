"""The line on the calls of a run: its text, what is known of the calls, and where it stands."""

import sqlite3
from types import SimpleNamespace

import pytest

from pytest_compaction.models import Accounts, CallCounts, Usage, call_counts
from pytest_compaction.reports.call_progress import progress_text
from pytest_compaction.session import progress_line
from pytest_compaction.session.progress_line import CallProgress, CallsLine


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (CallCounts(), "0 calls"),
        (CallCounts(1123, 0, 0.3121), "1,123 calls, 0.3121 US dollars so far"),
        (CallCounts(10, 40, None), "50 calls (40 from the store), no price known"),
        (CallCounts(0, 40), "40 calls (40 from the store)"),
    ],
)
def test_the_line_says_calls_and_dollars(found, said):
    assert progress_text(found) == said


def test_calls_of_all_processes_are_read_from_their_accounts(tmp_path):
    path = tmp_path / "accounts #1.sqlite"
    with pytest.raises(sqlite3.Error):
        call_counts(path)
    assert not path.exists()
    accounts = Accounts(path)
    assert call_counts(path) == CallCounts(0, 0, 0.0)
    paid = accounts.reserve("judge", "m", 5.0, 100.0)
    accounts.reserve("judge", "m", 5.0, 100.0)
    accounts.settle(paid, Usage(1, 10, 0, 5), 0.25)
    accounts.stored("responder", "m")
    assert call_counts(path) == CallCounts(1, 1, 0.25)
    unpriced = accounts.enter("judge", "other")
    accounts.settle(unpriced, Usage(1), None)
    assert call_counts(path) == CallCounts(2, 1, None)
    accounts.close()


def test_each_look_writes_a_line_if_it_is_time_and_none_after_the_end(tmp_path, monkeypatch):
    seconds = iter([0.0, 29.0, 31.0, 32.0, 62.0])
    monkeypatch.setattr(progress_line, "clock", lambda: next(seconds))
    monkeypatch.setattr(progress_line, "_LOOK_S", 99)
    accounts, said = Accounts(tmp_path / "accounts.sqlite"), []
    line = CallsLine("compaction", accounts.path, said.append)
    for _ in range(3):
        line.look()
    accounts.stored("responder", "m")
    line.look()
    line.end()
    accounts.close()
    assert said == ["compaction: 0 calls", "compaction: 1 call (1 from the store)"]


class OtherReporter(pytest.TerminalReporter):
    """The reporter of another plugin."""


def config_of(reporter=pytest.TerminalReporter, verbosity=0, **given):
    """A configuration as far as it says whether there is a line."""
    made = object.__new__(reporter) if reporter else None
    return SimpleNamespace(
        pluginmanager=SimpleNamespace(get_plugin=lambda _: made),
        get_verbosity=lambda: verbosity,
        getoption=lambda name, default=None: given.get(name, default),
        get_terminal_writer=lambda: None,
    )


@pytest.mark.parametrize(
    ("config", "written"),
    [
        (config_of(), True),
        (config_of(verbosity=1), True),
        (config_of(verbosity=-1), False),
        (config_of(usepdb=True), False),
        (config_of(trace=True), False),
        (config_of(reporter=OtherReporter), False),
        (config_of(reporter=None), False),
    ],
)
def test_the_line_is_written_or_left_out(config, written, monkeypatch):
    made = []
    monkeypatch.setattr(progress_line, "CallsLine", lambda *given: made.append(given))
    next(CallProgress(None, config).pytest_runtestloop())
    assert bool(made) == written
