"""A replayed dialogue: the comparison of both arms, whether it passes, and its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

from pytest_compaction.dialogues.dialogue import RECORD_TYPE, BothArms, Dialogue
from pytest_compaction.dialogues.figures import consistency_of, retention_of, spending_of
from pytest_compaction.dialogues.files import digest
from pytest_compaction.dialogues.history import TurnOverBudget
from pytest_compaction.judges import REPORTED, BelowPassScoreError, OverBudgetError, UnscoredError
from pytest_compaction.models import OwnCalls, PriceTable, Usage
from pytest_compaction.record import merged
from pytest_compaction.records import Record, Status, blank_record, charged, rounded, status_from
from pytest_compaction.settings import Settings
from pytest_compaction.text import printable, told_apart

_REASON_CHARACTERS: Final = 400
History = Literal["own", "recorded"]
"""Which answers an arm reads in later turns: its own, or the recorded ones."""


class BelowConsistencyError(BelowPassScoreError):
    """The two arms do not agree; the text says where they differ most."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A compared dialogue with the steps of its compactions, over all trials.

    ``usage`` is by role, ``judging`` by judge; ``over_budget`` says why over-long views fail it.
    """

    dialogue: Dialogue
    compactor: str
    history: History
    comparison: BothArms
    pass_at: float
    steps: Mapping[str, int] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    own: OwnCalls = OwnCalls()
    judging: tuple[tuple[str, Usage], ...] = ()
    over: tuple[tuple[TurnOverBudget, ...], ...] = ()
    over_budget: str = ""

    @property
    def unscored(self) -> str:
        """Why a trial could not be scored, and how many could not; empty when all were."""
        trials = self.comparison.agreements
        reason = next((agreed.unscored for agreed in trials if agreed.unscored), "")
        if not reason or len(trials) == 1:
            return reason
        return f"{self.comparison.unscored} of {len(trials)} trials: {reason}"

    @property
    def consistency(self) -> float | None:
        return consistency_of(self.comparison)

    @property
    def passed(self) -> bool | None:
        """Whether the consistency reaches ``pass_at`` within the budget; ``None`` when unscored."""
        found = self.consistency
        return None if found is None else found >= self.pass_at and not self.over_budget

    def check(self) -> None:
        if self.consistency is None:
            raise UnscoredError(f"unscored: {self.unscored or 'no trial was scored'}")
        if self.over_budget:
            raise OverBudgetError(self.over_budget)
        if not self.passed:
            raise BelowConsistencyError("\n".join(self.shortfall()))

    def failing_over_budget(self) -> Replayed:
        """The dialogue, which does not pass if a view was over its budget; unscored it stays so."""
        found = [turn for trial in self.over for turn in trial]
        if not found or self.consistency is None:
            return self
        most = max(found, key=lambda turn: turn.view / turn.budget)
        turns = "1 turn has" if len(found) == 1 else f"{len(found)} turns have"
        said = f"{turns} a view over budget: {most.view:,} tokens for {most.budget:,} in turn"
        said += f" {most.turn}"
        overall = f"consistency {self.consistency:.2f} does not count"
        return replace(self, over_budget=f"{said}\n  {overall}\n  {REPORTED}")

    def shortfall(self) -> list[str]:
        """A few lines: the consistency, the turn where the arms agree least, and the tokens."""
        consistency, needed = told_apart(self.consistency or 0.0, self.pass_at)
        lines = [f"consistency {consistency} is below {needed}"]
        if self.dialogue.named and not self.dialogue.id.endswith(self.dialogue.named):
            found = printable(self.dialogue.named, 60)
            lines.append(f"  dialogue {found!r} of {printable(self.dialogue.source, 60)}")
        compared = self.comparison
        trials = zip(compared.agreements, compared.baseline, compared.summary, strict=True)
        agreed, baseline, summary = min(trials, key=lambda trial: trial[0].consistency or 0.0)
        turn = min(range(len(agreed.turns)), key=lambda number: agreed.turns[number])
        lines.append(f"  least in turn {turn + 1} of {len(agreed.turns)}: {agreed.turns[turn]:.2f}")
        for arm, trial in (("full history", baseline), (self.compactor, summary)):
            said = printable(trial.replies[turn].text, 160) or "(empty)"
            lines.append(f"  {printable(arm, 24)}: {said}")
        spent = spending_of(self.comparison)
        lines.append(
            f"  tokens {spent.baseline:,.0f} -> {spent.summary:,.0f} ({spent.savings:.1%} saved)"
        )
        return lines


def replayed_record(
    item: str, replayed: Replayed, settings: Settings, prices: PriceTable | None = None
) -> Record:
    """The record of a replayed dialogue; ``comparison`` holds every reply of every trial."""
    passed = replayed.passed
    comparison = replayed.comparison
    unscored = replayed.consistency is None
    reason = replayed.unscored
    if passed is False:
        reason = replayed.over_budget.partition("\n")[0] or replayed.shortfall()[0]
    spent = spending_of(comparison)
    over = [
        {"trial": trial, **asdict(turn)}
        for trial, turns in enumerate(replayed.over, start=1)
        for turn in turns
    ]
    record: dict[str, Any] = {
        "status": status_from(passed),
        "reason": _one_line(reason),
        "consistency": rounded(replayed.consistency),
        "retention": None if unscored else rounded(retention_of(comparison)),
        "savings": rounded(spent.savings),
        "history": replayed.history,
        "comparison": comparison.as_json(),
        "compaction": {
            "steps": dict(replayed.steps),
            "errors": [_one_line(error) for error in replayed.errors],
            **({"over_budget": over} if over else {}),
        },
        **charged(replayed.usage, replayed.judging, settings, prices, {"compaction": replayed.own}),
    }
    return merged(_blank(item, replayed.dialogue, replayed.compactor, settings), record)


def record_without_comparison(
    item: str, dialogue: Dialogue, compactor: str, status: Status, reason: str, settings: Settings
) -> Record:
    """The record of a dialogue that ended early: ``unscored`` by a model, or in an ``error``."""
    return merged(
        _blank(item, dialogue, compactor, settings),
        {
            "status": status,
            "reason": _one_line(reason),
            **dict.fromkeys(("consistency", "retention", "savings", "history", "comparison")),
            "compaction": {},
            "usage": {},
            "usd": {},
        },
    )


def _blank(item: str, dialogue: Dialogue, compactor: str, settings: Settings) -> Record:
    scoring = {**settings.scoring(), **settings.dialogues.scoring()}
    del scoring["pass_score"]  # a dialogue passes by its consistency
    record = blank_record(
        item=item,
        case=dialogue.id,
        task=dialogue.task,
        probe="",
        kind=RECORD_TYPE,
        compactor=compactor,
        trial=1,
        digest=digest(dialogue),
        scoring=scoring,
    )
    # No words are recorded for dialogues: rules write there.
    if not settings.tells_words and (prompt := settings.prompt_digest(compactor)):
        record["hashes"]["summary_prompt"] = prompt
    own = {"type": RECORD_TYPE, "overall": None, "pass_at": settings.dialogues.consistency}
    return merged(record, own)


def _one_line(text: str) -> str:
    return printable(text, _REASON_CHARACTERS)
