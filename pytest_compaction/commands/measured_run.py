"""A run that has been measured: the rules it is held to, its baselines, and its decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import Case, CaseFileError, CaseIndex
from pytest_compaction.gate import (
    BaselineDecision,
    Decision,
    Threshold,
    coverage_text,
    planned_in,
    scopes_of,
)
from pytest_compaction.metrics import by_compactor
from pytest_compaction.models import record_command
from pytest_compaction.options import newly_gone, option_of, range_of
from pytest_compaction.records import (
    Baseline,
    BaselineError,
    Record,
    Run,
    accepted_place,
    at_pass_score,
    cases_note,
    check_accepted,
    differences,
    is_read_alike,
    parse_source,
    read_again,
    type_of,
    version_note,
)
from pytest_compaction.reports import Failures, Line, gate_line
from pytest_compaction.session.end.baseline import baselines_in, read_alike, views_in
from pytest_compaction.session.named_files import case_places, find_named
from pytest_compaction.settings import BaselineRules, Budget, OptionError, OverBudget
from pytest_compaction.text import NumberError, printable

_CONSISTENCY: Final = 0.7


@dataclass(frozen=True, slots=True)
class RunRules:
    """What a run is held to. Items pass at ``pass_score`` (0 to 5), dialogues at ``consistency``
    (0 to 1).
    """

    pass_score: float
    consistency: float
    max_unscored: int
    over_budget: OverBudget
    baseline: BaselineRules

    def line(
        self,
        decision: Decision,
        failures: Failures,
        records: Sequence[Record],
        against: BaselineDecision,
        header: Mapping[str, Any],
    ) -> Line:
        """The last line of a run with these rules."""
        coverage = coverage_text(records, planned_in(header))
        limits = self.pass_score, self.consistency
        return gate_line(decision, failures, records, *limits, against, coverage)


def settings_of(header: Mapping[str, Any]) -> dict[str, Any]:
    given = header.get("settings")
    return given if isinstance(given, dict) else {}


def rules_of(
    header: Mapping[str, Any], whose: str, given: Mapping[str, Any] | None = None
) -> RunRules:
    """The rules that a run was measured with; those that are ``given`` come first."""
    settings, given = settings_of(header), given or {}

    def chosen(key: str, default: Any) -> tuple[str, Any]:
        """Where a rule stands, and what it says."""
        if given.get(key) is not None:
            return f"--{key.replace('_', '-')}", given[key]
        return f"{whose} {key}", settings.get(key, default)

    def number(key: str) -> Any:
        option = option_of(f"compaction_{key}")
        where, value = chosen(key, option.default)
        try:
            return range_of(option.key).read(value)
        except NumberError as error:
            raise OptionError(f"{where}={error}") from None

    where, limit = chosen("max_newly_gone", None)
    gone = None if limit is None else newly_gone(where, str(limit))
    dialogues = settings.get("dialogues")
    consistency = dialogues.get("consistency") if isinstance(dialogues, dict) else None
    return RunRules(
        number("pass_score"),
        consistency or _CONSISTENCY,
        number("max_unscored"),
        "report" if settings.get("over_budget") == "report" else "fail",
        BaselineRules(number("max_drop"), gone, chosen("inconclusive", "fail")[1]),
    )


def check_words(
    header: Mapping[str, Any],
    thresholds: Sequence[Threshold],
    arms: Sequence[tuple[str, Budget | None]],
    has_baseline: bool,
) -> None:
    """Refuse a strategy of which rules alone would decide, or only some cases, as a run does.

    Raises :class:`OptionError`.
    """
    words = header.get("words")
    words = words if isinstance(words, dict) else {}
    by, missing = (words.get(key) or {} for key in ("strategies", "missing"))
    named = {threshold.scope for threshold in thresholds}
    for arm in arms:
        name = arm[0]
        if not (has_baseline or None in named or named & {*scopes_of([arm])}):
            continue
        if by.get(name) == "rules":
            raise OptionError(
                f"{name}: rules wrote its summaries, which prompts and models do not change, so "
                "nothing is decided on it; run it again with a model (--compaction-model=NAME), "
                "or ask for rules in so many words: --compaction-model=offline"
            )
        if name in missing:
            listed = printable(", ".join(missing[name]), 500)
            raise OptionError(
                f"{name}: no words of some cases are recorded, so nothing is decided on it: "
                f"{listed}; {record_command(name)}, and run again"
            )


def baselines_of(
    named: str, path: Path, found: Run, pass_score: float
) -> tuple[dict[str, Baseline], list[Record], list[str]]:
    """The baseline of each strategy of the run, its records, and notes for the user."""
    source = parse_source(named, Path())
    accepted = accepted_place(source.path, Path()) if source.is_committed else None
    if accepted is not None and accepted.exists():
        check_accepted(accepted, source.path)
    probes = [record for record in found.records if type_of(record) == "probe"]
    baselines = baselines_in(source, list(by_compactor(probes)))
    notes = []
    for each in baselines.values():
        names = (each.title, path.name)
        if problems := differences(each.header, found.header, names):
            listed = "".join(f"\n  {problem}" for problem in problems)
            raise BaselineError(f"{path.name} cannot be compared with {each.title}:{listed}")
        notes.append(cases_note(each.header, found.header, names))
    records = found.records
    if any(version_note(each.header, found.header, ("", "")) for each in baselines.values()):
        case_of = cases_of(found.header)
        baselines, told = read_alike(baselines, case_of, pass_score)
        notes += told
        if not is_read_alike(found.header):
            name, views = path.name, views_in(path.parent)
            whole = Baseline("", name, name, tuple(probes), found.header, view_of=views)
            again, note = read_again(whole, case_of, pass_score)
            others = [record for record in records if type_of(record) != "probe"]
            records = [*again.records, *others]
            notes.append(note)
    judged = {name: at_pass_score(each, pass_score) for name, each in baselines.items()}
    return judged, records, [*dict.fromkeys(filter(None, notes))]


def cases_of(header: Mapping[str, Any]) -> Callable[[str], Case | None]:
    """Finds the cases of a run by their ids, where they still are; ``None`` for any other."""
    named = tuple(map(str, settings_of(header).get("cases") or ()))
    try:
        places = case_places(named, Path(), not named)
        found = find_named(places.paths, Path(), CaseIndex(None), None, False).case_set
    except (OptionError, OSError):
        return lambda _: None
    there = {entry.id for entry in found.entries}

    def case_of(id: str) -> Case | None:
        try:
            return found.case(id) if id in there else None
        except CaseFileError:
            return None

    return case_of
