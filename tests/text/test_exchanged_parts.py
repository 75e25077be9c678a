"""What belongs together in a statement, and is exchanged, turned round or of another in a text."""

import pytest

from pytest_compaction.text import Statement, TextIndex


def stated(text, keys, passage):
    groups = tuple(tuple(group.split("|")) for group in keys.split(" + "))
    return TextIndex(passage).read(Statement(text, keys=groups)).outcome == "stated"


PAIRED_VALUES = [
    (
        "the pot was 30 cm from the window",
        "pot|window + 30 cm",
        "It was 12 cm high and stood 30 cm from the window, that pot.",
        "The pot was 30 cm high and stood 12 cm from the window.",
    ),
    (
        "the burn takes 41 s on average when the tank is cold",
        "burn|cold + 41 s",
        "The burn takes 19 s when the tank is warm, and 41 s when it is cold.",
        "The burn takes 41 s on average when the tank is warm, and 19 s when it is cold.",
    ),
    (
        "the county paid 7,000 pounds",
        "7,000 + paid|county",
        "7,000 pounds were paid by the county; the diocese gave the rest.",
        "From the diocese came 7,000 pounds; the county paid the rest.",
    ),
    (
        "the witness in box 2 saw the van",
        "box 2 + van",
        "| box 1 | its witness stayed away | box 2 | its witness saw the van |",
        "| box 1 | the witness saw the van | box 2 kept its witness away that day |",
    ),
    (
        "the answer takes up to 30 working days",
        "answer|reply + 30 working days",
        "Allow 30 working days for the answer; it may have 60 words.",
        "The answer takes up to 60 working days, and it has no more than 30 words.",
    ),
]
OTHER_PLACES = [
    (
        "oven 7 lost its flame in the annex",
        "oven 7 + lost",
        "In the bakery all is well; in the annex oven 7 lost its flame.",
        "In the bakery oven 7 lost its flame and was relit; in the annex it kept its flame.",
    ),
    (
        "motion M-12 asks about the second exhibit",
        "M-12 + motion|asks",
        "M-12 is the motion that asks about the second exhibit; about the seal none was filed.",
        "Motion M-12 asks about the seal of the letter; about the second exhibit none was filed.",
    ),
    (
        "with the spare pump 6 valves were shut",
        "pump + 6 valves",
        "With the spare pump 6 valves were shut; with the main pump none was.",
        "With the main gauge alone 6 valves were shut; with the spare pump none was.",
    ),
    (
        "the ledger was kept by the steward",
        "ledger + kept",
        "The steward lost his key but the ledger was kept by the steward to the end.",
        "The steward resigned in May; as for the books, the ledger was kept by the bursar.",
    ),
    (
        "the shield was missing over 4 panels",
        "shield + 4 panels",
        "By the end of the flight the shield was missing over 4 panels; the paint was intact.",
        "By the end of the flight the paint was missing over 4 panels, while the shield was whole.",
    ),
]
TURNED = [
    (
        "the units move into the title",
        "units + title + move|go",
        "The units go to the title of each table.",
        "The units move out of the title into each cell.",
    ),
]
OTHER_COMPLEMENTS = [
    (
        "the cook salted the soup",
        "cook + soup",
        "The cook salted the soup; the beans stood cold by then.",
        "The cook salted the beans with care; the soup stood cold by then.",
    ),
    (
        "the first witness of the morning is the porter",
        "porter + first",
        "The porter is the first witness of the morning; the maid comes later.",
        "The first witness of the morning is the maid; the porter comes later.",
    ),
    (
        "the seal of the airlock leaks",
        "airlock + leaks",
        "The seal of the airlock leaks; the hatch is tight.",
        "The seal of the hatch leaks badly; for the airlock none was found.",
    ),
    (
        "a pan that is still wet ruins the crust",
        "wet + ruins",
        "A pan that is still wet ruins the crust, whereas a dry one browns it.",
        "A pan that is still wet steams a little, whereas a cold oven ruins the crust.",
    ),
    (
        "the verdict was read by the clerk",
        "verdict + read + clerk",
        "The verdict was read by the clerk, the usher only opened the door.",
        "The verdict was read by the usher, the clerk only opened the door.",
    ),
    (
        "the later trays: crust burnt",
        "later + burnt",
        "The first trays came out pale; the later trays had a crust that was burnt.",
        "The first tray came out with its crust burnt; the later trays with a pale one.",
    ),
]
CLEFTS_AND_LIMITS = [
    (
        "juror 4 asked for the map",
        "juror 4 + map",
        "It was juror 4 who asked for the map; juror 9 kept silent.",
        "Juror 4 kept silent all day; it was juror 9 who asked for the map.",
    ),
    (
        "the blue valve opens in the shadow of the moon",
        "blue valve + shadow",
        "The blue valve opens in the shadow of the moon; it was tested twice.",
        "The blue valve opens only during a burn; in the shadow of the moon all are shut.",
    ),
    (
        "the trial was moved because the judge was ill",
        "trial + moved + judge",
        "The trial was moved because the judge was ill; the strike ended before.",
        "The trial was moved because of the strike; that the judge was ill played no part.",
    ),
    (
        "oven 7 used 310 units",
        "oven 7 + 310",
        "Units: oven 3 with 120, oven 7 with 310; oven 9 stood cold.",
        "Units: oven 3 with 310 units used; oven 7 with 120; oven 9 stood cold.",
    ),
]


@pytest.mark.parametrize(
    ("text", "keys", "right", "wrong"),
    PAIRED_VALUES + OTHER_PLACES + TURNED + OTHER_COMPLEMENTS + CLEFTS_AND_LIMITS,
)
def test_parts_that_are_exchanged_are_not_stated(text, keys, right, wrong):
    assert stated(text, keys, right)
    assert not stated(text, keys, wrong)


@pytest.mark.parametrize(
    ("text", "keys", "passage"),
    [
        (
            "the roast needs 90 minutes",
            "roast + 90 minutes",
            "The roast was planned with 70 minutes; it needs 90 minutes.",
        ),
        (
            "the hearing moved to room 5",
            "hearing + room 5",
            "The hearing was moved; it is in room 5 now, and the jury is in room 3.",
        ),
        (
            "the crew lost 2 kg of water",
            "crew|water + 2 kg",
            "The crew lost 2 kg of its water, and has 40 kg of bread.",
        ),
        (
            "the report comes after the vote",
            "report + after|vote",
            "The vote is held first; after that the report comes.",
        ),
        (
            "the tools are salt, knife and board",
            "salt + knife + board",
            "Tools: board, knife and salt.",
        ),
    ],
)
def test_the_same_parts_in_other_words_are_stated(text, keys, passage):
    assert stated(text, keys, passage)
