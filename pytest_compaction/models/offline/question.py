"""What a question asks for, judged by its words: topics, quotations, form."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.models.offline.cues import CONSTRAINT, DECISION, ERROR, NEXT, STATE
from pytest_compaction.text import content_stems, normalize, segments

_LAST_REQUEST: Final = re.compile(
    r"\b(?:user|i|we)\b.{0,40}\b(?:ask|want|request|say|said)\w*\b.{0,20}\b(?:last|latest)\b"
    r"|\b(?:last|latest|most recent) (?:request|wish|instruction)"
)
_QUOTATION: Final = re.compile(r"`([^`\n]{3,})`|“([^“”\n]{3,})”|\"([^\"\n]{3,})\"")
_QUESTION_TERMS: Final = frozenset(
    content_stems(
        "exactly list answer give name say tell remind question session far sentence words"
    )
)
_FORM_SENTENCE: Final = re.compile(
    r"^(?:please )?(?:answer|reply|list|give|write|respond|use|be|keep)\b.*"
    r"\b(?:list|sentence|words?|items?|json|paths?|bullets?)\b"
)
_TOPICS: Final[tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = (
    (
        re.compile(
            r"next|remain|pending|still to|to.?do\b|left to|open\b|postpone|unfinished|go on"
        ),
        NEXT,
    ),
    (
        re.compile(r"decid|decision|why|reason|instead|chose|choice|reject|against|rule[sd]? out"),
        DECISION,
    ),
    (re.compile(r"error|exception|fail|traceback|crash|exit (?:code|status)|refus"), ERROR),
    (
        re.compile(r"must|constraint|instruction|rules?\b|allowed|asked for|require|limit"),
        CONSTRAINT,
    ),
    (re.compile(r"\bstate\b|status|stand\b|tests? (?:pass|fail|are|in|result)|green|red\b"), STATE),
)


def topic_cues(question: str) -> list[re.Pattern[str]]:
    """The cues of the topics of a normalised question."""
    return [cue for topic, cue in _TOPICS if topic.search(question)]


def search_terms(question: str) -> list[str]:
    """The terms of a normalised question that are worth a search."""
    return [term for term in content_stems(question) if term not in _QUESTION_TERMS]


def asks_last_request(question: str) -> bool:
    """Whether a normalised question asks for the user's last request."""
    return bool(_LAST_REQUEST.search(question))


def question_proper(question: str) -> str:
    """The question, normalised, without sentences that only say how to answer."""
    sentences = [normalize(sentence) for sentence in segments(question)]
    asking = [sentence for sentence in sentences if not _FORM_SENTENCE.match(sentence)]
    return " ".join(asking or sentences)


def quotations(question: str) -> tuple[str, ...]:
    """The quotations of a question, normalised: code in backticks, phrases in quotation marks."""
    found = [
        normalize(next(filter(None, match)).rstrip("… .,;:"))
        for match in _QUOTATION.findall(question)
    ]
    return tuple(dict.fromkeys(text for text in found if len(text) > 3))
