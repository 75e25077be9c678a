"""Recall probes about functions that a comment describes: which one was it?"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from pytest_compaction.conversation.messages import readable
from pytest_compaction.probes.declarations import COMPOUND, LISTED, NAME, declared
from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import ProbeLog, once_a_log
from pytest_compaction.probes.phrases import coarse
from pytest_compaction.probes.sources.code.edits import worked_on
from pytest_compaction.probes.sources.code.standing import standing_code
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
        yield Draft("recall", "comment", question, found, point, 0.37, least=1)


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
