"""Where a log can be read again: the files and commands of the calls that gave each result."""

import pytest
from support.builders import assistant, tool, user
from support.compacting import messages_of

from pytest_compaction.artifacts import LogPlaces, Places


def log(*calls):
    """A request, and each call with its result; the results are m2, m4, …"""
    said = [user("Go on.")]
    for number, (name, arguments) in enumerate(calls):
        said += [assistant(None, (f"c{number}", name, arguments)), tool(f"c{number}", "ok")]
    return messages_of(said)


def places(*calls, id="m2"):
    messages = log(*calls)
    return LogPlaces(messages).of_results(id, len(messages) - 1)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("read_file", {"path": "a/b.py"}), Places(("a/b.py",))),
        (("read_files", {"files": ["a/b.py", "c.py"]}), Places(("a/b.py", "c.py"))),
        (("Grep", {"pattern": "x", "path": "src/lib"}), Places(("src/lib",))),
        (("Grep", {"pattern": "x", "path": "src"}), Places()),
        (("search", {"query": "tokens"}), Places()),
        (("bash", {"command": "pytest -q"}), Places((), ("pytest -q",))),
        (
            ("bash", {"command": "cat a/b.py && make test"}),
            Places(("a/b.py",), ("cat a/b.py && make test", "make test")),
        ),
    ],
    ids=["file", "files", "folder", "word", "query", "command", "script"],
)
def test_a_result_is_read_again_by_what_its_call_names(call, expected):
    assert places(call) == expected


def test_a_message_without_a_result_is_read_nowhere():
    read = ("read_file", {"path": "a/b.py"})
    assert places(read, id="m0") == places(read, id="m1") == places(read, id="gone") == Places()


def test_each_of_several_results_belongs_to_its_call():
    calls = [(f"c{n}", "read_file", {"path": f"a/{n}.py"}) for n in range(2)]
    messages = messages_of([assistant(None, *calls), tool("c1", "one"), tool("c0", "zero")])
    found = LogPlaces(messages)
    assert found.of_results("m1", 2).paths == ("a/1.py",)
    assert found.of_results("m2", 2).paths == ("a/0.py",)


def test_a_file_is_followed_through_renames_until_it_is_deleted():
    steps = (
        ("read_file", {"path": "a/b.py"}),
        ("bash", {"command": "mv a/b.py a/c.py"}),
        ("bash", {"command": "mv a/c.py a/d.py"}),
        ("bash", {"command": "rm a/d.py"}),
    )
    found = LogPlaces(log(*steps))
    known = [found.of_results("m2", until).paths for until in (2, 4, 6, 8)]
    assert known == [("a/b.py",), ("a/c.py",), ("a/d.py",), ()]


def test_a_file_that_was_made_again_is_there():
    steps = (
        ("read_file", {"path": "a/b.py"}),
        ("delete_file", {"path": "a/b.py"}),
        ("write_file", {"path": "a/b.py", "content": "x = 1"}),
    )
    assert places(*steps).paths == ("a/b.py",)
    assert places(*steps[:2]).paths == ()


def test_a_file_that_was_not_deleted_after_all_is_there():
    messages = messages_of(
        [
            assistant(None, ("c0", "read_file", {"path": "a/b.py"})),
            tool("c0", "x"),
            assistant(None, ("c1", "delete_file", {"path": "a/b.py"})),
            tool("c1", "Error: permission denied"),
        ]
    )
    assert LogPlaces(messages).of_results("m1", 3).paths == ("a/b.py",)


def test_what_was_written_is_the_call_without_what_it_replaced():
    messages = log(("edit", {"path": "a/b.py", "oldText": "LIMIT = 1", "newText": "LIMIT = 2"}))
    (written,) = LogPlaces(messages).of_written("m1", 2)
    (call,) = written.call.calls
    assert call.parsed() == {"path": "a/b.py", "newText": "LIMIT = 2"}
    assert written.places.paths == ("a/b.py",)
    assert list(LogPlaces(messages).of_written("gone", 2)) == []


def test_what_was_only_read_was_not_written():
    assert list(LogPlaces(log(("read_file", {"path": "a/b.py"}))).of_written("m1", 2)) == []
