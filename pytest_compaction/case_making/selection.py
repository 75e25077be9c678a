"""Choose drafts: what each must pass, and a mixture of kinds, families and parts of the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from pytest_compaction.cache import Latest
from pytest_compaction.case import TEXT_KINDS, AnswerSpec, Case, Fact, Trap
from pytest_compaction.case_making.keys import given_away
from pytest_compaction.case_making.log import MAX_FACTS, Draft, Found, ProbeLog, states
from pytest_compaction.conversation import Message, shared_counter
from pytest_compaction.models import AnswerRequest, OfflineModel, prepare_beginnings
from pytest_compaction.run import bounded
from pytest_compaction.text import TextIndex

MOST_OF_A_NAME: Final = 2
"""How many probes of one shape a case may have, if it has no more points."""
REPETITION: Final = 0.25
"""What each chosen draft of a name adds to the rank of the others of that name."""
PARTS: Final = 16
CROWDING: Final = 0.04
"""What each chosen draft adds to the rank of the others from the same of sixteen parts of a log."""
WANTED: Final[Mapping[str, int]] = {"file": 4, "recall": 6, "continuation": 3, "decision": 3}
"""How many probes of each kind are chosen before the rest is filled by rank."""


def keys_agree(said: Fact | Trap) -> bool:
    """Whether the text of a fact or trap states what its own keys ask for."""
    return not said.keys or _states_alone(said.text, said)


def keys_too_loose(fact: Fact, trap: Trap) -> bool:
    """Whether a trap that may stand against the fact states it."""
    against = trap.of in {None, fact.text}
    return bool(fact.keys) and against and _states_alone(trap.text, fact)


def _states_alone(text: str, said: Fact | Trap) -> bool:
    """Whether a text states a fact or trap, whatever stands against it."""
    return TextIndex(text).is_stated(replace(said.statement, counterparts=()))


def is_confirmed(fact: Fact, traps: Sequence[Trap], log: TextIndex) -> bool:
    """Whether the log states a fact that has these traps, and its keys fit it and none of them."""
    if not keys_agree(fact) or any(keys_too_loose(fact, trap) for trap in traps):
        return False
    against = tuple(trap.statement for trap in traps if trap.of == fact.text)
    return log.is_stated(replace(fact.statement, counterparts=against))


def confirmed(
    facts: Iterable[Fact], traps: Iterable[Trap], log: TextIndex
) -> tuple[list[Fact], list[Trap]]:
    """The facts that the log confirms, and the traps that fit their keys and one of these facts."""
    sound = [trap for trap in traps if keys_agree(trap)]
    kept = [fact for fact in facts if is_confirmed(fact, sound, log)]
    texts = {fact.text for fact in kept}
    return kept, [trap for trap in sound if trap.of is None or trap.of in texts]


@dataclass(frozen=True, slots=True)
class _Log:
    """A log, and how many of its messages were there at each point."""

    messages: tuple[Message, ...]
    ends: tuple[int, ...]


class _Answers:
    """The answers of the offline model from a log at each of its points, each made once."""

    def __init__(self, log: _Log) -> None:
        self._log = log
        self._model = OfflineModel(shared_counter())
        self._views = prepare_beginnings(log.messages, log.ends)
        """Held, because views of long logs are too large for the cache."""
        self.of = cache(self._answer)

    def _answer(self, question: str, spec: AnswerSpec, point: int, kind: str) -> str:
        view = self._log.messages[: self._log.ends[point]]
        text = self._model.answer_text(AnswerRequest(view, question, spec, kind=kind))
        return bounded(text, spec.max_tokens, shared_counter())


_ANSWERS: Final = Latest(_Answers)
"""The finished case is asked the same as the drafts were, right after them."""


class FullLogControl:
    """Can the offline model answer from all messages up to the point of a question?"""

    def __init__(self, messages: Sequence[Message], points: Sequence[int]) -> None:
        ends = tuple(asked + 1 for asked in points)
        self._answers = _ANSWERS.of(_Log(tuple(messages[: max(ends, default=0)]), ends))

    @classmethod
    def of(cls, case: Case) -> FullLogControl:
        """The control of a finished case."""
        return cls(case.messages, [point.index for point in case.points])

    def answer(self, question: str, spec: AnswerSpec, point: int, kind: str) -> TextIndex:
        """The answer from the log up to a point to a question of a kind of probe."""
        return TextIndex(self._answers.of(question, spec, point, kind))


def unanswered(case: Case) -> int:
    """Number of probes that the control answers without a single fact."""
    control, count = FullLogControl.of(case), 0
    for probe in case.probes:
        if probe.choice is None:
            answer = control.answer(probe.question, probe.answer, probe.point, probe.kind)
            count += not any(answer.is_stated(fact.statement) for fact in probe.facts)
    return count


@dataclass(frozen=True, slots=True)
class DraftedLog:
    """The drafts of a log of so many messages, and which of their facts it confirms.

    It holds nothing of the log itself, whose index takes several times the memory of its text.
    """

    drafts: tuple[Draft, ...]
    messages: int
    confirmed: frozenset[tuple[int, tuple[Trap, ...], Fact]]
    """The point and traps of a draft, and a fact of it."""

    @classmethod
    def of(cls, log: ProbeLog, drafts: Iterable[Draft]) -> DraftedLog:
        """The drafts, whose facts are looked up in the log up to where they are asked for."""
        drafts = tuple(drafts)
        confirmed = {
            (draft.point, draft.traps, found.fact)
            for draft in drafts
            for found in draft.found
            if is_confirmed(found.fact, _sound(draft), log.whole(log.points[draft.point]))
        }
        return cls(drafts, len(log.messages), frozenset(confirmed))

    def confirms(self, draft: Draft, fact: Fact) -> bool:
        """Whether the log confirms a fact of a draft."""
        return (draft.point, draft.traps, fact) in self.confirmed


@dataclass(slots=True)
class _Selection:
    """The drafts chosen so far, and what they hold."""

    log: DraftedLog
    chosen: list[Draft] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    parts: Counter[int] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)

    def add(self, draft: Draft) -> None:
        """Take a draft."""
        self.chosen.append(draft)
        self.used.update(found.fact.text for found in draft.found)
        self.names[draft.name] += 1
        self.parts[self.part(draft)] += 1
        self.asked.append(draft.question)

    def part(self, draft: Draft) -> int:
        """The part of the log that first states a fact of the draft."""
        return draft.found[0].positions[0] * PARTS // self.log.messages

    def rank(self, draft: Draft) -> float:
        """The rank of a draft beside those chosen; the smallest is the best."""
        crowded = CROWDING * self.parts[self.part(draft)]
        return draft.rank + REPETITION * self.names[draft.name] + crowded


def select(log: DraftedLog, count: int, points: int) -> list[Draft]:
    """Choose one draft of each kind per round, then fill up by rank; repeated names rank lower.

    Of one name there are at most two, or one for each of the ``points``.
    """
    selected = _Selection(log)
    left = sorted(log.drafts, key=lambda draft: draft.rank)
    turns = [kind for turn in range(max(WANTED.values())) for kind in TEXT_KINDS]
    turns = [kind for place, kind in enumerate(turns) if place // len(TEXT_KINDS) < WANTED[kind]]
    for kind in [*turns, *[""] * count]:
        if len(selected.chosen) >= count:
            break
        best = _next(left, kind, selected, max(MOST_OF_A_NAME, points))
        if best is not None:
            selected.add(best)
    return selected.chosen


def _next(left: list[Draft], kind: str, selected: _Selection, most: int) -> Draft | None:
    """Remove and return the best draft of a kind (of any kind for ``""``) that passes its checks.

    Drafts that fail a check are removed as well. A name may have at most ``most``.
    """
    while True:
        fitting = [
            draft
            for draft in left
            if kind in {"", draft.kind} and selected.names[draft.name] < most
        ]
        if not fitting:
            return None
        best = min(fitting, key=selected.rank)
        left.remove(best)
        if (checked := _checked(best, selected)) is not None:
            return checked


def _checked(draft: Draft, selected: _Selection) -> Draft | None:
    """The draft reduced to the facts that may be asked: at most six, not leaked, not repeated.

    The log up to the question must confirm each of them, and no other question of the case may
    give one away. ``None`` when too few are left.
    """
    log, used = selected.log, selected.used
    sound = _sound(draft)
    kept: list[Found] = []
    for found in draft.found:
        fact = found.fact
        questions = [draft.question, *selected.asked]
        leaked = any(given_away(asked, fact.keys, fact.text) for asked in questions)
        within = any(
            states(other.fact.text, fact) or states(fact.text, other.fact) for other in kept
        )
        if not (used[fact.text] or leaked or within) and log.confirms(draft, fact):
            kept.append(found)
    if len(kept) < max(draft.least, draft.whole, 1) or any(
        given_away(draft.question, found.fact.keys, found.fact.text)
        for chosen in selected.chosen
        for found in chosen.found
    ):
        return None
    best = sorted(kept, key=lambda found: found.risk)[:MAX_FACTS]
    facts = {found.fact.text for found in best}
    answer = TextIndex("\n".join(sorted(facts)))
    traps = tuple(
        trap for trap in sound if trap.of in facts and not answer.is_stated(trap.statement)
    )
    chosen = tuple(found for found in kept if found.fact.text in facts)
    return replace(draft, found=chosen, traps=traps)


def _sound(draft: Draft) -> list[Trap]:
    """The traps that state what their own keys ask for."""
    return [trap for trap in draft.traps if keys_agree(trap)]
