"""Directions within an alternative: "a before b", "a to b", "a → b", "b formerly a".

Such an alternative asks for the order: a sentence holds it where the one stands before the other
with a word of the same direction between them, or behind it with a word of the opposite one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ARROW: Final = r"→|⇒|(?<!-)-+>|(?<!=)=+>"
_FORWARD: Final = {
    "order": re.compile(r"\b(?:before|above|precedes?|preceding|ahead of|prior to|then|until)\b"),
    "change": re.compile(
        rf"{_ARROW}|\b(?:to|into|becomes?|became|now|with|by|replaced by|replaced with|as)\b"
    ),
}
_BACKWARD: Final = {
    "order": re.compile(r"\b(?:after|behind|below|following|follows|later than|right of)\b"),
    "change": re.compile(
        r"\b(?:from|formerly|former|previously|was|were|instead of|rather than|replaces|replaced|"
        r"originally|used to be)\b"
    ),
}
_NAMED: Final = r"(?:name|title|label|value|form|spelling|place|location|path|setting|default)"
_OLD_BEHIND: Final = re.compile(
    rf"\s?[,;(-]? ?(?:(?:is|was|being) )?(?:(?:its|the|their|an?) )?(?:old|former|previous|"
    rf"original|earlier) {_NAMED}\b|,? (?:until then|before)(?=$| ?[,.;:)])"
    r"|\s?(?:is|was) what (?:it|they) (?:was|were|used to be)\b"
)
_OLD_BEFORE: Final = re.compile(
    rf"\b(?:old|former|previous|original|earlier)(?: {_NAMED})?:? ?$|\b(?:formerly|once|"
    r"used to be|known as|was called|were called) $"
)
_ASKED: Final = (
    (
        "order",
        re.compile(
            r"(?P<forward>\b(?:before|above|precedes|ahead of|prior to|then)\b)|"
            r"(?P<backward>\b(?:after|behind|below|following|right of)\b)"
        ),
    ),
    (
        "change",
        re.compile(
            rf"(?P<forward>{_ARROW}|\b(?:(?:renamed|moved|changed) )?to\b|\bbecomes\b|\bnow\b)|"
            r"(?P<backward>\b(?:formerly|was|instead of)\b)"
        ),
    ),
)
_FROM_TO: Final = re.compile(r"(?:(?:\w+ )?from) (?!\d)(.+) to (.+)")
_VERBS: Final = re.compile(r"\b(?:renamed?|moved?|changed?|changes|moves|git mv|replaces|comes)\b")


@dataclass(frozen=True, slots=True)
class Relation:
    """Which texts stand in which direction: ``first`` before ``second``, or becoming it.

    Without ``first`` the word ``lead`` must stand right before the second.
    """

    kind: str
    first: str
    second: str
    lead: str | None = None

    def leads(self, head: str) -> bool:
        """Whether a text that stands before the second side ends in the asked-for direction."""
        last = " ".join(head.split()[-3:])
        return self.lead is not None and re.search(rf"\b{self.lead}\b", last) is not None

    def is_old(self, head: str, tail: str) -> bool:
        """Whether what stands around a text says that it is the one from before a change."""
        return self.kind == "change" and (
            _OLD_BEHIND.match(tail) is not None or _OLD_BEFORE.search(head) is not None
        )

    def holds(self, between: str, first_leads: bool) -> bool:
        """Whether the words between the two say this direction."""
        forward = _FORWARD[self.kind].search(between) is not None
        backward = _BACKWARD[self.kind].search(between) is not None
        return forward if first_leads else backward and not forward


def relation_of(normal: str) -> Relation | None:
    """The direction that a normalised alternative asks for, if it names one."""
    if change := _FROM_TO.fullmatch(normal):
        return Relation("change", change[1], change[2])
    for kind, pattern in _ASKED:
        match = pattern.search(normal)
        if match is None:
            continue
        left = _VERBS.sub(" ", normal[: match.start()]).strip()
        right = _VERBS.sub(" ", normal[match.end() :]).strip()
        if kind == "order" and not left and right:
            return Relation(kind, "", right, match[0])
        if not left or not right or (kind == "change" and not _alike(left, right)):
            continue
        forward = match.lastgroup == "forward"
        return Relation(kind, left, right) if forward else Relation(kind, right, left)
    return None


def _alike(left: str, right: str) -> bool:
    """Whether both sides are names or short signs, so that "to" means a change of one for one."""
    return all(
        " " not in side and (len(side) <= 3 or re.search(r"[\d_./]", side) is not None)
        for side in (left, right)
    )
