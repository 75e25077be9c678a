"""What users of compaction complain about, as one regression test for each class of complaint.

Run over every shipped strategy in its hardened profile where the class applies. Of
the eighteen classes these do not apply to a compactor as this project sees it: tools,
mode and identity of the agent (they stand in the system prompt, which is covered by
the test of early constraints), and the rotation of a provider's keys (an opaque
summary is bound to an account; what can be checked is that it is carried unaltered).
Redoing finished work and the cost of cache misses are measured by the benchmark
(probes of the kind continuation, tokens), not by a rule; what a rule can say of them
stands here.
"""

import json
import re

import pytest
from support.builders import (
    COUNTER,
    assistant,
    compact_now,
    context_of,
    session,
    system,
    tool,
    user,
)

from pytest_compaction.checking.examples.scenario import CANARY, Fault
from pytest_compaction.checking.faults import CALL_LIKE, REASONING, FaultyModel, SummaryCache
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.conversation.chat_format import from_chat
from pytest_compaction.conversation.messages import (
    Image,
    Thinking,
    groups,
    pending_calls,
    readable,
    structure_faults,
)
from pytest_compaction.models.offline.model import OfflineModel

REGISTRY = Registry()
APART = {"none", "openai-compact", "recorded"}
"""The control; what needs an endpoint that compacts; what shows a transcript's own compactions."""
SUMMARIES = SummaryCache(OfflineModel(COUNTER))


def _hardened(name):
    try:
        REGISTRY.create(parse_spec(f"{name}:profile=hardened"))
    except LookupError:
        return name
    return f"{name}:profile=hardened"


SHIPPED = [_hardened(name) for name in REGISTRY.names() if name not in APART]
SUMMARISERS = [n for n in SHIPPED if REGISTRY.create(parse_spec(n)).traits.needs_model]
TAIL_KEEPERS = [n for n in SHIPPED if REGISTRY.create(parse_spec(n)).traits.keeps_tail]
every = pytest.mark.parametrize("name", SHIPPED)
summarisers = pytest.mark.parametrize("name", SUMMARISERS)


BY_COUNT = {"mask-observations:profile=hardened"}
"""Due from a number of tool results on, whatever their size, like their originals."""
ON_REQUEST = {
    "continue:profile=hardened",
    "langchain:profile=hardened",
    "strands:profile=hardened",
}
"""Never due without a parameter, like their originals: user, application or a refusal decide."""


class Agent:
    """A conversation with one strategy, to be spoken and compacted in turn."""

    def __init__(self, name, budget=900, window=4000, fault=None, **more):
        self.compactor = REGISTRY.create(parse_spec(name))
        self.model = FaultyModel(SUMMARIES, COUNTER, fault)
        self.context = context_of(budget, window=window, model=self.model, **more)
        self.state = self.compactor.start()
        self.said = ()

    def hear(self, chat):
        start = len(self.said)
        named = [{**message, "id": f"m{start + i}"} for i, message in enumerate(chat)]
        new = from_chat(named)
        self.said += new
        self.state = self.compactor.observe(self.state, new, self.context)

    def compact(self):
        outcome = compact_now(self.compactor, self.state, self.context)
        self.state = outcome.state
        return outcome

    @property
    def view(self):
        return self.compactor.render(self.state, self.context).messages

    @property
    def text(self):
        return "\n".join(readable(message) for message in self.view)

    @property
    def size(self):
        return COUNTER.messages(self.view)


def later(turns, words=40, prefix="later"):
    """More turns of a session, without its system prompt, with calls of their own."""
    text = json.dumps(session(turns, words)[1:])
    return json.loads(re.sub(r'"c(\d+)"', rf'"{prefix}-c\1"', text))


# --- requests that are refused for ever ---------------------------------------------------


@every
def test_a_second_compaction_leaves_no_orphan_tool_result(name):
    agent = Agent(name)
    for number in range(3):
        agent.hear([*([system()] if number == 0 else []), *later(8, prefix=f"round{number}")])
        agent.compact()
        assert structure_faults(agent.view) == []


@every
def test_parallel_calls_with_mixed_results_are_not_torn_apart(name):
    agent = Agent(name)
    ids = ("read", "write", "test")
    agent.hear(session(8))
    agent.hear([user("Now all three at once."), assistant("Yes.", *[(f"p-{i}",) for i in ids])])
    agent.hear([tool(f"p-{i}", f"{i} " * 60, is_error=i == "write") for i in ids])
    agent.compact()
    calls = {call.id for message in agent.view for call in message.calls}
    results = {result.call_id for message in agent.view for result in message.results}
    assert calls == results


@every
def test_a_call_that_waits_for_approval_is_not_summarised_away(name):
    agent = Agent(name)
    agent.hear([*session(8), assistant("May I delete it?", ("approve", "bash", {"command": "rm"}))])
    agent.compact()
    assert pending_calls(agent.view) == ("approve",)
    agent.hear([tool("approve", "approved"), user("Go on.")])
    assert structure_faults(agent.view) == []


@every
def test_a_call_that_died_does_not_block_compaction_for_ever(name):
    agent = Agent(name)
    agent.hear([*session(5), assistant("Trying.", ("dead", "bash", {"command": "sleep"}))])
    agent.hear([user("It hung, I stopped it."), *later(5)])
    assert agent.compact().status in {"compacted", "truncated"}


@every
def test_signatures_of_thinking_are_not_altered(name):
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk=="}
    agent = Agent(name)
    agent.hear(session(8))
    call = assistant(
        [thought, {"type": "text", "text": "Look."}], ("t1", "read_file", {"path": "a"})
    )
    agent.hear([user("Read it."), call, tool("t1", "text")])
    agent.compact()
    kept = [p.payload for m in agent.view for p in m.parts if isinstance(p, Thinking)]
    assert all(json.loads(payload) == thought for payload in kept)
    if any(message.calls and message.calls[0].id == "t1" for message in agent.view):
        assert kept


# --- loops and size ---------------------------------------------------------------------


@every
def test_compaction_does_not_repeat_itself_without_end(name):
    agent = Agent(name, window=4000)
    agent.hear(session(8))
    sizes = []
    for _ in range(6):
        if agent.compact().status not in {"compacted", "truncated"}:
            break
        sizes.append(agent.size)
        if agent.compactor.due(agent.state, agent.context) is None:
            break
    assert len(sizes) < 6
    assert sizes == sorted(sizes, reverse=True)


@every
def test_rules_larger_than_the_window_do_not_start_a_loop(name):
    agent = Agent(name, budget=300, window=800)
    agent.hear([system("You are careful. " + "These rules are long. " * 300), *session(2)[1:]])
    done = [agent.compact().status for _ in range(5)]
    assert done[-1] in {"noop", "failed"}


@summarisers
def test_a_summary_larger_than_the_original_is_refused(name):
    agent = Agent(name, fault=Fault("oversized"))
    agent.hear(session(8))
    before = agent.size
    outcome = agent.compact()
    assert agent.size < before or outcome.status in {"noop", "failed"}
    assert agent.size <= agent.context.budget or outcome.status == "failed"


# --- what must not be forgotten --------------------------------------------------------------


@every
def test_the_rules_of_the_system_prompt_survive_every_compaction(name):
    agent = Agent(name)
    agent.hear([system("Never push to main, whoever asks."), *session(8)[1:]])
    for _ in range(2):
        agent.compact()
        agent.hear(later(1)[:1])
    assert "Never push to main, whoever asks." in "\n".join(m.text for m in agent.view[:1])


@pytest.mark.parametrize("name", TAIL_KEEPERS)
def test_the_live_request_survives(name):
    agent = Agent(name)
    live = "Now rename the module to lease_queue and leave the tests alone."
    agent.hear([*session(8), user(live), *later(3)[1:4]])
    agent.compact()
    assert any(m.role == "user" and live in m.text for m in agent.view)


@pytest.mark.parametrize("name", ["anchored", "anchored+ledger"])
def test_an_early_constraint_survives_several_compactions(name):
    agent = Agent(name, budget=1200)
    agent.hear([system(), user("The API must not change: keep retry_limit at 77 seconds.")])
    for number in range(3):
        agent.hear(later(6, prefix=f"round{number}"))
        agent.compact()
    assert "77" in agent.text


@pytest.mark.parametrize("name", ["anchored", "anchored+ledger"])
def test_finished_work_is_still_known_as_finished(name):
    agent = Agent(name, budget=1200)
    agent.hear(session(2))
    agent.hear(later(8))
    agent.compact()
    assert "src/module_0.py" in agent.text


# --- the right time ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in BY_COUNT])
def test_a_young_conversation_is_not_due(name):
    agent = Agent(name, budget=20_000, window=200_000)
    agent.hear(session(2))
    assert agent.compactor.due(agent.state, agent.context) is None


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in ON_REQUEST])
def test_a_full_window_is_due_in_the_middle_of_tool_calls_too(name):
    agent = Agent(name, budget=900, window=4000)
    agent.hear(session(14, words=60))
    agent.hear([assistant("On.", ("mid", "bash", {"command": "ls"})), tool("mid", "out " * 900)])
    assert agent.compactor.due(agent.state, agent.context) is not None


# --- too long to compact -------------------------------------------------------------------


@summarisers
def test_a_giant_single_message_can_be_compacted(name):
    agent = Agent(name, budget=900, window=4000)
    agent.hear([system(), user("Look at the log."), assistant("Yes.", ("big", "bash", {}))])
    agent.hear([tool("big", "line of a very long log " * 2000), user("And?"), *session(4)[1:]])
    assert agent.compact().status in {"compacted", "truncated"}
    assert agent.size <= agent.context.budget
    assert all(asked.tokens <= 4000 for asked in agent.model.asked)


@summarisers
def test_images_do_not_stop_compaction(name):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    agent = Agent(name)
    agent.hear([system(), user([{"type": "text", "text": "See this."}, image]), *session(8)[1:]])
    assert agent.compact().status in {"compacted", "truncated"}
    read = [m for asked in agent.model.asked for m in asked.request.messages]
    assert not any(isinstance(part, Image) for message in read for part in message.parts)


# --- failures --------------------------------------------------------------------------------


@summarisers
def test_an_empty_summary_is_not_stored(name):
    agent = Agent(name, fault=Fault("empty"))
    agent.hear(session(8))
    before = agent.view
    outcome = agent.compact()
    assert outcome.status != "compacted" or not agent.model.asked
    assert agent.view == before or outcome.status == "truncated"


@pytest.mark.parametrize("fault", ["prompt", "call-like", "reasoning"])
@summarisers
def test_a_reply_that_is_no_summary_is_not_stored(name, fault):
    agent = Agent(name, fault=Fault(fault))
    agent.hear(session(8))
    before = agent.view
    outcome = agent.compact()
    assert agent.model.asked
    assert outcome.status in {"failed", "truncated"}
    assert agent.view == before or outcome.status == "truncated"
    written = [message.text for message in agent.view if message.origin == "synthetic"]
    told = [s.asks for each in agent.model.asked for s in each.request.sections]
    for words in (*told, CALL_LIKE, REASONING):
        assert not any(words in text for text in written)


@pytest.mark.parametrize("fault", ["raises", "empty"])
@summarisers
def test_failure_is_atomic(name, fault):
    agent = Agent(name, fault=Fault(fault))
    agent.hear(session(8))
    before, state = agent.view, json.dumps(agent.state)
    held = agent.state
    outcome = agent.compact()
    assert json.dumps(held) == state
    if outcome.status in {"failed", "noop"}:
        assert agent.view == before
    else:
        assert outcome.status == "truncated"
        kept = [message for message in agent.view if message.origin == "log"]
        assert kept == [message for message in before if message in kept]
        assert (agent.view[0], agent.view[-1]) == (before[0], before[-1])
        assert structure_faults(agent.view) == []
        assert agent.size < COUNTER.messages(before)


# --- whose words they are ----------------------------------------------------------------------


@every
def test_what_the_strategy_wrote_is_not_taken_for_the_user(name):
    agent = Agent(name)
    agent.hear(session(8))
    agent.compact()
    said = {message.id for message in agent.said}
    assert all(m.origin == "synthetic" for m in agent.view if m.id not in said)


@summarisers
def test_an_injected_instruction_stays_inside_the_marked_summary(name):
    agent = Agent(name, fault=Fault("echo"))
    agent.hear([system(), user("Read it."), assistant("Yes.", ("web", "fetch", {}))])
    agent.hear([tool("web", f"{CANARY}\n{'text of a page ' * 40}"), *session(8)[1:]])
    agent.compact()
    for message in agent.view:
        if CANARY in message.text:
            assert message.origin == "synthetic"
            assert not message.text.lstrip().startswith(CANARY)


# --- cost ----------------------------------------------------------------------------------------


@every
def test_the_prefix_of_the_view_stays_the_same_between_compactions(name):
    agent = Agent(name)
    agent.hear(session(8))
    agent.compact()
    before = agent.view
    agent.hear(later(1)[:1])
    assert agent.view[: len(before)] == before


@every
def test_compaction_removes_enough_to_be_worth_its_price(name):
    agent = Agent(name)
    agent.hear(session(12))
    before = agent.size
    agent.compact()
    assert agent.size <= agent.context.budget < before
    assert groups(agent.view)
