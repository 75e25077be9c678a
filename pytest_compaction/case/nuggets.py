"""Nuggets: what an answer about a long conversation has to do, one atomic thing each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_ASKED: Final = re.compile(
    r"^\s*(?:the\s+)?(?:LLM(?:'s)?\s+)?(?:response|answer)\s+(?:should|must)\s+"
    r"(?P<what>(?:not|never)\s+(?:\w+\s+){0,2}?\w+|avoid|[a-z]+)"
    r"(?P<rest>\s*:\s*|\s+that\s+|\s+)",
    re.IGNORECASE,
)
_FORBIDS: Final = re.compile(r"(?:not|never|avoid)\b", re.IGNORECASE)
_BARS: Final = re.compile(r"^avoids?\s+", re.IGNORECASE)
ABSTAINS: Final = re.compile(
    r"\bno (?:such |specific |relevant )*(?:information|mention|details?|record|evidence|answer)\b"
    r"|\bnot (?:been )?(?:mention|discuss|specif|provid|state|said|say|record|cover)\w*"
    r"|\b(?:does|do|did|is|are|was|were|has|have)(?: not|n['’]t) (?:been )?"
    r"(?:mention|discuss|specif|provid|state|say|said|contain|include|cover|tell|told|know|record)"
    r"\w*"
    r"|\b(?:do|does|did)(?: not|n['’]t) "
    r"(?:know|have (?:any |enough |the )?(?:information|details?))"
    r"|\b(?:cannot|can['’]t|could not|couldn['’]t|unable to) (?:\w+ ){0,2}"
    r"(?:find|say|tell|determine|answer|know)\b"
    r"|\bnever (?:mention|discuss|said|told|specif|provid|state)\w*",
    re.IGNORECASE,
)
"""How one says that a conversation holds no answer."""
TELLS_CONTRADICTION: Final = re.compile(
    r"\bcontradict\w*|\binconsisten\w*|\bconflict\w*|\bdiscrepan\w*|\bboth\b.{0,80}\band\b"
    r"|\bmixed (?:statements|information)\b",
    re.IGNORECASE | re.DOTALL,
)
"""How one says that a conversation holds two things of which only one can be."""
ASKS_BACK: Final = re.compile(
    r"\b(?:which|what)\b[^.?!]{0,80}\b(?:correct|right|true|accurate|current|holds)\b"
    r"|\b(?:clarif|confirm)\w*",
    re.IGNORECASE,
)
"""How one asks which of two things is right."""
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
        """What the answer has to say, without the words that ask for it."""
        match = _ASKED.match(self.text)
        said = self.text[match.end() :] if match and match.end() < len(self.text) else self.text
        return _BARS.sub("", said).strip().rstrip(".") or self.text.strip()

    @property
    def forbids(self) -> bool:
        """Whether the answer must not say it, as in "should avoid" or "should not mention"."""
        match = _ASKED.match(self.text)
        said = self.text[match.end() :] if match else self.text
        return bool((match and _FORBIDS.match(match["what"])) or _BARS.match(said.strip()))

    @property
    def abstains(self) -> bool:
        """Whether the answer has to say that there is no such information."""
        return ABSTAINS.search(self.content) is not None and "chat" in self.text.casefold()

    @property
    def tells_contradiction(self) -> bool:
        """Whether the answer has to say that there are two things of which one can be."""
        return len(self.content.split()) <= 12 and bool(_ABOUT_CONTRADICTION.search(self.content))

    @property
    def asks_back(self) -> bool:
        """Whether the answer has to ask which of two things is right."""
        return len(self.content.split()) <= 12 and bool(ASKS_BACK.search(self.content))

    def is_stated_in_log(self, kind: str) -> bool:
        """Whether a view could state it: it is no remark of the answer on the conversation."""
        remarks = kind == "contradiction_resolution" and (
            self.tells_contradiction or self.asks_back
        )
        return not (remarks or self.abstains or self.forbids)
