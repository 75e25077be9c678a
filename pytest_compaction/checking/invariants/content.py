"""Invariants of content: the view says what was said, and what a strategy adds is marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.checking.examples.renamed import names_in
from pytest_compaction.checking.examples.scenario import CANARY
from pytest_compaction.checking.invariants.invariant import each_example, each_rewrite, each_step
from pytest_compaction.checking.observation import Breach, Observation, ObservedStep
from pytest_compaction.conversation import (
    Image,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    json_or_none,
    last_user,
    leading_system,
    readable,
)
from pytest_compaction.text import normalize, printable

_LEAST_ASKED: Final = 20
"""A sentence of a request that has this many characters is recognised wherever it stands."""


@each_example(
    "content",
    "Messages that are still there are in the order of the log and say what they said, with "
    "the same role, ids, calls, images and error flag; only the content of a masked tool "
    "result may differ.",
    "The agent reads a history that never happened and draws its conclusions from it.",
)
def log_order_and_text(observation: Observation) -> Iterator[Breach]:
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
            of_system = said.role in {"system", "developer"}  # another invariant looks at those
            if not of_system and not _said_so(message, said, masks):
                yield Breach("the message does not say what it said in the log", (said.id,), number)


@each_rewrite(
    "content",
    "What is missing from a masked tool result is marked by a note in brackets or an "
    "ellipsis, and all else in it is the tool's own words in their order.",
    "The agent takes a made-up result for what its tool said: a failed test passes.",
)
def masks_are_placeholders(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    for message, said in zip(step.after, step.sources, strict=True):
        if said is None or message.parts == said.parts:
            continue
        results = {result.call_id: result.text for result in said.results}
        same = [result.text for result in message.results] == list(results.values())
        now, before = (sum(isinstance(p, Image) for p in m.parts) for m in (message, said))
        if results and same and now < before:
            yield Breach("the image of a result is gone without a mark", (said.id,))
        for result in message.results:
            whole = results.get(result.call_id, result.text)
            if not is_placeholder(result.text, whole):
                yield Breach(
                    f"the result of {printable(result.call_id, 40)!r} says what the tool did "
                    "not, or is cut without a mark",
                    (said.id,),
                )


@each_step(
    "content",
    "The outcome says what became of each message, exactly once and truthfully.",
    "What is dropped in silence cannot be found, restored or counted.",
)
def spans_partition(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    claimed = [id for span in step.spans for id in span.ids]
    ids = [message.id for message in step.before]
    if sorted(claimed) != sorted(ids):
        odd = sorted(set(ids) ^ set(claimed)) or sorted(
            {id for id in claimed if claimed.count(id) > 1}
        )
        yield Breach("not every message of the view before has exactly one fate", tuple(odd[:5]))
    after = {message.id: message for message in step.after}
    before = {message.id: message for message in step.before}
    stays = {id for id, message in after.items() if message == before.get(id)}
    for span in step.spans:
        true = {"kept": stays, "masked": after.keys()}.get(span.fate, {*span.ids} - stays)
        wrong = [id for id in span.ids if id not in true]
        if wrong:
            yield Breach(f"said to be {span.fate}, but that is false", tuple(wrong[:5]))
        if span.by is not None and span.by not in after:
            yield Breach(
                f"said to be replaced by {printable(span.by, 40)!r}, which is not in the view",
                span.ids[:5],
            )


@each_step(
    "content",
    "The last user message stays word for word whenever it takes at most a third of what the "
    "system prompt leaves of the budget.",
    "The agent forgets what it was just asked, and asks again or does something else.",
    waived=lambda traits: (
        None if traits.keeps_tail else "the strategy does not claim to keep the newest part"
    ),
)
def last_user_kept(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    live = last_user(step.log)
    if not step.rewrote or live is None:
        return
    head = observation.tokens.messages(step.before[: leading_system(step.before)])
    if observation.tokens.message(live) * 3 > observation.scenario.budget - head:
        return
    if not any(m.role == "user" and m.parts == live.parts for m in step.after):
        yield Breach("the last user message is not in the view", (live.id,))


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
    """Whether a part is the one that was there, or a note or any image in place of an image."""
    if isinstance(part, Image):
        return isinstance(found, Image) or (isinstance(found, Text) and is_note(found.text))
    return found == part


@each_rewrite(
    "content",
    "What the strategy wrote is marked as written by it, never has the role of the system, "
    "and words of its own stand before what it took from tools.",
    "Text of a web page or a file becomes an instruction of the user or the system: an "
    "injection that compaction makes permanent.",
)
def summary_marked(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    for message in step.after:
        new = message.id not in step.said
        if new and message.origin != "synthetic":
            yield Breach("written by the strategy, but not marked so", (message.id,))
        elif new and message.role in {"system", "developer"}:
            if not observation.traits.changes_system:
                yield Breach(f"written by the strategy with role {message.role}", (message.id,))
        elif new and CANARY in next(filter(str.strip, message.text.splitlines()), ""):
            yield Breach(
                "an instruction from a tool result opens a message of the strategy, and no "
                "words before it say what it is",
                (message.id,),
            )


@each_rewrite(
    "content",
    "What the strategy wrote in the name of the user or the assistant says in its first line "
    "that it is a note or a summary: in brackets, a tag or a heading, or in words such as "
    "summary, conversation, context or earlier.",
    "The agent obeys a request that nobody made, or relies on a promise that it never gave.",
)
def notes_named(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    for message, said in zip(step.after, step.sources, strict=True):
        spoken = said is None and message.role in {"user", "assistant"}
        if spoken and message.text.strip() and not names_itself(message.text):
            yield Breach(
                f"written by the strategy, and reads like words of the {message.role}",
                (message.id,),
            )


@each_rewrite(
    "content",
    "An empty summary is refused: it replaces no message.",
    "One bad reply of the model wipes out the session, and nobody is told.",
    needs="request",
)
def summary_not_empty(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    for message in step.after:
        held = [part for part in message.parts if not isinstance(part, ToolCall)]
        texts = [part.text for part in held if isinstance(part, Text | ToolResult)]
        empty = len(texts) == len(held) and not any(map(str.strip, texts))
        if message.id in step.by and empty:
            yield Breach("the summary has no content", (message.id,))
    fates = {"replaced", "dropped"}
    gone = [id for span in step.spans if span.fate in fates for id in span.ids]
    replied = [asked for asked in step.asked if not asked.failed]
    nothing = bool(replied) and all(asked.empty for asked in replied)
    if nothing and len(replied) == len(step.asked) and gone and step.status == "compacted":
        yield Breach(
            "the summariser wrote nothing, and messages went all the same", tuple(gone[:5])
        )


@each_example(
    "content",
    "Only a summary takes the place of messages: a reply that repeats the instructions, makes "
    "a tool call or gets no further than its reasoning replaces nothing.",
    "The agent goes on from a text that says nothing of its work, or makes a call that nobody "
    "wanted, and what was said is lost.",
    needs="request",
)
def summary_is_a_summary(observation: Observation) -> Iterator[Breach]:
    asked: set[str] = set()
    stands: set[str] = set()
    for number, step in enumerate(observation.steps, 1):
        stands |= step.by
        asked |= {
            section.asks
            for each in step.asked
            for section in each.request.sections
            if len(section.asks) >= _LEAST_ASKED
        }
        for message in step.after if step.rewrote else ():
            if message.id not in stands and message.id in step.said:
                continue
            what = _instead(message.text, asked)
            if what is not None:
                yield Breach(f"{what} stands where a summary should", (message.id,), number)


def _instead(text: str, asked: set[str]) -> str | None:
    if any(sentence in text for sentence in asked):
        return "what the summariser was told to write"
    lines = [line.strip().removeprefix("- ") for line in text.splitlines()]
    if any(line.startswith("<think>") for line in lines):
        return "the reasoning of the model"
    calls = any(
        line.startswith("{") and "tool_calls" in (json_or_none(line) or ()) for line in lines
    )
    return "a tool call" if calls else None


@each_example(
    "content",
    "What the strategy wrote names nothing of another conversation that it compacted before.",
    "A cache with too short a key, or a variable of a module, tells one user what another one "
    "said, and the agent goes on with the work of somebody else.",
)
def own_log(observation: Observation) -> Iterator[Breach]:
    other = observation.renamed
    if other is None:
        return
    elsewhere = {name for m in observation.scenario.log for name in names_in(readable(m))}
    heard = normalize("\n".join(readable(message) for message in other.scenario.log))
    made = [
        (number, message)
        for number, step in enumerate(other.steps, 1)
        for message in (step.after if step.rewrote else ())
        if message.id not in step.said
    ]
    for number, message in made:
        for name in names_in(readable(message)):
            if name in elsewhere and normalize(name) not in heard:
                yield Breach(
                    f"{printable(name, 60)!r} is of another conversation, which was compacted "
                    "before",
                    (message.id,),
                    number,
                )
                return


# Notes, and what was said: placeholders in results, and messages that name themselves

_LONGEST_NOTE: Final = 300
_NOTE: Final = re.compile(
    rf"\[[^\[\]]{{1,{_LONGEST_NOTE}}}\]|\([^()]{{1,{_LONGEST_NOTE}}}\)"
    rf"|<[^<>]{{1,{_LONGEST_NOTE}}}>|…|\.\.\."
    rf"|^\[[^\[\]]{{1,{_LONGEST_NOTE}}}(?=\n\[)",
    re.MULTILINE,
)
"""A note in brackets of any kind, an ellipsis, or a line with a note that the next one cut."""
_OPENINGS: Final = ("[", "(", "<", "#")
_NAMES: Final = re.compile(
    r"\b(summar\w+|conversations?|context|sessions?|histor\w+|earlier|previous\w*|before|so far"
    r"|compact\w*|condens\w*|messages?|said|records?|memory|snapshot|omitted|left out"
    r"|removed)\b",
    re.IGNORECASE,
)
"""Words for what a compaction writes, or for what it is about."""


def is_placeholder(text: str, result: str) -> bool:
    """Whether ``text`` is pieces of a tool's ``result`` in their order, cut with marks."""
    if text == result:
        return True
    pieces = _NOTE.split(text)
    if len(pieces) == 1:
        return False
    position = 0
    for piece in map(str.strip, pieces):
        found = result.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def is_note(text: str) -> bool:
    """Whether a text is nothing but notes in brackets."""
    return bool(text.strip()) and not "".join(_NOTE.split(text)).strip()


def names_itself(text: str) -> bool:
    """Whether the first line says that the text is a note or a summary, and nobody's own words."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line.startswith(_OPENINGS) or _NAMES.search(line[:_LONGEST_NOTE]) is not None
