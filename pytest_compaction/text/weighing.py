"""Outcome of a statement's key groups in one sentence and its context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_compaction.text.binding import bound_otherwise
from pytest_compaction.text.cues import REVERSING
from pytest_compaction.text.denials import (
    group_denied,
    idea_rejected,
    said_of_others,
    verb_affirmed,
    verb_denied,
    word_denied,
)
from pytest_compaction.text.differences import difference, one_word_changed
from pytest_compaction.text.file_changes import PLANNED, weigh_change
from pytest_compaction.text.groups import PLAIN, RANK, KeyMatch, Weighed, weigh
from pytest_compaction.text.languages import is_read
from pytest_compaction.text.other_languages import in_language, weigh_in
from pytest_compaction.text.parsed import Parsed, joined, meaning
from pytest_compaction.text.sentence_index import SentenceIndex
from pytest_compaction.text.sentence_splitting import Sentence
from pytest_compaction.text.standing import is_step, standing_below
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.statement_keys import Keyed, asked_of
from pytest_compaction.text.words import normalize


def weigh_sentence(text: SentenceIndex, number: int, asked: Keyed) -> Weighed | None:
    """Outcome of the groups in the sentence, its headings and the sentence before."""
    sentence, change = text.sentences[number], asked.statement.change
    if sentence.removed:
        return None
    others = text.others(asked.statement.language)
    if number in others:
        return _weigh_in(others[number], text, number, asked)
    if asked.own != "en":
        in_english = asked.in_english
        if in_english is None:
            return None
        asked = in_english
    parsed = text.parsed(number)
    groups = _groups_in(parsed, text, sentence, asked)
    if groups is None:
        return _weigh_passage(text, number, asked)
    if not any(one.own for group in groups for one in group):
        return None
    if change == "renamed":  # its old name is no longer so, and it is the statement's file
        cues = tuple(cue for cue in parsed.sense.cues if cue.kind != "past")
        parsed = replace(parsed, sense=replace(parsed.sense, cues=cues))
    above = [text.normals[one] for one in sentence.context]
    over = text.cues_over(number, asked.is_step)
    weighed = weigh(parsed, groups, over, asked.meant, strict=asked.own != "en")
    if asked.own != "en":
        return weighed
    weighed = _against_counterparts(text, number, weighed, asked.statement)
    weighed = _of_another(text, number, asked, weighed)
    weighed = _disagreed(asked, parsed, groups, weighed, above, text.around(number))
    if change and weighed.outcome == "stated":
        planned = PLANNED.search(normalize(asked.statement.text)) is not None
        return weigh_change(parsed, above, groups, change, weighed, planned)
    return weighed


def _weigh_in(code: str, text: SentenceIndex, number: int, asked: Keyed) -> Weighed | None:
    """Outcome of the groups in a sentence of another language than English.

    Where its rules are not read, a name that stands there says nothing for or against.
    """
    wanted = asked.asked_in(code) if is_read(code) else asked.names
    if wanted is None:
        return None
    sentence, home = text.sentences[number], asked.statement.language
    above = [in_language(text.normals[one], wanted.code, home) for one in sentence.context]
    own = in_language(text.normals[number], wanted.code, home)
    if not any(own.matches_of(group) for group in wanted.groups):
        return None
    passages = [range(number, number + 1), *text.passages(number)]
    found: list[Weighed] = []
    for numbers in passages:
        parts = [in_language(text.normals[one], wanted.code, home) for one in numbers]
        passage = parts[0] if len(parts) == 1 else joined(parts)
        weighed = weigh_in(wanted, passage, above, asked.statement.change)
        if weighed is not None:
            found.append(weighed)
            if len(numbers) == 1:
                break
    best = max(found, key=lambda one: RANK[one.outcome], default=None)
    if best is not None and not is_read(code):
        return replace(best, outcome="uncertain", why="what is said in this language is not read")
    return best


def _groups_in(
    parsed: Parsed, text: SentenceIndex, sentence: Sentence, asked: Keyed
) -> list[list[KeyMatch]] | None:
    """The matches of each group in a sentence or passage, or else in the nearest heading above."""
    groups: list[list[KeyMatch]] = []
    for group in asked.wanted:
        found = [KeyMatch(match) for match in parsed.matches_of(group)]
        for above in () if found else reversed(sentence.context):
            found = [KeyMatch(match, own=False) for match in text.parsed(above).matches_of(group)]
            if found:
                break
        if not found:
            return None
        groups.append(found)
    return groups


def _weigh_passage(text: SentenceIndex, number: int, asked: Keyed) -> Weighed | None:
    """Outcome of groups that the sentence holds only together with its neighbours."""
    sentence = text.sentences[number]
    above = [text.normals[one] for one in sentence.context]
    weighed: list[Weighed] = []
    for numbers in text.passages(number):
        passage = joined([text.parsed(one) for one in numbers])
        groups = _groups_in(passage, text, sentence, asked)
        if groups and any(one.own for group in groups for one in group):
            over = text.cues_over(numbers[0], asked.is_step)
            over += [cue for cue in text.cues_over(numbers[-1], asked.is_step) if cue not in over]
            one = weigh(passage, groups, over, asked.meant, strict=asked.own != "en")
            if asked.own == "en":
                one = _of_another(text, number, asked, one)
                one = _disagreed(asked, passage, groups, one, above)
            weighed.append(_together(asked, passage, groups, one))
    return max(weighed, key=lambda one: RANK[one.outcome], default=None)


def _together(
    asked: Keyed, passage: Parsed, groups: Sequence[Sequence[KeyMatch]], weighed: Weighed
) -> Weighed:
    """Stated only if the sentences of the passage speak of one thing, the statement's subject."""
    if weighed.outcome != "stated":
        return weighed
    if _led_by_another(asked, passage, groups):
        return replace(weighed, outcome="uncertain", why="another subject stands before it")
    cues = passage.sense.cues
    if any(cue.whole for cue in cues):
        return replace(weighed, outcome="contradicted", why="one of the clauses is taken back")
    for group in groups:  # one that is asserted in one clause may be taken back in another
        own = [one.match for one in group if one.own and not one.match.alternative.negative]
        reached = [
            any(cue.kind in REVERSING and cue.reaches(one.start, one.end) for cue in cues)
            for one in own
        ]
        if any(reached) and not all(reached):
            return replace(weighed, outcome="uncertain", why="taken back in the same passage")
    return replace(weighed, why="in neighbouring clauses")


def _led_by_another(asked: Keyed, passage: Parsed, groups: Sequence[Sequence[KeyMatch]]) -> bool:
    """Whether the subject of a one-clause statement stands only after all that it is to do.

    A name may come first and the one who acts on it later.
    """
    own = meaning(asked.statement.text).parsed
    opened = {
        number: min(match.start for match in found)
        for number, group in enumerate(asked.wanted)
        if (found := own.matches_of(group))
    }
    if not opened or len(asked.wanted) < 2:
        return False
    low, high = min(opened.values()), max(opened.values())
    if any(low < place < high for place in own.sense.starts):
        return False
    subject = min(opened, key=lambda number: opened[number])
    others = [group for number, group in enumerate(groups) if number != subject]
    if any(
        term.is_name for group in others for one in group for term in one.match.alternative.terms
    ):
        return False
    first = [
        min((passage.sentence(one.match.start) for one in group if one.own), default=0)
        for group in (groups[subject], *others)
    ]
    return first[0] > max(first[1:])


def _of_another(text: SentenceIndex, number: int, asked: Keyed, weighed: Weighed) -> Weighed:
    """Not stated where the prose around the sentence says it of another thing."""
    if weighed.outcome != "stated" or text.sentences[number].code:
        return weighed
    why = bound_otherwise(asked.statement.text, asked.wanted, text.around(number))
    return weighed if why is None else replace(weighed, outcome="uncertain", why=why)


def _against_counterparts(
    text: SentenceIndex, number: int, weighed: Weighed, statement: Statement
) -> Weighed:
    """A counterpart that stands nearer together in the same sentence takes its place."""
    if weighed.outcome != "stated":
        return weighed
    for counterpart in statement.counterparts:
        if not counterpart.keys:
            continue
        parsed, asked = text.parsed(number), asked_of(counterpart)
        groups = [[KeyMatch(match) for match in parsed.matches_of(group)] for group in asked.wanted]
        if not all(groups):
            continue
        other = weigh(parsed, groups, (), asked.meant)
        if other.width < weighed.width:
            other = _of_another(text, number, asked, other)
            other = _disagreed(asked, parsed, groups, other, ())
        if other.outcome == "stated" and other.width < weighed.width:
            why = f'the counterpart "{counterpart.text}" is nearer'
            return Weighed("contradicted", other.words, why, PLAIN, other.width)
    return weighed


def _disagreed(
    asked: Keyed,
    passage: Parsed,
    groups: Sequence[Sequence[KeyMatch]],
    weighed: Weighed,
    above: Sequence[str],
    around: Parsed | None = None,
) -> Weighed:
    """Not stated if the passage says something else with the words of the statement.

    ``above`` are the headings and lead-ins, of which the nearest may say that all is done.
    ``around`` is the passage with the clauses beside it.
    """
    if weighed.outcome != "stated":
        return weighed
    text, type = asked.statement.text, asked.statement.type
    below = standing_below(above[-1]) if above else None
    if below == "done" and is_step(text, type):
        return replace(weighed, outcome="uncertain", why="below a heading of what is done")
    task = below == "open" and type == "state" and is_step(passage.normal, type)
    if task and not is_step(text, type):
        return replace(weighed, outcome="uncertain", why="below a heading of what is to do")
    why = (
        one_word_changed(text, passage, around)
        or difference(text, passage, type)
        or said_of_others(text, groups, passage)
        or verb_denied(text, passage)
        or verb_affirmed(text, passage)
        or idea_rejected(text, around or passage, groups)
    )
    if why is None and asked.asserts:
        why = group_denied(text, groups, passage) or word_denied(text, passage, around)
    return weighed if why is None else replace(weighed, outcome="uncertain", why=why)
