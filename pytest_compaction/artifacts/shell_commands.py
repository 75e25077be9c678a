"""Which files a shell command reads, writes, deletes or renames, as far as its words say so.

Only what stands literally in the command is claimed: patterns, variables and
unbalanced quotes claim nothing. ``cd`` to a relative folder is followed within
one command.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_compaction.artifacts.patches import patch_touches
from pytest_compaction.artifacts.touches import Touch, Verb, clean_path, shortened, text_detail

_MAX_SCRIPT_CHARACTERS: Final = 200_000
_MAX_DEPTH: Final = 3
_TOKEN: Final = re.compile(
    r"[ \t\r]+"
    r"|(?P<redirect>\d{0,2}(?:&>>|&>|>>|>\||>&|<<<|<<-?|<|>))"
    r"|(?P<end>[;&|()\n]+)"
    r"""|(?P<word>(?>\\.|'[^']*+'|"(?:\\.|[^"\\])*+"|[^\s;&|<>()'"\\])++)""",
    re.DOTALL,
)
_HEREDOC: Final = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
_NOT_LITERAL: Final = re.compile(r"[$`*?{}<>]")
_ENVIRONMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_PREFIXES: Final = frozenset({"sudo", "env", "time", "command", "nohup", "then", "do", "else", "!"})
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})
_READERS: Final = frozenset({"cat", "head", "tail", "less", "more", "nl", "bat"})
_OPTION_VALUES: Final = {
    "head": frozenset({"-n", "-c"}),
    "tail": frozenset({"-n", "-c"}),
    "touch": frozenset({"-d", "-r", "-t"}),
}


@dataclass(slots=True)
class _Simple:
    """One simple command: its words, its redirections, and the heredoc it reads."""

    words: list[str] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)
    body: str = ""


def shell_touches(script: str, depth: int = 0) -> list[Touch]:
    """What the script would do to files, in order; nothing for what cannot be parsed."""
    found: list[Touch] = []
    folder = ""
    for simple in _simple_commands(script[:_MAX_SCRIPT_CHARACTERS]):
        words = _without_prefix(simple.words)
        if words and words[0] == "cd":
            folder = _changed_folder(folder, words[1:])
            continue
        touches = [*_redirected(simple), *_command_touches(words, simple.body, depth)]
        found.extend(_inside(touch, folder) for touch in touches)
    return found


def command_words(script: str) -> list[list[str]]:
    """The words of each simple command, in order; redirections and ``sudo`` and the like left out.

    Nothing after the first thing that cannot be parsed.
    """
    found = _simple_commands(script[:_MAX_SCRIPT_CHARACTERS])
    return [words for simple in found if (words := _without_prefix(simple.words))]


def _inside(touch: Touch, folder: str) -> Touch:
    if not folder:
        return touch
    old = _joined(folder, touch.old_path) if touch.old_path else ""
    return Touch(touch.verb, _joined(folder, touch.path), touch.detail, old)


def _joined(folder: str, path: str) -> str:
    if path.startswith(("/", "~")):
        return path
    joined = posixpath.normpath(posixpath.join(folder, path))
    return path if joined.startswith("..") else joined


def _changed_folder(folder: str, words: Sequence[str]) -> str:
    target = words[0] if words else ""
    if not target or target.startswith(("/", "~", "-")) or _NOT_LITERAL.search(target):
        return ""
    return posixpath.normpath(posixpath.join(folder, target))


def _simple_commands(script: str) -> Iterator[_Simple]:
    text, bodies = _without_heredocs(script)
    commands = [_Simple()]
    pending = ""
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.end() == position:
            return
        position = match.end()
        if match["end"]:
            commands.append(_Simple())
            pending = ""
        elif match["redirect"]:
            pending = match["redirect"].lstrip("0123456789")
        elif match["word"]:
            word = _unquoted(match["word"])
            if word is None:
                return
            if pending.startswith("<<") and pending != "<<<":
                commands[-1].body = bodies.pop(0) if bodies else ""
            elif pending:
                commands[-1].redirects.append((pending, word))
            else:
                commands[-1].words.append(word)
            pending = ""
    yield from commands


def _unquoted(word: str) -> str | None:
    try:
        parts = shlex.split(word)
    except ValueError:
        return None
    return parts[0] if parts else ""


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


def _without_prefix(words: Sequence[str]) -> list[str]:
    for index, word in enumerate(words):
        if word not in _PREFIXES and not _ENVIRONMENT.match(word):
            return list(words[index:])
    return []


def _file(word: str) -> str:
    return "" if _NOT_LITERAL.search(word) else clean_path(word)


def _redirected(simple: _Simple) -> Iterator[Touch]:
    for operator, word in simple.redirects:
        path = _file(word)
        if not path or word.isdigit() or word == "-":
            continue
        if operator == "<":
            yield Touch("read", path)
        elif operator.endswith(">>"):
            yield Touch("append", path, _written(simple))
        elif operator in {">", ">|", "&>"}:
            yield Touch("write", path, _written(simple))


def _written(simple: _Simple) -> str:
    if simple.body:
        return text_detail(simple.body)
    echoed = simple.words[:1] in (["echo"], ["printf"]) and simple.words[1:]
    return text_detail(" ".join(word for word in echoed if word != "-e")) if echoed else ""


def _command_touches(words: Sequence[str], body: str, depth: int) -> list[Touch]:
    if not words:
        return []
    name = posixpath.basename(words[0])
    if name == "git" and len(words) > 1 and words[1] in {"mv", "rm"}:
        if words[1] == "rm" and "--cached" in words:
            return []
        name, words = words[1], words[1:]
    if name == "git":
        return _restored(words[1:])
    if name in _SHELLS:
        return _nested(words, depth)
    if name in {"apply_patch", "applypatch", "patch"}:
        return patch_touches(body or next((word for word in words[1:] if "\n" in word), ""))
    if name == "sed":
        return _sed(words[1:])
    if name == "perl":
        return _perl(words[1:])
    return _operand_touches(name, words, body)


def _restored(words: Sequence[str]) -> list[Touch]:
    """``git checkout`` and ``git restore`` of paths: what was changed in them is taken back.

    Without ``--`` a word may be a branch; it is the reader of the log who knows
    whether it names a file that was touched.
    """
    if (
        not words
        or words[0] not in {"checkout", "restore"}
        or {"-b", "-B", "--staged"} & set(words)
    ):
        return []
    named = words[words.index("--") + 1 :] if "--" in words else words[1:]
    files = [_file(word) for word in named if not word.startswith("-")]
    return [Touch("restore", path) for path in files if path]


def _operand_touches(name: str, words: Sequence[str], body: str) -> list[Touch]:
    operands = _operands(words[1:], _OPTION_VALUES.get(name, frozenset()))
    files = [path for path in map(_file, operands) if path]
    if name in _READERS:
        return [Touch("read", path) for path in files]
    if name in {"rm", "unlink"}:
        return [Touch("delete", path) for path in files]
    if name == "touch":
        return [Touch("write", path) for path in files]
    if name == "tee":
        verb: Verb = "append" if {"-a", "--append"} & set(words) else "write"
        return [Touch(verb, path, text_detail(body)) for path in files]
    if name in {"mv", "cp"} and len(files) == len(operands) > 1:
        return _moved(files[:-1], files[-1], name)
    return []


def _nested(words: Sequence[str], depth: int) -> list[Touch]:
    for index, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[a-z]*c", word) and index + 1 < len(words) and depth < _MAX_DEPTH:
            return shell_touches(words[index + 1], depth + 1)
    return []


def _operands(words: Sequence[str], with_value: frozenset[str]) -> list[str]:
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


def _moved(sources: Sequence[str], target: str, name: str) -> list[Touch]:
    found: list[Touch] = []
    for source in sources:
        into = target.endswith("/") or len(sources) > 1
        path = posixpath.join(target, posixpath.basename(source.rstrip("/"))) if into else target
        if name == "mv":
            found.append(Touch("rename", path, old_path=source))
        else:
            found += [Touch("read", source), Touch("write", path)]
    return found


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
        Touch("edit" if in_place else "read", path, detail) for path in map(_file, files) if path
    ]


def _perl(words: Sequence[str]) -> list[Touch]:
    flags = [word for word in words if word.startswith("-")]
    if not any(re.match(r"-[a-z0]*i", flag) for flag in flags):
        return []
    operands = [word for word in words if not word.startswith("-")]
    detail = shortened(operands[0]) if operands else ""
    return [Touch("edit", path, detail) for path in map(_file, operands[1:]) if path]
