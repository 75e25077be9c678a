"""The scripted sessions have what cases/README.md says of each: a strategy can lose something."""

from collections import Counter

import pytest
from support.shipped import scripted

from pytest_compaction.conversation import TokenCounter
from pytest_compaction.text import TextIndex

LEAST = {
    "value error": 12,
    "state read": 6,
    "created modified deleted renamed identifier": 8,
    "next_step decision reason command": 14,
    "constraint": 6,
}
"""Facts of these types (of files: of these changes) that each session asks for at least."""
PROBES = {"passing-remark", "under-pressure", "changed-twice", "corrected-mistake"}
ENGLISH = tuple(case for case in scripted() if case.language == "en")
OTHERS = tuple(case for case in scripted() if case.language != "en")


@pytest.mark.parametrize("case", ENGLISH, ids=lambda case: case.id)
def test_a_scripted_session_has_what_a_strategy_can_lose(case):
    counter = TokenCounter()
    facts = [fact for probe in case.probes for fact in probe.facts]
    said = [message.text for message in case.messages if message.role in {"user", "assistant"}]
    assert case.window == 64_000
    assert 60_000 <= counter.messages(case.messages) <= 120_000
    assert sum(map(counter.text, said)) >= 2 * case.budget
    index = TextIndex("\n".join(said))
    only_in_tools = [fact for fact in facts if index.read(fact.statement).outcome != "stated"]
    assert len(only_in_tools) >= 0.4 * len(facts)
    kinds = Counter(fact.change if fact.type == "path" else fact.type for fact in facts)
    few = {
        types
        for types, least in LEAST.items()
        if sum(kinds[each] for each in types.split()) < least
    }
    assert not few
    assert all(fact.keys for fact in facts)
    assert sum(bool(fact.counterparts) for fact in facts) >= 0.25 * len(facts)
    place = {message.id: number for number, message in enumerate(case.messages)}
    thirds = Counter(place[fact.evidence[0]] * 3 // len(place) for fact in facts)
    assert min(thirds[third] for third in range(3)) >= 0.2 * len(facts)
    assert sum(len({fact.type for fact in probe.facts}) < 2 for probe in case.probes) <= 4
    assert sum(0 < len(m.text.split()) <= 4 for m in case.messages if m.role == "user") >= 5
    asked = Counter(probe.kind for probe in case.probes)
    assert len(case.messages) >= 120
    assert len(case.points) >= 4
    assert len(case.probes) >= 14
    assert min(asked[kind] for kind in ("recall", "file", "continuation", "decision")) >= 2
    named = {probe.id: probe for probe in case.probes}
    assert named.keys() >= PROBES
    remark = named["passing-remark"]
    assert case.points[remark.point].index - place[remark.facts[0].evidence[0]] >= 100


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case.id)
def test_a_session_in_another_language_is_shorter_and_has_the_same_kinds_of_things(case):
    assert case.language in {"zh", "de"}
    assert 12_000 <= TokenCounter().messages(case.messages) <= 24_000
    assert len(case.points) == 3
    facts = [fact for probe in case.probes for fact in probe.facts]
    assert len(facts) >= 50
    kinds = Counter(fact.change if fact.type == "path" else fact.type for fact in facts)
    few = {types for types in LEAST if sum(kinds[t] for t in types.split()) < LEAST[types] / 2}
    assert not few
    assert sum(bool(fact.counterparts) for fact in facts) >= 0.25 * len(facts)
    asked = Counter(probe.kind for probe in case.probes)
    assert min(asked[kind] for kind in ("recall", "file", "continuation", "decision")) >= 2
    assert {probe.id for probe in case.probes} >= PROBES
    assert all(fact.keys or fact.keys_in for fact in facts)
