"""The replies of the offline model as JSON, so that they can be kept from run to run."""

from __future__ import annotations

from typing import Any, Final

from pytest_compaction.cache.kept_results import Form
from pytest_compaction.metrics.facts.survival import READING
from pytest_compaction.models.protocol import AnswerReply, JudgeReply, SummaryReply
from pytest_compaction.models.structured_summary import Summary
from pytest_compaction.models.usage import Usage
from pytest_compaction.rubric import CriterionScore


def _usage(usage: Usage) -> list[int]:
    return [usage.calls, usage.input_tokens, usage.cached_tokens, usage.output_tokens]


def _summary_as_json(reply: SummaryReply) -> dict[str, Any]:
    return {"entries": reply.summary.entries, "usage": _usage(reply.usage)}


def _summary_from_json(kept: Any) -> SummaryReply:
    entries = tuple((section, tuple(lines)) for section, lines in kept["entries"])
    return SummaryReply(Summary(entries), Usage(*kept["usage"]))


def _answer_as_json(reply: AnswerReply) -> dict[str, Any]:
    return {"text": reply.text, "usage": _usage(reply.usage)}


def _answer_from_json(kept: Any) -> AnswerReply:
    return AnswerReply(kept["text"], Usage(*kept["usage"]))


def _judgement_as_json(reply: JudgeReply) -> dict[str, Any]:
    return {
        "criteria": [[c.id, c.score, c.reasoning, c.lists_facts] for c in reply.criteria],
        "stated": reply.stated,
        "hit": reply.hit,
        "flags": reply.flags,
        "readings": [READING.as_json(reading) for reading in reply.readings],
    }


def _judgement_from_json(kept: Any) -> JudgeReply:
    return JudgeReply(
        tuple(CriterionScore(*criterion) for criterion in kept["criteria"]),
        tuple(kept["stated"]),
        tuple(kept["hit"]),
        flags=tuple(kept["flags"]),
        readings=tuple(READING.from_json(reading) for reading in kept["readings"]),
    )


SUMMARY: Final = Form(_summary_as_json, _summary_from_json)
"""A summary with its usage."""
ANSWER: Final = Form(_answer_as_json, _answer_from_json)
"""The text of an answer with its usage."""
JUDGEMENT: Final = Form(_judgement_as_json, _judgement_from_json)
"""A judgement by rules, which never leaves anything unscored."""
