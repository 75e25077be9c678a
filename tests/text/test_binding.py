"""Whether a passage says of the statement's own things what the statement says of them."""

import pytest

from pytest_compaction.text import Statement, TextIndex


def stated(text, keys, passage):
    groups = tuple(tuple(group.split("|")) for group in keys.split(" + "))
    return TextIndex(passage).read(Statement(text, keys=groups)).outcome == "stated"


OTHER_VALUE = [
    (
        "the stock simmers for 40 minutes",
        "stock + 40 minutes",
        "The roux rests for 15 minutes, the stock simmers for forty minutes.",
        "The roux rests for 40 minutes, the stock simmers for 15 minutes.",
    ),
    (
        "oven 2 stands at 180 degrees",
        "oven 2 + 180",
        "Oven 1 is cold; oven 2 is at 180 degrees.",
        "Oven 1 stands at 180 degrees; oven 2 is cold.",
    ),
    (
        "the burn of stage 2 takes 312 seconds",
        "stage 2 + 312 seconds|312 s",
        "Burns: 140 s in stage 1, 312 s in stage 2.",
        "The burn of stage 1 takes 312 s, the burn of stage 2 takes 140 s.",
    ),
    (
        "exhibit C-14 was found in the cellar",
        "C-14 + cellar",
        "In the cellar they found C-14; C-19 came from the car.",
        "C-19 was found in the cellar; C-14 came from the car.",
    ),
    (
        "the tank holds 74 litres of xenon",
        "xenon + 74",
        "There are 74 litres of xenon in the tank and 12 litres of krypton.",
        "The tank holds 12 litres of xenon, and 74 litres of krypton.",
    ),
]
OTHER_NAME = [
    (
        "Judge Okafor adjourned the hearing",
        "Okafor + adjourned",
        "The hearing was adjourned by Okafor; Lindqvist had been against it.",
        "The hearing was adjourned by Lindqvist; Okafor had been against it.",
    ),
    (
        "telemetry.rs counts the stale frames",
        "telemetry.rs",
        "Stale frames are counted in telemetry.rs; downlink.rs forwards the rest.",
        "Stale frames are counted in downlink.rs; telemetry.rs forwards the rest.",
    ),
    (
        "commit 4fe01bb fixed the star tracker",
        "4fe01bb",
        "The star tracker was fixed by commit 4fe01bb; 90cc2da only moved comments.",
        "The star tracker was fixed by commit 90cc2da; 4fe01bb only moved comments.",
    ),
    (
        "ticket K-88 asks for the spare pump",
        "K-88",
        "K-88 is about the gasket too, and asks for the spare pump.",
        "K-88 is about the gasket; the spare pump is asked for in another ticket.",
    ),
]
OTHER_NOUN = [
    (
        "the left thruster leaks",
        "thruster + leaks",
        "Of the thrusters the left one is bad: it leaks. The right thruster is tight.",
        "The right thruster leaks at full load; the left one is tight.",
    ),
    (
        "the cold kitchen opens at noon",
        "kitchen|cold + noon",
        "At noon the cold kitchen opens; the bakery does so at five.",
        "The warm kitchen opens at noon; the cold one stays closed.",
    ),
    (
        "the sous-chef orders fish on Mondays",
        "chef|sous-chef + fish + order|orders",
        "Fish is ordered by the sous-chef, each Monday.",
        "The manager orders fish on Mondays; the sous-chef takes the delivery.",
    ),
    (
        "the affidavit goes into the sealed annex",
        "affidavit + annex",
        "For the annex: the affidavit goes there, sealed.",
        "The affidavit goes into the public record; the annex is complete without it.",
    ),
]
ROLES = [
    (
        "the lock was released by worker 7",
        "worker 7 + lock",
        "The lock was released by worker 7; worker 3 had only waited for it.",
        "Worker 3 released the lock; worker 7 had only waited for it.",
    ),
]


@pytest.mark.parametrize(
    ("text", "keys", "right", "wrong"), OTHER_VALUE + OTHER_NAME + OTHER_NOUN + ROLES
)
def test_what_is_said_of_another_thing_is_not_stated(text, keys, right, wrong):
    assert stated(text, keys, right)
    assert not stated(text, keys, wrong)


@pytest.mark.parametrize(
    ("text", "keys", "passage"),
    [
        (
            "the lid weighs 3 kg",
            "lid + 3 kg",
            "The lid was weighed against the pan of 5 kg; it weighs 3 kg.",
        ),
        (
            "the court sits at 9",
            "court|sits + 9",
            "The court sat at 10 until May, now it sits at 9.",
        ),
        (
            "valve V3 sticks below -40 degrees",
            "V3 + -40",
            "V3, unlike V4, sticks below -40 degrees; V4 was replaced.",
        ),
        (
            "the witness Arden saw the van",
            "Arden + van",
            "Arden took the stand after Boyle; she saw the van.",
        ),
        ("Nadia makes the sauces", "Nadia + sauces", "Sauces: Nadia; grill: Tomas; pastry: Ines."),
        (
            "the defence called Dr Amara",
            "Amara + defence",
            "The prosecution called two officers; Dr Amara was the witness of the defence.",
        ),
        (
            "the verdict is due on 12 June",
            "verdict + 12 June",
            "Closing speeches are on 4 June, and the verdict falls on the 12th of June.",
        ),
        (
            "the orbit was raised to 512 km",
            "512 km + orbit",
            "After the burn at 480 km, the orbit went up to 512 km; the next aims at 530 km.",
        ),
        (
            "the jury has 9 members",
            "jury + 9",
            "Of the 14 people who were summoned, nine sit on the jury.",
        ),
        (
            "orders.py validates the address",
            "orders.py + address|validate",
            "Validation of the address sits in orders.py now; it was in users.py before.",
        ),
    ],
)
def test_a_thing_named_beside_the_statements_own_does_not_hide_it(text, keys, passage):
    assert stated(text, keys, passage)
