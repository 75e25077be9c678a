"""Facts: what the user states once of an undertaking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations import names
from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said, Undertaking


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that can be known of an undertaking.

    ``stated`` and ``changed`` are wordings with ``{value}``; ``asked`` is a question and
    ``wondered`` remarks without an answer, both with ``{it}``. ``noun`` is a word of both that no
    talk of other things has; some wordings have it too, so that words find some facts.
    """

    name: str
    asked: str
    wondered: tuple[str, ...]
    stated: tuple[str, ...]
    changed: tuple[str, ...]
    value: Callable[[Dice], str]
    noun: str


ATTRIBUTES: Final = (
    Attribute(
        "funds",
        "How much money is there for {it}?",
        (
            "How much money is there for {it}? I will ask, people keep wanting to know.",
            "I must find out how much money there is for {it} before anybody orders anything.",
        ),
        (
            "the treasurer released {value} for all of it",
            "they gave us {value} and that is the ceiling",
            "we can draw on {value} from the fund",
            "the money is there, {value} in all",
            "there is money at last, {value} of it",
        ),
        (
            "after the vote the treasurer released {value} in place of the earlier sum",
            "the ceiling was set anew and now stands at {value}",
            "the fund went over it again and we draw on {value} from here on",
            "there is other money now, {value} of it",
            "the money was counted again and comes to {value}",
        ),
        lambda dice: f"{dice.number(1150, 9450, 50):,} euros",
        "money",
    ),
    Attribute(
        "line",
        "Under which phone number do I reach the office for {it}?",
        (
            "Somebody asked under which phone number one reaches the office for {it}.",
            "The office for {it} needs a phone number on the poster, remind me to look it up.",
        ),
        ("they pick up at extension {value}", "the phone number of the office ends in {value}"),
        ("they moved desks and pick up at extension {value} now",),
        lambda dice: str(dice.number(2011, 8987, 7)),
        "phone",
    ),
    Attribute(
        "venue",
        "Where do we meet for {it}?",
        (
            "Where do we meet for {it}? Three neighbours rang me about that today.",
            "I want a sketch of the way to where we meet for {it}.",
        ),
        (
            "{value} has been opened to us, everybody comes there",
            "we got the keys of {value}",
            "the group gathers in {value}",
            "we meet in {value}, that is settled",
        ),
        (
            "from now on we meet in {value}",
            "the roof leaks, so from now on the group gathers in {value}",
            "the others needed the room and we got the keys of {value} in exchange",
            "we have been moved, and everybody comes to {value}",
        ),
        lambda dice: dice.unlike(lambda: f"{dice.pick(names.PLACES)} in {dice.town()}"),
        "meet",
    ),
    Attribute(
        "lock",
        "How do I get into the store room of {it}?",
        (
            "I stood before the store room of {it} and could not get into it, how silly.",
            "People ask me how to get into the store room of {it}; there should be a rule.",
        ),
        ("the padlock opens with {value}", "one gets into the store room with {value}"),
        ("the padlock was swapped and opens with {value}",),
        lambda dice: str(dice.number(1013, 9973, 11)),
        "store room",
    ),
    Attribute(
        "helpers",
        "How many people help with {it}?",
        (
            "How many people help with {it} is a thing that the mayor wants to hear.",
            "I should count how many people help with {it}, for the thank-you cards.",
        ),
        (
            "{value} have put their names down",
            "the list on the door has {value}",
            "{value} help with it",
        ),
        (
            "some left and some came, so that {value} have put their names down as of today",
            "I counted the list on the door afresh and it has {value}",
            "the list was drawn up anew and has {value}",
            "{value} help with it by now",
        ),
        lambda dice: f"{dice.number(12, 97)} volunteers",
        "help with",
    ),
    Attribute(
        "firm",
        "Which firm delivers for {it}?",
        (
            "Which firm delivers for {it} should be on the form, the clerk said.",
            "There was a letter that asks which firm delivers for {it}.",
        ),
        ("everything comes from {value}", "the firm that delivers is {value}"),
        (
            "they let us down, and everything comes from {value} since then",
            "we changed over and {value} bring it in their own van",
            "the contract ran out, and {value} got the order",
            "the firm that delivers is {value} from this week on",
        ),
        lambda dice: dice.unlike(lambda: " & ".join(dice.rng.sample(names.FIRMS, 2))),
        "firm",
    ),
    Attribute(
        "machine",
        "Which machine did we borrow for {it}?",
        (
            "Somebody wants to know which machine we borrow for {it}.",
            "A machine that one can borrow for {it} needs a manual, I suppose.",
        ),
        ("a {value} stands in the yard for us", "the machine that we borrow is a {value}"),
        ("the first one broke and a {value} stands in the yard for us",),
        lambda dice: f"{dice.pick(names.MACHINES)} {dice.number(110, 980, 10)}",
        "machine",
    ),
    Attribute(
        "policy",
        "Which policy insures us at {it}?",
        (
            "Which policy insures us at {it}? The school will want to see it.",
            "Is there a policy that insures us at {it}, I was asked; I think so.",
        ),
        ("the letter with the cover came, number {value}", "the policy that insures us is {value}"),
        ("the cover was renewed under {value}",),
        lambda dice: f"{dice.number(21, 89)}-{dice.number(3001, 7999, 13)}",
        "policy",
    ),
    Attribute(
        "sponsor",
        "Who is the sponsor of {it}?",
        (
            "Who is the sponsor of {it} must go on the banner, in large letters.",
            "A sponsor of {it} expects a speech; I dread speeches.",
        ),
        ("the {value} puts its logo on our shirts", "our sponsor is the {value}"),
        ("the logo on our shirts is that of the {value} now",),
        lambda dice: dice.unlike(lambda: f"{dice.pick(names.BIRDS)} {dice.pick(names.TRADES)}"),
        "sponsor",
    ),
)
BY_NAME: Final = {attribute.name: attribute for attribute in ATTRIBUTES}


@dataclass(frozen=True, slots=True)
class Fact:
    """An attribute of an undertaking with its value, stated once."""

    about: Undertaking
    attribute: Attribute
    value: str
    said: Said


def plan_fact(
    dice: Dice, key: str, about: Undertaking, attribute: Attribute, share: float | None = None
) -> Fact:
    """A fact with a value that nothing else has."""
    value = attribute.value(dice)
    text = dice.pick(attribute.stated).format(value=value)
    at = dice.spread(1)[0] if share is None else share
    return Fact(about, attribute, value, Said(key, at, text, about))
