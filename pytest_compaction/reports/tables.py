"""The tables of a run: its strategies, long conversations, what was lost, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.metrics import (
    ALL,
    COST_HORIZON,
    DEFAULT_PRICING,
    HORIZONS,
    ORDER_FIGURES,
    TENTHS,
    Aggregate,
    BreakEven,
    ComparedLosses,
    FactLosses,
    Figure,
    LifeRow,
    LostFact,
    Mean,
    Pricing,
    ProductionLoss,
    StrategyCosts,
    TaskTokens,
    abilities_of,
    ability_mean,
    aggregate,
    by_arm,
    by_class,
    by_origin,
    cheapest,
    compared_losses,
    conversations_of,
    counts_of,
    curves,
    cycles_of,
    further,
    interval_method,
    known,
    means,
    most_lost,
    null_nuggets,
    of_origin,
    order_mean,
    production_loss,
    questions_of_tenth,
    questions_scored,
    reader_in,
    sizes_of,
    strategy_costs,
    strategy_losses,
    tenth_mean,
    tokens_per_task,
    usd_of_compaction,
    with_other_words,
    without_questions,
    words_in,
)
from pytest_compaction.records import Record
from pytest_compaction.reports.lines import read_by, short_names
from pytest_compaction.reports.observed import observed_tables, period_of_cases
from pytest_compaction.reports.table import (
    Cell,
    Columns,
    Form,
    Table,
    count,
    estimate,
    estimated,
    of,
    table,
    table_of,
)
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.settings import CONTROL, RECORDED

Groups = Mapping[str, Sequence[Record]]
_SHARE: Final = (0.0, 1.0)
_CASES: Final = "Intervals are 95 % over cases."
_STATED: Final = (
    "Stated: mean share of the facts of an item that its view states. Tokens: mean of the views."
)


def run_tables(records: Sequence[Record], pricing: Pricing | None = None) -> Iterator[Table]:
    """All tables that these records of probes allow, with costs at the prices of a model."""
    groups = by_arm(records)
    yield strategies_table(groups)
    yield from budget_tables(records)
    yield from long_memory_tables(groups)
    yield from class_tables(groups)
    yield from _curve_table(groups)
    production = production_loss(records)
    if production is not None:
        yield production_table(production)
    yield from observed_tables([period_of_cases(records)])
    prices = pricing or DEFAULT_PRICING
    yield from _loss_tables(groups, prices)
    costs = {
        name: found for name, group in groups.items() if (found := strategy_costs(group, prices))
    }
    if costs:
        yield _cost_table(costs)
    tasks = {name: tokens_per_task(group, prices) for name, group in groups.items()}
    if any(found.sessions for found in tasks.values()):
        yield _task_table(tasks, {name: group[0]["compactor"] for name, group in groups.items()})


def class_tables(groups: Groups) -> Iterator[Table]:
    """Real and scripted cases apart, and overall scores by task and by length, if there are any."""
    apart = [
        (f"{name} {origin}", item, of_origin(groups[name], origin))
        for name, figures in by_origin(groups).items()
        for origin, item in figures.items()
    ]
    if apart:
        more = _further(group for *_, group in apart)
        rows = [(Cell(name), *_figures(item, group, more)) for name, item, group in apart]
        heads = [("compactor", "compactor"), *_heads(more)]
        yield table("origins", "Real and scripted cases apart", heads, rows, [_STATED])
    found = by_class(groups)
    if not found:
        return
    heads = [("class", "task or length"), ("cases", "cases"), *((name, name) for name in groups)]
    rows = [
        (
            Cell(each.name),
            count(each.cases),
            *(estimate(each.overall[name], "number", (0, MAX_SCORE)) for name in groups),
        )
        for each in found
    ]
    yield table(
        "classes",
        "By task and by length of the session",
        heads,
        rows,
        ["Mean overall score, 0 to 5. Length: tokens of the log until its last compaction."],
    )


# Strategies


def _curve_table(groups: Groups) -> Iterator[Table]:
    """Survival by tokens of the view, and beside it with what the question brought."""
    views = {(group[0]["compactor"], group[0].get("budget")): group for group in groups.values()}
    rows = []
    for name, group in groups.items():
        parts = group[0]["compactor"].split("+")
        others = [part for part in parts if part.partition(":")[0] != "archive"]
        base = views.get(("+".join(others), group[0].get("budget"))) if others != parts else None
        if before := base or without_questions(group):
            sides = [cell for side in (before, group) for cell in _recall(aggregate("", side))]
            rows.append([Cell(name), *sides])
    heads = [("compactor", "compactor"), ("tokens", "tokens"), ("stated", "view")]
    heads += [("searched_tokens", "tokens"), ("searched", "after one search")]
    notes = [
        "View: mean share of the facts of an item that the view states as the compaction left it. "
        "Tokens: mean of the views, at the end with what the search found. Strategies that see the "
        "question at once, as rag and light do, stand with what it brought and without.",
        _CASES,
    ]
    if rows:
        yield table(
            "curve", "Recall at retained tokens, without and with archive", heads, rows, notes
        )


def _recall(item: Aggregate) -> Iterator[Cell]:
    yield count(item.view_tokens)
    yield estimate(item.stated, "share", _SHARE)


def strategies_table(groups: Groups) -> Table:
    more = _further(groups.values())
    words = {name: Cell(words_in(group) or "-") for name, group in groups.items()}
    told = any(cell.value == "recorded" for cell in words.values())
    rows = [
        (
            Cell(name),
            *([words[name]] if told else ()),
            count(len(group)),
            *_figures(aggregate(name, group), group, more),
        )
        for name, group in groups.items()
    ]
    heads = [("compactor", "compactor"), *([("words", "words")] if told else ())]
    heads += [("items", "items"), *_heads(more)]
    counts = max(map(counts_of, groups.values()))
    notes = [f"95 % intervals: {interval_method(*counts)}.", _STATED]
    if reader := reader_in(record for group in groups.values() for record in group):
        notes.append(f"V{read_by(reader)[1:]}.")
    if with_other_words(groups):
        notes.append("Rows of other words than recorded are compared with none.")
    return table("strategies", "Strategies", heads, rows, notes)


def _further(groups: Iterable[Sequence[Record]]) -> list[Figure]:
    """The figures without a place of their own that some group has."""
    found = {name for group in groups for name in means(group)}
    return [figure for figure in further("table") if figure.name in found]


def _heads(more: Sequence[Figure]) -> Iterator[tuple[str, str]]:
    for key in ("cases", "scored", "overall", "pass", "removed", "ratio", "stated", "tokens"):
        yield key, "pass^1" if key == "pass" else key
    yield from ((figure.name, figure.head) for figure in more)


def _figures(item: Aggregate, records: Sequence[Record], more: Sequence[Figure]) -> Iterator[Cell]:
    yield count(len({record["case"] for record in records}))
    yield count(item.scored)
    yield estimate(item.overall, "number", (0, MAX_SCORE))
    yield Cell(item.passes.get(1), "share")
    removed = item.tokens.removed if item.tokens.before else None
    yield Cell("grew" if removed is not None and removed < 0 else removed, "share")
    ratio = known()["ratio"].mean(records)
    yield Cell(ratio.value if ratio else None, "number")
    yield estimate(item.stated, "share", _SHARE)
    yield count(item.view_tokens)
    found = means(records) if more else {}
    for figure in more:
        form: Form = "share" if figure.kind == "share" else "number"
        limits = (figure.bounds.low, figure.bounds.high)
        yield estimate(found.get(figure.name), form, limits)


def budget_tables(records: Sequence[Record]) -> Iterator[Table]:
    """With several budgets the share of facts stated at each, and the area under the curve.

    The largest area comes first; views over the budget and missing points after all others.
    """
    found = curves(records)
    budgets = sorted({point.budget for curve in found for point in curve.points})
    ranked = []
    for curve in found:
        points = {point.budget: point for point in curve.points if point.stated is not None}
        area = curve.area if len(points) == len(budgets) else None
        over = sum(point.over_budget for point in curve.points)
        rank = over > 0, area is None, -(area.value if area else 0.0), curve.compactor
        stated = (point.stated if (point := points.get(b)) else None for b in budgets)
        shares = (estimate(mean, "share", _SHARE) for mean in stated)
        row = (Cell(curve.compactor), *shares, estimate(area, "number", _SHARE), count(over))
        ranked.append((rank, row))
    if found:
        heads = [("compactor", "compactor"), *((str(b), f"{b:,}") for b in budgets)]
        heads += [("area", "area"), ("over_budget", "over budget")]
        rows = [row for _, row in sorted(ranked, key=lambda each: each[0])]
        title = "Facts that the views state, by budget in tokens"
        yield table("budgets", title, heads, rows, [_AREA])


_AREA: Final = (
    "Area: mean height of the curve over the logarithm of the budget, 0 to 1; none where a point "
    "is missing. Over budget: cases with a view over one of the budgets."
)


def production_table(lost: ProductionLoss) -> Table:
    """Share of facts that survive, by type; at the end the mean tokens of a view."""
    heads = [("type", "type of fact"), ("facts", "facts")]
    heads += [(column.compactor, column.compactor) for column in lost.columns]
    rows: list[tuple[Cell, ...]] = [
        (
            Cell(type.replace("_", " ")),
            count(number),
            *(estimate(column.shares[type], "share", _SHARE) for column in lost.columns),
        )
        for type, number in lost.facts.items()
    ]
    tokens = (count(column.tokens) for column in lost.columns)
    rows.append((Cell("view tokens"), Cell(None, absent=""), *tokens))
    notes = [
        "Share of the facts that a view still states, asked right after a compaction on record; "
        "recorded is the view with which the agent itself went on.",
        f"95 % intervals: {interval_method(lost.cases, lost.units)}.",
        "At each point a view may take as many tokens as the one on record."
        if lost.equal_tokens
        else "The budgets are not those of the views on record: compare the tokens too.",
    ]
    without = [f"{item.compactor} {item.unscored}" for item in lost.columns if item.unscored]
    if without:
        notes.append(
            f"Of {lost.asked} items, {lost.items} have a score for every strategy; without one: "
            f"{', '.join(without)}."
        )
    if lost.absent:
        notes.append(f"Without any score, and so not shown: {', '.join(lost.absent)}.")
    return table("production", "What production compaction lost", heads, rows, notes)


# Long conversations

LONG_MEMORY: Final = ("abilities", "event_order", "evidence_place")
ABILITY: Final = 24
_NAME: Final = 40
_NULL: Final = (
    "Rules judge: the score is the share of nuggets that the view states (that the answer states "
    "where a model answers). {count} nuggets that only an answer can satisfy (abstention, form, "
    "values to calculate) are null and in no mean; a model judges them: --compaction-judge=NAME."
)
_ORDER: Final = (
    "Of the events that an answer names: precision and recall, their F1, Kendall's tau-b of the "
    "order from 0 to 1, and order times F1, which is the score of event_ordering."
)
_PLACE: Final = (
    "By the tenth of the conversation in which the evidence of a question begins; a question with "
    "evidence in several counts in each of them, and one without in none."
)


def long_memory_tables(groups: Groups) -> Iterator[Table]:
    """Abilities by size, order of events, place of the evidence, if a question has a score."""
    records = [record for group in groups.values() for record in group]
    if not questions_scored(records):
        return
    strategies = list(short_names(groups, _NAME).items())
    sizes = sizes_of(records)
    by_size: list[tuple[Cell, ...]] = []
    orders: list[tuple[Cell, ...]] = []
    for size in sizes:
        for ability in [*abilities_of(records, size), ALL]:
            found = [ability_mean(group, size, ability) for group in groups.values()]
            by_size.append((Cell(ability), Cell(size), *map(_of_one, found)))
        for figure in ORDER_FIGURES:
            found = [order_mean(group, size, figure) for group in groups.values()]
            if any(found):
                orders.append((Cell(figure), Cell(size), *map(_of_one, found)))
    notes = ["Mean score of a question, 0 to 1, over its nuggets of 0, ½ or 1.", _methods(records)]
    if nulls := null_nuggets(records):
        notes.append(_NULL.format(count=f"{nulls:,}"))
    heads = [("ability", "ability"), ("size", "size"), *strategies]
    title = "Abilities by size of the conversation"
    yield table("abilities", title, heads, by_size, notes, naming=2)
    if any(record.get("ordering") for record in records):
        heads = [("figure", "figure"), ("size", "size"), *strategies]
        yield table("event_order", "Order of events", heads, orders, [_ORDER], naming=2)
    if any(record.get("tenths") for record in records):
        rows = [
            (
                Cell(f"{tenth} of 10"),
                count(questions_of_tenth(records, tenth)),
                *map(_of_one, found),
            )
            for tenth in TENTHS
            if any(found := [tenth_mean(group, tenth) for group in groups.values()])
        ]
        heads = [("tenth", "tenth"), ("questions", "questions"), *strategies]
        title = "Score by the place of the evidence"
        yield table("evidence_place", title, heads, rows, [_PLACE])


def _of_one(mean: Mean | None) -> Cell:
    return estimate(mean, "number", _SHARE)


def _methods(records: Iterable[Record]) -> str:
    found = list(records)
    numbers = {size: conversations_of(found, size) for size in sizes_of(found)}
    if max(numbers.values()) < 2:
        return "One conversation of each size: there are no intervals."
    said = {
        size: interval_method(number) if number > 1 else "none, of one conversation"
        for size, number in numbers.items()
    }
    if len(set(numbers.values())) == 1:
        each = said[next(iter(said))]
    else:
        each = "; ".join(f"{size}: {method}" for size, method in said.items())
    return f"95 % intervals over conversations: {each}."


# What was lost


def _loss_tables(groups: Groups, prices: Pricing) -> Iterator[Table]:
    """Losses of each strategy but the control; none for records without them."""
    found = {
        name: losses
        for name, group in groups.items()
        if name != CONTROL and (losses := strategy_losses(group)) is not None
    }
    if not found:
        return
    rows = []
    for name, losses in found.items():
        before = f"{name} " if len(found) > 1 else ""
        rows.append((f"{before}all", losses.whole))
        for of_class, part in losses.classes.items():
            rows.append((f"{before}{of_class.replace('_', ' ')}", part))
    yield _losses(rows)
    yield from _survival(rows)
    runways = [(name, losses.runway) for name, losses in found.items() if losses.runway]
    if runways:
        yield table_of("runway", "Runway", _RUNWAY, runways, (_RUNWAY_NOTE, _CASES))
    cycles = [(name, each) for name in found if (each := cycles_of(groups[name])) is not None]
    if cycles:
        columns = [
            *_CYCLES,
            ("seconds", "seconds", lambda row: Cell(_each(groups[row[0]], "seconds"), "number")),
        ]
        if prices.input_usd is not None:
            columns.append(("usd", "US dollars", _usd_each(groups, prices)))
        yield table_of("cycles", "Cycles", columns, cycles, (_CYCLES_NOTE, _CASES))
    if (compared := compared_losses(groups)) is not None:
        yield _lost_by(compared)
    lost = most_lost(groups)
    if lost:
        yield table_of("most_lost", "Most lost facts", _MOST_LOST, lost, (_MOST_LOST_NOTE,))


def _half_life(bound: int | None) -> Callable[[tuple[str, FactLosses]], Cell]:
    """The half-life of facts, or one bound of its interval."""

    def cell(row: tuple[str, FactLosses]) -> Cell:
        found = row[1].half_life
        if found is None or (bound is not None and found.interval is None):
            return Cell(None, "number")
        value = found.compactions if bound is None else (found.interval or ())[bound]
        return Cell(None if math.isinf(value) else value, "number", absent="infinite")

    return cell


def _name(row: tuple[str, Any]) -> Cell:
    return Cell(row[0])


def _in(cell: Callable[[Any], Cell]) -> Callable[[tuple[str, Any]], Cell]:
    return lambda row: cell(row[1])


def _count(attribute: str) -> Callable[[tuple[str, Any]], Cell]:
    return _in(of(attribute, "count"))


_PROVED_NOTE: Final = (
    "With an archive recoverable and gone are proved: what the view before the search did not "
    "state was found by the search, or was not. Half-life: with what it found."
)


def _losses(rows: Sequence[tuple[str, FactLosses]]) -> Table:
    """Facts by strategy and class: how many survived, what became of the others, half-life."""
    answered = any(losses.unused is not None for _, losses in rows)
    columns: Columns[tuple[str, FactLosses]] = (
        ("facts_of", "facts", _name),
        ("facts", "asked", _count("facts")),
        ("survived", "survived", _in(estimated("survival", "share", _SHARE))),
        *((("unused", "unused", _count("unused")),) if answered else ()),
        ("dropped", "dropped", _count("dropped")),
        ("recoverable", "recoverable", _in(estimated("recovery", "share", _SHARE))),
        ("gone", "gone", _count("gone")),
        ("contradicted", "contradicted", _count("contradicted")),
        ("half_life", "half-life", _half_life(None)),
        ("half_life_low", "from", _half_life(0)),
        ("half_life_high", "to", _half_life(1)),
    )
    notes = [
        f"Survived: the view states it{'; unused: the answer does not' if answered else ''}. "
        "Recoverable: share of what was dropped and that the agent can read again, by a path or "
        "command that the view still names; gone: nothing leads to it. Contradicted: the view "
        "states something else.",
        *(() if not any(losses.proved for _, losses in rows) else (_PROVED_NOTE,)),
        "Half-life: compactions until half of the facts are dropped, if each drops the same share.",
        _CASES,
    ]
    return table_of("losses", "What was lost, by class of fact", columns, rows, notes)


def _survival(found: Sequence[tuple[str, FactLosses]]) -> Iterator[Table]:
    last = max((row.compaction for _, losses in found for row in losses.table), default=0)
    if not last:
        return
    numbers = range(1, last + 1)
    heads = [("facts_of", "facts"), ("facts", "observed")]
    heads += [(f"after_{number}", f"after {number}") for number in numbers]

    def share(row: LifeRow | None) -> Cell:
        survival, interval = (None, None) if row is None else (row.survival, row.interval)
        return Cell(survival, "share", estimated=True, interval=interval)

    rows = []
    for label, losses in found:
        at = {row.compaction: row for row in losses.table}
        first = at[1].at_risk if at else 0
        rows.append((Cell(label), count(first), *(share(at.get(k)) for k in numbers)))
    notes = [
        "Product-limit estimate (Kaplan and Meier). A fact is observed from the first compaction "
        "after it was said up to the point of its probe; it counts as dropped from the first one "
        "after which the view does not state it, even if it comes back.",
        _CASES,
    ]
    yield table("survival", "Survival over compactions", heads, rows, notes)


_RUNWAY: Final[Columns[tuple[str, Any]]] = (
    ("compactor", "compactor", _name),
    ("free", "free", _in(estimated("free", "count"))),
    ("least_free", "least free", _count("least_free")),
    ("free_share", "of window", _in(estimated("share", "share", (-math.inf, 1.0)))),
    ("messages", "messages", _count("messages")),
    ("least_messages", "least", _count("least_messages")),
    ("ended", "ended", _count("ended")),
    ("cut_off", "cut off", _count("cut_off")),
    ("peak_before", "peak before", _count("peak_before")),
    ("peak_after", "peak after", _count("peak_after")),
)
_RUNWAY_NOTE: Final = (
    "Free: tokens of the window that a compaction leaves. Messages: median number until the view "
    "was again as large as before; runways that were cut off by the end of their log count as "
    "longer than what was left of it. Peak: largest request before a compaction, and largest view "
    "after one, in tokens."
)


_CYCLES: Final[Columns[tuple[str, Any]]] = (
    ("compactor", "compactor", _name),
    ("sessions", "sessions", _count("sessions")),
    ("cycles", "cycles", _count("cycles")),
    ("freed", "freed", _in(estimated("freed", "share", (-math.inf, 1.0)))),
    ("least_freed", "least", _in(of("least_freed", "share"))),
    ("stuck", "stuck", _in(estimated("stuck", "share", _SHARE))),
    ("until_stuck", "stuck at", _count("until_stuck")),
)
_CYCLES_NOTE: Final = (
    "A cycle ends with a compaction of a view over its budget that has grown by a tenth or more. "
    "Freed: the share of the view that it removed. Stuck: sessions in which a cycle freed less "
    "than a tenth or left the view over its budget. Stuck at: the median number of that cycle; "
    "sessions that went on to their end count as stuck later. Seconds and dollars are those of the "
    "calls for one compaction; of recorded those that the log of the agent tells."
)


def _usd_each(groups: Groups, prices: Pricing) -> Callable[[tuple[str, Any]], Cell]:
    def cell(row: tuple[str, Any]) -> Cell:
        records = groups[row[0]]
        if records[0]["compactor"] == RECORDED:
            return Cell(_each(records, "usd"), "score")
        return Cell(usd_of_compaction(records, prices), "score")

    return cell


def _each(records: Sequence[Record], name: str) -> float | None:
    """Seconds or dollars of a compaction; of the recorded ones what the log of the agent tells."""
    recorded = records[0]["compactor"] == RECORDED
    found = known()[f"recorded_{name}" if recorded else name].mean(records)
    return None if found is None else found.value


def _lost_by(compared: ComparedLosses) -> Table:
    heads = (("lost_by", "lost by"), ("facts", "facts"), ("share", "share"))
    counts = {"every strategy": compared.by_all}
    counts |= {f"{name} alone": facts for name, facts in compared.alone.items()}
    whole = compared.facts
    rows = [
        (Cell(label), count(len(facts)), Cell(len(facts) / whole if whole else None, "share"))
        for label, facts in counts.items()
    ]
    notes = (
        f"Of {whole:,} facts that all were asked for; lost: stated in no trial, by the view. The "
        "control takes no part.",
    )
    return table("lost_by", "Facts lost by every strategy, and by one alone", heads, rows, notes)


_MOST_LOST: Final[Columns[LostFact]] = (
    ("fact", "fact", of("text", "text")),
    ("class", "class", lambda fact: Cell(fact.fact_class.replace("_", " "))),
    ("item", "item", lambda fact: Cell(f"{fact.case}-{fact.probe}")),
    ("lost", "lost", of("times", "count")),
    ("asked", "asked", of("asked", "count")),
    ("compaction", "at compaction", lambda fact: count(fact.drop.number if fact.drop else None)),
    ("point", "point", lambda fact: Cell(fact.drop.point if fact.drop else None)),
    (
        *("recoverable", "recoverable"),
        lambda fact: Cell({True: "yes", False: "no", None: None}[fact.recoverable]),
    ),
    ("evidence", "said in", lambda fact: Cell(", ".join(fact.evidence) or None)),
)
_MOST_LOST_NOTE: Final = (
    "Lost: in how many of the items that ask for it, of all strategies, trials and probes. At "
    "compaction: the earliest that dropped it, counted since it was said, and its point."
)


# What it costs


def _requests(found: BreakEven) -> Cell:
    absent = "never" if found.requests is None else "-"
    interval = None if found.requests is None else found.interval
    return Cell(found.requests, "number", absent, estimated=True, interval=interval)


_COST: Final[Columns[tuple[str, StrategyCosts]]] = (
    ("compactor", "compactor", _name),
    ("compactions", "compactions", _count("compactions")),
    ("removed", "removed", _count("removed")),
    ("removed_each", "removed each", _in(estimated("removed_each", "count"))),
    ("prefix", "prefix kept", _in(estimated("prefix", "share", _SHARE))),
    ("cached", "cached", _count("cached")),
    ("written", "written", _count("written")),
    ("calls_input", "read to summarise", _count("calls.input")),
    ("calls_output", "summaries", _count("calls.output")),
    ("cost_each", "cost each", _in(estimated("cost_each", "count"))),
    ("saving_each", "saving each", _in(estimated("saving_each", "count"))),
    ("break_even", "pays after", lambda row: _requests(row[1].break_even)),
    ("break_even_if_cached", "pays if cached", lambda row: _requests(row[1].if_cached)),
    ("refetch", "to read again", _count("refetch.tokens")),
    ("refetch_recoverable", "of that recoverable", _count("refetch.recoverable_tokens")),
    ("net_tokens", "net tokens", _count("net_tokens")),
    ("net", "net", _count("net")),
)
_DOLLARS: Final[Columns[tuple[str, StrategyCosts]]] = (
    ("cost_usd", "cost, US dollars", _in(of("cost_usd", "score"))),
    ("net_usd", "net, US dollars", _in(of("net_usd", "score"))),
)


def _prices(pricing: Pricing) -> str:
    ratios, prices = pricing.ratios, pricing.name
    if pricing.input_usd is not None:
        prices += (
            f"; read {ratios.read:g}, write {ratios.write:g}, output {ratios.output:g} times the "
            f"input price of {pricing.input_usd:g} US dollars for a million tokens"
        )
    return f"Prices: {prices}."


def _cost_table(found: Mapping[str, StrategyCosts]) -> Table:
    """Tokens removed, costs and savings of strategies at the same prices; in dollars if known."""
    pricing = next(iter(found.values())).pricing
    notes = [
        _prices(pricing),
        "Cost, saving and net are worth as many input tokens: cost of a compaction with the next "
        "request after it, saving of each later request, and net of all over "
        f"{COST_HORIZON} later requests, after reading again what was dropped. Pays after: later "
        "requests until the cost is saved; if cached: had the summariser read its input from the "
        "cache. Net tokens: removed, as often as there are requests, less the calls and what is "
        "read again.",
        "Prefix kept: share of the request before that the view begins with; cached and written "
        "are the tokens of the view that the cache holds, and the others. Intervals are 95 % over "
        "cases.",
    ]
    columns = (*_COST, *(_DOLLARS if pricing.input_usd is not None else ()))
    return table_of("cost", "What compaction costs and saves", columns, found.items(), notes)


def _part(name: str, least: float = 0) -> Callable[[tuple[str, TaskTokens]], Cell]:
    return lambda row: estimate(row[1].mean(name), "count", (least, math.inf))


_TASK: Final[Columns[tuple[str, TaskTokens]]] = (
    ("compactor", "compactor", lambda row: Cell(f"{row[0]}{', observed' * row[1].observed}")),
    ("sessions", "sessions", lambda row: count(len(row[1].sessions))),
    ("total", "total", _part("total", -math.inf)),
    ("requests", "later requests", _part("requests")),
    ("read_again", "read again", _part("read_again", -math.inf)),
    ("summaries", "summaries", _part("summaries")),
    ("sent", "tokens sent", _part("sent")),
    ("needed", "needed", lambda row: count(row[1].sum("needed"))),
    ("gone", "of that gone", lambda row: count(row[1].sum("gone"))),
)
_TASK_DOLLARS: Final[Columns[tuple[str, TaskTokens]]] = (
    ("usd", "US dollars", _in(of("usd", "score"))),
)
_TASK_NOTES: Final = (
    "An estimate: the sessions were recorded under other views, and would have gone another way. "
    "Mean of a session from its first compaction to its end, worth as many input tokens. Later "
    "requests: each with the view and the log since then, the beginning read from the cache. Read "
    "again: facts that the session needed, that the view does not state and one call reads again. "
    "Summaries: requests and replies of the compactions.",
    "Tokens sent: those of the later requests, cached or not. Gone: needed facts to which nothing "
    "in the view leads. They cost nothing here, so a strategy that forgets looks cheap.",
    _CASES,
)


def _task_table(found: Mapping[str, TaskTokens], compactors: Mapping[str, str]) -> Table:
    """The estimate of each strategy at each budget, its parts apart, and which costs least."""
    pricing = next(iter(found.values())).pricing
    columns = (*_TASK, *(_TASK_DOLLARS if pricing.input_usd is not None else ()))
    notes = [_prices(pricing), *_TASK_NOTES, *_least(found)]
    for compactor in dict.fromkeys(compactors.values()):
        arms = {name: each for name, each in found.items() if compactors[name] == compactor}
        notes += _least(arms) if 1 < len(arms) < len(found) else ()
    if seen := [each for each in found.values() if each.observed]:
        net, every = (sum(each.sum(name) for each in seen) for name in ("net", "observed"))
        notes.append(
            f"Observed: read again is what the agent fetched again in the next {HORIZONS[1]} calls "
            "after its own compactions, less the mean of as many calls far from any. That could be "
            f"taken off after {net:,} of {every:,}; the others have no such calls in their "
            "session. What the compactions cost is not on record. Estimates are not held against "
            "it."
        )
    over = [name for name, each in found.items() if each.over_budget]
    if over:
        notes.append(f"Not compared, because views are over the budget: {', '.join(over)}.")
    left_out: dict[str, dict[str, list[str]]] = {}
    for name, each in found.items():
        for case, why in each.left_out.items():
            left_out.setdefault(why, {}).setdefault(case, []).append(name)
    for why, cases in left_out.items():
        told = (
            case if len(names) == len(found) else f"{case} ({', '.join(names)})"
            for case, names in cases.items()
        )
        notes.append(f"Left out, because {why}: {', '.join(told)}.")
    return table_of("task", "Tokens per task, an estimate", columns, found.items(), notes)


def _least(found: Mapping[str, TaskTokens]) -> Iterator[str]:
    """Which of several costs least, if intervals tell."""
    best = cheapest(found)
    if best is None:
        return
    if best.alike:
        yield (
            f"No recommendation: {best.name} has the lowest total, and the interval of the "
            f"difference holds 0 for {', '.join(best.alike)}."
        )
    else:
        each = found[best.name]
        yield (
            f"{best.name} costs least: the interval of each difference is above 0. Of its "
            f"{each.sum('needed'):,} needed facts {each.sum('gone'):,} are gone."
        )
        if best.up_to is not None:
            yield f"If each of them costs more than {best.up_to:,.0f}, another costs less."
