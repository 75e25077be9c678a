"""The line on the calls of a run: its text, what is known of the calls, and where it stands."""

import io
import itertools
import re
import sqlite3
from types import SimpleNamespace

import pytest

from pytest_compaction.models import Accounts, CallCounts, Usage, call_counts
from pytest_compaction.reports.call_progress import duration, progress_text, seconds_left
from pytest_compaction.session import progress_line
from pytest_compaction.session.progress_line import CallProgress, CallsLine


@pytest.mark.parametrize(
    ("found", "known", "guessed", "elapsed", "said"),
    [
        (CallCounts(), 756, True, 1, "0 of about 756 calls"),
        (
            CallCounts(123, 0, 0.3121),
            1354,
            False,
            123,
            "123 of 1,354 calls, 0.3121 US dollars so far, about 21 min left",
        ),
        (
            CallCounts(10, 40, None),
            100,
            True,
            6,
            "50 of about 100 calls (40 from the store), no price known, less than a minute left",
        ),
        (CallCounts(0, 40), 100, False, 9, "40 of 100 calls (40 from the store)"),
        (
            CallCounts(12, 0, 0.5),
            10,
            True,
            60,
            "12 of about 12 calls, 0.5000 US dollars so far",
        ),
    ],
)
def test_the_line_says_calls_dollars_and_time(found, known, guessed, elapsed, said):
    assert progress_text(found, known, guessed, elapsed) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (29, "less than a minute"),
        (45, "about 1 min"),
        (3570, "about 1 h 0 min"),
        (7500, "about 2 h 5 min"),
    ],
)
def test_a_time_is_said_in_minutes(seconds, said):
    assert duration(seconds) == said


def test_there_is_no_pace_before_a_few_calls_and_after_the_last():
    assert seconds_left(CallCounts(4), 100, 60) is None
    assert seconds_left(CallCounts(100), 100, 60) is None
    assert seconds_left(CallCounts(50, 10), 100, 100) == 80.0


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


class Screen(io.StringIO):
    """A terminal that understands what is written to it, and pytest's writer of that terminal."""

    def __init__(self):
        super().__init__()
        self.rows, self.row, self.column, self.width_of_current_line = [""], 0, 0, 0

    def line(self, text):
        """Write as pytest does, which counts the columns of its own line."""
        self.write(text)
        self.width_of_current_line = len(text.rpartition("\n")[2]) + (
            0 if "\n" in text else self.width_of_current_line
        )

    def write(self, text):
        for part in re.findall(r"\x1b\[\d*[A-Z]|[\n\r]|[^\x1b\n\r]", text):
            row = self.rows[self.row]
            if part == "\n":
                self.row, self.column = self.row + 1, 0
                self.rows += [""] * (self.row == len(self.rows))
            elif part == "\r":
                self.column = 0
            elif part.endswith("A") and part != "A":
                self.row -= 1
            elif part.endswith("C") and part != "C":
                self.column += int(part[2:-1])
            elif part == "\x1b[K":
                self.rows[self.row] = row[: self.column]
            else:
                self.rows[self.row] = (
                    row[: self.column].ljust(self.column) + part + row[self.column + 1 :]
                )
                self.column += 1


@pytest.fixture
def line_of(tmp_path, monkeypatch):
    """Makes a line whose clock says that a minute has passed whenever it is looked at."""
    minutes = itertools.count()
    monkeypatch.setattr(progress_line, "clock", lambda: 61.0 * next(minutes))
    monkeypatch.setattr(progress_line, "LOOK_S", 99)
    accounts = Accounts(tmp_path / "accounts.sqlite")
    made = []

    def line(write=None, terminal=None, known=9):
        column = (lambda: terminal.width_of_current_line) if terminal else (lambda: 0)
        file = accounts.path
        made.append(CallsLine("compaction", file, known, False, write, terminal, column))
        return made[-1]

    yield line, accounts
    for each in made:
        each.end()
    accounts.close()


def test_the_line_stands_below_the_dots_and_leaves_them_alone(line_of):
    make, accounts = line_of
    screen = Screen()
    line = make(terminal=screen)
    screen.line("tests/a.py ..")
    line.look()
    accounts.stored("responder", "m")
    line.look()
    said = "compaction: 1 of 9 calls (1 from the store)"
    assert screen.rows == ["tests/a.py ..", said]
    with line.others_write():
        screen.line(".\ntests/b.py .")
    assert screen.rows == ["tests/a.py ...", "tests/b.py .", said]
    line.end()
    screen.line("F\n")
    assert screen.rows == ["tests/a.py ...", "tests/b.py .F", ""]


def test_the_line_is_never_wider_than_the_terminal(line_of, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    screen = Screen()
    line_of[0](terminal=screen).look()
    assert screen.rows[1] == "compaction: 0 of 9 calls"[:19]


def test_nothing_is_erased_where_nothing_was_shown(line_of):
    screen = Screen()
    with line_of[0](terminal=screen).others_write():
        assert screen.rows == [""]


def test_without_a_terminal_each_text_has_a_line_of_its_own(line_of):
    make, accounts = line_of
    said = []
    line = make(said.append)
    line.look()
    accounts.stored("responder", "m")
    line.look()
    assert said == [
        "compaction: 0 of 9 calls",
        "compaction: 1 of 9 calls (1 from the store)",
    ]


class OtherReporter(pytest.TerminalReporter):
    """The reporter of another plugin."""


def config_of(reporter=pytest.TerminalReporter, verbosity=0, tty=True, **given):
    """A configuration as far as the place of the line depends on it."""
    file = SimpleNamespace(isatty=lambda: tty)
    made = object.__new__(reporter) if reporter else None
    return SimpleNamespace(
        pluginmanager=SimpleNamespace(get_plugin=lambda _: made, hasplugin=lambda _: True),
        get_verbosity=lambda: verbosity,
        getoption=lambda name, default=None: given.get(name, default),
        getini=given.get,
        get_terminal_writer=lambda: SimpleNamespace(_file=file, hasmarkup=True),
    )


@pytest.mark.parametrize(
    ("config", "rewritten"),
    [
        (config_of(), True),
        (config_of(verbosity=1), True),
        (config_of(tty=False), False),
        (config_of(capture="no"), False),
        (config_of(log_cli=True), False),
        (config_of(verbosity=-1), None),
        (config_of(usepdb=True), None),
        (config_of(trace=True), None),
        (config_of(reporter=OtherReporter), None),
        (config_of(reporter=None), None),
    ],
)
def test_the_line_is_rewritten_written_or_left_out(config, rewritten, monkeypatch):
    made = []
    monkeypatch.setattr(progress_line, "planned_calls", lambda *_: (9, False))
    monkeypatch.setattr(progress_line, "CallsLine", lambda *given: made.append(given[5]))
    CallProgress(None, None, config).pytest_xdist_node_collection_finished([])
    assert [file is not None for file in made] == ([] if rewritten is None else [rewritten])
