"""``pins``: what the user forbade, limited or required, kept by rule beside any summary.

After the constraint extractor of COMPINT (arXiv 2608.11242; public source of
compaction-integrity). There a small model reads each message of the user and adds the
constraints to a registry outside the conversation, which no compaction can touch, and the
registry is written into the view after each compaction. Here rules do what the model does there
(see :func:`constraints_of`), so that the list costs no call and is the same in every run.

Constraints are read by English cue words alone: sentences that forbid, limit, require, prefer or
permit. A sentence counts if it has a cue of its own, or if it stands in a list under a line that
announces rules. Questions, code and printed output do not count, and neither does what the user
only reports ("I don't know", "it must have been").

Alone it keeps system prompt, pins and the newest part that fits. Composed, as in
``anchored+pins`` or ``anchored+ledger+pins``, the other strategy works with the rest of
the budget.

Only what the user says is pinned. Rules in a file that was read are not: a tool result must
not become a standing instruction. What is in the system prompt stays anyhow. Of a rule that
is said again with another number the later one stands. A rule that the user lifts stays
with the permission after it, and the text says that later ones win.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final, Literal

from pytest_compaction.compactors.base.summaries import summary_message
from pytest_compaction.compactors.composition import InsertionCompactor
from pytest_compaction.compactors.parameters import portion, whole
from pytest_compaction.compactors.protocol import Context, State, Traits
from pytest_compaction.conversation import Message
from pytest_compaction.text import canonical_number, clipped, content_stems, normalize, sentences

ConstraintType = Literal["prohibition", "limit", "requirement", "permission", "preference"]

MAX_CHARACTERS: Final = 300
"""A longer constraint is cut."""
_FEWEST_STEMS: Final = 2
"""A sentence with fewer content words ("Never.") constrains nothing by itself."""

_CUES: Final = tomllib.loads(resources.files(__package__).joinpath("pins.toml").read_text("utf-8"))


def _cue(name: str) -> re.Pattern[str]:
    alternatives = _CUES[name].strip().splitlines()
    return re.compile("|".join(alternatives).replace("{start}", _CUES["start"]), re.IGNORECASE)


_PROHIBITION: Final = _cue("prohibition")
_LIMIT: Final = _cue("limit")
_BOUND: Final = _cue("bound")
_REQUIREMENT: Final = _cue("requirement")
_PREFERENCE: Final = _cue("preference")
_PERMISSION: Final = _cue("permission")
_REPORTED: Final = _cue("reported")
_ANNOUNCED: Final = _cue("announced")
_CASUAL_END: Final = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[a-z(])")
"""The end of a sentence before one that begins in lower case."""
_NUMBER: Final = re.compile(r"\(?\d{1,2}[.)]\s+|\([a-z]\)\s+")
_FIRST: Final = re.compile(r"\(?\b1[.)]\s|\(a\)\s")
"""The number of an item in a list, and that of the first within a line."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint of the user in the message ``id``, in the user's words."""

    id: str
    type: ConstraintType
    text: str

    @property
    def subject(self) -> tuple[str, ...]:
        """Its content words with every number as ``#``: the same for a rule whose value changed."""
        stems = content_stems(normalize(self.text))
        return tuple("#" if canonical_number(s)[:1].isdigit() else s for s in stems)


def constraints_of(messages: Sequence[Message]) -> Iterator[Constraint]:
    """The constraints that the user states in the messages, in order."""
    for message in messages:
        if message.role == "user" and message.origin == "log":
            yield from _stated(message)


def followed_by(known: Sequence[Constraint], new: Sequence[Constraint]) -> list[Constraint]:
    """The constraints that stand: one said again, or with another number, stands once, the later.

    Two of one message never replace each other.
    """
    standing: dict[tuple[str, ...], list[Constraint]] = {}
    order: dict[Constraint, None] = {}
    for constraint in (*known, *new):
        earlier = standing.get(constraint.subject, [])
        same = [each for each in earlier if each.id == constraint.id]
        for gone in earlier:
            if gone.id != constraint.id:
                order.pop(gone, None)
        standing[constraint.subject] = [*same, constraint]
        order[constraint] = None
    return list(order)


def _stated(message: Message) -> Iterator[Constraint]:
    counted = False
    for text, above in _sentences(message.text):
        number = _NUMBER.match(text)
        counted = _opens_list(text) or (counted and number is not None)
        bare = text[number.end() :] if number else text
        if bare.endswith(("?", ":")) or len(set(content_stems(normalize(bare)))) < _FEWEST_STEMS:
            continue
        type = type_of(bare)
        if type is None and (counted or any(map(_announces, above))):
            type = "requirement"
        if type is not None:
            yield Constraint(message.id, type, clipped(bare, MAX_CHARACTERS))


def _sentences(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences that are no code, each with the lines above it; clauses stay together."""
    split = sentences(text)
    found: list[tuple[str, tuple[str, ...]]] = []
    block = -1
    for sentence in split:
        if sentence.code or sentence.removed:
            continue
        line = " ".join(sentence.text.split())
        above = tuple(split[number].text for number in sentence.context)
        first, *rest = _CASUAL_END.split(line)
        clause = sentence.block == block and found and found[-1][0][-1:] not in ".!?"
        if clause and first[:1].islower():
            found[-1] = (f"{found[-1][0]}; {first}", found[-1][1])
        else:
            found.append((first, above))
        found.extend((piece, above) for piece in rest)
        block = sentence.block
    return found


def _opens_list(text: str) -> bool:
    """Whether rules are announced and the first of them follows on the same line."""
    first = _FIRST.search(text)
    return first is not None and _announces(text[: first.start()].rstrip(" :,"))


def _announces(text: str) -> bool:
    return _ANNOUNCED.search(text.strip()) is not None


def type_of(text: str) -> ConstraintType | None:
    """Type of the constraint in a sentence, by its cues; ``None`` if there is none."""
    if _PERMISSION.search(text):
        return "permission"
    if _PROHIBITION.search(text) and not _REPORTED.search(text):
        return "prohibition"
    required = _REQUIREMENT.search(text) is not None and not _REPORTED.search(text)
    if _LIMIT.search(text) and (required or _BOUND.search(text)):
        return "limit"
    if required:
        return "requirement"
    return "preference" if _PREFERENCE.search(text) else None


PINS_ID: Final = "pins"
PREAMBLE: Final = (
    "What the user set as conditions earlier in this session, word for word. They still hold; "
    "where two disagree, the later one does."
)
TITLES: Final[dict[ConstraintType, str]] = {
    "prohibition": "Not to be done",
    "limit": "Limits",
    "requirement": "Required",
    "permission": "Lifted or allowed since",
    "preference": "Preferred",
}
"""The headings, by the order in which constraints get room."""
_LEAST: Final = 40
"""A list of fewer tokens is not worth its heading."""

Count = Callable[[str], int]


@dataclass(eq=False)
class Pins(InsertionCompactor):
    """Keeps system prompt, pins and newest part; or stands in another strategy's view.

    ``share`` is the part of the budget that the pins may take, ``limit`` the most
    constraints that are listed.
    """

    name = "pins"
    description = "the user's constraints by rule, word for word, beside any summary (composable)"
    traits = Traits(keeps_tail=True)
    insertion_id = PINS_ID

    share: float = portion(0.15)
    limit: int = whole(40, 1)

    def begin(self) -> State:
        return {"constraints": []}

    def note(self, notes: State, new: Sequence[Message]) -> State:
        standing = followed_by(_known(notes), list(constraints_of(new)))
        return {"constraints": [[each.id, each.type, each.text] for each in standing]}

    def insertion(self, notes: State, context: Context) -> Message | None:
        room = int(context.budget * self.share)
        if room < _LEAST:
            return None
        text = listed(_known(notes), room, self.limit, context.tokens.text)
        return summary_message(PINS_ID, text, PREAMBLE) if text else None


def listed(standing: Sequence[Constraint], room: int, limit: int, count: Count) -> str:
    """The constraints under their headings within ``room`` tokens; empty if none fits.

    Types get room in the order of the headings, and in each type the oldest first, because the
    newest messages are the last that any strategy gives up. What has no room is counted.
    """
    left = room - count(PREAMBLE) - _LEAST // 2
    shown: dict[ConstraintType, list[str]] = {}
    for type, title in TITLES.items():
        for constraint in standing:
            if constraint.type != type or sum(map(len, shown.values())) >= limit:
                continue
            cost = count(f"- {constraint.text}\n")
            cost += 0 if type in shown else count(f"## {title}\n\n")
            if cost <= left:
                left -= cost
                shown.setdefault(type, []).append(constraint.text)
    if not shown:
        return ""
    parts = [
        "\n".join([f"## {TITLES[type]}", *(f"- {text}" for text in texts)])
        for type, texts in shown.items()
    ]
    missing = len(standing) - sum(map(len, shown.values()))
    if missing:
        parts.append(f"({missing} more left out)")
    return "\n\n".join(parts)


def _known(notes: State) -> list[Constraint]:
    return [Constraint(*each) for each in notes["constraints"]]
