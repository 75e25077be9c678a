"""A shell script as simple commands: their words, and whether each of them certainly ran.

A command certainly runs if no other command decides about it. The log does not tell
whether a command ran in a loop, a condition or a function, after ``||``, after ``exit``,
or after ``&&`` if the command before may fail without a message (``test``, ``grep -q``,
``false``) or for its own reasons (a test run).
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

MAX_SCRIPT_CHARACTERS: Final = 200_000
"""Bounds the work on a script that holds a whole file; the rest is not read."""
_MAX_KNOWN: Final = 2_000
"""How many scripts are held parsed: many readings of one log parse the same ones."""
_MAX_KNOWN_CHARACTERS: Final = 10_000
_TOKEN: Final = re.compile(
    r"[ \t\r]+"
    r"|(?P<redirect>\d{0,2}(?:&>>|&>|>>|>\||>&|<<<|<<-?|<|>))"
    r"|(?P<end>[;&|()\n]+)"
    r"""|(?P<word>(?>\\.|'[^']*+'|"(?:\\.|[^"\\])*+"|[^\s;&|<>()'"\\])++)""",
    re.DOTALL,
)
_OPERATOR: Final = re.compile(r"&&|\|\||\|&|[;&|()\n]")
_HEREDOC: Final = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
_ENVIRONMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_PREFIXES: Final = frozenset({"sudo", "env", "time", "command", "nohup", "then", "do", "else", "!"})
_OPENING: Final = frozenset({"if", "while", "until", "for", "case", "select", "{"})
_NAMED: Final = re.compile(r"[\w./-]+")
_CLOSING: Final = frozenset({"fi", "done", "esac", "}"})
_ENDING: Final = frozenset({"exit", "return", "exec"})
_PLAIN: Final = frozenset(
    """cd pushd popd mkdir rmdir mv cp rm ln touch chmod echo printf cat tee sed perl export unset
    set source . pwd ls head tail wc nl date true : sleep""".split()
)
"""Programs that fail only with a message, which the reader of the output looks for."""
_PLAIN_GIT: Final = frozenset(
    "add mv rm status diff log show branch checkout switch restore init config stash".split()
)


@dataclass(slots=True)
class Simple:
    """One simple command: its words, its redirections, and the heredoc it reads.

    ``certain`` is false when it may not have run; ``level`` counts the subshells around it.
    """

    words: list[str] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)
    body: str = ""
    certain: bool = True
    level: int = 0

    @property
    def silent(self) -> bool:
        """Whether it is empty, or fails only with a message."""
        words = without_prefix(self.words)
        if not words:
            return True
        name = posixpath.basename(words[0])
        if "--exit-code" in words or "--quiet" in words:
            return False
        return name in _PLAIN or (name == "git" and words[1:2] != [] and words[1] in _PLAIN_GIT)


def simple_commands(script: str) -> tuple[Simple, ...]:
    """The simple commands in order; empty for a script with unbalanced quotes."""
    return (_known if len(script) <= _MAX_KNOWN_CHARACTERS else _parsed)(script)


def _parsed(script: str) -> tuple[Simple, ...]:
    text, bodies = _without_heredocs(script[:MAX_SCRIPT_CHARACTERS])
    commands = [Simple()]
    course = _Course()
    pending = ""
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.end() == position:
            return ()
        position = match.end()
        if match["end"]:
            course.after(commands[-1], match["end"])
            commands.append(Simple(level=course.level))
            pending = ""
        elif match["redirect"]:
            pending = match["redirect"].lstrip("0123456789")
        elif match["word"]:
            try:
                word = next(iter(shlex.split(match["word"])), "")
            except ValueError:
                return ()
            if pending.startswith("<<") and pending != "<<<":
                commands[-1].body = bodies.pop(0) if bodies else ""
            elif pending:
                commands[-1].redirects.append((pending, word))
            else:
                commands[-1].words.append(word)
            pending = ""
            course.note(commands[-1])
    return tuple(commands)


_known = lru_cache(maxsize=_MAX_KNOWN)(_parsed)


def without_prefix(words: Sequence[str]) -> list[str]:
    """The words without ``sudo``, ``then`` and the like and assignments before the command."""
    for index, word in enumerate(words):
        if word not in _PREFIXES and not _ENVIRONMENT.match(word):
            return list(words[index:])
    return []


class _Course:
    """Whether the script, read up to some place, certainly gets there."""

    def __init__(self) -> None:
        self._bases = [False]
        self._conditional = False
        self._blocks: list[bool] = []
        self._strict = False
        self._excused = False
        self._joined = False

    @property
    def level(self) -> int:
        return len(self._bases) - 1

    def note(self, simple: Simple) -> None:
        """Mark the command that is being read."""
        simple.certain = not (self._conditional or any(self._blocks) or simple.words[:1] == ["{"])

    def after(self, simple: Simple, operators: str) -> None:
        """Take in a command and the operators that follow it."""
        self._note_words(simple)
        for number, operator in enumerate(_OPERATOR.findall(operators)):
            if operator == "\n" and self._joined and (number or not simple.words):
                continue
            self._joined = operator in {"&&", "||", "|", "|&"}
            self._follow(simple, operator)

    def _note_words(self, simple: Simple) -> None:
        words = without_prefix(simple.words)
        first = words[0] if words else ""
        if first in _OPENING:
            runs = first == "for" and any(_NAMED.fullmatch(word) for word in words[3:])
            self._blocks.append(not runs)
        elif first in _CLOSING and self._blocks:
            self._blocks.pop()
        if first == "set" and any(re.fullmatch(r"-(?=[a-z]*e)[a-z]+", word) for word in words[1:]):
            self._strict = True
        if first in _ENDING and not self._excused:
            self._bases = [True] * len(self._bases)
            self._conditional = True

    def _follow(self, simple: Simple, operator: str) -> None:
        self._excused = operator == "||" and simple.silent and not self._conditional
        if operator == "&&":
            self._conditional = self._conditional or not simple.silent
        elif operator == "||":
            self._conditional = True
        elif operator == "(":
            self._bases.append(self._conditional)
        elif operator == ")" and len(self._bases) > 1:
            self._bases.pop()
        elif operator in ";&\n":
            if self._strict and not simple.silent:
                self._bases[-1] = True
            self._conditional = self._bases[-1]


def _without_heredocs(script: str) -> tuple[str, list[str]]:
    """The script without heredoc bodies, comment lines and continued lines; and the bodies."""
    kept: list[str] = []
    bodies: list[str] = []
    lines = script.split("\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.lstrip().startswith("#"):
            continue
        kept.append(line)
        for match in _HEREDOC.finditer(line):
            start = index
            while index < len(lines) and lines[index].strip("\t\r ") != match[2]:
                index += 1
            bodies.append("\n".join(lines[start:index]))
            index += 1
    return "\n".join(kept).replace("\\\n", " "), bodies
