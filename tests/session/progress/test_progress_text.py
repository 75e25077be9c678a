"""The line on the calls of a run: its text, what is known of the calls, and where it stands."""

import io
import re
import sqlite3
from types import SimpleNamespace

import pytest
from _pytest._io import TerminalWriter
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.models import Accounts, CallCounts, Usage, call_counts
from pytest_compaction.reports.call_progress import duration, progress_text, seconds_left
from pytest_compaction.session.progress_line import (
    CallLedger,
    ItemCalls,
    LineAMinute,
    RewrittenLine,
    outlet_for,
    with_shared,
)


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


plans = st.dictionaries(
    st.text("abc", max_size=4),
    st.builds(ItemCalls, st.integers(0, 9), st.sampled_from("xyz"), st.integers(0, 3)),
)


@given(plans, st.data())
def test_once_all_items_are_done_the_calls_are_those_that_they_took(planned, data):
    shared = {key: data.draw(st.integers(0, 5)) for key in "xyz"}
    ledger = CallLedger(planned)
    took = {item: data.draw(st.integers(0, 20)) for item in planned}
    for item in data.draw(st.permutations(sorted(planned))):
        ledger.finish(item, took[item], shared[planned[item].key])
        ledger.finish(item, 99, 99)
    keys = {plan.key for plan in planned.values()}
    assert ledger.total == sum(took.values()) + sum(shared[key] for key in keys)
    assert not ledger.guessed


def test_what_remains_is_counted_as_planned():
    ledger = CallLedger(
        {
            "a": ItemCalls(2, "case", 1, True),
            "b": ItemCalls(2, "case", 1, True),
            "c": ItemCalls(2, "d"),
        }
    )
    assert (ledger.total, ledger.guessed) == (7, True)
    ledger.finish("a", 3, 2)
    assert (ledger.total, ledger.guessed) == (9, True)
    ledger.finish("b")
    ledger.finish("never heard of", 50, 50)
    assert (ledger.total, ledger.guessed) == (7, False)


def test_a_dry_run_says_how_many_calls_are_shared():
    planned = {"a": ItemCalls(2, "x", 1), "b": ItemCalls(2, "y", 1), "c": ItemCalls(2, "z")}
    assert CallLedger(with_shared(planned, 5)).total == 11
    assert with_shared({}, 5) == {}


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

    fullwidth = 30

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


def test_the_line_stands_below_the_dots_and_leaves_them_alone():
    screen = Screen()
    shown = RewrittenLine(screen, screen)
    screen.line("tests/a.py ..")
    shown.show("compaction: 1 of 9 calls")
    shown.show("compaction: 2 of 9")
    assert screen.rows == ["tests/a.py ..", "compaction: 2 of 9"]
    shown.erase()
    screen.line(".\ntests/b.py .")
    shown.restore()
    assert screen.rows == ["tests/a.py ...", "tests/b.py .", "compaction: 2 of 9"]
    shown.erase()
    screen.line("F\n")
    assert screen.rows == ["tests/a.py ...", "tests/b.py .F", ""]


def test_the_line_is_never_wider_than_the_terminal():
    screen = Screen()
    RewrittenLine(screen, screen).show(
        "compaction: 123 of about 756 calls, 0.3121 US dollars so far"
    )
    assert screen.rows[1] == "compaction: 123 of about 756 "[: screen.fullwidth - 1]


def test_nothing_is_erased_where_nothing_was_shown():
    screen = Screen()
    shown = RewrittenLine(screen, screen)
    shown.erase()
    shown.restore()
    assert screen.rows == [""]


def test_without_a_terminal_each_text_has_a_line_of_its_own():
    file = io.StringIO()
    writer = TerminalWriter(file)
    shown = LineAMinute(writer)
    writer.write("tests/a.py ..")
    shown.show("compaction: 1 of 9 calls")
    writer.write(".F")
    shown.show("compaction: 2 of 9 calls")
    assert file.getvalue().splitlines() == [
        "tests/a.py ..",
        "compaction: 1 of 9 calls",
        ".F",
        "compaction: 2 of 9 calls",
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
        getoption=given.get,
        getini=given.get,
        get_terminal_writer=lambda: SimpleNamespace(_file=file, hasmarkup=True),
    )


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (config_of(), RewrittenLine),
        (config_of(verbosity=1), RewrittenLine),
        (config_of(tty=False), LineAMinute),
        (config_of(capture="no"), LineAMinute),
        (config_of(log_cli=True), LineAMinute),
        (config_of(verbosity=-1), type(None)),
        (config_of(usepdb=True), type(None)),
        (config_of(trace=True), type(None)),
        (config_of(reporter=OtherReporter), type(None)),
        (config_of(reporter=None), type(None)),
    ],
)
def test_the_line_is_rewritten_written_or_left_out(config, kind):
    config.getoption = lambda name, default=None, found=config.getoption: found(name, default)
    assert type(outlet_for(config)) is kind
