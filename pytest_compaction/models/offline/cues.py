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
