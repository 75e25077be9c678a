"""The files that a shell command reads, writes, deletes or renames, as its words say.

Only literal paths are claimed. Nothing is claimed for patterns and variables, but files
that they may delete are reported as unsettled. ``cd`` is followed within one command;
after a ``cd`` to an unknown folder no relative path is certain.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.artifacts.shell_words import Simple, simple_commands, without_prefix
from pytest_compaction.artifacts.touches import (
    Touch,
    Verb,
    clean_path,
    patch_touches,
    shortened,
    text_detail,
)

EVERYTHING: Final = "."
"""The pattern of :attr:`Effect.unsettled` that fits any path."""

NOT_LITERAL: Final = re.compile(r"[$`*?{}<>]")
_READERS: Final = frozenset({"cat", "head", "tail", "less", "more", "nl", "bat"})
_MOVERS: Final = frozenset({"mv", "cp"})
_OPTION_VALUES: Final = {
    "head": frozenset({"-n", "-c"}),
    "tail": frozenset({"-n", "-c"}),
    "touch": frozenset({"-d", "-r", "-t"}),
}
_IDLE: Final = frozenset({"--dry-run", "--help", "--version"})
_RECURSIVE: Final = re.compile(r"-(?=[a-zA-Z]*[rR])[a-zA-Z]+|--recursive")
_FORCED: Final = re.compile(r"-(?=[a-zA-Z]*f)[a-zA-Z]+|--force")
_COPIED_WHOLE: Final = re.compile(r"-(?=[a-zA-Z]*[rRa])[a-zA-Z]+|--recursive|--archive")
_KEEPING: Final = re.compile(r"-(?=[a-zA-Z]*[nuk])[a-zA-Z]+|--no-clobber|--update.*")
_TURNING: Final = frozenset(
    "stash revert rebase merge pull cherry-pick am bisect checkout switch restore".split()
)
"""Commands of git that may change or remove any file of the working tree."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one command of a script: a touch, or something less definite.

    ``certain`` is false if the command may not have run, or not on this path. ``folder``
    says that the path may be a folder, ``forced`` that a missing file is not an error.
    ``made`` is a new folder. ``unsettled`` is a pattern: files that fit it may be gone or
    back in an earlier state; with a ``restore`` that holds only if its path is not a known
    file. ``listed`` says that the output names the files that are gone.
    """

    touch: Touch | None = None
    certain: bool = True
    folder: bool = False
    forced: bool = False
    made: str = ""
    unsettled: str = ""
    listed: bool = False


def literal_path(word: str) -> str:
    """The word as a path; empty for a pattern, a variable, and anything that names no file."""
    return "" if NOT_LITERAL.search(word) else clean_path(word)


def program_effects(words: Sequence[str], body: str) -> list[Effect]:
    """The effect of one command, by its words and its heredoc, without redirections."""
    if not words or _IDLE & set(words):
        return []
    name = posixpath.basename(words[0])
    operands = _operands(words[1:], _OPTION_VALUES.get(name, frozenset()))
    files = [path for path in map(literal_path, operands) if path]
    verb: Verb = "append" if name == "tee" and {"-a", "--append"} & set(words) else "write"
    if name == "git":
        return _git(words[1:])
    if name in {"apply_patch", "applypatch", "patch"}:
        text = body or next((word for word in words[1:] if "\n" in word), "")
        return [Effect(touch) for touch in patch_touches(text)]
    if name in {"sed", "perl"}:
        touches = _sed(words[1:]) if name == "sed" else _perl(words[1:])
        return [Effect(touch) for touch in touches]
    if name in _MOVERS:
        return _moved(name, words)
    if name == "mkdir":
        return [Effect(made=path) for path in files]
    if name == "xargs" or (name == "find" and {"-delete", "-exec", "-execdir"} & set(words)):
        deleting = {"rm", "mv"} & set(words) or (name == "find" and "-delete" in words)
        return [Effect(unsettled=EVERYTHING, certain=False)] if deleting else []
    if name in {"rm", "unlink"}:
        return _deleted(words)
    if name in _READERS:
        return [Effect(Touch("read", path)) for path in files]
    written = text_detail(body) if name == "tee" else ""
    return [Effect(Touch(verb, path, written)) for path in files if name in {"touch", "tee"}]


def _git(words: Sequence[str]) -> list[Effect]:
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name in {"mv", "rm", "clean"} and any(re.fullmatch(r"-(?=[a-z]*n)[a-z]+", w) for w in rest):
        return []
    if name == "mv":
        return _moved("mv", words)
    if name == "rm":
        return [] if "--cached" in rest else _deleted(words)
    if name == "clean":
        quiet = any(re.fullmatch(r"--quiet|-(?=[a-z]*q)[a-z]+", word) for word in rest)
        return [Effect(unsettled=EVERYTHING, listed=not quiet)]
    if name in {"checkout", "restore"} and not {"-b", "-B", "--staged"} & set(rest):
        return _restored(rest)
    hard = name == "reset" and {"--hard", "--merge", "--keep"} & set(rest)
    looking = name == "stash" and rest[:1] != [] and rest[0] in {"list", "show", "drop", "clear"}
    branching = {"-b", "-B", "-c", "-C", "--create", "--staged", "--orphan"} & set(rest)
    if hard or (name in _TURNING and not looking and not branching):
        return [Effect(unsettled=EVERYTHING, certain=False)]
    return []


def _restored(words: Sequence[str]) -> list[Effect]:
    """``git checkout`` and ``git restore`` of paths: changes in them are undone."""
    named = words[words.index("--") + 1 :] if "--" in words else words
    operands = [word for word in named if not word.startswith("-")]
    files = [path for path in map(literal_path, operands) if path]
    branch = "" if "--" in words else EVERYTHING
    found = [Effect(Touch("restore", path), unsettled=branch) for path in files]
    if len(files) < len(operands) or not operands:
        found.append(Effect(unsettled=EVERYTHING, certain=False))
    return found


def _deleted(words: Sequence[str]) -> list[Effect]:
    folder = any(_RECURSIVE.fullmatch(word) for word in words[1:])
    forced = any(_FORCED.fullmatch(word) for word in words[1:])
    found: list[Effect] = []
    for word in _operands(words[1:]):
        if path := literal_path(word):
            found.append(Effect(Touch("delete", path.rstrip("/")), folder=folder, forced=forced))
        elif NOT_LITERAL.search(word):
            found.append(Effect(unsettled=_pattern(word), certain=False))
        else:
            found.append(Effect(unsettled=EVERYTHING, certain=False))
    return found


def _pattern(word: str) -> str:
    """The word as a pattern for ``fnmatch``; variables and substitutions match anything."""
    word = re.sub(r"\$\{[^}]{0,500}\}|\$\w*|`[^`]*`|\{[^}]{0,500}\}", "*", word)
    return EVERYTHING if not word.strip("*./") else re.sub(r"^\./", "", word)


def _operands(words: Sequence[str], with_value: frozenset[str] = frozenset()) -> list[str]:
    found: list[str] = []
    skip = only_operands = False
    for word in words:
        if skip:
            skip = False
        elif word == "--" and not only_operands:
            only_operands = True
        elif only_operands or not word.startswith("-"):
            found.append(word)
        else:
            skip = word in with_value
    return found


def _moved(name: str, words: Sequence[str]) -> list[Effect]:
    """``mv`` and ``cp``; only the caller knows whether a target is a folder."""
    target, rest = _target_option(words[1:])
    operands = _operands(rest, frozenset({"-S", "--suffix"}))
    if target:
        operands.append(target + "/")
    files = [path for path in map(literal_path, operands) if path]
    if len(files) != len(operands) or len(files) < 2:
        patterns = [_pattern(word) for word in operands[:-1] if name == "mv"]
        return [Effect(unsettled=pattern, certain=False) for pattern in patterns]
    sure = not any(_KEEPING.fullmatch(word) for word in rest)
    whole = name == "cp" and any(_COPIED_WHOLE.fullmatch(word) for word in rest)
    *sources, to = files
    found: list[Effect] = []
    for source in sources:
        into = to.endswith("/") or len(sources) > 1
        path = posixpath.join(to, posixpath.basename(source.rstrip("/"))) if into else to
        if name == "mv":
            found.append(Effect(Touch("rename", path, old_path=source.rstrip("/")), certain=sure))
        else:
            found.append(Effect(Touch("read", source), folder=whole))
            copied = Touch("write", path, old_path=source)
            found.append(Effect(copied, certain=sure and not whole, folder=whole))
    return found


def _target_option(words: Sequence[str]) -> tuple[str, list[str]]:
    """The folder that ``-t`` names, empty without one, and the words without it."""
    for index, word in enumerate(words):
        if word in {"-t", "--target-directory"} and index + 1 < len(words):
            return words[index + 1], [*words[:index], *words[index + 2 :]]
        if word.startswith("--target-directory="):
            return word.partition("=")[2], [*words[:index], *words[index + 1 :]]
    return "", list(words)


def _sed(words: Sequence[str]) -> list[Touch]:
    in_place = False
    scripts: list[str] = []
    files: list[str] = []
    take_script = False
    for word in words:
        if take_script:
            scripts.append(word)
            take_script = False
        elif word.startswith("-") and len(word) > 1:
            in_place = in_place or bool(re.match(r"-[a-zA-Z]*i|--in-place", word))
            take_script = bool(re.fullmatch(r"-[a-zA-Z]*e|--expression", word))
        elif word:
            files.append(word)
    if not scripts and files:
        scripts.append(files.pop(0))
    detail = shortened(scripts[0]) if scripts and in_place else ""
    return [
        Touch("edit" if in_place else "read", path, detail)
        for path in map(literal_path, files)
        if path
    ]


def _perl(words: Sequence[str]) -> list[Touch]:
    flags = [word for word in words if word.startswith("-")]
    if not any(re.match(r"-[a-z0]*i", flag) for flag in flags):
        return []
    operands = [word for word in words if not word.startswith("-")]
    detail = shortened(operands[0]) if operands else ""
    return [Touch("edit", path, detail) for path in map(literal_path, operands[1:]) if path]


_MAX_DEPTH: Final = 3
"""How deep ``bash -c`` may be nested and is still followed."""
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})


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
        folder = folders[-1]
        if words[:2] == ["git", "-C"] and len(words) > 3:
            folder, words = _changed_folder(folder, ["cd", words[2]]), [words[0], *words[3:]]
        for effect in [*_redirected(simple), *_ran(words, simple.body, depth)]:
            inside = _inside(effect, folder)
            found.append(inside if simple.certain else replace(inside, certain=False))
    return found


def command_words(script: str) -> list[list[str]]:
    """The words of each simple command, in order, without redirections, ``sudo`` and the like."""
    return [words for simple in simple_commands(script) if (words := without_prefix(simple.words))]


def _inside(effect: Effect, folder: str | None) -> Effect:
    """The effect with its paths as seen from where the script began."""
    if folder is None:
        known = effect.touch is not None and effect.touch.path.startswith(("/", "~"))
        unsettled = EVERYTHING if effect.unsettled else ""
        return effect if known else replace(effect, certain=False, unsettled=unsettled)
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


def _redirected(simple: Simple) -> Iterator[Effect]:
    written = text_detail(simple.body)
    if not simple.body and simple.words[:1] in (["echo"], ["printf"]):
        written = text_detail(" ".join(word for word in simple.words[1:] if word != "-e"))
    for operator, word in simple.redirects:
        path = literal_path(word)
        if not path or word.isdigit() or word == "-":
            continue
        if operator == "<":
            yield Effect(Touch("read", path))
        elif operator.endswith(">>"):
            yield Effect(Touch("append", path, written))
        elif operator in {">", ">|", "&>"}:
            yield Effect(Touch("write", path, written))


def _ran(words: Sequence[str], body: str, depth: int) -> list[Effect]:
    if not words or posixpath.basename(words[0]) not in _SHELLS:
        return program_effects(words, body)
    for index, word in enumerate(words[1:-1], start=1):
        if re.fullmatch(r"-[a-z]*c", word) and depth < _MAX_DEPTH:
            return shell_effects(words[index + 1], depth + 1)
    return []
