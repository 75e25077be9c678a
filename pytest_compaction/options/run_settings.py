"""The settings of a run, made from all options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import PurePath
from typing import Any, Final

from pytest_compaction.conversation import DEFAULT_ENCODING
from pytest_compaction.options.names import refuse_removed
from pytest_compaction.options.table import OPTIONS, option_of
from pytest_compaction.options.values import NO_GATE, Reader, number, split, value_of
from pytest_compaction.rubric import CRITERIA
from pytest_compaction.settings import (
    RECORDED,
    REPORT_SUFFIXES,
    BaselineRules,
    BaselineSettings,
    Budget,
    CallSettings,
    DialogueSettings,
    LongMemorySettings,
    NewlyGone,
    OptionError,
    Settings,
    Shard,
    SnapshotSettings,
)
from pytest_compaction.text import LanguageError, read_also

MAX_BUDGETS: Final = 6
"""The most budgets of a run: as many as the table of the curve holds in 80 columns."""
_SHARD_DIGITS: Final = 4
_SHARD: Final = re.compile(rf"([0-9]{{1,{_SHARD_DIGITS}}})/([0-9]{{1,{_SHARD_DIGITS}}})")
_NEWLY_GONE: Final = re.compile(
    r"(?P<number>[0-9]{1,9}|[0-9]{1,3}(?:\.[0-9]{1,6})?(?=\s*%))\s*(?P<percent>%)?"
)
_EXCLUDED: Final = (
    (
        "replay",
        "refresh",
        "--compaction-replay makes no call and --compaction-refresh repeats all of them; "
        "give one of the two",
    ),
    *(
        (
            "export",
            other,
            "--compaction-export={export} writes the calls that the store lacks "
            f"and asks nothing; it cannot be given with --compaction-{other}",
        )
        for other in ("replay", "refresh", "estimate")
    ),
    (
        "executor",
        "max_cost",
        "--compaction-max-cost cannot be kept with --compaction-executor: workers elsewhere do "
        "not see what the others spend; leave one of the two out (--compaction-estimate tells "
        "the cost before)",
    ),
    (
        "executor",
        "check",
        "--compaction-check measures no cases, so there is nothing for "
        "--compaction-executor to run; leave one of the two out",
    ),
    (
        "shard",
        "check",
        "--compaction-shard={shard} names a part of the cases, and --compaction-check runs "
        "no case; leave one of the two out",
    ),
    (
        "baseline_update",
        "shard",
        "--compaction-baseline-update takes a whole run, and --compaction-shard measures a "
        "part of one; leave one of the two out",
    ),
)
"""Options that exclude each other, without ``compaction_``, and why."""


def read_settings(config: Reader) -> Settings:
    raw = {option.key.removeprefix("compaction_"): value_of(config, option) for option in OPTIONS}
    if raw["executor"]:
        from pytest_compaction.run import opener_for  # only with the option

        refuse_removed([f"--compaction-executor={raw['executor']}"])
        opener_for(raw["executor"])
    shard = _shard(raw["shard"])
    for path in raw["report"]:
        if PurePath(path).suffix.lower() not in REPORT_SUFFIXES:
            raise OptionError(
                f"--compaction-report={path} names no form of a report; let the name end with one "
                f"of {', '.join(REPORT_SUFFIXES)}"
            )
    for one, other, why in _EXCLUDED:
        if all(raw[name] not in (None, False, "") for name in (one, other)):
            raise OptionError(why.format_map(raw))
    model, judges = raw["model"] or ("offline" if raw["check"] else RECORDED), _split(raw, "judge")
    for name, given in (("model", raw["model"]), ("responder", raw["responder"])):
        refuse_removed([f"--compaction-{name}={given}"])
    refuse_removed(f"--compaction-judge={given}" for given in judges)
    if RECORDED in {raw["responder"], raw["reader"], *judges}:
        raise OptionError(
            "recorded words are summaries: --compaction-model=recorded replays them, and "
            "responder, judge and reader are rules, or models that you name"
        )
    reads = "offline" if model == RECORDED else model
    if raw["model"] == RECORDED and raw["executor"]:
        raise OptionError(
            "recorded words are read on this machine, and --compaction-executor has cases run "
            "elsewhere; leave one of the two out, or use -n N"
        )
    made = raw | {
        "model": model,
        "names_model": bool(raw["model"]),
        "names_encoding": bool(raw["encoding"]),
        "encoding": raw["encoding"] or DEFAULT_ENCODING,
        "compactors": tuple(dict.fromkeys(_hidden(named_compactors(config)))),
        "cases": tuple(raw["cases"]),
        "responder": raw["responder"] or reads,
        "judges": tuple(dict.fromkeys(judges)) or (reads,),
        "long_memory": LongMemorySettings(raw["truncated_chats"], raw["published_rounding"]),
        "budgets": _budgets(_split(raw, "budget")),
        "shard": shard,
        "reader": raw["reader"] or "offline",
        "languages": _languages(_split(raw, "languages")),
        "rubric_file": raw["rubric"],
        "rubric": CRITERIA,
        "thresholds": () if {*raw["threshold"]} == {NO_GATE} else tuple(_hidden(raw["threshold"])),
        "reports": tuple(dict.fromkeys(raw["report"])),
        "baseline": _baseline(raw),
        "show": None if raw["show"] == "all" else number("compaction_show", raw["show"]),
        "calls": _of(CallSettings, raw),
        "snapshots": SnapshotSettings(raw["judge_snapshots"], *_tolerance(raw["judge_tolerance"])),
    }
    tasks = tuple(dict.fromkeys(_split(raw, "tasks")))
    of_dialogues = {"budget": raw["dialogue_budget"], "window": raw["dialogue_window"]}
    dialogues = _of(DialogueSettings, raw | of_dialogues | {"tasks": tasks})
    settings: Settings = _of(Settings, made | {"dialogues": dialogues})
    return settings


def _of(kind: type, values: Mapping[str, Any]) -> Any:
    return kind(**{f.name: values[f.name] for f in fields(kind) if f.name in values})


def named_compactors(config: Reader) -> tuple[str, ...]:
    option = option_of("compactor")
    return tuple(dict.fromkeys(split(value_of(config, option), option.key)))


def newly_gone(flag: str, text: str) -> NewlyGone:
    """Read a limit on newly gone facts: a whole number, or a share in per cent."""
    match = _NEWLY_GONE.fullmatch(str(text).strip())
    if match is None or (match["percent"] and float(match["number"]) > 100):
        from pytest_compaction.text import printable  # only for a mistake

        raise OptionError(
            f"{flag}={printable(str(text), 40)}: expected a whole number of facts, such as 0 or 3, "
            "or a share of those that the baseline states, from 0% to 100%"
        )
    return NewlyGone(float(match["number"]), bool(match["percent"]))


def _split(raw: Mapping[str, Any], name: str) -> list[str]:
    return split(raw[name], f"compaction_{name}")


def _hidden(texts: Iterable[str]) -> Iterable[str]:
    """The texts with stand-ins for secrets, because they stand in names, files and records."""
    texts = list(texts)
    if not any("=" in text for text in texts):
        return texts
    from pytest_compaction.secrets import hide

    return map(hide, texts)


def _languages(codes: Sequence[str]) -> tuple[str, ...]:
    try:
        return read_also(codes)
    except LanguageError as error:
        raise OptionError(f"--compaction-languages: {error}") from None


def _shard(given: str | None) -> Shard | None:
    if given is None:
        return None
    match = _SHARD.fullmatch(given.strip())
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise OptionError(
            f"--compaction-shard={given} is not a shard; write I/N with whole numbers, I from 1 to "
            f"N, such as 2/8 for the second of eight, and N at most {10**_SHARD_DIGITS - 1}"
        )
    return Shard(index, count)


def _budgets(texts: Sequence[str]) -> tuple[Budget, ...]:
    if set(texts) == {RECORDED}:
        return (RECORDED,)
    if RECORDED in texts:
        raise OptionError(
            f"--compaction-budget={','.join(texts)} mixes the budgets on record with others; give "
            f"{RECORDED} alone, or numbers in a run of their own"
        )
    for text in texts:
        if not (text.isdecimal() and len(text) <= 10 and 0 < int(text) <= 10**9):
            raise OptionError(
                f"--compaction-budget={text} is not a budget; write a whole number of tokens from "
                "1 on, several as in 1000,2000,4000, or recorded"
            )
    found = sorted(set(map(int, texts)))
    if len(found) > MAX_BUDGETS:
        raise OptionError(
            f"--compaction-budget names {len(found)} budgets; give at most {MAX_BUDGETS}, such as "
            "1000,2000,4000"
        )
    return tuple(found)


def _baseline(raw: Mapping[str, Any]) -> BaselineSettings:
    given, update = raw["baseline"].strip(), raw["baseline_update"]
    given = "" if given == NO_GATE else given
    if update and not given.lower().endswith(".json"):
        named = (
            f"--compaction-baseline={given} is no file of that kind" if given else "none is named"
        )
        raise OptionError(
            "--compaction-baseline-update writes a .json file to be committed, and "
            f"{named}; name it, such as --compaction-baseline=compaction-baseline.json"
        )
    limit = raw["max_newly_gone"]
    rules = BaselineRules(
        max_drop=raw["max_drop"],
        max_newly_gone=None if limit is None else newly_gone("--compaction-max-newly-gone", limit),
        inconclusive=raw["inconclusive"],
    )
    return BaselineSettings(path=given, rules=rules, update=update)


def _tolerance(given: str) -> list[float]:
    parts = given.split(",")
    try:
        numbers = [number("compaction_judge_tolerance", each) for each in parts]
    except OptionError:
        numbers = []
    if not 1 <= len(numbers) <= 2:
        raise OptionError(
            f"--compaction-judge-tolerance={given}: expected points from 0 to 5, one number for "
            "the overall score or two as in 0.5,1 for the overall score and for a criterion"
        )
    return numbers
