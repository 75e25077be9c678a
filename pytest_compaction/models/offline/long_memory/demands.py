"""What the user wants of every answer to a question like this: instructions given once for all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.statement import Statement

_GIVEN: Final = re.compile(
    r"\b(?:always|never) (?:please )?(?:include|format|give|state|use|mention|provide|tell|show"
    r"|name|add|list|explain|highlight|remind|specify|offer|start|end|write|present|note|cite"
    r"|confirm)\b"
    r"|\b(?:when(?:ever)?|each time|every time|if) i ask\b|\bfrom now on\b"
)
_FORMS: Final = tuple(
    (re.compile(asked), re.compile(given))
    for asked, given in (
        (r"\bversions?\b", r"\bv?\d+\.\d+"),
        (r"\bpercent|%", r"\d ?%|\bpercent"),
        (r"\bdates?\b|\bdeadlines?\b", r"\b(?:\d{4}|[A-Z][a-z]+ \d{1,2})\b"),
        (r"\bcosts?\b|\bprices?\b|\bbudgets?\b", r"[$€£]\s?\d"),
        (r"\bcodes?\b", r"\b[1-5]\d\d\b"),
        (r"\bunits?\b|\bmeasurements?\b|\bmetric\b|\binch|\bkilo", r"\d ?[a-z]"),
        (r"\bnumber|\bfigures?\b|\bstatistic|\bmetrics\b", r"\d"),
    )
)
_LEAST: Final = 0.2
"""The share of the question that an instruction has to be about."""
_CODE: Final = re.compile(r"\b(?:code|snippets?|syntax|functions?|type hints?)\b", re.IGNORECASE)
_SHOW: Final = re.compile(r"\b(?:show me|implement\w*|write|example)\b", re.IGNORECASE)


def demands_on(question: str, reading: Reading) -> list[Statement]:
    """The instructions that bear on a question, the newest last."""
    terms = reading.relevance.terms(question)
    given = [said for said in reading.told if _GIVEN.search(said.normal)]
    return [said for said in given if reading.relevance.share(terms, said.stems) >= _LEAST]


def forms_of(demands: Sequence[Statement]) -> list[re.Pattern[str]]:
    """What a statement shows that does as the instructions want."""
    return [given for asked, given in _FORMS if any(asked.search(one.normal) for one in demands)]


def wants_code(question: str, reading: Reading) -> bool:
    """Whether an answer has to hold code: the question asks for it, or an instruction does."""
    if _CODE.search(question):
        return True
    given = (said for said in reading.told if _GIVEN.search(said.normal))
    return _SHOW.search(question) is not None and any(_CODE.search(one.normal) for one in given)
