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
_SOURCE: Final = (
    r"(?:chat|conversation|context|history|log|memory|note|message|record|excerpt|text)s?"
)
_SAY: Final = r"(?:mention|discuss|specif|provid|state|say|said|tell|told)"
ABSTAINS: Final = re.compile(
    r"\bno (?:such |specific |relevant |further |other )*"
    r"(?:information|mention|details?|record|evidence|answer)\b"
    r"|\bnot (?:been |explicitly |ever )*(?:mention|discuss|specif|provid|stated|said|record|cover)"
    r"\w*\b(?! by\b)"
    r"|\b(?:is|are|was|were|has|have|had)n['’]t (?:been |explicitly |ever )*"
    r"(?:mention|discuss|specif|provid|stated|said|record|cover)\w*\b(?! by\b)"
    rf"|\b{_SOURCE}\b[^.?!;]{{0,40}}?\b(?:does|do|did|has|have)(?: not|n['’]t) "
    rf"(?:\w+ )?(?:{_SAY}|contain|include|cover|record|hold)\w*"
    rf"|\b(?:you|we|i|it|user) (?:did|do|does|have|has)(?: not|n['’]t) (?:\w+ )?{_SAY}\w*"
    r"|\b(?:i|we) (?:do|did)(?: not|n['’]t) know\b"
    r"|\b(?:do|does|did)(?: not|n['’]t) have (?:any |enough |the |this |that |such |specific )*"
    r"(?:information|details?)"
    r"|(?<!\byou )(?<!\bhe )(?<!\bshe )(?<!\bthey )\b(?:cannot|can['’]t|could not|couldn['’]t|"
    r"unable to) (?:\w+ ){0,2}(?:find|say|tell|determine|answer|know)\b"
    r"|\bnever (?:mention|discuss|said|told|specif|provid|state)\w*"
    r"|\b(?:the|this|our|your|my) (?:\w+ )?(?:chat|conversation|context|history|memory)s?\b"
    r"[^.?!;]{0,40}?\b(?:no|nothing)\b"
    rf"|\bnothing\b[^.?!;]{{0,40}}?\b{_SOURCE}\b",
    re.IGNORECASE,
)
"""How one says that a conversation holds no answer."""
TELLS_CONTRADICTION: Final = re.compile(
    r"\bcontradict\w*|\binconsisten\w*|\bconflicting\b|\bin conflict\b|\bdiscrepan\w*"
    r"|\b(?:these|they|statements|both) conflict\b|\bconflicts? (?:in|between) (?:what|your|the)\b"
    r"|\bincompatible\b|\bat odds\b|\bmixed (?:statements|information|messages)\b"
    r"|\b(?:do|does|did)(?: not|n['’]t) (?:agree|match|fit together|add up)\b"
    r"|\b(?:cannot|can['’]t) both\b"
    r"|\b(?:said|say|stated|mentioned|told me)\b[^.?!]{0,20}\bboth\b[^.?!]{0,80}\band\b",
    re.IGNORECASE,
)
"""How one says that a conversation holds two things of which only one can be."""
ASKS_BACK: Final = re.compile(
    r"\b(?:which|what)\b[^.?!]{0,80}\b(?:correct|right|true|accurate|current|holds)\b[^.?!]{0,40}\?"
    r"|\b(?:could|can|would|will|please|need|want|have|like|ask\w*)\b[^.?!]{0,40}"
    r"\b(?:clarify|clarification|confirm)\b"
    r"|\b(?:please|let me know|tell me|clarify|confirm)\b[^.?!]{0,30}\b(?:which|what|whether)\b",
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
        return bool(ABSTAINS.search(self.content) and _OF_CHAT.search(self.text))

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
