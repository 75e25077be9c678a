"""English cue phrases that tell the offline rules what a sentence is about."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text import is_path, normalize, raw_tokens

DECISION: Final = re.compile(
    r"\b(decid\w*|decision|chose\w*|choos\w*|instead(?: of)?|rather than|reject\w*|prefer\w*|"
    r"switch\w*|agreed?|ruled? out|dropp(?:ed|ing) the|drop the|because|trade-?off|"
    r"root cause|turns? out|the reason|go(?:ing)? with|no longer|changed? (?:my|our) mind|"
    r"won't|abandon\w*|revert\w*)\b",
    re.IGNORECASE,
)
REASON: Final = re.compile(
    r"\b(because|since|so that|otherwise|due to|cause[ds]?|the reason|why|therefore|hence|"
    r"that is how|explains?|would (?:have|be|not|only|break|mean)|too \w+ (?:to|for)|"
    r"depends? on|ruled? out|turns? out|not the cause|in order to)\b",
    re.IGNORECASE,
)
NEXT: Final = re.compile(
    r"\b(next(?: step)?s?|to-?do|remain(?:s|ing)?|still (?:need|to|open|miss|fail|pending)\w*|"
    r"pending|left to|left over|follow-?up|later|not (?:yet|done)|yet to|unfinished|open point|"
    r"outstanding|before (?:we|I) (?:merge|ship|release))\b",
    re.IGNORECASE,
)
ERROR: Final = re.compile(
    r"(\b\w*(?:Error|Exception|Timeout)\b|\berror\b|\bfail(?:s|ed|ure|ing)?\b|\bFAILED\b|\bfatal\b|"
    r"\btraceback\b|\bpanic\b|\bexit (?:code|status)\b|\bdenied\b|\bcrash\w*\b)",
    re.IGNORECASE,
)
CONSTRAINT: Final = re.compile(
    r"\b(must(?: not)?|never|always|only|do not|don't|keep|without|no new|may not|make sure|"
    r"ensure|please|should(?: not)?|at most|at least|exactly)\b",
    re.IGNORECASE,
)
STATE: Final = re.compile(
    r"\b(\d+ (?:passed|failed)|tests? (?:pass|fail|are|is)\w*|all green|now (?:works?|passes|fails)"
    r"|committed|currently|at (?:this|the) (?:point|moment)|so far)\b",
    re.IGNORECASE,
)
PLAN: Final = re.compile(
    r"^(?:(?:now|next|then|first|so|and|ok|good|but|before (?:that|i \w+))\b,? ?)*"
    r"(?:let me|let's (?:see|look)|i(?:'ll| will|'d like to| am going to|'m going to) |i (?:now )?"
    r"(?:look|read|check|start|run|try|want to (?:know|see)|begin|go on|remove|measure|add|write|"
    r"commit|cover|pin|take a)\b|(?:now|next|then|first|and) the\b|(?:now|next|first):"
    r"|(?:a|one) (?:quick |last |short )?look\b|checking\b|looking\b)",
    re.IGNORECASE,
)
"""What somebody is about to do, which the calls after it show better."""
FILLER: Final = re.compile(
    r"^(?:(?:so|and|but|well|ok(?:ay)?|right|thanks?(?: you)?|thx|understood|noted|of course"
    r"|good (?:catch|point|question)|as i feared|in short|to be sure|indeed|sure|fine|anyway|also"
    r"|then|now|fyi|one more thing|btw|hm+)\b[,:.;!]? +)+",
    re.IGNORECASE,
)
"""Words at the beginning of a sentence that say nothing."""
POINTING: Final = re.compile(
    r"^(?:it|that|this|these|those|they|both|which|there|he|she|nothing|not|i would|i'd)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence whose subject stands in the sentence before it."""
_CODE_NAME: Final = re.compile(r"\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+\(\)")

_DIGIT: Final = re.compile("[0-9]")


def exact_tokens(text: str) -> list[str]:
    """Paths, identifiers and numbers of a text, in order and without repetition."""
    found: dict[str, None] = {}
    for token in raw_tokens(normalize(text)):
        if token.isalpha():
            continue
        if "_" in token or _has_digit(token) or is_path(token):
            found[token] = None
    for name in _CODE_NAME.findall(text):
        found[name.casefold()] = None
    return list(found)


def _has_digit(token: str) -> bool:
    if token.isascii():
        return _DIGIT.search(token) is not None
    return any(ch.isdigit() for ch in token)
