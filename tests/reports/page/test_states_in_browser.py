"""Every state of the overview at the width of a screen and of a phone: order, and nothing cut."""

from functools import cache

import pytest
from support.browser import chromium
from support.changed_runs import CASES, PASS_SCORE, before, fact, header, lowered, run_of

from pytest_compaction.gate import decide, decide_baseline, parse_threshold
from pytest_compaction.records import Baseline, Run
from pytest_compaction.reports.gate_text import Failures, gate_line
from pytest_compaction.reports.page.overview import Gate
from pytest_compaction.reports.page.page import page_of
from pytest_compaction.reports.page.runs import PageRun
from pytest_compaction.settings import BaselineRules, NewlyGone

pytestmark = pytest.mark.browser

SCREEN, PHONE = 1280, 420
LONG = "agent_service.memory.compaction:compact_conversation_with_the_summary_of_every_"
BUDGETS = (1500, 3000, 6000, 12000)


def known_facts(record):
    """A record with the fate of each fact over two compactions, as runs of today write it."""
    facts = [
        {
            "class": "value",
            "view": "stated" if each["survived"] else "absent",
            "evidence": ["m012"],
            "stated_after": [["p1", True], ["p2", each["survived"]]],
            "recoverable": None if each["survived"] else False,
            **each,
        }
        for each in record["facts"]
    ]
    size = {"log": 60_000, "view": 900, "summary": 500}
    return {**record, "facts": facts, "tokens": size, "point": {"id": "p2"}}


def many(*names, **more):
    """Items of each strategy in every case, the first strategy the best."""
    return [
        known_facts(record)
        for n, name in enumerate(names)
        for record in run_of(
            lambda number, probe, n=n: max(4.5 - n / 2 - number / 5, 0), compactor=name, **more
        )
    ]


def at_budgets():
    """Two strategies at four budgets; one has no score at the second."""
    found = []
    for n, budget in enumerate(BUDGETS):
        for record in many("anchored", "truncate", cases=CASES[:4]):
            missing = budget == 3000 and record["compactor"] == "anchored"
            lost = [fact(f"{k} at {budget}", k < n + 1, k < n + 1) for k in range(4)]
            item = f"{record['item']}-{budget}"
            found.append(known_facts(record | {"budget": budget, "item": item, "facts": lost}))
            if missing:
                found[-1] |= {"status": "unscored", "overall": None, "dimensions": {}, "facts": []}
    return found


def unscored():
    """Three strategies: some items, most and all are without a score."""
    found = many("anchored", "truncate", "said-only")
    for n, record in enumerate(found):
        every = {"anchored": 6, "truncate": 1, "said-only": 3}[record["compactor"]]
        if record["compactor"] == "truncate" or (n % every == 0) == (every == 6):
            record |= {"status": "unscored", "overall": None, "dimensions": {}, "facts": []}
    return found


def gated(now, rules, thresholds=()):
    """The page of a run of which a gate decided against ``before()``."""
    records = tuple(map(known_facts, now))
    earlier = tuple(map(known_facts, before()))
    baseline = {"anchored": Baseline("anchored", "main", "main (0044)", earlier)}
    against = decide_baseline(records, baseline, rules)
    decision = decide(records, [parse_threshold(each) for each in thresholds], 0)
    line = gate_line(decision, Failures(), records, PASS_SCORE, 0.7, against)
    outcome = "undecided" if line.text.startswith("UND") else line.text.split()[1].lower()
    return page_of([page_run(records)], gate=Gate(outcome, line.text, decision, against))


def page_run(records):
    return PageRun("0001-anchored", Run(header(), {each["item"]: each for each in records}))


GATE = BaselineRules(max_newly_gone=NewlyGone(2))
STATES = {
    "one strategy": lambda: page_of([page_run(many("anchored"))]),
    "several": lambda: page_of([page_run(many("anchored", "said-only", "truncate", "none"))]),
    "two long names": lambda: page_of([page_run(many(f"{LONG}message", f"{LONG}answer"))]),
    "budgets": lambda: page_of([page_run(at_budgets())]),
    "unscored": lambda: page_of([page_run(unscored())]),
    "failed": lambda: gated(lowered(0.5, 0.25), GATE, ["overall>=3", "accuracy>=4"]),
    "passed": lambda: gated(before(), GATE, ["overall>=3"]),
    "undecided": lambda: gated(lowered(0.5)[:6], BaselineRules()),
}
state_text = cache(lambda state: STATES[state]())
REST = ["Scores", "Scores by case"]
LOSSES = ["Survival over compactions", "Loss by class of fact"]
ORDER = {
    "one strategy": [*REST, *LOSSES],
    "several": [*REST, "Score against size", *LOSSES],
    "two long names": [*REST, "Score against size", *LOSSES],
    "budgets": [*REST, "Facts stated by budget", "Score against size", *LOSSES],
    "unscored": [*REST, *LOSSES],
    "failed": ["Gate failed", "anchored against main (0044)", "Scores", *LOSSES],
    "passed": ["Gate passed", "anchored against main (0044)", "Scores", *LOSSES],
    "undecided": ["Gate undecided", "anchored against main (0044)", "Scores", *LOSSES],
}
CUT = """
(() => {
  const right = document.documentElement.clientWidth, found = [];
  const hidden = `[hidden], .unseen, select${right < 760 ? ', thead' : ''}`;
  for (const details of document.querySelectorAll('details')) details.open = true;
  const boxes = 'section:not([hidden]) :is(th, td, li, .name, .wide)';
  for (const e of document.querySelectorAll(boxes)) {
    const box = e.getBoundingClientRect();
    if (!box.width || e.closest(hidden)) continue;
    if (box.right > right + 1 || box.left < -1) found.push(['outside', e.textContent]);
    if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible')
      found.push(['cut', e.textContent.slice(0, 80)]);
  }
  const range = document.createRange();
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (texts.currentNode.parentElement.closest(`svg, ${hidden}`)) continue;
    for (const word of texts.currentNode.data.matchAll(/\\p{L}{2,}/gu)) {
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(r => r.top));
      if (lines.size > 1) found.push(['broken', word[0]]);
    }
  }
  return found;
})()
"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def shown(browser, tmp_path):
    def show(state, address="", width=SCREEN, **more):
        path = tmp_path / "page.html"
        path.write_text(state_text(state), "utf-8")
        browser.open(path, address, (width, 900), **more)
        return browser

    return show


@pytest.mark.parametrize("width", [SCREEN, PHONE])
@pytest.mark.parametrize("state", STATES)
def test_nothing_is_cut_or_broken_and_the_parts_are_in_order(shown, state, width):
    browser = shown(state, width=width)
    assert browser.texts("#part-overview h2:not(details h2)") == ORDER[state]
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask(CUT.strip()) == []
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [SCREEN, PHONE])
@pytest.mark.parametrize("address", ["#items", "#changes"])
def test_lists_of_strategies_with_long_names_are_whole(shown, address, width):
    browser = shown("two long names", address, width)
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask(CUT.strip()) == []
    options = browser.ask("[...document.querySelectorAll('#pair option')].map(e => e.text)")
    assert len(set(options)) == 2


def test_a_failed_gate_shows_what_was_lost_before_anything_else(shown):
    browser = shown("failed")
    rules = browser.texts(".rules tbody tr")
    assert [rule.split()[0] for rule in rules] == ["fails", "holds"]
    heads = browser.texts(".compared thead th")
    assert heads[1:3] == ["baseline", "now"]
    overall, *_, removed = browser.texts(".compared tbody tr")
    assert overall.split() == ["overall", "4.25", "3.75", "-0.50", "[-0.64,", "-0.36]", "fails"]
    assert removed.startswith("tokens removed")
    assert "Newly gone (24)" in browser.texts(".changed-facts h3")
    assert "said in m012, dropped at p2, cannot be read again" in browser.text(".changed-facts li")
    falls = [row.split() for row in browser.texts(".moved tbody tr")]
    assert [row[1:4] for row in falls[:1]] == [["4.00", "3.25", "-0.75"]]
    assert sorted((row[3] for row in falls), reverse=True) == [row[3] for row in falls]
    browser.click(".changed-facts li a")
    assert browser.text("#item-title")
    assert "case-00" in browser.text(".over")


def test_a_gate_that_passes_says_that_nothing_changed(shown):
    browser = shown("passed")
    assert "no worse than main (0044)" in browser.text(".comparison .lead").lower()
    assert "12 cases did not change" in browser.text(".comparison .key")
    assert not browser.texts(".changed-facts")


def test_a_missing_point_of_a_curve_is_a_gap(shown):
    browser = shown("budgets")
    lines = browser.ask(
        "[...document.querySelectorAll('[aria-labelledby=curve-title] .curve')]"
        ".map(e => [e.textContent.trim(), e.querySelectorAll('circle').length,"
        " e.querySelectorAll('polyline').length])"
    )
    assert lines == [["anchored", 3, 1], ["truncate", 4, 1]]


def test_items_without_a_score_are_counted_beside_the_strategy(shown):
    rows = shown("unscored").texts(".matrix tbody tr")
    told = {row.split()[0]: "items without a score" in row for row in rows}
    assert told == {"anchored": True, "truncate": True, "said-only": True}
    (nothing,) = [row for row in rows if row.startswith("truncate")]
    assert "24 of 24 items without a score" in nothing
    assert "no score" in nothing


def test_long_names_and_the_case_that_got_worst_can_be_told(shown):
    browser = shown("two long names")
    names = browser.texts(".matrix tbody th a")
    assert len({name.replace("\n", "") for name in names}) == 2
    for plot in ("scatter", "survival"):
        names = f"[...document.querySelectorAll('[aria-labelledby={plot}-title] .name')]"
        assert len(set(browser.ask(f"{names}.map(e => e.textContent)"))) == 2
    lowest, *_ = browser.texts(".cases tbody tr")
    assert lowest.startswith("case-11")
    assert "answer" in lowest


def test_one_strategy_has_no_plot_of_one_dot_and_the_control_none_at_all(shown):
    assert not shown("one strategy").texts("[aria-labelledby=scatter-title]")
    browser = shown("several")
    assert "none" in browser.texts(".matrix tbody th a")
    marks = browser.texts(".by-case .mark")
    assert [mark.strip() for mark in marks] == ["anchored", "said-only", "truncate"]
