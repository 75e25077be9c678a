"""The dialogues of a run in the terminal: the tables, then the outcomes of each strategy."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_compaction.dialogues.aggregates import pass_at
from pytest_compaction.dialogues.evaluation import evaluations_of_records
from pytest_compaction.metrics import by_arm, times, tokens_over
from pytest_compaction.records import Record, went_wrong_later
from pytest_compaction.reports.dialogues.tables import plain
from pytest_compaction.reports.lines import WIDTH, Line
from pytest_compaction.text import printable

_LOWEST = 3


def dialogue_summary(records: Sequence[Record], order: Sequence[str]) -> Iterator[Line]:
    """The tables of all strategies, then the outcomes of each strategy's dialogues.

    ``order`` is the order of strategies on the command line.
    """
    groups = by_arm(records)
    names = [name for name in order if name in groups]
    names += [name for name in groups if name not in names]
    ordered = [record for name in names for record in groups[name]]
    for text in plain(evaluations_of_records(ordered, pass_at(ordered)), WIDTH):
        yield Line(text)
    for name in names:
        yield Line("")
        yield from _outcome(name, groups[name])


def _outcome(name: str, records: Sequence[Record]) -> Iterator[Line]:
    statuses = Counter(record["status"] for record in records)
    counted = ", ".join(
        f"{statuses[status]} {status}"
        for status in ("passed", "failed", "unscored", "error")
        if statuses[status] or status in {"passed", "failed"}
    )
    yield Line(f"{printable(name, 40)}: {len(records)} dialogues, {counted}", "bold")
    later = sum(went_wrong_later(record) for record in records)
    if later:
        yield Line(f"  broken later {later}; went wrong after the comparison, which counts", "bad")
    histories = sorted({record["history"] for record in records if record["history"]})
    if histories:
        yield Line(f"  history      {' and '.join(histories)} answers in both arms")
    steps: Counter[str] = Counter()
    for record in records:
        steps.update(record["compaction"].get("steps", {}))
    done = ", ".join(f"{steps[status]} {status}" for status in sorted(steps))
    yield Line(f"  compactions  {done or 'none took place'}")
    over = [tokens for record in records if (tokens := tokens_over(record)) is not None]
    if over:
        most = times(max(view / budget for view, budget in over))
        said = f"{len(over)} of {len(records)} dialogues have a view over budget, up to {most} it"
        yield Line(f"  over budget  {said}", "bad")
    reasons = Counter(r["reason"] for r in records if r["status"] in {"unscored", "error"})
    for reason, number in reasons.most_common(_LOWEST):
        for line in textwrap.wrap(f"without score ({number}): {printable(reason, 300)}", WIDTH - 2):
            yield Line(f"  {line}", "bad")
    failed = [r for r in records if r["status"] == "failed" and not _passes_but_for_budget(r)]
    failed.sort(key=lambda record: (record["consistency"], record["case"]))
    if failed:
        lowest = ", ".join(f"{r['case']} {r['consistency']:.2f}" for r in failed[:_LOWEST])
        yield Line(f"  lowest       {printable(lowest, WIDTH - 15)}")


def _passes_but_for_budget(record: Record) -> bool:
    """Whether a dialogue failed for its views alone: its consistency is no reason."""
    return tokens_over(record) is not None and (record["consistency"] or 0) >= record["pass_at"]
