"""Asks for a forced choice, and if there is a control, once more with the constraint before it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_compaction.case.case import Fact, Probe
from pytest_compaction.case.kinds import Choice
from pytest_compaction.compactors.protocol import View
from pytest_compaction.metrics.facts.survival import view_index
from pytest_compaction.models.calls.in_flight import RequestSlot, requests_in
from pytest_compaction.models.protocol import AnswerReply, ModelError, NotAskedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.run.responder import Responder
from pytest_compaction.run.response import Reminded

if TYPE_CHECKING:
    from pytest_compaction.text import TextIndex


@dataclass(frozen=True, slots=True)
class ForcedChoice:
    """Puts the choices of compliance probes to a responder, within a turn.

    ``by_rules``: the offline model has no will of its own, so it is not asked. It takes the
    option that complies if the view states the constraint, and the habit if not.
    """

    responder: Responder
    turn: RequestSlot
    by_rules: bool

    async def replies(
        self, view: View, probe: Probe, choice: Choice, reminds: bool
    ) -> tuple[AnswerReply, Reminded | None]:
        """The reply from the view, with the usage of both questions, and the one when reminded.

        A failure of the second question leaves the first one its reply. Only a call that
        was not made at all raises, as the first question does.
        """
        asked = [choice.asked(probe.question)]
        if reminds:
            asked.append(choice.asked(probe.question, [fact.text for fact in probe.facts]))
        if self.by_rules:
            found: list[AnswerReply | BaseException] = [
                self._by_rules(view, probe, choice, question, number > 0)
                for number, question in enumerate(asked)
            ]
        else:
            found = list(
                await asyncio.gather(
                    *(self._reply(view, probe, question) for question in asked),
                    return_exceptions=True,
                )
            )
        reply, *second = found
        if isinstance(reply, BaseException):
            if isinstance(reply, ModelError) and second and isinstance(second[0], AnswerReply):
                reply.after("responder", second[0].usage)
            raise reply
        if not second:
            return reply, None
        reminded, used = _reminded(second[0], reply.usage)
        return replace(reply, usage=reply.usage + used), reminded

    async def _reply(self, view: View, probe: Probe, question: str) -> AnswerReply:
        with requests_in(self.turn):
            return await self.responder.answer(
                view.messages, question, probe.answer, view.parameters
            )

    def _by_rules(
        self, view: View, probe: Probe, choice: Choice, question: str, reminded: bool
    ) -> AnswerReply:
        from pytest_compaction.text import TextIndex  # takes long to import

        index = view_index(view.messages)
        said = TextIndex("\n".join(fact.text for fact in probe.facts)) if reminded else None
        known = all(
            _stated(fact, index) or (said is not None and _stated(fact, said))
            for fact in probe.facts
        )
        count = self.responder.tokens
        read = count.messages(view.messages) + count.text(question)
        return AnswerReply(choice.letter if known else choice.habit, Usage(1, read, 0, 1))


def _stated(fact: Fact, index: TextIndex) -> bool:
    return index.read(fact.statement).outcome == "stated"


def _reminded(found: AnswerReply | BaseException, before: Usage) -> tuple[Reminded, Usage]:
    """The second reply, or why there is none, and what it used."""
    if isinstance(found, AnswerReply):
        return Reminded(found.text), found.usage
    if isinstance(found, NotAskedError):
        found.after("responder", before)
        raise found
    if isinstance(found, ModelError):
        return Reminded("", str(found)), found.spent.get("responder", Usage())
    raise found
