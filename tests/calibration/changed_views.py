"""Views whose summary was changed, and how far the score of the benchmark moves by that.

``PYTHONPATH=tests python tests/calibration/changed_views.py`` prints the table.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from calibration.perturbations import (
    INVARIANT,
    REWORDED,
    negated,
    outdated,
    thinned,
    without_next_steps,
)
from support.measuring import all_cases, for_all_workers, offline_settings

from pytest_compaction.case import Case, Origin, Probe
from pytest_compaction.conversation import Message, text_message
from pytest_compaction.metrics import ORIGINS, read, sign_flip_p, view_index, view_scores
from pytest_compaction.rubric import dimension_scores, overall_score
from pytest_compaction.run.response import Arm
from pytest_compaction.session.resolve import resolve_session

Views = Mapping[tuple[str, str], tuple[Case, Probe, tuple[Message, ...]]]
"""The view that each probe is read from, by the ids of case and probe."""
Change = Callable[[Case, tuple[Message, ...]], tuple[Message, ...]]
SEEDS: Final = range(5)


@cache
def views(compactor: str, only: tuple[str, ...] = ()) -> Views:
    """The views of one strategy over the shipped cases, or ``only`` over those with these ids."""
    here = Path(__file__).parent
    session = resolve_session(offline_settings(compactors=(compactor,)), here, here, True, {}, {})
    try:
        return {
            (case.id, probe.id): (case, probe, made.view(probe.point))
            for case in all_cases(session)
            if not only or case.id in only
            for made in [session.engine.compaction(case, Arm(compactor))]
            for probe in case.probes
        }
    finally:
        session.close()


def views_of_origin(compactor: str, origin: Origin) -> Views:
    """The views of one strategy over the shipped cases of one origin."""
    return {key: held for key, held in views(compactor).items() if held[0].origin == origin}


def case_means(of: Views, change: Change | None = None) -> dict[str, float]:
    """The mean score (0 to 5) of each case, read from views that ``change`` made of them."""
    scores: dict[str, list[float]] = {}
    made: dict[tuple[str, int], tuple[Message, ...]] = {}
    for (id, _), (case, probe, view) in sorted(of.items(), key=lambda item: item[0]):
        key = (id, probe.point)
        if key not in made:
            made[key] = change(case, view) if change else view
        readings = read(probe.facts, probe.traps, view_index(made[key]))
        found = view_scores(probe.facts, probe.traps, readings)
        overall = overall_score(dimension_scores({score.id: score.score for score in found}))
        if overall is not None:
            scores.setdefault(id, []).append(overall)
    return {id: math.fsum(each) / len(each) for id, each in scores.items()}


def to_summary(change: Callable[[str], str]) -> Change:
    """Change the messages that a strategy wrote, and leave those of the log alone."""

    def changed(_: Case, view: tuple[Message, ...]) -> tuple[Message, ...]:
        return tuple(
            text_message(message.id, message.role, change(message.text), "synthetic")
            if message.origin == "synthetic" and message.text
            else message
            for message in view
        )

    return changed


def to_stale_values(case: Case, view: tuple[Message, ...]) -> tuple[Message, ...]:
    """Current values of the case replaced by stale ones in the summary."""
    facts = [fact for probe in case.probes for fact in probe.facts]
    return to_summary(lambda text: outdated(text, facts))(case, view)


def without_summary(_: Case, view: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages of the log alone."""
    return tuple(message for message in view if message.origin != "synthetic")


def half_a_tail(_: Case, view: tuple[Message, ...]) -> tuple[Message, ...]:
    """The older half of the messages that were kept word for word left out."""
    kept = [m for m in view if m.origin == "log" and m.role not in {"system", "developer"}]
    gone = {message.id for message in kept[: len(kept) // 2]}
    return tuple(message for message in view if message.id not in gone)


@dataclass(frozen=True)
class Effect:
    """How far a change moves the score: the mean over cases, and its two-sided p."""

    name: str
    mean: float
    p: float


def effect(name: str, before: Mapping[str, float], after: Mapping[str, float]) -> Effect:
    """The paired difference of case means, with p from the exact sign-flip distribution."""
    differences = [after[id] - before[id] for id in sorted(before)]
    return Effect(name, math.fsum(differences) / len(differences), sign_flip_p(differences) or 1.0)


@cache
def invariances(compactor: str, origin: Origin) -> tuple[Effect, ...]:
    """What changes in form do to the score of a strategy in cases of one origin."""
    changes = {name: to_summary(change) for name, change in {**INVARIANT, **REWORDED}.items()}
    return _effects(compactor, origin, "form", changes)


@cache
def sensitivities(compactor: str, origin: Origin) -> tuple[Effect, ...]:
    """What changes in meaning do to the score of a strategy in cases of one origin."""
    changes: dict[str, Change] = {
        "the summary dropped": without_summary,
        "all sentences negated": to_summary(negated),
        "half of the sentences negated": to_summary(lambda text: negated(text, 2)),
        "stale values": to_stale_values,
        "half of the tail dropped": half_a_tail,
        "next steps dropped": to_summary(without_next_steps),
    }
    for seed in SEEDS:
        thin = to_summary(lambda text, s=seed: thinned(text, 0.05, s))
        changes[f"5 % of the sentences dropped, seed {seed}"] = thin
    return _effects(compactor, origin, "meaning", changes)


def _effects(
    compactor: str, origin: Origin, kind: str, changes: Mapping[str, Change]
) -> tuple[Effect, ...]:
    """The effect of each change, measured by one worker for all."""

    def measure() -> list[tuple[str, float, float]]:
        of = views_of_origin(compactor, origin)
        before = case_means(of)
        found = (effect(name, before, case_means(of, make)) for name, make in changes.items())
        return [(each.name, each.mean, each.p) for each in found]

    found = for_all_workers(f"changes of {kind}: {compactor} {origin}", measure)
    return tuple(Effect(*each) for each in found)


def effects_table(compactor: str) -> str:
    """All effects as a Markdown table: a row for each change, the origins of the cases beside."""
    unchanged = (case_means(views_of_origin(compactor, origin)) for origin in ORIGINS)
    means = [math.fsum(found.values()) / len(found) for found in unchanged]
    rows = [
        f"| change | {' | '.join(f'{origin} | p' for origin in ORIGINS)} |",
        f"|---{'|---|---' * len(ORIGINS)}|",
        f"| none: the score, 0 to 5 | {' | '.join(f'{mean:.2f} | ' for mean in means)} |",
    ]
    for measure in (invariances, sensitivities):
        for pair in zip(*(measure(compactor, origin) for origin in ORIGINS), strict=True):
            cells = [f"{each.mean + 0.0:+.3f} | {each.p:.4f}" for each in pair]
            rows.append(f"| {pair[0].name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Print all effects for the strategies that the command line names, by origin of the cases."""
    for compactor in sys.argv[1:] or ["anchored"]:
        print(effects_table(compactor))


if __name__ == "__main__":
    main()
