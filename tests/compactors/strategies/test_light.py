"""``light``: scratchpad, newest part, episodes for the question."""

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, system, tool, user
from support.compacting import AwayModel, SpyModel, compacted, ids, in_a_row, messages_of, view_of

from pytest_compaction.compactors.base.passages import episodes_of
from pytest_compaction.compactors.strategies.light import MEMORY_ID, PREAMBLE, Light
from pytest_compaction.compactors.strategies.light_notes import COMPRESSED_AT, SECTIONS
from pytest_compaction.conversation.messages import structure_faults
from pytest_compaction.models.protocol import SummaryReply
from pytest_compaction.models.structured_summary import Summary, summary_from_json

QUESTION = "Which retry limit was set in src/module_1.py?"


def asked(compactor, outcome, context, question=QUESTION):
    return compactor.render(outcome.state, context, question).messages


def test_without_a_question_the_view_is_notes_and_newest_part():
    context, compactor = context_of(900), Light()
    outcome, view = compacted(compactor, session(12), context)
    assert outcome.status == "compacted"
    assert [m.id for m in view if m.origin == "synthetic"] == [MEMORY_ID]
    assert view[1].id == MEMORY_ID
    assert view[1].text.startswith(PREAMBLE)
    assert "## Episodes" not in view[1].text
    assert COUNTER.messages(view) <= 900
    assert ids(view)[-1] == f"m{len(session(12)) - 1}"


def test_a_question_brings_episodes_word_for_word_and_only_notes_that_share_a_word():
    context, compactor = context_of(900), Light()
    outcome, _ = compacted(compactor, session(12), context)
    view = asked(compactor, outcome, context)
    memory = view[1].text
    assert "## Episodes" in memory
    assert "user: Please fix the retry limit in src/module_1.py; it must be 101." in memory
    assert COUNTER.messages(view) <= 900
    assert structure_faults(view) == []
    nothing = asked(compactor, outcome, context, "Quo vadis?")
    assert nothing == compactor.render(outcome.state, context).messages


def test_each_message_is_read_once_and_notes_are_appended_in_order():
    spy = SpyModel()
    context = context_of(900, model=spy)
    batches = [session(8), session(8)[1:], session(8)[1:]]
    outcomes = list(in_a_row(Light(), batches, context))
    read = [m.id for request in spy.requests for m in request.messages if m.origin == "log"]
    assert len(outcomes) == 3
    assert len(read) == len(set(read))
    assert all(request.previous is None for request in spy.requests)


class LongNotes(SpyModel):
    """Writes a few notes about each span, and one when it compresses."""

    async def summarize(self, request):
        self.requests.append(request)
        synthetic = all(message.origin == "synthetic" for message in request.messages)
        lines = (
            ("All in one line.",)
            if synthetic
            else tuple(f"note {len(self.requests)}-{i} " + "word " * 8 for i in range(7))
        )
        return SummaryReply(Summary((("entities", lines),)))


def test_the_scratchpad_is_compressed_when_it_has_twice_its_size():
    model = LongNotes()
    context, compactor = context_of(900, model=model), Light(scratchpad=0.2)
    batches = [session(8), *(session(8)[1:] for _ in range(5))]
    lengths = []
    for outcome in in_a_row(compactor, batches, context):
        notes = summary_from_json(outcome.state["notes"]).render(SECTIONS)
        lengths.append(COUNTER.text(notes))
    size = int((900 - COUNTER.messages(messages_of(session(1)[:1])) - 60) * 0.2)
    assert all(length <= COMPRESSED_AT * size for length in lengths)
    assert any(later < earlier for earlier, later in itertools.pairwise(lengths))
    compressions = [r for r in model.requests if r.messages[0].origin == "synthetic"]
    assert compressions
    assert all(len(request.messages) == 1 for request in compressions)


def test_of_notes_that_do_not_fit_the_newest_are_shown():
    context, compactor = context_of(900, model=LongNotes()), Light(scratchpad=0.2)
    *_, last = in_a_row(compactor, [session(8), session(8)[1:]], context)
    shown = view_of(compactor, last, context)[1].text
    assert "note 2-6" in shown
    assert "note 1-0" not in shown


def test_an_episode_is_a_request_with_its_reply_and_results_or_a_further_reply():
    chat = [
        user("Look at a.py."),
        assistant("Reading.", ("c1", "read_file", {"path": "a.py"})),
        tool("c1", "A = 1"),
        assistant("It holds A."),
        user("And then?"),
        user("Hello?"),
        assistant("Nothing."),
    ]
    episodes = list(episodes_of(messages_of(chat)))
    assert [episode.id for episode in episodes] == ["m0", "m3", "m4", "m5"]
    assert "tool: A = 1" in episodes[0].text
    assert episodes[3].text == "user: Hello?\nassistant: Nothing."


def test_no_more_episodes_than_asked_for():
    context = context_of(2000)
    for count in (0, 1, 3):
        compactor = Light(k=count)
        outcome, _ = compacted(compactor, session(40), context)
        view = asked(compactor, outcome, context, "retry limit")
        assert view[1].text.count("user: Please fix") == count


def test_a_model_that_is_away_leaves_everything_as_it_was():
    context = context_of(600, model=AwayModel())
    outcome, view = compacted(Light(), session(8), context)
    assert outcome.status == "failed"
    assert "the endpoint is away" in outcome.error
    assert view == messages_of(session(8))


@settings(max_examples=40)
@given(agent_logs(), st.integers(150, 700), st.sampled_from(["the cache queue", "why 45?", ""]))
def test_no_question_makes_the_view_exceed_its_budget_or_break(chat, budget, question):
    compactor, context = Light(), context_of(budget)
    outcome, plain = compacted(compactor, chat, context)
    before = json.dumps(outcome.state)
    view = asked(compactor, outcome, context, question)
    assert json.dumps(outcome.state) == before
    assert structure_faults(view) == []
    if outcome.status == "compacted":
        assert COUNTER.messages(view) <= budget
        assert COUNTER.messages(plain) <= budget
    else:
        assert view == plain


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"scratchpad": 0}, "scratchpad=0 must be between 0 and 1"),
        ({"working": 1.5}, "working=1.5 must be between 0 and 1"),
        ({"scratchpad": 0.6, "working": 0.4}, "leave no episodes"),
        ({"k": -1}, "k=-1 must be a whole number, at least 0"),
        ({"z": 0.5}, "z=0.5 must be a whole number, at least 0"),
        ({"limit": 30}, "limit=30 must be 0 or at least 200 tokens"),
        ({"episodic": "maybe"}, "episodic=maybe must be True or False"),
        ({"notes": "turn"}, "notes=turn must be auto or pair or span"),
    ],
)
def test_impossible_parameters_are_refused(parameters, said):
    with pytest.raises(ValueError, match=said):
        Light(**parameters)


def test_a_system_prompt_over_the_budget_is_a_failure():
    outcome, _ = compacted(Light(), [system("rule " * 300), *session(2)[1:]], context_of(100))
    assert outcome.status == "failed"
    assert "system prompt alone takes" in outcome.error
