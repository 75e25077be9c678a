"""Whether the scores of two runs can be compared, from their headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.models import OFFLINE, RECORDED_WORDS
from pytest_compaction.text import printable

SETTINGS: Final[Mapping[str, str]] = {
    "model": "model",
    "responder": "responder",
    "judges": "judge",
    "reader": "reader of views",
    "judgements": "number of judgements",
    "judge_prompt_hash": "prompt of the judge",
    "rubric": "rubric",
    "budgets": "budget",
    "trigger": "trigger",
    "encoding": "encoding for counting tokens (--compaction-encoding)",
}
"""The settings that decide what a score means, and how a sentence calls each."""
_DEFAULTS: Final[Mapping[str, Any]] = {
    "judgements": 1,
    "judge_prompt_hash": "",
    "reader": "",
    "rubric": {},
    "budgets": [],
}
"""Older files and runs without an endpoint do not say these."""
_WHERE_SET: Final = frozenset({"reader", "rubric"})
"""Said only where they are not the default."""
_SHOWN: Final = 5


def compared_settings(header: Mapping[str, Any]) -> dict[str, Any]:
    found = _part(header, "settings")
    compared = {key: found.get(key, _DEFAULTS.get(key)) for key in SETTINGS}
    return {key: value for key, value in compared.items() if value or key not in _WHERE_SET}


def differences(
    first: Mapping[str, Any], second: Mapping[str, Any], names: tuple[str, str]
) -> list[str]:
    """Why the scores of two runs cannot be compared, as sentences; empty if they can.

    The arguments are headers of runs and what to call the two. Cases that changed, or that only
    one has, are no difference: the others are compared. The strategies may differ, and so may the
    pass score, the number of trials, limits and places of files.
    """
    one, other = compared_settings(first), compared_settings(second)
    found = [
        f"the {called} differs: {_written(key, one.get(key))} in {names[0]}, "
        f"{_written(key, other.get(key))} in {names[1]}"
        for key, called in SETTINGS.items()
        if one.get(key) != other.get(key)
        and not (key == "model" and {one.get(key), other.get(key)} == {OFFLINE, RECORDED_WORDS})
    ]
    one_words, other_words = (
        sorted({str(archive["model"]) for archive in _part(run, "words").get("archives") or ()})
        for run in (first, second)
    )
    if one_words != other_words and one_words and other_words:
        told = zip((one_words, other_words), names, strict=True)
        wrote = ", ".join(f"{' and '.join(models)} wrote them in {name}" for models, name in told)
        found.append(printable(f"the words differ: {wrote}", 400))
    # One of two runs may have recorded words for a strategy for which rules write in the other.
    writers, others_write = map(_writers, (first, second))
    found += [
        f"the words of {printable(strategy, 60)} differ: {writers[strategy]} in {names[0]}, "
        f"{others_write[strategy]} in {names[1]}"
        for strategy in sorted(writers.keys() & others_write.keys())
        if writers[strategy] != others_write[strategy]
    ]
    cases, others = _part(first, "cases"), _part(second, "cases")
    if cases and others and not cases.keys() & others.keys():
        found.append(f"{names[0]} and {names[1]} have no case in common")
    return found


def _writers(header: Mapping[str, Any]) -> dict[str, str]:
    """Who wrote the summaries of each strategy: rules for all of a run that names them."""
    settings = _part(header, "settings")
    by_rules = settings.get("compactors") if settings.get("model") == OFFLINE else None
    return dict.fromkeys(by_rules or (), "rules") | (_part(header, "words").get("strategies") or {})


def changed_cases(
    first: Mapping[str, Any], second: Mapping[str, Any], names: tuple[str, str]
) -> str | None:
    """That cases are not the same in two runs, as a sentence."""
    one, other = _part(first, "cases"), _part(second, "cases")
    common = one.keys() & other.keys()
    changed = sorted(printable(case, 60) for case in common if one[case] != other[case])
    if not changed:
        return None
    what = "the case" if len(changed) == 1 else f"{len(changed)} of {len(common)} cases:"
    listed = ", ".join(changed[:_SHOWN])
    listed += f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
    verb = "is" if len(changed) == 1 else "are"
    return f"{what} {listed} {verb} not the same in {names[0]} and {names[1]}"


def cases_note(
    first: Mapping[str, Any], second: Mapping[str, Any], names: tuple[str, str]
) -> str | None:
    """That two runs have different versions of the shipped cases, and which of them changed.

    Runs from before there was a version do not say theirs.
    """
    versions = [_part(header, "versions").get("cases") for header in (first, second)]
    changed = changed_cases(first, second, names)
    if versions[0] == versions[1] or changed is None:
        return None
    said = [f"version {version}" if version else "an earlier version" for version in versions]
    return f"{names[0]} has {said[0]} of the shipped cases and {names[1]} {said[1]}: {changed}"


def version_note(
    first: Mapping[str, Any], second: Mapping[str, Any], names: tuple[str, str]
) -> str | None:
    """That two runs were read by different versions, which may read texts differently."""
    versions = [_part(header, "versions") for header in (first, second)]
    packages = [each.get("pytest-compaction") for each in versions]
    readers = [each.get("reader") or of for each, of in zip(versions, packages, strict=True)]
    if readers[0] == readers[1] or None in readers:
        return None
    said = [f" (pytest-compaction {version})" if version else "" for version in packages]
    return (
        f"{names[0]}{said[0]} and {names[1]}{said[1]} were read by different versions of the "
        "reader, which may read texts differently"
    )


def _part(header: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = header.get(key)
    return found if isinstance(found, Mapping) else {}


def _written(key: str, value: Any) -> str:
    if key == "rubric" and value:
        return f"changed in {', '.join(value)}"
    unset = {
        "judge_prompt_hash": "none",
        "reader": "rules",
        "rubric": "the default",
        "budgets": "those of the cases",
    }
    if not value and key in unset:
        return unset[key]
    if isinstance(value, list):
        return printable(", ".join(map(str, value)), 60) or "none"
    return "not said" if value is None else printable(str(value), 60) or '""'
