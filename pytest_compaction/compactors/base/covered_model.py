"""A model that is not asked for what another record already holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.models.parameters import Parameters, refusal_of
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    Model,
    SummaryReply,
    SummaryRequest,
)
from pytest_compaction.models.structured_summary import Section, Source, Summary

ELSEWHERE: Final = "(see the record that stands beside this summary)"
"""The text of a section that was not requested."""


@dataclass(frozen=True, slots=True)
class CoveredModel:
    """A model that is not asked for what an insertion covers.

    A section whose sources are all covered is not requested; its text says so. Other
    sections only lose their covered sources. A model that reads prompts is told.
    """

    model: Model
    covered: frozenset[Source]

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    def at_trial(self, trial: int) -> Model:
        """The same for one repetition."""
        return CoveredModel(self.model.at_trial(trial), self.covered)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Request the sections that are not covered, within the same budget.

        If they come back empty, all sections are requested, so that a summary is empty
        only if the model has nothing to say at all.
        """
        left = tuple(s for s in map(self._without, request.sections) if s.gathers)
        if not left:
            return await self.model.summarize(request)
        asked = {section.id for section in left}
        previous = request.previous and Summary(
            tuple((id, lines) for id, lines in request.previous.entries if id in asked)
        )
        covered = ", ".join(sorted(self.covered))
        told = f"A separate record keeps these and stands beside the summary: {covered}."
        focus = "\n".join(text for text in (request.instructions, told) if text)
        reply = await self.model.summarize(
            replace(request, sections=left, previous=previous, instructions=focus)
        )
        if reply.summary.empty:
            whole = await self.model.summarize(request)
            return replace(whole, usage=reply.usage + whole.usage)
        entries = tuple(
            (section.id, reply.summary.of(section.id) if section.id in asked else (ELSEWHERE,))
            for section in request.sections
        )
        return replace(reply, summary=Summary(entries))

    def _without(self, section: Section) -> Section:
        left = tuple(source for source in section.gathers if source not in self.covered)
        return section if left == section.gathers else replace(section, gathers=left)

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """The answer of the wrapped model."""
        return await self.model.answer(request)

    def refuses(self, parameters: Parameters) -> str | None:
        """The refusal of the wrapped model, if any."""
        return refusal_of(self.model, parameters)

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """The judgement of the wrapped model."""
        return await self.model.judge(request)

    async def compact(self, request: CompactRequest) -> CompactReply:
        """The compaction of the wrapped model."""
        return await self.model.compact(request)
