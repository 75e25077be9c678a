"""Errors as commands printed them."""

import pytest

from pytest_compaction.artifacts import error_texts


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
