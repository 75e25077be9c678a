"""What a session of the benchmark must have, so that a strategy can lose something in it.

``python tests/recordings/requirements.py NAME...`` prints the figures of recorded sessions and
what falls short.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pytest_compaction.case.case import Case, Fact
from pytest_compaction.case.files import load_cases
from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.text.matching import TextIndex

CASES: Final = Path(__file__).resolve().parents[2] / "cases"
TOKENS: Final = range(60_000, 120_001)
LEAST: Final = {
    "value or error": (("value", "error"), 12),
    "state or a file that was read": (("state", "read"), 6),
    "a changed file or an identifier": (
        ("created", "modified", "deleted", "renamed", "identifier"),
        8,
    ),
    "next step, decision, reason or command": (("next_step", "decision", "reason", "command"), 14),
    "constraint": (("constraint",), 6),
}
"""How many facts of some types (files: of some changes) each session asks for."""
MUST_ASK: Final = ("passing-remark", "under-pressure", "changed-twice", "corrected-mistake")
"""Ids of probes that each session has; see the README of this folder."""
PASSING_DISTANCE: Final = 100
"""Messages between a remark in passing and the point where it is asked for."""


@dataclass(frozen=True)
class Figures:
    """What was measured in one session, and what falls short of the requirements."""

    lines: list[str] = field(default_factory=list)
    shortfalls: list[str] = field(default_factory=list)

    def add(self, text: str, holds: bool) -> None:
        """One figure, and whether it is as it must be."""
        self.lines.append(("    " if holds else "  ! ") + text)
        if not holds:
            self.shortfalls.append(text)


def figures(case: Case) -> Figures:
    """Measure one session."""
    result = Figures()
    counter = TokenCounter()
    facts = [fact for probe in case.probes for fact in probe.facts]
    total = counter.messages(case.messages)
    said = [message for message in case.messages if message.role in {"user", "assistant"}]
    said_tokens = sum(counter.text(message.text) for message in said)
    result.add(f"{total:,} tokens (60,000 to 120,000)", total in TOKENS)
    result.add(f"window {case.window:,} (64,000)", case.window == 64_000)
    result.add(f"{said_tokens:,} tokens said (twice the budget)", said_tokens >= 2 * case.budget)
    share = len(only_in_tools(facts, said)) / len(facts)
    result.add(f"{share:.0%} of the facts only in tools (40 %)", share >= 0.4)
    kinds = Counter(fact.change if fact.type == "path" else fact.type for fact in facts)
    for name, (types, least) in LEAST.items():
        count = sum(kinds[type] for type in types)
        result.add(f"{count} facts: {name} (at least {least})", count >= least)
    without = [fact.text for fact in facts if not fact.keys]
    result.add(f"facts without keys: {len(without)} {without[:3]}", not without)
    against = sum(bool(fact.counterparts) for fact in facts)
    result.add(
        f"{against} of {len(facts)} facts with a counterpart (25 %)", against >= len(facts) / 4
    )
    place = {message.id: index for index, message in enumerate(case.messages)}
    thirds = Counter(min(place[fact.evidence[0]] * 3 // len(place), 2) for fact in facts)
    spread = [thirds[third] for third in range(3)]
    result.add(f"facts first stated in each third: {spread} (20 %)", min(spread) >= len(facts) / 5)
    single = [p.id for p in case.probes if len({fact.type for fact in p.facts}) < 2]
    result.add(f"probes with facts of one type: {single} (at most 4)", len(single) <= 4)
    short = sum(m.role == "user" and 0 < len(m.text.split()) <= 4 for m in case.messages)
    result.add(f"{short} user turns of at most four words (5)", short >= 5)
    named = {probe.id: probe for probe in case.probes}
    missing = [id for id in MUST_ASK if id not in named]
    result.add(f"probes that every session has: missing {missing}", not missing)
    if "passing-remark" in named:
        probe = named["passing-remark"]
        asked = case.points[probe.point].index
        distance = asked - max(place[fact.evidence[0]] for fact in probe.facts[:1])
        text = f"the remark in passing was made {distance} messages before (100)"
        result.add(text, distance >= PASSING_DISTANCE)
    result.add(
        f"{len(case.points)} points (4), {len(case.probes)} probes (14)",
        len(case.points) >= 4 and len(case.probes) >= 14,
    )
    return result


def only_in_tools(facts: list[Fact], said: list[Message]) -> list[Fact]:
    """The facts that neither user nor assistant states in words."""
    index = TextIndex("\n".join(message.text for message in said))
    return [fact for fact in facts if index.read(fact.statement).outcome != "stated"]


def main() -> None:
    """Print the figures of the named sessions; exit 1 if any falls short."""
    names = sys.argv[1:]
    loaded = load_cases([CASES])
    print(*loaded.errors, sep="\n", end="" if not loaded.errors else "\n")
    found = [figures(case) for case in loaded.cases if case.id in names or not names]
    for case, each in zip(
        [c for c in loaded.cases if c.id in names or not names], found, strict=True
    ):
        print(case.id)
        print(*each.lines, sep="\n")
    sys.exit(any(each.shortfalls for each in found) or not found)


if __name__ == "__main__":
    main()
