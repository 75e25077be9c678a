"""Whether a text states a fact: the one definition, for survival, judging and evidence.

A statement with key groups is *stated* where one clause holds an alternative of every group with
the right polarity (see ``groups``); a heading or lead-in may hold some of them for the bullets
below it, and neighbouring clauses of a short passage count as one (see ``passages``). It is
*contradicted* where that is only negated, replaced or rejected, or a counterpart stands instead;
*uncertain* where it is only supposed, or the passage says something else with the same words (see
``agreement``), or says it of another thing (see ``binding``).
A statement without keys is read by its wording (see ``wording``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from pytest_compaction.text.alternatives import Alternative, Wanted
from pytest_compaction.text.file_changes import folder_gone
from pytest_compaction.text.groups import RANK, Weighed
from pytest_compaction.text.overlap import PreparedText
from pytest_compaction.text.sentence_index import SentenceIndex
from pytest_compaction.text.statement import ABSENT, Outcome, Reading, Statement
from pytest_compaction.text.statement_keys import signature_of, wanted_groups, with_keys
from pytest_compaction.text.weighing import weigh_sentence
from pytest_compaction.text.wording import read as read_wording
from pytest_compaction.text.wording import read_graded
from pytest_compaction.text.words import clipped, is_path

_SHORT: Final = 20_000
"""Characters of a text of which the index is kept for a while."""
_SHOWN: Final = 240
"""Characters of a clause that an explanation shows."""


@lru_cache(maxsize=4)
def _index_of(text: str) -> SentenceIndex:
    """The index of a short text: an answer is read for its facts, and again for its limits."""
    return SentenceIndex.of(text)


class TextIndex:
    """A text prepared for many questions of the form "is this stated here?".

    Building is linear in the text; a question touches only sentences that hold its rarest group,
    or stand below or beside one that does.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.touched = 0  # sentences weighed so far, a measure of the work done

    @cached_property
    def _index(self) -> SentenceIndex:
        return _index_of(self._text) if len(self._text) <= _SHORT else SentenceIndex.of(self._text)

    @cached_property
    def _graded(self) -> PreparedText:
        return PreparedText(self._text)

    def has_token(self, token: str) -> bool:
        """Whether the text holds this token, number, identifier or path suffix."""
        return self._index.has_token(token)

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in the text between word boundaries."""
        return self._index.contains(text)

    def has_path(self, path: str) -> bool:
        """Whether the text names this path, fully or by a suffix on component boundaries."""
        return self._index.has_path(path)

    def states(self, forms: Iterable[str]) -> bool:
        """Whether any of the forms is read as stated, by its wording alone."""
        return any(self._read_wording(form).outcome == "stated" for form in forms)

    def read(self, statement: Statement) -> Reading:
        """What the text does with the statement, and which words decided."""
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
        """What :meth:`read` says that the text does, without the words that decided."""
        own = self._outcome_alone(statement)
        if own != "stated" and any(
            self._outcome_alone(other) == "stated" for other in statement.counterparts
        ):
            return "contradicted"
        return own

    def is_stated(self, statement: Statement) -> bool:
        """Whether :meth:`read` finds it stated, which no counterpart elsewhere can change."""
        return self._outcome_alone(statement) == "stated"

    def _outcome_alone(self, statement: Statement) -> Outcome:
        return self._read_alone(statement).outcome

    def _read_alone(self, statement: Statement) -> Reading:
        statement = with_keys(statement)
        if statement.keys:
            return self._read_keys(statement)
        forms = (statement.text, *statement.aliases)
        literal = [self._read_wording(form) for form in forms if self.contains(form)]
        if stated := [reading for reading in literal if reading.outcome == "stated"]:
            return stated[0]
        type = statement.type
        readings = [
            self._read_graded(form, type) if len(form.split()) > 2 else self._read_wording(form)
            for form in forms
        ]
        return max([*literal, *readings], key=lambda reading: RANK[reading.outcome])

    def _read_graded(self, form: str, type: str | None) -> Reading:
        outcome, clause, words, why = read_graded(form, self._graded, type)
        return Reading(outcome, clipped(clause, _SHOWN), words, why)

    def _read_wording(self, form: str) -> Reading:
        outcome, number, weighed = read_wording(form, self._index)
        clause = "" if number is None else clipped(self._index.sentences[number].text, _SHOWN)
        if weighed is None:
            return Reading(outcome, clause)
        return Reading(outcome, clause, weighed.words, weighed.why)

    def _read_keys(self, statement: Statement) -> Reading:
        wanted = wanted_groups(statement)
        best = self._best(self.weighed(statement, wanted))
        if statement.change in {"deleted", "renamed"} and (
            best is None or best[0] < RANK["stated"]
        ):
            gone = self._gone_with_folder(wanted[0], statement.change)
            if gone is not None:
                why = f"its folder was {statement.change}"
                return Reading("stated", clipped(gone, _SHOWN), (), why)
        if best is None:
            return ABSENT
        _, sentence, weighed = best
        return Reading(weighed.outcome, clipped(sentence, _SHOWN), weighed.words, weighed.why)

    def _best(self, places: Iterable[tuple[str, Weighed]]) -> tuple[int, str, Weighed] | None:
        """The rank, text and weight of the sentence that does most with the groups."""
        best: tuple[int, str, Weighed] | None = None
        for sentence, weighed in places:
            rank = RANK[weighed.outcome]
            if best is None or rank > best[0]:
                best = (rank, sentence, weighed)
            if weighed.outcome == "stated":
                break
        return best

    def weighed(self, statement: Statement, wanted: Wanted) -> Iterator[tuple[str, Weighed]]:
        """The sentences that do something with the groups of a statement, in order."""
        meant = signature_of(statement)
        for number in self._index.candidates(wanted):
            self.touched += 1
            weighed = weigh_sentence(self._index, number, wanted, meant, statement)
            if weighed is not None:
                yield self._index.sentences[number].text, weighed

    def literal(self, normal: str) -> Iterator[tuple[str, str]]:
        """The sentences, normalised and as written, in which the normalised text stands."""
        for number in self._index.literal(normal):
            yield self._index.normals[number], self._index.sentences[number].text

    def _gone_with_folder(self, group: Sequence[Alternative], change: str) -> str | None:
        """The sentence with a command that deletes or renames a folder that the file is in."""
        for path in (wanted.normal for wanted in group if is_path(wanted.normal)):
            parts = path.split("/")[:-1]
            for folder in ("/".join(parts[:end]) for end in range(len(parts), 0, -1)):
                for normal, sentence in self.literal(folder):
                    if folder_gone(normal, folder, change):
                        return sentence
        return None
