"""What rules answer to questions about a long conversation, from the view alone."""

import pytest

from pytest_compaction.conversation.messages import text_message
from pytest_compaction.models.offline.long_memory.answer import answer_lines
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.sums import listed_items

TOLD = (
    "For the harbour fair, Nora Lund leads the team.",
    "About the harbour fair: a gale tore the flags apart.",
    "I paid 120 euros for the flags of the harbour fair.",
    "About the harbour fair: the budget is 900 euros.",
    "The parade of the harbour fair is set for 3 May.",
    "The auction of the harbour fair is set for 10 May.",
    "Two bakers joined the harbour fair.",
    "The bill for the stage of the harbour fair was 80 euros.",
    "About the harbour fair: the budget is 700 euros now.",
    "The parade of the harbour fair is set for 6 May after all.",
    "I have never played chess.",
    "I played chess for a club in Ribe.",
    "I prefer brass bands to anything else.",
    "Whenever I ask who leads something, also say who the deputy is.",
    "Tom Vale is the deputy at the harbour fair.",
)


def reading(*texts: str) -> Reading:
    return Reading([text_message(f"m{n}", "user", text) for n, text in enumerate(texts)])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much money is there for the harbour fair?", ["700 euros"]),
        ("How much have I spent on the harbour fair altogether?", ["200", "120", "80"]),
        ("How many days lie between the parade and the auction of the harbour fair?", ["4 days"]),
        ("Have I ever played chess?", ["contradictory", "never", "Ribe", "Which"]),
        ("What music should I book?", ["brass bands"]),
        ("Who is in charge of the harbour fair?", ["Nora Lund", "Tom Vale"]),
        ("Please sum up what became of the harbour fair.", ["flags apart", "bakers joined"]),
    ],
)
def test_an_answer_holds_what_a_reader_would_say(question: str, expected: list[str]) -> None:
    text = "\n".join(answer_lines(reading(*TOLD), question))
    assert [part for part in expected if part not in text] == []


def test_events_come_in_the_order_in_which_they_were_told() -> None:
    lines = answer_lines(reading(*TOLD), "In which order did things happen with the harbour fair?")
    assert [line[:2] for line in lines] == ["1.", "2."]
    assert "tore" in lines[0]
    assert "joined" in lines[1]


@pytest.mark.parametrize(
    "question",
    [
        "Who is the sponsor of the harbour fair?",
        "Have I ever sailed alone?",
        "How many days lie between the parade and the fireworks of the harbour fair?",
    ],
)
def test_nothing_is_said_of_what_the_view_does_not_hold(question: str) -> None:
    assert answer_lines(reading(*TOLD), question) == []


def test_an_update_that_the_view_has_lost_is_not_known() -> None:
    lines = answer_lines(reading(*TOLD[:6]), "How much money is there for the harbour fair?")
    assert "900 euros" in "\n".join(lines)


def test_an_exchange_in_which_nothing_is_said_has_its_place():
    lines = answer_lines(
        reading("I bought a kayak in Ribe.", " ", "The stove cost £745."), "Which kayak is mine?"
    )
    assert "Ribe" in "\n".join(lines)
    lines = answer_lines(
        reading(" ", "I bought a kayak.", " ", "The stove cost £745."), "What did the stove cost?"
    )
    assert "£745" in "\n".join(lines)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many weeks lie between the launch and the review?", "6 weeks (42 days)"),
        ("How many days lie between the launch and the review?", "42 days"),
        ("How much did I spend in total on the tiller and the stove?", "Altogether £865"),
    ],
)
def test_an_answer_has_the_unit_that_was_asked_for(question: str, expected: str) -> None:
    told = reading(
        "The launch is on June 22.",
        "I paid £120 for the tiller.",
        "The review is on August 3.",
        "I've ordered the stove for £745.",
    )
    assert expected in answer_lines(told, question)[0]


def test_what_is_liked_less_is_no_part_of_the_advice() -> None:
    told = reading("I much prefer reclaimed oak to buying new.", "The galley needs worktops.")
    text = "\n".join(answer_lines(told, "Which worktops would you suggest for the galley?"))
    assert "reclaimed oak" in text
    assert "buying new" not in text


@pytest.mark.parametrize(
    ("question", "items"),
    [
        (
            "What did I pay for the flags, the stage and the band?",
            "the flags, the stage and the band",
        ),
        ("Is it true? What was spent on tea AND\nsoup in total, please?", "tea AND soup"),
        ("How much went to fairs across Ribe and Esbjerg altogether", "Ribe and Esbjerg"),
        ("What of the flags? And the stage, and the band?", None),
        ("What did I pay for the flags, ?", "the flags, "),
        ("What did I pay for the flags,?", None),
    ],
    ids=["three", "next sentence", "no mark", "of one", "blank", "nothing behind the comma"],
)
def test_a_question_lists_two_items_at_least(question, items):
    assert listed_items(question) == items
