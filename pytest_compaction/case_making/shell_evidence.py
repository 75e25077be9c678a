"""Evidence from shell commands: test runs, shown text, files that no call names.

Running tests and showing text must not mix: when a script runs tests and also prints a
file, such as an old log, its output does not tell which result belongs to the tests.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts import NOT_LITERAL, Command, FileState, command_words, test_summary
from pytest_compaction.case_making.log import ProbeLog, once_a_log

TRANSIENT: Final = re.compile(
    r"^(?:/tmp/|/var/|/private/|/dev/)|(?:^|/)(?:node_modules|te?mp|scratchpad|dist|build|target|coverage)/"
)
"""Paths that no agent needs to remember: temporary files, devices, installed packages."""
TEMPORARY: Final = re.compile(
    r"(?:^|[\s\"'=;(])/(?:private/)?(?:tmp|var/folders)/|\bmktemp\b"
    r"|\b(?:mkdir|rm) [^;&|\n]{0,200}(?:te?mp|test)[-_]?(?:repo|dir)",
    re.I,
)
"""Scripts that work in a temporary folder."""
MAX_SCRIPT: Final = 4_000
"""Bounds the search in a script, which may hold a whole file."""


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
_CHECK_PROGRAMS: Final = frozenset(
    "mypy pyright ruff flake8 pylint eslint tsc biome clippy shellcheck black isort".split()
)
_CHECKING: Final = {
    program: re.compile(rule)
    for programs, rule in (
        ("npm pnpm yarn bun", r"(?:run )?(?:lint|build|check|typecheck)"),
        ("cargo", r"(?:check|build|clippy)\b"),
        ("go", r"(?:vet|build)\b"),
        ("dotnet", r"build\b"),
        ("make gmake ninja cmake", r""),
        ("mise poe task just", r"(?:run |r )?\S*(?:test|lint|build|check|\bci\b)"),
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


def runs_check(words: Sequence[str]) -> bool:
    """Whether the words of one command run tests, a linter, a type checker or a build."""
    _, name, rest = _program(words)
    rule = _CHECKING.get(name)
    return runs_tests(words) or name in _CHECK_PROGRAMS or bool(rule and rule.match(rest))


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
    """The test counts of a script that ran tests once; ``None`` if they may not be the result.

    Nothing of the output may be cut off, and it has to count tests.
    """
    words = command_words(command.text)
    runs = sum(runs_tests(each) for each in words)
    if runs != 1 or any(shows_text(each) for each in words) or test_summary(command.text):
        return None
    summary = None if _CUT.search(command.text) else test_summary(command.output)
    return None if summary is None or _COUNTS_PACKAGES.search(summary) else summary


def may_check(command: Command) -> bool:
    """Whether a script runs a check, whatever else it does before or after it."""
    return any(runs_check(each) for each in command_words(command.text))


def shows_no_text(command: Command) -> bool:
    """Whether a script prints no text of a file or of a history."""
    words = command_words(command.text)
    return bool(words) and not any(shows_text(each) for each in words)


def _program(words: Sequence[str]) -> tuple[str, str, str]:
    """The line without runners such as ``uv run``, the name of the program, and its arguments."""
    line = " ".join(words)
    start = 0
    while match := _RUNNERS.match(line, start):
        start = match.end()
    line = line[start:]
    first, _, rest = line.partition(" ")
    return line, posixpath.basename(first), rest


_OF_A_COMMIT: Final = re.compile(r"\bgit\b[^|;&\n]{0,200}\bshow\b[^|;&\n]{0,200}\S:[\w./]")
_SHOWS_FILES: Final = frozenset("cat head tail sed nl less more bat".split())
_GENERATES: Final = re.compile(
    r"\b(?:npm|pnpm|yarn|bun|make|just|mix|cargo|go|poetry|uv|python[\d.]*|npx|bunx)\b[^|;&\n]{0,200}"
    r"(?:\bgen(?:erate)?\b|codegen|scaffold|:gen|generate:|migrat|\binit\b|\bcreate\b|\bnew\b)"
)
"""Commands that may write files that they do not name."""
_MANIFEST: Final = re.compile(
    r"(?:^|/)(?:package(?:-lock)?\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|go\.(?:mod|sum)"
    r"|Cargo\.(?:toml|lock)|mix\.(?:exs|lock)|pyproject\.toml|(?:uv|poetry)\.lock|Gemfile(?:\.lock)?"
    r"|composer\.(?:json|lock))$"
)
_PACKAGE_MANAGERS: Final = re.compile(
    r"\b(?:npm|pnpm|yarn|bun|go|cargo|mix|uv|poetry|bundle|composer)\b[^|;&\n]{0,200}"
    r"\b(?:i|install|add|get|update|upgrade|remove|tidy|deps\.\w+|lock|sync)\b"
)
"""Commands of package managers that write manifests."""
_SUBAGENT: Final = re.compile(r"(?:task|agent|sub_?agent|spawn_agent|delegate\w*|explore)$", re.I)
_EXPLORERS: Final = frozenset({"Explore", "Plan", "claude-code-guide", "statusline-setup"})
"""Kinds of subagents that write no files."""
_UNSEEN: Final = re.compile(
    r"\b(?:sed|perl)\b[^\n]{0,200} -\w*i[^\n]{0,200} (?:\S*\*[\w.]*|\"?\$\{?\w+\}?\"?|\{\}[^\n]*)"
    r"\s*(?:[;&|\n]|$)"
    r"|\bxargs\b[^|;&\n]{0,200} (?:sed|perl)\b|\b(?:mv|cp)\b[^|;&\n]{0,200}[*$]"
    r"|\bpython[\d.]*\b[^|]{0,2000}(?:\.write\(|write_text\()"
    r"|\bgit\b[^|;&\n]{0,200} (?:checkout|switch|merge|pull|rebase|stash|cherry-pick)\b"
    r"|--(?:fix|write)\b|\b(?:fmt|format|lint:fix|gofmt|goimports|prettier|black|isort|rustfmt)\b"
)
"""Commands that change files by a pattern, a variable or a script, or whole trees."""
_BY_USER: Final = re.compile(
    r"\bI(?:['’]ve| have)?(?: (?:just|already|also|now|then))? (?:removed|deleted|reverted|undid"
    r"|renamed|moved|restored|discarded|dropped|stashed)\b",
    re.I,
)


def _run(log: ProbeLog, start: int, end: int) -> Iterator[Command]:
    """The commands that were run between two positions, the first included."""
    return (each for each in log.commands if start <= log.position[each.message_id] < end)


def _any_script(log: ProbeLog, pattern: re.Pattern[str], start: int, end: int) -> bool:
    return any(pattern.search(each.text[:MAX_SCRIPT]) for each in _run(log, start, end))


def changed_by_user(log: ProbeLog, asked: int) -> bool:
    """Whether the user told up to ``asked`` of having taken away or moved something."""
    return any(_BY_USER.search(text) for place, text in log.turns("user") if place <= asked)


def changed_unseen(log: ProbeLog, asked: int) -> bool:
    """Whether a command up to ``asked`` rewrote or moved files that it does not name."""
    return _any_script(log, _UNSEEN, 0, asked + 1)


def read_unseen(log: ProbeLog, files: Sequence[FileState], asked: int) -> bool:
    """Whether up to ``asked`` the list of files that were only read may be another one.

    A command showed a file as it is in a commit, a subagent read files for the agent, or a
    package manager may have changed one of the files.
    """
    run = (command.text[:MAX_SCRIPT] for command in _run(log, 0, asked + 1))
    managed = any(_MANIFEST.search(state.path) for state in files)
    return (
        delegates(log, 0, asked + 1)
        or any(_OF_A_COMMIT.search(script) or _reads_unnamed(script) for script in run)
        or (managed and installs(log, asked))
    )


def copied(log: ProbeLog, start: int, end: int) -> frozenset[str]:
    """The files onto which commands between two positions copied others.

    The log does not tell whether they were there before.
    """
    copies = {
        command.message_id
        for command in _run(log, start, end)
        if any(posixpath.basename(words[0]) == "cp" for words in command_words(command.text))
    }
    return frozenset(
        operation.path
        for operation in log.operations
        if operation.message_id in copies and operation.operation == "created"
    )


def _reads_unnamed(script: str) -> bool:
    """Whether a script shows a file that its words do not name as it is, but by a variable."""
    shown = (words for words in command_words(script) if words[0] in _SHOWS_FILES)
    return any(
        NOT_LITERAL.search(word)
        for words in shown
        for word in [each for each in words[1:] if each[:1] != "-"][words[0] == "sed" :]
    )


def installs(log: ProbeLog, asked: int) -> bool:
    """Whether a command up to ``asked`` may have written a manifest of packages."""
    return _any_script(log, _PACKAGE_MANAGERS, 0, asked + 1)


def generates(log: ProbeLog, start: int, end: int) -> bool:
    """Whether a command between two positions may have written files that it does not name."""
    return _any_script(log, _GENERATES, start, end)


def delegates(log: ProbeLog, start: int, end: int, writing: bool = False) -> bool:
    """Whether the agent let a subagent work between two positions, the first included.

    One that only explores or plans does not count where ``writing`` is asked for.
    """
    return any(
        _SUBAGENT.match(call.name)
        and not (writing and str(call.parsed().get("subagent_type")) in _EXPLORERS)
        for message in log.messages[start:end]
        for call in message.calls
    )


_GIT: Final = r"\bgit\b[^|;&\n]{0,200}"
_BEGUN: Final = re.compile(
    rf"{_GIT}\b(?:merge(?!-)|rebase|cherry-pick|pull|revert|am)\b"
    r"(?![^|;&\n]{0,200}--(?:abort|quit))"
)
_ENDED: Final = re.compile(rf"{_GIT}(?:\bcommit\b|--continue\b)")
_GIVEN_UP: Final = re.compile(rf"{_GIT}(?:--abort\b|\breset\b[^|;&\n]*--(?:hard|merge)\b)")
CONFLICT: Final = re.compile(r"^[^\w\n]{0,12}\d{0,6}[^\w\n]{0,12}(?:<{7} |>{7} )", re.MULTILINE)
"""A mark of a conflict at the start of a line, which a listing may have numbered."""


@once_a_log
def merges_given_up(log: ProbeLog) -> tuple[range, ...]:
    """The positions from the start of each merge, rebase or the like to where it was aborted."""
    found: list[range] = []
    begun: int | None = None
    for command in log.commands:
        place = log.position[command.message_id]
        script = command.text[:MAX_SCRIPT]
        if begun is not None and _GIVEN_UP.search(script):
            found.append(range(begun, place + 1))
            begun = None
        elif _ENDED.search(script):
            begun = None
        elif _BEGUN.search(script):
            begun = place
    return tuple(found)


def in_merge_given_up(log: ProbeLog, place: int) -> bool:
    """Whether what a position shows was undone with the merge around it."""
    return any(place in span for span in merges_given_up(log))
