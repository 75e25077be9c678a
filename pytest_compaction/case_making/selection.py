"""Choose drafts: what each must pass, and a mixture of kinds, families and parts of the log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from pytest_compaction.cache import Latest
from pytest_compaction.case import TEXT_KINDS, AnswerSpec, Case, Fact, Trap
from pytest_compaction.case_making.guessing import Clues, clues, is_guessable
from pytest_compaction.case_making.keys import given_away
from pytest_compaction.case_making.log import MAX_FACTS, Draft, Found, ProbeLog, states
from pytest_compaction.conversation import Message, shared_counter
from pytest_compaction.models import AnswerRequest, OfflineModel, prepare_beginnings
from pytest_compaction.run import bounded
from pytest_compaction.text import TextIndex

MOST_OF_A_NAME: Final = 2
"""How many probes of one shape a case may have."""


def keys_agree(said: Fact | Trap) -> bool:
    """Whether the text of a fact or trap states what its own keys ask for."""
    return not said.keys or states_alone(said.text, said)


def keys_too_loose(fact: Fact, trap: Trap) -> bool:
    """Whether a trap that may stand against the fact states it."""
    against = trap.of in {None, fact.text}
    return bool(fact.keys) and against and states_alone(trap.text, fact)


def states_alone(text: str, said: Fact | Trap) -> bool:
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


def select(
    log: ProbeLog, drafts: Iterable[Draft], count: int, known: Set[str] = frozenset()
) -> list[Draft]:
    """Choose drafts: one of each kind at each point in turn, the best of them, as long as any fit.

    Decisions come first: a rule may be a request as well. Of one name there are at most two.
    Facts that are ``known`` from elsewhere are left out.
    """
    chosen: list[Draft] = []
    names: Counter[str] = Counter()
    left: dict[tuple[str, int], list[Draft]] = defaultdict(list)
    for draft in sorted(drafts, key=lambda draft: -draft.rank):
        left[draft.kind, draft.point].append(draft)
    points = sorted({point for _, point in left}, reverse=True)
    places = [(kind, point) for kind in reversed(TEXT_KINDS) for point in points]
    while any(left.values()) and len(chosen) < count:
        for place in places:
            while left[place] and len(chosen) < count:
                draft = left[place].pop()
                if names[draft.name] >= MOST_OF_A_NAME:
                    continue
                if (checked := _checked(log, draft, chosen, known)) is not None:
                    chosen.append(checked)
                    names[draft.name] += 1
                    break
    return chosen


def _checked(log: ProbeLog, draft: Draft, chosen: Sequence[Draft], known: Set[str]) -> Draft | None:
    """The draft reduced to the facts that may be asked: at most six, none leaked or repeated.

    A needed fact that can be guessed is left out too.
    """
    questions = [draft.asked, *(other.asked for other in chosen)]
    shown, put = clues(log, draft.point), Clues(questions)
    asked = [found for other in chosen for found in other.found]
    taken = {*known, *(found.fact.text for found in asked)}
    whole = log.whole(log.points[draft.point])
    kept: list[Found] = []
    guessed = 0
    for found in draft.found:
        fact = found.fact
        leaked = any(given_away(asked, fact.keys, fact.text) for asked in questions)
        within = any(
            states(other.fact.text, fact) or states(fact.text, other.fact)
            for other in (*kept, *asked)
        )
        if fact.text in taken or leaked or within or not is_confirmed(fact, (), whole):
            continue
        if found.need is not None and is_guessable(fact, shown, put):
            guessed += 1
        else:
            kept.append(found)
    nothing, own = Clues(()), Clues([draft.asked])
    if (
        not kept
        or len(kept) + guessed < draft.whole
        or any(
            given_away(draft.asked, found.fact.keys, found.fact.text)
            or (found.need is not None and is_guessable(found.fact, nothing, own))
            for found in asked
        )
    ):
        return None
    best = {found.fact.text for found in sorted(kept, key=lambda found: found.risk)[:MAX_FACTS]}
    return replace(draft, found=tuple(found for found in kept if found.fact.text in best))
