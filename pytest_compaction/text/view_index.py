"""Views and logs of which each text is prepared once, and read once for a statement.

What a sentence does with a statement depends on its own text alone, up to the names that the
whole view shows (see ``Naming``). So a view whose messages were read before, in another view of
the same log, is read by looking up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from pytest_compaction.text.alternatives import Wanted, path_keys
from pytest_compaction.text.excerpts import Excerpt, Naming, namings_of
from pytest_compaction.text.groups import Weighed
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.sentence_index import SentenceIndex
from pytest_compaction.text.sentence_splitting import MESSAGE_END
from pytest_compaction.text.statement import Outcome, Reading, Statement
from pytest_compaction.text.statement_keys import signature_of, wanted_groups, with_keys
from pytest_compaction.text.weighing import weigh_sentence
from pytest_compaction.text.words import path_suffixes

_BETWEEN: Final = f"\n\n{MESSAGE_END}\n\n"
_GONE: Final = frozenset({"deleted", "renamed"})
"""Changes that a command on a folder states of each file in it, without naming the file."""


@dataclass(eq=False, slots=True)
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
    """Makes an index of each view, and keeps what its texts have in common with others.

    ``characters`` is the length of all texts that are held.
    """

    def __init__(self) -> None:
        self.characters = 0
        self._excerpts: dict[str, Excerpt] = {}
        self._homes: dict[tuple[str, Naming], tuple[_Batch, int]] = {}
        """The batch of a text with its names, and the number that it has there."""
        self._statements: dict[Statement, int] = {}

    def view(self, texts: Sequence[str]) -> ViewIndex:
        """The index of a view with these messages. Equal to that of the joined text."""
        excerpts = [self._excerpt(text) for text in texts]
        namings = namings_of([one.shown for one in excerpts])
        named = {
            (excerpt.text, naming): excerpt
            for excerpt, naming in zip(excerpts, namings, strict=True)
        }
        new = {key: excerpt for key, excerpt in named.items() if key not in self._homes}
        if new:
            batch = _Batch(SentenceIndex([*new.values()], [naming for _, naming in new]))
            self._homes.update((key, (batch, number)) for number, key in enumerate(new))
        members: dict[_Batch, dict[int, int]] = {}
        for position, (excerpt, naming) in enumerate(zip(excerpts, namings, strict=True)):
            home, member = self._homes[excerpt.text, naming]
            members.setdefault(home, {}).setdefault(member, position)
        return ViewIndex(excerpts, namings, members, self._statements)

    def _excerpt(self, text: str) -> Excerpt:
        if text not in self._excerpts:
            self._excerpts[text] = Excerpt.of(text)
            self.characters += len(text)
        return self._excerpts[text]


class LogIndex:
    """The messages of a log, of which each, or the first so many, are read as if alone.

    The sentences that may state something are found in one index of all, with the names that all
    show together; then they are read with the names of those that are asked.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        self._number_of = [numbers[text] for text in texts]
        self._excerpts = [Excerpt.of(text) for text in numbers]
        shown = [excerpt.shown for excerpt in self._excerpts]
        self._index = SentenceIndex(self._excerpts, namings_of(shown))
        self._candidates: dict[int, list[int]] = {}
        self._statements: dict[Statement, int] = {}
        self._naming_of = [naming for one in shown for naming in namings_of([one])]
        """The names that each text shows by itself."""
        self._alone = self._batch(self._naming_of)
        self._beginnings: dict[int, ViewIndex] = {}

    def text(self, place: int) -> TextIndex:
        """The text at a place."""
        number = self._number_of[place]
        naming = self._naming_of[number]
        members = {self._alone: {number: 0}}
        return ViewIndex([self._excerpts[number]], [naming], members, self._statements)

    def beginning(self, end: int) -> TextIndex:
        """The texts before the place ``end``."""
        size = max(self._number_of[:end], default=-1) + 1
        if size not in self._beginnings:
            excerpts = self._excerpts[:size]
            namings = namings_of([one.shown for one in excerpts])
            members = {self._batch(namings): {number: number for number in range(size)}}
            self._beginnings[size] = ViewIndex(excerpts, namings, members, self._statements)
        return self._beginnings[size]

    def stating(self, statement: Statement) -> tuple[int, ...]:
        """The places of the texts that state this; counterparts in others do not matter."""
        return tuple(
            place
            for place in self._possible(with_keys(statement))
            if self.text(place).read(statement).outcome == "stated"
        )

    def _possible(self, statement: Statement) -> Iterable[int]:
        """The places of the texts that may state this."""
        places = range(len(self._number_of))
        if not statement.keys or statement.change in _GONE:
            return places
        known = self._statements.setdefault(statement, len(self._statements))
        candidates = self._alone.found(known, wanted_groups(statement))
        found = {self._index.excerpt_of[number] for number in candidates}
        return (place for place in places if self._number_of[place] in found)

    def with_path(self, path: str) -> set[int]:
        """The places of the texts that name a path, fully or by a suffix."""
        if not path_suffixes(path):
            return set()
        found = self._index.excerpts_with(path_keys(path))
        return {place for place, number in enumerate(self._number_of) if number in found}

    def _batch(self, namings: Sequence[Naming]) -> _Batch:
        """All texts; the first ones have these names. What may state something is the same."""
        return _Batch(self._index.renamed(namings), self._candidates)


class ViewIndex(TextIndex):
    """The index of a view. Key groups are read in its texts, the rest in the whole of it.

    ``members`` are the batches with texts of the view, and at which position each text stands.
    """

    def __init__(
        self,
        excerpts: Sequence[Excerpt],
        namings: Sequence[Naming],
        members: Mapping[_Batch, dict[int, int]],
        statements: dict[Statement, int],
    ) -> None:
        self._excerpts = excerpts
        self._namings = namings
        self.touched = 0
        self._members = [*members.items()]
        self._statements = statements
        self._readings: dict[Statement, Reading] = {}

    @cached_property
    def _text(self) -> str:  # type: ignore[override]
        return _BETWEEN.join(excerpt.text for excerpt in self._excerpts)

    @cached_property
    def _index(self) -> SentenceIndex:
        return SentenceIndex(self._excerpts, self._namings)

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
                yield batch.index.sentences[number].text, weighed

    def literal(self, normal: str) -> Iterator[tuple[str, str]]:
        """The sentences, normalised and as written, in which the normalised text stands."""
        for batch, number in self._in_order(lambda batch: batch.index.literal(normal)):
            yield batch.index.normals[number], batch.index.sentences[number].text

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
