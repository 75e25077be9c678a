"""A/B of versions of one strategy: figures beside noise, what each took, facts, and the diff."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_compaction.compactors import Spec, UnknownCompactorError, parse_spec
from pytest_compaction.gate import fact_name
from pytest_compaction.metrics import (
    EQUAL_TOKENS,
    FLAWS,
    ArmChanges,
    ArmTotals,
    FactChange,
    arm_changes,
    arm_totals,
    counts_of,
    facts_between_trials,
    interval_method,
    is_null,
    with_other_words,
)
from pytest_compaction.records import Record
from pytest_compaction.reports.changes import MOST_FACTS_OF_A_REPORT, difference_text
from pytest_compaction.reports.lines import counted
from pytest_compaction.reports.table import Cell, Table, escaped, markdown_table, table
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

_LEVEL: Final = 0.05
_NAME: Final = 60
_REASON: Final = 300
_FENCE: Final = re.compile(r"`{3,}")
_DIFF_LINE: Final = 1000
"""The most characters of a line of a prompt that are shown."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version: its name, the records of its probes, and its prompt if that is known."""

    name: str
    records: Sequence[Record]
    prompt: str | None = None


@dataclass(frozen=True)
class AB:
    """Versions of one strategy, each compared with the first one, which is the old one."""

    versions: tuple[Version, ...]

    @cached_property
    def changes(self) -> list[ArmChanges]:
        old, *others = self.versions
        return arm_changes(old.records, [each.records for each in others])

    @cached_property
    def totals(self) -> list[ArmTotals]:
        return [arm_totals(each.records) for each in self.versions]

    def tables(self) -> Iterator[Table]:
        for number, (new, changes) in enumerate(zip(self.versions[1:], self.changes, strict=True)):
            yield self._figures(new, changes, number)
        yield self._taken()

    def facts(self) -> Iterator[tuple[str, Sequence[FactChange]]]:
        """Titles and facts, by name: lost and gained by each new version."""
        for new, changes in zip(self.versions[1:], self.changes, strict=True):
            by = f" by {printable(new.name, _NAME)}" if len(self.versions) > 2 else ""
            found = changes.facts
            for title, facts in (("lost", found.gone), ("gained", found.regained)):
                yield f"Facts {title}{by} ({len(facts)})", facts
            if found.uncertain:
                yield f"Stated before, uncertain now{by} ({len(found.uncertain)})", found.uncertain

    def diffs(self) -> Iterator[tuple[str, str]]:
        """The title and the unified diff of each new prompt, where both are known."""
        old = self.versions[0]
        for new in self.versions[1:]:
            if old.prompt is not None and new.prompt is not None:
                before, now = (
                    [printable(line, _DIFF_LINE) for line in prompt.splitlines()]
                    for prompt in (old.prompt, new.prompt)
                )
                names = printable(old.name, _NAME), printable(new.name, _NAME)
                lines = difflib.unified_diff(before, now, *names, lineterm="")
                yield "Prompts", "\n".join(lines) or "The two prompts are the same text."

    def verdicts(self) -> Iterator[str]:
        for new, changes in zip(self.versions[1:], self.changes, strict=True):
            yield f"{printable(new.name, _NAME)}: {_verdict(changes)}"

    def _figures(self, new: Version, changes: ArmChanges, number: int) -> Table:
        old = self.versions[0]
        rows = []
        for each in changes.figures:
            p = "-" if each.p is None else "<0.001" if each.p < 0.001 else f"{each.p:.3f}"
            noise = "-" if each.noise is None else f"±{each.noise:.2f}"
            both = each.both
            texts = (each.name, f"{both.first:.2f}", f"{both.second:.2f}", difference_text(both))
            counts = (str(both.paired.wins), str(both.paired.losses))
            rows.append([Cell(text) for text in (*texts, noise, p, *counts)])
        heads = ("figure", "old", "new", "difference, paired 95 %", "A/A noise", "p", "up", "down")
        return table(
            f"ab_{number + 1}",
            f"{printable(old.name, _NAME)} → {printable(new.name, _NAME)}",
            [(head, head) for head in heads],
            rows,
            list(self._notes(changes)) if not number else (),
        )

    def _notes(self, changes: ArmChanges) -> Iterator[str]:
        old = self.versions[0]
        cases, units = counts_of(old.records)
        yield (
            "Trials are averaged, and probes are paired by case. Intervals: "
            f"{interval_method(cases, units)}. p: sign flips over cases, after Holm."
        )
        moved = facts_between_trials(old.records)
        if moved is None:
            yield "A/A noise needs two trials of the old version or more: --compaction-trials=3."
        else:
            yield (
                "A/A noise: the standard deviation of this difference between two measurements of "
                "the old version, from its own trials. Between two of its trials "
                f"{counted(round(moved), 'fact')} of {changes.facts.compared} "
                f"{'is' if round(moved) == 1 else 'are'} lost or gained."
            )
        if changes.null is not None:
            yield (
                f"{EQUAL_TOKENS}: how far views are ahead of {changes.null}, a trivial baseline "
                "that had as many tokens as each view."
            )

    def _taken(self) -> Table:
        heads = [
            *("version", "view tokens", "summary tokens", "prompt tokens", "seconds"),
            "US dollars",
            *("compactions", "failed", *FLAWS, "unscored"),
        ]
        rows = []
        for version, each in zip(self.versions, self.totals, strict=True):
            rows.append(
                [
                    Cell(printable(version.name, _NAME)),
                    Cell(None if each.view is None else round(each.view), "count"),
                    Cell(each.summary, "count"),
                    Cell(None if each.prompt is None else round(each.prompt), "count"),
                    Cell("-" if each.seconds is None else f"{each.seconds:,.1f}"),
                    Cell("-" if each.usd is None else f"{each.usd:.4f}"),
                    *(Cell(n, "count") for n in (each.compactions, each.failed)),
                    *(Cell(each.flaws[name], "count") for name in FLAWS),
                    Cell(f"{each.unscored} of {each.items}" if each.unscored else "0"),
                ]
            )
        note = (
            "View tokens: the mean of a view. Prompt tokens: of the text of the prompt itself, a "
            "compaction. The rest are sums over cases and trials. Summaries "
            "can be refused, cut at the limit of tokens, empty, or misformed (none of the "
            "headings that were asked for)."
        )
        why = [
            f"{printable(version.name, _NAME)}: {counted(each.unscored, 'item')} without a score, "
            f"most often because: {printable(each.reason, _REASON)}"
            for version, each in zip(self.versions, self.totals, strict=True)
            if each.unscored
        ]
        return table("ab_taken", "Each version", [(h, h) for h in heads], rows, [note, *why])


def _verdict(changes: ArmChanges) -> str:
    facts = f"{counted(len(changes.facts.gone), 'fact')} lost, {len(changes.facts.regained)} gained"
    if not changes.figures:
        return f"no item has a score in both versions; {facts}"
    overall = changes.figures[0]
    both = overall.both
    said = f"overall {difference_text(both)}"
    if overall.p is None:
        said += ", too few cases for other sessions: decide by the facts"
    elif overall.p <= _LEVEL:
        said += f", {'better' if both.value > 0 else 'worse'} (p {overall.p:.3f})"
    else:
        said += f", not told apart (p {overall.p:.3f})"
    if overall.noise is not None and abs(both.value) <= 2 * overall.noise:
        said += "; the trials of the old version differ by as much"
    return f"{said}; {facts}"


def ab_markdown(found: AB, heading: str = "A/B", level: str = "##") -> Iterator[str]:
    names = [escaped(printable(each.name, _NAME)) for each in found.versions]
    yield f"{level} {escaped(heading)}: {names[0]} → {', '.join(names[1:])}"
    for sentence in found.verdicts():
        yield f"**{escaped(sentence)}.**"
    for each in found.tables():
        title, *rest = markdown_table(each)
        yield f"{level}# {title.removeprefix('## ')}"
        yield from rest
    for title, facts in found.facts():
        if facts:
            lines = [f"- {escaped(fact_name(fact))}" for fact in facts[:MOST_FACTS_OF_A_REPORT]]
            more = len(facts) - len(lines)
            lines += [f"- and {more} more"] if more > 0 else []
            yield f"<details open><summary>{escaped(title)}</summary>"
            yield "\n".join(lines)
            yield "</details>"
        else:
            yield f"{escaped(title)}."
    for title, text in found.diffs():
        fence = "`" * max(3, *(len(mark) + 1 for mark in _FENCE.findall(text)), 3)
        yield f"{level}# {title}"
        yield f"{fence}diff\n{text}\n{fence}"


def versions_of(groups: Mapping[str, Sequence[Record]], header: Mapping[str, Any]) -> Iterator[AB]:
    """The strategies of a run that differ by their parameters alone, the first named one as old.

    ``groups`` are the records by strategy and budget; the control and the nulls are no versions.
    """
    named = list((header.get("settings") or {}).get("compactors") or ())
    prompts = {}
    for each in (header.get("settings") or {}).get("prompts") or ():
        spec = _spec(str(each["strategy"]))
        if spec is not None and each.get("replaced"):  # the text that a file takes the place of
            prompts[_without_prompt(spec)] = str(each["replaced"])
    prompts |= prompts_of(header)
    alike: dict[tuple[str, str], list[Version]] = defaultdict(list)
    apart = with_other_words(groups)
    for name, records in groups.items():
        if name in apart:
            continue
        text = records[0]["compactor"]
        spec = None if text == CONTROL or is_null(text) else _spec(text)
        if spec is not None:
            budget = str(records[0].get("budget"))
            prompt = prompts.get(text, prompts.get(_without_prompt(spec)))
            alike[spec.target, budget].append(Version(name, records, prompt))
    for versions in alike.values():
        if len(versions) > 1:
            rank = {text: number for number, text in enumerate(named)}
            versions.sort(key=lambda v: rank.get(v.records[0]["compactor"], len(rank)))
            yield AB(tuple(versions))


def prompts_of(header: Mapping[str, Any]) -> dict[str, str]:
    """The prompt file of each strategy that has one, system and user text, by its name."""
    found = {}
    for each in (header.get("settings") or {}).get("prompts") or ():
        if each.get("file"):
            system = [str(each["system"]), "---"] if each.get("system") else []
            found[str(each["strategy"])] = "\n".join([*system, str(each.get("user") or "")])
    return found


def _without_prompt(spec: Spec) -> str:
    """The name of a strategy without its prompt and its instruction."""
    if spec.parts:
        return "+".join(map(_without_prompt, spec.parts))
    told = {"prompt", "instruction"}
    rest = sorted(pair for pair in spec.written if pair[0] not in told)
    return " ".join([spec.target, *map("=".join, rest)])


def _spec(text: str) -> Spec | None:
    """A strategy by its text; ``None`` where it cannot be read."""
    try:
        return parse_spec(text)
    except UnknownCompactorError:
        return None
