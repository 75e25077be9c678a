"""One value however it is written; two values never taken for one."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.work import growth

from pytest_compaction.text import equal, values_of
from pytest_compaction.text.value_forms import WORDS
from pytest_compaction.text.values import held_values

SAME = [
    ("1,024", "1024", "1024.0", "1_024"),
    ("45 s", "45s", "45 sec", "45sec", "45 seconds", "45-second", "forty-five seconds"),
    ("2 h", "2 hours", "120 minutes", "two hours", "7200 s"),
    ("1 h 30 min", "1h30m", "1h 30m", "90 minutes", "1.5 hours", "an hour and a half"),
    ("30 minutes", "half an hour"),
    ("1.5 GB", "1536 MB", "1.5 GiB", "1.5 gigabytes"),
    ("64 KiB", "65536 bytes", "65,536 bytes", "64 KB"),
    ("29 March 2024", "March 29, 2024", "2024-03-29", "29.03.2024", "Mar 29th 2024", "3/29/2024"),
    ("March 29", "29 March", "the 29th of March"),
    ("12 %", "12%", "12 percent", "12 per cent", "twelve percent"),
    ("23 of 400", "23/400", "23 / 400", "23 out of 400", "23 of the 400"),
    ("third", "3rd"),
    ("twenty-first", "21st"),
    ("3x", "three times", "3-fold", "threefold", "3×"),
    ("$3.5 million", "3.5 million dollars", "$3,500,000", "3500000 USD"),
    ("14:30", "2:30 pm", "2:30 p.m."),
    ("two dozen", "24", "twenty-four"),
    ("a hundred", "100", "one hundred"),
    ("two hundred and fifty thousand", "250k", "250,000"),
    ("€40", "40 euros", "EUR 40"),
    ("Python 3.11", "python3.11", "python==3.11"),
    ("v1.2.0", "version 1.2.0", "1.2.0"),
]
DIFFERENT = [
    ("python 3.10", "python 3.1"),
    ("45 s", "45 minutes"),
    ("45 s", "45 ms"),
    ("45 s", "45"),
    ("45", "450"),
    ("12 %", "12"),
    ("23 of 400", "23 of 40"),
    ("29 March 2024", "29 March 2023"),
    ("29 March", "2024"),
    ("March 2024", "April 2024"),
    ("3rd", "3"),
    ("$5", "€5"),
    ("1.5 GB", "1.5 MB"),
    ("1500 MiB", "1.5 GB"),
    ("14:30", "14:31"),
    ("-5", "5"),
    ("1.2.0", "1.2.1"),
]
STATED = [
    ("45", "45 seconds"),
    ("45", "a 45-second timeout"),
    ("12", "12 %"),
    ("400", "23 of 400"),
    ("python 3.10", "python 3.10.4"),
    ("python 3.10", "3.10 and 3.11"),
    ("March 29", "2024-03-29"),
    ("29 March 2024", "March 29"),
    ("March 2024", "29 March 2024"),
    ("2024", "29 March 2024"),
    ("10 s", "10-20 s"),
    ("20 s", "between 10 and 20 seconds"),
    ("128k", "131,072"),
    ("18", "node 18"),
    ("node 18", "18"),
    ("2 weeks", "in two weeks' time"),
    ("12:30", "2024-03-29T12:30:15Z"),
]


def one(text):
    (value,) = values_of(text)
    return value


def states(asked, held):
    return all(any(equal(a, h) for h in values_of(held)) for a in values_of(asked))


@pytest.mark.parametrize("spellings", SAME, ids=lambda spellings: spellings[0])
def test_each_spelling_of_a_value_is_the_same_value(spellings):
    for first in spellings:
        for second in spellings:
            assert equal(one(first), one(second)), (first, second)
    assert len({one(spelling) for spelling in spellings}) == 1


@pytest.mark.parametrize(("asked", "held"), DIFFERENT)
def test_different_values_are_not_taken_for_one(asked, held):
    assert not equal(one(asked), one(held))


@pytest.mark.parametrize(("asked", "held"), STATED)
def test_a_fuller_value_states_the_barer_one(asked, held):
    assert states(asked, held)


@pytest.mark.parametrize(
    "text",
    [
        "utf8",
        "src/v2/a3.py",
        "https://host/9/x",
        "4d48e11",
        "one of them",
        "py311",
        "sha256",
        "x_1",
    ],
)
def test_names_have_no_values(text):
    assert values_of(text) == ()


def test_a_list_without_spaces_is_no_thousands_separator():
    assert [value.value for value in values_of("budgets 250,500,1000 or 1,250")] == [
        250,
        500,
        1000,
        1250,
    ]


def test_a_value_says_where_it_stands():
    text = "The limit is 15 rows – after forty-five seconds on 29 March it was 12 %."
    assert [text[slice(*value.span)] for value in values_of(text)] == [
        "15",
        "forty-five seconds",
        "29 March",
        "12 %",
    ]


WORD_OF = {number: word for word, number in WORDS.items()}


@given(st.integers(0, 99))
def test_numbers_in_words_are_the_numbers_in_digits(number):
    tens, units = number - number % 10, number % 10
    word = WORD_OF.get(number) or f"{WORD_OF[tens]}-{WORD_OF[units]}"
    assert one(f"it has {word} rows") == one(f"it has {number} rows")


@given(st.decimals(0, 10**9, places=3))
def test_a_number_is_read_with_and_without_thousands_separators(number):
    assert one(f"{number:,}") == one(f"{number}")
    assert one(f"{number:,}").value == number


UNITS = {
    "second": (1, ["s", "sec", "seconds", "-second"]),
    "minute": (60, ["min", "minutes", "-minute", "mins"]),
    "hour": (3600, ["h", "hours", "-hour", "hrs"]),
    "day": (86400, ["days", "-day", "d"]),
}


@given(st.integers(2, 10**6), st.sampled_from(sorted(UNITS)), st.data())
def test_a_duration_is_the_same_in_each_spelling_and_unit(number, name, data):
    seconds, spellings = UNITS[name]
    unit = data.draw(st.sampled_from(spellings))
    value = one(f"{number}{unit}")
    assert value == one(f"{number:,} {name}s") == one(f"{number * seconds} seconds")
    assert value.value == Decimal(number * seconds)


@given(st.dates())
def test_a_date_is_the_same_in_each_spelling(day):
    if day.year < 1900 or day.year > 2099:
        day = day.replace(year=2024, day=min(day.day, 28))
    month = day.strftime("%B")
    spellings = [
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month[:3]} {day.day} {day.year}",
        day.isoformat(),
        f"{day.day:02}.{day.month:02}.{day.year}",
    ]
    assert {one(spelling).value for spelling in spellings} == {(day.year, day.month, day.day)}
    assert equal(one(f"{month} {day.day}"), one(day.isoformat()))


@given(st.integers(1, 10**6), st.sampled_from("KMGT"))
def test_a_size_is_the_same_in_bytes(number, prefix):
    size = number * 1024 ** ("KMGT".index(prefix) + 1)
    assert equal(one(f"{number} {prefix}iB"), one(f"{size} bytes"))
    assert equal(one(f"{number} {prefix}B"), one(f"{size:,} bytes"))
    assert equal(one(f"{number}{prefix}B"), one(f"{number} {prefix}iB"))


@given(st.text(max_size=200))
def test_any_text_can_be_read_and_spans_are_in_it(text):
    for value in values_of(text):
        start, end = value.span
        assert 0 <= start < end <= len(text)
        assert equal(value, value)


@pytest.mark.parametrize(
    "piece", ["1.", "1,", "a-", "one ", "twenty-", "3 s, ", "1 of ", "1 to ", "/a", "may ", "a.py"]
)
def test_reading_is_linear_in_the_text(piece):
    assert growth(lambda times: values_of(piece * times), 20_000 // len(piece)) < 2.1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two and a half hours", "150 minutes"),
        ("within a fortnight", "14 days"),
        ("May the 3rd", "3 May"),
    ],
)
def test_amounts_in_words_equal_written_ones(one, other):
    said, written = values_of(one), values_of(other)
    assert len(said) == len(written) > 0
    assert all(equal(a, b) for a, b in zip(said, written, strict=True))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("ten to twelve files", ["number", "number"]),
        ("three times a week", ["multiple"]),
        ("18:00:37: hook done", ["time"]),
        ("18:00:37:12", ["number"] * 4),
    ],
)
def test_what_only_looks_like_a_time_is_none(text, kinds):
    assert [value.kind for value in values_of(text)] == kinds


def holds(text, fact):
    held = {key for key, _ in held_values(text)}
    return all(not value.asked.isdisjoint(held) for value in values_of(fact))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a single minor leak", "1 minor leak"),
        ("just a pair of spoons", "two spoons"),
    ],
)
def test_a_count_may_be_a_noun(text, fact):
    assert holds(text, fact)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("of its 40 jurors 31 agree", "40 of 31"),
        ("the 12 eggs cost 3 francs", "3 of 12"),
        ("of the 12 eggs, and of 3 spoons", "3 of 12"),
        ("the single room is free", "1"),
        ("a pair is missing", "2"),
    ],
)
def test_no_share_and_no_count_is_made_up(text, fact):
    assert not holds(text, fact)
