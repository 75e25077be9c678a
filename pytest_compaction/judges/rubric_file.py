"""A file that changes the rubric: weights of criteria, and the words in which models are asked."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_compaction.case import CaseFault, read_checked, refuse_faults
from pytest_compaction.rubric import CRITERIA, DIMENSIONS, Rubric, rubric_with
from pytest_compaction.settings import OptionError
from pytest_compaction.text import printable


def rubric_text(rubric: Rubric = CRITERIA) -> str:
    """The file of a rubric, with what rules read for each criterion."""
    shown = {
        criterion.id: {
            "dimension": criterion.dimension,
            "question": criterion.question,
            "anchors": list(criterion.anchors),
            "by_rules": criterion.by_rules,
            "weight": criterion.weight,
        }
        for criterion in rubric
    }
    return f"{json.dumps(shown, indent=1)}\n"


def read_rubric(path: Path, shown: str) -> Rubric:
    """The default rubric with the changes of a file, which is named ``shown`` to the user.

    Raises :class:`OptionError` with the file, the JSON pointer and what was expected.
    """

    def unusable(why: str) -> OptionError:
        return OptionError(
            f"--compaction-rubric={shown} {printable(why, 300)}; "
            "pytest-compaction rubric prints a file to begin with"
        )

    data = read_checked(path, (__package__, "rubric_file.schema.json"), unusable)
    refuse_faults(list(_faults(data)), unusable)
    return rubric_with(data)


def _faults(data: Mapping[str, Mapping[str, Any]]) -> Iterator[CaseFault]:
    """What a schema cannot say: unknown criteria, and dimensions without a weight."""
    known = {criterion.id: criterion for criterion in CRITERIA}
    for id, changes in data.items():
        if id not in known:
            near = difflib.get_close_matches(id, known, n=1) or [", ".join(known)]
            yield CaseFault(f"/{id}", "no criterion of the rubric", f"a criterion: {near[0]}")
            continue
        dimension = known[id].dimension
        if changes.get("dimension", dimension) != dimension:
            yield CaseFault(f"/{id}/dimension", repr(changes["dimension"]), dimension)
    for dimension in DIMENSIONS:
        mine = [criterion.id for criterion in CRITERIA if criterion.dimension == dimension]
        if not any(data.get(id, {}).get("weight", 1) for id in mine):
            yield CaseFault("", f"weight 0 for all of {dimension}", "a weight above 0 for one")
