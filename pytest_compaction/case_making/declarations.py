"""The code that a log shows: declarations, edits with both sides, names that were spoken of."""

from __future__ import annotations

import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.artifacts import Invocation, call_touches, shell_script
from pytest_compaction.case_making.log import ProbeLog, once_a_log
from pytest_compaction.case_making.shell_evidence import (
    CONFLICT,
    MAX_SCRIPT,
    TEMPORARY,
    TRANSIENT,
    in_merge_given_up,
)
from pytest_compaction.conversation import ToolCall

_MAX_TEXT: Final = 200_000
_MAX_LINE: Final = 300
NAME: Final = re.compile(r"[A-Za-z_$][\w$]{3,60}")
"""A name of code that is long enough to be told from others."""
COMPOUND: Final = re.compile(r"[a-z\d][A-Z]|\w_\w")
"""What tells a name of code from an ordinary word."""
LISTED: Final = re.compile(
    r"(?:(?P<path>[\w.@/~-]*\w\.\w{1,8})[:-])?(?:\s*\d{1,6}(?:[→\t:│|]|-(?=\S|$)))?"
)
"""What a search or a numbered listing puts before a line."""
MODIFIERS: Final = (
    r"(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|static|async|abstract"
    r"|final|unsafe|internal) )*"
)
DECLARING: Final = (
    r"(?:function\*?|def|class|interface|type|fn|fun|func(?: \([^()\n]{1,60}\))?|struct|enum|trait)"
)
"""The words before a name that is declared."""
_FUNCTION: Final = re.compile(
    rf"^\s*{MODIFIERS}(?P<word>def|func|fn|fun|function\*?)(?: \((?P<receiver>[^()]{{1,60}})\))?"
    r" (?P<name>[A-Za-z_$][\w$]{3,60})(?:<[^<>()]{1,60}>|\[[^\[\]()]{1,60}\])?"
    r"\((?P<parameters>[^()]*(?:\([^()]*\)[^()]*)*)\)(?P<rest>.*)$"
)
_C_FUNCTION: Final = re.compile(
    r"^(?!(?:return|else|typedef|new|throw|case|goto|def|func|fn|fun|class)\b)"
    r"(?:(?:static|inline|extern|const|unsigned|struct|virtual) )*\w+(?:::\w+)*[ *&]+(?:[^\S ]\s*)?"
    r"(?P<name>[A-Za-z_]\w{3,60})\((?P<parameters>[^()]*)\)(?: const)?\s*(?:\{\s*)?$"
)
"""A definition in C or C++ at the start of a line; a parameter is the last word of its part."""
_TYPE: Final = re.compile(
    rf"^{MODIFIERS}(?:type|struct|interface|enum|trait|class) (?P<name>[A-Z]\w{{3,60}})\b"
    r"(?! alias)[^;]*[{:]\s*$"
)
_ARROW: Final = re.compile(
    rf"^\s*{MODIFIERS}(?:const|let) (?P<name>{NAME.pattern})(?:: [^=]{{1,80}})? = (?:async )?"
    r"\((?P<parameters>[^()]*)\)(?P<rest>[^={]*)=>"
)
"""A function of JavaScript that is held by a constant."""
_METHOD: Final = re.compile(
    rf"^\s+{MODIFIERS}(?!(?:if|for|while|switch|catch|function|return|constructor|with|super|await"
    rf"|throw|match|unless|until)\b)(?P<name>{NAME.pattern})\((?P<parameters>[^()]*)\)"
    r"(?P<rest>(?::[^{}]{1,80})?) \{$"
)
"""A method of a class of JavaScript, which no word introduces."""
_LOOSE: Final = re.compile(
    rf"^(?:\s+(?:public|private|protected|static|async|override|abstract) (?:async )?| {{2,4}}|\t)"
    rf"(?P<name>{NAME.pattern})\((?:[^)]*@\w+\(|$)"
)
"""The first line of a method whose parameters have decorators or lines of their own."""
_CONSTANT: Final = re.compile(
    rf"^(?:{MODIFIERS}(?:const|static) (?P<name>{NAME.pattern})(?:: [^=]{{1,80}}| [\w.]+)?"
    r"|(?P<python>[A-Z][A-Z\d]*_[A-Z\d_]+)(?:: [\w\[\], .]+)?)"
    r" :?= (?!(?:await )?(?:require|import)\b)\S"
)
_NAMED: Final = re.compile(rf"^\s*{MODIFIERS}{DECLARING}\s+(?P<name>{NAME.pattern})")
_IMPORTED: Final = re.compile(
    r"\bimport (?:type )?\{(?P<names>[^{}]{1,600})\} from "
    r"['\"](?P<module>\.{1,2}/[^'\"\n]{1,120})['\"]"
)
PROSE: Final = re.compile(r"\.(?:md|txt|rst|adoc|log|html?)$", re.I)
"""Files whose code is an example or a proposal."""
_RECEIVERS: Final = frozenset({"self", "cls", "&self", "&mut self", "mut self", "this"})
_LAST_WORD: Final = re.compile(r"(?<!\w)(\w+)(?:\[\w*\])?$")
_RETURNED: Final = re.compile(r"\s*(?:->|:)?\s*(?P<type>[^{:=;]*)")


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration in one line: ``kind`` is ``function``, ``type``, ``constant`` or ``other``.

    ``other`` is an alias, or a declaration of which only the name can be read. ``value`` is the
    type of a method. ``path`` is empty where the text does not say from which file the line is.
    A parameter is a name and a type as written, which is empty where the line gives none.
    """

    kind: str
    name: str
    place: int
    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    returned: str = ""
    value: str = ""


@once_a_log
def declared(log: ProbeLog) -> tuple[Declared, ...]:
    """Every declaration in the calls of the log and in their results, in log order."""
    return tuple(_declared(log))


def _declared(log: ProbeLog) -> Iterator[Declared]:
    for invocation in log.invocations:
        paths = {touch.path for touch in call_touches(invocation.call)}
        path = paths.pop() if len(paths) == 1 else ""
        place = log.position[invocation.message_id]
        script = (shell_script(invocation.call) or "")[:MAX_SCRIPT]
        passing = TRANSIENT.search(path) or TEMPORARY.search(script)
        if PROSE.search(path) or passing or in_merge_given_up(log, place):
            continue
        given = ((text, place) for text in given_texts(invocation))
        for text, shown in (*given, (invocation.output, place + 1)):
            for code, file in _code_lines(text) if not CONFLICT.search(text) else ():
                found = _read(code, shown, file or path) if len(code) < _MAX_LINE else None
                if found is not None:
                    yield found


def _code_lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines without what a search or a listing puts before them, and the file that it names."""
    for line in text[:_MAX_TEXT].splitlines():
        listed = LISTED.match(line)
        yield (line[listed.end() :], listed["path"] or "") if listed else (line, "")


def given_texts(invocation: Invocation) -> list[str]:
    """The texts of a call that was carried out; none of one that failed or was refused."""
    if not invocation.answered:
        return []
    return [text for text in invocation.call.parsed().values() if isinstance(text, str)]


@once_a_log
def imported_from(log: ProbeLog) -> Mapping[str, set[str]]:
    """The names that scripts import from files beside them, each with the modules as written."""
    found: dict[str, set[str]] = {}
    for invocation in log.invocations:
        for text in (*given_texts(invocation), invocation.output):
            for match in _IMPORTED.finditer(text[:_MAX_TEXT]):
                for name in NAME.findall(match["names"]):
                    found.setdefault(name, set()).add(match["module"])
    return found


def definitions(text: str) -> dict[str, str]:
    """Declarations in a text, each with the code up to the next one.

    Comments and empty lines at its end belong to what follows.
    """
    found: dict[str, list[str]] = {}
    name = ""
    for code, _ in _code_lines(text):
        if len(code) < _MAX_LINE and (declaration := _name_in(code)):
            name = declaration
            found[name] = []
        if name:
            found[name].append(code.rstrip())
    return {name: "\n".join(_without_end(lines)) for name, lines in found.items()}


def _name_in(line: str) -> str:
    """The name that a line declares; empty if it declares none."""
    for rule in (_NAMED, _C_FUNCTION, _ARROW, _METHOD):
        if match := rule.match(line):
            return match["name"]
    match = _CONSTANT.match(line)
    return match["name"] or match["python"] if match else ""


def _without_end(lines: list[str]) -> list[str]:
    last = len(lines)
    while last > 1 and re.match(r"\s*(?:$|//|#|/?\*|--|@)", lines[last - 1]):
        last -= 1
    return lines[:last]


def _read(line: str, place: int, path: str) -> Declared | None:
    """The declaration in a line, if any."""
    for rule in (_FUNCTION, _ARROW, _METHOD):
        if match := rule.match(line):
            named = match.groupdict()
            parameters = _parameters(match["parameters"], named.get("word") == "func")
            if parameters is None:
                return Declared("other", match["name"], place, path)
            returned = _RETURNED.match(match["rest"])
            shown = returned["type"].strip() if returned else ""
            owner = (named.get("receiver") or "").rpartition(" ")[2].strip("*&")
            return Declared("function", match["name"], place, path, parameters, shown, owner)
    if match := _C_FUNCTION.match(line):
        parts = _parts(match["parameters"])
        names = [found for part in parts if (found := _LAST_WORD.search(part))]
        if len(names) < len(parts) or any(len(re.findall(r"\w+", part)) < 2 for part in parts):
            return None
        given = tuple(
            (name[1], part[: name.start()].strip()) for part, name in zip(parts, names, strict=True)
        )
        return Declared("function", match["name"], place, path, given)
    if match := _TYPE.match(line):
        return Declared("type", match["name"], place, path)
    if match := _CONSTANT.match(line):
        return Declared("constant", match["name"] or match["python"], place, path)
    if match := _NAMED.match(line) or _LOOSE.match(line):
        return Declared("other", match["name"], place, path)
    return None


def _parameters(text: str, spaced: bool) -> tuple[tuple[str, str], ...] | None:
    """Parameters without receivers; ``None`` if a part of them has no plain name.

    A type follows a colon or, where ``spaced``, a space; there it may hold for several names.
    """
    given: list[tuple[str, str]] = []
    for part in _parts(text):
        if part in _RECEIVERS or part in {"*", "/"} or part.split(":")[0].strip() in _RECEIVERS:
            continue
        match = re.match(r"(?:mut |readonly |\.\.\.|[*$])*([A-Za-z_]\w*)", part)
        if match is None:
            return None
        name, sign, type = part.partition(" " if spaced and ":" not in part else ":")
        given.append((match[1], type.partition("=")[0].strip() if sign else ""))
    for number in range(len(given) - 2, -1, -1) if spaced else ():
        name, type = given[number]
        given[number] = (name, type or given[number + 1][1])
    return tuple(given)


def _parts(text: str) -> list[str]:
    """The parts of a list between commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>" and text[place - 1 : place] != "-":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in [*parts, text[start:].strip()] if part]


_OLD: Final = ("oldtext", "oldstring", "oldstr", "search", "old")
_NEW: Final = ("newtext", "newstring", "newstr", "replace", "new")
_MAX_SIDE: Final = 50_000


def done_edits(log: ProbeLog) -> Iterator[tuple[Invocation, str]]:
    """The calls up to the last point that certainly edited one file, with its path.

    Operations that failed, or of which the log tells no end, are not certain.
    """
    uncertain = {
        (operation.message_id, operation.path)
        for operation in log.operations
        if not (operation.succeeded and operation.certain)
    }
    for invocation in log.invocations:
        edited = {touch.path for touch in call_touches(invocation.call) if touch.verb == "edit"}
        if len(edited) == 1 and log.position[invocation.message_id] <= log.end:
            path = edited.pop()
            if invocation.answered and (invocation.message_id, path) not in uncertain:
                yield invocation, path


@once_a_log
def worked_on(log: ProbeLog) -> Mapping[str, tuple[int, ...]]:
    """The functions, classes and types that calls wrote or changed, each with the positions.

    One that only stands around a change, so that the edit finds its place, does not count.
    """
    found: dict[str, list[int]] = {}
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        touches = [t for t in call_touches(invocation.call) if t.verb in {"write", "edit"}]
        if not touches or any(PROSE.search(touch.path) for touch in touches):
            continue
        texts = given_texts(invocation)
        sides = list(edited_sides(invocation.call)) if texts else []
        for old, new in sides or [("", text) for text in texts]:
            if CONFLICT.search(old):
                continue
            before = definitions(old)
            for name, text in definitions(new).items():
                if before.get(name) != text:
                    found.setdefault(name, []).append(place)
    return {name: tuple(places) for name, places in found.items()}


@once_a_log
def spoken_names(log: ProbeLog) -> frozenset[str]:
    """The names of code in what the user wrote, and the agent beside its calls."""
    said = [*log.turns("user"), *log.turns("assistant")]
    return frozenset(name for _, text in said for name in NAME.findall(text[:_MAX_TEXT]))


@once_a_log
def named_code(log: ProbeLog) -> Mapping[str, int]:
    """The names of code that somebody named, each with the first position.

    The user or the agent named it in prose, in a search, a command or a written text. What
    only stands around a change, or in a file before it is written anew, was not named.
    """
    found: dict[str, int] = {}

    def note(place: int, text: str) -> None:
        for name in NAME.findall(text[:_MAX_TEXT]):
            found[name] = min(place, found.get(name, place))

    for place, text in (*log.turns("user"), *log.turns("assistant")):
        note(place, text)
    held: dict[str, set[str]] = defaultdict(set)
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        given = given_texts(invocation)
        sides = list(edited_sides(invocation.call)) if given else []
        files = {posixpath.basename(touch.path) for touch in call_touches(invocation.call)}
        if sides:
            for each in sides:
                note(place, _changed_lines(each))
        else:
            known = set().union(*(held[file] for file in files))
            names = [name for text in given for name in NAME.findall(text[:_MAX_TEXT])]
            note(place, "\n".join(name for name in names if name not in known))
        if len(files) == 1:
            shown = NAME.findall(invocation.output[:_MAX_TEXT])
            held[files.pop()].update(map(sys.intern, shown))
    return found


def _changed_lines(sides: tuple[str, str]) -> str:
    """The lines that only one side of a replacement holds."""
    old, new = (dict.fromkeys(side.splitlines()) for side in sides)
    return "\n".join(line for line in {**old, **new} if line not in old or line not in new)


def edited_sides(call: ToolCall) -> Iterator[tuple[str, str]]:
    """The old and new text of each replacement of an edit, in order; one of them may be empty."""
    arguments = call.parsed()
    edits = arguments.get("edits")
    for given in [arguments, *(edits[:50] if isinstance(edits, list) else [])]:
        if isinstance(given, Mapping):
            named = {str(key).lower().replace("_", ""): value for key, value in given.items()}
            old, new = _first(named, _OLD), _first(named, _NEW)
            if old is not None and new is not None and (old or new):
                yield old, new


def _first(named: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    value = next((named[key] for key in keys if isinstance(named.get(key), str)), None)
    return value if value is not None and len(value) <= _MAX_SIDE else None
