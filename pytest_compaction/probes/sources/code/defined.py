"""Recall probes about code that somebody named: in which file is it defined?"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.known_files import same_end
from pytest_compaction.artifacts.tool_calls import call_touches
from pytest_compaction.probes.declarations import COMPOUND, Declared, declared, imported_from
from pytest_compaction.probes.draft import Candidate, Draft, Found
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.sources.code.edits import named_code, spoken_names
from pytest_compaction.probes.sources.code.standing import standing_code
from pytest_compaction.probes.sources.files import tells_file

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
        yield Draft("recall", "defined-in", question, found, point, 0.38, least=1)


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
