"""Recall probes about declared code: what a comment describes, the file, the signature."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.artifacts.file_states import same_end
from pytest_compaction.artifacts.tool_calls import call_touches
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
from pytest_compaction.case_making.log import Candidate, Draft, Found, ProbeLog, once_a_log
from pytest_compaction.case_making.phrases import coarse
from pytest_compaction.case_making.standing import standing_code
from pytest_compaction.conversation.messages import readable
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


def comment_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for each function of the agent whose comment says what it does in other words.

    A name that several types implement is left out: the comment may stand above each of them.
    """
    code, written = standing_code(log), worked_on(log)
    paths: dict[str, set[str]] = defaultdict(set)
    owners: dict[str, set[str]] = defaultdict(set)
    for each in declared(log):
        owners[each.name].add(each.value)
        if each.path:
            paths[each.name].add(posixpath.basename(each.path))
    told: dict[str, dict[str, int]] = defaultdict(dict)
    for place, message in enumerate(log.messages[: log.points[-1] + 1]):
        for name, does in _described(readable(message)[:_MAX_TEXT]):
            told[name].setdefault(does, place)
    meant: dict[str, set[str]] = defaultdict(set)
    for name, forms in told.items():
        for does in forms:
            meant[does].add(name)
    for name, forms in told.items():
        (does, place), *others = forms.items()
        alone = len(owners[name]) < 2 and len(paths[name]) == 1
        taken_up = name in written and alone and COMPOUND.search(name)
        clear = len(meant[does]) == 1 and len(does.split()) >= _LEAST_QUOTE and not coarse(does)
        if others or not taken_up or not clear or tells_name(name, does):
            continue
        if name in in_interfaces(log):
            continue
        candidate = Candidate(name, "identifier", identifier_keys(name))
        point, found = log.find_due(candidate, place, most=_MAX_MENTIONS)
        asked = log.points[point]
        if written[name][0] > asked or not code.has(name, next(iter(paths[name])), asked):
            continue
        question = f"Of which function or type does the comment in the code say: “… {does}”?"
        yield Draft("recall", "comment", question, found, point, 0.37)


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


_MAX_NAMED: Final = 40
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


def defined_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for each function, type or constant that was named and that one file alone declares.

    The path alone is the answer. A file of which another has the name is left out, and so is
    the one file that a session is about: both can be guessed or told too shortly.
    """
    held: dict[str, list[Declared]] = defaultdict(list)
    homes: dict[str, set[str]] = defaultdict(set)
    for each in declared(log):
        if each.path:
            homes[each.name].add(each.path)
        if (
            each.path
            and each.kind in {"function", "type", "constant"}
            and each.place <= log.points[-1]
        ):
            held[each.name].append(each)
    namesakes, main = files_by_name(log, held)
    code, named = standing_code(log), named_code(log)
    spoken = spoken_names(log)
    imports = imported_from(log)
    asked_of: Counter[str] = Counter()
    for name, forms in held.items():
        path = max((each.path for each in forms), key=len)
        owners = {each.value for each in forms}
        alone = one_file(homes[name] | namesakes[posixpath.basename(path)], path)
        plain = not COMPOUND.search(name) or name in _PER_PACKAGE or bool(_SPECIAL.fullmatch(name))
        plain |= name not in named or len(owners) > 1
        alone = alone and all(_fits(module, path) for module in imports.get(name, ()))
        if plain or not alone or told_by(name, forms[0].value, path):
            continue
        if _TEST.search(path) and name not in spoken:
            continue
        if path == main or same_end(main, path) or asked_of[path] >= _MOST_OF_A_FILE:
            continue
        point, found = _due(log, name, path, forms, named[name])
        if not found or not code.has(name, path, log.points[point]):
            continue
        asked_of[path] += 1
        owner = forms[0].value
        what = f"method `{name}` of `{owner}`" if owner else f"{forms[0].kind} `{name}`"
        question = f"In which file is the {what} defined?"
        yield Draft("recall", "defined-in", question, found, point, 0.38)


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
            times[path] += log.position[invocation.message_id] <= log.points[-1]
    (main, most), *_ = times.most_common(1) or [("", 0)]
    total = sum(times.values())
    return namesakes, main if total >= _LEAST_TOUCHES and most * 2 >= total else ""


def told_by(name: str, owner: str, path: str) -> bool:
    """Whether a name, or that of the type whose method it is, tells the file."""
    return tells_file(name, path) or tells_file(owner, path)


def _due(
    log: ProbeLog, name: str, path: str, forms: Sequence[Declared], spoken: int
) -> tuple[int, tuple[Found, ...]]:
    """The first point after a name was spoken of at which its file is at risk, and the file.

    The calls that showed the code name the file, and so do messages that say both.
    """
    places = {each.place - shift for each in forms for shift in (0, 1)}
    calls = tuple(sorted(p for p in places if p >= 0 and log.messages[p].calls))
    told = Candidate(
        f"{name} is defined in {path}", "identifier", identifier_keys(path), None, calls
    )
    first = max(forms[0].place, spoken)
    return log.find_due(told, first, most=_MAX_NAMED) if calls else (0, ())


def _fits(module: str, path: str) -> bool:
    """Whether a module that a file imports from beside itself may be the file at ``path``."""
    folder, file = posixpath.split(path)
    names = {file.partition(".")[0], posixpath.basename(folder), "index", ""}
    return posixpath.basename(module).partition(".")[0] in names


def one_file(paths: Iterable[str], path: str) -> bool:
    """Whether all these paths may be the same file."""
    return all(each == path or same_end(each, path) for each in paths)


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


def signature_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for each function of the agent that the log shows in one form."""
    held: dict[str, list[Declared]] = defaultdict(list)
    unread = {each.name for each in declared(log) if each.kind == "other"}
    for each in declared(log):
        if each.place <= log.points[-1] and each.kind == "function":
            held[each.name].append(each)
    written = worked_on(log)
    code = standing_code(log)
    for name, forms in held.items():
        path = next((each.path for each in forms if each.path), "")
        clear = name not in unread and _agree(forms)
        if name not in written or not COMPOUND.search(name) or not clear:
            continue
        draft = _function(log, forms)
        asked = log.points[draft.point] if draft else 0
        if draft and written[name][0] <= asked and code.has(name, path, asked):
            yield draft


def _agree(forms: Sequence[Declared]) -> bool:
    """Whether a name is declared in one way only and, as far as is known, in one file."""
    said = {(each.parameters, each.returned, each.value) for each in forms}
    files = {posixpath.basename(each.path) for each in forms if each.path}
    return len(said) == 1 and len(files) < 2


def _where(forms: Sequence[Declared]) -> str:
    path = next((each.path for each in forms if each.path), "")
    return f" in `{posixpath.basename(path)}`" if path else ""


def _function(log: ProbeLog, forms: Sequence[Declared]) -> Draft | None:
    """What a function takes and the type that it is a method of.

    A type that a function returns is left out: too much of it is no name.
    """
    first = forms[0]
    path = next((each.path for each in forms if each.path), "")
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
    what = "method" if first.value else "function"
    question = _QUESTIONS[tuple(found)].format(f"{what} `{first.name}`{_where(forms)}")
    form = f"Begin {'the answer' if len(found) == 1 else 'both sentences of the answer'}"
    question = f"{question} {form} with `{first.name}`."
    return Draft(
        "recall",
        "signature",
        question,
        tuple(found.values()),
        point,
        0.4 - 0.02 * len(found),
        whole=len(found),
    )


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
