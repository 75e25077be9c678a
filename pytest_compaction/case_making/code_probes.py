"""Recall probes about declared code: what a comment describes, the file, the signature."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_compaction.artifacts import call_touches, may_be_same
from pytest_compaction.case_making.declarations import (
    COMPOUND,
    LISTED,
    NAME,
    Declared,
    declared,
    imported_from,
    named_code,
    spoken_names,
    worked_on,
)
from pytest_compaction.case_making.file_probes import tells_file
from pytest_compaction.case_making.keys import identifier_keys
from pytest_compaction.case_making.log import Candidate, Draft, ProbeLog, name_candidate, once_a_log
from pytest_compaction.case_making.phrases import coarse
from pytest_compaction.case_making.standing import standing_code
from pytest_compaction.conversation import readable
from pytest_compaction.text import printable, stem

_COMMENT: Final = re.compile(
    r"^\s*(?://+!?|#+(?!\[|include|define|if|end|el)|/?\*+/?|--)(?P<text> .*|)$"
)
_VERB: Final = re.compile(r"(?:is|are|[a-z]{3,}(?:s|es)) \S+ \S+")
_DECLARED: Final = re.compile(
    r"^\s*(?:(?:export|default|public|private|static|async|pub|abstract) )*"
    r"(?:def|function|fn|fun|func(?: \([^()]{1,60}\))?|type|class|struct|interface|trait|enum) "
    r"(?P<name>[A-Za-z_]\w{5,60})"
)
_DOCSTRING: Final = re.compile(r"^\s*(?:r?\"\"\"|''')(?P<does>[A-Z][^\n\"]{20,200}?)(?:\"\"\")?$")
_END: Final = re.compile(r"(?<=[\w)`'\"])[.:;](?=\s|$)")
_BODILESS: Final = re.compile(
    rf"^[ \t\d→|:]*+({NAME.pattern})\([^()\n]*\)[ :]+[\w(*\[][^\n{{;=.]*;?$", re.M
)
"""A method of an interface, after what a listing puts before a line."""
_PART: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
_MAX_QUOTE: Final = 140
_LEAST_QUOTE: Final = 4
_MAX_TEXT: Final = 200_000
_MAX_MENTIONS: Final = 12
_SPECIAL: Final = re.compile(r"__\w+__")
_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)test_|[._-](?:test|spec)s?\.\w+$"
)
"""Paths of tests: of what they declare only that is asked for which somebody spoke of."""
_PER_PACKAGE: Final = frozenset({"TestMain"})
"""Names that each package may declare."""
_MOST_OF_A_FILE: Final = 8
"""How many names are asked for of one file."""
_LEAST_TOUCHES: Final = 8
"""With fewer calls on files no file is the one that a session is about."""
_MOST_PARAMETERS: Final = 3
_LEAST_PARAMETERS: Final = 2
_LEAST_PARAMETER: Final = 3
"""The characters of the name of a parameter."""
_USUAL: Final = frozenset(
    """id user ctx context path name file repo state data options opts args key value index count
    type req res request response self url body input output""".split()
)
"""Words of parameters that anybody may guess."""
_QUESTIONS: Final[Mapping[tuple[str, ...], str]] = {
    ("method",): "On which type is the {} defined?",
    ("takes",): "Which parameters does the {} take?",
    ("method", "takes"): "Which parameters does the {} take, and on which type is it defined?",
}


def comment_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for each function of the agent whose comment says what it does in other words.

    A name that several types implement is left out: the comment may stand above each of them.
    """
    code, written = standing_code(log), worked_on(log)
    files: dict[str, set[str]] = defaultdict(set)
    owners: dict[str, set[str]] = defaultdict(set)
    for each in declared(log):
        owners[each.name].add(each.value)
        if each.path:
            files[each.name].add(posixpath.basename(each.path))
    told: dict[str, dict[str, int]] = defaultdict(dict)
    meant: dict[str, set[str]] = defaultdict(set)
    for place, message in enumerate(log.messages[: log.end + 1]):
        for name, does in _described(readable(message)[:_MAX_TEXT]):
            told[name].setdefault(does, place)
            meant[does].add(name)
    for name, forms in told.items():
        (does, place), *others = forms.items()
        alone = len(owners[name]) < 2 and len(files[name]) == 1 and len(meant[does]) == 1
        taken_up = name in written and COMPOUND.search(name) and name not in in_interfaces(log)
        clear = len(does.split()) >= _LEAST_QUOTE and not coarse(does)
        if others or not alone or not taken_up or not clear or tells_name(name, does):
            continue
        question = f"Of which function or type does the comment in the code say: “… {does}”?"
        draft = log.draft("recall", "comment", question, name_candidate(name), place, 12, 0.37)
        asked = log.points[draft.point]
        if written[name][0] <= asked and code.has(name, next(iter(files[name])), asked):
            yield draft


def _described(text: str) -> Iterator[tuple[str, str]]:
    """Each function or type with the first sentence of the comment above it or below its name."""
    block: list[str] = []
    defined = ""
    for line in text.splitlines():
        code = line[match.end() :] if (match := LISTED.match(line)) else line
        if match := _COMMENT.match(code):
            block.append(match["text"].strip())
            continue
        if defined and (match := _DOCSTRING.match(code)):
            yield defined, _sentence(match["does"])
        found = _DECLARED.match(code)
        defined = found["name"] if found else ""
        if defined and block:
            first, _, rest = " ".join(filter(None, block)).partition(" ")
            if first.strip("`():") == defined and _VERB.match(rest):
                yield defined, _sentence(rest)
        block = []


def _sentence(text: str) -> str:
    """The first sentence of a comment, in one line, cut where it is long."""
    return printable(_END.split(text.strip(), maxsplit=1)[0].rstrip(" .,:;"), _MAX_QUOTE)


@once_a_log
def in_interfaces(log: ProbeLog) -> frozenset[str]:
    """The names of the methods that the log shows without a body."""
    texts = (readable(message)[:_MAX_TEXT] for message in log.messages)
    return frozenset(name for text in texts for name in _BODILESS.findall(text))


def tells_name(name: str, does: str) -> bool:
    """Whether a word of a name stands in a description, in whatever form."""
    words = [word.casefold() for word in _PART.findall(name)]
    said = [word.casefold() for word in re.findall(r"[A-Za-z]+", does)]
    return any(
        stem(word) == stem(each) or (len(word) > 3 and word[:4] == each[:4])
        for word in words
        for each in said
    )


def defined_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for each function, type or constant that was named and that one file alone declares.

    The path alone is the answer. A file of which another has the name is left out, and so is
    the one file that a session is about: both can be guessed or told too shortly. It is asked
    for after the name was spoken of. The calls that showed the code name the file, and so do
    messages that say both.
    """
    held: dict[str, list[Declared]] = defaultdict(list)
    homes: dict[str, set[str]] = defaultdict(set)
    for each in declared(log):
        if each.path:
            homes[each.name].add(each.path)
            if each.kind != "other" and each.place <= log.end:
                held[each.name].append(each)
    namesakes, main = files_by_name(log, held)
    code, named = standing_code(log), named_code(log)
    spoken, imports = spoken_names(log), imported_from(log)
    asked_of: Counter[str] = Counter()
    for name, forms in held.items():
        path, owner = max((each.path for each in forms), key=len), forms[0].value
        alone = one_file(homes[name] | namesakes[posixpath.basename(path)], path)
        alone = alone and all(_fits(module, path) for module in imports.get(name, ()))
        plain = not COMPOUND.search(name) or name in _PER_PACKAGE or _SPECIAL.fullmatch(name)
        if plain or name not in named or len({each.value for each in forms}) > 1 or not alone:
            continue
        told = tells_file(name, path) or tells_file(owner, path)
        guessed = one_file([main], path) or (_TEST.search(path) and name not in spoken)
        if told or guessed or asked_of[path] >= _MOST_OF_A_FILE:
            continue
        places = {each.place - shift for each in forms for shift in (0, 1)}
        calls = tuple(sorted(p for p in places if p >= 0 and log.messages[p].calls))
        text = f"{name} is defined in {path}"
        answer = Candidate(text, "identifier", identifier_keys(path), None, calls)
        what = f"method `{name}` of `{owner}`" if owner else f"{forms[0].kind} `{name}`"
        question = f"In which file is the {what} defined?"
        first = max(forms[0].place, named[name])
        draft = log.draft("recall", "defined-in", question, answer, first, 40, 0.38)
        if calls and draft.found and code.has(name, path, log.points[draft.point]):
            asked_of[path] += 1
            yield draft


def files_by_name(
    log: ProbeLog, held: dict[str, list[Declared]]
) -> tuple[dict[str, set[str]], str]:
    """The paths of the log by the names of the files; the path of half of the calls, if any."""
    namesakes: dict[str, set[str]] = defaultdict(set)
    for path in sorted({each.path for forms in held.values() for each in forms}):
        namesakes[posixpath.basename(path)].add(path)
    times: Counter[str] = Counter()
    for invocation in log.invocations:
        for path in sorted({touch.path for touch in call_touches(invocation.call)}):
            namesakes[posixpath.basename(path)].add(path)
            times[path] += log.position[invocation.message_id] <= log.end
    (main, most), *_ = times.most_common(1) or [("", 0)]
    total = sum(times.values())
    return namesakes, main if total >= _LEAST_TOUCHES and most * 2 >= total else ""


def _fits(module: str, path: str) -> bool:
    """Whether a module that a file imports from beside itself may be the file at ``path``."""
    folder, file = posixpath.split(path)
    names = {file.partition(".")[0], posixpath.basename(folder), "index", ""}
    return posixpath.basename(module).partition(".")[0] in names


def one_file(paths: Iterable[str], path: str) -> bool:
    """Whether all these paths may be the same file."""
    return all(may_be_same(each, path) for each in paths)


def signature_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for each function of the agent that the log shows in one form and in one file."""
    held: dict[str, list[Declared]] = defaultdict(list)
    for each in declared(log):
        if each.place <= log.end and each.kind == "function":
            held[each.name].append(each)
    unread = {each.name for each in declared(log) if each.kind == "other"}
    code, written = standing_code(log), worked_on(log)
    for name, forms in held.items():
        path = next((each.path for each in forms if each.path), "")
        alike = len({(each.parameters, each.returned, each.value) for each in forms}) == 1
        alike = alike and len({posixpath.basename(each.path) for each in forms if each.path}) < 2
        if name in unread or not alike or name not in written or not COMPOUND.search(name):
            continue
        draft = _function(log, forms[0], path)
        asked = log.points[draft.point] if draft else 0
        if draft and written[name][0] <= asked and code.has(name, path, asked):
            yield draft


def _function(log: ProbeLog, first: Declared, path: str) -> Draft | None:
    """Probe about a function's parameters and the type it is a method of.

    A type that a function returns is left out: too much of it is no name.
    """
    asked = (("method", _owner(first, path)), ("takes", _takes(first)))
    told = {ask: each for ask, each in asked if each is not None}
    if not told or ("method" in told and first.name in in_interfaces(log)):
        return None
    point, _ = log.find_due([*told.values()][-1], first.place, most=_MAX_MENTIONS)
    found = {
        ask: entry
        for ask, each in told.items()
        if (entry := log.find(each, log.points[point], most=_MAX_MENTIONS)) is not None
    }
    if not found:
        return None
    where = f" in `{posixpath.basename(path)}`" if path else ""
    what = f"{'method' if first.value else 'function'} `{first.name}`{where}"
    form = "the answer" if len(found) == 1 else "both sentences of the answer"
    question = f"{_QUESTIONS[tuple(found)].format(what)} Begin {form} with `{first.name}`."
    facts, whole = tuple(found.values()), len(found)
    rank = 0.4 - 0.02 * whole
    return Draft("recall", "signature", question, facts, point, rank, whole=whole)


def _owner(function: Declared, path: str) -> Candidate | None:
    """The type that a function is a method of, where neither the names nor the file tell it."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    told = _parts(stem) | _parts(function.name)
    plain = not COMPOUND.search(function.value)
    if plain or not path or _parts(function.value) & told:
        return None
    keys = identifier_keys(function.name, function.value)
    return Candidate(f"{function.name} is a method of {function.value}", "identifier", keys)


def _parts(name: str) -> set[str]:
    """The words of which a name of code or of a file is made."""
    return {part.casefold() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def _takes(function: Declared) -> Candidate | None:
    """The parameters by name, where a sentence holds all and one is no ordinary word."""
    names = [name for name, _ in function.parameters]
    long = min(map(len, names), default=0) >= _LEAST_PARAMETER
    told = _parts(function.name) | _USUAL
    if (
        not long
        or all(_parts(name) <= told for name in names)
        or not any(map(COMPOUND.search, names))
        or not _LEAST_PARAMETERS <= len(names) <= _MOST_PARAMETERS
    ):
        return None
    keys = identifier_keys(function.name, *names)
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return Candidate(f"{function.name} takes {listed}", "identifier", keys)
