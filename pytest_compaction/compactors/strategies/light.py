"""``light``: scratchpad, working memory and pairs found for the question (after LIGHT).

After the method that comes with BEAM ("Beyond a Million Tokens", 2025; source at
b2a3ee8). A model writes notes of every pair of user and assistant: key-value facts and a
summary, by which the pair is found, and what goes into a scratchpad, which is compressed
to half when it passes its limit. At question time the view has the k pairs nearest to the
question as they were said, the newest pairs, and those chunks of the scratchpad of which
a model says that they bear on the question.

Differences from the original, and their reasons:

- The original asks the model twice a pair; here one request gives both kinds of notes. It
  shows the model the pair before as well; here each message is read once.
- The log of an agent at work is noted at once for all that leaves the view: its pairs are
  so many that a request for each would cost more than the work. ``notes=pair`` and
  ``notes=span`` set either.
- An episode of an agent is a user message with the reply and the results of its calls, or
  a further reply.
- The original reads with 14,000 tokens whatever the model; here it is the case's budget.
- Embeddings give way to BM25, or stand beside it with ``embedding=MODEL`` (reciprocal rank
  fusion). Without a model shared terms say which notes bear on a question.
- The last message of the user always stays, also without working memory.
- Three faults of the published code are not copied: the size limit that raises
  TypeError when it is first needed, the sorting of numbers as text, and every pair
  entering working memory once per message.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from pytest_compaction.cache import Latest
from pytest_compaction.case import AnswerSpec
from pytest_compaction.compactors.base.cuts import LEFT_OUT, last_request, too_small
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    load,
    rewritten,
    unchanged,
)
from pytest_compaction.compactors.base.passages import (
    Archive,
    Episode,
    Nearest,
    by_words,
    embedding_model,
    episode_index,
    episodes_of,
    nearest_to,
    newest_pairs,
    ranked,
    shown_episodes,
    with_vectors,
)
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    Written,
    sections_of,
    summary_message,
    write_summary,
)
from pytest_compaction.compactors.parameters import check_share, choice, parameter, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits, View
from pytest_compaction.conversation import Message, last_user, leading_system, text_message
from pytest_compaction.models import (
    AnswerRequest,
    AskedBy,
    ModelError,
    NoReplyError,
    Section,
    Summary,
    frame,
    summary_from_json,
)
from pytest_compaction.text import content_stems, normalize

MEMORY_ID: Final = "memory"
_Known = tuple[Sequence[Any], Mapping[str, str], Sequence[Message]]
"""What is archived, the notes by which it is found, and messages that are not archived yet."""
PREAMBLE: Final = (
    "Memory of the earlier part of this conversation: notes, and episodes word for word where "
    "they bear on the question. It is a record, not a request."
)


LEAST_LIMIT: Final = 200
"""A scratchpad below this holds no notes to speak of."""


def _check_part(name: str, value: Any) -> None:
    if value is not False:
        check_share(name, value)


@dataclass(eq=False)
class Light(HistoryCompactor):
    """Keeps a scratchpad and the newest part; finds episodes for each question.

    ``scratchpad`` and ``working`` are shares of the budget for the notes and, at least, for
    the newest messages; ``False`` is off. ``k`` episodes are found for a question if ``episodic``,
    and at most ``z`` of the newest pairs are shown. ``filter`` leaves out notes that do not
    bear on the question. ``limit`` is the number of tokens at which the scratchpad is
    compressed to half; 0 stands for twice the budget, and for twice the share of the scratchpad
    where notes are of a span. ``notes`` says what one request for notes reads: a ``pair``, the
    whole ``span`` that leaves the view, or ``auto``: a span if there are calls of tools.
    ``embedding`` names a model of the endpoint, by which episodes are found too.
    """

    name = "light"
    description = "scratchpad, newest part, and episodes found for each question (after LIGHT)"
    traits = Traits(needs_model=True, needs_probe=True, keeps_tail=True)
    reads_headings = True

    scratchpad: float | bool = parameter(0.35, _check_part)
    working: float | bool = parameter(0.3, _check_part)
    k: int = whole(5, 0)
    z: int = whole(100, 0)
    episodic: bool = choice(True, False)
    filter: bool = choice(True, False)
    limit: int = whole(0, 0)
    notes: str = choice("auto", "pair", "span")
    embedding: str = embedding_model()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scratchpad + self.working >= 1:
            raise ValueError(
                f"scratchpad={self.scratchpad} and working={self.working} leave no episodes"
            )
        if 0 < self.limit < LEAST_LIMIT:
            raise ValueError(f"limit={self.limit} must be 0 or at least {LEAST_LIMIT} tokens")
        self._index: Latest[_Known, Archive] = Latest(_indexed)

    def prompts(self) -> list[AskedBy]:
        pairs = [] if self.notes == "span" else [AskedBy(frame(), PAIR_SECTIONS)]
        return [*pairs, AskedBy(frame(), SECTIONS), AskedBy(frame(), SECTIONS, NEWER_WINS)]

    def start(self) -> State:
        return {"messages": [], "archive": [], "notes": {}, "keys": {}, "by": ""}

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        before = load(state["messages"])
        if context.tokens.messages(before) <= context.budget:
            return unchanged(state)
        first = leading_system(before)
        system, body = before[:first], [m for m in before[first:] if m.id != MEMORY_ID]
        room = context.budget - context.tokens.messages(system) - SUMMARY_OVERHEAD
        if room <= 0:
            return unchanged(state, too_small(before, context))
        live = last_request(body, room, context)
        size = min(int(room * self.scratchpad), room - _cost(live, context))
        newest = self._newest(body, room - size, context)
        asked = last_user(body)
        lost = asked is not None and newest is not None and asked not in newest
        if newest is None or (lost and 2 * _cost(asked, context) <= room + SUMMARY_OVERHEAD):
            return unchanged(state, too_small(before, context))
        stays = {message.id for message in newest}
        gone = [message for message in body if message.id not in stays]
        if not gone:
            return unchanged(state)
        left = {message.id for message in gone}
        worked = any(m.calls or m.role == "tool" for m in body)
        by = state["by"] or (("span" if worked else "pair") if self.notes == "auto" else self.notes)
        noted = Noted(summary_from_json(state["notes"]))  # as far as a part of the memory needs any
        if by == "span" and self.scratchpad:
            limit = self.limit or COMPRESSED_AT * size
            noted = await noted_span(noted.notes, gone, size, limit, context)
        elif by == "pair" and (self.scratchpad or self.episodic):
            limit = self.limit or COMPRESSED_AT * context.budget
            made = await noted_pairs(noted.notes, episodes_of(gone), limit, context)
            noted = made if self.scratchpad else replace(made, notes=noted.notes)
        if noted.error:
            return unchanged(state, noted.error)
        text = newest_notes(noted.notes, size, context)
        memory = summary_message(MEMORY_ID, text, PREAMBLE) if text else None
        if not text and not (newest and newest[0].role == "user"):  # why the log begins here
            memory = text_message(MEMORY_ID, "user", LEFT_OUT, "synthetic")
        after = (*system, *([memory] if memory else []), *newest)
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return unchanged(state)
        archived = (item for item in state["messages"] if item["id"] in left)
        archive, keys = [*state["archive"], *archived], {**state["keys"], **noted.keys}
        found: dict[str, Any] = {"archive": archive, "keys": keys}
        if self.embedding and self.episodic:
            known = state.get("vectors", {})
            index = _indexed((archive, keys, [m for m in newest if m.origin == "log"]))
            try:
                found["vectors"] = await with_vectors(known, index, self.embedding, context)
            except ModelError as error:
                return unchanged(state, str(error))
        return rewritten(
            {**state, "by": by},
            before,
            after,
            MEMORY_ID if memory else None,
            notes=noted.notes.as_json(),
            **found,
        )

    def render(self, state: State, context: Context, probe: str | None = None) -> View:
        """Notes and newest part; with a question the notes and episodes that bear on it.

        Never larger than the budget, or than the view without a question where that
        is larger because it was not compacted yet.
        """
        if probe is None or not state["archive"]:
            return View(load(state["messages"]))
        return self._asked(state, context, probe, None)

    async def asked_view(self, state: State, context: Context, probe: str) -> View:
        """The view for a question; the model says which notes bear on it.

        Rules do not answer with yes or no: the offline model is not asked. Raises
        :class:`~pytest_compaction.models.ModelError` if a model cannot be asked.
        """
        from pytest_compaction.models import OFFLINE

        if not state["archive"]:
            return self.render(state, context, probe)
        asks = self.filter and self.scratchpad and context.model.name != OFFLINE
        chosen = None
        if asks and state["by"] == "pair":
            chunks = chunks_of(summary_from_json(state["notes"]))
            chosen = await chosen_chunks(chunks, probe, context)
        near: Nearest = by_words
        if self.embedding and self.episodic:
            near = await nearest_to(probe, state["vectors"], self.embedding, context)
        return self._asked(state, context, probe, chosen, near)

    def _asked(
        self,
        state: State,
        context: Context,
        probe: str,
        chosen: Summary | None,
        nearest: Nearest = by_words,
    ) -> View:
        """The view for a question; ``chosen`` are the notes of which a model says so."""
        count, messages = context.tokens, load(state["messages"])
        first = leading_system(messages)
        system, body = messages[:first], [m for m in messages[first:] if m.id != MEMORY_ID]
        room = max(context.budget, count.messages(messages))
        room -= count.messages(system) + SUMMARY_OVERHEAD
        live = _cost(last_request(body, room, context), context)
        notes = summary_from_json(state["notes"])

        def found(older: Sequence[Message], left: int) -> str:
            if not self.episodic:
                return ""
            index = self._index.of((state["archive"], state["keys"], tuple(older)))
            best = list(islice(index.ranked(probe, nearest(index)), self.k))
            return shown_episodes(best, left, count.text)

        if state["by"] == "pair":
            # The pairs come first, notes and newest pairs share what is left. Half of the shares
            # of these two is not for pairs.
            shares = self.scratchpad + self.working
            kept = max(int(room * shares / 2), live)
            surely = {message.id for message in self._newest(body, kept // 2, context) or ()}
            older = [m for m in body if m.id not in surely and m.origin == "log"]
            episodes = found(older, room - kept)
            left = room - count.text(episodes)
            size = int(left * self.scratchpad / shares) if self.scratchpad else 0
            size = min(size, left - live)
            if chosen is None:
                chosen = notes
                if self.filter:
                    chosen = best_chunks(chunks_of(notes), probe, size, context)
            text = newest_notes(chosen, size, context)
        else:  # the notes take their share, the episodes what is left
            notes = notes_by_words(notes, probe) if self.filter else notes
            text = newest_notes(notes, int(context.budget * self.scratchpad), context)
            least = max(int(context.budget * self.working), live)
            episodes = found((), room - least - count.text(text))
        text = "\n\n".join(part for part in (text, episodes) if part)
        if not text:
            return View(messages)
        memory = summary_message(MEMORY_ID, text, PREAMBLE)
        newest = self._newest(body, room + SUMMARY_OVERHEAD - count.message(memory), context)
        return View(messages if newest is None else (*system, memory, *newest))

    def _newest(
        self, body: Sequence[Message], room: int, context: Context
    ) -> tuple[Message, ...] | None:
        """The newest pairs that fit, at most z of them, with the last message of the user."""
        return newest_pairs(body, self.z if self.working else 0, room, context)


def _indexed(known: _Known) -> Archive:
    archive, keys, older = known
    return episode_index((*load(archive), *older), keys)


def _cost(message: Message | None, context: Context) -> int:
    return 0 if message is None else context.tokens.message(message)


SECTIONS: Final = sections_of("light")
"""The sections of the scratchpad."""
SUMMARY: Final = Section("summary", "Summary", "One line: what this exchange is about.", (), 0.3)
_KEYED: Final = (
    "One fact an entry, as 'key: value'. The key is a person, place, date, number or thing; "
    "the value is what is said of it."
)
PAIR_SECTIONS: Final = (
    SUMMARY,
    *(replace(s, asks=_KEYED) if s.id == "entities" else s for s in SECTIONS),
)
"""What is noted of a pair: the summary is for the index alone, the rest for the scratchpad too."""
PAIR_TOKENS: Final = 300
"""Tokens of the notes of one pair, at most."""
NEWER_WINS: Final = (
    "These are notes in the order in which they were made. Of two values for the same thing keep "
    "the newer one, which stands further down."
)
COMPRESSED_AT: Final = 2
"""The scratchpad is compressed at this multiple of the size that it then gets."""
_AT_ONCE: Final = 64
"""Pairs whose notes are asked for at the same time."""
_ENTRY_OVERHEAD: Final = 32
"""More tokens than an entry takes beside its text: list mark, line end, the heading above it."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The scratchpad after new notes, the keys of pairs by id, or the ``error`` that kept both."""

    notes: Summary
    keys: dict[str, str] = field(default_factory=dict)
    error: str | None = None


async def noted_span(
    notes: Summary, gone: Sequence[Message], size: int, limit: int, context: Context
) -> Noted:
    """The scratchpad with the notes of a whole span, asked for at once.

    The notes take at most ``size`` tokens, the scratchpad at most ``limit``. If they come back
    empty, the model is asked once more, to bring the scratchpad up to date with the span: it may
    have nothing to add, but an empty scratchpad is an error.
    """
    written = await write_summary(context, gone, SECTIONS, size)
    if written.empty and not notes.empty:
        updated = await write_summary(context, gone, SECTIONS, limit, previous=notes)
        return Noted(updated.summary if not updated.error else notes, error=updated.error)
    if written.error:
        return Noted(notes, error=written.error)
    longer = _joined(notes, written.summary)
    if context.tokens.text(longer.render(SECTIONS)) <= limit:
        return Noted(longer)
    compressed = await _compressed(longer, limit, context)
    return Noted(compressed.summary, error=compressed.error)


async def noted_pairs(
    notes: Summary, pairs: Iterable[Episode], limit: int, context: Context
) -> Noted:
    """The scratchpad with the notes of each pair in order, and the notes by which it is found.

    A refusal, or a reply that is of no use, leaves a pair without notes. A model that cannot be
    asked, or that has nothing of use to say of any pair, is an error. The scratchpad is compressed
    when it passes ``limit``.
    """
    keys: dict[str, str] = {}
    error: str | None = None
    scratchpad, count = notes, context.tokens.text
    most = count(notes.render(SECTIONS))
    left = iter(pairs)
    while batch := list(islice(left, _AT_ONCE)):
        asked = (write_summary(context, p.messages, PAIR_SECTIONS, PAIR_TOKENS) for p in batch)
        for pair, written in zip(batch, await asyncio.gather(*asked), strict=True):
            if written.raised and not written.silent:
                return Noted(notes, error=written.error)
            if written.error:
                error = error or written.error
                continue
            lines = [line for _, lines in written.summary.entries for line in lines]
            keys[pair.id] = "\n".join(lines)
            scratchpad = _joined(scratchpad, written.summary)
            # The sum is more than the tokens of the whole, which are counted where it matters.
            most += sum(count(line) + 3 for line in lines)
            if most > limit:
                most = count(scratchpad.render(SECTIONS))
            if most > limit:
                compressed = await _compressed(scratchpad, limit, context)
                if compressed.error:
                    return Noted(notes, error=compressed.error)
                scratchpad = compressed.summary
                most = count(scratchpad.render(SECTIONS))
    if error and not keys:
        return Noted(notes, error=error)
    return Noted(scratchpad, keys)


async def _compressed(notes: Summary, limit: int, context: Context) -> Written:
    """The notes in half of the limit; newer values win."""
    text = notes.render(SECTIONS)
    scratchpad = [text_message("scratchpad", "user", text, "synthetic")]
    size = limit // COMPRESSED_AT
    return await write_summary(context, scratchpad, SECTIONS, size, instructions=NEWER_WINS)


def _joined(notes: Summary, more: Summary) -> Summary:
    """The notes with more at the end of each section; what is said again is as new as that."""
    entries: list[tuple[str, tuple[str, ...]]] = []
    for section in SECTIONS:
        lines = dict.fromkeys(reversed((*notes.of(section.id), *more.of(section.id))))
        entries.append((section.id, tuple(reversed(lines))))
    return Summary(tuple(entries))


def newest_notes(notes: Summary, room: int, context: Context) -> str:
    """The notes as text; of a section that is too long the oldest entries are left out."""
    entries = {section: deque(lines) for section, lines in notes.entries}
    sections = tuple(section for section in SECTIONS if entries.get(section.id))
    sizes = {section.id: sum(map(len, entries[section.id])) for section in sections}
    least = 0  # tokens of the text, at least: it is counted only if it may fit
    while any(entries.values()):
        if least <= room:
            summary = Summary(tuple((section, tuple(lines)) for section, lines in entries.items()))
            text = summary.render([section for section in sections if entries[section.id]])
            least = context.tokens.text(text)
            if least <= room:
                return text
        longest = max(sections, key=lambda section: sizes[section.id])
        gone = entries[longest.id].popleft()
        sizes[longest.id] -= len(gone)
        least -= context.tokens.text(gone) + _ENTRY_OVERHEAD
    return ""


CHUNK_CHARACTERS: Final = 1200
"""A chunk is closed before it is longer."""
_SHORTEST: Final = 300
"""A chunk of so many characters is closed where the next note shares no word with the last."""
_ASKED: Final = (
    "Do the notes above hold anything that helps to answer the question below? Reply with yes or "
    "no alone.\n\nQuestion: {question}"
)
_YES: Final = re.compile(r"\W*yes\b", re.IGNORECASE)
"""Also where the reason follows against the request."""
_REPLY: Final = AnswerSpec(max_tokens=16)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring notes of one section on one matter."""

    section: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The notes, one a line."""
        return "\n".join(f"- {line}" for line in self.lines)


def chunks_of(notes: Summary) -> list[Chunk]:
    """The scratchpad in chunks: every note is in one of them, in its order."""
    found: list[Chunk] = []
    for section, lines in notes.entries:
        held: list[str] = []
        last: frozenset[str] = frozenset()
        for line in lines:
            stems, size = frozenset(content_stems(normalize(line))), sum(map(len, held))
            full = size + len(line) > CHUNK_CHARACTERS
            if held and (full or (size >= _SHORTEST and not stems & last)):
                found.append(Chunk(section, tuple(held)))
                held = []
            held.append(line)
            last = stems
        if held:
            found.append(Chunk(section, tuple(held)))
    return found


def notes_by_words(notes: Summary, question: str) -> Summary:
    """The notes that share a term with the question."""
    texts = [line for _, lines in notes.entries for line in lines]
    passing = {texts[number] for number in ranked(texts, question)}
    return Summary(
        tuple((s, tuple(line for line in lines if line in passing)) for s, lines in notes.entries)
    )


def best_chunks(chunks: Sequence[Chunk], question: str, room: int, context: Context) -> Summary:
    """The chunks that share a term with the question, the best within ``room`` tokens."""
    kept: set[int] = set()
    left = room
    for number in ranked([chunk.text for chunk in chunks], question):
        left -= context.tokens.text(chunks[number].text)
        if left < 0:
            break
        kept.add(number)
    return joined(notes for number, notes in enumerate(chunks) if number in kept)


async def chosen_chunks(chunks: Sequence[Chunk], question: str, context: Context) -> Summary:
    """The chunks of which the model says that they bear on the question.

    A refusal, or a reply that says nothing, is no yes. Raises
    :class:`~pytest_compaction.models.ModelError` if it cannot be asked, or replies
    nothing at all.
    """

    async def reply_on(chunk: Chunk) -> bool | NoReplyError:
        view = (text_message("notes", "user", chunk.text, "synthetic"),)
        request = AnswerRequest(view, _ASKED.format(question=question), _REPLY, role="compaction")
        try:
            return _YES.match((await context.model.answer(request)).text) is not None
        except NoReplyError as error:
            return error

    replies = await asyncio.gather(*map(reply_on, chunks))
    silent = [reply for reply in replies if isinstance(reply, NoReplyError)]
    if silent and len(silent) == len(replies):
        raise silent[0]
    return joined(chunk for chunk, chosen in zip(chunks, replies, strict=True) if chosen is True)


def joined(chunks: Iterable[Chunk]) -> Summary:
    """Chunks as notes by section."""
    entries: dict[str, list[str]] = {}
    for chunk in chunks:
        entries.setdefault(chunk.section, []).extend(chunk.lines)
    return Summary(tuple((section, tuple(lines)) for section, lines in entries.items()))
