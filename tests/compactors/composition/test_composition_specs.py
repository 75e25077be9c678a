"""``a+b``: how a composition is written, and which parts can be composed."""

import pytest
from support.compositions import create, refusal

from pytest_compaction.compactors import Outcome, Span, Traits, UnknownCompactorError, parse_spec
from pytest_compaction.compactors.base.history import HistoryCompactor


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("anchored+ledger", ["anchored", "ledger"]),
        ("anchored:summary=0.5+ledger:limit=40", ["anchored:summary=0.5", "ledger:limit=40"]),
        ("a:k=v+b", ["a:k=v", "b"]),
        ("a + b", ["a", "b"]),
        ("my.module:compact:k=3+ledger", ["my.module:compact:k=3", "ledger"]),
        ("a:note='x+y'+b", ["a:note='x+y'", "b"]),
        ("a:note=it's+b", ["a:note=it's", "b"]),
        ("a+b+c", ["a", "b", "c"]),
        ("a:x=1e+5+b", ["a:x=1e+5", "b"]),
    ],
)
def test_a_plus_stands_between_parts(text, parts):
    spec = parse_spec(text)
    assert [part.text.strip() for part in spec.parts] == parts
    assert spec.parameters == ()
    assert spec.text == text


@pytest.mark.parametrize(
    ("text", "value"), [("a:x=1e+5", 1e5), ("a:x='b+c'", "b+c"), ('a:x="b+c"', "b+c")]
)
def test_a_plus_in_a_number_or_in_quotes_is_part_of_a_value(text, value):
    assert parse_spec(text).parts == ()
    assert parse_spec(text).parameters == (("x", value),)


@pytest.mark.parametrize("text", ["+", "a+", "+a", "a++b"])
def test_a_plus_without_a_part_beside_it_is_refused(text):
    with pytest.raises(UnknownCompactorError, match="a \\+ stands between two strategies"):
        parse_spec(text)


def test_the_slug_keeps_the_plus():
    assert parse_spec("anchored:summary=0.5+ledger").slug == "anchored:summary=0.5+ledger"


def test_an_unknown_part_is_named_with_the_nearest():
    assert "unknown compactor 'ledgr'; did you mean 'ledger'?" in refusal("anchored+ledgr")


def test_a_wrong_parameter_of_a_part_is_named_with_that_part():
    assert "'ledger:size=3' does not take these parameters" in refusal("anchored+ledger:size=3")


class Elsewhere(HistoryCompactor):
    """Keeps its view somewhere else."""

    name = "elsewhere"
    traits = Traits()

    def start(self):
        return {"view": []}

    async def compact(self, state, context):
        raise NotImplementedError


class CannotStart(Elsewhere):
    """Raises at the start."""

    def start(self):
        raise RuntimeError("no start")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("elsewhere+ledger", "'elsewhere' cannot be a part of 'elsewhere+ledger': its state is no"),
        ("broken+ledger", "'elsewhere' cannot be a part of"),
        ("ledger+ledger", "has no part that compacts"),
        ("anchored+ledger+ledger", "names 'ledger' twice"),
        ("rag+anchored", "'rag' reads per question and can only be the last strategy"),
    ],
)
def test_parts_that_cannot_be_composed_say_why(text, said):
    message = refusal(text, elsewhere=Elsewhere, broken=CannotStart)
    assert "the parts cannot be composed" in message
    assert said in message


def test_the_description_and_traits_are_those_of_the_parts():
    made = create("mask-observations+anchored+ledger")
    assert made.name == "mask-observations+anchored+ledger"
    assert made.description == "mask-observations, then anchored, with the ledger beside it"
    assert made.traits.needs_model
    assert not made.traits.needs_probe
    assert create("anchored+ledger").traits.keeps_tail
    assert create("light+ledger").traits.needs_probe


class Over(HistoryCompactor):
    """Breaks two invariants."""

    name = "over"
    traits = Traits(
        keeps_tail=True, violations={"within-budget": "takes more", "last-user-kept": "loses it"}
    )

    async def compact(self, state, context):
        ids = tuple(item["id"] for item in state["messages"])
        return Outcome(
            {**state, "messages": state["messages"][:1]},
            "truncated",
            (Span(ids[:1], "kept"), Span(ids[1:], "dropped")),
        )


def test_a_violation_stays_with_the_composition_unless_a_later_part_mends_it():
    assert dict(create("over+ledger", over=Over).traits.violations) == {
        "within-budget": "over: takes more",
        "last-user-kept": "over: loses it",
    }
    mended = create("over+window", over=Over).traits.violations
    assert dict(mended) == {"last-user-kept": "over: loses it"}
