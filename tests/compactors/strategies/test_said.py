"""``said-only`` and ``random``: what was said, cut to the budget without an idea."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, system, tool, user
from support.compacting import compacted, in_a_row, view_of

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.compactors.strategies.said import NOTE_ID, Random, SaidOnly, sentences_of
from pytest_compaction.conversation import pending_calls, structure_faults
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.metrics import NULLS, is_null
from pytest_compaction.run.figures.null_views import NULLS as COMPARED

BOTH = pytest.mark.parametrize("strategy", [SaidOnly, Random])


def remarks(count, words=12):
    """User and assistant in turns; each remark is two sentences of about equal length."""
    return [
        (user if i % 2 == 0 else assistant)(
            f"Remark {i:03} begins {'word ' * words}here. It also ends {'word ' * words}{i:03}."
        )
        for i in range(count)
    ]


def noted(view):
    """The lines of the note after its preamble."""
    (note,) = [message for message in view if message.id == NOTE_ID]
    return note.text.partition("\n\n")[2].splitlines()


@BOTH
def test_nothing_of_calls_and_results_is_kept(strategy):
    chat = session(8, words=60)
    _, view = compacted(strategy(), chat, context_of(600))
    text = "\n".join(noted(view))
    assert "because the tests need it" in text
    assert "wrote src/" not in text
    assert "LIMIT =" not in text


def test_said_only_keeps_the_first_request_and_the_newest_sentences():
    chat = [system("s"), user("Build the shelf. Use oak."), *remarks(40)]
    _, view = compacted(SaidOnly(), chat, context_of(500))
    lines = noted(view)
    assert lines[:2] == ["Build the shelf.", "Use oak."]
    every = [sentence.text for sentence in sentences_of(from_chat(chat))]
    kept = lines[2:]
    assert len(kept) > 4
    assert every[-len(kept) :] == kept


def test_said_only_keeps_the_first_request_over_several_compactions():
    parts = [
        [system("s"), user("Build the shelf. Use oak."), *remarks(20)],
        remarks(20),
        remarks(20),
    ]
    context = context_of(400)
    for outcome in in_a_row(SaidOnly(), parts, context):
        assert noted(view_of(SaidOnly(), outcome, context))[0] == "Build the shelf."


def test_a_long_first_request_loses_its_end_to_what_came_after():
    long = " ".join(f"Rule {i} says that nothing may be thrown away." for i in range(200))
    _, view = compacted(SaidOnly(), [system("s"), user(long), *remarks(20)], context_of(400))
    lines = noted(view)
    rules = [line for line in lines if line.startswith("Rule")]
    assert rules[0].startswith("Rule 0 ")
    assert COUNTER.text("\n".join(rules)) <= 100
    assert len(lines) - len(rules) > 4


def test_said_only_lists_the_paths_in_one_line_the_newest_last_and_each_once():
    context = context_of(400)
    first = session(6)
    more = [
        user("Again."),
        assistant("I read it.", ("again", "read_file", {"path": "src/module_0.py"})),
        tool("again", "x " * 200),
        *remarks(20),
    ]
    before, after = in_a_row(SaidOnly(), [first, more], context)
    (line,) = [s for s in noted(view_of(SaidOnly(), before, context)) if s.startswith("Files")]
    assert re.findall(r"module_\d", line) == [f"module_{i}" for i in range(6)]
    (line,) = [s for s in noted(view_of(SaidOnly(), after, context)) if s.startswith("Files")]
    assert re.findall(r"module_\d", line) == [f"module_{i}" for i in (1, 2, 3, 4, 5, 0)]


def test_another_seed_draws_other_sentences_and_the_same_seed_the_same():
    chat = [system("s"), *remarks(60)]
    drawn = [noted(compacted(Random(seed), chat, context_of(500))[1]) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


@given(st.integers(0, 50), st.integers(12, 40), st.integers(300, 600))
def test_compacting_twice_draws_the_same_sample_as_compacting_once(seed, middle, budget):
    chat = [system("s"), *remarks(60)]
    context = context_of(budget)
    *_, last = in_a_row(Random(seed), [chat[:middle], chat[middle:]], context)
    _, once = compacted(Random(seed), chat, context)
    assert set(noted(view_of(Random(seed), last, context))) == set(noted(once))


def test_every_sentence_is_drawn_about_as_often_as_any_other():
    chat = [system("s"), *remarks(20)]
    every = [sentence.text for sentence in sentences_of(from_chat(chat))]
    counts = dict.fromkeys(every, 0)
    for seed in range(300):
        for line in noted(compacted(Random(seed), chat, context_of(300))[1]):
            counts[line] += 1
    share = sum(counts.values()) / len(counts)
    # Each count is binomial: four standard deviations of at most sqrt(300)/2.
    assert all(abs(count - share) < 35 for count in counts.values())
    assert share > 30


@BOTH
@given(st.booleans().flatmap(agent_logs), st.integers(40, 400))
def test_a_view_fits_the_budget_and_is_sound_or_the_compaction_fails(strategy, chat, budget):
    outcome, view = compacted(strategy(), chat, context_of(budget))
    assert structure_faults(view) == []
    assert pending_calls(view) == pending_calls(from_chat(chat))
    if outcome.status == "compacted" or outcome.status == "noop":
        assert COUNTER.messages(view) <= budget
    else:
        assert outcome.error


@BOTH
def test_the_state_holds_nothing_that_the_view_does_not_show(strategy):
    outcome, view = compacted(strategy(), [system("s"), *remarks(60)], context_of(400))
    assert {text for *_, text in outcome.state["said"]} <= set(noted(view))


def test_the_nulls_are_marked_listed_and_compared_with():
    registry = Registry()
    marked = [
        name
        for name in registry.names()
        if getattr(registry.create(parse_spec(name)).traits, "null", False)
    ]
    assert marked == sorted(NULLS)
    assert sorted({*NULLS} - {null.name for null in COMPARED}) == ["anchors"]  # where it is named
    listed = dict(registry.descriptions())
    assert [name for name, line in listed.items() if line.startswith("null: ")] == marked
    assert is_null("random:seed=3")
    assert not is_null("anchored")
