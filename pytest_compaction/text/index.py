"""Whether texts state facts: the one definition, for survival, judging and evidence.

A statement with key groups is *stated* where one clause holds an alternative of every group with
the right polarity (see ``groups``); a heading or lead-in may hold some of them for the bullets
below it, and neighbouring clauses of a short passage count as one. It is *contradicted* where that
is only negated, replaced or rejected, or a counterpart stands instead; *uncertain* where it is only
supposed, or the passage says something else with the same words (see ``differences``), or says it
of another thing (see ``binding``). A statement without keys is read by its wording (see
``wording``).

What a sentence does with a statement depends on its own text alone, up to the names that the whole
text shows (see ``Naming``). So a view whose messages were read before, in another view of the same
log, is read by looking up.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

from pytest_compaction.text.alternatives import Alternative, alternative
from pytest_compaction.text.excerpts import Excerpt, Naming, namings_of
from pytest_compaction.text.file_changes import folder_gone
from pytest_compaction.text.groups import CLAIMED, RANK, KeyMatch, Weighed, openness, weigh
from pytest_compaction.text.languages import is_read, language_of, name_of, why_not_read
from pytest_compaction.text.sentence_index import SentenceIndex
from pytest_compaction.text.sentence_splitting import MESSAGE_END
from pytest_compaction.text.statement import ABSENT, Outcome, Reading, Statement
from pytest_compaction.text.statement_keys import Keyed, asked_of
from pytest_compaction.text.weighing import weigh_sentence
from pytest_compaction.text.wording import PreparedText, read_graded
from pytest_compaction.text.words import clipped, is_path

_SHORT: Final = 20_000
"""Characters of a text of which the index is kept for a while."""
_SHOWN: Final = 240
"""Characters of a clause that an explanation shows."""
_BETWEEN: Final = f"\n\n{MESSAGE_END}\n\n"
_FOLDER_CHANGES: Final = frozenset({"deleted", "renamed"})
"""Changes that a command on a folder states of each file in it, without naming the file."""


@lru_cache(maxsize=4)
def _index_of(text: str) -> SentenceIndex:
    """The index of a short text: an answer is read for its facts, and again for its limits."""
    return SentenceIndex.of(text)


@dataclass(eq=False, slots=True)
class _Batch:
    """Texts that came at one time, with what was read in them."""

    index: SentenceIndex
    candidates: dict[Keyed, list[int]] = field(default_factory=dict)
    weighed: dict[tuple[Keyed, int], Weighed | None] = field(default_factory=dict)

    def found(self, asked: Keyed) -> list[int]:
        """The sentences that may hold all groups of a statement."""
        if asked not in self.candidates:
            others = self.index.others(asked.statement.language)
            english = asked if asked.own == "en" else asked.in_english
            found = [] if english is None else self.index.candidates(english.wanted)
            if others:
                found = sorted({number for number in found if number not in others}.union(others))
            self.candidates[asked] = found
        return self.candidates[asked]


class TextIndex:
    """A text prepared for many questions of the form "is this stated here?".

    Building is linear in the text; a question touches only sentences that hold its rarest group,
    or stand below or beside one that does.
    """

    def __init__(self, text: str) -> None:
        self._texts: Sequence[str] = [text]
        self._readings: dict[Statement, Reading] = {}
        self.touched = 0  # sentences weighed so far, a measure of the work done

    @cached_property
    def _index(self) -> SentenceIndex:
        (text,) = self._texts
        return (_index_of if len(text) <= _SHORT else _index_of.__wrapped__)(text)

    @cached_property
    def _members(self) -> Sequence[tuple[_Batch, Mapping[int, int]]]:
        """The batches with texts of the view, and at which position each text stands."""
        return [(_Batch(self._index), {0: 0})]

    @cached_property
    def _graded(self) -> PreparedText:
        return PreparedText(_BETWEEN.join(self._texts))

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in the text between word boundaries."""
        return self._index.contains(text)

    def states(self, forms: Iterable[str]) -> bool:
        """Whether any of the forms is read as stated, by its wording alone."""
        return any(self._read_wording(form).outcome == "stated" for form in forms)

    def read(self, statement: Statement) -> Reading:
        """The outcome for the statement, and which words decided."""
        own = self._read_alone(statement)
        if own.outcome == "stated" or not statement.counterparts:
            return own
        for counterpart in statement.counterparts:
            other = self._read_alone(counterpart)
            if other.outcome == "stated":
                why = f'the counterpart "{counterpart.text}" stands instead'
                return Reading("contradicted", other.clause, other.words, why)
        return own

    def outcome(self, statement: Statement) -> Outcome:
        """The outcome of :meth:`read`, without the words that decided."""
        return self.read(statement).outcome

    def is_stated(self, statement: Statement) -> bool:
        """Whether :meth:`read` finds it stated, which no counterpart elsewhere can change."""
        return self._read_alone(statement).outcome == "stated"

    def _read_alone(self, statement: Statement) -> Reading:
        """The reading without the counterparts. Probes ask for the same facts."""
        if statement not in self._readings:
            asked = asked_of(statement)
            home = statement.language
            if is_read(home):
                read = self._read_keys if asked.statement.keys else self._read_forms
                reading = read(asked)
                if reading.outcome == "absent" and (why := self._why_unread(asked)):
                    reading = Reading("unread", why=why)
            else:
                reading = Reading("unread", why=why_not_read(home))
            self._readings[statement] = reading
        return self._readings[statement]

    def _why_unread(self, asked: Keyed) -> str:
        """Why an absent statement may stand in the text unseen; empty if it does not.

        It may where most of the prose is in languages for which the statement has no keys.
        """
        prose: dict[str, int] = defaultdict(int)
        for index, numbers in self._written:
            others = index.others(asked.statement.language)
            if not others and asked.own == "en":
                continue
            for number in numbers:
                if not index.sentences[number].code:
                    prose[others.get(number, "en")] += len(index.normals[number])
        blind = {code: size for code, size in prose.items() if not asked.reads(code)}
        if 2 * sum(blind.values()) <= sum(prose.values()) or not blind:
            return ""
        most = max(blind, key=lambda code: blind[code])
        return f"most of the text is in {name_of(most)}, for which the fact has no keys"

    @cached_property
    def _written(self) -> Sequence[tuple[SentenceIndex, Sequence[int]]]:
        """The sentences that a strategy wrote, or all if that is not known, by index."""
        return [(self._index, range(len(self._index.sentences)))]

    def _read_forms(self, asked: Keyed) -> Reading:
        """The reading by the wording of the text or of one of the aliases."""
        own = self._read_english_forms(asked)
        if not any(batch.index.others(asked.statement.language) for batch, _ in self._members):
            return own
        if language_of(own.clause, asked.statement.language) != "en":
            own = ABSENT
        return max(own, self._read_keys(asked), key=lambda reading: RANK[reading.outcome])

    def _read_english_forms(self, asked: Keyed) -> Reading:
        forms = (asked.statement.text, *asked.statement.aliases)
        literal = [self._read_wording(form) for form in forms if self.contains(form)]
        if stated := [reading for reading in literal if reading.outcome == "stated"]:
            return stated[0]
        readings = literal
        for form in forms:
            if len(form.split()) <= 2:
                readings.append(self._read_wording(form))
                continue
            outcome, clause, words, why = read_graded(form, self._graded, asked.statement.type)
            if outcome == "stated" and any(
                openness(self._index.cues_over(number)) == CLAIMED
                for number, sentence in enumerate(self._index.sentences)
                if sentence.text in clause and len(sentence.text) > len(clause) // 2
            ):
                outcome, why = "uncertain", "by the heading or lead-in above"
            readings.append(Reading(outcome, clipped(clause, _SHOWN), words, why))
        return max(readings, key=lambda reading: RANK[reading.outcome])

    def _read_wording(self, form: str) -> Reading:
        """A name is stated where it stands; another form too, unless it is denied there.

        What does not stand there as it is, is asked for as a key.
        """
        key, index = alternative(form), self._index
        if len(key.terms) == 1 and not key.terms[0].is_value:
            held = index.holders(key.terms) if key.terms[0].is_name else ()
            named = any(index.parsed(number).matches(key) for number in held)
            if named or not self.contains(form):
                return Reading("stated") if named else ABSENT
        if not self.contains(form):
            return self._read_keys(asked_of(Statement(form, keys=((form,),))))
        best = Reading("stated")
        for place, number in enumerate(index.literal(key.normal)):
            found = [KeyMatch(match) for match in index.parsed(number).matches(key)]
            claims = [cue for cue in index.cues_over(number) if openness([cue]) == CLAIMED]
            weighed = weigh(index.parsed(number), [found], claims)
            outcome = "absent" if index.sentences[number].removed else weighed.outcome
            if not place or RANK[outcome] > RANK[best.outcome]:
                clause = clipped(index.sentences[number].text, _SHOWN)
                best = Reading(outcome, clause, weighed.words, weighed.why)
        return best

    def _read_keys(self, asked: Keyed) -> Reading:
        """The reading by the sentence that does most with the groups."""
        best: Weighed | None = None
        clause = ""
        for batch, number in self._in_order(asked):
            if (asked, number) not in batch.weighed:
                self.touched += 1
                batch.weighed[asked, number] = weigh_sentence(batch.index, number, asked)
            weighed = batch.weighed[asked, number]
            if weighed and (best is None or RANK[weighed.outcome] > RANK[best.outcome]):
                best, clause = weighed, batch.index.sentences[number].text
                if weighed.outcome == "stated":
                    break
        change, english = asked.statement.change, asked if asked.own == "en" else asked.in_english
        if change in _FOLDER_CHANGES and english and not (best and best.outcome == "stated"):
            gone = self._gone_with_folder(english.wanted[0], change)
            if gone is not None:
                return Reading("stated", clipped(gone, _SHOWN), (), f"its folder was {change}")
        if best is None:
            return ABSENT
        return Reading(best.outcome, clipped(clause, _SHOWN), best.words, best.why)

    def _gone_with_folder(self, group: Sequence[Alternative], change: str) -> str | None:
        """The first command that deletes or renames a folder that the file is in."""
        for path in (wanted.normal for wanted in group if is_path(wanted.normal)):
            parts = path.split("/")[:-1]
            for folder in ("/".join(parts[:end]) for end in range(len(parts), 0, -1)):
                found = [
                    (positions[text], number, index.sentences[number].text)
                    for index, positions in ((batch.index, at) for batch, at in self._members)
                    for number in index.literal(folder)
                    if (text := index.excerpt_of[number]) in positions
                    and folder_gone(index.normals[number], folder, change)
                ]
                if found:
                    return min(found)[2]
        return None

    def _in_order(self, asked: Keyed) -> Iterator[tuple[_Batch, int]]:
        """The sentences of this view that may hold all groups, in the order of the view.

        A batch is asked only when the view comes to a text of it.
        """
        for turn, first, end in self._places:
            batch = self._members[turn][0]
            numbers = batch.found(asked)
            for number in numbers[bisect_left(numbers, first) : bisect_left(numbers, end)]:
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


class _ViewIndex(TextIndex):
    """The index of a view. Key groups are read in its texts, the rest in the whole of it."""

    def __init__(
        self,
        excerpts: Sequence[Excerpt],
        namings: Sequence[Naming],
        members: Mapping[_Batch, dict[int, int]],
        written: Collection[int] = (),
    ) -> None:
        super().__init__("")
        self._written_at = written
        self._texts = [excerpt.text for excerpt in excerpts]
        self._excerpts = excerpts
        self._namings = namings
        self._members = [*members.items()]

    @cached_property
    def _index(self) -> SentenceIndex:
        return SentenceIndex(self._excerpts, self._namings)

    @cached_property
    def _written(self) -> Sequence[tuple[SentenceIndex, Sequence[int]]]:
        return [
            (batch.index, range(batch.index.begins[text], batch.index.begins[text + 1]))
            for batch, positions in self._members
            for text, position in positions.items()
            if not self._written_at or position in self._written_at
        ]


class SharedTexts:
    """Makes an index of each view, and keeps what its texts have in common with others.

    ``characters`` is the length of all texts that are held.
    """

    def __init__(self) -> None:
        self.characters = 0
        self._excerpts: dict[str, Excerpt] = {}
        self._homes: dict[tuple[str, Naming], tuple[_Batch, int]] = {}
        """The batch of a text with its names, and the number that it has there."""

    def view(self, texts: Sequence[str], written: Collection[int] = ()) -> TextIndex:
        """The index of a view with these messages. Equal to that of the joined text.

        ``written`` are the places of those that a strategy wrote, if that is known.
        """
        excerpts = [self._excerpt(text) for text in texts]
        namings = namings_of(excerpts)
        self._batch(excerpts, namings)
        members: dict[_Batch, dict[int, int]] = {}
        for position, (excerpt, naming) in enumerate(zip(excerpts, namings, strict=True)):
            home, member = self._homes[excerpt.text, naming]
            members.setdefault(home, {}).setdefault(member, position)
        return _ViewIndex(excerpts, namings, members, written)

    def _excerpt(self, text: str) -> Excerpt:
        if text not in self._excerpts:
            self._excerpts[text] = Excerpt.of(text)
            self.characters += len(text)
        return self._excerpts[text]

    def _batch(self, excerpts: Sequence[Excerpt], namings: Sequence[Naming]) -> None:
        """Make one batch of those that none has yet with these names."""
        named = {(one.text, naming): one for one, naming in zip(excerpts, namings, strict=True)}
        new = {key: one for key, one in named.items() if key not in self._homes}
        if new:
            batch = _Batch(SentenceIndex([*new.values()], [naming for _, naming in new]))
            self._homes.update((key, (batch, number)) for number, key in enumerate(new))


class LogIndex(SharedTexts):
    """The messages of a log, of which each, or the first so many, are read as if alone."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self._texts = texts
        excerpts = [self._excerpt(text) for text in texts]
        self._namings = [naming for one in excerpts for naming in namings_of([one])]
        """The names that each text shows by itself."""
        self._batch(excerpts, self._namings)
        homes = [self._homes[pair] for pair in zip(texts, self._namings, strict=True)]
        self._number_of = [number for _, number in homes]
        self._beginnings: dict[int, TextIndex] = {}
        self._alone = homes[0][0] if homes else _Batch(SentenceIndex([], []))

    def text(self, place: int) -> TextIndex:
        """The text at a place."""
        members = {self._alone: {self._number_of[place]: 0}}
        excerpt = self._excerpt(self._texts[place])
        return _ViewIndex([excerpt], [self._namings[place]], members)

    def beginning(self, end: int) -> TextIndex:
        """The texts before the place ``end``."""
        if end not in self._beginnings:
            self._beginnings[end] = self.view(self._texts[:end])
        return self._beginnings[end]

    def candidates(self, statement: Statement) -> list[int]:
        """The places of the texts that may state this; no other text does."""
        asked = asked_of(statement)
        if not asked.statement.keys or asked.statement.change in _FOLDER_CHANGES:
            return list(range(len(self._texts)))
        found = {self._alone.index.excerpt_of[number] for number in self._alone.found(asked)}
        return [place for place, number in enumerate(self._number_of) if number in found]
