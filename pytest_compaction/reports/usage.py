"""Lines of the summary: tokens and costs of real models, and the agreement of several judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_compaction.metrics import krippendorff_alpha
from pytest_compaction.models import PriceTable, Total, Usage, ratio_text
from pytest_compaction.records import ROLES, Record, Use, uses
from pytest_compaction.reports.lines import Line, short_names, wrapped
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.models import Estimate


@dataclass(frozen=True, slots=True)
class Bill:
    """What the accounts of a run say at its end; ``limit`` and ``spent`` are US dollars."""

    totals: Sequence[Total]
    notes: Sequence[str]
    prices: str
    limit: float | None = None
    limit_reached: bool = False
    spent: float = 0.0
    checks: Sequence[str] = ()


def usage_lines(records: Sequence[Record], bill: Bill) -> Iterator[Line]:
    """The block on usage: use by role, cost of this run, and the limit that stopped it."""
    yield from usage_table(records)
    yield from wrapped(_paid(bill))
    if bill.limit_reached:
        missing = sum("unpaid" in record for record in records)
        yield from wrapped(
            f"stopped: --compaction-max-cost={bill.limit:g} left no room for another call; "
            f"{missing} items were not paid for. Run again with a higher limit: what was paid "
            "for is in the store",
            "bad",
        )
    for table in bill.checks:
        for number, line in enumerate(table.splitlines()):
            yield Line(f"endpoint check: {line}" if number == 0 else line, "dim")
    for note in bill.notes:
        yield from wrapped(f"note: {note}", "bad")


def usage_table(records: Sequence[Record]) -> Iterator[Line]:
    """Use by role and its sum; calls that the store answered are part of it."""
    by_arm = uses(records)
    if not by_arm:
        return

    def row(name: str, use: Use) -> str:
        usage = use.usage
        usd = "-" if use.usd is None else f"{use.usd:.4f}"
        return (
            f"{name:<19}{usage.calls:>7,}{usage.input_tokens:>13,}{usage.cached_tokens:>13,}"
            f"{usage.output_tokens:>12,}{usd:>13}"
        )

    yield Line("")
    heads = f"{'calls':>7}{'input':>13}{'cached':>13}{'output':>12}{'US dollars':>13}"
    yield Line(f"{'model use':<19}{heads}", "dim")
    for role in ROLES:
        mine = {name: use for (of, name), use in by_arm.items() if of == role}
        if mine:
            yield Line(row(role, sum(mine.values(), Use())))
        if role == "compaction" and len(mine) > 1:
            shown = short_names(mine, 16)
            for name, use in mine.items():
                if use.usage.calls:
                    yield Line(row(f"  {shown[name]}", use), "dim")
    total = sum(by_arm.values(), Use())
    yield Line(row("total", total), "bold")
    if total.usage.own_tokens:
        yield from wrapped(ratio_text(total.usage.own_tokens))


def _paid(bill: Bill) -> str:
    calls = sum(total.paid.calls for total in bill.totals if total.role != "check")
    checks = sum(total.paid.calls for total in bill.totals if total.role == "check")
    stored = sum(total.stored for total in bill.totals if total.role != "check")
    text = f"this run: {calls:,} calls made"
    paid = [total for total in bill.totals if total.paid.calls]
    unpriced = sorted({total.model for total in paid if total.usd is None})
    if unpriced:
        text += f", no price is known for {printable(', '.join(unpriced))}"
    elif paid:
        text += f" for {bill.spent:.4f} US dollars (prices of {bill.prices})"
    if checks:
        text += f", besides {checks:,} to check the endpoint"
    return f"{text}; {stored:,} came from the store"


def estimate_sentence(found: Estimate, prices: PriceTable) -> str:
    """The expected cost of a run in one line, as a range if it depends on the replies."""
    if not found.calls and not found.stored:
        return "no model is asked for anything"
    if not found.calls:
        return f"nothing to pay: all {found.stored:,} model calls are in the store"
    usage = found.usage
    models = sorted({part.model for part in found.planned if part.usage.calls})
    cost = f"no price known at {prices.host}"
    if found.usd is not None:
        cost = f"about {found.usd:.4f} US dollars (prices of {prices.edition})"
    text = (
        f"about {found.calls:,} calls to {', '.join(models)}, {usage.input_tokens:,} tokens in "
        f"and {usage.output_tokens:,} out, {cost}"
    )
    if found.ends:
        ends = [
            f"{end.calls:,} calls{'' if end.usd is None else f' for {end.usd:.4f}'}"
            for end in found.ends
        ]
        text += f"; between {ends[0]} with short replies and {ends[-1]} with long ones"
    if found.stored:
        text += f"; {found.stored:,} more are in the store"
    if found.assumed:
        text += f"; a sliding window stands in for {', '.join(found.assumed)}"
    return text


def estimate_lines(found: Estimate, prices: PriceTable) -> Iterator[Line]:
    def row(name: str, stored: int, usage: Usage, usd: float | None) -> str:
        cost = "-" if usd is None else f"{usd:.4f}"
        return (
            f"{name:<29}{usage.calls:>7,}{stored:>8,}{usage.input_tokens:>12,}"
            f"{usage.output_tokens:>11,}{cost:>12}"
        )

    heads = f"{'calls':>7}{'stored':>8}{'input':>12}{'output':>11}{'US dollars':>12}"
    yield Line(f"{'':<29}{heads}", "dim")
    for part in found.planned:
        name = f"{part.role:<12}{printable(part.model, 17)}"
        yield Line(row(name, part.stored, part.usage, part.usd))
    yield Line(row("total", found.stored, found.usage, found.usd), "bold")
    for name, end in zip(("short", "long"), found.ends, strict=False):
        yield Line(row(f"  with {name} replies", end.stored, end.usage, end.usd), "dim")
    yield Line("")
    sentence = estimate_sentence(found, prices)
    yield from wrapped(f"{sentence[0].upper()}{sentence[1:]}. Nothing was asked.")
    if found.calls and found.own_tokens:
        told = ratio_text(found.own_tokens)
        yield from wrapped(f"Input is told in tokens of the models ({told}).", "dim")
    if found.ends:
        yield from wrapped(
            "Logs are compacted by size here, so the number of calls depends on the length of "
            "the summaries, which is not known yet. Even the range is an estimate.",
            "dim",
        )
    if found.assumed:
        text = "Strategies that are not part of the package are not run for an estimate."
        yield from wrapped(text, "dim")


def agreement_lines(records: Sequence[Record]) -> Iterator[Line]:
    """The mean score of each of several judges, why it gave none, and Krippendorff's alpha."""
    said: dict[str, list[Mapping[str, Any]]] = {}
    panels = [panel for record in records if len(panel := record.get("judges") or ()) > 1]
    for judge in (judge for panel in panels for judge in panel):
        said.setdefault(judge["name"], []).append(judge)
    if said:
        yield Line("")
        yield Line("judges", "dim")
    for name, verdicts in said.items():
        given = [judge["overall"] for judge in verdicts if judge["overall"] is not None]
        mean = f"mean {sum(given) / len(given):.2f}" if given else "no score"
        text = f"  {printable(name, 40):<40}  {mean} ({len(given)} of {len(verdicts)} items)"
        yield Line(text, "plain" if given else "bad")
        reasons = Counter(judge["unscored"] for judge in verdicts if judge.get("unscored"))
        if reasons:
            reason, count = min(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
            others = reasons.total() - count
            more = f"; {others} more for other reasons" if others else ""
            yield from wrapped(f"unscored {count}: {printable(reason, 300)}{more}", "bad", "    ")
    if said:
        yield _alpha("overall", [[judge["overall"] for judge in panel] for panel in panels])
        single = [
            [judge["criteria"].get(criterion) for judge in panel]
            for panel in panels
            for criterion in sorted({name for judge in panel for name in judge["criteria"]})
        ]
        if single or not any(record.get("nuggets") for record in records):  # without criteria
            yield _alpha("criterion", single)
        yield from wrapped("how far they agree: pytest-compaction agree RUN", "dim", "  ")


def _alpha(what: str, units: Sequence[Sequence[float | None]]) -> Line:
    compared = sum(sum(value is not None for value in unit) > 1 for unit in units)
    if not compared:
        thing = "item" if what == "overall" else "criterion of an item"
        text = f"is not defined: no {thing} was scored by two judges"
    else:
        alpha = krippendorff_alpha(units)
        figure = "is not defined: nothing varies" if alpha is None else f"{alpha:.2f}"
        text = f"{figure} ({compared} {what} scores)"
    return Line(f"  Krippendorff's alpha {text}")
