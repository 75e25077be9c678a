"""Turn an OpenHands event stream into messages; condensations become boundaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_compaction.conversation.messages import (
    Message,
    Part,
    ToolCall,
    ToolResult,
    text_message,
)
from pytest_compaction.importers.formats.openhands.classic import ClassicEvents, is_classic
from pytest_compaction.importers.formats.openhands.sdk import is_sdk, sdk_steps
from pytest_compaction.importers.formats.openhands.steps import (
    Called,
    Condensed,
    LeftOut,
    Observed,
    Spoken,
    Step,
)
from pytest_compaction.importers.protocol import Boundary, ImportFormatError, Tally, Transcript
from pytest_compaction.importers.reading.fields import mapping, string
from pytest_compaction.importers.reading.threads import ThreadBuilder
from pytest_compaction.text.words import printable


def is_event(value: Any) -> bool:
    """Whether a value is an event of either generation."""
    given = mapping(value)
    return is_classic(given) or is_sdk(given)


@dataclass(frozen=True, slots=True)
class _Condensation:
    """A condensation, and the number of events before it."""

    events: int
    step: Condensed


class EventReader:
    """Reads the events of one stream in order into one conversation."""

    def __init__(self, place: str, tally: Tally | None = None) -> None:
        self._place = place
        self._tally = tally or Tally()
        self._thread = ThreadBuilder(self._tally)
        self._classic = ClassicEvents(self._tally)
        self._ids: list[str] = []
        self._viewed: list[bool] = []
        self._held: tuple[str, list[Part], int] | None = None
        self._condensations: list[_Condensation] = []
        self._model = ""

    def add(self, event: Any) -> None:
        """Read one event; count anything else as left out."""
        self._tally.records += 1
        given = mapping(event)
        number = len(self._ids)
        self._ids.append(str(given.get("id", "")))
        self._viewed.append(False)
        if is_classic(given):
            self._note_model(given)
            steps = self._classic.steps(given)
        elif is_sdk(given):
            steps = sdk_steps(given, self._tally)
        else:
            self._tally.left_out["value that is not an event"] += 1
            return
        for step in steps:
            self._take(step, number)

    def ended(self, error: str) -> None:
        """Record why the run ended; no message says it."""
        self._tally.left_out[f"end of the run: {printable(error, 100)}"] += 1

    def transcript(self, source: str, name: str) -> Transcript:
        """The conversation; call this once, at the end. Raises :class:`ImportFormatError`."""
        self._settle()
        self._thread.close()
        messages = tuple(self._thread.messages)
        if not messages:
            raise ImportFormatError(f"{self._place}: no message among {len(self._ids)} events")
        boundaries = tuple(self._boundaries(messages))
        return Transcript(
            messages, source, self._tally.counted(len(messages)), self._model, boundaries, name
        )

    def _note_model(self, event: Mapping[str, Any]) -> None:
        response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
        self._model = string(response.get("model")) or self._model

    def _take(self, step: Step, number: int) -> None:
        if isinstance(step, Called):
            self._viewed[number] = True
            if self._held is None or self._held[0] != step.response:
                self._settle()
                self._held = (step.response, list(step.parts), number)
            self._held[1].extend(step.calls)
            return
        self._settle()
        if isinstance(step, Condensed):
            self._condensations.append(_Condensation(number, step))
        elif isinstance(step, LeftOut):
            self._viewed[number] = step.viewed
            self._tally.left_out[step.reason] += 1
        elif isinstance(step, Observed):
            self._viewed[number] = True
            result = ToolResult(step.call_id, step.text, step.is_error)
            self._thread.add_result(result, step.rest)
        else:
            self._spoken(step, number)

    def _spoken(self, step: Spoken, number: int) -> None:
        self._viewed[number] = True
        self._thread.add_unless_empty(step.role, step.parts, number)

    def _settle(self) -> None:
        """Add the response whose calls have been collected."""
        if self._held is not None:
            _, parts, number = self._held
            self._held = None
            texts = [part for part in parts if not isinstance(part, ToolCall)]
            calls = [part for part in parts if isinstance(part, ToolCall)]
            self._thread.add("assistant", [*texts, *calls], number)

    def _boundaries(self, messages: Sequence[Message]) -> Iterator[Boundary]:
        forgotten: set[str] = set()
        for number, condensation in enumerate(self._condensations, start=1):
            step = condensation.step
            forgotten |= step.forgotten
            count = sum(origin < condensation.events for origin in self._thread.origins)
            if not count:
                self._tally.left_out["condensation before the first message"] += 1
                continue
            yield self._boundary(messages[:count], condensation, forgotten, number)

    def _boundary(
        self,
        log: Sequence[Message],
        condensation: _Condensation,
        forgotten: set[str],
        number: int,
    ) -> Boundary:
        """The view after a condensation: messages not forgotten, with the summary among them."""
        events = [
            place
            for place in range(condensation.events)
            if self._viewed[place] and self._ids[place] not in forgotten
        ]
        step = condensation.step
        first = events[step.offset] if step.offset < len(events) else len(self._ids)
        kept = [
            (origin, message)
            for origin, message in zip(self._thread.origins, log, strict=False)
            if self._ids[origin] not in forgotten
        ]
        view = [message for origin, message in kept if origin < first]
        if step.summary:
            view.append(text_message(f"recorded-{number}", "user", step.summary, "synthetic"))
        view += [message for origin, message in kept if origin >= first]
        missing = "" if view else "everything was forgotten and nothing put in its place"
        return Boundary(log[-1].id, messages=tuple(view), missing=missing)
