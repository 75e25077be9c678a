"""Recall probes about values that the user gave: lists and identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.keys import (
    identifier_keys,
    value_keys,
)
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.phrases import bare, coarse, opening, sentences
from pytest_compaction.probes.topics import Topic, pooled, subject_key, taken_back
from pytest_compaction.text import TextIndex, content_stems, normalize

_VALUE_LINE: Final = re.compile(
    r"^\s*([A-Za-z][\w ./-]{1,40}?)\s*(?:[:=]|\bis\b)?\s+(#?[\w.%-]*\d[\w.%-]*)\s*$"
)
_PASTED: Final = re.compile(r"[():;=<>|{}\[\]]")
"""Signs of output or code that the user pasted."""
_MOST_WORDS: Final = 100
"""A longer turn hands over a task, which names much in passing."""
_IDENTIFIER: Final = re.compile(
    r"(?<![\w/.#-])(?:(?=[A-Z\d]*\d)(?=[A-Z\d]*[A-Z])[A-Z\d]{5,12}|[A-Z]{2,8}-\d{2,6}"
    r"|[a-z]{2,20}_[a-z]{2,20}_\d{3,6}|#\d{2,6}|(?=[a-f]{0,11}\d)(?=\d{0,11}[a-f])[0-9a-f]{7,40})"
    r"(?![\w/@-])"
)


def value_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about exact values from the user; values that the user gave twice are left out."""
    yield from _listed(log)
    yield from pooled(
        _identifiers(log),
        "recall",
        "identifier",
        "Which identifier did the user give here: {}?",
        "Which identifiers did the user give here: {}?",
        len(log.points) - 1,
        0.24,
    )


def _listed(log: ProbeLog) -> Iterator[Draft]:
    last = len(log.points) - 1
    for place, text in log.turns("user"):
        matches = (_VALUE_LINE.match(line[:120]) for line in text.splitlines()[:60])
        pairs = [_pair(log, match[1], match[2]) for match in matches if match]
        found = {
            name: entry
            for name, line in pairs
            if not _held_by_another(log, line, [other for _, other in pairs if other != line])
            and (entry := log.find(line, log.points[last]))
        }
        if len(found) < 2 or len(pairs) < 3 or taken_back(log, place):
            continue
        chosen = [name for name in found if not given_again(log, name, place)][:6]
        if len(chosen) < 2:
            continue
        names = ", ".join(f"“{name}”" for name in chosen)
        yield Draft(
            "recall",
            "given-values",
            f"Which exact values did the user give for {names}?",
            tuple(found[name] for name in chosen),
            last,
            0.05 if len(chosen) > 2 else 0.3,
        )


def _pair(log: ProbeLog, name: str, value: str) -> tuple[str, Candidate]:
    keys = value_keys(name, value, log.frequency)
    return name, Candidate(f"{name} {value}", "value", keys)


def _held_by_another(log: ProbeLog, line: Candidate, others: Sequence[Candidate]) -> bool:
    fact = log.fact(line)
    return fact is None or any(
        TextIndex(other.text).read(fact.statement).outcome == "stated" for other in others
    )


def _identifiers(log: ProbeLog) -> Iterator[Topic]:
    """Identifiers that the user gave; the words before one identify it."""
    for place, text in log.turns("user"):
        if len(text.split()) > _MOST_WORDS:
            continue
        for sentence in sentences(opening(text)):
            match = _IDENTIFIER.search(sentence[:500])
            subject = bare(sentence[: match.start()]) if match else ""
            subject = " ".join(subject.split()[-8:])
            told = len(content_stems(normalize(subject))) > 1 and not _PASTED.search(subject)
            if match and told and not coarse(subject):
                if given_again(log, subject, place):
                    continue
                name = Candidate(match[0], "identifier", identifier_keys(match[0]))
                found = log.find_all([name], log.points[-1], most=4)
                yield Topic(f"{subject} …", found)


def given_again(log: ProbeLog, subject: str, place: int) -> bool:
    """Whether another user turn names the subject with a number, so that two answers may hold."""
    key = subject_key(subject)
    return len(key) > 1 and any(
        key <= subject_key(sentence) and re.search(r"\d", sentence)
        for other, text in log.turns("user")
        if other != place and other <= log.points[-1]
        for sentence in text.splitlines()
    )
