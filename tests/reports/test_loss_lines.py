"""What was lost and what it costs, in the summary of one strategy with ``-v``."""

import pytest
from support.builders import record
from support.loss_records import event, fact, lossy

from pytest_compaction.metrics import Pricing, Ratios
from pytest_compaction.reports.one_strategy import short_count
from pytest_compaction.reports.summary import run_summary

GONE = (False,)


def facts(kept, gone, recoverable):
    return [
        *(fact(f"kept {n}") for n in range(kept)),
        *(fact(f"gone {n}", GONE) for n in range(gone)),
        *(fact(f"again {n}", GONE, recoverable=True) for n in range(recoverable)),
    ]


def measured():
    return [
        lossy(case, facts(*counts), usage=(50_000, 0, 1_000))
        for case, counts in {"a": (8, 1, 1), "b": (6, 2, 2), "c": (9, 0, 1)}.items()
    ]


def shown(records, verbose=True, **options):
    return [
        line.text for line in run_summary(records, ["anchored"], False, verbose=verbose, **options)
    ]


def told(label, records, **options):
    """The paragraph that begins with a label, as one line."""
    lines = shown(records, **options)
    begin = next(n for n, line in enumerate(lines) if line.startswith(label))
    rest = (n for n, line in enumerate(lines) if n > begin and not line.startswith("  "))
    return " ".join(map(str.strip, lines[begin : next(rest, None)]))


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (measured(), "7 dropped: 4 recoverable, 3 gone; half-life 2.6"),
        ([lossy("a", facts(3, 0, 0))], "none of 3 facts dropped; half-life infinite"),
        (
            [lossy("a", [fact(stated=GONE, recoverable=None)])],
            "1 dropped: 0 recoverable, 0 gone, 1 unknown; half-life 0.0",
        ),
    ],
)
def test_with_v_one_line_says_what_was_dropped_and_how_long_a_fact_lives(records, said):
    assert f"losses: {said}" in shown(records)
    assert not [line for line in shown(records, False) if line.startswith(("losses", "cost"))]
    lines = shown([record("a"), record("b")])
    assert not [line for line in lines if line.startswith(("losses", "cost"))]


def test_one_line_says_what_compaction_costs_and_at_which_prices():
    made = [*measured(), lossy("d", facts(5, 0, 0), [event(70_000)], (70_000, 0, 900))]
    assert told("cost:", made) == (
        "cost: 200k tokens removed; pays after 12 requests; 300 to read again; prices assumed: "
        "read 0.1, write 1.25, output 5 times the input price"
    )


def test_what_a_search_found_was_dropped_and_is_proved_to_be_recoverable():
    found = fact("found", (False, True), recoverable=True, proved=True)
    gone = fact("not found", GONE, proved=True)
    said = "losses: 2 dropped: 1 recoverable, 1 gone, proved by a search;"
    assert told("losses:", [lossy("a", [fact("kept"), found, gone])]).startswith(said)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [((50_000, 1_000, 1_000), "pays at once"), ((5_000, 6_000, 0), "never pays for itself")],
)
def test_a_compaction_that_costs_nothing_or_saves_nothing_is_said_so(sizes, words):
    assert words in told("cost:", [lossy("a", events=[event(*sizes)])])


@pytest.mark.parametrize(
    ("tokens", "words"),
    [(9_999, "9,999"), (71_204, "71k"), (999_499, "999k"), (1_671_204, "1.67M")],
)
def test_many_tokens_are_shown_in_thousands_and_millions(tokens, words):
    assert short_count(tokens) == words


def test_a_model_with_a_price_shows_dollars_and_its_name():
    pricing = Pricing("x-1\x1b[2J, prices of 2026-11-22", Ratios(0.1, 1.25, 5), 5.0)
    said = told("cost:", measured(), pricing=pricing)
    assert "; saves 0.5" in said and "over 20 requests; prices x-1" in said
    assert "\x1b" not in said


def test_no_line_takes_more_than_80_columns():
    made = [lossy(case, facts(300, 200, 400), [event(10**9)], (10**9, 0, 10**6)) for case in "abc"]
    pricing = Pricing("x" * 200, Ratios(0.01, 1.25, 5), 5.0)
    assert max(map(len, shown(made, pricing=pricing))) <= 80
