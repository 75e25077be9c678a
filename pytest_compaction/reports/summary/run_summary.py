"""The summary of a whole run, printed when it ends and when its shards are merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compaction.metrics import Pricing, production_loss
from pytest_compaction.records import Record, type_of
from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.summary.terminal import LOWEST, summary
from pytest_compaction.reports.usage import agreement_lines


def run_summary(
    records: Sequence[Record],
    order: Sequence[str],
    control: bool,
    grouped: bool,
    lowest: int = LOWEST,
    pricing: Pricing | None = None,
) -> Iterator[Line]:
    """The tables of probes and of dialogues, and how far several judges agree.

    The arguments are those of :func:`~pytest_compaction.reports.summary.terminal.summary`.
    """
    dialogues = [record for record in records if type_of(record) == "dialogue"]
    probes = [record for record in records if type_of(record) == "probe"]
    if probes or not dialogues:
        yield from summary(probes, order, control, grouped, lowest, pricing)
    if dialogues:
        from pytest_compaction.reports.dialogues.summary import dialogue_summary

        yield from dialogue_summary(dialogues, order)
    yield from agreement_lines(probes)


def left_out_lines(left_out: Sequence[str]) -> Iterator[Line]:
    """How many cases a run at the budgets on record left out; nothing if there are none."""
    if left_out:
        count = len(left_out)
        text = f"left out: {count} case{'s' if count > 1 else ''} without a recorded compaction"
        yield Line(text, "dim")


def file_lines(shown: str, records: Sequence[Record]) -> Iterator[Line]:
    """Where the records lie, and which command says what production lost if they tell it."""
    yield Line(f"records: {shown}", "dim")
    if production_loss([record for record in records if type_of(record) == "probe"]) is not None:
        text = f"what production lost, by type of fact: pytest-compaction report {shown}"
        yield Line(text, "dim")
