"""Recall probes about the user's rules: the last on a subject counts, earlier ones are traps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.case.case import Trap
from pytest_compaction.probes.keys import keys_of
from pytest_compaction.probes.log import Candidate, Draft, Found, ProbeLog
from pytest_compaction.probes.phrases import bare, clauses, coarse, opening, sentences
from pytest_compaction.probes.topics import Topic, pooled
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
    """A requirement that the user stated for a subject in the message at ``place``."""

    place: int
    subject: str
    text: str
    pieces: tuple[str, ...]

    @property
    def key(self) -> frozenset[str]:
        """The same for two rules about one subject, in whatever words it is named."""
        return subject_key(self.subject)


def rule_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about what the user required, in its latest form."""
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
    """The content stems of a subject; names with underscores are split into words."""
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
        current = found[0].fact.text if found else ""
        traps = [
            Trap(piece, keys=keys_of(piece, log.frequency), type="constraint", of=current)
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
    """What the rule requires; the first piece says of what."""
    return [
        f"{bare(rule.subject)} {piece}" if piece == rule.pieces[0] else piece
        for piece in rule.pieces
        if log.familiar(piece)
    ]


def _found(log: ProbeLog, rule: Rule, last: int) -> tuple[Found, ...]:
    if not log.familiar(rule.subject):
        return ()
    pieces = (Candidate(piece, "constraint") for piece in _pieces(log, rule))
    return log.find_all(pieces, log.points[last])[:3]


def _changed(earlier: Rule, latest: Rule) -> bool | None:
    """Whether the later rule replaces a value of the earlier one; ``None`` if unclear.

    It is unclear also for rules with little in common, because both may hold.
    """
    before, after = raw_tokens(normalize(earlier.text)), raw_tokens(normalize(latest.text))
    if before == after:
        return False
    if len(before) != len(after) or (NEGATIONS & set(before)) != (NEGATIONS & set(after)):
        return None
    differing = sum(old != new for old, new in zip(before, after, strict=True))
    return True if differing <= _MAX_CHANGED_WORDS and differing * 2 < len(after) else None


def _taken_up(log: ProbeLog, key: frozenset[str], rules: Sequence[Rule]) -> bool:
    """Whether the user later mentioned the subject other than in a rule, so that it may be void."""
    places = {rule.place for rule in rules}
    for place, text in log.turns("user"):
        later = rules[0].place < place <= log.points[-1] and place not in places
        if later and any(key <= subject_key(sentence) for sentence in sentences(text)):
            return True
    return False
