"""Key groups: are they there, do they say what the fact says, can they tell it from a trap?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.case.case import Case, Fact, Probe
from pytest_compaction.conversation.messages import readable
from pytest_compaction.probes.confirmation import keys_agree, keys_too_loose
from pytest_compaction.probes.exact import small_number
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted
from pytest_compaction.text import Statement, TextIndex, is_path, normalize

MAX_WORDS_WITHOUT_KEYS: Final = 6
"""A longer text is a sentence, of which a faithful rewording keeps only the key phrases."""
_NUMBER: Final = re.compile(r"\d[\d.,]*")


def key_findings(case: Case) -> Iterator[LintFinding]:
    """Facts and traps whose keys are missing, contradict their text, or match too much."""
    for number, probe in enumerate(case.probes):
        for index, fact in enumerate(probe.facts):
            yield from _fact(case, probe, fact, f"/probes/{number}/facts/{index}")
        for index, trap in enumerate(probe.traps):
            if not keys_agree(trap):
                text = f"the keys of {quoted(trap.text)} ask for more than its text says"
                pointer = f"/probes/{number}/traps/{index}"
                yield finding(case, pointer, "error", "keys-disagree", text)
    yield from _without_counterpart(case)


def _fact(case: Case, probe: Probe, fact: Fact, pointer: str) -> Iterator[LintFinding]:
    if not fact.keys:
        words = fact.text.split()
        if len(words) > MAX_WORDS_WITHOUT_KEYS and not is_path(normalize(fact.text)):
            text = f"{quoted(fact.text)} is a sentence: give key phrases with alternatives"
            yield finding(case, pointer, "warning", "keys-missing", text)
        return
    if not keys_agree(fact):
        text = f"text and keys disagree: {quoted(fact.text)} does not state {_shown(fact)}"
        yield finding(case, pointer, "error", "keys-disagree", text)
    for trap in probe.traps:
        if keys_too_loose(fact, trap):
            text = f"the keys {_shown(fact)} also match the trap {quoted(trap.text)}"
            yield finding(case, pointer, "error", "keys-too-loose", text)
    if len(fact.keys) == 1 and any(small_number(key) for key in fact.keys[0]):
        text = f"{_shown(fact)} alone stands in many places: add a group for its subject"
        yield finding(case, pointer, "warning", "small-number", text)


def _shown(fact: Fact) -> str:
    return quoted(" + ".join("|".join(group) for group in fact.keys))


def _without_counterpart(case: Case) -> Iterator[LintFinding]:
    """Values without a trap where a message gives another number for the same subject."""
    indexes = [TextIndex(readable(message)) for message in case.messages]
    for number, probe in enumerate(case.probes):
        end = case.points[probe.point].index + 1
        for index, fact in enumerate(probe.facts):
            if fact.type != "value" or fact.counterparts:
                continue
            for message, held in zip(case.messages[:end], indexes, strict=False):
                clause = _other_value(fact, held)
                if clause:
                    text = f"message {message.id} says {quoted(clause)}: is it a trap?"
                    pointer = f"/probes/{number}/facts/{index}"
                    yield finding(case, pointer, "info", "no-counterpart", text)
                    break


def _other_value(fact: Fact, held: TextIndex) -> str:
    """The clause in which a message gives the fact's subject only other numbers; empty if none."""
    subject = tuple(group for group in fact.keys if not any(map(_NUMBER.search, group)))
    given = {n for group in fact.keys for key in group for n in _NUMBER.findall(key)}
    if not subject or not given:
        return ""
    reading = held.read(Statement(fact.text, keys=subject))
    numbers = {number.strip(".,") for number in _NUMBER.findall(reading.clause)}
    other = reading.outcome == "stated" and numbers and not numbers & given
    return reading.clause if other else ""
