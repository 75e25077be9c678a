"""Recorded words in a run: which strategies have them, which cases lack them, who wrote them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from pytest_compaction.case import CaseSet
from pytest_compaction.compactors import without_archive
from pytest_compaction.dialogues import is_dialogue_metric
from pytest_compaction.gate import Threshold, parse_threshold, scopes_of
from pytest_compaction.models import (
    Archive,
    RecordedPrompt,
    RecordedWords,
    archive_for,
    record_command,
)
from pytest_compaction.reports import counted
from pytest_compaction.settings import OptionError, Settings
from pytest_compaction.text import printable

_SHOWN: Final = 5
_BY_RULES: Final = "summaries by rules, which tell nothing of prompts and models"
_CONTINUED: Final = "none are recorded for continued cases"


@dataclass(frozen=True, slots=True)
class RunWords:
    """What is recorded of the cases of a run.

    ``strategies`` are those that ask a model, with who writes for each. ``missing`` are the cases
    of which a strategy has no words, though it has them of others; they are not in its figures.
    ``silent`` are those in which it asks no model, so that it needs none.
    ``why`` is the reason for which rules write, and ``for_dialogues`` says that they write
    summaries of dialogues too.
    """

    recorded: RecordedWords = field(default_factory=RecordedWords)
    strategies: Mapping[str, Literal["recorded", "rules"]] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    silent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cases: int = 0
    why: str = ""
    for_dialogues: bool = False

    @property
    def by_rules(self) -> tuple[str, ...]:
        """The strategies for which rules write, because none of their words are recorded."""
        return tuple(name for name, words in self.strategies.items() if words == "rules")

    @property
    def archives(self) -> list[Archive]:
        read = "recorded" in self.strategies.values()
        return list(dict.fromkeys(self.recorded.archives.values())) if read else []

    def prompts_of(self, name: str) -> list[RecordedPrompt]:
        """The prompts that the words of a strategy answered, by archive."""
        found = (each.manifest.strategies.get(without_archive(name)) for each in self.archives)
        return [prompt for prompt in found if prompt]

    def as_json(self) -> dict[str, Any]:
        if not self.strategies:
            return {}
        named = {"missing": self.missing, "silent": self.silent}
        return {
            "strategies": dict(self.strategies),
            **{
                key: {name: list(ids) for name, ids in found.items() if ids}
                for key, found in named.items()
                if any(found.values())
            },
            "archives": [asdict(archive.manifest) for archive in self.archives],
        }

    def lines(self) -> Iterator[str]:
        for archive in self.archives:
            about = archive.manifest
            yield f"recorded words of {about.dates}: {about.model}; sampling: {about.sampling}"
        for name, words in self.strategies.items():
            if words == "rules":
                record = "" if self.why == _CONTINUED else f"{_record_command(name)}, or "
                yield (
                    f"{name}: words: rules, because {self.why}; they tell "
                    "what its structure keeps and nothing of prompts and models, which have no "
                    f"effect; {record}ask a model: --compaction-model=NAME"
                )
                continue
            without = self.missing.get(name, ())
            text = f"{name}: words: recorded, {self.cases - len(without)} of {self.cases} cases"
            if silent := self.silent.get(name):
                text += f" ({len(silent)} of them ask no model)"
            prompts = dict.fromkeys(f"{p.digest} of {p.date}" for p in self.prompts_of(name))
            text += f", prompt {', '.join(prompts)}" if prompts else ""
            yield text
            if without:
                yield f"{name}: {_without(without)}; {_record_command(name)}"
        if self.for_dialogues:
            yield (
                "dialogues: words: rules, because none are recorded for dialogues; prompts and "
                "models have no effect; ask a model: --compaction-model=NAME"
            )


def _why_none(settings: Settings) -> str:
    if settings.cycles:
        return _CONTINUED
    if settings.executor:
        return "recorded words are read on this machine alone"
    return "none are recorded for these cases"


def _record_command(name: str) -> str:
    return record_command(without_archive(name))


def _without(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    listed = ", ".join(cases[:_SHOWN])
    return f"no words of {counted(len(cases), 'case')}, not in its figures: {listed}{more}"


def found_words(
    settings: Settings,
    cases: CaseSet,
    asking: Mapping[str, bool],
    told: set[str],
    root: Path,
    named: Sequence[Path],
    dialogues: bool,
) -> RunWords:
    """The recorded words of the cases, whose archives are looked for up to ``root`` or ``named``.

    ``asking`` says of each strategy whether it asks a model, and ``told`` are those with a
    prompt or an instruction of a user. Raises :class:`OptionError` for what rules alone would
    decide, and for words that are recorded for fewer trials.
    """
    for_dialogues = dialogues and any(asking.values())
    if dialogues:
        _check_dialogues(settings, asking, bool(cases.entries))
    ruled = {name for name, _, _ in _thresholds(settings)}
    gated = set(settings.arms) if settings.baseline.path else ruled
    if not cases.entries and not (dialogues and told):
        return RunWords(for_dialogues=for_dialogues)
    archives = {}
    why = _why_none(settings)
    if not (settings.cycles or settings.executor) and any(asking.values()):
        archives = {
            entry.id: archive
            for entry in cases.entries
            if (archive := archive_of(cases.file(entry.id), root, named))
        }
    held: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for id, archive in archives.items():
        for row in archive.words:
            if row.case == id and row.role == "summary" and row.trigger == settings.trigger:
                held[row.strategy, id].add((row.trial, row.budget))
    _check_writers(archives)
    strategies: dict[str, Literal["recorded", "rules"]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    able = [name for name, asks in asking.items() if asks]
    silent = {name: _silent(settings, name, cases, archives) for name in able}
    if archives and not any(held.values()):
        why = "none are recorded at this trigger"
    for name in able:
        budgets = [budget for budget in settings.budgets_of(name) if budget is not None]
        there = {
            entry.id: trials
            for entry in cases.entries
            if (trials := _trials(held[without_archive(name), entry.id], budgets))
        }
        known = bool(there or silent[name])
        at_others = any(held[without_archive(name), entry.id] for entry in cases.entries)
        if not known and at_others:
            why = "none are recorded at this budget"
        strategies[name] = "recorded" if known else "rules"
        if there and settings.trials > max(there.values()):
            raise OptionError(
                f"--compaction-trials={settings.trials}: {name} has recorded words of "
                f"{max(there.values())} of these; take --compaction-trials={max(there.values())}, "
                f"{_record_command(name)} --trials={settings.trials}, or ask for rules: "
                "--compaction-model=offline"
            )
        without = [
            e.id
            for e in cases.entries
            if e.id not in silent[name] and there.get(e.id, 0) < settings.trials
        ]
        if known and without:
            missing[name] = tuple(without)
        _check_words(name, known, without, why, name in told, name in gated)
    recorded = RecordedWords(archives, strict=bool(gated))
    count = len(cases.entries)
    return RunWords(recorded, strategies, missing, silent, count, why, for_dialogues)


def _check_writers(archives: Mapping[str, Archive]) -> None:
    """Refuse words of several models in one run."""
    models = sorted({archive.manifest.model for archive in archives.values()})
    if len(models) > 1:
        raise OptionError(
            f"the recorded words of these cases are of {len(models)} models, whose rows share no "
            f"mean: {printable(', '.join(models), 500)}; name the cases of one with "
            "--compaction-cases, or a model that writes for all: --compaction-model=NAME"
        )


def _check_words(
    name: str, known: bool, without: Sequence[str], why: str, told: bool, gated: bool
) -> None:
    """Refuse a strategy of which rules alone would decide, or only some cases."""
    record = _record_command(name)
    if not known and told:
        raise OptionError(
            f"{name}: prompt= and instruction= change what a model is told, and no words are "
            f"recorded for them; {record}, or name a model that can be asked: "
            "--compaction-model=NAME"
        )
    if not known and gated:
        raise OptionError(
            f"{name}: {why.replace('none', 'no words', 1)}, so that a gate would rest on "
            f"{_BY_RULES}; {record}, name a model (--compaction-model=NAME), or ask for rules "
            "in so many words: --compaction-model=offline"
        )
    if without and gated:
        lacks = printable(f"{name} has a rule, and {_without(without)}; ", 2000)
        raise OptionError(f"{lacks}{record}, or name the other cases alone with --compaction-cases")


def _check_dialogues(settings: Settings, asking: Mapping[str, bool], with_cases: bool) -> None:
    if settings.names_model:
        raise OptionError(
            "no words are recorded for dialogues; name a model that can be asked "
            "(--compaction-model=NAME), or rules: --compaction-model=offline"
        )
    for name, text, threshold in _thresholds(settings):
        metric = threshold.metric
        on_dialogues = is_dialogue_metric(metric) or (metric.startswith("pass^") and not with_cases)
        if asking.get(name) and on_dialogues:
            raise OptionError(
                f"{text}: no words of {name} are recorded for dialogues, so that this rule would "
                f"rest on {_BY_RULES}; name a model (--compaction-model=NAME), or ask for rules "
                "in so many words: --compaction-model=offline"
            )


def archive_of(case: Path, root: Path, named: Sequence[Path]) -> Archive | None:
    """The archive nearest to a case file, in its folder or in one above."""
    file = case.resolve()
    folders = (path.resolve() for path in (root, *named))
    return archive_for(file, next((f for f in folders if f in file.parents), file.parent))


def runs_as_cases_say(settings: Settings, strategy: str) -> bool:
    """Whether a strategy compacts at the points of the cases, and to their budgets."""
    return settings.trigger == "case" and settings.budgets_of(strategy) == (None,)


def _silent(
    settings: Settings, strategy: str, cases: CaseSet, archives: Mapping[str, Archive]
) -> tuple[str, ...]:
    """The cases in which a strategy asks no model, as they were when that was noted."""
    if not runs_as_cases_say(settings, strategy):
        return ()
    name = without_archive(strategy)
    noted = {id: archive.manifest.silent.get(name, {}) for id, archive in archives.items()}
    return tuple(c.id for c in cases.entries if noted.get(c.id, {}).get(c.id) == c.digest)


def _trials(held: set[tuple[int, int]], budgets: list[int | Literal["recorded"]]) -> int:
    """How many trials, from the first on, have words at each of the budgets."""
    trial = 0
    while any(number == trial + 1 for number, _ in held) and all(
        budget == "recorded" or (trial + 1, budget) in held for budget in budgets
    ):
        trial += 1
    return trial


def _thresholds(settings: Settings) -> Iterator[tuple[str, str, Threshold]]:
    for name in settings.arms:
        scopes = scopes_of([(name, budget) for budget in settings.budgets_of(name)])
        for text in settings.thresholds:
            threshold = parse_threshold(text)
            if threshold.scope is None or threshold.scope in scopes:
                yield name, text, threshold
