"""Recall probes from the user's rules: of several about one thing the last, the others as traps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.case.case import Trap
from pytest_compaction.probes.log import Draft, Found, ProbeLog, Topic, pooled
from pytest_compaction.probes.phrases import bare, clauses, coarse, opening, sentences
from pytest_compaction.text.words import NEGATIONS, content_stems, normalize, raw_tokens

_RULE: Final = re.compile(
    r"^(?P<subject>.{4,90}?)\s+(?P<rule>(?:must|should|has to|have to|needs? to|may only|can only"
    r"|shall|is not allowed to|are not allowed to)\b.{8,120})$",
    re.I,
)
_LEAD: Final = re.compile(r"[,:;!?.]\s+|\bthat\s|^(?:and|also|but|ok|now|so|then)\b", re.I)
_VAGUE: Final = re.compile(
    r"\b(?:we|you|i|it|that|this|they|there|then|he|she|ok|what|what's|everything|one)\b", re.I
)
_MAX_CHANGED_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class Rule:
    """What the user required of a subject in the message at ``place``."""

    place: int
    subject: str
    text: str
    pieces: tuple[str, ...]

    @property
    def key(self) -> frozenset[str]:
        """What two rules about one thing have in common, whatever the words between."""
        return subject_key(self.subject)


def rule_drafts(log: ProbeLog) -> Iterator[Draft]:
    """What the user required, as it was required last."""
    last = len(log.points) - 1
    yield from pooled(
        _topics(log, last),
        "recall",
        "constraint",
        "What did the user require of {}, in so many words?",
        "What did the user require of each of these: {}?",
        last,
        0.25,
    )


def subject_key(subject: str) -> frozenset[str]:
    """The content stems of a subject, names in it taken apart."""
    return frozenset(content_stems(normalize(subject.replace("_", " "))))


def _topics(log: ProbeLog, last: int) -> Iterator[Topic]:
    held: dict[frozenset[str], list[Rule]] = {}
    for rule in _rules(log):
        held.setdefault(rule.key, []).append(rule)
    for key, rules in held.items():
        latest, earlier = rules[-1], rules[:-1]
        changed = [_changed(rule, latest) for rule in earlier]
        if None in changed or _taken_up(log, key, rules):
            continue
        found = _found(log, latest, last)
        current = tuple(entry.fact.text for entry in found)
        traps = [
            Trap(piece, current=current)
            for rule, differs in zip(earlier, changed, strict=True)
            if differs
            for piece in _pieces(log, rule)
        ]
        subject = bare(latest.subject)
        yield Topic(subject, found, tuple(dict.fromkeys(traps)) if found else ())


def _rules(log: ProbeLog) -> Iterator[Rule]:
    for place, text in log.requests:
        if place > log.points[-1]:
            return
        for sentence in sentences(opening(text)):
            match = _RULE.match(sentence.strip(" .!"))
            if not match or coarse(sentence) or sentence.endswith("?"):
                continue
            subject = _LEAD.split(match["subject"])[-1].strip()
            if subject and subject_key(subject) and not _VAGUE.search(subject):
                yield Rule(place, subject, match["rule"], tuple(clauses(match["rule"])))


def _pieces(log: ProbeLog, rule: Rule) -> list[str]:
    return [piece for piece in rule.pieces if log.familiar(piece)]


def _found(log: ProbeLog, rule: Rule, last: int) -> tuple[Found, ...]:
    if not log.familiar(rule.subject):
        return ()
    found = [log.find(piece, log.points[last], "detail") for piece in _pieces(log, rule)]
    return tuple(entry for entry in found if entry is not None)[:3]


def _changed(earlier: Rule, latest: Rule) -> bool | None:
    """Whether the later rule says the same with another value; ``None`` where that is not clear.

    Rules that have next to nothing in common may both hold: of those it is not clear either.
    """
    before, after = raw_tokens(normalize(earlier.text)), raw_tokens(normalize(latest.text))
    if before == after:
        return False
    if len(before) != len(after) or (NEGATIONS & set(before)) != (NEGATIONS & set(after)):
        return None
    differing = sum(old != new for old, new in zip(before, after, strict=True))
    return True if differing <= _MAX_CHANGED_WORDS and differing * 2 < len(after) else None


def _taken_up(log: ProbeLog, key: frozenset[str], rules: Sequence[Rule]) -> bool:
    """Whether the user came back to the subject later in other words than those of a rule."""
    places = {rule.place for rule in rules}
    for place, text in log.turns("user"):
        later = rules[0].place < place <= log.points[-1] and place not in places
        if later and any(key <= subject_key(sentence) for sentence in sentences(text)):
            return True
    return False
