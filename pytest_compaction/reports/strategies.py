"""Several strategies at the end of a run: ranked in a table, over budgets, and by origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from pytest_compaction.metrics import (
    FEWEST_CLUSTERS,
    TOO_FEW,
    Aggregate,
    StrategyComparison,
    aggregate,
    budget_share,
    budgets_of,
    by_arm,
    compare_strategies,
    interval_method,
    is_null,
    known,
    stale_summaries,
    with_other_words,
    with_same_views,
    words_in,
)
from pytest_compaction.records import Record
from pytest_compaction.reports.lines import (
    WIDTH,
    Line,
    counted,
    interval_text,
    short_names,
    wrapped,
)
from pytest_compaction.reports.one_strategy import (
    fact_lines,
    figure_lines,
    is_constant,
    null_lines,
    result_text,
    trouble_lines,
    unread_nulls_lines,
    unscored_because,
)
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

_NAME: Final = 20
_HEADS: Final = dict(zip(DIMENSIONS, ("accu", "cntx", "arti", "cnty", "comp", "inst"), strict=True))
_FIGURES: Final = 8 + 5 * len(DIMENSIONS) + 5 + 7 + 6 + 6
_WORDS: Final = 4
_SECONDS: Final = 6
_NAMES: Final = (11, 19)
_LETTERS: Final = 6
_RUN: Final = 3
"""From more letters in a row than this on, they are written as their ends."""


def strategy_lines(
    records: Sequence[Record],
    groups: Mapping[str, Sequence[Record]],
    control: bool,
    verbose: bool,
    words: bool,
) -> Iterator[Line]:
    """A comparison, or one for each budget."""
    budgets = budgets_of(records)
    if len(budgets) < 2:
        yield from comparison(groups, control, verbose, words)
        return
    order = dict.fromkeys(r["compactor"] for group in groups.values() for r in group)
    for number, budget in enumerate(budgets):
        if number:
            yield Line("")
        title = f"{budget:,} tokens" if isinstance(budget, int) else "of the views on record"
        yield Line(f"budget {title}", "bold")
        # The control, which ignores budgets, is in all of them.
        found = by_arm([r for r in records if r.get("budget") in {None, budget}])
        ranked = {name: found[name] for name in order if name in found}
        yield from comparison({**ranked, **found}, control, verbose, words)


def comparison(
    groups: Mapping[str, Sequence[Record]], control: bool, verbose: bool, words: bool
) -> Iterator[Line]:
    """The strategies of a run, the best first; below a rule those with views over the budget.

    Strategies with the same views share a row where rules summarise. A ``control`` that rules have
    read is left out.
    """
    constant = control and CONTROL in groups and is_constant(groups[CONTROL])
    rows = with_same_views(groups)
    groups = {first: groups[first] for first, *_ in rows}
    figures = [aggregate(n, g) for n, g in groups.items() if not (constant and n == CONTROL)]
    apart = with_other_words(groups)
    between = compare_strategies(groups)
    ranked = [
        item
        for item in sorted(figures, key=_rank)
        if item.compactor not in {CONTROL, *apart} and not item.over_budget and item.overall
    ]
    yield from _result(ranked, between, groups)
    yield from strategy_table(figures, groups, between.letters if between.pairs else {}, words)
    for names in rows:
        if len(names) > 1:
            yield from wrapped(f"same views, one row: {', '.join(names)}", "dim")
    nulls = sorted(item.compactor for item in figures if is_null(item.compactor))
    if nulls:
        yield from wrapped(f"trivial baselines: {', '.join(nulls)}", "dim")
    yield from unread_nulls_lines(r for item in figures for r in groups[item.compactor])
    there = {item.compactor for item in ranked}
    best = next((name for name in between.letters if name in there), None)
    yield Line("")
    beside = {pair.second: pair for pair in between.pairs if pair.first == best}
    shown = short_names((item.compactor for item in figures), _NAME)
    for item in figures:
        name, records = item.compactor, groups[item.compactor]
        yield from fact_lines(shown[name], item, records, verbose)
        yield from figure_lines(records, groups.get(CONTROL, ()), "  ", verbose)
        if not item.too_few:
            yield from list(null_lines(records, "  "))[: None if verbose else 1]
        yield from trouble_lines(item, records, "  ")
        yield from unscored_because(records, 1)
        if name in beside and not item.too_few:
            difference = beside[name].paired.difference
            interval = interval_text(difference.interval, "+.2f")
            chance = "" if (p := beside[name].holm) is None else f", p {p:.2g}"
            value = round(difference.value, 2) + 0.0  # no -0.00
            text = f"  {value:+.2f} {interval}{chance}, from the best, "
            (first,) = short_names([beside[name].first], WIDTH - len(text)).values()
            yield Line(text + first)


def _rank(item: Aggregate) -> tuple[float, str]:
    return -(item.overall.value if item.overall else -1.0), item.compactor


def _result(
    ranked: Sequence[Aggregate],
    between: StrategyComparison,
    groups: Mapping[str, Sequence[Record]],
) -> Iterator[Line]:
    """The best strategy in a sentence, and whether it can be told from the others."""
    if not ranked:
        text = "No strategy can be ranked: each has views over the budget, or too few scores."
        yield from wrapped(text, "bad")
        return
    best, *others = ranked
    shown = short_names((item.compactor for item in ranked), 40)
    text = result_text(shown[best.compactor], best, groups[best.compactor])
    yield from wrapped(text, "bold", hanging="")
    if not others:
        return
    cases, units = _counts(ranked)
    if units < FEWEST_CLUSTERS:
        alone = "this case" if cases == 1 else f"these {cases} cases"
        alone += f" of {counted(units, 'project')}" if units < cases else ""
        text = f"The order below is that of {alone} alone: others may order them otherwise, and"
        yield from wrapped(f"{text} no interval is computed below {FEWEST_CLUSTERS}.", "warning")
        return
    same = [
        shown[pair.second]
        for pair in between.pairs
        if pair.first == best.compactor and not pair.differ and pair.second in shown
    ]
    if same:
        yield from wrapped(f"Not told apart from it at 5 %: {', '.join(same)}.", "warning")


def strategy_table(
    figures: Sequence[Aggregate],
    groups: Mapping[str, Sequence[Record]],
    letters: Mapping[str, str],
    words: bool = False,
) -> Iterator[Line]:
    """The strategies by overall score; those that are not ranked stand below a rule.

    With ``words`` a letter says who wrote the summaries. A column has the seconds of a compaction
    where a model was waited for.
    """
    apart = with_other_words(groups)

    def competes(item: Aggregate) -> bool:
        """Whether it is ranked; the control and strategies over the budget keep too much."""
        outside = item.over_budget or item.too_few or item.compactor in apart
        return item.compactor != CONTROL and not outside

    said = "survival: what the view still states, 0 to 5"
    if figures and figures[0].reading != "view":
        said = "answers: what the responder said from the view, 0 to 5"
    yield Line(said, "dim")
    short = {
        item.compactor: ""
        if item.too_few
        else printable(short_letters(letters.get(item.compactor, "")), _LETTERS)
        for item in figures
    }
    room = max(map(len, short.values()), default=0) + any(short.values())
    waited = not words and any(known()["seconds"].mean(groups[i.compactor]) for i in figures)
    figures_width = _FIGURES + words * _WORDS + waited * _SECONDS
    shortest = _NAMES[0] - _SECONDS * (words or waited)
    longest = max((len(item.compactor) for item in figures), default=0)
    width = max(shortest, min(longest, _NAMES[1], WIDTH - figures_width - room))
    names = short_names(sorted(item.compactor for item in figures), width)
    heads = "".join(f"{_HEADS[dimension]:>5}" for dimension in DIMENSIONS)
    head = f"{'compactor':<{width}}{'overall':>8}{'':<{room}}{heads}{'pass':>5}{'tokens':>7}"
    head += f" ratio{'   sec' * waited}  used{'  by' * words}"
    yield Line(head, "dim")
    outside = False
    ranked = sorted(figures, key=lambda item: (not competes(item), *_rank(item)))
    for item in ranked:
        if not competes(item) and not outside:
            outside = True
            yield Line("-" * (width + room + figures_width), "dim")
        label = f"{names[item.compactor]:<{width}}"
        row = _row(item, short[item.compactor], room, groups, words, waited)
        yield Line(f"{label}{row}".rstrip())
    notes = ["tokens: mean of views; ratio: tokens before / after; used: share of the budget"]
    if waited:
        notes.append("sec: seconds that models took for a compaction, where one was asked")
    notes += _on_words(groups) if words else ()
    if any(short.values()):
        notes.append("strategies that share a letter do not differ at 5 % (paired, Holm)")
    if any(item.too_few for item in figures):
        notes.append(f"- below the rule: {TOO_FEW}")
    if any(item.over_budget and item.compactor != CONTROL for item in figures):
        notes.append("! below the rule: views over the budget of their case, ranked apart")
    cases, units = _counts(figures)
    if units >= FEWEST_CLUSTERS:
        notes.append(f"intervals: {interval_method(cases, units)}")
    for note in notes:
        yield from wrapped(note, "dim")


_BY: Final = {
    "recorded": ("w", "recorded words of a model"),
    "stale": ("s", "recorded words, stale"),
    "rules": ("r", "rules"),
    "live": ("l", "a model, by a client of its own"),
    "none": ("-", "no model asked"),
}
"""Who writes summaries: the letter in the table, and its meaning below."""
ON_WORDS: Final = {
    "stale": "stale: recorded words that answer another request than the one that would be sent "
    "now; the header has the date of their prompt",
    "rules": "rules, which tell what the structure keeps; prompts and models have no effect",
}
"""What is said of words that are not those of a model that was asked the same."""


def _on_words(groups: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    there = {_written_by(records) for records in groups.values()}
    named = ", ".join(f"{letter} {text}" for word, (letter, text) in _BY.items() if word in there)
    yield f"by: who wrote the summaries: {named}"
    if any(map(stale_summaries, groups.values())):
        yield ON_WORDS["stale"]
    if with_other_words(groups):
        yield "below the rule: other words than recorded, compared with no strategy"


def _counts(figures: Sequence[Aggregate]) -> tuple[int, int]:
    """The most cases of a strategy, and how many with those of one project counted as one."""
    return max(
        ((item.overall.cases, item.overall.units) for item in figures if item.overall),
        default=(0, 0),
    )


def _row(
    item: Aggregate,
    letters: str,
    room: int,
    groups: Mapping[str, Sequence[Record]],
    words: bool,
    waited: bool,
) -> str:
    overall = _cell(item.overall.value if item.overall else None, 8, ".2f")
    scores = (item.dimensions.get(dimension) for dimension in DIMENSIONS)
    cells = "".join(_cell(mean.value if mean else None, 5, ".2f") for mean in scores)
    share = budget_share(groups[item.compactor])
    budget = f"{'-':>5}"
    if share is not None and item.compactor != CONTROL:
        budget = f"{share.value:>5.0%}{'!' if item.over_budget else ''}"
    passed = _cell(item.passes.get(1), 5, ".0%")
    tokens = _cell(item.view_tokens, 7, ",.0f")
    ratio = known()["ratio"].mean(groups[item.compactor])
    times = _cell(ratio.value if ratio else None, 6, ".1f")
    marked = f" {letters}" if letters else ""
    row = f"{overall}{marked:<{room}}{cells}{passed}{tokens}{times}"
    if waited:
        seconds = known()["seconds"].mean(groups[item.compactor])
        row += _cell(seconds.value if seconds else None, _SECONDS, ".1f")
    if not words:
        return f"{row}{budget}"
    return f"{row}{budget:<6}  {_BY[_written_by(groups[item.compactor])][0]}"


def _written_by(records: Sequence[Record]) -> str:
    """Who wrote the summaries of a strategy, by the key of :data:`_BY`."""
    return "stale" if stale_summaries(records) else words_in(records) or "none"


def _cell(value: float | None, width: int, form: str) -> str:
    return f"{'-' if value is None else format(value, form):>{width}}"


def short_letters(letters: str) -> str:
    """Letters of a compact display with long runs as their ends: ``abcde`` is ``a-e``."""
    runs: list[str] = []
    for before, letter in pairwise(" " + letters):
        if runs and ord(letter) == ord(before) + 1:
            runs[-1] += letter
        else:
            runs.append(letter)
    return "".join(run if len(run) <= _RUN else f"{run[0]}-{run[-1]}" for run in runs)
