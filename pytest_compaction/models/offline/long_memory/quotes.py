"""Answers that quote: the statements of a view that bear most on a question, newest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.models.offline.long_memory.dates import holds_date
from pytest_compaction.models.offline.long_memory.demands import demands_on, forms_of, wants_code
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.relevance import Relevant
from pytest_compaction.models.offline.long_memory.statement import Statement

_MONEY: Final = r"[$€£]\s?\d|\b\d[\d,.]{0,24}\s?(?:euros?|dollars?|pounds?|francs?|rands?)\b"
_FORMS: Final = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))
    for asked, given in (
        (r"\bhow much\b|\bbudget\b|\bcosts?\b|\bprice\b|\bsalary\b|\brent\b", _MONEY),
        (r"\bcoverage\b|\bpercent\w*\b|\brate\b|\bshare\b", r"\d ?%|\bper ?cent\b"),
        (r"\bhow long\b|\bresponse time\b|\blatency\b|\bduration\b", r"\d[\d,.]{0,24} ?-?[a-z]"),
        (r"\bhow many\b", r"(?<![\d.])\d[\d,]*"),
        (r"\bquota\b|\bnumber\b|\blimit\b|\bscore\b|\bversion\b", r"\d"),
    )
)
_HOW_MANY: Final = re.compile(
    r"\bhow many (?:\w+ ){0,3}?(?P<noun>[a-z]{3,})"
    r"(?= (?:do|does|did|are|were|was|is|have|has|can|will)\b)",
    re.IGNORECASE,
)
_NUMBER: Final = (
    r"(?:\b\d[\d,.]{{0,24}}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
    r" (?:[\w'-]+ ){{0,2}}{noun}|{noun}.{{0,60}}\b(?:to|at|now|reached|total of) \d"
)
"""A number and what it counts, or what is counted and what it has come to."""
_STEM: Final = 5
_WHEN: Final = re.compile(
    r"^when\b|\bwhat (?:date|day)\b|\bdeadline\b|\bon which (?:day|date)\b", re.IGNORECASE
)
_NEAR: Final = 0.65
"""Statements so much as relevant as the best may be newer ones on the same matter."""
_AS_MUCH: Final = 0.7
"""The share of the question that they hold, of the most that one does."""
_CHANGES: Final = re.compile(
    r"\b(?:lowered|raised|reduced|increased|decreased|cut|extended|shortened|postponed|put off"
    r"|moved|changed|switched|updated|revised|bumped|corrected|instead of|no longer|any more"
    r"|anymore) "
)
"""How one tells a change, often without all the words of what has changed."""
_OF_A_CHANGE: Final = 0.6
"""The part of what others must hold that a statement of a change must."""
_BESIDE: Final = 0.45
"""And so much as relevant, they are worth telling beside it."""
_MOST: Final = 5
_KNOWN: Final = 0.42
"""The share of what the question is about that an exchange must hold, for it to be about that."""
_LOOKED_AT: Final = 60
_PLACES: Final = 3


def is_known(question: str, reading: Reading) -> bool:
    """Whether an exchange of the view is about what the question asks for."""
    terms = reading.relevance.terms(question)
    scores = reading.relevance.exchanges(terms)
    best = sorted(range(len(scores)), key=lambda number: -scores[number])[:_PLACES]
    return any(reading.relevance.share(terms, reading.stems[n]) >= _KNOWN for n in best)


def quoted(question: str, reading: Reading, most: int = _MOST) -> list[str]:
    """The newest statement on what is asked, and what goes with it; nothing if it is not known."""
    if not is_known(question, reading):
        return []
    ranked = _ranked(question, reading)
    if not ranked:
        return []
    said = reading.statements
    shown = forms_of(demands_on(question, reading))
    form = _form(question)
    fitting = [one for one in ranked if form is not None and form(said[one.number])] or ranked
    first = _newest(question, fitting, reading)
    beside = [
        one
        for one in ranked
        if one.score >= _BESIDE * ranked[0].score
        and (form is None or fitting is ranked or not form(said[one.number]))
    ]
    kept = [one for one in ranked if shown and any(f.search(said[one.number].text) for f in shown)]
    chosen = list(dict.fromkeys([first, *kept[:most], *beside]))[:most]
    return [*(said[one.number].text for one in chosen), *code_for(question, reading)]


def _newest(question: str, fitting: Sequence[Relevant], reading: Reading) -> Relevant:
    """The newest of the statements that bear on the question as much as any, the user's first."""
    said, terms = reading.statements, reading.relevance.terms(question)
    shares = {one: reading.relevance.share(terms, said[one.number].stems) for one in fitting}
    most = max(shares[one] for one in fitting if one.score >= _NEAR * fitting[0].score)

    def is_near(one: Relevant) -> bool:
        least = _OF_A_CHANGE if _CHANGES.search(said[one.number].normal) else 1.0
        enough = one.score >= least * _NEAR * fitting[0].score
        return enough and shares[one] >= least * _AS_MUCH * most

    near = [one for one in fitting if is_near(one)]
    told = [one for one in near if said[one.number].by_user]
    return max(told or near, key=lambda one: one.number)


def code_for(question: str, reading: Reading) -> list[str]:
    """The block of code that bears most on a question that is to be answered with one."""
    if not wants_code(question, reading):
        return []
    terms = reading.relevance.terms(question)
    return reading.code_on(terms)


def _ranked(question: str, reading: Reading) -> list[Relevant]:
    terms = reading.relevance.terms(question)
    ranked = reading.relevance.ranked(terms)[:_LOOKED_AT]
    return [one for one in ranked if reading.statements[one.number].is_prose]


@dataclass(frozen=True, slots=True)
class _Form:
    """What the answer looks like: it holds a number of a kind, or a date."""

    given: re.Pattern[str] | None

    def __call__(self, said: Statement) -> bool:
        if self.given is None:
            return holds_date(said.normal)
        return self.given.search(said.text) is not None


def _form(question: str) -> _Form | None:
    if _WHEN.search(question):
        return _Form(None)
    counted = _HOW_MANY.search(question)
    if counted:
        return _Form(re.compile(_NUMBER.format(noun=counted["noun"][:_STEM]), re.IGNORECASE))
    given = next((given for asked, given in _FORMS if asked.search(question)), None)
    return _Form(given) if given is not None else None
