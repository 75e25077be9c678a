"""Nuggets: what an answer about a long conversation has to do, one atomic thing each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ASKED: Final = re.compile(
    r"^\s*(?:the\s+)?(?:LLM(?:'s)?\s+)?(?:response|answer)\s+(?:should|must)"
    r"(?:\s+(?P<what>(?:not|never)\s+(?:\w+\s+){0,2}?\w+|avoid|[a-z]+)"
    r"(?:\s*:\s*|\s+that\s+|\s+)|\s*:\s*)",
    re.IGNORECASE,
)
_FORBIDS: Final = re.compile(
    r"(?:not|never) (?!(?:only|just|merely|omit|forget|fail|ignore|skip|overlook|miss|leave)\b)"
    r"|avoid\b",
    re.IGNORECASE,
)
_BARS: Final = re.compile(r"^avoids\s+", re.IGNORECASE)
_NUMBER: Final = re.compile(r"^\(?\d{1,2}[.)]\s+(?=\D)")
"""The number of an item in a list, which is no part of what the item says."""
_OF_CHAT: Final = re.compile(r"\b(?:provided|this|the|our|your) (?:chat|conversation)s?\b", re.I)
_ABSTAINS: Final = re.compile(
    r"\bno (?:\w+ ){0,3}(?:information|mention|details?|records?|evidence|answer)\b"
    r"|(?:\bnot|\bnever|n['’]t) (?:\w+ ){0,2}(?:mention|discuss|specif|provid|stat|record)\w*"
    r"|\b(?:cannot|can['’]t) be (?:determined|answered|known)\b",
    re.IGNORECASE,
)
_ASKS_BACK: Final = re.compile(
    r"\b(?:which|what)\b[^.?!]{0,80}\b(?:correct|right|true|accurate|current|holds)\b"
    r"|\bclarif(?:y|ies|ication)\b",
    re.IGNORECASE,
)
_ABOUT_CONTRADICTION: Final = re.compile(r"\bcontradict\w*|\bconflicting\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Nugget:
    """One thing that an answer has to do, judged 0, ½ or 1; ``text`` is as it was published.

    ``evidence`` holds the ids of the messages that the question is about.
    """

    text: str
    evidence: tuple[str, ...] = ()

    @property
    def content(self) -> str:
        """What the answer has to say, without the words that ask for it and without a number."""
        match = _ASKED.match(self.text)
        said = self.text[match.end() :] if match and match.end() < len(self.text) else self.text
        said = _NUMBER.sub("", _BARS.sub("", said).strip())
        return said.rstrip(".") or self.text.strip()

    @property
    def forbids(self) -> bool:
        """Whether the answer must not say it, as in "should not mention" and "contain: avoids".

        "should state: avoid nuts" asks for these words.
        """
        match = _ASKED.match(self.text)
        said = self.text[match.end() :] if match else self.text
        return bool((match and _FORBIDS.match(match["what"] or "")) or _BARS.match(said.strip()))

    @property
    def abstains(self) -> bool:
        """Whether the answer has to say that there is no such information."""
        return bool(_ABSTAINS.search(self.content) and _OF_CHAT.search(self.text))

    @property
    def tells_contradiction(self) -> bool:
        """Whether the answer has to say that there are two things of which one can be."""
        return len(self.content.split()) <= 12 and bool(_ABOUT_CONTRADICTION.search(self.content))

    @property
    def asks_back(self) -> bool:
        """Whether the answer has to ask which of two things is right."""
        return len(self.content.split()) <= 12 and bool(_ASKS_BACK.search(self.content))

    def is_stated_in_log(self, kind: str) -> bool:
        """Whether a view could state it: it is no remark of the answer on the conversation."""
        remarks = kind == "contradiction_resolution" and (
            self.tells_contradiction or self.asks_back
        )
        return not (remarks or self.abstains or self.forbids)
