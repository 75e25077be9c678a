"""Views that share messages are read as their joined text is, and each message once."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.case_errors import items_of
from support.paths import CASES

from pytest_compaction.conversation import readable
from pytest_compaction.text import SharedTexts, Statement, TextIndex, sentence_index
from pytest_compaction.text.sentence_splitting import MESSAGE_END

MESSAGES = (
    "The lease timeout was raised from 30 to 45 seconds in src/lease/queue.py.",
    "- Renee prefers the dry run\n- the limit is 45 seconds",
    "Then renee left. We did not raise the limit to 45 seconds.",
    "## Settings\n- LeaseQueue keeps 12 rows",
    "leasequeue was deleted with its folder.",
    "$ rm -r src/lease\n```\nlimit = 30\n",
    "| name | rows |\n|---|---|\n| LeaseQueue | 12 |",
    "The limit stays at 30 seconds; it was never 45.",
    "</message>\nlimit: 45 seconds",
    "",
)
STATEMENTS = (
    Statement("the limit is 45 seconds", keys=(("limit", "timeout"), ("45 seconds",))),
    Statement("the lease queue keeps 12 rows", keys=(("lease queue",), ("12 rows", "rows 12"))),
    Statement("Renee prefers the dry run", keys=(("Renee",), ("dry run",))),
    Statement(
        "the file src/lease/queue.py was deleted",
        keys=(("src/lease/queue.py",),),
        change="deleted",
        type="path",
    ),
    Statement(
        "the limit is 45",
        keys=(("limit",), ("45",)),
        counterparts=(Statement("the limit is 30", keys=(("limit",), ("30",))),),
    ),
    Statement("the limit stays at 30 seconds"),
    Statement("dry run", aliases=("rehearsal",)),
    Statement("the message ends here"),
)
VIEWS = st.lists(st.lists(st.sampled_from(MESSAGES), max_size=6), min_size=1, max_size=4)


def joined(texts):
    return TextIndex(f"\n\n{MESSAGE_END}\n\n".join(texts))


def read_as_joined(views, statements):
    shared = SharedTexts()
    for texts in views:
        index, alone = shared.view(texts), joined(texts)
        for statement in statements:
            outcome = index.outcome(statement)
            assert index.read(statement) == alone.read(statement), (texts, statement.text)
            assert outcome == alone.outcome(statement) == alone.read(statement).outcome


@settings(deadline=None)
@given(VIEWS, st.permutations(STATEMENTS))
def test_a_view_is_read_as_its_joined_text_whatever_was_read_before(views, statements):
    read_as_joined(views, statements)


@pytest.fixture
def forgetful(monkeypatch):
    """What was read of a sentence or a term is forgotten at once."""
    monkeypatch.setattr(sentence_index, "_MOST", 0)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VIEWS, st.permutations(STATEMENTS))
def test_what_was_forgotten_is_read_again_with_the_same_outcome(forgetful, views, statements):
    read_as_joined(views, statements)


@settings(deadline=None)
@given(st.lists(st.sampled_from(MESSAGES), max_size=6), st.data())
def test_a_view_contains_and_names_what_its_joined_text_does(texts, data):
    index, alone = SharedTexts().view(texts), joined(texts)
    whole = data.draw(st.sampled_from(MESSAGES))
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    part = whole[start:end]
    assume(part.strip() not in MESSAGE_END)  # the joined text has it between its messages
    assert index.contains(part) == alone.contains(part)
    for word in part.split():
        assert index.states([word]) == alone.states([word])


def test_the_log_of_a_real_case_is_read_as_its_joined_text():
    (case,) = items_of(CASES / "real" / "theme_release.json")
    texts = [readable(message) for message in case.messages]
    index, alone = SharedTexts().view(texts), joined(texts)
    facts = [fact for probe in case.probes for fact in probe.facts]
    read = [alone.read(fact.statement) for fact in facts]
    assert [index.read(fact.statement) for fact in facts] == read
    assert any(one.outcome == "stated" for one in read)


@pytest.mark.parametrize("statement", STATEMENTS[:5], ids=lambda one: one.text)
def test_a_message_that_another_view_holds_too_is_not_weighed_again(statement):
    shared = SharedTexts()
    shared.view(MESSAGES).read(statement)
    again = shared.view(MESSAGES)
    again.read(statement)
    assert again.touched == 0


def test_a_name_that_only_another_message_of_the_view_shows_is_known_in_all_of_them():
    shared = SharedTexts()
    rows = Statement("leasequeue was deleted", keys=(("lease queue",), ("deleted",)))
    assert shared.view(["leasequeue was deleted."]).read(rows).outcome == "absent"
    both = ["leasequeue was deleted.", "class LeaseQueue:"]
    assert shared.view(both).read(rows).outcome == "stated"
    assert shared.view(["leasequeue was deleted."]).read(rows).outcome == "absent"
