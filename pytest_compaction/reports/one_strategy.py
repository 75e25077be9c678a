"""One strategy at the end of a run: its result in a sentence, then the figures behind it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.case import ABILITIES
from pytest_compaction.metrics import (
    CONTEXTS,
    COST_HORIZON,
    IS_CONTROL,
    ORIGINS,
    WAYS,
    Aggregate,
    Losses,
    Mean,
    NullComparison,
    Pricing,
    aggregate,
    best_null,
    compliance,
    constraint_survival,
    further,
    interval_method,
    is_needed,
    is_null,
    kept_by_dimension,
    loss_counts,
    means,
    next_unscored,
    of_origin,
    overall_mean,
    scored,
    strategy_costs,
    strategy_losses,
    survival,
    times,
    without_next_call,
)
from pytest_compaction.record import EventRecord, merged
from pytest_compaction.records import Record, went_wrong_later
from pytest_compaction.reports.items import lowest_first
from pytest_compaction.reports.lines import (
    WIDTH,
    Line,
    Style,
    counted,
    interval_text,
    removed_text,
    wrapped,
)
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

LOWEST: Final = 3
_REWRITTEN: Final = frozenset({"compacted", "truncated"})
OUTCOMES: Final = ("stated", "uncertain", "contradicted", "absent")
_NAME: Final = 14
_REASON: Final = 4 * (WIDTH - 2)
"""Characters of a reason: four lines say why a strategy could not be scored and what to do."""


# The result in a sentence


def result_text(name: str, figures: Aggregate, records: Sequence[Record]) -> str:
    """Result in a sentence: facts kept and gone for good, weakest kind, best trivial baseline."""
    losses = figures.losses
    parts = []
    if losses.facts:
        says = f"{name} keeps" if figures.reading == "view" else f"answers with {name} state"
        shares = [
            f"{_stated(each):.0%} of {each.facts:,} {what}" for what, each in losses_apart(records)
        ]
        parts.append(f"{says} {' and '.join(shares)}")
    elif figures.overall is not None:
        parts.append(f"{name} scores {figures.overall.value:.2f} of {MAX_SCORE:g}")
    if losses.dropped:
        found = strategy_losses(records)
        if found is not None and not found.whole.unknown:
            gone = found.whole.gone
            parts.append(f"{gone:,} of the {losses.dropped:,} dropped cannot be read again")
        else:
            parts.append(f"{losses.dropped:,} dropped")
    if figures.reading == "answer" and losses.unused:
        parts.append(f"{losses.unused:,} in the view and not in the answer")
    ranked = [] if figures.too_few else by_kind(records)
    if len(ranked) > 1 and ranked[-1][0] < ranked[0][0]:
        _, kind, group = ranked[-1]
        lost = loss_counts(group)
        share = f", {_stated(lost):.0%}" if lost.facts else f", {ranked[-1][0]:.2f}"
        parts.append(f"weakest: {kind}{share}")
    against = "" if figures.too_few else null_text(records)
    if against:
        parts.append(f"at equal tokens it {against}")
    if figures.over_budget and figures.compactor != CONTROL:
        over = f"{figures.over_budget} of {figures.compactions} cases"
        parts.append(f"its views are over the budget in {over}, so it cannot be compared")
    return f"{'; '.join(parts)}." if parts else ""


def nulls_by_origin(records: Sequence[Record]) -> dict[str, NullComparison]:
    """The best null at equal tokens over all cases, and over real and scripted ones if both are
    there; the mean of both says little. Empty if the strategy was not compared.
    """
    apart = {f"{origin} cases": of_origin(records, origin) for origin in ORIGINS}
    groups = {"all": records, **(apart if all(apart.values()) else {})}
    return {name: found for name, group in groups.items() if (found := best_null(group))}


def null_text(records: Sequence[Record]) -> str:
    """Whether a strategy beats the best trivial baseline, in all cases and by their origin."""
    found = nulls_by_origin(records)
    whole = found.pop("all", None)
    if whole is None:
        return ""
    parts = []
    for name, apart in found.items():
        over = "" if apart.null == whole.null else f" over {apart.null}"
        noise = "" if apart.result in {"beats", "is beaten by"} else ", within noise"
        parts.append(f"{name} {apart.difference.value:+.2f}{over}{noise}")
    result = f"{whole.result} {whole.null}, the best trivial baseline"
    more = f" ({'; '.join(parts)})" if parts else ""
    return f"{result}: {whole.difference.value:+.2f}{more}"


def null_lines(records: Sequence[Record], indent: str = "") -> Iterator[Line]:
    """The same with intervals, a line for all cases and one for each origin."""
    for name, found in nulls_by_origin(records).items():
        interval = interval_text(found.difference.interval, "+.2f")
        label = "at equal tokens" if name == "all" else f"  {name}"
        points = f"{found.difference.value:+.2f} {interval}"
        text = f"{label} {found.result} {found.null}, the best null: {points}"
        style: Style = "good" if found.result == "beats" else "plain"
        yield Line(indent + text[: WIDTH - len(indent)], style)


def unread_nulls_lines(records: Iterable[Record]) -> Iterator[Line]:
    """How to compare items with the nulls that a run left out because nobody wanted a report."""
    items = sum(
        survival(record) is not None
        and record.get("nulls") == {}
        and "reader" not in record
        and "nuggets" not in record
        and record["compactor"] != CONTROL
        and not is_null(record["compactor"])
        for record in records
    )
    if items:
        text = f"nulls not read for {items:,} items; -v or --compaction-report=PATH reads them"
        yield Line(text, "dim")


# One strategy


def one_strategy(
    name: str,
    records: Sequence[Record],
    control: Sequence[Record],
    verbose: bool,
    pricing: Pricing,
) -> Iterator[Line]:
    """The result, dimensions, kinds, and what was wrong; with ``verbose`` the rest."""
    figures = aggregate(name, records)
    yield from wrapped(result_text(printable(name, 40), figures, records), "bold", hanging="")
    yield from _scores(figures, records, control)
    yield from _beside(figures, records)
    overall = figures.overall
    if overall is not None and (verbose or overall.interval is None):
        yield Line(f"intervals: {interval_method(overall.cases, overall.units)}", "dim")
    if verbose:
        yield from fact_lines("facts", figures, records, verbose)
        yield from loss_lines(records)
        yield from cost_lines(records, pricing)
        if not figures.too_few:
            yield from null_lines(records)
    yield from figure_lines(records, control, "", verbose)
    yield from unread_nulls_lines(records)
    yield from trouble_lines(figures, records, "")
    yield from unscored_because(records)


def fact_lines(
    title: str, item: Aggregate, records: Sequence[Record], verbose: bool
) -> Iterator[Line]:
    """How facts were read; with ``verbose`` traps, the reading that does not lead, and steps."""
    losses = item.losses
    outcomes = ", ".join(f"{losses.outcomes.get(name, 0)} {name}" for name in OUTCOMES)
    yield Line(printable(f"{title}: {outcomes}", WIDTH))
    if not verbose:
        return
    parts = [f"{losses.hit} of {losses.traps} traps hit"]
    parts += [] if losses.unused is None else [f"{losses.unused} unused"]
    if item.second is not None:
        other = "answers" if item.reading == "view" else "survival"
        parts.append(f"{other} {item.second.value:.2f}")
    kept = constraint_survival(records)
    parts += [] if kept is None else [f"constraints {kept.value:.0%}"]
    parts += [f"{count} {status}" for status, count in item.steps.items()]
    yield from wrapped(", ".join(parts), indent="  ")


def loss_lines(records: Sequence[Record]) -> Iterator[Line]:
    """How many facts were dropped, which of them can be had again, and the half-life of facts."""
    if (found := strategy_losses(records)) is None:
        return
    losses, half = found.whole, found.whole.half_life
    said = f"losses: none of {losses.facts:,} facts dropped"
    if losses.dropped:
        said = f"losses: {losses.dropped:,} dropped: {losses.recoverable:,} recoverable"
        said += f", {losses.gone:,} gone"
        said += f", {losses.unknown:,} unknown" if losses.unknown else ""
        said += ", proved by a search" if losses.proved else ""
    if half is not None:
        said += f"; half-life {_life(half.compactions)}"
        said += f" [{', '.join(map(_life, half.interval))}]" if half.interval else ""
    yield from wrapped(said)


def _life(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.1f}"


def cost_lines(records: Sequence[Record], pricing: Pricing) -> Iterator[Line]:
    """Tokens removed, when that has paid for itself, and tokens to read again what was lost."""
    if (found := strategy_costs(records, pricing)) is None:
        return
    paid = found.break_even
    pays = "never pays for itself" if paid.requests is None else "pays at once"
    if paid.requests:
        within = f" [{', '.join(map(_requests, paid.interval))}]" if paid.interval else ""
        pays = f"pays after {_requests(paid.requests)}{within} requests"
    change = "removed" if found.removed >= 0 else "added"
    said = f"cost: {short_count(abs(found.removed))} tokens {change}; {pays}; "
    said += f"{short_count(found.refetch.tokens)} to read again"
    if found.net_usd is not None:
        word = "saves" if found.net_usd >= 0 else "costs"
        said += f"; {word} {abs(found.net_usd):,.4f} US dollars over {COST_HORIZON} requests"
    yield from wrapped(f"{said}; prices {printable(pricing.name, WIDTH)}")


def _requests(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def short_count(tokens: int) -> str:
    """Tokens in thousands or millions from 10,000 on, such as ``71k`` and ``1.67M``."""
    if tokens < 10_000:
        return f"{tokens:,}"
    return f"{tokens / 1_000:,.0f}k" if tokens < 999_500 else f"{tokens / 1_000_000:,.2f}M"


def figure_lines(
    records: Sequence[Record], control: Sequence[Record], indent: str, verbose: bool
) -> Iterator[Line]:
    """Seconds and calls of a compaction, further figures, forced choices, and next actions."""
    found = means(records, control)
    if "seconds" in found:
        said = f"{found['seconds'].value:.1f} s, {found['calls'].value:.1f} calls"
        yield Line(f"{indent}a compaction took models {said}")
    for figure in further("verbose" if verbose else "terminal"):
        mean = found.get(figure.name)
        form = ".0%" if figure.kind == "share" else ".2f"
        if mean is not None:
            interval = interval_text(figure.within(mean.interval), form)
            yield Line(
                f"{indent}{printable(figure.head, 24)} {format(mean.value, form)} {interval}"
            )
    yield from compliance_lines(records, control, indent)
    yield from next_action_lines(records, indent)


def _scores(
    figures: Aggregate, records: Sequence[Record], control: Sequence[Record]
) -> Iterator[Line]:
    """The dimensions and the overall score, with the control where it is a measurement."""
    measured = () if figures.too_few or is_constant(control) else control
    kept = kept_by_dimension(records, measured) if measured else {}
    head = "survival by type of fact" if figures.reading == "view" else "answers"
    sure = figures.overall is not None and figures.overall.interval is not None
    head += ", 0 to 5, 95%" if sure else ", 0 to 5"
    yield Line(head + (f"{'control':>{44 - len(head)}}{'kept':>7}" if kept else ""), "dim")
    for dimension in DIMENSIONS:
        yield Line(_row(dimension, figures.dimensions.get(dimension), kept))
    yield Line(_row("overall", figures.overall, kept), "bold")


def is_constant(control: Sequence[Record]) -> bool:
    """Whether a control scores 5 by construction, since rules have read whole logs."""
    found = scored(control)
    return bool(found) and all(
        record.get("reading", "view") == "view" and record["overall"] == MAX_SCORE
        for record in found
    )


def _row(name: str, mean: Mean | None, kept: Mapping[str, tuple[float, float | None]]) -> str:
    if mean is None:
        return f"{name:<{_NAME}}{'-':>4}"
    within = interval_text(mean.interval, limits=(0, MAX_SCORE)) if mean.interval else ""
    line = f"{name:<{_NAME}}{mean.value:.2f}  {within:<12}"
    if name in kept:
        other, share = kept[name]
        line += f"{other:>12.2f}" + (f"{share:>7.0%}" if share is not None else f"{'-':>7}")
    return line.rstrip()


def _beside(figures: Aggregate, records: Sequence[Record]) -> Iterator[Line]:
    """The kinds, Pass^1, and the tokens of logs and views."""
    if not figures.too_few:
        yield from kind_lines(records)
    for k in sorted({1, max(figures.passes, default=1)} & set(figures.passes)):
        passed = f" ({figures.statuses.get('passed', 0)} of {figures.scored} items)"
        yield Line(f"Pass^{k}  {figures.passes[k]:.1%}{passed if k == 1 else ''}")
    tokens = figures.tokens
    if tokens.before:
        removed = f"{removed_text(tokens.removed)} removed"
        grew = f"nothing removed: {times(tokens.after / max(tokens.before, 1))} the logs"
        yield Line(f"tokens  {tokens.before:,} -> {tokens.after:,}")
        yield Line(f"        {removed if tokens.removed >= 0 else grew}")


def by_kind(records: Sequence[Record]) -> list[tuple[float, str, list[Record]]]:
    """The mean score and the items of each kind but abilities of memory, the best first."""
    groups: dict[str, list[Record]] = {}
    for record in scored(records):
        if record["kind"] not in ABILITIES:
            groups.setdefault(record["kind"], []).append(record)
    rows = [
        (mean.value if (mean := overall_mean(group)) else 0.0, kind, group)
        for kind, group in groups.items()
    ]
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def losses_apart(records: Sequence[Record]) -> list[tuple[str, Losses]]:
    """The facts needed later and those stated only; all facts together if none is needed."""
    groups = {
        name: [
            merged(record, {"facts": [f for f in record["facts"] if is_needed(f) == needed]})
            for record in records
        ]
        for name, needed in (("needed facts", True), ("stated only", False))
    }
    found = [(name, loss_counts(group)) for name, group in groups.items()]
    needed, others = (losses for _, losses in found)
    return [each for each in found if each[1].facts] if needed.facts else [("facts", others)]


def kind_lines(records: Sequence[Record]) -> Iterator[Line]:
    """A row for each of several kinds of questions, the best first."""
    rows = by_kind(records)
    if len(rows) < 2:
        return
    reading = "kept" if rows[0][2][0].get("reading") == "view" else "said"
    every = [r for *_, group in rows for r in group]
    columns = [name for name, _ in losses_apart(every)]
    if columns == ["facts"]:
        answered = loss_counts(every).unused is not None
        head = f"{'asked about':<12}{'facts':>6}{reading:>6}{'dropped':>8}"
        yield Line(f"{head}{'unused' if answered else '':>{7 * answered}}{'score':>6}", "dim")
        for score, kind, group in rows:
            lost = loss_counts(group)
            share = f"{_stated(lost):.0%}" if lost.facts else "-"
            unused = f"{lost.unused or 0:>7}" if answered else ""
            cells = f"{lost.facts:>6}{share:>6}{lost.dropped:>8}{unused}"
            yield Line(f"{printable(kind, 12):<12}{cells}{score:>6.2f}")
        return
    yield Line(f"{f'facts {reading}':<12}{''.join(f'{n:>13}' for n in columns)}  score", "dim")
    for score, kind, group in rows:
        apart = {name: losses for name, losses in losses_apart(group) if losses.facts}
        cells = "".join(
            f"{_stated(apart[name]):>5.0%} of {apart[name].facts:>4}"
            if name in apart
            else f"{'-':>13}"
            for name in columns
        )
        yield Line(f"{printable(kind, 12):<12}{cells}{score:>7.2f}")


def _stated(losses: Losses) -> float:
    return losses.outcomes.get("stated", 0) / losses.facts


def trouble_lines(item: Aggregate, records: Sequence[Record], indent: str) -> Iterator[Line]:
    """Items outside the figures, and reasons why these cannot be compared, in one paragraph."""
    parts = [
        f"{n} {status}" for status in ("unscored", "error") if (n := item.statuses.get(status))
    ]
    if parts:
        few = f"{item.scored} of {item.items} items have a score: less than half would mislead"
        others = f"the figures are of the other {item.scored} items"
        parts.append(few if item.too_few else others if item.scored else "none has a score")
    later = sum(went_wrong_later(record) for record in records)
    parts += [f"{later} went wrong after the verdict, which counts"] if later else []
    if item.compactor != CONTROL:
        if item.listed:
            parts.append(
                f"{item.listed} views are mostly a list of names, without a sentence on them"
            )
        if item.steps.get("noop"):
            parts.append(f"{item.steps['noop']} compactions did nothing")
        if item.steps.get("failed"):
            parts.append(f"{item.steps['failed']} compactions failed")
        parts += notes_on_summaries(records)
        if item.over_budget:
            parts.append(f"{item.over_budget} of {item.compactions} cases over budget")
    yield from wrapped("; ".join(parts), "bad", indent)


def notes_on_summaries(records: Sequence[Record]) -> Iterator[str]:
    """How many rewritten views have no summary behind them: no model was called, though one is at
    others, or a text of the framework stands in its place."""
    last: dict[tuple[str, int], Sequence[EventRecord]] = {}
    for record in records:
        events = (record["compaction"] or {}).get("events", ())
        key = record["case"], record["trial"]
        last[key] = max(last.get(key, ()), events, key=len)
    rewritten = [e for events in last.values() for e in events if e["status"] in _REWRITTEN]
    silent = sum(not event.get("calls") for event in rewritten)
    if 0 < silent < len(rewritten):
        yield f"{silent} of {len(rewritten)} compactions made no model call"
    held = Counter(event["placeholder"] for event in rewritten if event.get("placeholder"))
    for text, count in held.items():
        yield f'{count} of {len(rewritten)} views hold "{text}" in place of a summary'


def unscored_because(records: Iterable[Record], count: int = 3) -> Iterator[Line]:
    """The most frequent reasons for which items could not be scored, or facts not be read."""
    records = list(records)
    reasons = Counter(r["reason"] for r in records if r["status"] == "unscored")
    for reason, number in reasons.most_common(count):
        text = printable(f"not scored ({number}): {reason}".rstrip(), _REASON)
        yield from wrapped(text, "bad")
    unread = Counter(fact["why"] for r in records for fact in r.get("unread", ()))
    for why, number in unread.most_common(count):
        facts = "fact counts" if number == 1 else "facts count"
        text = f"not read: {number} {facts} neither as kept nor as lost, because {why}"
        yield from wrapped(printable(text, _REASON), "bad")


def compliance_lines(
    records: Sequence[Record], control: Sequence[Record], indent: str
) -> Iterator[Line]:
    """How many choices comply with standing constraints, the shares, and effect retention."""
    chosen = compliance(records, control)
    if chosen is None:
        return
    share = "no choice could be read"
    if chosen.compacted is not None:
        interval = interval_text(chosen.compacted.interval, ".0%", (0.0, 1.0))
        share = f"{chosen.compacted.value:.0%} {interval} of {chosen.compacted.count} choices"
    yield Line(f"{indent}compliance {share}")
    found = chosen.retained
    if found.reason == IS_CONTROL:
        return
    shares = ", ".join(f"c_{name} {mean.value:.0%}" for name, mean in chosen.paired.items())
    worth = f"not defined: {found.reason}" if found.value is None else f"{found.value:.2f}"
    yield from wrapped(f"{f'{shares}; ' if shares else ''}ER {worth}", indent=f"{indent}  ")


def next_action_lines(records: Sequence[Record], indent: str) -> Iterator[Line]:
    """How far the next action is known, the shares behind it, and the points without one."""
    figures = means(records)
    for way in WAYS:
        shares = {c: mean for c in CONTEXTS if (mean := figures.get(f"next_{way}_{c}")) is not None}
        if not shares:
            continue
        kept = figures.get(f"next_{way}")
        told = ", ".join(f"{context} {mean.value:.0%}" for context, mean in shares.items())
        if kept is not None:
            told = f"{kept.value:.0%} {interval_text(kept.interval, '.0%')}; {told}"
        elif len(shares) == len(CONTEXTS):
            told = f"not defined, no lead of the full log over the tail is shown; {told}"
        points = counted(shares["view"].count, "point")
        yield from wrapped(f"next {way}: {told} of {points}", indent=indent)
    if unscored := next_unscored(records):
        text = counted(unscored, "next action")
        text += " without a score, left out: see notes in the record"
        yield from wrapped(text, "dim", f"{indent}  ")
    if missing := without_next_call(records):
        cases = ", ".join(printable(f"{case} ({', '.join(p)})", 60) for case, p in missing.items())
        yield from wrapped(f"no next call in the log, left out: {cases}", "dim", f"{indent}  ")


def lowest_lines(records: Sequence[Record], most: int) -> Iterator[Line]:
    """The lowest items with the reason of each score, and how many did not pass."""
    ranked = lowest_first(records)
    if not ranked or not most:
        return
    yield Line("")
    failed = sum(record["status"] == "failed" for record in ranked)
    count = min(most, len(ranked))
    of = f"lowest {count} of {failed} that did not pass" if failed > count else "lowest items"
    yield Line(of, "dim")
    several = any(record["trial"] > 1 for record in records)
    for record in ranked[:count]:
        trial = f"-t{record['trial']}" if several else ""
        name = printable(f"{record['case']}-{record['probe']}{trial}", WIDTH - 9)
        yield Line(f"  {record['overall']:.2f}  {name}")
        if record["reason"]:
            yield Line(f"        {printable(record['reason'], WIDTH - 9)}")
