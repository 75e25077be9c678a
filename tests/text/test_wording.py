"""Facts without keys: files by what happened to them, exact tokens in one clause, and limits."""

import pytest

from pytest_compaction.text import Statement, TextIndex


def outcome(fact, text):
    return TextIndex(text).read(Statement(fact)).outcome


@pytest.mark.parametrize(
    ("fact", "faithful", "wrong"),
    [
        (
            "galley/menu.md was created",
            "Wrote a new file, galley/menu.md, with the week's dishes.",
            "galley/menu.md was only read.",
        ),
        (
            "flight/burn.py was deleted",
            "The old burn script, flight/burn.py, is gone, removed with its tests.",
            "flight/burn.py was modified; flight/coast.py was deleted.",
        ),
        (
            "court/list.csv was renamed to court/roll.csv",
            "court/list.csv is now called court/roll.csv: renamed with git mv.",
            "court/roll.csv was not renamed.",
        ),
    ],
)
def test_a_plain_fact_about_a_file_asks_for_the_path_and_the_change(fact, faithful, wrong):
    assert outcome(fact, faithful) == "stated"
    assert outcome(fact, wrong) != "stated"


def test_a_fact_that_says_more_is_read_by_its_words():
    fact = "galley/menu.md was created for the crew of the second shift"
    assert outcome(fact, "galley/menu.md was created.") != "stated"


def test_the_exact_tokens_of_one_clause_stand_in_one_sentence():
    fact = "oven 4 of the galley bakes at 220 degrees"
    assert outcome(fact, "Oven 4 in the galley bakes at 220 degrees.") == "stated"
    other = "Oven 4 of the galley bakes at few degrees. The grill takes 220 W."
    assert outcome(fact, other) != "stated"


@pytest.mark.parametrize(
    ("faithful", "wrong"),
    [
        (
            "The kitchen's licence is plain: rule 7 is fixed, none of the hours added or changed.",
            "The kitchen's licence is plain: rule 7 is fixed, hours are added, none of it changed.",
        ),
    ],
)
def test_two_denials_of_the_same_words_agree(faithful, wrong):
    fact = "no hours may be added to the licence of the kitchen"
    assert outcome(fact, faithful) == "stated"
    assert outcome(fact, wrong) != "stated"


@pytest.mark.parametrize(
    "text",
    [
        "A hearing may take no more than twelve days.",
        "A hearing takes not more than 12 days.",
        "A hearing must not exceed 12 days.",
        "A hearing never lasts longer than 12 days.",
    ],
)
def test_a_denied_comparison_is_a_limit_and_no_denial(text):
    keys = (("hearing",), ("12 days",))
    read = TextIndex(text).read(Statement("a hearing takes at most 12 days", keys=keys))
    assert read.outcome == "stated"


@pytest.mark.parametrize(
    "text", ["A hearing does not take 12 days.", "A hearing no longer takes 12 days."]
)
def test_a_denied_value_stays_denied(text):
    keys = (("hearing",), ("12 days",))
    read = TextIndex(text).read(Statement("a hearing takes at most 12 days", keys=keys))
    assert read.outcome == "contradicted"


@pytest.mark.parametrize(
    ("fact", "faithful", "wrong"),
    [
        (
            "oven 3 bakes at 240 degrees",
            "Oven 3 bakes at 240 degrees; oven 4 bakes at 180 degrees.",
            "Oven 4 bakes at 240 degrees; oven 3 is cold.",
        ),
        (
            "the north antenna lost 12 frames",
            "The north antenna lost 12 frames; the south antenna none.",
            "The south antenna lost 12 frames; the north antenna is fine.",
        ),
        (
            "the angle is who mended the mast and who paid",
            "The angle is who mended the mast and who paid.",
            "The angle is the captain; who mended the mast and who paid was turned down.",
        ),
        (
            "wipe the ovens for the feast",
            "Open: wiping the ovens for the feast.",
            "Todo list: wiping the ovens for the feast is completed.",
        ),
        (
            "the bailiff has to look over the exhibits",
            "The bailiff still has to look over the exhibits.",
            "The bailiff has already looked over the exhibits and they are fine.",
        ),
        (
            "the seal of the tank is never opened by the crew",
            "The seal of the tank is never opened by the crew.",
            "The seal of the tank may be opened by the crew whenever it leaks.",
        ),
        (
            "prefer to roast with the new pan",
            "The cook prefers to roast with the new pan.",
            "The cook prefers to roast with the grill and does not want the new pan used.",
        ),
        (
            "the oven was closed for 20 minutes",
            "The oven was closed for 20 minutes; the cook was away for 45 minutes.",
            "The cook was away for 20 minutes, and the oven was closed for 45 minutes.",
        ),
        (
            "the load was 280 kg although the limit was 256 kg",
            "The load was 280 kg, the limit was 256 kg.",
            "The limit was 280 kg and the load was 256 kg.",
        ),
        (
            "the rice cooks for 12 minutes",
            "The soup cooks for 20 minutes and the rice for 12 minutes.",
            "The rice cooks for 20 minutes and rests 12 minutes.",
        ),
        (
            "the probe keeps printing time, place and heat",
            "The probe keeps printing time, place and heat.",
            "The probe does not keep time, place and heat but prints the heat only.",
        ),
        (
            "the valve opens before the pump starts",
            "The valve opens before the pump starts, at noon.",
            "The pump starts before the valve opens, at noon.",
        ),
        (
            "the migration runs before the deploy",
            "The deploy runs after the migration.",
            "The deploy runs before the migration.",
        ),
    ],
)
def test_a_wording_is_not_stated_where_it_is_said_of_another_thing(fact, faithful, wrong):
    assert outcome(fact, faithful) == "stated"
    assert outcome(fact, wrong) != "stated"


def test_a_step_is_not_stated_where_its_sentence_says_that_it_is_done():
    step = Statement("summon the second witness before the recess", type="next_step")
    still = "Still open: summon the second witness before the recess."
    assert TextIndex(still).read(step).outcome == "stated"
    done = "The second witness has been summoned before the recess; nothing is left to do."
    assert TextIndex(done).read(step).outcome != "stated"


def test_a_number_between_commas_belongs_to_the_name_before_it():
    fact = "The pilot flew 65 hours on the probe"
    assert outcome(fact, "The pilot , 44 , flew 65 hours on the probe.") == "stated"
    assert outcome(fact, "The pilot , 44 , flew 56 hours on the probe.") != "stated"


def test_what_may_not_be_dropped_is_not_denied():
    fact = "both names of the witness stay"
    text = "Left: a list of which neither of both names of the witness may be dropped, they stay."
    assert outcome(fact, text) == "stated"


def test_a_denial_under_a_condition_is_no_denial_of_the_verb():
    fact = "the tart is dropped if the plums are not delivered"
    assert outcome(fact, "The tart is dropped unless the plums are delivered.") == "stated"
