"""The files that a shell command reads, writes, deletes or renames, as its words say.

Only literal paths are claimed. Nothing is claimed for patterns and variables, but files
that they may delete are reported as unsettled. ``cd`` is followed within one command;
after a ``cd`` to an unknown folder no relative path is certain.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.artifacts.shell.programs import (
    EVERYTHING,
    NOT_LITERAL,
    Effect,
    literal_path,
    program_effects,
)
from pytest_compaction.artifacts.shell.words import Simple, simple_commands, without_prefix
from pytest_compaction.artifacts.touches import Touch, text_detail

_MAX_DEPTH: Final = 3
"""How deep ``bash -c`` may be nested and is still followed."""
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})


def shell_touches(script: str) -> list[Touch]:
    """What the script would do to files, in order; empty if it cannot be parsed."""
    return [effect.touch for effect in shell_effects(script) if effect.touch is not None]


def shell_effects(script: str, depth: int = 0) -> list[Effect]:
    """Everything that the script may do to files, in order; see :class:`Effect`."""
    found: list[Effect] = []
    folders: list[str | None] = [""]
    for simple in simple_commands(script):
        del folders[simple.level + 1 :]
        folders += [folders[-1]] * (simple.level + 1 - len(folders))
        words = without_prefix(simple.words)
        if words and words[0] in {"cd", "pushd", "popd"}:
            folders[-1] = _changed_folder(folders[-1], words)
            continue
        folder, words = _git_folder(folders[-1], words)
        for effect in [*_redirected(simple), *_ran(words, simple.body, depth)]:
            inside = _inside(effect, folder)
            found.append(inside if simple.certain else replace(inside, certain=False))
    return found


def command_words(script: str) -> list[list[str]]:
    """The words of each simple command, in order, without redirections, ``sudo`` and the like.

    Empty for a script that cannot be parsed.
    """
    return [words for simple in simple_commands(script) if (words := without_prefix(simple.words))]


def _inside(effect: Effect, folder: str | None) -> Effect:
    """The effect with its paths as seen from where the script began."""
    if folder is None:
        known = effect.touch is not None and effect.touch.path.startswith(("/", "~"))
        return effect if known else replace(effect, certain=False, unsettled=_bare(effect))
    touch = effect.touch
    if not folder:
        return effect
    if touch is not None:
        old = _joined(folder, touch.old_path) if touch.old_path else ""
        touch = replace(touch, path=_joined(folder, touch.path), old_path=old)
    made = _joined(folder, effect.made) if effect.made else ""
    swept = effect.unsettled
    swept = _joined(folder, swept) if swept not in {"", EVERYTHING} else swept
    return replace(effect, touch=touch, made=made, unsettled=swept, listed=False)


def _bare(effect: Effect) -> str:
    """The unsettled pattern of an effect in an unknown folder."""
    return EVERYTHING if effect.unsettled else ""


def _joined(folder: str, path: str) -> str:
    if path.startswith(("/", "~")):
        return path
    joined = posixpath.normpath(posixpath.join(folder, path))
    return path if joined.startswith("..") else joined


def _changed_folder(folder: str | None, words: Sequence[str]) -> str | None:
    """The folder after a ``cd``; ``None`` if the words do not tell."""
    targets = [word for word in words[1:] if word not in {"--", "-P", "-L"}]
    target = targets[0] if targets else ""
    if words[0] == "popd" or not target or target == "-" or NOT_LITERAL.search(target):
        return None
    if target.startswith(("/", "~")):
        return posixpath.normpath(target)
    if folder is None:
        return None
    joined = posixpath.normpath(posixpath.join(folder, target))
    return None if joined.startswith("..") else "" if joined == "." else joined


def _git_folder(folder: str | None, words: list[str]) -> tuple[str | None, list[str]]:
    """The folder in which ``git -C folder`` works, and its words without that option."""
    if words[:2] != ["git", "-C"] or len(words) < 4:
        return folder, words
    return _changed_folder(folder, ["cd", words[2]]), [words[0], *words[3:]]


def _redirected(simple: Simple) -> Iterator[Effect]:
    for operator, word in simple.redirects:
        path = literal_path(word)
        if not path or word.isdigit() or word == "-":
            continue
        if operator == "<":
            yield Effect(Touch("read", path))
        elif operator.endswith(">>"):
            yield Effect(Touch("append", path, _written(simple)))
        elif operator in {">", ">|", "&>"}:
            yield Effect(Touch("write", path, _written(simple)))


def _written(simple: Simple) -> str:
    if simple.body:
        return text_detail(simple.body)
    echoed = simple.words[:1] in (["echo"], ["printf"]) and simple.words[1:]
    return text_detail(" ".join(word for word in echoed if word != "-e")) if echoed else ""


def _ran(words: Sequence[str], body: str, depth: int) -> list[Effect]:
    if words and posixpath.basename(words[0]) in _SHELLS:
        return _nested(words, depth)
    return program_effects(words, body)


def _nested(words: Sequence[str], depth: int) -> list[Effect]:
    for index, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[a-z]*c", word) and index + 1 < len(words) and depth < _MAX_DEPTH:
            return shell_effects(words[index + 1], depth + 1)
    return []
