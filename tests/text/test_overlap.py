"""How much of a statement a text holds, without key groups."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.work import growth

from pytest_compaction.text.vocabulary import GROUPS
from pytest_compaction.text.wording import Overlap, PreparedText, overlaps

TEXT = PreparedText(
    "The importer retries a failed request three times. It waits 45 seconds between attempts, "
    "because the gateway drops faster clients.\n\n"
    "- Priya discovered the leak in src/queue/lease.py on 29 March 2024.\n"
    "- The nightly job was moved to Frankfurt; nobody is paged at night.\n"
)


def overlap(statement, text):
    best = overlaps(statement, text, least=0.0, most=1)
    return best[0] if best else Overlap(0.0, False, (), "", 0)


def share(statement, text):
    return overlap(statement, text).share


def outcome(statement):
    return overlap(statement, TEXT).outcome


@pytest.mark.parametrize(
    "statement",
    [
        "The importer retries failed requests 3x",
        "Between attempts it waits forty-five seconds",
        "The leak was found by Priya on March 29",
        "The leak is in lease.py",
        "The nightly job moved to Frankfurt",
        "Faster clients are dropped by the gateway",
        "Priya's discovery of the leak",
    ],
)
def test_a_reworded_statement_is_stated(statement):
    assert outcome(statement) == "stated"


@pytest.mark.parametrize(
    "statement",
    [
        "The importer retries a failed request four times",
        "It waits 45 minutes between attempts",
        "The leak was discovered in src/queue/claim.py by Priya",
        "Priya discovered the leak on 29 March 2023",
    ],
)
def test_nothing_is_stated_without_its_exact_tokens(statement):
    assert outcome(statement) != "stated"


@pytest.mark.parametrize(
    "statement",
    ["The dashboard shows the wrong currency", "Alice wrote the migration guide", "", "of the"],
)
def test_what_is_not_there_is_absent(statement):
    assert outcome(statement) == "absent"


def test_words_far_apart_are_not_put_together():
    filler = "Nothing else is known here. " * 10
    apart = PreparedText(f"The importer is slow. {filler} A gateway rejects large payloads.")
    assert overlap("The importer rejects large payloads", apart).share < 0.9
    together = PreparedText(f"{filler} The importer is slow. It rejects large payloads.")
    assert overlap("The importer rejects large payloads", together).outcome == "stated"


def test_a_name_counts_in_full_for_the_sentences_around_it():
    text = PreparedText("They asked Mara Lind first. She prefers small releases.")
    assert share("Today Mara Lind prefers small releases", text) > share(
        "Today Nora Holt prefers small releases", text
    )


def test_the_words_found_explain_the_share():
    read = overlap("Priya fixed the leak in Frankfurt", TEXT)
    assert set(read.found) == {"priya", "leak", "frankfurt"}
    assert "Priya" in read.sentence


def test_places_are_given_best_first_by_the_number_of_their_sentence():
    text = PreparedText(
        "The upload limit of the server is 12.\nSo.\nOk.\nThe upload limit is now 15."
    )
    places = overlaps("The server has an upload limit of 15", text, least=0.3, most=4)
    assert [place.number for place in places] == [3, 0]
    assert [place.exact for place in places] == [True, False]
    assert overlaps("The server has an upload limit of 15", text, least=0.3, most=1) == places[:1]


def test_a_negative_statement_needs_a_negation():
    assert share("The lock is not released", PreparedText("The lock is not released.")) == 1
    assert share("The lock is not released", PreparedText("The lock is released.")) < 1


def test_each_group_of_synonyms_has_more_than_one_word_and_none_twice():
    for group in GROUPS:
        words = group.split()
        assert len(set(words)) == len(words) > 1, group


@pytest.mark.parametrize(
    ("form", "base"), [("chose", "choose"), ("found", "find"), ("written", "write"), ("ran", "run")]
)
def test_an_irregular_form_is_the_same_word(form, base):
    text = PreparedText(f"They {form} the new index.")
    assert share(f"They {base} the new index", text) == 1


def test_a_set_expression_counts_as_a_synonym_of_its_word():
    text = PreparedText("The cook got rid of the nuts.")
    assert 0.7 < share("The cook removed the nuts", text) < 1
    assert share("The cook removed the nuts", PreparedText("The cook got the nuts.")) < 0.7


def test_a_synonym_counts_less_than_the_word():
    text = PreparedText("The team selected the small model.")
    assert share("The team selected the small model", text) == 1
    assert 0.8 < share("The team chose the small model", text) < 1


SENTENCES = st.lists(
    st.sampled_from(
        "The cache holds 512 rows.|Ana wrote a test.|It fails at 14:30.|The limit is 15.".split("|")
    ),
    min_size=1,
    max_size=6,
)


@given(SENTENCES)
def test_each_sentence_of_a_text_is_stated_by_it(sentences):
    text = PreparedText(" ".join(sentences))
    for sentence in sentences:
        assert overlap(sentence, text).outcome == "stated"
        assert share(sentence, text) == pytest.approx(1)


@given(SENTENCES, st.text(max_size=80))
def test_the_share_is_between_0_and_1_and_grows_with_the_text(sentences, statement):
    text = " ".join(sentences)
    less = share(statement, PreparedText(text))
    assert 0 <= less <= share(statement, PreparedText(f"{text}\n\n{statement}")) <= 1


def asked_about(sentences):
    text = PreparedText("The importer waits 45 seconds for Priya. " * sentences)
    for number in range(20):
        overlap(f"The importer waits {number} seconds", text)


def test_building_and_asking_are_linear_in_the_text():
    assert growth(asked_about, 500) < 2.1
