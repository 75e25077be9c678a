"""Whether what a passage speaks of is done or still open, against what a statement says of it.

A next step is not stated where the passage says that it is done, and what is done is not stated
where it is asked for, planned or promised. Only the clauses that hold the statement's words count,
so that "done: the clerk was asked; open is the room" leaves the room open.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from pytest_compaction.text.alternatives import Term
from pytest_compaction.text.parsed import Meaning, Parsed, Span, meaning, spans_between

Standing = Literal["done", "open"]

_CLAUSE: Final = re.compile(
    r"[;.!?](?=\s|$)|(?:,|\band\b|\bbut\b)(?= (?:so|but|and|while|whereas|now|open is|still open|"
    r"remaining|next)\b)| - |\b(?:while|whereas)\b"
)
"""Where a clause ends that may be done while the next one is open."""
_CONDITION: Final = re.compile(
    r"\b(?:once|after|when|until|till|unless|as soon as|if|before|since|because|which|who|whose|"
    r"as (?:already|agreed|planned|discussed))\b[^,;]*,?"
)
"""A condition, reason or relative clause: what it says is not said of the main clause."""
_MODAL: Final = r"(?:will|shall|should|must|can|could|may|might|would|won't|'ll)"
_WILL: Final = (
    r"(?:asked|told|wants?|wanted|wish\w*|plan\w*|has|have|had|needs?|needed|supposed|remains?|"
    r"left|still|is|are|was|were|yet|going|about|due|promis\w+|intend\w*|meant|scheduled|agreed|"
    r"offered|forgot|fail\w*|refus\w*|hop\w+|propos\w*|decid\w*|request\w*|invited|reminded)"
)
_AHEAD: Final = re.compile(
    rf"(?:\b{_WILL} (?:\w+ ){{0,2}}?to|\b{_MODAL})(?: (?:be|have|get|not|also|then|now|first))*"
    r"(?: the(?: \w+){1,2})? $"
)
"""Words before a verb that is asked for, planned or promised."""
_OPEN: Final = re.compile(
    r"\b(?:to be|to do|todos?(?! lists?\b)|later|next|needs?|must|should|shall|has to|have to|"
    r"will|yet|remain\w*|open|pending|outstanding|"
    r"still (?:to|needs?|has|have|missing|undone|waits?)|"
    r"(?<!the )(?<!our )(?<!this )plan\w*|wants?|wanted|wish\w*|going to|propos\w+|"
    r"suggest\w*|ideas?|left for|left to|requests?|requested|tomorrow|not|never|asked (?:for|to)|"
    r"would|ready to|about to|due|follow-ups?|needed|waits?|waiting|awaits?|before|until)\b"
)
_NOTHING_OPEN: Final = re.compile(
    r"\b(?:no(?:thing|ne)?|without)\b[^,;]*?\b(?:left|open|remain\w*|pending|outstanding|to do)\b"
)
_DONE: Final = re.compile(
    r"\b(?:done|already|finished|completed|merged|resolved|corrected|settled|closed|confirmed|"
    r"fixed|"
    r"dealt with|in place|ticked off|"
    r"(?:has|have) been (?!book|schedul|plann|agree|arrang|announc|promis|invit|set for|set to|"
    r"ask)\w+)\b"
)
"""A thing that is only booked or agreed has still to happen."""
_PAST: Final = re.compile(
    r"\b(?:was|were|(?:has|have|had)(?: been)?)(?: (?:\w+ly|already|now|since|just|also|all|"
    r"then))* $"
)
_PARTICIPLE: Final = re.compile(r"\w+(?:ed|en|t|n|d)\b")
_STATED_DONE: Final = re.compile(r"\b(?:has|have|was|were|had|got)(?: been)?(?: now)? $")
_PLANNED: Final = re.compile(
    r"\bstill (?:has|have|needs?|to)\b|\b(?:needs?|remains?|has yet|have yet|is still|yet) to be\b|"
    r"\b(?:todo|not (?:\w+ )?yet|left to do|next steps?)\b|^(?:next|to do)\b"
)
_TO_BE: Final = re.compile(r"\b(?:is|are|has|have) to\b")
_DUE: Final = re.compile(r"\b(?:has|have|is|are|needs?) to\b|\bneeds? (?!not\b)")
_PLAN: Final = re.compile(
    r"\b(?:will|(?:shall|should|must) be \w+(?:ed|en|t)|to (?:be|do)|todos?|next(?: steps?)?(?=:)|"
    r"(?:is|are) (?:planned|pending|scheduled)|"
    r"(?:has|have|needs?|going|is|are|remains?|plans?|wants?|ready) to)\b"
)
"""Marks of a clause that only plans or asks for what it says."""
_MOST: Final = 0.5
"""Share of the words of the fullest clause that one said to be done must hold."""
_SOME: Final = 0.3
"""Share that one must hold that is open."""
_STEPS: Final = frozenset({"state", "path", "command", "error", "identifier"})
"""Types of statements whose "is to be" is a step still to be done, and no rule or choice."""
_IMPERATIVE: Final = re.compile(
    r"(?!(?:is|was|are|were|has|have|had|can|could|will|would|should|must|may|did|does|do|no|not|"
    r"all|only|both|each|every|one|two|now|some|any|this|that|these|those)\b)[a-z]{2,}(?<!s)(?<!ed)"
    r"(?<!ing)(?<!ly) (?:the|an?|its|their|our|my|all|tests|docs|support|comments)\b"
)
"""A task as it stands in a list of tasks: "add the tests"."""
_FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|does|did)\b|\w{3}ed\b"
)
_UNDONE: Final = re.compile(
    r"^(?:\w+ ){0,3}(?:not (?:(?:yet|been|fully) ){0,2}(?:done|finished|completed?|started|begun)"
    r"(?: yet)?|to do|open|outstanding|remaining|missing|unfinished|incomplete|pending|next steps)$"
)
_HEADING: Final = re.compile(r"^(?:already )?(?:done|completed?|finished|closed|resolved)\b")


def is_step(text: str, type: str | None) -> bool:
    """Whether a statement of this text and type speaks of something still to be done.

    Without a type, one that tells of nothing that is or was may be a step.
    """
    normal = meaning(text).parsed.normal
    if type == "next_step" or _PLANNED.search(normal):
        return True
    if type is None and (_DUE.search(normal) or not _FINITE.search(normal)):
        return _DONE.search(normal) is None
    if type not in _STEPS:
        return False
    task = _IMPERATIVE.match(normal) is not None and not _FINITE.search(normal)
    return task or _TO_BE.search(normal) is not None


def standing_below(heading: str) -> Standing | None:
    """Whether a heading or lead-in says that what stands below it is done, or still to be done."""
    if _HEADING.search(heading):
        return "done"
    return "open" if _UNDONE.search(heading.strip(" :*")) else None


def other_standing(own: Meaning, passage: Parsed, text: str, type: str | None = None) -> str | None:
    """A planned step that is done, or the reverse; ``type`` is that of the statement."""
    if is_step(text, type):
        firm = type is not None or _DUE.search(own.parsed.normal) is not None
        return "done already" if _standing(own, passage, firm) == "done" else None
    said = own.parsed.normal
    if type == "state" and _FINITE.search(said) and not _PLAN.search(said):
        held = _holders(own, passage)
        most = max((len(terms) for _, terms in held), default=0)
        fullest = [passage.normal[slice(*one)] for one, terms in held if len(terms) == most]
        if fullest and all(_PLAN.search(_CONDITION.sub(" ", one)) for one in fullest):
            return "not done yet"
    return _not_done_yet(own, passage)


def _standing(own: Meaning, passage: Parsed, firm: bool) -> Standing | None:
    """Whether the clauses with most of a planned statement's words are planned or done.

    A bare past tense counts only if the statement is ``firm``ly a step.
    """
    held = _holders(own, passage)
    most = max((len(terms) for _, terms in held), default=0)
    standings = [
        (_clause_standing(passage, clause, terms, firm), len(terms)) for clause, terms in held
    ]
    if any(one == "open" and count >= most * _SOME for one, count in standings):
        return "open"
    if any(one == "done" and count >= most * _MOST for one, count in standings):
        return "done"
    return None


def _holders(own: Meaning, passage: Parsed) -> list[tuple[Span, list[Term]]]:
    """The clauses of a passage that hold terms of the statement, each with these."""
    clauses = spans_between(_CLAUSE, passage.normal)
    held = [[term for term in own.terms if passage.stands_in(term, one)] for one in clauses]
    return [(clause, terms) for clause, terms in zip(clauses, held, strict=True) if terms]


def _clause_standing(
    passage: Parsed, clause: Span, terms: list[Term], firm: bool
) -> Standing | None:
    """Whether one clause is planned or done, by its marks or by the form of the verb."""
    said = passage.normal[slice(*clause)]
    main = _CONDITION.sub(" ", said)
    aside = [match.span() for match in _CONDITION.finditer(passage.normal, *clause)]
    if _NOTHING_OPEN.search(main):
        return "done"
    if _OPEN.search(main):
        return "open"
    if _DONE.search(main):
        return "done"
    words = [term for term in terms if not (term.is_value or term.is_name)] if firm else []
    for start, end in (span for term in words for span in passage.term_places(term)):
        word = passage.normal[start:end]
        if (
            clause[0] <= start < clause[1]
            and not any(one[0] <= start < one[1] for one in aside)
            and _PARTICIPLE.fullmatch(word)
            and _PAST.search(passage.normal, clause[0], start)
        ):
            return "done"
    return None


def _not_done_yet(own: Meaning, passage: Parsed) -> str | None:
    """A verb that is done in the statement is only asked for, planned or promised there."""
    normal = own.parsed.normal
    aside = [match.span() for match in _CONDITION.finditer(normal)]
    for term in own.words:
        done = any(
            _PARTICIPLE.fullmatch(normal, start, end)
            and _STATED_DONE.search(normal, 0, start)
            and not _AHEAD.search(normal, 0, start)
            for start, end in own.parsed.term_places(term)
            if not any(first <= start < last for first, last in aside)
        )
        theirs = passage.term_places(term)
        if done and theirs and all(_AHEAD.search(passage.normal, 0, at) for at, _ in theirs):
            return "not done yet"
    return None
