"""The recorded verdicts of a large language model beside the scores by rules, on the same views."""

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import mean

from support.measuring import parsed
from support.verdict_sheets import ARCHIVE, STRATEGIES, digest_of, measured_session

from pytest_compaction.metrics import (
    cluster_interval,
    jackknife_interval,
    kendall_tau_b,
    weighted_kappa,
)
from pytest_compaction.metrics.intervals import case_key, clustered
from pytest_compaction.models import Archive, RecordedVerdict
from pytest_compaction.records import scored_record
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.session.items.collection import items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.settings import CONTROL


@dataclass(frozen=True)
class Both:
    """One probe by rules, from the view, and by the model, from its answer to the same view."""

    record: dict
    verdict: RecordedVerdict

    @cached_property
    def overall(self):
        """The scores of the item, 0 to 5."""
        return self.record["overall"], mean(self.verdict.dimensions.values())

    def dimension(self, name):
        """Both scores; ``None`` where rules have no facts to read."""
        by_rules = self.record["dimensions"].get(name)
        return None if by_rules is None else (by_rules, float(self.verdict.dimensions[name]))

    @cached_property
    def of_the_same(self):
        """The means over the dimensions that rules score."""
        scored = [both for name in DIMENSIONS if (both := self.dimension(name))]
        return tuple(map(mean, zip(*scored, strict=True)))

    @cached_property
    def facts(self):
        """Of each fact whether it is stated, 1 or 0."""
        return [
            (float(fact["survived"]), float(number in self.verdict.stated))
            for number, fact in enumerate(self.record["facts"], 1)
        ]


REWORDED = {"the list stays grouped by session": "opening a session shows its checkpoints"}
"""Stale claims, as they read now and as they read when the model judged."""


def as_judged(sheet):
    """The sheet with its stale claims as they read when the model judged."""
    probes = (
        replace(p, traps=tuple(replace(t, text=REWORDED.get(t.text, t.text)) for t in p.traps))
        for p in sheet.case.probes
    )
    return replace(sheet, case=replace(sheet.case, probes=tuple(probes)))


def stale(found, archive):
    """Which sheets have other answers or verdicts in the archive than to their requests.

    The requests are today's, but for stale claims that were reworded since.
    """
    held = {}
    for row in archive.words:
        held.setdefault((row.role, row.strategy, row.case), {})[row.probe] = row
    for sheet in found:
        answers = held.get(("answer", sheet.strategy, sheet.case.id), {})
        verdicts = held.get(("verdict", sheet.strategy, sheet.case.id), {})
        asked = {probe.id: key for key, probe in sheet.probes.items()}
        if not answers:
            continue
        if not answers.keys() == verdicts.keys() == asked.keys():
            yield f"{sheet.strategy} on {sheet.case.id} lacks some"
            continue
        texts = {asked[id]: row.words for id, row in answers.items()}
        for rows, request in (
            (answers, sheet.answer_request),
            (verdicts, as_judged(sheet).verdict_request(texts, None)),
        ):
            if {row.digest for row in rows.values()} != {digest_of(request)}:
                yield f"{sheet.strategy} on {sheet.case.id} was asked something else"


def both_sides(session, archive):
    """All probes that are judged, by rules and by the model.

    Rules are not asked to read the control: its views are the logs, which state everything.
    """
    verdicts = {
        (row.strategy, row.case, row.probe): RecordedVerdict.read(row.words)
        for row in archive.words
        if row.role == "verdict" and row.trial == 1
    }
    found = []
    for id, item in items_of(KINDS["probe"], session).items():
        verdict = verdicts.get((item.arm.compactor, item.case.id, item.probe.id))
        if verdict is None:
            continue
        case, probe = parsed(session, item)
        if item.arm.compactor == CONTROL:
            facts = [{"survived": True}] * len(probe.facts)
            named = {"case": case.id, "compactor": CONTROL, "project": case.project}
            record = {**named, "overall": 5.0, "dimensions": {}, "facts": facts}
        else:
            response = session.engine.compaction(case, item.arm).ask(probe)
            judged = session.engine.verdict(response)
            record = scored_record(id, response, judged, session.settings)
        found.append(Both(record, verdict))
    return found


def by_case(both, pairs_of):
    """Pairs of scores by case and project."""
    return clustered((case_key(one.record), pair) for one in both for pair in pairs_of(one) if pair)


def _text(value, interval, form=".2f"):
    within = f" [{interval[0]:{form}}, {interval[1]:{form}}]" if interval else ""
    return "-" if value is None else f"{value:{form}}{within}"


def _of(statistic, pairs):
    """A figure with its interval within -1 and 1."""
    interval = jackknife_interval(pairs, statistic)
    value = statistic([pair for group in pairs.values() for pair in group])
    return _text(value, interval and (max(interval[0], -1.0), min(interval[1], 1.0)))


def _mean(clusters, bounds, form=".2f"):
    """A mean with its interval within bounds."""
    values = [v for group in clusters.values() for v in group]
    found = cluster_interval(clusters)
    within = found and (max(found[0], bounds[0]), min(found[1], bounds[1]))
    return _text(mean(values) if values else None, within, form)


LEVELS = {
    "facts stated": lambda one: one.facts,
    "overall, six dimensions": lambda one: [one.overall],
    "overall, the dimensions with facts": lambda one: [one.of_the_same],
    **{name: lambda one, name=name: [one.dimension(name)] for name in DIMENSIONS},
}
"""What is compared, and its pairs of one probe."""


def agreement_table(both):
    """Agreement on items, dimensions, facts and means of cases, without the control."""
    own = [one for one in both if one.record["compactor"] != CONTROL]
    head = "| compared | pairs | weighted kappa | tau of case means | model minus rules |"
    rows = [head, "|---|---:|---:|---:|---:|"]
    for name, pairs_of in LEVELS.items():
        pairs = by_case(own, pairs_of)
        count = sum(map(len, pairs.values()))
        gap = _mean({case: [b - a for a, b in group] for case, group in pairs.items()}, (-5, 5))
        tau = _of_means(own, pairs_of, kendall_tau_b)
        rows.append(f"| {name} | {count:,} | {_of(weighted_kappa, pairs)} | {tau} | {gap} |")
    overall = _of_means(own, LEVELS["overall, six dimensions"], weighted_kappa)
    return "\n".join(rows) + (
        f"\n\nMeans of a case and strategy: weighted kappa {overall}.\n{_facts_told(own)}"
    )


def _of_means(both, pairs_of, statistic):
    """A figure over the means of each case and strategy."""
    means = clustered(
        (case_key(one.record), ((one.record["compactor"], one.record["case"]), pair))
        for one in both
        for pair in pairs_of(one)
        if pair
    )
    return _of(lambda kept: statistic(_pair_means(kept)), means)


def _pair_means(values):
    """The means of both sides for each case and strategy."""
    groups = clustered(values)
    return [tuple(map(mean, zip(*pairs, strict=True))) for pairs in groups.values()]


def _facts_told(both):
    """How often an answer states what rules find in its view, and what they do not find there."""
    facts = [pair for one in both for pair in one.facts]
    there, gone = ([said for found, said in facts if found == each] for each in (1.0, 0.0))
    return (
        f"Of {len(there):,} facts that rules find in a view the answers state {mean(there):.0%}; "
        f"of {len(gone):,} that they do not find, {mean(gone):.0%}."
        if there and gone
        else ""
    )


def strategy_rows(both):
    """By strategy: cases, facts by rules and by the model, overall by rules and by the model.

    The control is 100% and 5 by rules, because its views are the logs.
    """
    rows = []
    for name in STRATEGIES:
        own = [one for one in both if one.record["compactor"] == name]
        if own:
            cells = []
            for of, most, form in (
                ("facts stated", 1, ".0%"),
                ("overall, six dimensions", 5, ".2f"),
            ):
                pairs = by_case(own, LEVELS[of])
                for side in (0, 1):
                    sides = {case: [pair[side] for pair in each] for case, each in pairs.items()}
                    cells.append(_mean(sides, (0, most), form))
            rows.append((name, len({one.record["case"] for one in own}), *cells))
    return rows


def strategies_table(both):
    """What each strategy keeps, read by rules and by the model."""
    head = "| strategy | cases | facts by rules | by the model | overall by rules | by the model |"
    rows = (
        f"| {' | '.join([f'`{name}`', *map(str, cells)])} |" for name, *cells in strategy_rows(both)
    )
    return "\n".join([head, "|---|---:|---:|---:|---:|---:|", *rows])


def verdicts_block():
    """The measured block of the page: both tables."""
    archive = Archive(ARCHIVE)
    with measured_session() as session:
        both = both_sides(session, archive)
    return f"{agreement_table(both)}\n\n{strategies_table(both)}"
