"""Texts that several views hold: each is prepared once, and read once for a statement.

What a sentence does with a statement depends on its own text alone, up to the names that the
whole view shows (see ``Naming``). So a view whose messages were read before, in another view of
the same log, is read by looking up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pytest_compaction.text.file_changes.plain_changes import with_keys
from pytest_compaction.text.keys.alternatives import Wanted
from pytest_compaction.text.long_overlap import LongPreparedText
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.overlap import PreparedText
from pytest_compaction.text.sentences.clauses import MESSAGE_END
from pytest_compaction.text.sentences.groups import Weighed
from pytest_compaction.text.sentences.long_index import LongIndex
from pytest_compaction.text.sentences.sentence_index import SentenceIndex
from pytest_compaction.text.sentences.sentence_list import Excerpt, Naming, namings_of
from pytest_compaction.text.statement import Outcome, Reading, Statement
from pytest_compaction.text.statement_keys import signature_of
from pytest_compaction.text.weighing import weigh_sentence

LONG = 800_000
"""Characters of a longer view, of which the words are not held. The longest shipped log has fewer:
to read its views apart takes twice the time."""
_BETWEEN = f"\n\n{MESSAGE_END}\n\n"


@dataclass(slots=True)
class _Batch:
    """Texts that came at one time, with what was read in them; statements go by number."""

    index: SentenceIndex
    candidates: dict[int, list[int]] = field(default_factory=dict)
    weighed: dict[tuple[int, int], Weighed | None] = field(default_factory=dict)

    def found(self, statement: int, wanted: Wanted) -> list[int]:
        """The sentences that may hold all groups of a statement."""
        found = self.candidates.get(statement)
        if found is None:
            found = self.candidates[statement] = self.index.candidates(wanted)
        return found


class SharedTexts:
    """Makes an index of each view, and keeps what its texts have in common with others."""

    def __init__(self) -> None:
        self._excerpts: dict[str, Excerpt] = {}
        self._batches: list[_Batch] = []
        self._homes: dict[tuple[str, Naming], tuple[int, int]] = {}
        """The batch of a text with its names, and the number that it has there."""
        self._statements: dict[Statement, int] = {}

    def view(self, texts: Sequence[str]) -> ViewIndex:
        """The index of a view with these messages. Equal to that of the joined text."""
        if sum(map(len, texts)) > LONG:
            return self._long_view(texts)
        excerpts = [self._excerpt(text) for text in texts]
        namings = namings_of([one.shown for one in excerpts])
        new: dict[tuple[str, Naming], tuple[Excerpt, Naming]] = {}
        for excerpt, naming in zip(excerpts, namings, strict=True):
            key = (excerpt.text, naming)
            if key not in self._homes:
                new[key] = (excerpt, naming)
        if new:
            batch = len(self._batches)
            index = SentenceIndex.of_excerpts(*zip(*new.values(), strict=True))
            self._batches.append(_Batch(index))
            self._homes.update((key, (batch, number)) for number, key in enumerate(new))
        positions: dict[int, dict[int, int]] = {}
        for position, (excerpt, naming) in enumerate(zip(excerpts, namings, strict=True)):
            number, member = self._homes[excerpt.text, naming]
            positions.setdefault(number, {}).setdefault(member, position)
        members = [(self._batches[number], places) for number, places in positions.items()]
        return ViewIndex(texts, members, self._statements)

    def _long_view(self, texts: Sequence[str]) -> LongViewIndex:
        """The index of a view that shares nothing with others: to hold it would take too much."""
        return LongViewIndex.of(texts)

    def _excerpt(self, text: str) -> Excerpt:
        if text not in self._excerpts:
            self._excerpts[text] = Excerpt.of(text)
        return self._excerpts[text]


class ViewIndex(TextIndex):
    """The index of a view. Key groups are read in its texts, the rest in the whole of it.

    ``members`` are the batches with texts of the view, and at which position each text stands.
    """

    def __init__(
        self,
        texts: Sequence[str],
        members: Sequence[tuple[_Batch, dict[int, int]]],
        statements: dict[Statement, int],
    ) -> None:
        self._texts = texts
        self.touched = 0
        self._members = members
        self._statements = statements
        self._readings: dict[Statement, Reading] = {}

    @cached_property
    def _text(self) -> str:  # type: ignore[override]
        return _BETWEEN.join(self._texts)

    def _read_alone(self, statement: Statement) -> Reading:
        """As for any text. Probes ask for the same facts, and all for what stands of the rules."""
        if statement not in self._readings:
            self._readings[statement] = super()._read_alone(statement)
        return self._readings[statement]

    def _outcome_alone(self, statement: Statement) -> Outcome:
        """As for any text; one sentence that was read before and states it decides."""
        if statement in self._readings:
            return self._readings[statement].outcome
        keyed = with_keys(statement)
        if keyed.keys and self._is_known(keyed):
            return "stated"
        return super()._outcome_alone(statement)

    def _is_known(self, statement: Statement) -> bool:
        """Whether a sentence was weighed already that states the groups of a statement."""
        known = self._statements.setdefault(statement, len(self._statements))
        for batch, positions in self._members:
            for number in batch.candidates.get(known, ()):
                weighed = batch.weighed.get((known, number))
                if (
                    weighed is not None
                    and weighed.outcome == "stated"
                    and batch.index.excerpt_of[number] in positions
                ):
                    return True
        return False

    def weighed(self, statement: Statement, wanted: Wanted) -> Iterator[tuple[str, Weighed]]:
        """The sentences that do something with the groups of a statement, in order."""
        known = self._statements.setdefault(statement, len(self._statements))
        meant = signature_of(statement)
        for batch, number in self._in_order(lambda batch: batch.found(known, wanted)):
            key = (known, number)
            if key not in batch.weighed:
                self.touched += 1
                batch.weighed[key] = weigh_sentence(batch.index, number, wanted, meant, statement)
            weighed = batch.weighed[key]
            if weighed is not None:
                yield batch.index.text_of(number), weighed

    def literal(self, normal: str) -> Iterator[tuple[str, str]]:
        """The sentences, normalised and as written, in which the normalised text stands."""
        for batch, number in self._in_order(lambda batch: batch.index.literal(normal)):
            yield batch.index.normals[number], batch.index.text_of(number)

    def _in_order(self, find: Callable[[_Batch], Sequence[int]]) -> Iterator[tuple[_Batch, int]]:
        """The sentences of this view among those found in each batch, in the order of the view.

        A batch is asked only when the view comes to a text of it.
        """
        found: dict[int, Sequence[int]] = {}
        for turn, first, end in self._places:
            batch = self._members[turn][0]
            numbers = found.get(turn)
            if numbers is None:
                numbers = found[turn] = find(batch)
            if numbers:
                low, high = bisect_left(numbers, first), bisect_left(numbers, end)
                for number in numbers[low:high]:
                    yield batch, number

    @cached_property
    def _places(self) -> list[tuple[int, int, int]]:
        """The texts of the view in order: of which member each is, and its sentences there."""
        places = sorted(
            (position, turn, text)
            for turn, (_, positions) in enumerate(self._members)
            for text, position in positions.items()
        )
        begins = [batch.index.begins for batch, _ in self._members]
        return [(turn, begins[turn][text], begins[turn][text + 1]) for _, turn, text in places]


class LongViewIndex(ViewIndex):
    """The same in little memory, for a view of more characters than ``LONG``."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> LongViewIndex:
        """The index of a view with these messages."""
        batch = _Batch(LongIndex(tuple(dict.fromkeys(texts))))
        places = {number: number for number in range(len(batch.index.begins) - 1)}
        return cls(texts, [(batch, places)], {})

    @property
    def _index(self) -> SentenceIndex:
        return self._members[0][0].index

    @cached_property
    def _graded(self) -> PreparedText:
        return LongPreparedText(self._texts, _BETWEEN)
