"""The figures of a strategy, one entry each: gate, baseline and every report loop over them.

A new figure is one more entry of :data:`FIGURES`. It can then stand in a threshold and in
``run.mean``, and is in the terminal, in tables, comparisons, JSON, CSV and JUnit files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, get_args

from pytest_compaction.metrics.aggregates import (
    answer_figure,
    has_too_few,
    loss_counts,
    mean_of,
    pass_mean,
    score_of,
    scored,
    stated_share,
    survival_of_facts,
    survival_of_item,
    token_totals,
)
from pytest_compaction.metrics.constraints import compliance, constraint_survival
from pytest_compaction.metrics.cycles import cycles_of
from pytest_compaction.metrics.intervals import Mean, counts_of
from pytest_compaction.metrics.losses import strategy_losses
from pytest_compaction.metrics.lost_facts import with_continued
from pytest_compaction.metrics.next_actions import CONTEXTS, WAYS, next_kept, next_share
from pytest_compaction.metrics.observed import OBSERVED, ObservedFigure, told_by_case
from pytest_compaction.metrics.search import (
    found_facts,
    found_share,
    stated_unasked,
    tokens_a_found_fact,
)
from pytest_compaction.metrics.task_tokens import PARTS, TOTAL, tokens_per_task
from pytest_compaction.record import EventRecord, Record
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.settings import CONTROL, RECORDED
from pytest_compaction.text import Range

Kind = Literal["score", "share", "number"]
"""A score is from 0 to 5, a share is written in per cent, a number as it is."""
Outlet = Literal["terminal", "verbose", "table", "compare", "csv"]
"""Where figures are shown, ``verbose`` being the terminal with ``-v``; in a threshold, JSON and
JUnit files all of them are."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of one strategy, of which ``bounds`` are the values that it can have.

    ``of`` is its value in one item, where it is a mean; else ``whole`` computes it from the records
    of the strategy and the control. A rule may name those within ``threshold``. ``placed`` are the
    outlets that tell it at a place of its own; others have it under ``label``.
    """

    name: str
    kind: Kind
    bounds: Range
    label: str = ""
    of: Callable[[Record], float | None] | None = None
    whole: Callable[[Sequence[Record], Sequence[Record]], Mean | None] | None = None
    threshold: Range | None = None
    placed: frozenset[Outlet] = frozenset()
    always: bool = False
    """Whether a report has it without a value too."""
    of_session: bool = False
    """Whether it is of the recorded session and not of the views, so that no gate decides on it."""
    only: str = ""
    """The only strategy that a threshold on it can name; empty for any, or none."""

    @property
    def head(self) -> str:
        return self.label or self.name

    def mean(self, records: Sequence[Record], control: Sequence[Record] = ()) -> Mean | None:
        """The figure over the records of a strategy; ``None`` if they do not tell it."""
        if self.whole is not None:
            return self.whole(records, control)
        return mean_of(records, self.of) if self.of is not None else None

    def within(self, interval: tuple[float, float] | None) -> tuple[float, float] | None:
        """An interval without what the figure cannot be, which a t interval does not know."""
        if interval is None:
            return None
        return max(interval[0], self.bounds.low), min(interval[1], self.bounds.high)


def _traps(record: Record) -> float | None:
    traps = record.get("traps") or []
    if record["overall"] is None or not traps:
        return None
    return sum(bool(trap["hit"]) for trap in traps) / len(traps)


def _survival(records: Sequence[Record], _: Sequence[Record], needed: bool) -> Mean | None:
    return survival_of_facts(records, needed)


def _observed(
    records: Sequence[Record], _: Sequence[Record], figure: ObservedFigure
) -> Mean | None:
    """After compactions on record, beyond the same elsewhere where that is counted."""
    held = figure.held(list(told_by_case(records).values()))
    return None if held is None else held.figure


def _unused(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    """The share of facts that views state and answers do not; ``None`` where none were made."""
    found = loss_counts(records)
    share = None if found.unused is None or not found.facts else found.unused / found.facts
    return _without_interval(share, records)


def _compliance(records: Sequence[Record], control: Sequence[Record]) -> Mean | None:
    found = compliance(records, control)
    return None if found is None else found.compacted


def _effect_retention(records: Sequence[Record], control: Sequence[Record]) -> Mean | None:
    found = compliance(records, control)
    return None if found is None else _without_interval(found.retained.value, records)


def _next_kept(records: Sequence[Record], _: Sequence[Record], way: str) -> Mean | None:
    return next_kept(records, way)


def _kept(records: Sequence[Record], control: Sequence[Record]) -> Mean | None:
    if any(record["compactor"] == CONTROL for record in records):
        return None  # it would be compared with itself
    _, share = kept_by_dimension(records, control).get("overall", (0.0, None))
    return _without_interval(share, records)


def _half_life(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    found = strategy_losses(records)
    half = None if found is None else found.whole.half_life
    if half is None:
        return None
    return Mean(half.compactions, half.interval, half.exposures, *counts_of(records))


def _freed(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    found = cycles_of(records)
    return None if found is None else found.freed


def _stuck(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    found = cycles_of(records)
    return None if found is None else found.stuck


def _until_stuck(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    found = cycles_of(records)
    until = None if found is None else found.until_stuck
    return _without_interval(None if until is None else float(until), records)


def _usd(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    """US dollars of the calls for a compaction; the probes of a view share its compactions."""
    paid: dict[tuple[Any, ...], float] = {}
    events: dict[tuple[Any, ...], int] = {}
    for record in records:
        key = record["case"], record["trial"], record.get("budget")
        cost = (record.get("usd") or {}).get("compaction")
        if cost is not None:
            paid[key] = max(paid.get(key, 0.0), cost)
            made = len(with_continued(record.get("compaction") or {}))
            events[key] = max(events.get(key, 0), made)
    number = sum(events.values())
    return _without_interval(math.fsum(paid.values()) / number if number else None, records)


def _seconds(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    """Seconds that models took for a compaction."""
    took = [seconds for seconds, _ in _waited_for(records)]
    return _without_interval(math.fsum(took) / len(took) if took else None, records)


def _calls(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    """Calls of models for a compaction, where they took seconds."""
    made = [calls for _, calls in _waited_for(records)]
    return _without_interval(sum(made) / len(made) if made else None, records)


def _waited_for(records: Sequence[Record]) -> list[tuple[float, int]]:
    """Seconds and calls of each compaction for which a model was asked, as all probes know it."""
    found: dict[tuple[Any, ...], tuple[float, int]] = {}
    for record in records:
        case = record["case"], record["trial"], record.get("budget")
        events = with_continued(record.get("compaction") or {})
        calls = {f"{_COMPACTION}{event['point']}": event.get("calls", 0) for event in events}
        for name, seconds in (record.get("latency_s") or {}).items():
            if name.startswith(_COMPACTION):
                _, known = found.get((*case, name), (0.0, 0))
                found[*case, name] = seconds, max(known, calls.get(name, 0))
    return list(found.values())


_COMPACTION: Final = "compaction "
"""Before the point of a compaction, in the seconds of a record."""


def _prompt_tokens(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    """Tokens of the text of prompts, a compaction for which a model was asked for summaries."""
    found = [each for event in events_of(records) if (each := event.get("prompt_tokens"))]
    return _without_interval(sum(found) / len(found) if found else None, records)


def events_of(records: Sequence[Record]) -> list[EventRecord]:
    """All compactions, each once for all its probes; the last probe of a log knows them all."""
    last: dict[tuple[Any, ...], list[EventRecord]] = {}
    for record in records:
        key = record["case"], record["trial"], record.get("budget")
        events = (record.get("compaction") or {}).get("events") or []
        last[key] = max(last.get(key, []), events, key=len)
    return [event for events in last.values() for event in events]


def _task_tokens(records: Sequence[Record], _: Sequence[Record], part: str) -> Mean | None:
    return tokens_per_task(records).mean(part)


def _ratio(records: Sequence[Record], _: Sequence[Record]) -> Mean | None:
    """How many times as many tokens the logs have as the views."""
    tokens = token_totals(records)
    return _without_interval(tokens.before / tokens.after if tokens.after else None, records)


def _without_interval(value: float | None, records: Sequence[Record]) -> Mean | None:
    if value is None:
        return None
    return Mean(value, None, len(records), *counts_of(records))


_EVERYWHERE: Final[frozenset[Outlet]] = frozenset(get_args(Outlet))
_VERBOSE: Final[frozenset[Outlet]] = frozenset({"terminal"})
"""Of a figure that the terminal shows with ``-v`` only."""
_TERMINAL: Final[frozenset[Outlet]] = frozenset({"terminal", "verbose"})
_SCORE: Final = partial(
    Figure, kind="score", bounds=Range(0, MAX_SCORE), placed=_EVERYWHERE, always=True
)
_SHARE: Final = partial(Figure, kind="share", bounds=Range(0, 1), placed=_EVERYWHERE)
"""In ``run.mean``, and everywhere else at a place of its own."""

FIGURES: tuple[Figure, ...] = (
    *(_SCORE(name, of=partial(score_of, name=name)) for name in ("overall", *DIMENSIONS)),
    _SHARE("stated", of=stated_share, placed=_EVERYWHERE, always=True),
    *(
        _SHARE(
            f"{name}.survival",
            label=label,
            of=partial(survival_of_item, needed=needed),
            whole=partial(_survival, needed=needed),
            placed=frozenset({"compare"}),
        )
        for name, label, needed in (
            ("needed", "needed facts", True),
            ("stated", "stated only", False),
        )
    ),
    Figure("unasked", "share", Range(0, 1), "before search", of=stated_unasked, placed=_VERBOSE),
    Figure(
        "found",
        "share",
        Range(0, 1),
        "found again",
        of=found_share,
        whole=lambda mine, _: found_facts(mine),
        placed=_VERBOSE,
    ),
    Figure(
        "found_tokens",
        "number",
        Range(0, math.inf),
        "tokens a fact",
        whole=lambda mine, _: tokens_a_found_fact(mine),
        threshold=Range(0, 1e9),
        placed=_VERBOSE,
    ),
    _SHARE("pass^1", whole=lambda mine, _: pass_mean(mine), placed=_EVERYWHERE, always=True),
    _SHARE(
        "removed",
        bounds=Range(-math.inf, 1),
        whole=lambda mine, _: token_totals(mine).removed_mean,
        threshold=Range(-1, 1),
        placed=_EVERYWHERE,
        always=True,
    ),
    _SHARE("kept", bounds=Range(0, math.inf), whole=_kept, threshold=Range(0, 2)),
    _SHARE("constraints", whole=lambda mine, _: constraint_survival(mine)),
    _SHARE("compliance", whole=_compliance),
    _SHARE("er", bounds=Range(-math.inf, 1), whole=_effect_retention, threshold=Range(-1, 1)),
    *(
        figure
        for way in WAYS
        for figure in (
            Figure(
                f"next_{way}",
                "share",
                Range(-math.inf, math.inf),
                label=f"next {way}",
                whole=partial(_next_kept, way=way),
                threshold=Range(-10, 10),
                placed=_TERMINAL | {"csv"},
            ),
            *(
                Figure(
                    f"next_{way}_{context}",
                    "share",
                    Range(0, 1),
                    label=f"{way} {context}",
                    of=partial(next_share, way=way, context=context),
                    placed=_TERMINAL | {"compare"},
                )
                for context in CONTEXTS
            ),
        )
    ),
    _SCORE("answers", of=answer_figure, placed=_EVERYWHERE, always=False),
    _SHARE("unused", whole=_unused),
    _SHARE("traps", of=_traps),
    _SHARE(
        "half_life",
        kind="number",
        bounds=Range(0, math.inf),
        whole=_half_life,
        threshold=Range(0, 1e9),
    ),
    _SHARE("freed", bounds=Range(-math.inf, 1), whole=_freed, threshold=Range(-1, 1)),
    _SHARE("stuck", whole=_stuck),
    _SHARE(
        "until_stuck",
        kind="number",
        bounds=Range(0, math.inf),
        label="stuck at",
        whole=_until_stuck,
        threshold=Range(0, 1e9),
    ),
    _SHARE(
        "usd",
        kind="number",
        bounds=Range(0, math.inf),
        label="US dollars",
        whole=_usd,
        threshold=Range(0, 1e9),
    ),
    _SHARE(
        "seconds",
        kind="number",
        bounds=Range(0, math.inf),
        label="seconds each",
        whole=_seconds,
        threshold=Range(0, 1e9),
        placed=_EVERYWHERE - {"table"},
    ),
    _SHARE(
        "calls",
        kind="number",
        bounds=Range(0, math.inf),
        label="calls each",
        whole=_calls,
        threshold=Range(0, 1e9),
        placed=_EVERYWHERE - {"table"},
    ),
    _SHARE(
        "prompt_tokens",
        kind="number",
        bounds=Range(0, math.inf),
        label="prompt",
        whole=_prompt_tokens,
        threshold=Range(0, 1e9),
        placed=_EVERYWHERE - {"table"},
    ),
    _SHARE(
        "ratio",
        kind="number",
        bounds=Range(0, math.inf),
        whole=_ratio,
        threshold=Range(0, 1e9),
        placed=_EVERYWHERE,
    ),
    *(
        _SHARE(
            "task_estimate" if part == TOTAL else f"task_estimate.{part}",
            kind="number",
            bounds=Range(0 if part in ("requests", "summaries") else -math.inf, math.inf),
            whole=partial(_task_tokens, part=part),
            placed=_EVERYWHERE,
            of_session=True,
        )
        for part in (TOTAL, *PARTS)
    ),
    *(
        _SHARE(
            figure.name,
            kind=figure.kind,
            bounds=figure.bounds,
            label=figure.label,
            whole=partial(_observed, figure=figure),
            threshold=Range(max(figure.bounds.low, -1e9), figure.bounds.high),
            placed=_EVERYWHERE,
            only=RECORDED,
        )
        for figure in OBSERVED
    ),
)
"""All figures; :func:`known` is what reads them."""


def means(records: Sequence[Record], control: Sequence[Record] = ()) -> dict[str, Mean]:
    """The figures of a strategy by name; those of scores only if half of the items have one."""
    too_few = has_too_few(records)
    found = {
        name: figure.mean(records, control)
        for name, figure in known().items()
        if not (too_few and figure.name != "removed")
    }
    return {name: mean for name, mean in found.items() if mean is not None}


def known() -> Mapping[str, Figure]:
    return {figure.name: figure for figure in FIGURES}


def further(outlet: Outlet) -> Iterator[Figure]:
    """The figures that have no place of their own in an outlet."""
    return (figure for figure in FIGURES if outlet not in figure.placed)


def of_items() -> tuple[str, ...]:
    return tuple(figure.name for figure in FIGURES if figure.of is not None)


def compared() -> tuple[str, ...]:
    """Names of the figures that are compared item by item: the scores, and further ones."""
    return tuple(
        figure.name
        for figure in FIGURES
        if figure.of is not None
        and ((figure.always and figure.kind == "score") or "compare" not in figure.placed)
    )


def figure_of(record: Record, name: str) -> float | None:
    figure = known().get(name)
    return None if figure is None or figure.of is None else figure.of(record)


def kept_by_dimension(
    records: Sequence[Record], control: Sequence[Record]
) -> dict[str, tuple[float, float | None]]:
    """For overall and each dimension: the control's mean on the same items, and the share kept."""

    def item(record: Record) -> tuple[str, str, int]:
        return record["case"], record["probe"], record["trial"]

    theirs = {item(record): record for record in scored(control)}
    pairs = [(r, theirs[item(r)]) for r in scored(records) if item(r) in theirs]
    result: dict[str, tuple[float, float | None]] = {}
    for name in ("overall", *DIMENSIONS):
        both = [(score_of(mine, name), score_of(other, name)) for mine, other in pairs]
        values = [(a, b) for a, b in both if a is not None and b is not None]
        if values:
            mine, other = (sum(side) / len(values) for side in zip(*values, strict=True))
            result[name] = (other, mine / other if other else None)
    return result
