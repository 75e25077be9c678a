"""The minimal clauses of a sentence or passage: where each new subject says something of its own.

A semicolon, a colon, a dash or a contrast ends a clause. A comma or "and" ends one only where a
verb with a subject of its own follows, or where both sides have a value or a name of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pytest_compaction.text.things import PAST, Span, Thing, within
from pytest_compaction.text.words import STOPWORDS

_BREAK: Final = re.compile(
    r"(?P<hard> ?; |: | - |\. (?=\w)|[()] ?|"
    r",? (?:but|while|whereas|though|although|yet|because|since|so) )|"
    r"(?P<soft>, (?:and |or |then )?| and | or | \| )"
)
FINITE: Final = (
    r"(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could|must|may|might|shall|"
    r"should|stays?|stayed|remains?|remained|goes|went|takes|took|gets|got|keeps|kept|needs|"
    r"gives|gave|comes|came|makes|made|says|said|runs|ran|leaves|left|holds|held)"
)
_CLAUSE: Final = re.compile(
    rf"(?!(?:which|who|whose|where|whom)\b)"
    rf"(?:(?:at|in|on|for|with|by|from|to|there|then|now|so|that|only)\b[^,;]*? )?"
    rf"(?:(?:it|they|he|she|we|you|i|this|that|those|these) \w+|"
    rf"(?:the|a|an|its|their|his|her|our|your|my|another|other|each|every|both)? ?"
    rf"[^\s,;]+(?: [^\s,;]+){{0,5}}? {FINITE}\b)"
)
_SPLICE: Final = re.compile(
    r"(?:the|a|an|its|their|his|her|our|your|my) [a-z-]+ "
    r"(?:(?:only|also|just|still|then|now|never|always|merely) [a-z]{2,}(?:s|ed)"
    r"|[a-z]{3,}(?:[^su\W]s|ed) (?:it|them|him|her|us|nothing))\b"
)
"""A noun with a verb of its own that an adverb or an object shows: "the user only approves it"."""
_ASIDE: Final = re.compile(r"\([^()]*\) ?")
"""In brackets; without a verb it belongs to the clause around it."""
_RELATIVE: Final = re.compile(r"(?:and )?(?:which|who|whose|whom)\b")
"""What goes on about the thing before it."""
_VERBS: Final = re.compile(rf"{FINITE}\b")
_LEADING_VERB: Final = re.compile(rf"(?:{FINITE}|[a-z]{{2,}}(ed))\b")
_PAST: Final = "|".join(sorted(PAST))
VERB: Final = re.compile(rf"(?<= )(?:{FINITE}|{_PAST}|[a-z]{{2,}}(?:ed|[^s\W\d]s))\b")
"""A word that may be a finite verb, behind another word."""
_ANY_VERB: Final = re.compile(rf"\b(?:{FINITE}|[a-z]{{2,}}(?:s|ed))\b")
_WORD: Final = re.compile(r"[a-z]{2,}")


def minimal_clauses(
    normal: str, found: Sequence[Thing], joints: Sequence[int] = ()
) -> tuple[Span, ...]:
    """The spans of the minimal clauses, in order; ``joints`` are where sentences begin."""
    breaks = [(match.start(), match.end(), match.lastgroup) for match in _BREAK.finditer(normal)]
    breaks += [(joint, joint, "hard") for joint in joints if joint]
    asides = [match.span() for match in _ASIDE.finditer(normal) if not _ANY_VERB.search(match[0])]
    kept = [one.span for one in found] + asides
    inner = [one for one in sorted(breaks) if not any(within(one[:2], it) for it in kept)]
    pieces = pairwise([(0, 0, "hard"), *inner, (len(normal), len(normal), "hard")])
    spans: list[Span] = []
    for (start, begin, sort), (end, _, _) in pieces:
        if end <= begin:
            continue
        if spans and sort == "soft" and not _is_new(normal, spans[-1], (begin, end), found):
            spans[-1] = (spans[-1][0], end)
        elif len(spans) > 1 and sort == "soft" and _goes_on(normal, spans[-1], begin):
            spans[-2:] = [(spans[-2][0], end)]
        else:
            spans.append((begin if sort == "hard" else start, end))
    return tuple(spans)


def _is_new(normal: str, before: Span, span: Span, found: Sequence[Thing]) -> bool:
    text = normal[slice(*span)]
    if _RELATIVE.match(text):
        return False
    if _SPLICE.match(text):
        return True
    said = _ANY_VERB.search(normal, *before) or (
        not normal.endswith("| ", 0, span[0]) and _is_full(normal, before, found)
    )
    if _CLAUSE.match(text) and not _VERBS.match(text) and said:
        return True
    return _is_full(normal, before, found) and _is_full(normal, span, found)


def _goes_on(normal: str, before: Span, begin: int) -> bool:
    """Whether a verb follows, after an insertion, to a subject that stands before it."""
    inserted = normal[slice(*before)].startswith(", ") and not _CLAUSE.match(normal, before[0] + 2)
    if not inserted or not normal.startswith(", ", begin - 2):
        return False
    match = _LEADING_VERB.match(normal, begin)
    return match is not None and (match[1] != "ed" or not normal.startswith(" by", match.end()))


def _is_full(normal: str, span: Span, found: Sequence[Thing]) -> bool:
    """Whether it has a value or a name, and a word about it."""
    own = [one for one in found if within(one.span, span)]
    rest = normal[slice(*span)]
    for one in reversed(own):
        rest = rest[: one.span[0] - span[0]] + " " + rest[one.span[1] - span[0] :]
    return len({str(one.kind) for one in own}) > 1 or (
        bool(own) and any(word not in STOPWORDS for word in _WORD.findall(rest))
    )
