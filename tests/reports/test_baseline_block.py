"""What is shown of the comparison with a baseline, in the terminal and as Markdown."""

from hypothesis import given
from hypothesis import strategies as st
from support.builders import any_text
from support.changed_runs import before, fact, lowered, run_of, scored

from pytest_compaction.gate import decide_baseline
from pytest_compaction.records import Baseline
from pytest_compaction.reports.changes import (
    baseline_block,
    baseline_lines,
    baseline_markdown,
    worse_title,
)
from pytest_compaction.settings import BaselineRules, NewlyGone

PASS_SCORE = 3.5


def decided(now, then, strategies=("anchored",), name="main", **more):
    known = {
        each: Baseline(each, name, f"{name} (0044)", tuple(then), **more) for each in strategies
    }
    return decide_baseline(now, known, BaselineRules(max_newly_gone=NewlyGone(12)))


def shown(decision):
    lines = [*baseline_block(decision, PASS_SCORE), *baseline_lines(decision)]
    return "\n".join([worse_title(decision), *(line.text for line in lines)])


def test_only_what_got_worse_is_shown(snapshot):
    now = [
        {**one, "dimensions": {**then["dimensions"], "accuracy": one["overall"]}}
        for one, then in zip(lowered(0.5, 0.25), before(), strict=True)
    ]
    decision = decided(now, before())
    assert shown(decision) == snapshot
    assert "\n\n".join(baseline_markdown(decision, PASS_SCORE)) == snapshot


def test_strategies_that_got_worse_are_told_from_those_that_did_not(snapshot):
    now = [*lowered(0.5), *run_of(lambda number, probe: 5.0, compactor="window")]
    now += run_of(lambda number, probe: 1.0 + 3.9 * (number % 2), compactor="truncate")
    now += [scored("case-00", compactor="codex")]
    decision = decided(now, before(), ("anchored", "window", "truncate"))
    assert shown(decision) == snapshot
    assert "\n\n".join(baseline_markdown(decision, PASS_SCORE)) == snapshot


def test_what_is_not_compared_or_applied_and_what_was_damaged_is_said():
    decision = decided(
        [*before(), scored("new", "probe")], [*before(), scored("old", "probe")], problems=("Cut.",)
    )
    text = shown(decision)
    assert "only in this run: 1 probe (new-probe)" in text
    assert "only in main (0044): 1 probe (old-probe)" in text
    assert "Cut." in text
    (text,) = baseline_markdown(decided([scored("other")], before()), PASS_SCORE)
    assert text == ("overall vs main: drop\\<=0.1: no item of this run is in main (0044)")


@given(st.lists(any_text, min_size=1, max_size=6), any_text)
def test_no_line_is_wider_than_80_and_no_text_reaches_the_terminal_raw(texts, name):
    facts = list(map(fact, texts))
    then = [scored(case, name or "p", 5.0, facts) for case in ("a", "b" * 90)]
    lost = [fact(text, False, False) for text in texts]
    now = [scored(case, name or "p", 1.0, lost) for case in ("a", "b" * 90)]
    decision = decided(now, then, name=name[:30] or "main")
    lines = [*baseline_block(decision, PASS_SCORE), *baseline_lines(decision)]
    assert decision.comparisons[0].undecided is not None
    assert all(line.text.isprintable() for line in lines)
    assert all(len(line.text) <= 80 for line in lines)
