"""Can the offline model answer a probe from the full log? ``lint`` asks the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.cache.latest import Latest
from pytest_compaction.case.case import AnswerSpec, Case, Fact, Probe
from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import shared_counter
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.offline.units import prepare_beginnings
from pytest_compaction.models.protocol import AnswerRequest
from pytest_compaction.probes.draft import Draft
from pytest_compaction.run.responder import bounded
from pytest_compaction.text import TextIndex

MOST_ANSWERS: Final = 256
"""How many drafts the control answers for a log, since an answer takes as long as the log. Logs
of agents at work need two to three for each probe, and have less than twenty probes."""


class _Answers:
    """The answers of the offline model from a log at each of its points, each made once."""

    def __init__(self, log: _Log) -> None:
        self._log = log
        self._tokens = shared_counter()
        self._model = OfflineModel(self._tokens)
        self._made: dict[tuple[str, AnswerSpec, int, str], str] = {}
        self._views = prepare_beginnings(log.messages, log.ends)
        """Held, because views of long logs are too large to be remembered otherwise."""

    def of(self, question: str, spec: AnswerSpec, point: int, kind: str) -> str:
        """The answer from the log up to a point to a question of a kind of probe."""
        asked = (question, spec, point, kind)
        if asked not in self._made:
            view = self._log.messages[: self._log.ends[point]]
            text = self._model.answer_text(AnswerRequest(view, question, spec, kind=kind))
            self._made[asked] = bounded(text, spec.max_tokens, self._tokens)
        return self._made[asked]


@dataclass(frozen=True, slots=True)
class _Log:
    """A log, and how many of its messages were there at each point."""

    messages: tuple[Message, ...]
    ends: tuple[int, ...]


_ANSWERS: Final = Latest(_Answers)
"""The finished case is asked the same as the drafts were, right after them."""


class FullLogControl:
    """Answers drafts from all messages up to the point after which they are asked."""

    def __init__(self, messages: Sequence[Message], points: Sequence[int]) -> None:
        ends = tuple(asked + 1 for asked in points)
        self._answers = _ANSWERS.of(_Log(tuple(messages[: max(ends, default=0)]), ends))
        self._answered = 0

    @property
    def is_done(self) -> bool:
        """Whether it has answered as many drafts as it may."""
        return self._answered >= MOST_ANSWERS

    def answers(self, draft: Draft) -> bool:
        """Whether the answer from the full log states at least one of the facts."""
        self._answered += 1
        facts = [found.fact for found in draft.found]
        return self._states_any(
            facts, draft.question, AnswerSpec(**draft.answer), draft.point, draft.kind
        )

    def answers_probe(self, probe: Probe) -> bool:
        """The same for a probe of a finished case."""
        return self._states_any(probe.facts, probe.question, probe.answer, probe.point, probe.kind)

    def _states_any(
        self, facts: Iterable[Fact], question: str, spec: AnswerSpec, point: int, kind: str
    ) -> bool:
        index = TextIndex(self._answers.of(question, spec, point, kind))
        return any(index.read(fact.statement).outcome == "stated" for fact in facts)


def unanswered(case: Case) -> int:
    """How many probes of a case the control answers without a single fact."""
    control = FullLogControl(case.messages, [point.index for point in case.points])
    asking = [probe for probe in case.probes if probe.choice is None]
    return sum(not control.answers_probe(probe) for probe in asking)
