"""Invariants of content: what the view says is what was said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.checking.invariants.invariant import (
    Breach,
    Invariant,
    each_rewrite,
    each_step,
)
from pytest_compaction.checking.observation import Observation, ObservedStep
from pytest_compaction.checking.wording import is_note, is_placeholder
from pytest_compaction.compactors import Traits
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolResult,
    last_user,
    leading_system,
)
from pytest_compaction.text import printable


def log_order_and_text(observation: Observation) -> Iterator[Breach]:
    """Messages of the log that are out of order, twice, or altered without being masked."""
    masked: set[str] = set()
    for number, step in enumerate(observation.steps, 1):
        if not step.rewrote:
            continue
        masked |= {id for span in step.spans if span.fate == "masked" for id in span.ids}
        place = {message.id: index for index, message in enumerate(step.log)}
        last, last_id = -1, ""
        for message, said in zip(step.after, step.sources, strict=True):
            if said is None:
                continue
            if place[said.id] <= last:
                yield Breach(
                    "messages of the log are not in their order", (last_id, said.id), number
                )
            last, last_id = place[said.id], said.id
            masks = said.id in masked or message.id != said.id
            if not _of_system(said) and not _said_so(message, said, masks):
                yield Breach("the message does not say what it said in the log", (said.id,), number)


@each_rewrite
def masks_are_placeholders(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    """Results of tools that were rewritten, or cut without a mark."""
    for message, said in zip(step.after, step.sources, strict=True):
        if said is None or message.parts == said.parts:
            continue
        results = {result.call_id: result.text for result in said.results}
        if results and _same_texts(message, said) and _images(message) < _images(said):
            yield Breach("the image of a result is gone without a mark", (said.id,))
        for result in message.results:
            whole = results.get(result.call_id, result.text)
            if not is_placeholder(result.text, whole):
                yield Breach(
                    f"the result of {printable(result.call_id, 40)!r} says what the tool did "
                    "not, or is cut without a mark",
                    (said.id,),
                )


@each_step
def spans_partition(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    """Spans that leave out a message, name one twice, or say something false."""
    claimed = [id for span in step.spans for id in span.ids]
    ids = [message.id for message in step.before]
    if sorted(claimed) != sorted(ids):
        odd = sorted(set(ids) ^ set(claimed)) or sorted(
            {id for id in claimed if claimed.count(id) > 1}
        )
        yield Breach("not every message of the view before has exactly one fate", tuple(odd[:5]))
    after = {message.id: message for message in step.after}
    before = {message.id: message for message in step.before}
    for span in step.spans:
        wrong = [id for id in span.ids if not _fate_holds(span.fate, id, before, after)]
        if wrong:
            yield Breach(f"said to be {span.fate}, but that is false", tuple(wrong[:5]))
        if span.by is not None and span.by not in after:
            yield Breach(
                f"said to be replaced by {printable(span.by, 40)!r}, which is not in the view",
                span.ids[:5],
            )


@each_step
def last_user_kept(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    """Compactions after which the last user message is not there word for word."""
    live = last_user(step.log)
    if not step.rewrote or live is None:
        return
    head = observation.tokens.messages(step.before[: leading_system(step.before)])
    if observation.tokens.message(live) * 3 > observation.scenario.budget - head:
        return
    if not any(m.role == "user" and m.parts == live.parts for m in step.after):
        yield Breach("the last user message is not in the view", (live.id,))


def _of_system(message: Message) -> bool:
    """Whether another invariant looks at what the message says."""
    return message.role in {"system", "developer"}


def _said_so(message: Message, said: Message, masked: bool) -> bool:
    """Whether a message is as it was; a masked one may have other text in its results alone."""
    if message.role != said.role or (message.id == said.id and message.origin != said.origin):
        return False
    found, whole = _content(message), _content(said)
    if found == whole:
        return True
    if masked and said.results:
        found, whole = _unfilled(found), _unfilled(whole)
    return len(found) == len(whole) and all(map(_stands_for, found, whole))


def _same_texts(message: Message, said: Message) -> bool:
    return [r.text for r in message.results] == [r.text for r in said.results]


def _images(message: Message) -> int:
    return sum(isinstance(part, Image) for part in message.parts)


def _content(message: Message) -> list[Part]:
    """The parts that a reader sees; another invariant looks at the others."""
    return [part for part in message.parts if not isinstance(part, Thinking | Opaque)]


def _unfilled(parts: list[Part]) -> list[Part]:
    """The parts without the texts of results, and without the images that came with them."""
    return [
        ToolResult(part.call_id, "", part.is_error) if isinstance(part, ToolResult) else part
        for part in parts
        if not isinstance(part, Image)
    ]


def _stands_for(found: Part, part: Part) -> bool:
    """Whether a part is the one that was there, or a note in place of an image.

    Another invariant looks at whether an image is the right one.
    """
    if isinstance(part, Image):
        return isinstance(found, Image) or (isinstance(found, Text) and is_note(found.text))
    return found == part


def _fate_holds(fate: str, id: str, before: dict[str, Message], after: dict[str, Message]) -> bool:
    if fate == "kept":
        return id in after and after[id] == before.get(id)
    if fate == "masked":
        return id in after
    return id not in after or after[id] != before.get(id)


def _no_tail(traits: Traits) -> str | None:
    return None if traits.keeps_tail else "the strategy does not claim to keep the newest part"


INVARIANTS: Final = (
    Invariant(
        "log-order-and-text",
        "content",
        "Messages that are still there are in the order of the log and say what they said, with "
        "the same role, ids, calls, images and error flag; only the content of a masked tool "
        "result may differ.",
        "The agent reads a history that never happened and draws its conclusions from it.",
        log_order_and_text,
    ),
    Invariant(
        "masks-are-placeholders",
        "content",
        "What is missing from a masked tool result is marked by a note in brackets or an "
        "ellipsis, and all else in it is the tool's own words in their order.",
        "The agent takes a made-up result for what its tool said: a failed test passes.",
        masks_are_placeholders,
    ),
    Invariant(
        "spans-partition",
        "content",
        "The outcome says what became of each message, exactly once and truthfully.",
        "What is dropped in silence cannot be found, restored or counted.",
        spans_partition,
    ),
    Invariant(
        "last-user-kept",
        "content",
        "The last user message stays word for word whenever it takes at most a third of what the "
        "system prompt leaves of the budget.",
        "The agent forgets what it was just asked, and asks again or does something else.",
        last_user_kept,
        waived=_no_tail,
    ),
)
