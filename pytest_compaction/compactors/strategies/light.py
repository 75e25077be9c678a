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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from pytest_compaction.cache import Latest
from pytest_compaction.compactors.base.cuts import LEFT_OUT, last_request, too_small
from pytest_compaction.compactors.base.dense import (
    Nearest,
    by_words,
    embedding_model,
    nearest_to,
    with_vectors,
)
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    load,
    rewritten,
    unchanged,
)
from pytest_compaction.compactors.base.passages import (
    Archive,
    episode_index,
    episodes_of,
    newest_pairs,
    shown_episodes,
)
from pytest_compaction.compactors.base.summaries import SUMMARY_OVERHEAD, summary_message
from pytest_compaction.compactors.parameters import check_share, choice, parameter, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits, View
from pytest_compaction.compactors.strategies.light_notes import (
    COMPRESSED_AT,
    Noted,
    best_chunks,
    chosen_chunks,
    chunks_of,
    newest_notes,
    noted_pairs,
    noted_span,
    notes_by_words,
)
from pytest_compaction.conversation import Message, last_user, leading_system, text_message
from pytest_compaction.models import ModelError, Summary, summary_from_json

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
