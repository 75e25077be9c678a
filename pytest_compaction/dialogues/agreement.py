"""How far the answers of two arms agree: texts and tool calls in, figures out."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.dialogues.dialogue import Agreement, Trial
from pytest_compaction.metrics.dialogues.consistency import (
    dialogue_consistency,
    lexical_similarity,
    tools_match,
    turn_consistency,
)
from pytest_compaction.metrics.dialogues.retention import retention_by_judge, retention_by_rules


def agreement(
    baseline: Trial,
    summary: Trial,
    similarities: Sequence[float] | None = None,
    retentions: Sequence[float] | None = None,
) -> Agreement:
    """Consistency and retention of one trial of the summary arm against one of the baseline.

    ``similarities`` and ``retentions`` are a judge's figures for each turn that both arms
    have, 0..1; without them, words are compared and key items are searched for by rule.
    Tool calls count if either arm made any itself. Calls replayed from a record cannot
    differ, so no reply has them. Raises ``ValueError`` for figures outside 0..1, or if
    their number is not that of the common turns.
    """
    pairs = list(zip(baseline.replies, summary.replies, strict=False))
    if similarities is None:
        similarities = [lexical_similarity(one.text, other.text) for one, other in pairs]
    elif len(similarities) != len(pairs):
        raise ValueError(f"{len(similarities)} similarities for {len(pairs)} common turns")
    with_tools = any(reply.calls for trial in (baseline, summary) for reply in trial.replies)
    turns = tuple(
        turn_consistency(value, tools_match(one.calls, other.calls) if with_tools else None)
        for value, (one, other) in zip(similarities, pairs, strict=True)
    )
    consistency = dialogue_consistency(turns, len(baseline.replies), len(summary.replies))
    if retentions is not None:
        missing = [0.0] * (len(baseline.replies) - len(pairs))
        return Agreement(
            consistency,
            retention_by_judge(retentions, len(baseline.replies)),
            turns,
            (*retentions, *missing),
        )
    found = retention_by_rules(
        [reply.text for reply in baseline.replies], [reply.text for reply in summary.replies]
    )
    return Agreement(consistency, found.rate, turns, found.turns, found.kept, found.extracted)
