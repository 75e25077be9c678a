"""What was lost and what it costs, in the summary of one strategy."""

import pytest
from support.builders import record
from support.loss_records import event, fact, lossy

from pytest_compaction.metrics import Pricing, Ratios
from pytest_compaction.reports.one_strategy import cost_lines, loss_lines, short_count
from pytest_compaction.reports.summary import summary

GONE = (False,)


def texts(lines):
    return [line.text for line in lines]


def facts(kept, gone, recoverable):
    return [
        *(fact(f"kept {n}") for n in range(kept)),
        *(fact(f"gone {n}", GONE) for n in range(gone)),
        *(fact(f"again {n}", GONE, recoverable=True) for n in range(recoverable)),
    ]


def run(**changes):
    return [
        lossy(case, facts(*counts), usage=(50_000, 0, 1_000), **changes)
        for case, counts in {"a": (8, 1, 1), "b": (6, 2, 2), "c": (9, 0, 1)}.items()
    ]


def test_one_line_says_what_was_dropped_and_how_long_a_fact_lives():
    (line,) = texts(loss_lines(run()))
    assert line == "losses        7 dropped: 4 recoverable, 3 gone; half-life 2.6"


def test_one_line_says_what_compaction_costs_and_the_next_at_which_prices():
    made = [*run(), lossy("d", facts(5, 0, 0), [event(70_000)], (70_000, 0, 900))]
    assert texts(cost_lines(made)) == [
        "cost          200k removed; pays after 12 requests; 300 to read again",
        "  prices assumed: read 0.1, write 1.25, output 5 times the input price",
    ]


def test_a_strategy_that_drops_nothing_has_no_half_life_to_speak_of():
    (line,) = texts(loss_lines([lossy("a", facts(3, 0, 0))]))
    assert line == "losses        none of 3 facts dropped; half-life infinite"


def test_what_is_not_known_to_be_recoverable_is_said():
    (line,) = texts(loss_lines([lossy("a", [fact(stated=GONE, recoverable=None)])]))
    assert line == "losses        1 dropped: 0 recoverable, 0 gone, 1 unknown; half-life 0.0"


@pytest.mark.parametrize(
    ("sizes", "words"),
    [((50_000, 1_000, 1_000), "pays at once"), ((5_000, 6_000, 0), "never pays for itself")],
)
def test_a_compaction_that_costs_nothing_or_saves_nothing_is_said_so(sizes, words):
    assert words in texts(cost_lines([lossy("a", events=[event(*sizes)])]))[0]


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [(9_999, "9,999"), (71_204, "71k"), (999_499, "999k"), (1_671_204, "1.67M"), (-12_345, "-12k")],
)
def test_many_tokens_are_shown_in_thousands_and_millions(tokens, shown):
    assert short_count(tokens) == shown


def test_a_model_with_a_price_shows_dollars_and_its_name():
    pricing = Pricing("x-1\x1b[2J, prices of 2026-11-22", Ratios(0.1, 1.25, 5), 5.0)
    lines = texts(cost_lines(run(), pricing))
    assert "saves 0.5" in " ".join(lines)
    assert "over 20 requests" in " ".join(lines)
    assert lines[-1].startswith("  prices x-1")
    assert "\x1b" not in "".join(lines)


@pytest.mark.exhaustive
def test_no_line_takes_more_than_80_columns():
    many = facts(3_000, 2_000, 40_000)
    many[-1]["source"] = {"message": "m2", "tokens": 10**11}
    sizes = {"a": 10**9, "b": 10**8, "c": 10**6, "d": 10**9, "e": 10**8, "f": 10**6}
    made = [
        lossy(case, many, [event(size, 10**5, 10)], (size, 0, 10**6))
        for case, size in sizes.items()
    ]
    pricing = Pricing("x" * 200, Ratios(0.01, 1.25, 5), 5.0)
    lines = texts([*loss_lines(made), *cost_lines(made, pricing)])
    assert [line[:14].strip() for line in lines] == ["losses", "", "cost", "", "", "prices xxxxx"]
    assert max(map(len, lines)) <= 80


def test_records_that_do_not_tell_it_show_nothing():
    old = [record("a"), record("b")]
    assert texts([*loss_lines(old), *cost_lines(old)]) == []
    shown = texts(summary(old, ["anchored"], False, verbose=True))
    assert not [line for line in shown if line.startswith(("losses", "cost"))]


def test_the_summary_of_one_strategy_shows_both_after_its_facts():
    shown = texts(summary(run(), ["anchored"], False, verbose=True))
    labels = [line.partition(" ")[0] for line in shown]
    assert labels.index("facts") < labels.index("losses") < labels.index("cost")
