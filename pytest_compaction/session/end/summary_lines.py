"""The lines of a run's summary: its results, the use of models, and unused snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_compaction.models.registry import is_offline
from pytest_compaction.records.figures.cost_figures import run_pricing
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.summary.run_summary import run_summary
from pytest_compaction.reports.usage import Bill, usage_lines
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text.words import printable

if TYPE_CHECKING:
    from pytest_compaction.session.snapshots.unused import Unused


def result_lines(
    session: BenchmarkSession, records: Sequence[Record], lowest: int
) -> Iterable[Line]:
    """The tables of a run, with this many of its lowest items."""
    settings = session.settings
    return run_summary(
        records,
        [spec.text for spec in session.specs],
        settings.control,
        is_offline(settings.model),
        lowest,
        run_pricing(settings.responder, records),
    )


def left_out_rule_lines(session: BenchmarkSession) -> list[Line]:
    """The thresholds of the configuration for strategies that are not in the run, if any."""
    left_out = session.rules_left_out
    if not left_out:
        return []
    plural = "s" if len(left_out) > 1 else ""
    text = (
        f"threshold{plural} of the configuration left out, for strategies that are not in the run: "
        f"{', '.join(left_out)}"
    )
    if not session.thresholds and not session.settings.baseline.path:
        text += f"; no rule is left, so items below {session.settings.pass_score:g} fail"
    return [Line(printable(text))]


def model_use_lines(session: BenchmarkSession, records: Sequence[Record]) -> list[Line]:
    """Tokens and costs of models behind an endpoint; empty when there were none."""
    endpoints = session.endpoints
    if endpoints is None:
        return []
    accounts = endpoints.accounts
    bill = Bill(
        totals=accounts.totals(),
        notes=accounts.notes,
        prices=endpoints.prices.as_of,
        limit=session.settings.calls.max_cost,
        limit_reached=accounts.limit_reached,
        spent=accounts.spent(),
    )
    return usage_lines(records, bill)


def unused_of(config: pytest.Config) -> Unused | None:
    """The snapshots that syrupy found unused; ``None`` if syrupy takes no part in the run."""
    if getattr(config, "_syrupy", None) is None:
        return None
    from pytest_compaction.session.snapshots.unused import unused_snapshots

    return unused_snapshots(config)
