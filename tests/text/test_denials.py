"""What a passage denies, takes back or says of something else with the words of a fact."""

import pytest

from pytest_compaction.text import Statement, TextIndex, sentences

EXAMPLES = [
    # a reason that is denied
    (
        "the sauce split because the butter was cold",
        (("sauce",), ("split",), ("butter",), ("cold",)),
        "The sauce split because the butter was cold.",
        "The sauce split because the pan was hot, not because the butter was cold.",
    ),
    (
        "the fuse caused the blackout",
        (("fuse",), ("blackout",)),
        "The fuse caused the blackout.",
        "The blackout came from the pump; the fuse had nothing to do with it.",
    ),
    (
        "the rain delayed the hearing",
        (("rain",), ("hearing",)),
        "The rain delayed the hearing.",
        "The hearing began late for want of a clerk; the rain played no part.",
    ),
    (
        "the probe turned because of the leak",
        (("probe",), ("leak",)),
        "The probe turned because of the leak.",
        "The probe turned on command, not due to the leak.",
    ),
    (
        "the culprit was the oven door",
        (("culprit", "cause", "missing"), ("oven door",)),
        "The culprit was the oven door.",
        "The cause was the thermostat, not the oven door.",
    ),
    # said only of others
    (
        "the cellar is locked at night",
        (("cellar",), ("locked", "shut")),
        "The cellar is locked at night; only the kitchen stays open.",
        "The cellar stays open at night; only the kitchen is locked.",
    ),
    (
        "witness Dora is off the list",
        (("Dora",), ("off the list", "dropped")),
        "Dora is off the list; the other witnesses stay.",
        "Dora is heard on Monday; the other witnesses are off the list.",
    ),
    (
        "the heater of tank 2 is unsolved",
        (("heater",), ("tank 2",), ("left", "unsolved")),
        "The heater of tank 2 is still unsolved.",
        "The heater of tank 2 is repaired too, so of the list only the valve is left.",
    ),
    (
        "the fish is sold out",
        (("fish",), ("sold out", "gone")),
        "The fish is sold out, the rest is there.",
        "The fish is on the menu; everything else is sold out.",
    ),
    (
        "the camera is switched off",
        (("camera",), ("switched off",)),
        "The camera is switched off; the radio stays on.",
        "The camera goes on running, while the rest is switched off.",
    ),
    # rejected, and something else with its words put in its place
    (
        "a spare probe is sent",
        (("spare probe",), ("sent",)),
        "A spare probe is sent in May.",
        "A spare probe was thought of and turned down; one relay is sent instead.",
    ),
    (
        "garlic is banned in the kitchen",
        (("garlic",), ("ban", "banned")),
        "Garlic is banned in the kitchen.",
        "Banning garlic was considered and rejected; the kitchen keeps it.",
    ),
    (
        "use the copper pan for the sauce",
        (("copper pan",), ("sauce",)),
        "Use the copper pan for the sauce.",
        "Make the sauce in the steel pot and leave the copper pan unused.",
    ),
    (
        "the jury saw the video",
        (("jury",), ("video",)),
        "The jury saw the video on Monday.",
        "The video for the jury was withdrawn; the jury read a letter.",
    ),
    # the way out and the way in
    (
        "the salt goes into the dough",
        (("salt",), ("dough",), ("goes",)),
        "The salt goes into the dough.",
        "The salt goes out of the dough into the topping.",
    ),
    # the verb itself, where a key stands for something beside it
    (
        "the bailiff keeps them",
        (("bailiff",), ("keeps", "lost letters", "letters of the jury")),
        "The bailiff keeps the letters of the jury.",
        "The bailiff does not keep the letters of the jury: the clerk burns them.",
    ),
    (
        "a roast of more than 4 kg is refused by the oven",
        (("4 kg",), ("refused", "limit", "oven")),
        "The oven refuses a roast of more than 4 kg.",
        "The oven is warm; a roast of more than 4 kg is not refused by it.",
    ),
    (
        "crumbs and dust count in the log",
        (("crumbs",), ("dust",), ("log", "count")),
        "Crumbs and dust count in the log.",
        "Crumbs and dust do not count in the log.",
    ),
    # an idea that was rejected in words beside those of the keys
    (
        "who wants a second loaf cleans the oven by hand",
        (("cleans",), ("by hand", "oven")),
        "Who wants a second loaf cleans the oven by hand.",
        "Who wants a second loaf turns the key, which cleans the oven; doing it by hand was "
        "dropped as too slow.",
    ),
    (
        "the robes hang in a room of their own",
        (("robes",), ("room of their own", "loft", "room")),
        "The robes hang in a room of their own.",
        "The robes hang in the court; the idea of a room of their own, the loft, was dropped.",
    ),
    (
        "the antenna is major",
        (("antenna",), ("major",)),
        "The antenna is major.",
        "Making the antenna major was only proposed; it is still listed as minor.",
    ),
    # a part that was not had, and another code
    (
        "the roof leaks since the gutter is cracked",
        (("roof",), ("leaks",)),
        "The roof leaks since the gutter is cracked.",
        "The roof leaks since the frost; the cracked gutter has no share in it.",
    ),
    (
        "rule R-12 refused the witness Adler",
        (("R-12", "refused"), ("Adler",)),
        "The witness Adler was refused by R-12.",
        "The witness Adler was refused by R-17.",
    ),
    # what need not wait
    (
        "nothing is served until the cook has tasted it",
        (("nothing is served", "not served", "no serving"), ("tasted",)),
        "Nothing is served until the cook has tasted it.",
        "Plates are served at once and need not wait until the cook has tasted them.",
    ),
]


@pytest.mark.parametrize(("fact", "keys", "right", "wrong"), EXAMPLES)
def test_what_is_denied_or_said_of_others_is_not_stated(fact, keys, right, wrong):
    statement = Statement(fact, keys=keys)
    assert TextIndex(right).read(statement).outcome == "stated"
    assert TextIndex(wrong).read(statement).outcome in {"uncertain", "contradicted"}


@pytest.mark.parametrize(
    ("fact", "keys", "text"),
    [
        ("204 is a burnt code", (("204",),), "A code once given is not used again: 204 is burnt."),
        (
            "the crust was gone for 9 inches",
            (("9 inches",), ("crust",)),
            "The crust had not been brushed, and 9 inches of it were gone.",
        ),
        (
            "salt ruins the copper",
            (("salt",), ("ruins",)),
            "I thought of salt: rejected, it ruins the copper.",
        ),
        (
            "the prior is 6.0 in all trials",
            (("prior",), ("6.0",), ("trials",)),
            "Prior 6.0 in all trials.",
        ),
        (
            "with vinegar every sauce has to be cooked",
            (("vinegar",), ("cooked", "boiled")),
            "Vinegar was rejected, since every sauce would be cooked with it.",
        ),
        (
            "nobody but the clerk writes into the register",
            (("register",), ("not write", "only the clerk writes")),
            "The register is the clerk's. You do not write into the register.",
        ),
        (
            "the judge rejected the plea",
            (("judge",), ("rejected",), ("plea",)),
            "The plea was turned down by the judge.",
        ),
    ],
)
def test_a_denial_of_something_else_leaves_the_fact_as_it_is(fact, keys, text):
    assert TextIndex(text).read(Statement(fact, keys=keys)).outcome == "stated"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is not true that the report says: the thruster fired at 9.", "contradicted"),
        ("It is false that the thruster was not fired.", "stated"),
        ("It is not true that user: thruster fired, valve not closed.", "contradicted"),
    ],
)
def test_what_is_said_to_be_false_is_turned_round_as_a_whole(text, expected):
    statement = Statement("the thruster fired", keys=(("thruster",), ("fired", "not idle")))
    assert TextIndex(text).read(statement).outcome == expected


def test_a_task_that_is_ticked_off_is_no_open_task():
    task = Statement("Write the closing speech", keys=(("closing speech",),), type="state")
    done = "In the plan for the trial the closing speech is written and marked completed."
    assert TextIndex("In progress: write the closing speech.").read(task).outcome == "stated"
    assert TextIndex(done).read(task).outcome == "uncertain"


def test_a_file_that_existed_before_was_not_created():
    created = Statement("menu.txt was created", keys=(("menu.txt",),), change="created")
    listed = "Files created: `wine.txt` (new); `menu.txt` existed before and got 12 lines."
    assert TextIndex("Created: `menu.txt` (12 lines).").read(created).outcome == "stated"
    assert TextIndex(listed).read(created).outcome == "contradicted"


def test_many_parts_with_semicolons_are_entries_and_few_are_one_passage():
    few, many = "one; two; three.", "one; two; three; four; five."
    assert len({sentence.block for sentence in sentences(few)}) == 1
    assert len({sentence.block for sentence in sentences(many)}) == 5
