"""The summary of a run: its content, in 80 columns, whatever the number of workers."""

import re

import pytest
from support import builders
from support.scenarios import run, set_up

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.reports.lines import WIDTH
from pytest_compaction.reports.summary import run_summary
from pytest_compaction.rubric import DIMENSIONS

LONG = "a_rather_long_package.with_modules.inside:compact_everything"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\u202e"


def fact(text, view, used):
    """A fact as a record holds it: the outcome in the view, and whether the answer states it."""
    answer = "stated" if used else "absent"
    survived = view == "stated"
    return {"text": text, "view": view, "answer": answer, "survived": survived, "used": used}


def beside(compactor, gain, **changes):
    """Items beside nulls that survive less well by about ``gain``."""
    found = items(compactor, **changes)
    for made in found:
        score = made["overall"] - gain - (made["case"] == "beta") * 0.2
        made["nulls"] = {
            "window": {"overall": 0.5, "stated": 0.1, "tokens": 1_700},
            "random": {"overall": score, "stated": 0.5, "tokens": 1_800},
        }
    return found


def at_budgets(compactor, lift, *budgets, **changes):
    """Items at several budgets; more survives at a larger one."""
    return [
        made
        | {
            "item": f"{compactor}-b{budget}-{made['case']}-{made['probe']}",
            "budget": budget,
            "tokens": {"log": 52_000, "view": budget - 40, "summary": 0},
            "compaction": {**made["compaction"], "budget": budget},
        }
        | changes
        for number, budget in enumerate(budgets)
        for made in items(compactor, lift + number * 0.5)
    ]


def record(case, probe, overall, compactor="anchored", **changes):
    made = {
        "overall": overall,
        "status": "passed" if overall >= 3.5 else "failed",
        "reason": "" if overall >= 3.5 else "accuracy 1.0, context 2.0, 1 of 2 facts dropped",
        "dimensions": dict.fromkeys(DIMENSIONS, overall) | {"instruction": 5.0},
        "reading": "view",
        "answer": {"overall": round(overall * 0.8, 2)},
        "facts": [
            fact("45", "stated" if overall >= 3 else "contradicted", overall >= 3.5),
            fact("src/queue.py", "stated", True),
            fact("src/retry.py", "stated" if overall >= 4 else "uncertain", overall >= 4),
        ],
        "traps": [{"text": "30", "hit": overall < 3}],
        "tokens": {"log": 52_000, "view": 1_900, "summary": 700},
        "compaction": {"steps": {"compacted": 3}, "errors": [], "budget": 2_000},
    }
    return builders.record(case, probe, compactor, **made | changes)


def items(compactor="anchored", lift=0.0, **changes):
    return [
        record(case, probe, round(min(5.0, score + lift), 2), compactor, **changes)
        for case, score in (("alpha", 2.5), ("beta", 3.25), ("gamma", 4.5))
        for probe in ("limit", "files")
    ]


def control():
    tokens = {"log": 52_000, "view": 52_000, "summary": 0}
    steps = {"steps": {"noop": 3}, "errors": [], "budget": 2_000}
    return items("none", 1.6, tokens=tokens, compaction=steps)


def unscored(case, probe, reason, **changes):
    blank = {"overall": None, "dimensions": dict.fromkeys(DIMENSIONS), "status": "unscored"}
    return {**record(case, probe, 5.0), **blank, "reason": reason, **changes}


def error(case, probe, **changes):
    empty = {"facts": [], "traps": [], "tokens": {}, "compaction": {}}
    return unscored(case, probe, "the strategy raised", status="error", **{**empty, **changes})


def troubled(compactor="anchored"):
    return [
        *items(compactor),
        unscored("alpha", "next", "the reply was no JSON", compactor=compactor),
        unscored("beta", "next", "the reply was no JSON", compactor=compactor),
        unscored("gamma", "next", "the endpoint did not answer " * 5, compactor=compactor),
        error("gamma", "decided", compactor=compactor),
        record(
            "delta",
            "limit",
            3.75,
            compactor,
            tokens={"log": 3_000, "view": 3_000, "summary": 0},
            compaction={"steps": {"noop": 2, "failed": 1}, "errors": ["x"], "budget": 2_000},
        ),
    ]


def hostile():
    return [
        record("alpha", "p" * 80, 1.0, reason=f"{ESCAPES} line\nbreak " * 20),
        record("c" * 80, "q" * 80, 2.0, reason="ü漢字 " * 60),
        unscored("beta", "next", f"{ESCAPES} \x9b31m gone\r\n"),
    ]


SUMMARIES = {
    "one strategy": (items(), ["anchored"], False),
    "one strategy with control": ([*items(), *control()], ["anchored", "none"], True),
    "the control alone": (control(), ["none"], True),
    "one case": ([record("alpha", "limit", 4.0)], ["anchored"], False),
    "trials": (
        [
            *(record("alpha", "limit", 4.0, trial=n) for n in (1, 2)),
            *(record("beta", "limit", 5.0 - n, trial=n) for n in (1, 2)),
        ],
        ["anchored"],
        False,
    ),
    "trouble": (troubled(), ["anchored"], False),
    "nothing scored": ([unscored("alpha", "limit", "no JSON")], ["anchored"], False),
    "several strategies": (
        [*items(), *items("truncate", -0.5), *control(), *items(LONG, 0.25)],
        ["truncate", "none", "anchored", LONG],
        False,
    ),
    "several with control and trouble": (
        [*troubled(), *troubled(LONG), *control(), error("alpha", "limit", compactor="broken")],
        ["anchored", LONG, "broken", "none"],
        True,
    ),
    "one strategy beside nulls": (beside("anchored", 1.0), ["anchored"], False),
    "one strategy with answers of a model": (
        [
            made | {"reading": "answer", "view": {"overall": min(5.0, made["overall"] + 0.5)}}
            for made in [*beside("anchored", -1.0), *control()]
        ],
        ["anchored", "none"],
        True,
    ),
    "several beside nulls": (
        [*beside("anchored", 1.0), *beside("regenerate", 0.0), *items("window", -1.0)],
        ["anchored", "regenerate", "window"],
        False,
    ),
    "a curve": (
        [
            *at_budgets("anchored", 0.0, 1_000, 2_000, 4_000),
            *at_budgets("window", -1.0, 1_000, 2_000, 4_000),
            *at_budgets(LONG, 0.5, 1_000, 2_000, tokens={"log": 52_000, "view": 9_000}),
            *control(),
        ],
        ["anchored", "window", LONG, "none"],
        True,
    ),
    "a curve of many budgets": (
        at_budgets("anchored", -1.0, 500, 1_000, 2_000, 4_000, 8_000, 16_000),
        ["anchored"],
        False,
    ),
    "hostile text": (hostile(), ["anchored"], False),
    "no records": ([], ["anchored"], False),
}


def table(lines):
    """The rows of strategies and what follows them."""
    texts = [line.text for line in lines]
    return texts[next(n for n, text in enumerate(texts) if text.startswith("compactor")) + 1 :]


@pytest.mark.parametrize("verbose", [False, True], ids=["plain", "v"])
@pytest.mark.parametrize("name", SUMMARIES)
def test_the_summary_is_as_it_was_and_no_line_is_wider_than_80_columns_or_unsafe(
    name, verbose, snapshot
):
    lines = run_summary(*SUMMARIES[name], lowest=3 if verbose else 0, verbose=verbose)
    texts = [line.text for line in lines]
    assert "\n".join(texts) == snapshot
    for text in texts:
        assert len(text) <= WIDTH
        assert text == text.rstrip()
        assert text.isprintable()


def test_views_over_the_budget_stand_below_the_rule_however_high_they_score():
    large = {"tokens": {"log": 52_000, "view": 12_400, "summary": 0}}
    records = [*items(), *items("pruned", 1.5, **large)]
    lines = [line.text for line in run_summary(records, ["pruned", "anchored"], False)]
    rule = next(n for n, line in enumerate(lines) if set(line) == {"-"})
    assert lines[rule - 1].startswith("anchored")
    assert lines[rule + 1].startswith("pruned")
    assert lines[rule + 1].split()[-2:] == ["4.2", "620%!"]


def with_views(compactor, prompt, words="rules"):
    return [
        record(case, "limit", 4.0, compactor, hashes={"prompt": f"{prompt}-{case}"}, words=words)
        for case in ("alpha", "beta")
    ]


@pytest.mark.parametrize("words", ["rules", "recorded", "live"])
def test_strategies_with_the_same_views_share_a_row_if_rules_summarise(words):
    names = ["claude-code", "claude-code:focus=tests", "anchored"]
    views = ["same", "same", "other"]
    made = [r for name, v in zip(names, views, strict=True) for r in with_views(name, v, words)]
    lines = [line.text for line in run_summary(made, names, False)]
    rows = [line for line in lines if "  1,900  " in line]
    assert len(rows) == (2 if words == "rules" else 3)
    said = "same views, one row: claude-code, claude-code:focus=tests"
    assert (said in lines) is (words == "rules")


@pytest.mark.parametrize("hashes", [{"prompt": "different"}, {"prompt": ["same"]}, ["same"], None])
def test_one_view_that_differs_or_is_not_known_keeps_strategies_apart(hashes):
    one, other = with_views("one", "same"), with_views("other", "same")
    other[1]["hashes"] = hashes
    lines = run_summary([*one, *other], ["one", "other"], False)
    assert sum("  1,900  " in line.text for line in lines) == 2


def test_many_cases_tell_strategies_apart():
    better = [record(f"case{n}", "limit", 4.0 + n % 2 / 4, "better") for n in range(12)]
    worse = [record(f"case{n}", "limit", 2.0 + n % 3 / 4, "worse") for n in range(12)]
    lines = run_summary([*worse, *better], ["worse", "better"], False, verbose=True)
    assert [line.split()[:3] for line in table(lines)[:2]] == [
        ["better", "4.12", "a"],
        ["worse", "2.25", "b"],
    ]
    lines = [line.text for line in lines]
    said = next(line for line in lines if "from the best" in line)
    assert re.fullmatch(r"  -1\.88 \[-2\.\d\d, -1\.\d\d\], p 0\.0\d+, from the best, better", said)


def test_the_order_of_the_records_does_not_matter():
    records, order, with_control = SUMMARIES["several with control and trouble"]
    assert run_summary(records[::-1], order, with_control) == run_summary(
        records, order, with_control
    )


def test_the_summary_needs_no_colour_and_uses_it_where_it_is_wanted(pytester):
    set_up(pytester, "first")
    plain = run(pytester, "--color=no")
    coloured = run(pytester, "--color=yes", "--compaction-threshold=overall>=4")
    assert "\x1b" not in str(plain.stdout)
    assert any("\x1b[32m" in line and "GATE PASSED" in line for line in coloured.outlines)


def test_compactors_lists_every_strategy_with_one_line_and_runs_nothing(pytester):
    pytester.makeconftest(
        """
        def mine(messages, budget):
            \"\"\"Keeps the last message.

            And says more about it.
            \"\"\"

        def pytest_compaction_compactors(config):
            return {"mine": mine}
        """
    )
    pytester.makepyfile(test_mine="def test_mine(): assert 0")
    result = run(pytester, "--compactors", compactor=None)
    assert result.ret == pytest.ExitCode.OK
    listed = {line.split()[0]: line for line in result.outlines if line}
    names = [name for name, _ in Registry().descriptions()]
    assert {"none", "truncate", "regenerate", "anchored"} <= set(names)
    assert list(listed) == sorted([*names, "mine"])
    assert listed["mine"].split(maxsplit=1)[1] == "Keeps the last message."
    assert all(len(line.split()) > 2 for line in listed.values())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"words": "recorded"}, ""),
        ({"words": "rules"}, "words: rules, which tell what the structure keeps; prompts and"),
        ({"words": "recorded", "stale": True}, "words: stale: recorded words that answer"),
    ],
)
def test_a_single_strategy_says_if_no_model_wrote_for_what_would_be_sent(words, said):
    found = run_summary(
        [each | words for each in items("anchored")], ["anchored"], False, words=True
    )
    shown = " ".join(" ".join(line.text for line in found).split())
    assert ("words:" in shown, said in shown) == (bool(said), True)
