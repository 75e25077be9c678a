"""Hypothesis strategies for replies, trials and comparisons of dialogues, and their figures."""

from __future__ import annotations

from hypothesis import strategies as st
from support import builders  # noqa: F401 - loads the repeatable profile

from pytest_compaction.dialogues import BothArms
from pytest_compaction.dialogues.dialogue import Trial, TrialMatch, TurnReply
from pytest_compaction.dialogues.replay import agreement

ANSWERS = st.sampled_from(["", "In 1999 Ada said 'yes indeed'", "in 1,999 ada", "one word", "Ada"])
SHARE = st.floats(0, 1)
TOKENS = st.integers(0, 5000)


@st.composite
def replies(draw: st.DrawFn) -> TurnReply:
    calls = draw(st.sampled_from([(), ("search",), ("search", "book"), ("book", "search")]))
    return TurnReply(draw(ANSWERS), draw(TOKENS), draw(TOKENS), calls, draw(st.booleans()))


@st.composite
def trials(draw: st.DrawFn) -> Trial:
    found = draw(st.lists(replies(), max_size=2))
    return Trial(tuple(found), draw(TOKENS), draw(TOKENS))


@st.composite
def comparisons(draw: st.DrawFn) -> BothArms:
    baseline = draw(st.lists(trials(), min_size=1, max_size=2))
    summary = draw(st.lists(trials(), min_size=1, max_size=2))
    agreements = [
        draw(st.sampled_from([agreement(baseline[0], trial), TrialMatch(None, None, unscored="x")]))
        for trial in summary
    ]
    return BothArms(
        dialogue_id=draw(st.text(max_size=5)),
        task=draw(st.sampled_from(["GR", "SA"])),
        turns=draw(st.integers(1, 8)),
        baseline=tuple(baseline),
        summary=tuple(summary),
        agreements=tuple(agreements),
    )
