"""Thresholds: how a metric and its bound are written, and which strategies they are for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from pytest_compaction.case import PROBE_KINDS, Origin
from pytest_compaction.dialogues import NAMES, RECORD_TYPE, is_dialogue_metric
from pytest_compaction.metrics import arm_name, known, of_items
from pytest_compaction.settings import RECORDED, Budget
from pytest_compaction.text import Range, printable

_ORIGINS: Final = get_args(Origin)
ANSWERED: Final = ("answers", "unused")
"""Figures of answers: their overall score, and the share of facts that they leave unused."""
_SHARE: Final = Range(0, 1)
_SAVED: Final = dict.fromkeys(("savings", "prompt", "net"), Range(-1, 1))
"""Figures of dialogues that are no shares from 0 to 1: a strategy may add tokens."""
_EXPRESSION: Final = re.compile(
    r"\s*(?P<metric>[a-z_^0-9.]+)\s*(?:@(?P<scope>[^<>=\s][^<>\s]*?)\s*)?"
    r"(?P<sign>>=|<=|>|<)\s*(?P<bound>-?[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(?:(?P<percent>%)\s*)?"
)
_KINDS: Final = {
    "score": "a score and no share",
    "share": "a share",
    "number": "a number and no share",
}
_PASS: Final = re.compile(r"pass\^[1-9][0-9]{0,8}")
_SHOWN: Final = 200
"""Characters of what was given that a sentence repeats."""


class ThresholdError(ValueError):
    """A threshold cannot be read or names what does not exist; the text says what can be."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """``metric sign bound``, for every strategy or only for ``scope``."""

    metric: str
    sign: str
    bound: float
    scope: str | None = None

    @property
    def label(self) -> str:
        return f"{self.metric}@{self.scope}" if self.scope else self.metric

    def __str__(self) -> str:
        return f"{self.label}{self.sign}{self.bound:g}"


def parse_threshold(text: str) -> Threshold:
    """Read ``overall>=3.5``, ``file.artifact>=3``, ``real.pass^1>=90%``, ``kept@anchored>=0.85``.

    Raises :class:`ThresholdError` for a bound that the figure cannot have, and for anything else.
    """
    match = _EXPRESSION.fullmatch(text)
    if not match or not _known(match["metric"]):
        names = [
            "pass^K" if name == "pass^1" else name
            for name, figure in known().items()
            if not (figure.of_session or figure.only)
        ]
        alone = [name for name, figure in known().items() if figure.only == RECORDED]
        raise ThresholdError(
            f"cannot read the threshold {printable(text, _SHOWN)!r}; write METRIC>=NUMBER (or >, "
            f"<=, <), METRIC being {', '.join(names[:-1])} or {names[-1]}, "
            "for one kind as in file.artifact, the "
            f"kinds being {', '.join(PROBE_KINDS)}, for real or scripted cases as in "
            "real.overall, for one strategy as in overall@anchored, of "
            f"{RECORDED} alone, as in {alone[0]}@{RECORDED}<=0.1, {', '.join(alone)}; "
            "for dialogues "
            f"{', '.join(NAMES)} or {RECORD_TYPE}.pass^K"
        )
    bound = float(match["bound"]) / (100 if match["percent"] else 1)
    _check_bound(text, match["metric"], bound, bool(match["percent"]), match["scope"])
    return Threshold(match["metric"], match["sign"], bound, match["scope"])


def check_scopes(
    thresholds: Iterable[Threshold], arms: Sequence[tuple[str, Budget | None]]
) -> None:
    """Raise :class:`ThresholdError` for a strategy that is not among the ``arms`` of a run."""
    names = scopes_of(arms)
    for threshold in thresholds:
        scope = threshold.scope
        if scope is None or scope in names:
            continue
        near = difflib.get_close_matches(scope, names, 1, 0.3)
        hint = f"did you mean {threshold.metric}@{near[0]}? " if near else ""
        raise ThresholdError(
            printable(
                f"the threshold {threshold} names a strategy that is not in the run; {hint}"
                f"the run has {', '.join(names)}"
            )
        )


def check_answers(thresholds: Iterable[Threshold], answers: bool) -> None:
    for threshold in thresholds:
        if not answers and threshold.metric.rpartition(".")[2] in ANSWERED:
            raise ThresholdError(
                f"the threshold {threshold} is on answers, and where rules answer none are made; "
                "add --compaction-answers"
            )


def scopes_of(arms: Iterable[tuple[str, Budget | None]]) -> list[str]:
    """Names for the place after the ``@``: each strategy, and each with its budget, if any."""
    found = (name for strategy, budget in arms for name in (strategy, arm_name(strategy, budget)))
    return list(dict.fromkeys(found))


def _check_bound(text: str, metric: str, bound: float, percent: bool, scope: str | None) -> None:
    """Refuse a figure of another strategy's session, and a bound that is no value of the figure.

    A rule with such a bound would always hold, or never.
    """
    name = metric
    while scoped(name)[0]:
        name = scoped(name)[1]
    figure = known().get(name)
    if figure is not None and figure.of_session:
        raise ThresholdError(
            f"the threshold {printable(text.strip(), _SHOWN)!r} is on a figure of the recorded "
            "session, which went on under another view than that of the strategy, so that no gate "
            "can decide on it; write a threshold on the views, as in needed.survival>=0.8 or "
            "removed>=0.5"
        )
    if figure is not None and figure.only and scope != figure.only:
        raise ThresholdError(
            f"the threshold {printable(text.strip(), _SHOWN)!r} is on a figure of the recorded "
            f"session, which went on under the view of {figure.only}, so that only a gate on that "
            f"strategy can decide on it; write {metric}@{figure.only} and run "
            f"--compactor={figure.only} too"
        )
    range = (figure.threshold or figure.bounds) if figure else _SAVED.get(name, _SHARE)
    is_share = figure is None or figure.kind == "share"
    if bound in range and (is_share or not percent):
        return
    kind = "a share" if figure is None else _KINDS[figure.kind]
    example = f"{metric}>=0.9 or {metric}>=90%" if is_share else f"{metric}>=3.5"
    raise ThresholdError(
        f"the threshold {printable(text.strip(), _SHOWN)!r} has no meaning: {metric} is {kind}; "
        f"write {range}, as in {example}"
    )


def scoped(metric: str) -> tuple[str, str]:
    """The origin or kind that a metric is of, and the rest: ``file.artifact`` is of ``file``."""
    scope, dot, rest = metric.partition(".")
    return (scope, rest) if dot and metric not in known() else ("", metric)


def _known(metric: str) -> bool:
    if is_dialogue_metric(metric):
        return True
    scope, rest = scoped(metric)
    if scope in _ORIGINS and not is_dialogue_metric(rest):
        return scoped(rest)[0] not in _ORIGINS and _known(rest)
    if scope:
        return scope in PROBE_KINDS and rest in of_items()
    return metric in known() or _PASS.fullmatch(metric) is not None
