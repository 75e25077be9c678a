"""What the user likes, and the instructions that they gave once for all."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.models.offline.long_memory.fields import fields_of, tastes_of
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.models.offline.long_memory.subject import Subject
from pytest_compaction.text.words import content_stems, normalize

_LIKES: Final = re.compile(
    r"\b(?:makes? me happy|agreed? with me|i (?:(?:really|much|usually|generally|strongly|always"
    r"|also|still) )?(?:love|like|prefer|enjoy|go for|favou?r)"
    r"|i(?:'d| would) (?:much )?(?:rather|prefer)"
    r"|my favou?rites?|i am fond of|i swear by|nothing beats|suits? me|i am happy with"
    r"|i always (?:choose|take|use)|dear to me)\b"
)
_LESS: Final = re.compile(
    r"(?P<more>\bprefer\w* (?!to\b)[^,.;]{0,200}?) (?:over|instead of|rather than|to) [^,.;]+"
)
"""What the user likes less is named after what they prefer, and is no advice."""
_SHARED: Final = 0.3
"""What it counts that a statement is of the kind that is asked for."""
_MOST: Final = 3
_DISLIKES: Final = re.compile(
    r"\b(?:not|never|hate|dislike|avoid|keep away|wears? me out|my fill|done with|cannot stand"
    r"|can't stand|no more|enough of|would rather not|do not like|don't like)\b"
)
_STANDING: Final = re.compile(
    r"\b(?:when(?:ever)? i ask|if i ask|each time i ask|every time i ask|from now on|always"
    r"|please remember|in future|as a rule)\b"
)
_CONDITION: Final = re.compile(
    r"\b(?:when(?:ever)?|if|each time|every time) i ask(?: for| about)? (?P<when>[^,]{1,200}),"
    r"\s*(?P<then>.+)"
)
_NAMED: Final = re.compile(
    r"\b(?:name for .{1,200} is|call (?:it|him|her|them)|refer to .{1,200} as) [A-Z]"
)


def likes(question: str, reading: Reading) -> list[str]:
    """What the user likes that bears most on the question, or else is of the kind asked for."""
    liked = [
        said
        for said in reading.told
        if _LIKES.search(said.normal) and not _DISLIKES.search(_LESS.sub(r"\g<more>", said.normal))
    ]
    terms = reading.relevance.terms(question)
    around = reading.relevance.exchanges(terms)
    tastes = set(tastes_of(normalize(question)))
    ranked = sorted(
        liked,
        key=lambda said: (
            -reading.relevance.share(terms, said.stems) - _SHARED * _same(tastes, said),
            -around[said.exchange],
        ),
    )
    return [_LESS.sub(r"\g<more>", said.text) for said in ranked[:_MOST]]


def _same(tastes: set[str], said: Statement) -> bool:
    return bool(tastes & set(tastes_of(said.normal)))


def standing(question: str, reading: Reading) -> list[str]:
    """What else is to be told with the answer to a question like this, as further questions."""
    normal = normalize(question)
    asked, stems = fields_of(normal), frozenset(content_stems(normal))
    found: list[str] = []
    for said in reading.told:
        text = said.normal
        if not _STANDING.search(text):
            continue
        match = _CONDITION.search(text)
        when, then = (match["when"], match["then"]) if match else (text, text)
        alike = set(fields_of(when)) & set(asked[:1])
        if alike or (not asked and len(stems & frozenset(content_stems(when))) > 1):
            found.append(then)
    return found


def names_for(subject: Subject | None, reading: Reading) -> list[str]:
    """The statements that give the subject another name."""
    if subject is None:
        return []
    return [
        said.proper
        for said in reading.told
        if said.exchange in subject.exchanges and _NAMED.search(said.text.rstrip("."))
    ]
