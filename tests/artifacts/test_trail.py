"""The trail of artifacts: the same whether a log comes whole or in parts; errors as printed."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import agent_logs, as_messages, assistant, tool, user
from support.compacting import messages_of

from pytest_compaction.artifacts import (
    Trail,
    error_kind,
    error_texts,
    file_operations,
    file_states,
    trail_from_json,
)


def shell(id, command, output="", **more):
    return [
        assistant(None, (id, "bash", {"command": command})),
        tool(id, output, **more),
    ]


def write(id, path, content="A = 1\n", output="ok"):
    return [
        assistant(None, (id, "write_file", {"path": path, "content": content})),
        tool(id, output),
    ]


def edit(id, path, old, new):
    arguments = {"path": path, "old": old, "new": new}
    return [assistant(None, (id, "edit_file", arguments)), tool(id, "edited")]


def read(id, path):
    return [assistant(None, (id, "read_file", {"path": path})), tool(id, "text")]


def trail_of(*parts):
    return Trail().followed_by(messages_of([message for part in parts for message in part]))


@given(agent_logs(), st.lists(st.integers(0, 40), max_size=4))
def test_a_log_in_parts_gives_the_trail_of_the_whole_log(chat, cuts):
    messages = as_messages(chat)
    trail = Trail()
    edges = [0, *sorted(min(cut, len(messages)) for cut in cuts), len(messages)]
    for start, end in itertools.pairwise(edges):
        trail = trail_from_json(json.loads(json.dumps(trail.as_json())))
        trail = trail.followed_by(messages[start:end])
    whole = Trail().followed_by(messages)
    assert trail.files == whole.files
    assert trail.runs == whole.runs
    assert trail.errors == whole.errors
    assert trail.tests == whole.tests


@given(agent_logs())
def test_the_files_are_those_that_the_operations_of_the_log_leave(chat):
    messages = as_messages(chat)
    states = [state for state in file_states(file_operations(messages)) if state.touched]
    told = {(s.path, s.created, s.modified, s.deleted, s.renamed_from) for s in states}
    trail = Trail().followed_by(messages)
    assert {(s.path, s.created, s.modified, s.deleted, s.renamed_from) for s in trail.files} == told


def test_a_file_written_again_later_was_created_once_and_modified():
    first = Trail().followed_by(messages_of(write("a", "src/a.py")))
    later = first.followed_by(messages_of(write("b", "src/a.py", "A = 2\n"), start=2))
    (state,) = later.files
    assert (state.created, state.modified) == (True, True)
    assert state.details == ("A = 1", "A = 2")


def test_a_result_that_comes_in_the_next_part_still_counts():
    call, result = write("a", "src/a.py")
    trail = Trail().followed_by(messages_of([call]))
    assert trail.files == []
    assert [message.id for message in trail.open] == ["m0"]
    trail = trail.followed_by(messages_of([result], start=1))
    assert [state.path for state in trail.files] == ["src/a.py"]
    assert trail.open == ()


def test_a_call_that_died_does_not_hold_back_what_follows():
    call, _ = write("dead", "src/dead.py")
    trail = trail_of([call], [user("Never mind.")], write("b", "src/b.py"))
    assert [state.path for state in trail.files] == ["src/b.py"]


def test_edits_say_what_is_new():
    (state,) = trail_of(edit("a", "app.ini", "limit = 90", "limit = 160")).files
    assert (state.modified, state.details) == (True, ("limit = 160",))


def test_a_reading_that_is_repeated_is_kept_once_and_a_failed_write_not_at_all():
    missing = [
        assistant(None, ("x", "write_file", {"path": "b.py", "content": "B"})),
        tool("x", "permission denied", is_error=True),
    ]
    trail = trail_of(read("1", "a.py"), missing, read("2", "a.py"))
    assert [(op.path, op.operation, op.message_id) for op in trail.operations] == [
        ("a.py", "read", "m4")
    ]


def test_commands_that_look_at_things_or_show_in_the_files_are_not_remembered():
    silent = (
        "ls -la && cat a.py | grep x; git status; git diff HEAD~1; mv a.py b.py; sed -i s/a/b/ c"
    )
    trail = trail_of(shell("a", silent), shell("b", "X=1 && git add -A"), shell("c", "git tag"))
    assert trail.runs == ()


def test_a_command_is_remembered_with_how_often_it_ran_and_how_it_ended_last():
    trail = trail_of(
        shell("a", "cd app && make all", "broken\nexit code 2"),
        shell("b", "pytest -q", "2 failed, 3 passed in 0.1s"),
        shell("c", "make all", "fine"),
        shell("d", "git commit -qm 'fix: the rest' && git log --oneline", "abc fix: the rest"),
        shell("e", "make dist", "make: *** no rule\nexit code 2"),
    )
    found = [(run.text, run.times, run.failed, run.tests) for run in trail.runs]
    assert found == [
        ("pytest -q", 1, False, "2 failed, 3 passed"),
        ("make all", 2, False, ""),
        ("git commit -qm 'fix: the rest'", 1, False, ""),
        ("make dist", 1, True, ""),
    ]
    assert [run.changing for run in trail.runs] == [False, False, True, False]
    assert trail.tests == "2 failed, 3 passed (`pytest -q`)"


def test_a_heredoc_is_no_command():
    script = "python3 tool.py --fast <<'EOF'\nimport os; make all\nEOF\nnpm run build"
    assert [run.text for run in trail_of(shell("a", script)).runs] == [
        "python3 tool.py --fast",
        "npm run build",
    ]


def test_failed_assertions_stand_until_the_tests_pass_other_errors_go_on_standing():
    broken = shell("a", "pytest -q", "E   AssertionError: assert 1 == 2\n1 failed in 0.1s")
    other = shell("b", "tool build", "tool: E417 version mismatch: bundle says 1, tree says 2")
    assert trail_of(broken, other).errors == (
        "AssertionError: assert 1 == 2",
        "tool: E417 version mismatch: bundle says 1, tree says 2",
    )
    mended = trail_of(broken, other, shell("c", "pytest -q", "4 passed in 0.1s"))
    assert mended.errors == ("tool: E417 version mismatch: bundle says 1, tree says 2",)


def test_one_error_at_many_places_is_one_error():
    first, second = (
        f"src/a.ts({n},5): error TS2554: Expected 2 arguments, but got 1." for n in (3, 90)
    )
    assert error_kind(first) == error_kind(second) == first.partition(": ")[2]
    trail = trail_of(shell("a", "npx tsc -p .", f"{first}\n{second}"))
    assert trail.errors == (second,)


@pytest.mark.parametrize(
    ("line", "failed", "text"),
    [
        ("E   ValueError: no such lease", False, "ValueError: no such lease"),
        ("requests.exceptions.ConnectionError: refused", False, None),
        ("fatal: not a git repository", False, None),
        ("error[E0382]: borrow of moved value: `x`", False, None),
        ("npm ERR! missing script: lint", False, None),
        ("cp: cannot stat 'a': No such file or directory", True, None),
        ("cp: cannot stat 'a': No such file or directory", False, ""),
        ("all is well, nothing to see", True, ""),
        ("FAILED tests/test_a.py::test_b - AssertionError: as...", True, ""),
        ("2 failed, 10 passed in 0.42s", True, ""),
        ("======== FAILURES ========", True, ""),
        ("def handle(error): return error", True, ""),
        ("x" * 500 + " ValueError: too far in the line", False, ""),
        ("KeyError:  'a   b'", False, None),
        ("E   KeyError: 3", False, "KeyError: 3"),
        ("psycopg2.errors.UniqueViolation: duplicate key value", False, None),
        ("django.core.exceptions.ObjectDoesNotExist: no row", False, None),
        (
            "E   subprocess.TimeoutExpired: timed out after 5",
            False,
            "subprocess.TimeoutExpired: timed out after 5",
        ),
        ("com.example.Main: started", True, ""),
        ("Expected: 3 of them", True, ""),
    ],
)
def test_a_line_is_an_error_text_or_not(line, failed, text):
    wanted = [] if text == "" else [line if text is None else text]
    assert list(error_texts(line, failed)) == wanted


def test_a_traceback_ends_in_its_error_whatever_that_is_called():
    output = (
        "Traceback (most recent call last):\n"
        '  File "/app/lease.py", line 3, in renew\n'
        '    raise Gone("ValueError: a line of the program")\n'
        "{}\n"
        "lease.py: done\n"
    )
    for said in ("lease.states.Gone: 45 s", "KeyError: 3", "StopIteration", "zlib.error: bad"):
        assert list(error_texts(output.format(said), failed=False)) == [said]
    assert list(error_texts(output.format("and so on"), failed=False)) == []


def test_of_a_long_line_it_is_said_how_much_is_missing():
    line = "ValueError: " + "".join(f"row {i:04}; " for i in range(100))
    (text,) = error_texts(line, failed=False)
    shown, _, mark = text.partition(" … [")
    assert line.startswith(shown)
    assert len(text) <= 400
    assert mark == f"{len(line.strip()) - len(shown)} more characters]"


@pytest.mark.parametrize("command", ["make", "pytest", "tsc", "ruff", "./configure", "CI=1 make"])
def test_a_command_of_one_word_is_remembered_with_its_errors(command):
    error = "src/a.ts(3,5): error TS2554: Expected 2 arguments, but got 1."
    trail = trail_of(shell("a", command, f"{error}\nexit code 2"))
    assert trail.errors == (error,)
    assert [(run.text, run.failed) for run in trail.runs] == [(command.split()[-1], True)]


def test_the_tests_that_a_command_of_one_word_ran_are_the_last_test_run():
    trail = trail_of(shell("a", "pytest", "2 failed, 3 passed in 0.1s"))
    assert trail.tests == "2 failed, 3 passed (`pytest`)"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cat src/gone.py", "cat: src/gone.py: No such file or directory"),
        ("cd app && mv a.py b.py", "mv: cannot stat 'a.py': No such file or directory"),
        ("sed -i s/a/b/ c.py", "sed: can't read c.py: No such file or directory"),
        ("cd gone && ls", "bash: cd: gone: No such file or directory"),
        ("git checkout main", "error: Your local changes would be overwritten by checkout."),
        ("git show gone", "fatal: ambiguous argument 'gone': unknown revision"),
    ],
)
def test_a_program_that_shows_things_states_an_error_in_its_own_name(command, said):
    shown = "A file.\nValueError: what a file holds"
    output = f"{shown}\n{said}\nexit code 1"
    assert trail_of(shell("a", command, output)).errors == (said,)
    assert trail_of(shell("a", command, f"{shown}\n{said}")).errors == ()


def test_a_script_that_cannot_be_read_states_errors_where_it_failed():
    script, error = "tool 'build", "tool: E417 version mismatch: bundle says 1, tree says 2"
    assert trail_of(shell("a", script, f"{error}\nexit code 2")).errors == (error,)
    assert trail_of(shell("a", script, error)).errors == ()


def test_what_a_listing_shows_is_no_error():
    trail = trail_of(shell("a", "cat src/errors.py", "raise ValueError: never"))
    assert trail.errors == ()


@pytest.mark.parametrize(
    "line",
    [
        "except (TypeError, ValueError) as error:",
        'raise self.make_error("invalid: no such file") from error',
        'default_error_messages = {"invalid": "Error: not a mapping."}',
        "# Error: this is a comment",
    ],
)
def test_lines_of_a_program_are_no_errors_that_were_printed(line):
    assert list(error_texts(f"{line}\nValueError: the port 80 is taken\n", failed=True)) == [
        "ValueError: the port 80 is taken"
    ]
