"""What tools print is read as it stands: no figure beside a fact takes its place."""

from __future__ import annotations

import pytest

from pytest_compaction.text import Statement, TextIndex

ROWS = [
    (
        "a span of 14 days has a loss of 0.731",
        "14 days + 0.731",
        "span 14 days:  52 members  loss 0.731  hits 9.4",
    ),
    ("the fee of ticket 12 became 43 cents", "ticket 12 + 43", "ticket 12: 0.44 became 43"),
    ("the anvil weighs 240 kg", "anvil + 240", "9 | Forge | anvil, black | 1 | 240 | 0.4"),
    (
        "K41 stands for an unknown unit",
        "K41 + unknown unit",
        '{\n    "K41": "a row names an unknown unit",\n    "K52":\n',
    ),
    (
        "Oda corrected the slope in c7d1a20",
        "c7d1a20 + slope|correct",
        "91ab77c Tore Lie: desk: answer while the desk is closed\n"
        "c7d1a20 Oda Rud: slope: correct the sign of the north side\n",
    ),
]
PROSE = [
    (
        "the title line stays under 50 characters",
        "title line + 50 characters",
        "   1  # Rules\n   2  \n   3  - The title line begins with the area, a colon and a verb,"
        " and\n   4    stays under 50 characters. The body says why.\n",
    ),
    (
        "the ward takes 12 patients a day",
        "ward|take + 12 patients",
        "The ward has three nurses, they can take 12 patients a day.",
    ),
    (
        "every fee is given including tax",
        "fee + including tax",
        "Every fee that you give me or write down is including tax.",
    ),
    (
        "the user tags 2.0 after the bureau has accepted the sheet",
        "tag + 2.0 + accepted",
        "I tag 2.0 when the bureau has accepted the sheet.",
    ),
    (
        "no more than 60 lines of one letter may be printed",
        "60 lines + printed|no more than",
        "No more than 60 lines of one letter may be printed in any case.",
    ),
    (
        "_to_base rounded the sum once",
        "_to_base + sum + once",
        "The cause is _to_base in money.py: it rounds the sum once, while build_page rounds each.",
    ),
]


@pytest.mark.parametrize(("text", "keys", "passage"), ROWS + PROSE)
def test_a_fact_is_found_among_figures_and_names_that_stand_beside_it(text, keys, passage):
    groups = tuple(tuple(group.split("|")) for group in keys.split(" + "))
    reading = TextIndex(passage).read(Statement(text, keys=groups))
    assert reading.outcome == "stated", reading


@pytest.mark.parametrize(("text", "keys", "passage"), PROSE)
def test_a_statement_is_stated_by_its_own_text(text, keys, passage):
    groups = tuple(tuple(group.split("|")) for group in keys.split(" + "))
    assert TextIndex(text).read(Statement(text, keys=groups)).outcome == "stated"


def test_the_number_of_a_line_is_no_value_of_the_text():
    listing = "  26  def run():\n  27      return restored\n  28  \n"
    statement = Statement("27 runs were restored", keys=(("27",), ("restored",)))
    assert TextIndex(listing).read(statement).outcome != "stated"


def test_a_column_of_figures_is_no_numbering():
    table = "7125  0.764\n7126  0.846\n7127  0.755\n"
    statement = Statement("run 7126 has 0.846", keys=(("7126",), ("0.846",)))
    assert TextIndex(table).read(statement).outcome == "stated"
