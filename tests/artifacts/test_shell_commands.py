"""What shell commands did to files: what is certain, what may be, and what they printed."""

import pytest
from support.tool_calls import conversation, done, shell

from pytest_compaction.artifacts import commands, file_operations
from pytest_compaction.artifacts import test_summary as summary_of_tests


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git mv a.py b.py", [("renamed", "b.py")]),
        (
            "mv 'my file.py' b.py && rm -f c.py d.py",
            [("renamed", "b.py"), ("deleted", "c.py"), ("deleted", "d.py")],
        ),
        ("git rm old.py; git rm --cached kept.py", [("deleted", "old.py")]),
        ("touch x.txt\ntouch y.txt", [("created", "x.txt"), ("created", "y.txt")]),
        ("cat > f.py <<'EOF'\nit's = 1 > 0\nrm g.py\nEOF\n", [("created", "f.py")]),
        ("cat <<EOF > f.py\nx\nEOF\nrm g.py", [("created", "f.py"), ("deleted", "g.py")]),
        ("echo hi | tee -a log.txt", [("modified", "log.txt")]),
        ("echo 'x = 1' >> conf.ini", [("modified", "conf.ini")]),
        ("sed -i 's/a/b/' f.py g.py", [("modified", "f.py"), ("modified", "g.py")]),
        ("sed -i '' -e 's/a/b/' f.py", [("modified", "f.py")]),
        ("sed -n '1,5p' f.py | head -3", [("read", "f.py")]),
        ("head -n 5 f.py", [("read", "f.py")]),
        ("cp a.py b.py", [("read", "a.py"), ("created", "b.py")]),
        ("mv a.py lib/", [("renamed", "lib/a.py")]),
        ("cd pkg && cat src/a.py", [("read", "pkg/src/a.py")]),
        ("bash -lc 'rm a.py'", [("deleted", "a.py")]),
        ("sudo FOO=1 rm a.py", [("deleted", "a.py")]),
        ("grep '>' a.py", []),
        ("cat *.py $FILE `ls`", []),
        ("pytest 2>&1 > /dev/null", []),
        ("rm 'unbalanced", []),
        ("ls -la; python a.py", []),
    ],
)
def test_shell_commands_are_read_word_by_word(command, expected):
    assert shell(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "git rm -n dry.py",
        "git mv --dry-run a.py b.py",
        "rm --dry-run z.py",
        "rm --help z.py",
        "git clean -n",
    ],
)
def test_what_only_tries_does_nothing(command):
    assert shell(command) == []


def certain(command, output=""):
    """The certain operations of a command after two files were created."""
    messages = conversation(
        ("write", {"path": "docs/a.py", "content": "x"}),
        ("write", {"path": "docs/b.py", "content": "x"}),
        ("bash", {"command": command}, output),
    )
    ours = [op for op in file_operations(messages) if op.message_id == "m4"]
    return [(op.operation, op.path) for op in ours if op.succeeded and op.certain]


@pytest.mark.parametrize(
    "command",
    [
        "if false; then rm docs/a.py; fi",
        "false && rm docs/a.py",
        "grep -q x y || rm docs/a.py",
        "pytest -q && rm docs/a.py",
        "test -f x &&\n rm docs/a.py",
        "pytest && (cd docs; rm a.py)",
        "set -e\npytest\nrm docs/a.py",
        "exit 0\nrm docs/a.py",
        "clean() { rm docs/a.py; }",
        "while read -r line; do rm docs/a.py; done",
        'cd "$ROOT" && rm docs/a.py',
        "mv -n docs/a.py docs/c.py",
        "mv docs/a.py lib",
    ],
)
def test_what_may_not_have_been_done_is_not_certain(command):
    assert certain(command) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd docs && rm a.py", [("deleted", "docs/a.py")]),
        ("(cd docs; ls); rm docs/a.py", [("deleted", "docs/a.py")]),
        ("cd x || exit 1\nrm docs/a.py", [("deleted", "x/docs/a.py")]),
        ("mkdir -p x && mv docs/a.py x/a.py", [("renamed", "x/a.py")]),
        ("if true; then ls; fi; rm docs/a.py", [("deleted", "docs/a.py")]),
        ("for n in 1 2; do rm docs/a.py; done", [("deleted", "docs/a.py")]),
        ("rm docs/a.py || true", [("deleted", "docs/a.py")]),
        ("git -C docs rm a.py", [("deleted", "docs/a.py")]),
        ("mv -t docs2 docs/a.py", [("renamed", "docs2/a.py")]),
        ("rm -rf docs", [("deleted", "docs"), ("deleted", "docs/a.py"), ("deleted", "docs/b.py")]),
        ("git mv docs man", [("renamed", "man/a.py"), ("renamed", "man/b.py")]),
        ("cp x.py docs", [("read", "x.py"), ("created", "docs/x.py")]),
    ],
)
def test_what_surely_was_done_is_told_by_file(command, expected):
    assert certain(command) == expected


@pytest.mark.parametrize(
    "output",
    [
        "bash: docs/a.py: Read-only file system",
        "fatal: not a git repository",
        "bash: -c: line 1: syntax error near unexpected token `fi'",
        "bash: line 1: cd: x: No such file or directory",
    ],
)
def test_a_file_that_an_error_may_be_about_is_not_certain(output):
    assert certain("cd docs/x; git rm docs/a.py", output) == []


def test_commands_may_come_as_lists():
    assert done(("shell", {"command": ["bash", "-lc", "touch a.py"]})) == [("created", "a.py")]
    assert done(("exec_command", {"cmd": ["rm", "a b.py"]})) == [("deleted", "a b.py")]


def test_commands_say_whether_they_failed():
    messages = conversation(
        ("bash", {"command": "pytest"}, "1 failed\nCommand exited with code 1"),
        ("bash", {"command": "ls"}, "a.py"),
        ("read", {"path": "a.py"}),
    )
    assert [(c.text, c.failed, c.message_id) for c in commands(messages)] == [
        ("pytest", True, "m0"),
        ("ls", False, "m2"),
    ]


@pytest.mark.parametrize(
    ("output", "summary"),
    [
        ("==== 2 failed, 31 passed in 0.50s ====", "2 failed, 31 passed"),
        ("\x1b[32m31 passed\x1b[0m, 1 warning in 0.1s", "31 passed, 1 warning"),
        ("Ran 12 tests in 0.003s\n\nFAILED (failures=1)", "12 tests, FAILED (failures=1)"),
        ("Ran 1 test in 0.003s\n\nOK", "1 test, OK"),
        ("Tests:       1 failed, 5 passed, 6 total", "1 failed, 5 passed, 6 total"),
        ("      Tests  1 failed | 5 passed (6)", "1 failed | 5 passed (6)"),
        ("# tests 12\n# pass 11\n# fail 1", "tests 12, pass 11, fail 1"),
        ("ok  \tpkg/a\t0.1s\nFAIL\tpkg/b\t0.2s", "1 ok, 1 FAIL"),
        ("test result: FAILED. 3 passed; 1 failed; 0 ignored", "3 passed; 1 failed"),
        ("two tests passed, I believe", None),
    ],
)
def test_results_of_common_test_runners_are_read(output, summary):
    assert summary_of_tests(output) == summary
