"""The contents of files as tool calls show them, and their definitions within a limit."""

import pytest
from hypothesis import given, settings
from support.builders import COUNTER, agent_logs, assistant, tool
from support.compacting import messages_of

from pytest_compaction.compactors.base.file_contents import (
    folded_files,
    followed,
    modified,
    signatures,
)


def done(*calls, result="ok", **more):
    """Each call in a message of its own with its result; calls as (name, arguments)."""
    chat = []
    for number, (name, arguments) in enumerate(calls):
        chat.append(assistant(None, (f"c{number}", name, arguments)))
        chat.append(tool(f"c{number}", result, **more))
    return chat


def contents(chat, files=None, most=20):
    return followed(files or {}, messages_of(chat), most)


WRITE = ("write_file", {"path": "a.py", "content": "x = 1\ny = 2\n"})


def test_a_written_file_holds_what_was_written_and_a_read_one_what_was_shown():
    assert contents(done(WRITE)) == {"a.py": "x = 1\ny = 2\n"}
    read = done(("read_file", {"path": "b.py"}), result="z = 3\n")
    assert contents(read) == {"b.py": "z = 3\n"}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"old_string": "x = 1", "new_string": "x = 5"}, "x = 5\ny = 2\n"),
        ({"old_str": "y = 2", "new_str": ""}, "x = 1\n\n"),
        (
            {"edits": [{"oldText": "x", "newText": "u"}, {"oldText": "y", "newText": "v"}]},
            "u = 1\nv = 2\n",
        ),
        ({"old_string": " = ", "new_string": "="}, None),
        ({"old_string": "w", "new_string": "v"}, None),
        ({"new_string": "v"}, None),
    ],
)
def test_an_edit_is_applied_where_it_is_certain_and_else_the_contents_are_unknown(edit, expected):
    chat = done(WRITE, ("edit_file", {"path": "a.py", **edit}))
    assert contents(chat) == {"a.py": expected}


def test_a_renamed_file_keeps_its_contents_and_a_deleted_one_is_forgotten():
    moved = done(WRITE, ("bash", {"command": "git mv a.py b.py"}))
    assert contents(moved) == {"b.py": "x = 1\ny = 2\n"}
    gone = done(WRITE, ("bash", {"command": "rm a.py"}))
    assert contents(gone) == {}


def test_what_a_shell_command_writes_is_not_known_any_more():
    chat = done(WRITE, ("bash", {"command": "echo z >> a.py"}))
    assert contents(chat) == {"a.py": None}
    assert contents(done(("bash", {"command": "cat other.py"}), result="q")) == {}


def test_a_part_read_later_does_not_replace_the_whole():
    chat = done(WRITE, ("read_file", {"path": "a.py", "offset": 2, "limit": 1}), result="y = 2")
    assert contents(chat) == {"a.py": "x = 1\ny = 2\n"}


def test_a_file_too_long_to_carry_along_is_known_by_its_path_only():
    chat = done(("write_file", {"path": "big.txt", "content": "x" * 200_001}))
    assert contents(chat) == {"big.txt": None}


def test_failed_and_unanswered_calls_change_nothing():
    assert contents(done(WRITE, result="no such folder", is_error=True)) == {}
    assert contents([assistant(None, ("c0", *WRITE))]) == {}


def test_the_files_touched_last_stay_in_the_order_of_their_last_touch():
    calls = [("write_file", {"path": f"{name}.py", "content": name}) for name in "abcad"]
    assert list(contents(done(*calls))) == ["b.py", "c.py", "a.py", "d.py"]
    assert list(contents(done(*calls), most=2)) == ["a.py", "d.py"]
    assert contents(done(*calls), most=0) == {}


@settings(max_examples=30)
@given(agent_logs(pending=True))
def test_any_log_can_be_followed_and_the_given_contents_are_not_changed(chat):
    given_files = {"src/app/run.py": "x"}
    files = contents(chat, given_files)
    assert given_files == {"src/app/run.py": "x"}
    assert all(value is None or isinstance(value, str) for value in files.values())


SOURCE = """import os

@cached
class Queue:
    size = 3
    async def push(self):
        def inner(): ...
"""


def test_signatures_are_definitions_with_their_line_numbers():
    expected = ["4 | class Queue:", "6 |     async def push(self):", "7 |         def inner(): ..."]
    assert signatures(SOURCE) == expected


def test_printed_line_numbers_are_recognised():
    printed = "\n".join(f"{40 + i:6}\t{line}" for i, line in enumerate(SOURCE.splitlines(), 1))
    assert signatures(printed) == [
        "44 | class Queue:",
        "46 |     async def push(self):",
        "47 |         def inner(): ...",
    ]


def test_folded_files_come_newest_first_and_without_files_that_define_nothing():
    files = {"old.py": SOURCE, "data.txt": "1 2 3", "unknown.py": None, "new.py": "def f(): ...\n"}
    text = folded_files(files, 10_000, 10_000, COUNTER)
    assert text.splitlines()[:4] == ["## File: new.py", "1 | def f(): ...", "", "## File: old.py"]
    assert "data.txt" not in text
    assert "unknown.py" not in text


def many(count):
    return "".join(f"def function_{number}(): ...\n" for number in range(count))


def test_the_file_that_does_not_fit_is_cut_where_two_hundred_characters_are_left():
    files = {"never.py": many(2), "long.py": many(100), "short.py": many(2)}
    short = folded_files({"short.py": many(2)}, 10_000, 10_000, COUNTER)
    text = folded_files(files, len(short) + 200, 10_000, COUNTER)
    assert text.startswith(short)
    assert "## File: long.py" in text
    assert text.endswith("\n…")
    assert "never.py" not in text
    assert len(text) <= len(short) + 200
    assert folded_files(files, len(short) + 199, 10_000, COUNTER) == short


@pytest.mark.parametrize("limit", [0, 10, 60, 200])
def test_folded_files_stay_within_the_tokens_too(limit):
    text = folded_files({"a.py": many(50)}, 50_000, limit, COUNTER)
    assert COUNTER.text(text) <= limit


def test_modified_files_are_those_written_last_without_the_ones_read_or_deleted():
    calls = [
        ("write_file", {"path": "a.py", "content": "1"}),
        ("write_file", {"path": "b.py", "content": "1"}),
        ("write_file", {"path": "gone.py", "content": "1"}),
        ("edit_file", {"path": "a.py", "old_string": "1", "new_string": "2"}),
        ("read_file", {"path": "b.py"}),
        ("read_file", {"path": "c.py"}),
        ("bash", {"command": "rm gone.py && mv b.py d.py"}),
    ]
    messages = messages_of(done(*calls))
    assert modified((), messages, 9) == ["a.py", "d.py"]
    assert modified(("e.py",), messages, 9) == ["e.py", "a.py", "d.py"]
    assert modified(("e.py",), messages, 1) == ["d.py"]
    assert modified(("e.py",), messages, 0) == []
    assert modified((), messages_of(done(calls[0], is_error=True)), 9) == []
