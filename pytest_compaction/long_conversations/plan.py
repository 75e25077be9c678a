"""The plan of a conversation: months of an invented user, all of it drawn from a seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from pytest_compaction.long_conversations import names
from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.contradicted import (
    Contradiction,
    plan_contradictions,
)
from pytest_compaction.long_conversations.events.dated import Span, plan_span
from pytest_compaction.long_conversations.events.event import Said, Undertaking
from pytest_compaction.long_conversations.events.instructed import Instruction, plan_instructions
from pytest_compaction.long_conversations.events.ordered import Course, plan_course
from pytest_compaction.long_conversations.events.paid import Payments, plan_payments
from pytest_compaction.long_conversations.events.preferred import Preference, plan_preferences
from pytest_compaction.long_conversations.events.stated import (
    ATTRIBUTES,
    BY_NAME,
    Fact,
    plan_fact,
)
from pytest_compaction.long_conversations.events.unmentioned import Absence
from pytest_compaction.long_conversations.events.updated import CHANGEABLE, Update, plan_update

FEWEST: Final = 10
"""Undertakings that the questions need."""
_TOKENS_EACH: Final = 40_000
"""Each so many tokens bring one more undertaking, which no question is about."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens in the months, by family; no two events share a value.

    ``facts`` are asked for, and ``others`` are facts of which no question asks.
    """

    seed: int
    start: date
    months: int
    undertakings: tuple[Undertaking, ...]
    facts: tuple[Fact, ...]
    others: tuple[Fact, ...]
    updates: tuple[Update, ...]
    contradictions: tuple[Contradiction, ...]
    courses: tuple[Course, ...]
    told: tuple[Course, ...]
    spans: tuple[Span, ...]
    payments: tuple[Payments, ...]
    instructions: tuple[Instruction, ...]
    preferences: tuple[Preference, ...]
    absences: tuple[Absence, ...]

    def said(self) -> list[Said]:
        """Everything that the user says of it, in order."""
        return sorted(self._said(), key=lambda said: (said.share, said.key))

    def _said(self) -> Iterator[Said]:
        for fact in (*self.facts, *self.others):
            yield fact.said
        for family in (
            *(self.updates, self.contradictions, self.courses, self.told, self.spans),
            *(self.payments, self.instructions, self.preferences),
        ):
            for event in family:
                yield from event.said


def make_plan(seed: int, tokens: int) -> Plan:
    """The plan of a conversation of so many tokens; the same seed and length give the same."""
    dice = Dice(f"{seed}/{tokens}")
    months = min(3 + tokens // 40_000, 36)
    start = date(dice.rng.randint(2022, 2025), dice.rng.randint(1, 12), dice.rng.randint(1, 28))
    count = min(FEWEST + tokens // _TOKENS_EACH, len(names.KINDS))
    kinds = dice.rng.sample(names.KINDS, count)
    contradictions = plan_contradictions(dice, 2, kinds)
    all = tuple(_undertakings(dice, kinds))
    asked = dice.rng.sample(all[:FEWEST], FEWEST)
    changing = dice.rng.sample(CHANGEABLE, 2)
    updates = tuple(
        plan_update(dice, f"update/{number}", asked[1 + number], BY_NAME[name])
        for number, name in enumerate(changing, start=1)
    )
    single = [each for each in ATTRIBUTES if each.name not in changing]
    wanted = dice.rng.sample(single, 4)
    facts = tuple(
        plan_fact(dice, f"fact/{number}", asked[number // 2], attribute)
        for number, attribute in enumerate(wanted[:3])
    )
    absences = tuple(
        Absence(asked[number], attribute, plan_fact(dice, f"lure/{number}", asked[0], attribute))
        for number, attribute in ((8, wanted[3]), (9, BY_NAME[changing[0]]))
    )
    nowhere = next((each.about for each in absences if each.attribute.name == "venue"), None)
    taken = {(fact.about, fact.attribute.name) for fact in facts}
    taken |= {(update.about, update.attribute.name) for update in updates}
    taken |= {(absence.about, absence.attribute.name) for absence in absences}
    taken |= {(absence.elsewhere.about, absence.attribute.name) for absence in absences}
    return Plan(
        seed=seed,
        start=start,
        months=months,
        undertakings=all,
        facts=facts,
        others=(
            *(absence.elsewhere for absence in absences),
            *_others(dice, all, taken, 1 if tokens < 60_000 else 3),
        ),
        updates=updates,
        contradictions=contradictions,
        courses=tuple(plan_course(dice, f"course/{each}", asked[each]) for each in (0, 5)),
        told=tuple(plan_course(dice, f"told/{each}", asked[each]) for each in (1, 6)),
        spans=tuple(plan_span(dice, f"span/{n}", asked[n], start, months) for n in (2, 4)),
        payments=tuple(plan_payments(dice, f"paid/{each}", asked[each]) for each in (3, 7)),
        instructions=tuple(plan_instructions(dice, (asked[6], asked[7]))),
        preferences=tuple(plan_preferences(dice, (asked[8], asked[4]), nowhere)),
        absences=absences,
    )


def one_of_each(plan: Plan) -> Plan:
    """What one question of each ability needs of a plan, for conversations without room for two."""
    short = replace(
        plan,
        facts=plan.facts[:2],
        others=(plan.absences[0].elsewhere,),
        updates=plan.updates[:1],
        contradictions=plan.contradictions[:1],
        courses=plan.courses[:1],
        told=plan.told[:1],
        spans=plan.spans[:1],
        payments=plan.payments[:1],
        instructions=plan.instructions[:1],
        preferences=plan.preferences[:1],
        absences=plan.absences[:1],
    )
    needed = {short.absences[0].about, *(said.about for said in short.said())}
    return replace(short, undertakings=tuple(each for each in plan.undertakings if each in needed))


def _undertakings(dice: Dice, kinds: Sequence[names.Kind]) -> Iterator[Undertaking]:
    for kind in kinds:
        first, second, third = dice.rng.sample(kind.names, 3)
        people = dice.fresh(names.FRIENDS), dice.fresh(names.FRIENDS)
        yield Undertaking((first, second, third), kind.parts, people)


def _others(
    dice: Dice, all: tuple[Undertaking, ...], taken: set[tuple[Undertaking, str]], each: int
) -> Iterator[Fact]:
    for number, undertaking in enumerate(all):
        free = [a for a in ATTRIBUTES if (undertaking, a.name) not in taken]
        for attribute in dice.rng.sample(free, each):
            yield plan_fact(dice, f"other/{number}/{attribute.name}", undertaking, attribute)
