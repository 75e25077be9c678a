"""Evidence from shell commands: test runs, shown text, files that no call names.

Running tests and showing text must not mix: when a script runs tests and also prints a
file, such as an old log, its output does not tell which result belongs to the tests.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.artifacts.operations import Command
from pytest_compaction.artifacts.outputs import test_summary
from pytest_compaction.artifacts.shell_effects import command_words

_TEST_PROGRAMS: Final = frozenset(
    """pytest py.test tox nox jest vitest mocha ava karma rspec phpunit ctest nosetests nose2
    unittest trial stestr bats behave cypress playwright runtests runtests.py run_tests.sh
    run-tests.sh test.sh""".split()
)
_TESTING: Final = {
    program: re.compile(rule)
    for programs, rule in (
        ("npm pnpm yarn bun", r"(?:run |run-script )?t(?:est)?\b"),
        (
            "cargo go dotnet swift mix bazel deno gradle mvn gradlew hatch zig stack cabal lein "
            "sbt rake",
            r"(?:-\S+ )*(?:nextest|test|verify)\b",
        ),
        ("make gmake just task ninja", r"(?:\S+ )*(?:test|check)"),
        ("node", r"(?:\S+ )*--test\b"),
        ("mise poe", r"(?:run |r )?\S*test"),
    )
    for program in programs.split()
}
_RUNNERS: Final = re.compile(
    r"(?:(?:uv|poetry|pdm|pipenv|hatch|rye|conda) run|npx|pnpm exec|yarn exec|bundle exec|xvfb-run"
    r"|coverage run -m|timeout(?: -\S+)* \S+|python[\d.]*(?: -[A-Za-ln-z]\S*)* -m)(?: -\S+)* "
)
_SCRIPT: Final = re.compile(
    r"python[\d.]* (?:\S*tests?\.py|(?>(?:\S*?/)??test_)\S*\.py|(?:\S*/)?manage\.py test)"
)
_SHOWING: Final = frozenset(
    """cat head tail less more bat nl grep egrep fgrep rg ag ack awk sed jq find ls tree strings
    zcat open view goto scroll_up scroll_down search_file search_dir find_file""".split()
)
_FILTERS: Final = frozenset("grep egrep fgrep rg awk sed jq".split())
"""Programs that take one operand before a file name."""
_CUT: Final = re.compile(r"\|&?\s*(?:head|tail|grep|egrep|rg|sed|awk|cut|uniq)\b")
"""What leaves out a part of an output."""
_COUNTS_PACKAGES: Final = re.compile(r"\b\d+ (?:ok|FAIL)\b")
"""Counts of the packages of ``go test``, which are none of tests."""
_SHOWING_GIT: Final = frozenset("show log diff blame grep cat-file status".split())


def runs_tests(words: Sequence[str]) -> bool:
    """Whether the words of one command run tests."""
    line, name, rest = _program(words)
    if _SCRIPT.match(line):
        return True
    rule = _TESTING.get(name)
    return name in _TEST_PROGRAMS or bool(rule and rule.match(rest))


def shows_text(words: Sequence[str]) -> bool:
    """Whether the words of one command print a file or a history, not the output of a pipe."""
    name = posixpath.basename(words[0])
    if name == "git":
        return len(words) > 1 and words[1] in _SHOWING_GIT
    if name in {"ls", "find", "tree"}:
        return True
    operands = [word for word in words[1:] if not re.match(r"[-+]|\d+$", word)]
    return name in _SHOWING and len(operands) > (name in _FILTERS)


def ran_tests(command: Command) -> bool:
    """Whether a command of the script runs tests."""
    return any(runs_tests(words) for words in command_words(command.text))


def result_of_tests(command: Command) -> str | None:
    """The test counts of a script that ran tests once; ``None`` if they may not be the result."""
    words = command_words(command.text)
    runs = sum(runs_tests(each) for each in words)
    if runs != 1 or any(shows_text(each) for each in words) or test_summary(command.text):
        return None
    summary = None if _CUT.search(command.text) else test_summary(command.output)
    return None if summary is None or _COUNTS_PACKAGES.search(summary) else summary


def _program(words: Sequence[str]) -> tuple[str, str, str]:
    """The line without runners such as ``uv run``, the name of the program, and its arguments."""
    line = " ".join(words)
    start = 0
    while match := _RUNNERS.match(line, start):
        start = match.end()
    line = line[start:]
    first, _, rest = line.partition(" ")
    return line, posixpath.basename(first), rest
