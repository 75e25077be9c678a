"""What tool calls did to files, as the log shows it, and the states that they leave."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tool_calls import call, conversation, done, shell

from pytest_compaction.artifacts import (
    INTERRUPTED,
    FileOperation,
    commands,
    file_operations,
    file_states,
)
from pytest_compaction.conversation import Message

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


@pytest.mark.parametrize(
    ("name", "arguments", "operation"),
    [
        ("write", {"path": "a.py", "content": "x = 1"}, "created"),
        ("Write", {"file_path": "a.py", "content": "x = 1"}, "created"),
        ("write_to_file", {"path": "./a.py", "content": ""}, "created"),
        ("createFile", {"filename": "a.py"}, "created"),
        ("mcp__fs__write_file", {"path": '"a.py"', "content": "x"}, "created"),
        ("edit", {"path": "a.py", "oldText": "a", "newText": "b"}, "modified"),
        ("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, "modified"),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"new_string": "b"}]}, "modified"),
        ("replace_in_file", {"path": "a.py", "diff": "------- SEARCH\na\n"}, "modified"),
        ("str_replace_editor", {"command": "create", "path": "a.py"}, "created"),
        ("str_replace_based_edit_tool", {"command": "insert", "path": "a.py"}, "modified"),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, "read"),
        ("Read", {"file_path": "a.py"}, "read"),
        ("read_files", {"paths": ["a.py"]}, "read"),
        ("delete_file", {"target_file": "a.py"}, "deleted"),
        ("move_file", {"source": "b.py", "destination": "a.py"}, "renamed"),
        (
            "str_replace_editor",
            {"command": "rename", "old_path": "b", "new_path": "a.py"},
            "renamed",
        ),
    ],
)
def test_tools_of_many_vendors_are_recognised(name, arguments, operation):
    assert done((name, arguments)) == [(operation, "a.py")]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("TodoWrite", {"todos": []}),
        ("create_directory", {"path": "src"}),
        ("list_files", {"path": "src"}),
        ("read_url", {"path": "https://example.org/a.py"}),
        ("Glob", {"pattern": "*.py"}),
        ("write", {"path": "/dev/null", "content": "x"}),
        ("edit", {"path": 5, "newText": "x"}),
        ("write", ["a.py"]),
        ("write", "{broken"),
    ],
)
def test_what_is_no_file_operation_is_not_claimed(name, arguments):
    assert done((name, arguments)) == []


def test_a_write_to_a_known_file_is_a_modification():
    assert done(
        ("read", {"path": "a.py"}),
        ("write", {"path": "a.py", "content": "x"}),
        ("write", {"path": "b.py", "content": "x"}, "The file b.py has been updated."),
        ("write", {"path": "c.py", "content": "x"}),
        ("write", {"path": "c.py", "content": "y"}),
    ) == [
        ("read", "a.py"),
        ("modified", "a.py"),
        ("modified", "b.py"),
        ("created", "c.py"),
        ("modified", "c.py"),
    ]


def test_a_call_that_was_refused_did_nothing():
    said = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    messages = call("bash", {"command": "mv a.py b.py && rm c.py"}, said, is_error=True)
    assert not any(op.succeeded for op in file_operations(messages))


def test_a_folder_that_was_made_again_is_not_gone():
    messages = conversation(("bash", {"command": "rm -rf build && mkdir build && cd build"}))
    assert [state.path for state in file_states(file_operations(messages)) if state.deleted] == []


def test_states_say_where_the_log_leaves_doubt():
    messages = conversation(
        ("write", {"path": "src/a.py", "content": "x"}),
        ("write", {"path": "src/b.py", "content": "x"}),
        ("bash", {"command": "git stash"}),
        ("read", {"path": "src/b.py"}),
    )
    states = {state.path: state.certain for state in file_states(file_operations(messages))}
    assert states == {"src/a.py": False, "src/b.py": True}


PATCH = """*** Begin Patch
*** Add File: new.py
+limit = 5
*** Update File: old.py
*** Move to: moved.py
@@
-x = 1
+retry_limit = 5
*** Delete File: gone.py
*** End Patch"""
DIFF = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1 @@
-x = 1
+def backoff(attempt):
--- /dev/null
+++ b/n.py
--- a/d.py
+++ /dev/null
"""


@pytest.mark.parametrize("key", ["input", "patch"])
def test_patches_name_their_files(key):
    assert done(("apply_patch", {key: PATCH})) == [
        ("created", "new.py"),
        ("renamed", "moved.py"),
        ("modified", "moved.py"),
        ("deleted", "gone.py"),
    ]
    assert done(("apply_patch", {key: DIFF})) == [
        ("modified", "a.py"),
        ("created", "n.py"),
        ("deleted", "d.py"),
    ]
    assert shell(f"apply_patch <<'EOF'\n{PATCH}\nEOF")[0] == ("created", "new.py")


UPDATED = "Success. Updated the following files:\nA src/new.ts\nM src/old.ts\n"


def test_a_file_that_a_patch_adds_is_created_whatever_the_reply_calls_the_patch():
    patch = (
        "*** Begin Patch\n*** Add File: src/new.ts\n+export const a = 1\n"
        "*** Update File: src/old.ts\n@@\n-x = 1\n+x = 2\n*** End Patch"
    )
    expected = [("created", "src/new.ts"), ("modified", "src/old.ts")]
    assert done(("apply_patch", {"input": patch}, UPDATED)) == expected
    script = f"cd /repo && apply_patch <<'EOF'\n{patch}\nEOF"
    assert done(("bash", {"command": script}, UPDATED)) == [
        ("created", "/repo/src/new.ts"),
        ("modified", "/repo/src/old.ts"),
    ]
    assert done(("apply_patch", {"patch": DIFF}, "Updated 3 files"))[1] == ("created", "n.py")


def test_a_patch_that_adds_a_known_file_modifies_it():
    patch = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch"
    assert done(("read", {"path": "a.py"}), ("apply_patch", {"input": patch}, UPDATED)) == [
        ("read", "a.py"),
        ("modified", "a.py"),
    ]
    said = "Overwrote the existing file a.py"
    assert done(("apply_patch", {"input": patch}, said)) == [("modified", "a.py")]


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        ("x = 1", "x = 1\nretry_limit = 5\n", "retry_limit = 5"),
        ("", "# a comment\nimport os\n\ndef backoff(attempt):\n    pass", "def backoff(attempt)"),
        ('"a": "b",', '"a": "b",\n"port": 8080,', '"port": 8080'),
        ("some words stand here", "other words stand here now", "other words stand here now"),
        ("a\nb", "a", ""),
        ("", "}\n", ""),
    ],
)
def test_the_detail_of_an_edit_is_its_first_new_definition(old, new, detail):
    messages = conversation(("edit", {"path": "a.py", "old_str": old, "new_str": new}))
    assert file_operations(messages)[0].detail == detail


@given(st.text(max_size=300), st.text(max_size=300))
def test_a_detail_is_short_and_never_invented(old, new):
    messages = conversation(("edit", {"path": "a.py", "old_str": old, "new_str": new}))
    detail = file_operations(messages)[0].detail
    assert len(detail) <= 80
    lines = [CONTROL.sub(" ", line) for line in new.splitlines()]
    assert not detail or any(detail in line for line in lines)


def test_failed_and_interrupted_calls_did_not_succeed():
    edit = {"path": "a.py", "new_str": "x = 1"}
    assert not file_operations(call("edit", edit, "no", is_error=True))[0].succeeded
    assert not file_operations(call("edit", edit, "Error: text not found"))[0].succeeded
    assert not file_operations(call("edit", edit, INTERRUPTED))[0].succeeded
    assert not file_operations(call("edit", edit)[:1])[0].succeeded
    missing = call("bash", {"command": "cat a.py b.py"}, "cat: a.py: No such file or directory")
    assert [op.succeeded for op in file_operations(missing)] == [False, True]


def test_a_failing_test_run_does_not_undo_the_edit_before_it():
    messages = call("bash", {"command": "sed -i s/a/b/ a.py && pytest"}, "1 failed", is_error=True)
    assert file_operations(messages)[0].succeeded


def test_states_merge_by_file_and_follow_renames():
    messages = conversation(
        ("read", {"path": "old.py"}),
        ("bash", {"command": "git mv old.py new.py"}),
        ("edit", {"path": "new.py", "new_str": "limit = 5"}),
        ("write", {"path": "tmp.py", "content": "x = 1"}),
        ("bash", {"command": "rm tmp.py"}),
    )
    renamed, temporary = file_states(file_operations(messages))
    assert (renamed.path, renamed.renamed_from, renamed.details) == (
        "new.py",
        "old.py",
        ("limit = 5",),
    )
    assert renamed.read and renamed.modified and not renamed.created and not renamed.deleted
    assert renamed.message_ids == ("m0", "m2", "m4")
    assert temporary.created and temporary.deleted


def test_states_take_absolute_and_relative_names_for_one_file():
    operations = [
        FileOperation("/work/repo/src/a.py", "read", "m0"),
        FileOperation("src/a.py", "modified", "m1"),
        FileOperation("src/b.py", "modified", "m2", succeeded=False),
    ]
    assert [state.path for state in file_states(operations)] == ["/work/repo/src/a.py"]


NAMES = st.sampled_from(["write", "edit", "bash", "apply_patch", "str_replace_editor", "mv", "x"])
KEYS = st.sampled_from(["path", "command", "content", "patch", "old_str", "new_str", "edits", "to"])
SCRIPTS = st.text(alphabet="ab ./'\"<>|&;\n$`*\\-EOFrmcatsed{}()#\x00\u202e", max_size=60)
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | SCRIPTS | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=4).map(json.dumps) | SCRIPTS


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(NAMES, ARGUMENTS, SCRIPTS, st.booleans()), max_size=5))
def test_hostile_arguments_never_raise(entries):
    messages: list[Message] = []
    for number, (name, arguments, output, is_error) in enumerate(entries):
        messages += call(name, arguments, output, is_error=is_error, number=number)
    operations = file_operations(messages)
    assert operations == file_operations(messages)
    for operation in operations:
        assert operation.path
        assert not re.search(r"[\x00-\x1f\x7f\u202e]", operation.path)
    file_states(operations)
    commands(messages)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bash", {"command": "cat '" + "a" * 200_000}),
        ("bash", {"command": "(" * 100_000}),
        ("bash", {"command": 'echo "' * 60_000}),
        ("bash", {"command": "cat <<A\n" * 20_000}),
        ("edit", {"path": "a", "new_str": "const " + " " * 200_000, "old_str": ""}),
        ("write", {"path": "a" * 1_000_000, "content": "x"}),
        ("apply_patch", {"input": "--- a\n+++ b\n" * 50_000}),
    ],
)
def test_huge_arguments_take_little_time(name, arguments):
    started = time.process_time()
    file_operations(call(name, arguments, "error " * 100_000))
    assert time.process_time() - started < 3


def test_long_logs_take_linear_time():
    calls = [("edit", {"path": f"src/f{i}.py", "new_str": f"x = {i}"}) for i in range(10_000)]
    started = time.process_time()
    states = file_states(file_operations(conversation(*calls)))
    assert len(states) == 10_000
    assert time.process_time() - started < 10
