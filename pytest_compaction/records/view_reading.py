"""Reads the views of an earlier run again, so that one reader has read both sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pytest_compaction.case import Case, Probe, fact_digest, log_digest, probe_digest
from pytest_compaction.conversation import Message, Text, readable
from pytest_compaction.metrics import probe_scores, read, reader_version, view_index
from pytest_compaction.records.baselines import Baseline
from pytest_compaction.records.record import Record, rounded
from pytest_compaction.records.texts import resolved
from pytest_compaction.rubric import (
    DIMENSIONS,
    Rubric,
    dimension_scores,
    overall_score,
    rubric_with,
)


def is_read_alike(header: Mapping[str, Any]) -> bool:
    """Whether the views need not be read again: this reader read them, or a model did."""
    if (header.get("settings") or {}).get("reader"):
        return True
    return (header.get("versions") or {}).get("reader") == reader_version()


def read_again(
    baseline: Baseline, case_of: Callable[[str], Case | None], pass_score: float
) -> tuple[Baseline, str]:
    """The baseline as this version's reader reads its views, and a sentence that says so.

    ``case_of`` gives the case with an id, ``None`` where there is none. An item whose view is
    not kept, or whose log is another one now, stays as it was read. Where the view is what an item
    was scored by, its scores are made anew.
    """
    settings = baseline.header.get("settings") or {}
    rubric = rubric_with(settings.get("rubric") or {})
    views: dict[str, tuple[Message, ...] | None] = {}
    case: Case | None = None
    said: dict[str, str] = {}
    records, unread = [], 0

    def place(record: Record) -> tuple[str, str, str, int]:
        view = str((record.get("hashes") or {}).get("view"))
        return record["case"], view, record["probe"], record["trial"]

    for record in sorted(baseline.records, key=place):  # the items of a view follow one another
        if case is None or case.id != record["case"]:
            case, views = case_of(record["case"]) if record["facts"] else None, {}
            said = {} if case is None else {m.id: readable(m) for m in case.messages}
        hashes = record.get("hashes") or {}
        probe = None
        if case is not None and record["facts"] and hashes.get("log") == log_digest(case):
            probe = next((probe for probe in case.probes if probe.id == record["probe"]), None)
        view = str(hashes.get("view"))
        if probe is not None and view not in views:
            data = baseline.view_of(record)
            found = None if data is None else resolved(data, said)
            views = {view: None}
            if found is not None:
                views[view] = tuple(Message(m["id"], "user", (Text(m["text"]),)) for m in found)
        messages = None if probe is None else views[view]
        unread += bool(record["facts"]) and messages is None
        if probe is not None and messages is not None:
            record = _read(record, probe, messages, pass_score, rubric)
        records.append(record)
    lead = f"{baseline.title} was read by another version of the reader"
    if not unread:
        note = f"{lead}; its views were read again, so both sides are read alike"
    else:
        of = "its views are" if unread == len(records) else f"the views of {unread} items are"
        note = (
            f"{lead}, and {of} not kept or their cases not found, so they stand as they were read; "
            "accept a run anew with --compaction-baseline-update"
        )
    return replace(baseline, records=tuple(records)), note


def _read(
    record: Record,
    probe: Probe,
    messages: tuple[Message, ...],
    pass_score: float,
    rubric: Rubric,
) -> Record:
    """The record with what today's reader makes of its view.

    Facts with other keys than then stay as they were read, and so do the scores of their item.
    """
    readings = read(probe.facts, probe.traps, view_index(messages))
    now = {
        (fact.text, fact_digest(fact)): reading.outcome
        for fact, reading in zip(probe.facts, readings.facts, strict=True)
    }
    facts = []
    for was in record["facts"]:
        outcome = now.get((was["text"], was.get("keys", "")))
        if outcome == "unread":
            continue
        facts.append(
            was if outcome is None else {**was, "view": outcome, "survived": outcome == "stated"}
        )
    changed = record["hashes"].get("probe") != probe_digest(probe)
    if changed or record.get("reading") == "answer" or record["overall"] is None:
        return {**record, "facts": facts}
    criteria = {each.id: each.score for each in probe_scores(probe, readings)}
    scores = dimension_scores(criteria, rubric)
    overall = rounded(overall_score(scores))
    over_budget = record["status"] == "failed" and record["overall"] >= pass_score
    passed = overall is not None and overall >= pass_score and not over_budget
    return {
        **record,
        "facts": facts,
        "overall": overall,
        "dimensions": {name: rounded(scores.get(name)) for name in DIMENSIONS},
        "status": "passed" if passed else "failed",
    }
