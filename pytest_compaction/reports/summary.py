"""The summary at the end of a run, printed when it ends and when its shards are merged.

Lines have at most 80 columns and are readable without color. What few readers need takes ``-v``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.metrics import (
    DEFAULT_PRICING,
    HORIZONS,
    Pricing,
    budgets_of,
    by_arm,
    known_observed,
    production_loss,
    reader_in,
    stale_summaries,
    told_by_case,
    words_in,
)
from pytest_compaction.records import Record, type_of
from pytest_compaction.reports.lines import WIDTH, Line, counted, read_by, wrapped
from pytest_compaction.reports.one_strategy import (
    LOWEST,
    lowest_lines,
    next_action_lines,
    one_strategy,
    unscored_because,
)
from pytest_compaction.reports.strategies import ON_WORDS, strategy_lines
from pytest_compaction.reports.table import plain_table
from pytest_compaction.reports.tables import (
    ABILITY,
    budget_tables,
    class_tables,
    long_memory_tables,
)
from pytest_compaction.reports.usage import agreement_lines
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

NOTHING: Final = "nothing was measured: no benchmark item has a verdict"


def run_summary(
    records: Sequence[Record],
    order: Sequence[str],
    control: bool,
    lowest: int = LOWEST,
    verbose: bool = False,
    words: bool = False,
    pricing: Pricing = DEFAULT_PRICING,
) -> list[Line]:
    """The summary of a run: its probes, its dialogues, and what several judges gave."""
    dialogues = [record for record in records if type_of(record) == "dialogue"]
    probes = [record for record in records if type_of(record) == "probe"]
    lines: list[Line] = []
    if probes or not dialogues:
        lines += _probes(probes, order, control, lowest, verbose, words, pricing)
    if dialogues:
        from pytest_compaction.reports.dialogues import dialogue_summary

        lines += dialogue_summary(dialogues, order)
    return [*lines, *agreement_lines(probes)]


def _probes(
    records: Sequence[Record],
    order: Sequence[str],
    control: bool,
    lowest: int,
    verbose: bool,
    words: bool,
    pricing: Pricing,
) -> Iterator[Line]:
    """One strategy in detail, or several in a table.

    With ``control`` the strategy ``none`` is the control of the others, and is shown only where a
    model has answered. ``lowest`` items of a single strategy are named. ``words``
    has the table say who wrote the summaries; of a single strategy it is said if that was not a
    model whose words answer what would be sent now.
    """
    if not records:
        yield Line(NOTHING, "bad")
        return
    groups = by_arm(records)
    groups = {n: groups[n] for n in dict.fromkeys([*order, *groups]) if n in groups}
    main = [name for name in groups if name != CONTROL] if control else list(groups)
    if not any(record["overall"] is not None for record in records):
        statuses = Counter(record["status"] for record in records)
        said = ", ".join(f"{number} {status}" for status, number in sorted(statuses.items()))
        following = {name: [*next_action_lines(group, "  ")] for name, group in groups.items()}
        yield Line(f"nothing was scored ({said})", "dim" if any(following.values()) else "bad")
        yield from unscored_because(records)
        for name, lines in following.items():
            yield from (Line(printable(name, 60)), *lines) if lines else ()
        return
    if len(main) > 1 or len(budgets_of(records)) > 1:
        yield from strategy_lines(records, groups, control, verbose, words)
    else:
        name = main[0] if main else CONTROL
        against = groups.get(CONTROL, ()) if main else ()
        yield from one_strategy(name, groups[name], against, verbose, pricing)
        whose = "stale" if stale_summaries(groups[name]) else words_in(groups[name])
        if words and whose in ON_WORDS:
            yield from wrapped(f"words: {ON_WORDS[whose]}", "dim")
        yield from lowest_lines(groups[name], lowest)
    if reader := reader_in(records):
        yield from wrapped(read_by(reader), "dim")
    tables = (*budget_tables(records), *long_memory_tables(groups))
    for found in (*tables, *(class_tables(groups) if verbose else ())):
        title, *rest = plain_table(found, WIDTH, ABILITY)
        yield from (Line(""), Line(title, "bold"), *map(Line, rest))


_CAUSES: Final = 3
_CAUSE: Final = 500
"""The most causes of errors that are said, and the characters of one."""


def cause_lines(records: Sequence[Record]) -> Iterator[Line]:
    """Why items ended in errors, once for each reason, which differ in case and point alone."""
    reasons: Counter[str] = Counter()
    places: dict[str, str] = {}
    for record in records:
        if record["status"] == "error":
            reason, _, place = record["reason"].rpartition(" (case ")
            reason, place = (reason, place) if reason else (place, "")
            reasons[reason] += 1
            places.setdefault(reason, place.removesuffix(")"))
    for reason, number in reasons.most_common(_CAUSES):
        first = f"; first in case {places[reason]}" if places[reason] else ""
        said = f"ERROR in {counted(number, 'item')}: {reason}{first}"
        yield Line(printable(said, _CAUSE), "bad")


def left_out_lines(left_out: Sequence[str]) -> Iterator[Line]:
    """How many cases a run at the budgets on record left out; nothing if there are none."""
    if left_out:
        yield Line(
            f"left out: {counted(len(left_out), 'case')} without a recorded compaction", "dim"
        )


def file_lines(shown: str, records: Sequence[Record]) -> Iterator[Line]:
    """Where the records lie, and which command says what production lost if they tell it."""
    yield Line(f"records: {shown}", "dim")
    probes = [record for record in records if type_of(record) == "probe"]
    fetched = known_observed()[f"fetched_again_{HORIZONS[0]}"]
    if (held := fetched.held(list(told_by_case(probes).values()))) is not None and held.elsewhere:
        yield from wrapped(
            f"looked up again in the next {HORIZONS[0]} calls after a compaction on record "
            f"{held.after.value:.1%}, elsewhere {held.elsewhere.value:.1%}, difference "
            f"{100 * (held.after.value - held.elsewhere.value):+.1f} points: table fetched_again "
            "of pytest-compaction report",
            "dim",
        )
    if production_loss(probes) is not None:
        text = f"what production lost, by type of fact: pytest-compaction report {shown}"
        yield Line(text, "dim")
