"""The frozen settings of a run, made from the command line and the ini file."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from pytest_compaction.rubric import CRITERIA, Rubric, changes_of

CONTROL: Final = "none"
"""The control, which never compacts. Losses are relative to it; it ignores the budget and never
counts as the best."""

Budget = int | Literal["recorded"]
"""Tokens of a view in place of the budget of a case: a number, or at each compaction point as
many as the view has that is on record there."""

RECORDED: Final = "recorded"

REPORT_SUFFIXES: Final = (".html", ".md", ".json", ".csv")

DEFAULT_CASES: Final = "cases"
SHIPPED: Final = "shipped"
"""Names the cases of the package in place of a path."""
HISTORIES: Final = ("auto", "own", "recorded")
"""Whose answers the log of a dialogue holds in later turns: the arm's own, or those on record."""

Inconclusive = Literal["pass", "fail"]
INCONCLUSIVE: Final = ("pass", "fail")
"""What an undecided run is: a drop beyond the allowed one is not shown, and no rule on facts
decided."""

OverBudget = Literal["fail", "report"]
OVER_BUDGET: Final = ("fail", "report")
"""What becomes of an item whose view is over the budget: it fails, or it is only reported."""


class OptionError(ValueError):
    """An option has an unusable value; the text names the option and the values it takes."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` parts of the cases and dialogues of a run; ``index`` is from 1 to ``count``.

    The id alone decides in which part a case is, so that another case moves none, and every
    process and every machine agrees.
    """

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def holds(self, id: str) -> bool:
        """Whether the case or dialogue with this id is in this part."""
        return shard_of(id, self.count) == self.index


def shard_of(id: str, count: int) -> int:
    """Which of ``count`` parts a case or dialogue is in, from 1 on."""
    digest = hashlib.sha256(id.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") % count + 1


@dataclass(frozen=True, slots=True)
class DialogueSettings:
    """Which dialogues are replayed, and how.

    ``limit`` is the number of dialogues of each task (0: all), ``budget`` a share of the
    history (0 to 1), ``window`` in tokens. A dialogue passes at ``consistency`` (0 to 1).
    """

    tasks: tuple[str, ...] = ()
    limit: int = 0
    history: str = "auto"
    consistency: float = 0.7
    budget: float = 0.5
    window: int = 4096

    def scoring(self) -> dict[str, Any]:
        """The settings on which the scores of a dialogue depend."""
        return {k: v for k, v in asdict(self).items() if k not in {"tasks", "limit"}}


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How model calls are made, kept, replayed and paid for.

    ``export`` is the folder to which missing calls are written instead, empty for none.
    ``max_cost`` is in US dollars (``None``: no limit), ``request_timeout`` in seconds.
    ``judge_prompt_hash`` is the hash of the prompt's text, empty until it is read; it
    stays empty without an endpoint.
    """

    store: str = ".pytest_compaction/store"
    replay: bool = False
    refresh: bool = False
    estimate: bool = False
    export: str = ""
    export_plain: bool = False
    max_cost: float | None = None
    judge_prompt: str = ""
    judge_prompt_hash: str = ""
    request_timeout: float = 120.0
    prices: str = ""
    """A file of prices, empty for list prices alone."""
    proxy: bool = False
    """Whether strategies with clients of their own are pointed to an endpoint that records."""

    def as_json(self) -> dict[str, Any]:
        """The settings as a dictionary, without the prompt's hash, which is part of scoring."""
        names = "judge_prompt store replay refresh estimate max_cost request_timeout".split()
        given = [name for name in ("prices", "proxy") if getattr(self, name)]
        return {name: getattr(self, name) for name in (*names, *given)}


@dataclass(frozen=True, slots=True)
class SnapshotSettings:
    """Whether verdicts are compared with snapshots, and how far they may move (points, 0 to 5)."""

    compare: bool = False
    overall: float = 0.5
    criterion: float = 1.0

    def as_json(self) -> dict[str, Any]:
        return {
            "judge_snapshots": self.compare,
            "judge_tolerance": [self.overall, self.criterion],
        }


@dataclass(frozen=True, slots=True)
class NewlyGone:
    """How many facts may be newly gone: a number, or a share in per cent of those stated before."""

    number: float
    percent: bool = False

    def __str__(self) -> str:
        return f"{self.number:g}{'%' if self.percent else ''}"

    def of(self, stated: int) -> int:
        """The number that is allowed where the baseline states so many facts."""
        return math.floor(stated * self.number / 100 + 1e-9) if self.percent else int(self.number)


@dataclass(frozen=True, slots=True)
class BaselineRules:
    """By how much a run may be worse than its baseline.

    ``max_drop`` is in points (0 to 5); without ``max_newly_gone`` facts are listed and not gated.
    ``inconclusive`` says what an undecided run is where no rule on facts decided.
    """

    max_drop: float = 0.1
    max_newly_gone: NewlyGone | None = None
    inconclusive: Inconclusive = "fail"


@dataclass(frozen=True, slots=True)
class BaselineSettings:
    """What a run is compared with, and the rules. ``path`` is empty for none; ``update`` accepts
    the run instead.
    """

    path: str = ""
    rules: BaselineRules = BaselineRules()
    update: bool = False

    def as_json(self) -> dict[str, Any]:
        if not self.path:
            return {}
        return {
            "baseline": self.path,
            "max_drop": self.rules.max_drop,
            "max_newly_gone": None if (gone := self.rules.max_newly_gone) is None else str(gone),
            "inconclusive": self.rules.inconclusive,
            "baseline_update": self.update,
        }


@dataclass(frozen=True, slots=True)
class LongMemorySettings:
    """How long conversations are read and scored.

    ``truncated`` takes the cut variant of a conversation where there is one. With
    ``published_rounding`` a nugget that is satisfied in part counts as one that is not.
    """

    truncated: bool = False
    published_rounding: bool = False

    def scoring(self) -> dict[str, Any]:
        """The settings on which scores depend; empty for the defaults."""
        return {"published_rounding": True} if self.published_rounding else {}

    def as_json(self) -> dict[str, Any]:
        """The settings as a dictionary; empty for the defaults."""
        return {"truncated_chats": True} if self.truncated else {}


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """What a strategy's model is told, under the name of the strategy.

    ``system`` and ``user`` are the text of the user's ``file`` as it was when the run began, and
    ``digest`` is its hash and that of the instruction; ``replaced`` is the text of the strategy
    itself. Without a file they are that text, and ``digest`` its hash. With a ``date`` the digest
    is of what the words recorded then answered.
    """

    strategy: str
    digest: str
    file: str = ""
    system: str = ""
    user: str = ""
    instruction: str = ""
    replaced: str = ""
    date: str = ""

    def as_json(self) -> dict[str, str]:
        return {name: text for name, text in asdict(self).items() if text}


NAMES_FACTS: Final = "its prompt names"
"""In the warning of a prompt that gives facts of the cases away."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all options, from the command line or else the ini file."""

    compactors: tuple[str, ...]
    cases: tuple[str, ...]
    model: str
    responder: str
    judges: tuple[str, ...]
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
    dialogues: DialogueSettings = DialogueSettings()
    calls: CallSettings = CallSettings()
    snapshots: SnapshotSettings = SnapshotSettings()
    baseline: BaselineSettings = BaselineSettings()
    check: bool = False
    examples: int = 200
    long_memory: LongMemorySettings = LongMemorySettings()
    judgements: int = 1
    budgets: tuple[Budget, ...] = ()
    """In place of the budgets of the cases, sorted; empty: those of the cases."""
    shard: Shard | None = None
    """The part of the cases that runs; ``None`` for all."""
    executor: str = ""
    """The address of the executor that cases run on, empty for this machine. It is in no record,
    because results do not depend on it."""
    rubric_file: str = ""
    """A file that changes the rubric, empty for the default."""
    rubric: Rubric = CRITERIA
    """The criteria, as they are when the file has been read."""
    answers: bool = False
    """Whether rules make answers and judge them, beside what the view states."""
    next_actions: bool = False
    """Whether a model is asked at each point which call of a tool comes next."""
    cycles: int = 0
    """Compactions after which a case is not continued any further; 0 continues none."""
    over_budget: OverBudget = "fail"
    """What becomes of items with a view over the budget. With ``report`` no gate passes either."""
    reports: tuple[str, ...] = ()
    show: int | None = 5
    """Failures of items below the pass score that are printed whole, ``None`` for all. In no
    record."""
    reader: str = "offline"
    """The model that reads views for facts; ``offline`` for rules."""
    prompts: tuple[PromptSettings, ...] = ()
    """What the models of strategies are told, where one is asked or its words are recorded."""
    languages: tuple[str, ...] = ()
    names_model: bool = True
    """Whether a model was named. Where none was, words are recorded, or else rules write."""
    names_encoding: bool = True
    """Whether an encoding was named, or chosen for the model before workers started."""
    counted: str = ""
    """The sentence of the header on the encoding, where a model is asked. In no record."""
    words: tuple[tuple[str, Literal["recorded", "rules"]], ...] = ()
    """Who writes for each strategy that asks a model, in a run of recorded words, and in one for
    which no model was named."""

    @property
    def active(self) -> bool:
        return bool(self.compactors)

    @property
    def arms(self) -> tuple[str, ...]:
        """The strategies to run, in the order given, with the control if it was requested."""
        named = self.compactors
        return (*named, CONTROL) if self.control and CONTROL not in named else named

    @property
    def tells_words(self) -> bool:
        """Whether records and tables say who wrote the summaries."""
        return self.model == RECORDED or bool(self.words)

    @property
    def at_recorded_budget(self) -> bool:
        """Whether views get the tokens of the views on record."""
        return self.budgets == (RECORDED,)

    @property
    def models(self) -> tuple[str, ...]:
        reader = () if self.read_by_rules else (self.reader,)
        return tuple(dict.fromkeys((self.model, self.responder, *self.judges, *reader)))

    @property
    def read_by_rules(self) -> bool:
        return self.reader == "offline"

    def budgets_of(self, compactor: str) -> tuple[Budget | None, ...]:
        """The budgets of a strategy; ``None`` is that of the case.

        The control ignores the budget, so it runs once.
        """
        return (None,) if compactor == CONTROL else self.budgets or (None,)

    def prompt_digest(self, compactor: str) -> str | None:
        """The hash of what the model of a strategy is told; ``None`` where none is asked."""
        found = [each.digest for each in self.prompts if each.strategy == compactor]
        return "+".join(found) or None

    @property
    def with_budgets(self) -> tuple[tuple[str, Budget | None], ...]:
        return tuple((name, budget) for name in self.arms for budget in self.budgets_of(name))

    def scoring(self, budget: Budget | None = None) -> dict[str, Any]:
        """The settings on which scores depend, for the hash in records."""
        digest = self.calls.judge_prompt_hash
        return {
            **({"judge_prompt_hash": digest} if digest else {}),
            **({} if budget is None else {"budget": budget}),
            **({} if self.judgements == 1 else {"judgements": self.judgements}),
            **self.long_memory.scoring(),
            **({"rubric": changes} if (changes := changes_of(self.rubric)) else {}),
            **({"languages": list(self.languages)} if self.languages else {}),
            "model": self.model,
            "responder": self.responder,
            "judges": list(self.judges),
            **({} if self.read_by_rules else {"reader": self.reader}),
            "trigger": self.trigger,
            "pass_score": self.pass_score,
            "encoding": self.encoding,
        }

    def as_json(self) -> dict[str, Any]:
        return {
            **self.scoring(),
            "compactors": list(self.arms),
            "trials": self.trials,
            "judgements": self.judgements,
            "budgets": list(self.budgets),
            "control": self.control,
            **({"answers": True} if self.answers else {}),
            **({"next_actions": True} if self.next_actions else {}),
            **({"cycles": self.cycles} if self.cycles else {}),
            **({"rubric_file": self.rubric_file} if self.rubric_file else {}),
            "thresholds": list(self.thresholds),
            "max_unscored": self.max_unscored,
            "cases": list(self.cases),
            "concurrency": self.concurrency,
            "timeout": self.timeout,
            "runs": self.runs,
            "show": "all" if self.show is None else self.show,
            "over_budget": self.over_budget,
            **({"prompts": [p.as_json() for p in self.prompts]} if self.prompts else {}),
            **({"shard": str(self.shard)} if self.shard else {}),
            **({"reports": list(self.reports)} if self.reports else {}),
            **self.calls.as_json(),
            **self.snapshots.as_json(),
            **self.baseline.as_json(),
            **self.long_memory.as_json(),
            "dialogues": {
                **self.dialogues.scoring(),
                "tasks": list(self.dialogues.tasks),
                "limit": self.dialogues.limit,
            },
        }
