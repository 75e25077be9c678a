"""Nuggets of a contradiction: that there is one, each of its sides, and which side is right.

An answer tells a contradiction in words of its own or by setting one side against the other; a
question after that asks which is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.case.remark_forms import ASKS_BACK, TELLS_CONTRADICTION
from pytest_compaction.metrics.nugget_scores import NuggetScore
from pytest_compaction.models.offline.nuggets.answer import Answer
from pytest_compaction.models.offline.nuggets.remarks import remark
from pytest_compaction.models.offline.nuggets.stated import side_stated

_SET_AGAINST: Final = re.compile(
    r"\b(?:that said|however|on the other hand|at the same time|then again|afterwards?"
    r"|but (?:you|later|then|also|in|on|at)|(?:you )?(?:later|also|then) (?:said|told|wrote)"
    r"|in (?:a|another) (?:later |earlier )?message)\b",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"\b(?:which|what|did|do|does|is|are|was|were|have|has|could|can|or)\b[^.?!]{0,200}\?",
    re.IGNORECASE,
)
_BOTH: Final = 2


def judge_contradiction(nuggets: Sequence[Nugget], answer: Answer) -> list[NuggetScore]:
    """The scores of the nuggets of one question, in order."""
    sides = {
        number: side_stated(nugget, answer)
        for number, nugget in enumerate(nuggets)
        if not (nugget.tells_contradiction or nugget.asks_back)
    }
    told = remark(TELLS_CONTRADICTION, answer, "that there is a contradiction")
    stated = sum(side.score > 0 for side in sides.values())
    against = _SET_AGAINST.search(answer.text)
    if told.score == 0 and against and stated >= _BOTH:
        told = NuggetScore(1.0, f"sets one side against the other: {against[0]!r}")
    asked = remark(ASKS_BACK, answer, "to ask which is right")
    question = _ASKED.search(answer.text)
    if asked.score == 0 and told.score and question:
        asked = NuggetScore(1.0, "tells the contradiction and asks about it")
    return [
        told if nugget.tells_contradiction else asked if nugget.asks_back else sides[number]
        for number, nugget in enumerate(nuggets)
    ]
