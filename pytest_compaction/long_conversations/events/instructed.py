"""Instructions: what the user wants of answers from then on, and the facts that they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations import names
from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said, Undertaking


@dataclass(frozen=True, slots=True)
class _Kind:
    rules: tuple[str, ...]
    word: str
    asked: str
    facts: tuple[str, str]


_KINDS: Final = (
    _Kind(
        (
            "Whenever I ask who is in charge of something, also say who the deputy is.",
            "A rule for later: a person in charge is never named alone, add the deputy.",
        ),
        "deputy",
        "Who is in charge of {it}?",
        ("{first} runs it from the front", "{second} stands in when the boss is ill"),
    ),
    _Kind(
        (
            "When I ask who keeps the keys of something, also tell me who has the spare set.",
            "Please remember: keys always come with the spare set, so name both holders.",
        ),
        "spare set",
        "Who keeps the keys of {it}?",
        ("{first} locks up every evening", "a spare set hangs at the house of {second}"),
    ),
    _Kind(
        (
            "If I ask who drives, add who rides along as the second driver.",
            "From here on: tell me the second driver too when I ask for the driver.",
        ),
        "second driver",
        "Who drives for {it}?",
        ("{first} sits at the wheel of the van", "{second} takes over on the way back"),
    ),
)
_WORDS: Final = (
    "Whenever you write to me about {it}, call it Operation {code}.",
    "From now on the name for {it} in your answers is Operation {code}.",
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """A rule for answers, which is said with ``word``.

    ``wanted`` is what an answer that follows it holds, with the keys of what was said of each.
    """

    about: Undertaking
    rule: str
    word: str
    question: str
    wanted: tuple[tuple[str, str], ...]
    said: tuple[Said, ...]


def plan_instructions(dice: Dice, about: tuple[Undertaking, Undertaking]) -> list[Instruction]:
    """A rule that needs another fact, and one that gives a thing a name of its own."""
    first, second = dice.rng.sample(_KINDS, 2)
    return [
        _with_facts(dice, "instruction/1", about[0], first, code=False),
        _with_facts(dice, "instruction/2", about[1], second, code=True),
    ]


def _with_facts(dice: Dice, key: str, about: Undertaking, kind: _Kind, code: bool) -> Instruction:
    people = dice.person(), dice.person()
    shares = dice.spread(3, 0.04, 0.92)
    order = dice.rng.sample(range(3), 3)
    facts = [text.format(first=people[0], second=people[1]) for text in kind.facts]
    rule = dice.pick(kind.rules)
    wanted = [(people[0], f"{key}/2"), (people[1], f"{key}/3")]
    said = [
        Said(f"{key}/1", shares[order[0]], rule),
        Said(f"{key}/2", shares[order[1]], facts[0], about),
        Said(f"{key}/3", shares[order[2]], facts[1], about),
    ]
    if code:
        name = dice.fresh(names.CODES)
        text = dice.pick(_WORDS).format(it=about.names[0], code=name)
        said.append(Said(f"{key}/4", dice.spread(1)[0], text))
        wanted.append((f"Operation {name}", f"{key}/4"))
    question = kind.asked.format(it=about.asked)
    return Instruction(about, rule, kind.word, question, tuple(wanted), tuple(said))
