"""``light``: scratchpad, newest part, episodes for the question.

``light`` on a talk: notes of each pair, original pairs, the scratchpad, parts switched off.
"""

import asyncio
import itertools
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, tool, user
from support.compacting import (
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    talk,
    view_of,
)

from pytest_compaction.compactors.base.cuts import LEFT_OUT
from pytest_compaction.compactors.base.passages import episodes_of
from pytest_compaction.compactors.strategies.light import (
    COMPRESSED_AT,
    MEMORY_ID,
    PREAMBLE,
    SECTIONS,
    Light,
    chunks_of,
)
from pytest_compaction.conversation import structure_faults
from pytest_compaction.models import (
    AnswerReply,
    ModelError,
    NoReplyError,
    Summary,
    SummaryReply,
    summary_from_json,
)

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


TOPICS = "lease course garden movers bicycle deposit library landlord balcony exam".split()
GARDEN = "What did I say of the garden?"


def pairs(count):
    """A talk of pairs; that of number n is about a topic of its turn, and holds a figure."""
    said = []
    for n in range(count):
        topic = TOPICS[n % len(TOPICS)]
        said.append(user(f"My {topic} plan number {n} costs {1000 + n} euros, please note that."))
        said.append(assistant(f"I noted it: the {topic} plan {n} is at {1000 + n} euros now."))
    return said


class CountingModel(SpyModel):
    """Writes a note a pair and counts what it is asked; says which chunks bear on a question."""

    name = "counting"

    def __init__(self, bears=lambda text: True):
        super().__init__()
        self.asked = []
        self.bears = bears

    async def summarize(self, request):
        self.requests.append(request)
        text = request.messages[0].text
        if request.messages[0].origin == "synthetic":
            lines = tuple(re.findall(r"- (.*)", text))[-3:]
        else:
            topic, number = re.search(r"(\w+) plan (?:number )?(\d+)", text).groups()
            lines = (f"{topic} plan {number}: {1000 + int(number)} euros",)
        return SummaryReply(Summary((("entities", lines),)))

    async def answer(self, request):
        text = request.view[0].text
        self.asked.append(request)
        return AnswerReply("Yes." if self.bears(text) else "no")


def pairs_for(compactor, outcome, context, question=GARDEN):
    view = asyncio.run(compactor.asked_view(outcome.state, context, question))
    return view.messages


def compacted_by(count=60, budget=1200, model=None, **parameters):
    model = model or CountingModel()
    context, compactor = context_of(budget, model=model), Light(**parameters)
    outcome, _ = compacted(compactor, pairs(count), context)
    assert outcome.status == "compacted"
    return compactor, outcome, context


def memory_of(view):
    return next((message.text for message in view if message.id == MEMORY_ID), "")


def episodes_in(view):
    _, heading, text = memory_of(view).partition("## Episodes")
    return re.findall(r"^user: (.*)\nassistant: (.*)$", text, re.M) if heading else []


def test_each_pair_is_noted_once_and_the_scratchpad_is_shared_by_all_questions():
    model = CountingModel()
    compactor, outcome, context = compacted_by(model=model)
    notes = [r for r in model.requests if r.messages[0].origin == "log"]
    assert [len(request.messages) for request in notes[:-1]] == [2] * (len(notes) - 1)
    read = [message.id for request in notes for message in request.messages]
    assert read == [item["id"] for item in outcome.state["archive"]]
    made = len(model.requests)
    for question in ("the lease?", "the garden?", "the exam?"):
        pairs_for(compactor, outcome, context, question)
    assert len(model.requests) == made


def test_the_pairs_found_are_the_original_ones_and_no_more_than_k():
    said = [message["content"] for message in pairs(60)]
    originals = set(zip(said[::2], said[1::2], strict=True))
    for k in (0, 1, 3):
        compactor, outcome, context = compacted_by(k=k)
        found = episodes_in(pairs_for(compactor, outcome, context))
        assert len(found) == k
        assert set(found) <= originals
        assert all("garden" in user_said for user_said, _ in found)


def test_a_pair_is_found_by_its_notes_and_shown_in_its_own_words():
    class Renaming(CountingModel):
        async def summarize(self, request):
            reply = await super().summarize(request)
            if "garden plan number 12 " not in request.messages[0].text:
                return reply
            return SummaryReply(Summary((("summary", ("About the orchard.",)),)))

    compactor, outcome, context = compacted_by(model=Renaming())
    ((found, _),) = episodes_in(pairs_for(compactor, outcome, context, "Where is the orchard?"))
    assert found.startswith("My garden plan number 12 ")


def test_without_the_episodic_part_no_pair_is_found():
    compactor, outcome, context = compacted_by(episodic=False)
    view = pairs_for(compactor, outcome, context)
    assert "## Episodes" not in memory_of(view)
    assert "garden plan" in memory_of(view)


def test_without_working_memory_only_the_last_message_of_the_user_stays():
    compactor, outcome, context = compacted_by(working=False)
    view = pairs_for(compactor, outcome, context)
    assert [m.text for m in view if m.origin == "log"] == [pairs(60)[-2]["content"]]
    assert structure_faults(view) == []


def test_a_view_without_notes_begins_with_a_user_message_that_says_what_is_missing():
    log = [user("Fix it."), *(assistant(f"Step {n} is done. " * 9) for n in range(40))]
    context = context_of(900)
    for parts in ({"scratchpad": False}, {"scratchpad": False, "working": False}):
        outcome, view = compacted(Light(z=4, **parts), log[1:], context)
        assert outcome.status == "compacted"
        assert (view[0].id, view[0].role, view[0].text) == (MEMORY_ID, "user", LEFT_OUT)


@pytest.mark.parametrize("z", [1, 3])
def test_the_newest_z_pairs_are_the_working_memory(z):
    compactor, outcome, context = compacted_by(z=z)
    view = pairs_for(compactor, outcome, context)
    assert [m.text for m in view if m.origin == "log"] == [
        message["content"] for message in pairs(60)[-2 * z :]
    ]


def test_without_a_scratchpad_there_are_no_notes_and_pairs_are_still_found_by_theirs():
    compactor, outcome, context = compacted_by(scratchpad=False)
    view = pairs_for(compactor, outcome, context)
    assert "## Key entities" not in memory_of(view)
    assert len(episodes_in(view)) == 5
    assert memory_of(view_of(compactor, outcome, context)) == LEFT_OUT


def test_without_the_filter_no_note_is_left_out_for_a_question_and_no_chunk_is_judged():
    model = CountingModel(bears=lambda text: "garden" in text)
    compactor, outcome, context = compacted_by(30, model=model, episodic=False, filter=False)
    unfiltered = memory_of(pairs_for(compactor, outcome, context))
    assert model.asked == []
    assert "lease plan" in unfiltered
    nothing = CountingModel(bears=lambda text: False)
    compactor, outcome, context = compacted_by(30, model=nothing, episodic=False)
    assert memory_of(pairs_for(compactor, outcome, context)) == memory_of(
        view_of(compactor, outcome, context)
    )
    assert nothing.asked


def test_the_model_is_asked_of_each_chunk_and_only_those_with_a_yes_are_shown():
    model = CountingModel(bears=lambda text: "garden plan 2:" in text)
    compactor, outcome, context = compacted_by(120, model=model, episodic=False)
    chunks = chunks_of(summary_from_json(outcome.state["notes"]))
    memory = memory_of(pairs_for(compactor, outcome, context))
    assert len(model.asked) == len(chunks) > 1
    assert {request.role for request in model.asked} == {"compaction"}
    assert all(GARDEN in request.question for request in model.asked)
    (kept,) = [chunk for chunk in chunks if "garden plan 2:" in chunk.text]
    assert re.findall(r"- (.*)", memory) == list(kept.lines)


@pytest.mark.parametrize("reply", ["YES, it does.", "**Yes**", "yes\nbecause of the garden"])
def test_a_yes_counts_with_a_reason_behind_it(reply):
    class Talking(CountingModel):
        async def answer(self, request):
            return AnswerReply(
                reply if "garden plan 2:" in request.view[0].text else "No, yes is wrong."
            )

    compactor, outcome, context = compacted_by(120, model=Talking(), episodic=False)
    chunks = chunks_of(summary_from_json(outcome.state["notes"]))
    (kept,) = [chunk for chunk in chunks if "garden plan 2:" in chunk.text]
    memory = memory_of(pairs_for(compactor, outcome, context))
    assert re.findall(r"- (.*)", memory) == list(kept.lines)


def test_a_model_that_cannot_be_asked_about_notes_is_an_error():
    class Silent(CountingModel):
        async def answer(self, request):
            raise ModelError("the endpoint is away")

    compactor, outcome, context = compacted_by(model=Silent())
    with pytest.raises(ModelError, match="the endpoint is away"):
        pairs_for(compactor, outcome, context)


def test_a_chunk_of_which_the_model_says_nothing_is_left_out():
    class Refusing(CountingModel):
        async def answer(self, request):
            if "garden plan 2:" in request.view[0].text:
                return await super().answer(request)
            raise NoReplyError("it refused")

    compactor, outcome, context = compacted_by(120, model=Refusing(), episodic=False)
    chunks = chunks_of(summary_from_json(outcome.state["notes"]))
    (kept,) = [chunk for chunk in chunks if "garden plan 2:" in chunk.text]
    memory = memory_of(pairs_for(compactor, outcome, context))
    assert re.findall(r"- (.*)", memory) == list(kept.lines)


def test_a_model_that_says_nothing_of_any_chunk_is_an_error():
    class Refusing(CountingModel):
        async def answer(self, request):
            raise NoReplyError("it refused")

    compactor, outcome, context = compacted_by(model=Refusing())
    with pytest.raises(ModelError, match="it refused"):
        pairs_for(compactor, outcome, context)


class PartlyRefusing(CountingModel):
    """Refuses to write notes of what is about the topic."""

    def __init__(self, topic):
        super().__init__()
        self.topic = topic

    async def summarize(self, request):
        if self.topic in request.messages[0].text:
            raise NoReplyError("it refused")
        return await super().summarize(request)


def test_a_refused_pair_has_no_notes_and_is_found_by_its_own_words():
    compactor, outcome, context = compacted_by(model=PartlyRefusing("garden"))
    notes = summary_from_json(outcome.state["notes"]).render(SECTIONS)
    assert "garden" not in notes
    assert "lease plan" in notes
    found = episodes_in(pairs_for(compactor, outcome, context))
    assert len(found) == 5
    assert all("garden" in user_said for user_said, _ in found)


def test_a_model_that_refuses_every_pair_is_an_error():
    context, compactor = context_of(1200, model=PartlyRefusing("plan")), Light()
    outcome, _ = compacted(compactor, pairs(60), context)
    assert (outcome.status, "it refused" in outcome.error) == ("failed", True)


def test_every_note_is_in_one_chunk():
    _, outcome, _ = compacted_by()
    notes = summary_from_json(outcome.state["notes"])
    lines = [line for chunk in chunks_of(notes) for line in chunk.lines]
    assert lines == [line for _, found in notes.entries for line in found]


def test_the_scratchpad_keeps_to_its_limit_and_drops_to_half():
    model = CountingModel()
    _, outcome, _ = compacted_by(limit=300, model=model)
    notes = summary_from_json(outcome.state["notes"])
    assert COUNTER.text(notes.render(SECTIONS)) <= 300
    compressions = [r for r in model.requests if r.messages[0].origin == "synthetic"]
    assert compressions
    assert {request.budget for request in compressions} == {150}
    newest = outcome.state["archive"][-1]["content"]
    assert re.search(r"plan \d+", newest)[0] in notes.render(SECTIONS)


def test_when_the_scratchpad_is_compressed_by_rules_the_newer_value_wins():
    model = SpyModel()
    said = []
    for n in range(40):
        said.append(user(f"Remember that the deposit for the flat is {1000 + 10 * n} euros."))
        said.append(assistant(f"Understood. For step {n} I would paint the {TOPICS[n % 10]}."))
    context, compactor = context_of(600, model=model), Light(limit=250)
    outcome, _ = compacted(compactor, said, context)
    notes = summary_from_json(outcome.state["notes"]).render(SECTIONS)
    archived = {item["content"] for item in outcome.state["archive"]}
    newest = max(n for n, item in enumerate(said[::2]) if item["content"] in archived)
    assert any(r.messages[0].origin == "synthetic" for r in model.requests)
    assert f"{1000 + 10 * newest} euros" in notes
    assert "1000 euros" not in notes


def test_a_log_with_calls_is_noted_as_a_span_unless_pairs_are_asked_for():
    spans, each = SpyModel(), SpyModel()
    compacted(Light(), session(12), context_of(900, model=spans))
    compacted(Light(notes="pair"), session(12), context_of(900, model=each))
    assert len(spans.requests) == 1
    assert len(each.requests) > 5


def test_later_compactions_note_only_new_pairs():
    model = CountingModel()
    context = context_of(1200, model=model)
    said = pairs(90)
    outcomes = list(in_a_row(Light(), [said[:80], said[80:]], context))
    assert [outcome.status for outcome in outcomes] == ["compacted"] * 2
    read = [m.id for r in model.requests for m in r.messages if m.origin == "log"]
    assert len(read) == len(set(read))
    assert set(outcomes[0].state["keys"]) < set(outcomes[1].state["keys"])


PARTS = st.fixed_dictionaries(
    {
        "episodic": st.booleans(),
        "working": st.sampled_from([False, 0.1, 0.3]),
        "scratchpad": st.sampled_from([False, 0.1, 0.35]),
        "filter": st.booleans(),
        "k": st.integers(0, 20),
        "z": st.integers(0, 20),
        "notes": st.sampled_from(["auto", "pair", "span"]),
    }
)


@settings(max_examples=30, deadline=None)
@given(
    PARTS,
    st.integers(150, 1500),
    st.integers(1, 40),
    st.sampled_from([GARDEN, "Quo vadis?"]),
)
def test_whatever_is_switched_off_the_view_keeps_its_budget(parts, budget, length, question):
    context, compactor = context_of(budget), Light(**parts)
    outcome, plain = compacted(compactor, talk(length), context)
    view = pairs_for(compactor, outcome, context, question)
    assert structure_faults(view) == []
    if outcome.status == "compacted":
        assert COUNTER.messages(view) <= budget
        assert COUNTER.messages(plain) <= budget
    else:
        assert view == plain == messages_of(talk(length))
