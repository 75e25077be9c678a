"""The same conversation about other things, for compactors that keep something of one."""

import json

from support.builders import COUNTER

from pytest_compaction.checking import KNOWN, drawn_examples
from pytest_compaction.checking.examples.renamed import names_in, renamed
from pytest_compaction.conversation import json_or_none, readable, structure_faults

SCENARIOS = (*KNOWN, *drawn_examples(40, COUNTER))


def names_of(scenario):
    """The names of a conversation but those of its tools and of its system prompt."""
    said = [m for m in scenario.log if m.role not in {"system", "developer"}]
    tools = {call.name for message in said for call in message.calls}
    return {name for message in said for name in names_in(readable(message))} - tools


def test_names_change_and_nothing_else_and_none_is_left():
    kept = total = 0
    for scenario in SCENARIOS:
        other = renamed(scenario)
        assert structure_faults(other.log) == structure_faults(scenario.log)
        for message, same in zip(scenario.log, other.log, strict=True):
            assert (message.id, message.role, message.origin) == (same.id, same.role, same.origin)
            assert [(c.id, c.name) for c in message.calls] == [(c.id, c.name) for c in same.calls]
            for call, again in zip(message.calls, same.calls, strict=True):
                found = json_or_none(call.arguments)
                if isinstance(found, dict):
                    assert list(found) == list(json.loads(again.arguments))
        names = names_of(scenario)
        total += len(names)
        kept += len(names & names_of(other))
    assert total > 100
    assert kept == 0


def test_it_is_the_same_each_time():
    assert [renamed(scenario) for scenario in SCENARIOS] == [renamed(s) for s in SCENARIOS]
