"""Choose drafts: what each must pass, and a mixture of kinds, families and parts of the log."""

from __future__ import annotations

from collections import Counter, defaultdict
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

MOST_ANSWERS: Final = 256
"""How many drafts the control answers for a log, since an answer takes as long as the log. Logs
of agents at work need two to three for each probe, and have less than twenty probes."""
SHARE_OF_A_NAME: Final = 5
"""One in so many probes may be of one name; three always may."""
SHARES: Final[Mapping[str, int]] = {"defined-in": 2}
"""Names that may have a larger share: each probe asks for another piece of code."""
MOST_OF_A_NAME: Final = 24
MAX_DRAFTS_OF_A_NAME: Final = 100
"""Bounds the work on huge logs: the control answers every draft that comes up for selected."""
MOST_OF_A_FILE: Final = 2
"""How many probes may ask for nothing but the same files."""
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
        self._answered = 0

    @classmethod
    def of(cls, case: Case) -> FullLogControl:
        """The control of a finished case."""
        return cls(case.messages, [point.index for point in case.points])

    @property
    def is_done(self) -> bool:
        """Whether it has answered as many drafts as it may."""
        return self._answered >= MOST_ANSWERS

    def answer(self, question: str, spec: AnswerSpec, point: int, kind: str) -> TextIndex:
        """The answer from the log up to a point to a question of a kind of probe."""
        return TextIndex(self._answers.of(question, spec, point, kind))

    def answers(self, draft: Draft) -> bool:
        """Whether the answer from the full log states at least one of the facts."""
        self._answered += 1
        answer = self.answer(draft.question, AnswerSpec(draft.format), draft.point, draft.kind)
        return any(answer.is_stated(found.fact.statement) for found in draft.found)


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


@dataclass(frozen=True, slots=True)
class Checks:
    """Checks of a draft: the log confirms it, and the control, if any, answers it."""

    log: DraftedLog
    control: FullLogControl | None = None


@dataclass(slots=True)
class _Selection:
    """The drafts chosen so far, and what they hold."""

    checks: Checks
    chosen: list[Draft] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    parts: Counter[int] = field(default_factory=Counter)
    lists: set[tuple[str, frozenset[str]]] = field(default_factory=set)

    def add(self, draft: Draft) -> None:
        """Take a draft."""
        self.chosen.append(draft)
        self.used.update(_texts(draft))
        self.names[draft.name] += 1
        self.parts[self.part(draft)] += 1
        self.lists.add((_told_by(draft), frozenset(_texts(draft))))

    def part(self, draft: Draft) -> int:
        """The part of the log that first states a fact of the draft."""
        return draft.found[0].positions[0] * PARTS // self.checks.log.messages

    def rank(self, draft: Draft) -> float:
        """The rank of a draft beside those chosen; the smallest is the best."""
        crowded = CROWDING * self.parts[self.part(draft)]
        return draft.rank + REPETITION * self.names[draft.name] + crowded


def select(
    drafts: Sequence[Draft],
    count: int,
    checks: Checks,
    already: Sequence[Draft] = (),
    most: int | None = None,
) -> list[Draft]:
    """Choose one draft of each kind per round, then fill up by rank; repeated names rank lower.

    Those ``already`` chosen stay. Of one name there is a share of ``most``, or of ``count``.
    """
    selected = _Selection(checks)
    for draft in already:
        selected.add(draft)
    asked = {(draft.question, draft.point) for draft in already}
    left = _spread([draft for draft in drafts if (draft.question, draft.point) not in asked])
    turns = [kind for turn in range(max(WANTED.values())) for kind in TEXT_KINDS]
    turns = [kind for place, kind in enumerate(turns) if place // len(TEXT_KINDS) < WANTED[kind]]
    for kind in [*turns, *[""] * count]:
        if len(selected.chosen) >= count:
            break
        best = _next(left, kind, selected, most or count)
        if best is not None:
            selected.add(best)
    return selected.chosen


def _spread(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts by rank; of a name that has too many, those at equal distances."""
    by_name: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        by_name[draft.name].append(draft)
    kept: list[Draft] = []
    for held in by_name.values():
        step = max(1, -(-len(held) // MAX_DRAFTS_OF_A_NAME))
        kept += held[::step]
    return sorted(kept, key=lambda draft: draft.rank)


def _next(left: list[Draft], kind: str, selected: _Selection, count: int) -> Draft | None:
    """Remove and return the best draft of a kind (of any kind for ``""``) that passes its checks.

    Drafts that fail a check are removed as well. ``count`` bounds how many a name may have.
    """
    control = selected.checks.control
    while True:
        fitting = [
            draft
            for draft in left
            if kind in {"", draft.kind}
            and selected.names[draft.name]
            < min(MOST_OF_A_NAME, max(3, count // SHARES.get(draft.name, SHARE_OF_A_NAME)))
        ]
        if not fitting or (control is not None and control.is_done):
            return None
        best = min(fitting, key=selected.rank)
        left.remove(best)
        checked = _checked(best, selected)
        if checked is not None and (control is None or control.answers(checked)):
            return checked


def _checked(draft: Draft, selected: _Selection) -> Draft | None:
    """The draft reduced to the facts that may be asked: at most six, not leaked, not repeated.

    The log up to the question must confirm each of them. ``None`` when too few are left.
    """
    log, used = selected.checks.log, selected.used
    sound = _sound(draft)
    kept: list[Found] = []
    for found in draft.found:
        fact = found.fact
        again = used[fact.text] and fact.type != "path"
        leaked = given_away(draft.question, fact.keys, fact.text)
        within = any(
            states(other.fact.text, fact) or states(fact.text, other.fact) for other in kept
        )
        if not again and not leaked and not within and log.confirms(draft, fact):
            kept.append(found)
    texts = frozenset(found.fact.text for found in kept)
    repeated = (_told_by(draft), texts) in selected.lists
    if len(kept) < max(draft.least, draft.whole, 1) or repeated:
        return None
    if all(used[text] >= MOST_OF_A_FILE for text in texts):
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


def _told_by(draft: Draft) -> str:
    """Group of drafts that may ask for a fact once: a name; files are one group."""
    return draft.kind if draft.kind == "file" else draft.name


def _texts(draft: Draft) -> list[str]:
    return [found.fact.text for found in draft.found]
