"""What a passage says otherwise with the words of a statement, and what it says in other words."""

import pytest

from pytest_compaction.text import Statement, TextIndex


def statement(text, *groups):
    return Statement(text, keys=tuple(tuple(group.split("|")) for group in groups))


def outcome(fact, text):
    return TextIndex(text).read(fact).outcome


FOLD = statement("umlauts fold ö to oe", "umlaut|fold", "ö oe|ö to oe")
OLD = statement("after the fix it prints 8 instead of 9", "8", "print")
PAIR = statement("red is 31 and blue is 34", "red 31", "blue 34")
SOAK = statement("tagged after a soak with six workers", "soak", "six workers|Thursday")
BOUND = statement("the pool keeps known names", "pool", "names")
TODO = statement("notes.md still has to be corrected", "notes.md", "correct|fix")


@pytest.mark.parametrize(
    ("fact", "right", "wrong"),
    [
        (FOLD, "Umlauts: `ö` becomes `oe`.", "Umlauts: `oe` becomes `ö`."),
        (OLD, "It prints 8 now.", "It printed 8 before the fix and prints 9 after it."),
        (PAIR, "Colours: 31 for red, 34 for blue.", "Colours: 34 for red and 31 for blue."),
        (SOAK, "Soak on Thursday, 6 workers.", "Soak on Thursday with 2 workers."),
        (BOUND, "The pool holds on to known names.", "The pool holds on to unknown names."),
        (TODO, "To be fixed: notes.md.", "Fixed today in notes.md."),
    ],
)
def test_the_same_words_with_another_meaning_do_not_state(fact, right, wrong):
    assert outcome(fact, right) == "stated"
    assert outcome(fact, wrong) != "stated"


IGNORED = statement("the hooks ignore the flag", "hook", "ignore")
UNMATCHED = statement("old_str does not match", "old_str", "not match")
UNPUSHED = statement("the branch is not pushed", "branch", "not pushed")
MISSING = statement("grep does not find iso in match.c", "iso", "match.c", "not found|absent")
CLEARED = statement("rounding is not the cause", "rounding", "not the cause")
TURNED = statement("the Redis lock was rejected", "Redis lock", "rejected")
RENAMED = statement("a_count was renamed to b_count", "a_count -> b_count")


@pytest.mark.parametrize(
    ("fact", "text", "expected"),
    [
        (IGNORED, "The hooks paid no attention to the flag.", "stated"),
        (IGNORED, "The hooks do not consider the flag.", "stated"),
        (IGNORED, "The hooks consider the flag.", "contradicted"),
        (UNMATCHED, "What was given as `old_str` deviates from the file.", "stated"),
        (UNMATCHED, "`old_str` matches the file.", "contradicted"),
        (UNPUSHED, "The branch is still unpushed.", "stated"),
        (MISSING, "Grepping `match.c` for iso turned up nothing (exit code 1).", "stated"),
        (CLEARED, "Rounding was cleared of it.", "stated"),
        (TURNED, "The Redis lock was passed over.", "stated"),
        (TURNED, "The Redis lock was considered. Idea turned down.", "stated"),
        (
            RENAMED,
            "It is called `b_count` now; `a_count`, its former name, is read.",
            "stated",
        ),
        (
            RENAMED,
            "It is called `a_count` now; `b_count`, its former name, is read.",
            "absent",
        ),
    ],
)
def test_a_denial_is_found_in_other_words(fact, text, expected):
    assert outcome(fact, text) == expected


SPARE = statement(
    "lint.py prints the slowest rules of a run in seconds", "lint.py", "slowest rules", "prints"
)


def test_the_other_words_of_a_statement_do_not_make_up_for_one_group_of_free_words():
    assert outcome(SPARE, "lint.py lists the slowest rules of each run, in seconds.") == "absent"
    assert outcome(SPARE, "mint.py lists the slowest rules of each run, in seconds.") == "absent"
    assert outcome(SPARE, "lint.py has slowest rules somewhere.") == "absent"


@pytest.mark.parametrize(
    ("fact", "right", "wrong"),
    [
        (
            "there is no exit code 74 in the nightly logs",
            "The nightly logs have no exit code 74.",
            "The nightly logs do hold an exit code 74.",
        ),
        (
            "the message stands before the file list in verbose output",
            "In verbose output the message stands before the file list.",
            "In verbose output the message stands after the file list.",
        ),
        (
            "the edit was refused with an IndentationError",
            "The edit was refused: IndentationError.",
            "The edit was refused: SyntaxError.",
        ),
    ],
)
def test_a_statement_without_keys_is_compared_with_what_the_place_says(fact, right, wrong):
    assert outcome(Statement(fact), right) == "stated"
    assert outcome(Statement(fact), wrong) != "stated"


def test_a_tool_call_below_prose_is_no_continuation_of_it():
    text = "Before that I want to see the desk client, which you said has to change as well.\n"
    fact = Statement("desk.py was read", keys=(("app/desk.py",),), change="read")
    assert outcome(fact, text + "read_file app/desk.py") == "stated"
