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


def _alone(
    function: Callable[..., Mean | None], *given: object
) -> Callable[[Sequence[Record], Sequence[Record]], Mean | None]:
    """A figure of the records of a strategy, for which the control does not matter."""
    return lambda records, _: function(records, *given)


def _traps(record: Record) -> float | None:
    traps = record.get("traps") or []
    if record["overall"] is None or not traps:
        return None
    return sum(bool(trap["hit"]) for trap in traps) / len(traps)


def _observed(records: Sequence[Record], figure: ObservedFigure) -> Mean | None:
    """After compactions on record, beyond the same elsewhere where that is counted."""
    held = figure.held(list(told_by_case(records).values()))
    return None if held is None else held.figure


def _unused(records: Sequence[Record]) -> Mean | None:
    """The share of facts that views state and answers do not; ``None`` where none were made."""
    found = loss_counts(records)
    has_none = found.unused is None or not found.facts
    return _without_interval(None if has_none else (found.unused or 0) / found.facts, records)


def _complied(records: Sequence[Record], control: Sequence[Record]) -> Mean | None:
    found = compliance(records, control)
    return None if found is None else found.compacted


def _effect_retention(records: Sequence[Record], control: Sequence[Record]) -> Mean | None:
    found = compliance(records, control)
    return _without_interval(None if found is None else found.retained.value, records)


def _kept(records: Sequence[Record], control: Sequence[Record]) -> Mean | None:
    if any(record["compactor"] == CONTROL for record in records):
        return None  # it would be compared with itself
    _, share = kept_by_dimension(records, control).get("overall", (0.0, None))
    return _without_interval(share, records)


def _half_life(records: Sequence[Record]) -> Mean | None:
    found = strategy_losses(records)
    half = None if found is None else found.whole.half_life
    if half is None:
        return None
    return Mean(half.compactions, half.interval, half.exposures, *counts_of(records))


def _of_cycles(records: Sequence[Record], name: str) -> Mean | None:
    found = cycles_of(records)
    return None if found is None else getattr(found, name)


def _until_stuck(records: Sequence[Record]) -> Mean | None:
    found = cycles_of(records)
    return _without_interval(None if found is None else found.until_stuck, records)


def _usd(records: Sequence[Record]) -> Mean | None:
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


def _each(records: Sequence[Record], part: int) -> Mean | None:
    """Seconds (0) or calls (1) of a compaction for which a model was asked."""
    return _average([each[part] for each in _waited_for(records)], records)


def _waited_for(records: Sequence[Record]) -> list[tuple[float, int]]:
    """Seconds and calls of each compaction for which a model was asked, as all probes know it."""
    found: dict[tuple[Any, ...], tuple[float, int]] = {}
    for record in records:
        case = record["case"], record["trial"], record.get("budget")
        events = with_continued(record.get("compaction") or {})
        calls = {f"compaction {event['point']}": event.get("calls", 0) for event in events}
        for name, seconds in (record.get("latency_s") or {}).items():
            if name.startswith("compaction "):
                _, known = found.get((*case, name), (0.0, 0))
                found[*case, name] = seconds, max(known, calls.get(name, 0))
    return list(found.values())


def _prompt_tokens(records: Sequence[Record]) -> Mean | None:
    """Tokens of the text of prompts, a compaction for which a model was asked for summaries."""
    found = (event.get("prompt_tokens") for event in events_of(records))
    return _average([each for each in found if each], records)


def events_of(records: Sequence[Record]) -> list[EventRecord]:
    """All compactions, each once for all its probes; the last probe of a log knows them all."""
    last: dict[tuple[Any, ...], list[EventRecord]] = {}
    for record in records:
        key = record["case"], record["trial"], record.get("budget")
        events = (record.get("compaction") or {}).get("events") or []
        last[key] = max(last.get(key, []), events, key=len)
    return [event for events in last.values() for event in events]


def _of_task(records: Sequence[Record], part: str) -> Mean | None:
    return tokens_per_task(records).mean(part)


def _ratio(records: Sequence[Record]) -> Mean | None:
    """How many times as many tokens the logs have as the views."""
    tokens = token_totals(records)
    return _without_interval(tokens.before / tokens.after if tokens.after else None, records)


def _average(values: Sequence[float], records: Sequence[Record]) -> Mean | None:
    return _without_interval(math.fsum(values) / len(values) if values else None, records)


def _without_interval(value: float | None, records: Sequence[Record]) -> Mean | None:
    return None if value is None else Mean(value, None, len(records), *counts_of(records))


_EVERYWHERE: Final[frozenset[Outlet]] = frozenset(get_args(Outlet))
_VERBOSE: Final[frozenset[Outlet]] = frozenset({"terminal"})
"""Of a figure that the terminal shows with ``-v`` only."""
_TERMINAL: Final[frozenset[Outlet]] = frozenset({"terminal", "verbose"})
_SCORE: Final = partial(
    Figure, kind="score", bounds=Range(0, MAX_SCORE), placed=_EVERYWHERE, always=True
)
_SHARE: Final = partial(Figure, kind="share", bounds=Range(0, 1), placed=_EVERYWHERE)
"""In ``run.mean``, and everywhere else at a place of its own."""
_NUMBER: Final = partial(
    Figure,
    kind="number",
    bounds=Range(0, math.inf),
    threshold=Range(0, 1e9),
    placed=_EVERYWHERE,
)

FIGURES: tuple[Figure, ...] = (
    *(_SCORE(name, of=partial(score_of, name=name)) for name in ("overall", *DIMENSIONS)),
    _SHARE("stated", of=stated_share, always=True),
    *(
        _SHARE(
            f"{name}.survival",
            label=label,
            of=partial(survival_of_item, needed=needed),
            whole=_alone(survival_of_facts, needed),
            placed=frozenset({"compare"}),
        )
        for name, label, needed in (
            ("needed", "needed facts", True),
            ("stated", "stated only", False),
        )
    ),
    _SHARE("unasked", label="before search", of=stated_unasked, placed=_VERBOSE),
    _SHARE(
        "found",
        label="found again",
        of=found_share,
        whole=_alone(found_facts),
        placed=_VERBOSE,
    ),
    _NUMBER(
        "found_tokens",
        label="tokens a fact",
        whole=_alone(tokens_a_found_fact),
        placed=_VERBOSE,
    ),
    _SHARE("pass^1", whole=_alone(pass_mean), always=True),
    _SHARE(
        "removed",
        bounds=Range(-math.inf, 1),
        whole=lambda mine, _: token_totals(mine).removed_mean,
        threshold=Range(-1, 1),
        always=True,
    ),
    _SHARE("kept", bounds=Range(0, math.inf), whole=_kept, threshold=Range(0, 2)),
    _SHARE("constraints", whole=_alone(constraint_survival)),
    _SHARE("compliance", whole=_complied),
    _SHARE("er", bounds=Range(-math.inf, 1), whole=_effect_retention, threshold=Range(-1, 1)),
    *(
        figure
        for way in WAYS
        for figure in (
            _SHARE(
                f"next_{way}",
                bounds=Range(-math.inf, math.inf),
                label=f"next {way}",
                whole=_alone(next_kept, way),
                threshold=Range(-10, 10),
                placed=_TERMINAL | {"csv"},
            ),
            *(
                _SHARE(
                    f"next_{way}_{context}",
                    label=f"{way} {context}",
                    of=partial(next_share, way=way, context=context),
                    placed=_TERMINAL | {"compare"},
                )
                for context in CONTEXTS
            ),
        )
    ),
    _SCORE("answers", of=answer_figure, always=False),
    _SHARE("unused", whole=_alone(_unused)),
    _SHARE("traps", of=_traps),
    _NUMBER("half_life", whole=_alone(_half_life)),
    _SHARE(
        "freed",
        bounds=Range(-math.inf, 1),
        whole=_alone(_of_cycles, "freed"),
        threshold=Range(-1, 1),
    ),
    _SHARE("stuck", whole=_alone(_of_cycles, "stuck")),
    _NUMBER("until_stuck", label="stuck at", whole=_alone(_until_stuck)),
    _NUMBER("usd", label="US dollars", whole=_alone(_usd)),
    *(
        _NUMBER(name, label=label, whole=whole, placed=_EVERYWHERE - {"table"})
        for name, label, whole in (
            ("seconds", "seconds each", _alone(_each, 0)),
            ("calls", "calls each", _alone(_each, 1)),
            ("prompt_tokens", "prompt", _alone(_prompt_tokens)),
        )
    ),
    _NUMBER("ratio", whole=_alone(_ratio)),
    *(
        _NUMBER(
            "task_estimate" if part == TOTAL else f"task_estimate.{part}",
            bounds=Range(0 if part in ("requests", "summaries") else -math.inf, math.inf),
            whole=_alone(_of_task, part),
            threshold=None,
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
            whole=_alone(_observed, figure),
            threshold=Range(max(figure.bounds.low, -1e9), figure.bounds.high),
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
