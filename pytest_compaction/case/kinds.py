"""The kinds of probes and what they ask for: types of facts, forced choices, nuggets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pytest_compaction.conversation import canonical_json, short_hash

Ability = Literal[
    "abstention",
    "contradiction_resolution",
    "event_ordering",
    "information_extraction",
    "instruction_following",
    "knowledge_update",
    "multi_session_reasoning",
    "preference_following",
    "summarization",
    "temporal_reasoning",
]
"""The ability that a question about a long conversation tests, as BEAM spells it."""
ABILITIES: Final[tuple[Ability, ...]] = get_args(Ability)
"""The kinds that are answered in words of which each nugget is judged 0, ½ or 1."""
ProbeKind = Literal["recall", "file", "continuation", "decision", "compliance"] | Ability
TEXT_KINDS: Final[tuple[ProbeKind, ...]] = ("recall", "file", "continuation", "decision")
"""The kinds that are answered in words, which a judge scores by the rubric."""
CHOICE_KIND: Final[ProbeKind] = "compliance"
"""The kind that is answered with one of two options, which no judge has to read."""
PROBE_KINDS: Final[tuple[ProbeKind, ...]] = (*TEXT_KINDS, CHOICE_KIND, *ABILITIES)

FactType = Literal[
    "value",
    "identifier",
    "error",
    "command",
    "path",
    "state",
    "decision",
    "reason",
    "next_step",
    "constraint",
]
"""The type of a fact; each criterion of the rubric reads the facts of its own types."""

Change = Literal["created", "modified", "deleted", "renamed", "read"]
"""The change of the file of a fact of type ``path``."""

NeededHow = Literal["used", "fetched", "said", "chosen", "ruled", "failed", "open", "confirmed"]
"""The sign by which a fact is known to be needed later."""

DEFAULT_TYPE: Final[Mapping[str, FactType]] = {
    "recall": "value",
    "file": "path",
    "continuation": "next_step",
    "decision": "decision",
    "compliance": "constraint",
    **dict.fromkeys(ABILITIES, "value"),
}


Letter = Literal["A", "B"]
LETTERS: Final[tuple[Letter, Letter]] = ("A", "B")
LETTER_TOKENS: Final = 16
"""The most tokens of a reply; some endpoints take no smaller limit."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The options of a compliance probe.

    ``complying`` keeps to the constraint. ``other`` is what one does out of habit who does
    not know of it. ``letter`` is the letter of the complying option.
    """

    complying: str
    other: str
    letter: Letter = "A"

    @property
    def habit(self) -> Letter:
        """The letter of the option that breaks the constraint."""
        return "B" if self.letter == "A" else "A"

    def asked(self, request: str, constraints: Iterable[str] = ()) -> str:
        """The request as a question with both options; ``constraints`` are put before it."""
        first, second = self.complying, self.other
        if self.letter == "B":
            first, second = second, first
        reminder = "".join(f"- {rule}\n" for rule in constraints)
        said = f"These rules were given and still stand:\n{reminder}\n" if reminder else ""
        return (
            f"{said}{request}\n\n"
            f"There are two ways to go about it:\nA) {first}\nB) {second}\n\n"
            "Which of them do you take, after all that you were told? Nothing is carried out. "
            "Reply with one letter, A or B, and nothing else."
        )


def read_letter(reply: str) -> Letter | None:
    """The letter that a reply consists of, in either case; ``None`` if it holds anything else."""
    said = reply.strip().upper()
    return next((letter for letter in LETTERS if letter == said), None)


def complying_letters(case: str, probes: Iterable[str]) -> dict[str, Letter]:
    """The letter of the complying option for each compliance probe of a case, by id."""
    ranked = sorted(probes, key=lambda probe: (short_hash(canonical_json([case, probe])), probe))
    first = int(short_hash(canonical_json(case)), 16) % 2
    return {probe: LETTERS[(first + place) % 2] for place, probe in enumerate(ranked)}


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
    """One thing that an answer has to do, judged 0, ½ or 1; ``text`` is as it was published."""

    text: str
    evidence: tuple[str, ...] = ()

    @property
    def content(self) -> str:
        """The content of the answer, without the words that ask for it and without a number."""
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
