"""A run as JSON with a published schema, ``reports/report.schema.json``: figures, and no texts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from pytest_compaction.gate import ArmComparison
from pytest_compaction.metrics import (
    FEWEST_CLUSTERS,
    FactChanges,
    Mean,
    by_class,
    compare_strategies,
    counts_of,
    is_needed,
    is_stated,
)
from pytest_compaction.record import Record
from pytest_compaction.records import TEXTS, finite, row_of
from pytest_compaction.reports.ab import AB, versions_of
from pytest_compaction.reports.changes import fact_json
from pytest_compaction.reports.finished_run import (
    TOO_FEW_CASES,
    FinishedRun,
    Measured,
    StrategyFigures,
    figures_of_strategies,
)
from pytest_compaction.reports.finished_run import shown_name as item_name
from pytest_compaction.reports.one_strategy import nulls_by_origin
from pytest_compaction.reports.table import json_table
from pytest_compaction.reports.tables import run_tables
from pytest_compaction.settings import CONTROL

FORMAT: Final = "pytest-compaction-report"
VERSION: Final = 1
"""Rises when a reader of an older report could misread a newer one; new keys do not raise it."""
SCHEMA: Final = "report.schema.json"
_DECIDED: Final = {True: "passed", False: "failed"}
_OUTCOMES: Final = {"holds": "passed", "worse": "failed", "undecided": "inconclusive"}


def report_json(run: FinishedRun, versions: Sequence[AB] | None = None) -> str:
    """The report as indented JSON that any parser takes: no NaN, ASCII alone.

    ``versions`` stand in place of those that are found in the run.
    """
    return json.dumps(finite(report_data(run, versions)), indent=2, allow_nan=False) + "\n"


def report_data(run: FinishedRun, versions: Sequence[AB] | None = None) -> dict[str, Any]:
    """The report as plain JSON; every figure has an interval or the reason why it has none."""
    found = versions_of(run.strategies(), run.header) if versions is None else versions
    probes = run.of_type("probe")
    tables = run_tables(probes, run.pricing()) if probes else ()
    header = run.header
    shard: Any = header.get("shard")
    sharded = isinstance(shard, dict)
    return {
        "format": FORMAT,
        "version": VERSION,
        "run": {
            "records": run.name or None,
            "complete": run.complete,
            "shard": {key: shard.get(key) for key in ("index", "count")} if sharded else None,
            "versions": header.get("versions") or {},
            "cases": header.get("cases") or {},
            "items": len(run.records),
        },
        "settings": header.get("settings") or {},
        **({"words": words} if (words := header.get("words")) else {}),
        "strategies": [_strategy(found) for found in figures_of_strategies(run)],
        "comparisons": [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": _mean(pair.paired.difference),
                "p": pair.paired.p,
                "p_holm": pair.holm,
                "differ": pair.differ,
                "items": {
                    "better": pair.paired.wins,
                    "same": pair.paired.ties,
                    "worse": pair.paired.losses,
                },
                "detectable": pair.paired.detectable,
            }
            for pair in compare_strategies(run.strategies()).pairs
        ],
        "ab": list(map(_versions, found)),
        "classes": [
            {
                "kind": each.kind,
                "name": each.name,
                "cases": each.cases,
                "overall": {n: None if m is None else _mean(m) for n, m in each.overall.items()},
            }
            for each in by_class(run.strategies())
        ],
        "figures": header.get("figures") or {},
        "tables": {each.name: json_table(each) for each in tables},
        "gate": {"outcome": run.outcome, "line": run.line or None, "rules": list(_rules(run))},
        "baselines": list(map(_baseline, run.against.comparisons)),
        "items": [
            {name: value for name, value in row_of(record).items() if name not in TEXTS}
            | {
                "needed": [
                    {"text": f["text"], "why": f["needed"].get("why"), "stated": is_stated(f)}
                    for f in filter(is_needed, record.get("facts") or ())
                ]
            }
            for record in run.records
        ],
    }


def _strategy(found: StrategyFigures) -> dict[str, Any]:
    item = found.aggregate
    return {
        "name": found.name,
        "compactor": found.compactor,
        "budget": found.budget,
        "control": found.compactor == CONTROL,
        "reading": item.reading,
        "cases": found.cases,
        "items": item.items,
        "statuses": dict(sorted(item.statuses.items())),
        "figures": {name: asdict(figure) for name, figure in found.figures.items()},
        "tokens": {
            "log": item.tokens.before,
            "view": item.tokens.after,
            "mean_view": item.view_tokens,
        },
        "facts": {
            "asked": item.losses.facts,
            "dropped": item.losses.dropped,
            "unused": item.losses.unused,
            "outcomes": dict(sorted(item.losses.outcomes.items())),
        },
        "traps": {"asked": item.losses.traps, "hit": item.losses.hit},
        "nulls": {
            cases.removesuffix(" cases"): {
                "null": each.null,
                "result": each.result,
                "difference": _mean(each.difference),
            }
            for cases, each in nulls_by_origin(found.records).items()
        },
        "compactions": dict(item.steps),
        "over_budget": item.over_budget,
    }


def _versions(ab: AB) -> dict[str, Any]:
    names = [version.name for version in ab.versions]
    return {
        "versions": [
            {"name": name, **asdict(total)} for name, total in zip(names, ab.totals, strict=True)
        ],
        "changes": [
            {
                "from": names[0],
                "to": name,
                "figures": {
                    each.name: {
                        "before": each.both.first,
                        "now": each.both.second,
                        "difference": _mean(each.both.paired.difference),
                        "noise": each.noise,
                        "p_holm": each.p,
                    }
                    for each in changes.figures
                },
                "null": changes.null,
                "facts": _names(changes.facts),
            }
            for name, changes in zip(names[1:], ab.changes, strict=True)
        ],
    }


def _rules(run: FinishedRun) -> Iterator[dict[str, Any]]:
    for check in () if run.decision is None else run.decision.checks:
        reason = None
        if check.interval is None:
            few = counts_of(run.records)[1] < FEWEST_CLUSTERS
            reason = TOO_FEW_CASES if few else "no interval is computed for this figure"
        decided = _DECIDED[check.holds]
        yield _rule(check.rule, decided, check.text, check.interval, reason, check.items)
    for each in run.against.comparisons:
        for rule in each.rules:
            reason = TOO_FEW_CASES if rule.compared.interval is None else None
            found = rule.check.rule, _OUTCOMES[rule.outcome], rule.check.text
            yield _rule(*found, rule.compared.interval, reason)
        if (gone := each.newly_gone) is not None:
            name, outcome, text = "newly-gone", "skipped", ""
            if gone.check is not None:
                name, text = gone.check.rule, gone.check.text
                outcome = _DECIDED[gone.check.holds]
            yield _rule(name, outcome, text, reason=gone.why_not or None)
    for name, why in run.against.not_applied:
        yield _rule(name, "error", reason=why)


def _rule(
    rule: str,
    outcome: str,
    text: str = "",
    interval: tuple[float, float] | None = None,
    reason: str | None = None,
    items: Sequence[Record] = (),
) -> dict[str, Any]:
    return {
        "rule": rule,
        "outcome": outcome,
        "text": text,
        "interval": None if interval is None else list(interval),
        "reason": reason,
        "items": [item_name(record) for record in items],
    }


def _baseline(each: ArmComparison) -> dict[str, Any]:
    changes = each.changes
    return {
        "strategy": each.arm,
        "baseline": each.baseline.title,
        "differences": {
            name: {
                "before": compared.first,
                "now": compared.second,
                "difference": _mean(compared.paired.difference),
                "p": compared.paired.p,
            }
            for name, compared in changes.figures.items()
        },
        "facts": {
            "gone": len(changes.facts.gone),
            "regained": len(changes.facts.regained),
            "uncertain": len(changes.facts.uncertain),
            "allowed": None if each.newly_gone is None else each.newly_gone.allowed,
            "names": _names(changes.facts),
        },
        "not_comparable": {
            "cases": list(changes.changed_cases),
            "probes": [list(probe) for probe in changes.changed_probes],
            "facts": list(map(fact_json, changes.facts.not_comparable)),
        },
        "items": {
            "compared": len(changes.items),
            "newly_below": len(changes.below),
            "recovered": len(changes.recovered),
            "new": len(changes.new),
            "vanished": len(changes.vanished),
        },
    }


def _names(facts: FactChanges) -> dict[str, Any]:
    names = ("gone", "regained", "uncertain")
    return {name: list(map(fact_json, getattr(facts, name))) for name in names}


def _mean(mean: Mean) -> dict[str, Any]:
    reason = TOO_FEW_CASES if mean.interval is None else None
    return asdict(Measured(mean.value, mean.interval, reason, mean.count, mean.cases))
