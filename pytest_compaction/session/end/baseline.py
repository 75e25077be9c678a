"""The baseline of a session: found and checked before anything runs, written when all has run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pytest_compaction.case import Case, CaseFileError
from pytest_compaction.gate import BaselineDecision, decide_baseline, rule_text
from pytest_compaction.metrics import by_compactor, compared, is_over_budget, known
from pytest_compaction.records import (
    Baseline,
    BaselineError,
    Record,
    Source,
    accepted_place,
    at_pass_score,
    cases_note,
    check_accepted,
    check_whole,
    differences,
    is_read_alike,
    load_baseline,
    measured_there,
    parse_source,
    read_again,
    read_baseline_file,
    type_of,
    view_file,
    write_accepted,
    write_baseline_file,
)
from pytest_compaction.reports import Line, baseline_lines, wrapped
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import CONTROL, BaselineSettings
from pytest_compaction.text import printable


@dataclass(frozen=True)
class SessionBaseline:
    """The baselines of a run: one for each strategy that has one.

    With ``settings.update`` there may be none yet. ``accepted`` is the file with hash and figures
    of a baseline outside the repository.
    """

    settings: BaselineSettings
    source: Source
    by_strategy: Mapping[str, Baseline]
    notes: tuple[str, ...] = ()
    accepted: Path | None = None

    @property
    def title(self) -> str:
        titles = dict.fromkeys(found.title for found in self.by_strategy.values())
        return ", ".join(titles) or f"{self.source.name} (new)"

    def decide(self, records: Sequence[Record], header: Mapping[str, Any]) -> BaselineDecision:
        """Compare the run; an update accepts it whatever changed, and decides nothing."""
        if self.settings.update:
            return BaselineDecision()
        return decide_baseline(records, self.by_strategy, self.settings.rules, header)

    def rules(self) -> list[str]:
        """The rules that a whole run would decide, for one that was stopped."""
        if self.settings.update:
            return []
        several = len(self.by_strategy) > 1
        return [
            rule_text(
                f"{metric}{f'@{name}' if several else ''}", found, self.settings.rules.max_drop
            )
            for name, found in self.by_strategy.items()
            for metric, figure in known().items()
            if metric in compared() and figure.kind == "score" and figure.mean(found.records)
        ]

    def lines(self, decision: BaselineDecision, file: str) -> Iterator[Line]:
        """What was decided; of a run that is worse, whose ``file`` this is, also the ways on."""
        yield from baseline_lines(decision)
        for note in self.notes:
            yield from wrapped(note, "dim")
        if decision.is_worse:
            compare = f"all changes: pytest-compaction compare {self.settings.path} last"
            accept = f"accept: --compaction-baseline={file}"
            if self.source.is_committed:
                accept = "accept: pytest --compactor=… --compaction-baseline-update"
            yield from (Line(printable(text), "dim") for text in (compare, accept))

    def accept(
        self,
        header: Mapping[str, Any],
        records: Sequence[Record],
        folder: Path,
        uncompacted: Sequence[str] = (),
    ) -> str:
        """Write the run as the baseline, and say so; strategies that did not run stay."""
        probes = [record for record in records if type_of(record) == "probe"]
        groups = by_compactor(probes)
        if len(groups) > 1:
            groups.pop(CONTROL, None)
        path = printable(self.settings.path)
        empty = [name for name, group in groups.items() if not any(map(_is_scored, group))]
        why = "; ".join(uncompacted)
        if not groups:
            why = "no probe was asked"
        elif empty:
            of = f" for {printable(', '.join(empty))}" if len(empty) < len(groups) else ""
            why = f"nothing was scored{of}"
        if why:
            raise BaselineError(f"{why}, so {path} is as it was")
        try:
            write_baseline_file(self.source.path, header, groups, views_in(folder))
            if self.accepted is not None:
                write_accepted(self.accepted, self.source.path)
        except OSError as error:
            raise BaselineError(f"cannot write {path}: {error.strerror or error}") from None
        count = sum(map(len, groups.values()))
        taken = [record for group in groups.values() for record in group]
        unscored = len(taken) - sum(map(_is_scored, taken))
        over = sum(map(is_over_budget, taken))
        without = f", {unscored} without a score" if unscored else ""
        without += f", {over} with a view over budget" if over else ""
        names = printable(", ".join(groups))
        commit = "it" if self.accepted is None else f"{self.accepted.name}, its hash and figures"
        done = f"baseline updated: {path}, {count} items of {names}{without}"
        return f"{done}; review and commit {commit}"


def views_in(folder: Path) -> Callable[[Record], bytes | None]:
    """Finds the view of an item of a run in this folder."""
    return lambda record: view_file(folder, str((record.get("hashes") or {}).get("view")))


def _is_scored(record: Record) -> bool:
    return record["overall"] is not None


def session_baseline(session: BenchmarkSession, root: Path) -> SessionBaseline | None:
    """The baseline that the settings name; ``None`` if they name none, and in a shard."""
    settings = session.settings.baseline
    if not settings.path or session.settings.shard is not None:
        return None
    try:
        source = parse_source(settings.path, root, Path(session.settings.runs))
        accepted = accepted_place(source.path, root) if source.is_committed else None
        if settings.update:
            there = _before_update(source, session)
            return SessionBaseline(settings, source, there, accepted=accepted)
        if accepted is not None and accepted.exists():
            check_accepted(accepted, source.path)
        return _compared(session, settings, source)
    except BaselineError as error:
        raise pytest.UsageError(f"--compaction-baseline={settings.path}: {error}") from None


def _compared(
    session: BenchmarkSession, settings: BaselineSettings, source: Source
) -> SessionBaseline:
    if not source.path.exists():
        raise BaselineError(
            f"there is no such file or folder; accept a run as the baseline with "
            f"--compaction-baseline={source.path.with_suffix('.json').name} "
            "--compaction-baseline-update, or name a run"
        )
    found = baselines_in(source, [spec.text for spec in session.specs])
    header = session.header()
    problems = {
        difference
        for each in found.values()
        for difference in differences(each.header, header, (each.title, "this run"))
    }
    if problems:
        said = "".join(f"\n  - {problem}" for problem in sorted(problems))
        raise BaselineError(
            f"this run cannot be compared with it:{said}\nRun with the same settings and cases, "
            "accept this run with --compaction-baseline-update, or leave the baseline out with "
            "--compaction-baseline=none"
        )
    renew = (
        "accept a run on these cases: pytest --compactor=… --compaction-baseline-update"
        if source.is_committed
        else "measure the baseline again on these cases, with pytest --compactor=…"
    )
    notes = [
        f"{note}; what changed is not compared; {renew}"
        for each in found.values()
        if (note := cases_note(each.header, header, (each.title, "this run")))
    ]
    pass_score = session.settings.pass_score
    judged = {name: at_pass_score(each, pass_score) for name, each in found.items()}
    return SessionBaseline(settings, source, judged, tuple(dict.fromkeys(notes)))


def baselines_in(source: Source, strategies: Sequence[str]) -> dict[str, Baseline]:
    """The baselines of strategies that a source has; raises :class:`BaselineError` for a part."""
    names = _without_control(strategies)
    wanted = names if source.strategy else measured_there(source, names)
    found = {name: load_baseline(source, name) for name in wanted or names[:1]}
    for each in found.values():
        check_whole(each)
    return found


def read_alike(
    baselines: Mapping[str, Baseline], case_of: Callable[[str], Case | None], pass_score: float
) -> tuple[dict[str, Baseline], list[str]]:
    """Baselines with all views read by this version of the reader, and notes on what changed."""
    found, notes = dict(baselines), []
    for name, each in baselines.items():
        if not is_read_alike(each.header):
            found[name], note = read_again(each, case_of, pass_score)
            notes.append(note)
    return found, list(dict.fromkeys(notes))


def read_by_this_reader(baseline: SessionBaseline, session: BenchmarkSession) -> SessionBaseline:
    there = {entry.id for entry in session.case_set.entries}

    def case_of(id: str) -> Case | None:
        try:
            return session.case_set.case(id) if id in there else None
        except CaseFileError:  # its file changed while the run lasted
            return None

    found, notes = read_alike(baseline.by_strategy, case_of, session.settings.pass_score)
    return replace(baseline, by_strategy=found, notes=(*baseline.notes, *notes))


def _without_control(names: Sequence[str]) -> list[str]:
    return [name for name in names if name != CONTROL] or list(names)


def _before_update(source: Source, session: BenchmarkSession) -> dict[str, Baseline]:
    folder = next(folder for folder in source.path.parents if folder.exists())
    place = source.path if source.path.exists() else folder
    writable = folder.is_dir() and os.access(folder, os.W_OK) and os.access(place, os.W_OK)
    if source.path.is_dir() or not writable:
        raise BaselineError("this file cannot be written; name another one")
    if not source.path.exists():
        return {}
    there = read_baseline_file(source.path)
    return {
        name: load_baseline(Source(source.path), name)
        for name in _without_control([spec.text for spec in session.specs])
        if name in there
    }
