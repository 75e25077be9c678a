"""How an answer speaks of a conversation: that it holds nothing or contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_NOT: Final = r"(?: not|n['’]t)"
_CHAT: Final = (
    r"(?:chat|conversation|context|history|log|memory|note|message|record|excerpt|text|material)s?"
)
_TELL: Final = (
    r"(?:mention|discuss|specif|provid|stat|record|cover|describ|shar)"
    r"(?:e|ed|es|s|y|ied|ies|ing)?"
)
_TOLD: Final = (
    rf"(?:{_TELL}|say|said|says|tell|told|tells|(?:give|gave|given)(?! up\b)|pass(?:ed)? on"
    r"|went into|gone into|go into|(?:bring|brought) (?:\w+ ){0,2}?up|sp(?:ell|elled|elt) out)"
)
_KNOWLEDGE: Final = (
    r"(?:information|info|mention|details?|records?|evidence|answer|notes?|memory|indication)"
)
_NOTHING: Final = r"(?:nothing|no[ -]one|nobody)"
_OF_OTHERS: Final = r"(?<!\byou )(?<!\bhe )(?<!\bshe )(?<!\bthey )"
_BY: Final = r"(?! by\b)"
"""What "was not mentioned by" somebody is said of that person and not of the conversation."""

_OUR_CHAT: Final = (
    r"(?:the|this|that|our|your|my|any)(?: \w+)? (?:chat|conversation|context|history|memory)s?"
)

_NO_INFORMATION: Final = (
    rf"\bno (?:such |specific |relevant |further |other |explicit |clear )*{_KNOWLEDGE}\b",
    rf"\b(?:is|are|was|were|has|have|had){_NOT} (?:been |explicitly |ever |actually )*{_TELL}"
    rf"\b{_BY}",
    rf"\bnot (?:been |explicitly |ever )*{_TELL}\b{_BY}",
    rf"\b(?:is|are|was|were){_NOT} (?:any|enough|sufficient) (?:\w+ ){{0,2}}{_KNOWLEDGE}\b",
    rf"\b(?:insufficient|not enough) {_KNOWLEDGE}\b",
    rf"\b(?:information|info|details?) (?:is|are|was|were)"
    rf"(?:{_NOT} (?:\w+ )?(?:available|there|present|known|found)| unavailable)\b",
    rf"(?:{_NOT} (?:anywhere )?in|\b(?:missing|absent) from) {_OUR_CHAT}\b",
    rf"\b(?:unclear|not clear|unknown|can['’]t be seen) from {_OUR_CHAT}\b",
    # The conversation, or who speaks in it, does not say.
    rf"\b{_CHAT}\b[^.?!;]{{0,40}}?\b(?:does|do|did|has|have){_NOT} (?:\w+ )?"
    rf"(?:{_TOLD}|contain|include|hold|reveal|disclose|indicate)\w*",
    rf"\b(?:you|we|i|it|user) (?:did|do|does|have|has){_NOT} (?:\w+ )?{_TOLD}\b",
    rf"\b(?:you|we)['’]ve not (?:\w+ )?{_TOLD}\b",
    rf"\bnever (?:\w+ )?{_TELL}\b",
    rf"\b(?:you|we|i|it) never (?:\w+ )?{_TOLD}\b",
    rf"\b(?:don['’]t|do not) (?:think|believe|recall|remember) (?:that )?(?:you|we)\b"
    rf"[^.?!;]{{0,20}}?\b{_TOLD}\b",
    rf"\b(?:has|have|had|does|did){_NOT} (?:actually |ever )?(?:come|came) up\b",
    r"\bnever (?:come|comes|came) up\b",
    r"\b(?:the|this|our|your|my) (?:\w+ )?(?:chat|conversation|context|history|memory)s?\b"
    r"[^.?!;]{0,40}?\b(?:no|nothing)\b",
    rf"\b{_NOTHING}\b[^.?!;]{{0,40}}?\b(?:{_CHAT}|turns? up|comes? up|came up)\b",
    rf"\bnothing (?:i|you|we|in|on|from|about|here|there)\b[^.?!;]{{0,60}}?"
    rf"\b(?:{_TOLD}|say|about|on)\b",
    # The assistant does not know.
    r"\b(?:i|we) (?:do|did)(?: not|n['’]t) know\b",
    rf"\b(?:do|does|did){_NOT} (?:actually |currently )?(?:have|see|find|recall|remember)"
    rf" (?:any\w*|enough|(?:(?:a|the|this|that|such|specific|further) )*{_KNOWLEDGE})\b",
    r"\b(?:i|we) (?:have|see|find) (?:nothing|no)\b",
    rf"{_OF_OTHERS}\b(?:cannot|can['’]t|could not|couldn['’]t|unable to) (?:\w+ ){{0,2}}"
    r"(?:find|say|tell|determine|answer|know|see)\b",
    rf"\b(?:is|are|was|were){_NOT} something (?:that )?(?:i|we|you)\b",
    r"\bnot aware of (?:any|a)\b",
)
_CONTRADICTION: Final = (
    r"\bcontradict\w*",
    r"\binconsisten\w*",
    r"\bconflicting\b",
    r"\bin conflict\b",
    r"\bdiscrepan\w*",
    r"\bincompatible\b",
    r"\bat odds\b",
    r"\bmixed (?:statements|information|messages|signals)\b",
    r"\b(?:these|they|statements|both) conflict\b",
    r"\bconflicts? (?:in|between) (?:what|your|the)\b",
    r"\bthere(?:['’]s| is| seems to be) [^.?!]{0,20}\bconflict\b(?! with)",
    rf"\b(?:do|does|did){_NOT} (?:quite )?(?:agree|match|fit together|add up|line up|square)\b",
    r"\b(?:cannot|can['’]t) both\b",
    r"\b(?:two|opposite|both) (?:different |opposite |conflicting )?"
    r"(?:things|versions|answers|accounts|stories)\b",
    r"\b(?:said|say|stated|mentioned|told me)\b[^.?!]{0,20}\bboth\b[^.?!]{0,80}\band\b",
)
_QUESTION: Final = (
    r"\b(?:which|what)\b[^.?!]{0,80}\b(?:correct|right|true|accurate|current|holds)\b[^.?!]{0,40}\?",
    r"\b(?:could|can|would|will|please|need|want|have|like|ask\w*)\b[^.?!]{0,40}"
    r"\b(?:clarify|clarification|confirm)\b",
    r"\b(?:please|let me know|tell me|clarify|confirm)\b[^.?!]{0,30}\b(?:which|what|whether)\b",
)


def _any(forms: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


ABSTAINS: Final = _any(_NO_INFORMATION)
"""How one says that a conversation holds no answer."""
TELLS_CONTRADICTION: Final = _any(_CONTRADICTION)
"""How one says that a conversation holds two things of which only one can be."""
ASKS_BACK: Final = _any(_QUESTION)
"""How one asks which of two things is right."""
