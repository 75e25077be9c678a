"""Recall probes about code that the agent wrote or changed: parameters and receivers.

A declaration counts only if the log shows it in one form, from first to last, and if it still
stands.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.probes.declarations import COMPOUND, Declared, declared
from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.sources.code.comments import in_interfaces
from pytest_compaction.probes.sources.code.edits import worked_on
from pytest_compaction.probes.sources.code.standing import standing_code

_MOST_PARAMETERS: Final = 3
_LEAST_PARAMETERS: Final = 2
_LEAST_PARAMETER: Final = 3
"""The characters of the name of a parameter."""
_MAX_MENTIONS: Final = 12
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
        least=1,
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
