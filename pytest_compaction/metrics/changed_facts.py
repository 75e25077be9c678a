"""Facts that one side's views state and the other's do not, over all trials, by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_compaction.metrics.aggregates import is_stated, outcome_of
from pytest_compaction.metrics.comparisons import fewest_cases
from pytest_compaction.record import Record

ProbeKey = tuple[str, str, str]
"""Case, probe and budget: the key of an item without its trial."""


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that one of two views states; ``kind`` is its class, ``budget`` that of the run."""

    text: str
    case: str
    probe: str
    point: str = ""
    kind: str = ""
    budget: str = ""


@dataclass(frozen=True, slots=True)
class FactChanges:
    """The changes of the facts that two sides have in common.

    A side states a fact in two thirds of its trials at least, and lacks it if one third at most do.
    ``uncertain`` facts are stated less clearly by the second side and not gone. ``not_comparable``
    ones changed, or one side alone asks for them. ``stated`` counts those of the first side,
    ``trials`` the fewest trials of a probe on each.
    """

    gone: tuple[FactChange, ...] = ()
    regained: tuple[FactChange, ...] = ()
    uncertain: tuple[FactChange, ...] = ()
    not_comparable: tuple[FactChange, ...] = ()
    stated: int = 0
    compared: int = 0
    trials: tuple[int, int] = (0, 0)


def fact_changes(first: Sequence[Record], second: Sequence[Record]) -> FactChanges:
    """Compare the facts of the probes of both sides; a record without facts is no trial."""
    before, after = _by_probe(first), _by_probe(second)
    changes: dict[str, list[FactChange]] = defaultdict(list)
    stated = compared = 0
    common = sorted(before.keys() & after.keys())
    for key in common:
        earlier, later = _outcomes(before[key]), _outcomes(after[key])
        example = after[key][-1]
        facts = dict(named_facts(example["facts"]))
        known = dict(named_facts(before[key][-1]["facts"]))
        for name in dict.fromkeys([*facts, *known]):
            mine, other = facts.get(name), known.get(name)
            became = "not_comparable"
            keys = {side["keys"] for side in (mine, other) if side and "keys" in side}
            if mine is not None and other is not None and len(keys) < 2:
                compared += 1
                was, now = earlier[name], later[name]
                stated += _most(was, "stated")
                became = "kept"
                if _most(was, "stated") and _few(now, "stated"):
                    became = "uncertain" if _most(now, "stated", "uncertain") else "gone"
                elif _few(was, "stated") and _most(now, "stated"):
                    became = "regained"
            fact: Mapping[str, Any] = mine or other or {}
            kind = str(fact.get("class") or fact.get("type") or "")
            point = str((example.get("point") or {}).get("id") or "")
            case, probe, budget = key
            changes[became].append(FactChange(name, case, probe, point, kind, budget))
    fewest = [min((len(side[key]) for key in common), default=0) for side in (before, after)]
    return FactChanges(
        gone=tuple(changes["gone"]),
        regained=tuple(changes["regained"]),
        uncertain=tuple(changes["uncertain"]),
        not_comparable=tuple(changes["not_comparable"]),
        stated=stated,
        compared=compared,
        trials=(fewest[0], fewest[1]),
    )


def named_facts(facts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The facts of an item by their text; a second one of the same text has a number."""
    seen: set[str] = set()
    for fact in facts:
        name = text = str(fact["text"])
        number = 1
        while name in seen:
            number += 1
            name = f"{text} ({number})"
        seen.add(name)
        yield name, fact


def probe_key(record: Record) -> ProbeKey:
    budget = record.get("budget")
    return record["case"], record["probe"], "" if budget is None else str(budget)


def _by_probe(records: Iterable[Record]) -> dict[ProbeKey, list[Record]]:
    """The records with facts of each probe, of each trial the last."""
    found: dict[ProbeKey, dict[int, Record]] = {}
    for record in records:
        if record["facts"]:
            found.setdefault(probe_key(record), {})[record["trial"]] = record
    return {key: [trials[number] for number in sorted(trials)] for key, trials in found.items()}


def _outcomes(trials: Sequence[Record]) -> dict[str, list[str]]:
    """How the view of each trial was read, for each fact."""
    found: dict[str, list[str]] = {}
    for record in trials:
        for name, fact in named_facts(record["facts"]):
            outcome = "stated" if is_stated(fact) else outcome_of(fact, "view")
            found.setdefault(name, []).append(outcome)
    return found


def _most(outcomes: Sequence[str], *wanted: str) -> bool:
    return 3 * sum(map(outcomes.count, wanted)) >= 2 * len(outcomes)


def _few(outcomes: Sequence[str], outcome: str) -> bool:
    return 3 * outcomes.count(outcome) <= len(outcomes)


def newly_gone_bound(changes: FactChanges, cases: int) -> int:
    """How many facts another run of the same prompt loses at most, with 95 % probability.

    The facts gone and those regained between two runs over so many ``cases`` are two observations
    of one count, and the bound is the upper prediction limit of a third (Nelson, IEEE Transactions
    on Reliability 19, 1970). Facts of one summary are lost together, so that with six cases or more
    the counts are divided by their dispersion over cases.
    """
    from scipy.special import betainc  # takes long to import

    counts = Counter((fact.case, True) for fact in changes.gone)
    counts.update((fact.case, False) for fact in changes.regained)
    seen, places = counts.total(), 2 * cases
    dispersion = 1.0
    if seen and cases >= fewest_cases():
        mean = seen / places
        spread = sum((count - mean) ** 2 for count in counts.values())
        spread += (places - len(counts)) * mean**2
        dispersion = max(spread / mean / (places - 1), 1.0)
    bound = 0
    while betainc((bound + 1) / dispersion, seen / dispersion + 1, 1 / 3) > 0.05:
        bound += 1
    return bound
