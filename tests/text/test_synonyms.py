"""Keys are found by near synonyms and set expressions, and by nothing that says something else."""

import pytest
from support.readings import facts, misread

from pytest_compaction.text import STOPWORDS, stem
from pytest_compaction.text.vocabulary import (
    base_stem,
    listed_groups,
    same_expressions,
    same_words,
    sides,
)
from pytest_compaction.text.words import NEGATIONS

GROUPS = listed_groups()


def test_each_group_has_at_least_two_entries_and_none_twice():
    assert len(GROUPS) > 600
    for group in GROUPS:
        assert 2 <= len(group) == len(set(group)), group


def test_every_entry_of_a_group_is_found_by_every_other():
    for group in GROUPS:
        words = [entry[0] for entry in group if len(entry) == 1]
        for word in words:
            assert {stem(other) for other in words} <= set(same_words(word)), (word, group)
        for entry in (entry for entry in group if len(entry) > 1):
            asked = same_expressions(tuple(map(base_stem, entry)))
            assert {stem(other) for other in words} <= set(asked), (entry, group)


def test_no_entry_is_a_word_without_content():
    words = {entry[0] for group in GROUPS for entry in group if len(entry) == 1}
    assert words.isdisjoint(STOPWORDS) and words.isdisjoint(NEGATIONS)


def test_no_group_holds_two_opposites():
    for group in GROUPS:
        found = [(row, side) for entry in group if len(entry) == 1 for row, side in sides(entry[0])]
        assert not {(row, 1 - side) for row, side in found}.intersection(found), group


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("created", "changed"),
        ("commit", "push"),
        ("unit", "merge"),
        ("container", "holds"),
        ("Tuesday", "Thursday"),
        ("precision", "accuracy"),
        ("thread", "process"),
    ],
)
def test_near_but_different_things_stay_apart(one, other):
    assert base_stem(other.lower()) not in same_words(one.lower())


def test_synonyms_of_a_synonym_do_not_count():
    assert "halt" in same_words("stop") and "freez" in same_words("halt")
    assert "freez" not in same_words("stop")


@facts(
    """
a fact in other words [hearing + postponed + 4 May]
  + The trial was put off until the 4th of May.
  + They put the hearing off to 4 May.
  - The hearing was held on 4 May.
  - The hearing was not put off to 4 May.
a fact in other words [witness + turned down + offer]
  + The witness declined the offer.
  + The offer was rejected by the witness.
  - The witness accepted the offer.
  - The witness turned up with an offer.
a fact in other words [chef + got rid of + nuts]
  + The cook removed the nuts.
  + The chef took the nuts out.
  - The chef added the nuts.
  - The chef kept the nuts.
a fact in other words [thruster 3 + switched off]
  + Thruster 3 has been turned off.
  + They shut thruster 3 down.
  - Thruster 4 was switched off.
  - Thruster 3 was not switched off.
a fact in other words [vessel + lost]
  + The ship has gone missing.
  - The ship was found.
  - No ship was lost.
a fact in other words [cause|reason + cracked seal]
  + The culprit is a cracked seal.
  + The cracked seal is to blame.
  - The cracked seal is not to blame.
a fact in other words [court + conclusion + analysed]
  + The court concluded so after an analysis of the soil.
  - The court excluded it after an analysis of the soil.
a fact in other words [seating + choose + reservation]
  + The choice of seating is made with the booking.
  - The seating is closed for bookings.
a fact in other words [rejected + second offer]
  + She turned the second offer down.
  - She turned to the second offer and sat down.
a fact in other words [leaf + left out]
  + The loose leaf was omitted.
  - The loose leaf was left in the folder.
a fact in other words [sauce + completely replaced]
  + The sauce was replaced.
  - The sauce was not replaced.
"""
)
def test_a_key_is_found_by_another_word_and_not_by_another_meaning(fact, texts):
    assert misread(fact, texts) == []
