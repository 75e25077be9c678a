"""What may have happened to files without any call that names them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.operations import Command, FileState
from pytest_compaction.artifacts.shell.commands import command_words
from pytest_compaction.artifacts.shell.programs import NOT_LITERAL
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.passing import MAX_SCRIPT

_OF_A_COMMIT: Final = re.compile(r"\bgit\b[^|;&\n]{0,200}\bshow\b[^|;&\n]{0,200}\S:[\w./]")
_SHOWING: Final = frozenset("cat head tail sed nl less more bat".split())
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
_PACKAGES: Final = re.compile(
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
    r"|--(?:fix|write)\b|\b(?:fmt|format|lint:fix|gofmt|goimports|prettier|black|isort|rustfmt)\b",
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


def _scripts(log: ProbeLog, start: int, end: int) -> list[str]:
    return [command.text[:MAX_SCRIPT] for command in _run(log, start, end)]


def changed_by_user(log: ProbeLog, asked: int) -> bool:
    """Whether the user told up to ``asked`` of having taken away or moved something."""
    return any(_BY_USER.search(text) for place, text in log.turns("user") if place <= asked)


def changed_unseen(log: ProbeLog, asked: int) -> bool:
    """Whether a command up to ``asked`` rewrote or moved files that it does not name."""
    return any(map(_UNSEEN.search, _scripts(log, 0, asked + 1)))


def read_unseen(log: ProbeLog, files: Sequence[FileState], asked: int) -> bool:
    """Whether up to ``asked`` the list of files that were only read may be another one.

    A command showed a file as it is in a commit, a subagent read files for the agent, or a
    package manager may have changed one of the files.
    """
    run = _scripts(log, 0, asked + 1)
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
    shown = (words for words in command_words(script) if words[0] in _SHOWING)
    return any(
        NOT_LITERAL.search(word)
        for words in shown
        for word in [each for each in words[1:] if each[:1] != "-"][words[0] == "sed" :]
    )


def installs(log: ProbeLog, asked: int) -> bool:
    """Whether a command up to ``asked`` may have written a manifest of packages."""
    return any(map(_PACKAGES.search, _scripts(log, 0, asked + 1)))


def generates(log: ProbeLog, start: int, end: int) -> bool:
    """Whether a command between two positions may have written files that it does not name."""
    return any(map(_GENERATES.search, _scripts(log, start, end)))


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
