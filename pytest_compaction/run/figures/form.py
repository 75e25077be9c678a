"""The figures of views as JSON, so that they can be kept from run to run."""

from __future__ import annotations

from typing import Any, Final

from pytest_compaction.cache.kept_results import Form
from pytest_compaction.metrics.facts.foreign import ForeignNames, ForeignWordings
from pytest_compaction.metrics.facts.survival import READING, Readings
from pytest_compaction.run.response import FactHistory, NullReading, ViewFigures


def _as_json(figures: ViewFigures) -> dict[str, Any]:
    return {
        "facts": [READING.as_json(reading) for reading in figures.reading.facts],
        "hit": figures.reading.hit,
        "nulls": [[null.name, null.overall, null.stated, null.tokens] for null in figures.nulls],
        "constraints": figures.constraints,
        "prompt_hash": figures.prompt_hash,
        "foreign": [figures.foreign.names, figures.foreign.count, figures.foreign.of],
        "worded": [figures.worded.texts, figures.worded.count, figures.worded.of],
        "history": [[h.stated_after, h.recoverable, h.source] for h in figures.history],
    }


def _from_json(kept: Any) -> ViewFigures:
    names, count, of = kept["foreign"]
    texts, found, wordings = kept["worded"]
    facts = tuple(READING.from_json(reading) for reading in kept["facts"])
    return ViewFigures(
        Readings(facts, tuple(kept["hit"])),
        tuple(NullReading(*null) for null in kept["nulls"]),
        tuple((text, held) for text, held in kept["constraints"]),
        kept["prompt_hash"],
        tuple(_history(*history) for history in kept["history"]),
        ForeignNames(tuple(names), count, of),
        ForeignWordings(tuple(texts), found, wordings),
    )


def _history(stated_after: Any, recoverable: bool | None, source: Any) -> FactHistory:
    return FactHistory(
        tuple((point, stated) for point, stated in stated_after),
        recoverable,
        None if source is None else (source[0], source[1]),
    )


FIGURES: Final = Form(_as_json, _from_json)
"""What rules read in a view."""
