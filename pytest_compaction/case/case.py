"""A case: a log, its probes, the facts that an answer must hold, the traps to avoid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from pytest_compaction.case.kinds import (
    CHOICE_KIND,
    DEFAULT_TYPE,
    LETTER_TOKENS,
    Choice,
    Letter,
    NeededHow,
    complying_letters,
)
from pytest_compaction.case.kinds import PROBE_KINDS as PROBE_KINDS
from pytest_compaction.case.kinds import Change as Change
from pytest_compaction.case.kinds import FactType as FactType
from pytest_compaction.case.kinds import Nugget as Nugget
from pytest_compaction.case.kinds import ProbeKind as ProbeKind
from pytest_compaction.conversation import (
    Message,
    canonical_json,
    leading_system,
    short_hash,
    text_message,
)
from pytest_compaction.conversation.formats.chat import from_chat, message_from_chat
from pytest_compaction.conversation.formats.parts import MessageShapeError
from pytest_compaction.text import Keys, Statement, language_of_conversation

if TYPE_CHECKING:
    from pytest_compaction.text import TextIndex


def recorded_view(
    record: Mapping[str, Any], point: str, log: tuple[Message, ...], position: Mapping[str, int]
) -> tuple[Message, ...]:
    """The view that a record describes; ``position`` holds the index of each id of the log.

    System messages at the start of the log stand before a summary. Raises
    :class:`~pytest_compaction.conversation.formats.parts.MessageShapeError`.
    """
    if "messages" in record:
        return tuple(
            log[position[item["log"]]]
            if "log" in item
            else message_from_chat(
                item, f"recorded-{point}-{number}", f"recorded message {number}", "synthetic"
            )
            for number, item in enumerate(record["messages"])
        )
    kept = {position[id] for id in record.get("kept", ())}
    head = log[: leading_system(log)]
    summary = text_message(f"recorded-{point}", "user", record["summary"], "synthetic")
    return (*head, summary, *(log[index] for index in sorted(kept) if index >= len(head)))


Origin = Literal["real", "scripted"]
"""Whether an agent at work left the log, or it was written for a benchmark."""

AnswerFormat = Literal["text", "list", "sentence", "json", "letter", "one-of-three", "object"]
"""``letter`` is the form of every forced choice, the last two are those of next actions. A case
file cannot ask for these three."""
DEFAULT_ANSWER_TOKENS = 400


class RecordShapeError(ValueError):
    """A message of a recorded view is not a chat message; ``pointer`` is its place in the file."""

    def __init__(self, pointer: str, text: str) -> None:
        self.pointer = pointer
        super().__init__(text)


_HOW: Final[Mapping[NeededHow, str]] = {
    "used": "needed",
    "fetched": "fetched again",
    "said": "said again",
    "chosen": "chosen",
    "ruled": "ruled",
    "failed": "tried and failed",
    "open": "still open",
    "confirmed": "confirmed by a reader",
}


@dataclass(frozen=True, slots=True)
class Needed:
    """Why a fact is asked: the use that the recorded session made of it after the point.

    ``message`` is the id of the message of that use, which the case need not hold; ``distance``
    is the number of tool calls from the point to it; ``act`` is what was done there.
    ``confirmed``: a person agreed that the fact matters.
    """

    how: NeededHow
    message: str = ""
    distance: int | None = None
    act: str = ""
    confirmed: bool = False

    @property
    def why(self) -> str:
        """Why the fact is asked, such as ``needed by m212: edit of src/a.py``."""
        said = _HOW[self.how]
        act = f": {self.act}" if self.act and self.act != said else ""
        if self.message:
            said += f" {'by' if self.how == 'used' else 'in'} {self.message}"
        agreed = f", {_HOW['confirmed']}" if self.confirmed and self.how != "confirmed" else ""
        return f"{said}{act}{agreed}"


@dataclass(frozen=True, slots=True)
class Fact:
    """An atomic thing that should still be known.

    ``keys`` are groups of alternatives, of which one each must stand in one clause;
    without them the wording of ``text`` or of an alias counts. ``evidence`` holds the ids
    of the messages where the log states it. ``change`` is what happened to the file of a
    fact of type ``path``. ``counterparts`` are the traps that stand against this fact.
    A fact without ``needed`` is stated only: whether the session used it later is not known.
    ``language`` is that of the case; ``keys_in`` gives the keys for sentences of each language.
    """

    text: str
    aliases: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    type: FactType = "value"
    keys: tuple[tuple[str, ...], ...] = ()
    change: Change | None = None
    counterparts: tuple[Statement, ...] = ()
    needed: Needed | None = None
    language: str = "en"
    keys_in: tuple[tuple[str, Keys], ...] = ()

    @property
    def statement(self) -> Statement:
        """The fact as the matcher reads it."""
        return Statement(
            self.text,
            self.aliases,
            self.keys,
            self.counterparts,
            self.change,
            self.type,
            self.language,
            self.keys_in,
        )

    @property
    def forms(self) -> tuple[str, ...]:
        """The text and its aliases."""
        return (self.text, *self.aliases)


@dataclass(frozen=True, slots=True)
class Trap:
    """A thing that the answer must not claim, such as a value that has changed since.

    It is hit if it is stated and nothing in ``current`` is. ``of`` is the text of the fact
    that it is the counterpart of, if there is one.
    """

    text: str
    aliases: tuple[str, ...] = ()
    current: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    type: FactType = "value"
    of: str | None = None
    language: str = "en"
    keys_in: tuple[tuple[str, Keys], ...] = ()

    @property
    def statement(self) -> Statement:
        """The trap as the matcher reads it."""
        return Statement(
            self.text,
            self.aliases,
            self.keys,
            language=self.language,
            keys_in=self.keys_in,
        )

    def hit_by(self, index: TextIndex) -> bool:
        """Whether the indexed text falls into this trap."""
        stated = index.outcome(self.statement) == "stated"
        return stated and not index.states(self.current)


@dataclass(frozen=True, slots=True)
class AnswerSpec:
    """The form of the answer that is asked for; ``max_tokens`` bounds every answer."""

    format: AnswerFormat = "text"
    max_tokens: int = DEFAULT_ANSWER_TOKENS
    max_items: int | None = None
    max_words: int | None = None
    forbid: tuple[str, ...] = ()

    @property
    def has_form(self) -> bool:
        """Whether a particular form is asked for; plain text is none."""
        return self.format != "text"

    @property
    def has_limits(self) -> bool:
        """Whether the question limits items or words, or forbids to mention something."""
        return self.max_items is not None or self.max_words is not None or bool(self.forbid)


@dataclass(frozen=True, slots=True)
class Probe:
    """One question asked after a compaction; ``point`` is the index of that compaction point.

    A compliance probe has a ``choice``: its question is a request to which its facts, all of
    them constraints, apply. No other probe has one.

    A probe about a long conversation has ``nuggets``, by which its answer is scored in place of
    the rubric. Its facts are those of the nuggets that a view can state, so it may have none.

    One without a ``question`` stands for its point in a run that asks for next actions, and nothing
    else is asked there; no case file has one.
    """

    id: str
    kind: ProbeKind
    question: str
    facts: tuple[Fact, ...]
    traps: tuple[Trap, ...] = ()
    answer: AnswerSpec = AnswerSpec()
    point: int = 0
    choice: Choice | None = None
    nuggets: tuple[Nugget, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A place of the log where it is compacted: after the message at ``index``.

    ``recorded`` is the view with which the agent really continued after its own
    compaction there; empty if none is on record. ``stated`` is what its record says of it else.
    """

    id: str
    index: int
    recorded: tuple[Message, ...] = ()
    stated: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, eq=False)
class Case:
    """A conversation, where it is compacted, and the probes asked afterwards.

    ``window`` is the context window and ``budget`` the limit of a view, both in tokens.
    ``digest`` identifies what is measured; cases with equal id, digest and proposed questions are
    equal. ``size`` is how long a conversation is in the words of its set, such as ``100K``; empty
    for a session. ``project`` is the address of the project of a real session, empty for a
    scripted one.
    ``language`` is the code of that in which most is said.
    ``proposed`` are questions that wait for a person to confirm them; they are never asked.
    """

    id: str
    task: str
    window: int
    budget: int
    messages: tuple[Message, ...]
    points: tuple[Point, ...]
    probes: tuple[Probe, ...]
    proposed: tuple[Probe, ...] = ()
    title: str = ""
    source: str = ""
    digest: str = ""
    origin: Origin = "scripted"
    size: str = ""
    project: str = ""
    language: str = "en"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Case)
            and (self.id, self.digest) == (other.id, other.digest)
            and self.proposed == other.proposed
        )

    def __hash__(self) -> int:
        return hash((self.id, self.digest))

    def __repr__(self) -> str:
        return f"<Case {self.id}: {len(self.messages)} messages, {len(self.probes)} probes>"

    def log_until(self, point: int) -> tuple[Message, ...]:
        """The messages up to and including the compaction point with this index."""
        return self.messages[: self.points[point].index + 1]


NOT_MEASURED: Final = frozenset({"proposed", "declined"})
"""The lists of a case file that are never asked: a person's review changes them."""


def digest_of(data: Mapping[str, Any]) -> str:
    """Identifies what is measured of a case, however its file is written."""
    return short_hash(canonical_json({key: data[key] for key in data.keys() - NOT_MEASURED}))


@lru_cache(maxsize=4)  # the probes of a case follow one another
def log_digest(case: Case) -> str:
    """Digest of the log with its compaction points, window and budget."""
    messages = [[message.id, message.content_hash] for message in case.messages]
    points = [
        [point.id, point.index, [message.content_hash for message in point.recorded]]
        for point in case.points
    ]
    return short_hash(canonical_json([case.window, case.budget, points, messages]))


def probe_digest(probe: Probe) -> str:
    """Digest of the facts, the traps and the compaction point of a probe."""
    traps = [[t.text, t.aliases, t.current, t.keys, t.type, t.of] for t in probe.traps]
    facts = list(map(fact_digest, probe.facts))
    return short_hash(canonical_json([probe.point, probe.choice is not None, facts, traps]))


def fact_digest(fact: Fact) -> str:
    """Identifies how a fact is found: its wordings, its keys, and what stands against it."""
    against = [[each.text, each.aliases, each.keys] for each in fact.counterparts]
    found: list[Any] = [fact.text, fact.aliases, fact.type, fact.keys, fact.change, against]
    if fact.language != "en" or fact.keys_in:
        found += [fact.language, fact.keys_in]
    return short_hash(canonical_json(found))


_VIEW: Final = frozenset({"messages", "summary", "kept"})
"""The keys of a record that make up its view; the others are for information."""


def case_from_json(data: Mapping[str, Any], source: str = "", digest: str = "") -> Case:
    """Build a case from data that the schema has accepted; ``digest`` is theirs if it is known.

    Raises :class:`~pytest_compaction.conversation.formats.parts.MessageShapeError` for a
    message that is not a chat message, :class:`RecordShapeError` for one of a recorded
    view, and ``KeyError`` with the unknown id for a point that does not exist; the module
    ``files`` reports them with their place.
    """
    messages = from_chat(data["messages"])
    position = {message.id: index for index, message in enumerate(messages)}
    points: list[Point] = []
    for number, item in enumerate(data["compaction_points"]):
        id, recorded = str(item.get("id", f"p{number + 1}")), item.get("recorded")
        try:
            view = recorded_view(recorded, id, messages, position) if recorded else ()
        except MessageShapeError as error:
            raise RecordShapeError(f"/compaction_points/{number}/recorded", str(error)) from None
        told = {key: recorded[key] for key in recorded or () if key not in _VIEW}
        points.append(Point(id, position[item["after"]], view, told))
    names = {point.id: number for number, point in enumerate(points)}
    language = data.get("language") or language_of_conversation(
        message.text for message in messages if message.role in {"user", "assistant"}
    )

    def probes_of(items: Sequence[Mapping[str, Any]]) -> tuple[Probe, ...]:
        choosing = [item["id"] for item in items if item["kind"] == CHOICE_KIND]
        letters = complying_letters(data["id"], choosing)
        return tuple(_probe(item, names, len(points) - 1, letters, language) for item in items)

    provenance = data.get("provenance", {})
    origin = provenance.get("origin", "scripted")
    return Case(
        id=data["id"],
        task=data["task"],
        window=int(data["window"]),
        budget=int(data["budget"]),
        messages=messages,
        points=tuple(points),
        probes=probes_of(data["probes"]),
        proposed=probes_of(data.get("proposed", ())),
        title=data.get("title", ""),
        source=source,
        digest=digest or digest_of(data),
        origin=origin,
        project=provenance.get("repository", "") if origin == "real" else "",
        language=language,
    )


def _probe(
    item: Mapping[str, Any],
    points: Mapping[str, int],
    last: int,
    letters: Mapping[str, Letter],
    language: str,
) -> Probe:
    kind: ProbeKind = item["kind"]
    options = item.get("options")
    answer = dict(item.get("answer", {}))
    if options:
        answer = {"format": "letter", "max_tokens": LETTER_TOKENS}
    for name in ("max_tokens", "max_items", "max_words"):
        if name in answer:
            answer[name] = int(answer[name])
    answer["forbid"] = tuple(answer.get("forbid", ()))
    types = {fact["text"]: fact.get("type", DEFAULT_TYPE[kind]) for fact in item["facts"]}
    traps = tuple(_trap(trap, types, kind, language) for trap in item.get("traps", ()))
    return Probe(
        id=item["id"],
        kind=kind,
        question=item["question"],
        facts=tuple(_fact(fact, kind, traps, language) for fact in item["facts"]),
        traps=traps,
        answer=AnswerSpec(**answer),
        point=points[item["point"]] if "point" in item else last,
        choice=Choice(**options, letter=letters[item["id"]]) if options else None,
    )


def _trap(
    item: Mapping[str, Any], types: Mapping[str, FactType], kind: ProbeKind, language: str
) -> Trap:
    of = item.get("of")
    type = types.get(of, DEFAULT_TYPE[kind]) if of else DEFAULT_TYPE[kind]
    return Trap(
        item["text"],
        tuple(item.get("aliases", ())),
        _texts(item.get("current", ())),
        **_keys(item.get("keys", ()), language),
        type=item.get("type", type),
        of=of,
    )


def _fact(item: Mapping[str, Any], kind: ProbeKind, traps: tuple[Trap, ...], language: str) -> Fact:
    needed = dict(item.get("needed", {}))
    if "distance" in needed:
        needed["distance"] = int(needed["distance"])
    return Fact(
        text=item["text"],
        aliases=tuple(item.get("aliases", ())),
        evidence=tuple(item["evidence"]),
        type=item.get("type", DEFAULT_TYPE[kind]),
        **_keys(item.get("keys", ()), language),
        change=item.get("change"),
        counterparts=tuple(trap.statement for trap in traps if trap.of == item["text"]),
        needed=Needed(**needed) if needed else None,
    )


def _keys(value: Any, language: str) -> dict[str, Any]:
    """The key groups; where a file gives them by language, those of the case lead."""
    if not isinstance(value, Mapping):
        return {"keys": tuple(map(_texts, value)), "language": language}
    by_language = {code: tuple(map(_texts, groups)) for code, groups in sorted(value.items())}
    leading = by_language.get(language) or next(iter(by_language.values()))
    return {"keys": leading, "language": language, "keys_in": tuple(by_language.items())}


def _texts(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
