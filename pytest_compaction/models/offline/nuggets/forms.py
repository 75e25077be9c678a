"""Nuggets that ask for the form of an answer: a table, steps, amounts of money, a block of code.

They come from what a user wants of all answers, such as "includes a table of the costs". The form
is looked for in the answer itself; what the nugget says beside it has to be the matter of the
answer or of the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.metrics.nugget_scores import NuggetScore
from pytest_compaction.models.offline.nuggets.answer import Answer, stems_of
from pytest_compaction.text.quantities.values import values_of
from pytest_compaction.text.words import normalize

KINDS: Final = ("instruction_following", "preference_following")
"""The abilities whose nuggets may ask for a form."""
_LONGEST: Final = 12
"""Words of a nugget that asks for nothing but a form, at most."""
_MATTER: Final = 0.5
"""The share of its other words that the answer or the question has to hold."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What asks for a form, what shows it in an answer, and how often it has to stand there."""

    name: str
    asked: re.Pattern[str]
    shown: re.Pattern[str]
    times: int = 1
    kinds: tuple[str, ...] | None = KINDS


def _form(name: str, asked: str, shown: str, times: int = 1) -> _Form:
    return _Form(
        name, re.compile(asked, re.IGNORECASE), re.compile(shown, re.IGNORECASE | re.M), times
    )


_ADJECTIVE: Final = (
    r"(?:(?:specific|exact|clear|explicit|precise|detailed|numeric(?:al)?|estimated|approximate|"
    r"itemi[sz]ed|relevant|marked|concrete|proper|summary) ){0,3}"
)
_FORMS: Final = (
    replace(
        _form(
            "a block of code", r"\bcode (?:block|snippet|example|sample)s?\b", r"^[ \t]{0,8}```\w"
        ),
        kinds=None,
    ),
    _form("a table", rf"\b{_ADJECTIVE}tables?\b", r"^[ \t]{0,8}\|.*\|", 2),
    _form(
        "steps",
        rf"\b(?:step[- ]by[- ]step|{_ADJECTIVE}(?:numbered |ordered )?steps|numbered list)\b",
        r"^[ \t]{0,8}(?:[-*] ?)?(?:\*\*)?(?:step )?\d{1,2}[.):]|\b(?:first|then|next|finally)\b,?",
        2,
    ),
    _form(
        "a list", r"\b(?:bullet(?:ed)?(?: points?| lists?)?|lists? of)\b", r"^[ \t]{0,8}[-*•]\s", 2
    ),
    _form(
        "amounts of money",
        rf"\b{_ADJECTIVE}(?:dollar amounts?|costs?|prices?|price ranges?|fees)\b",
        r"[$€£¥]\s?\d|\d\s?(?:dollars?|euros?|pounds?|USD|EUR|GBP|CAD)\b",
    ),
    _form("percentages", rf"\b{_ADJECTIVE}percentages?\b", r"\d\s?(?:%|percent\b|per cent\b)"),
    _form(
        "versions",
        rf"\b{_ADJECTIVE}versions?(?: numbers?)?\b",
        r"\bv?\d+\.\d+|\bversion \d|[a-z]\s\d",
    ),
    _form(
        "numbers",
        rf"\b{_ADJECTIVE}(?:numeric(?:al)? examples?|exact values|numeric(?:al)? values|numbers)\b",
        r"\d",
        3,
    ),
    _form("links", rf"\b{_ADJECTIVE}(?:links?|urls?)\b", r"https?://|\bwww\."),
    _form("formulas", rf"\b{_ADJECTIVE}(?:formulas?|formulae|equations?)\b", r"[\w)²³]\s*=\s*\S"),
)


def form_of(content: str, kind: str, answer: Answer) -> NuggetScore | None:
    """The score of a nugget that asks for a form; ``None`` if it asks for none, or for more."""
    if len(content.split()) > _LONGEST or values_of(normalize(content)):
        return None
    found = [
        form
        for form in _FORMS
        if (form.kinds is None or kind in form.kinds) and form.asked.search(content)
    ]
    if not found:
        return None
    form = found[0]
    if len(form.shown.findall(answer.text)) < form.times:
        return NuggetScore(0.0, f"has no {form.name}")
    rest = stems_of(form.asked.sub(" ", content))
    held = rest & (answer.stems | answer.asked)
    if rest and len(held) < _MATTER * len(rest):
        return NuggetScore(0.5, f"has {form.name}, and little of the rest")
    return NuggetScore(1.0, f"has {form.name}")
