"""Baselines: what a run is compared with, from a run file, a folder of runs or a committed file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.metrics import by_compactor, is_over_budget
from pytest_compaction.records.baseline_file import (
    UNSAMPLED,
    is_sampled,
    read_baseline_file,
    records_of,
    view_in,
)
from pytest_compaction.records.record import Record, status_from, type_of
from pytest_compaction.records.run import Run
from pytest_compaction.records.run_file import load_run
from pytest_compaction.records.run_folder import (
    DEFAULT_FOLDER,
    LAST,
    BaselineError,
    find_run,
    has_run,
    newest_run,
    run_number,
)
from pytest_compaction.records.texts import is_view, view_file
from pytest_compaction.settings import OverBudget
from pytest_compaction.text import printable

SUFFIX: Final = ".json"
"""The end of the name of a file that is made to be committed; runs end in ``.jsonl``."""
_NAME: Final = 30
_LISTED: Final = 5


@dataclass(frozen=True, slots=True)
class Source:
    """Where a baseline is: a path, and the strategy to take there if it is named."""

    path: Path
    strategy: str | None = None

    @property
    def is_committed(self) -> bool:
        """Whether it is the file that ``--compaction-baseline-update`` writes."""
        return self.path.suffix.lower() == SUFFIX

    @property
    def name(self) -> str:
        """Its name in reports and rules: the file without its end, the folder, or a number."""
        is_run = not self.is_committed and not self.path.is_dir()
        named = _short_name(self.path) if is_run else self.path.stem
        return printable(named or str(self.path), _NAME)


def _short_name(run: Path) -> str:
    number = run_number(run)
    return run.stem if number is None else f"{number:04d}"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The records of a strategy in an accepted run.

    ``strategy`` is the one that was measured there. ``header`` has the settings and cases of the
    run. ``title`` says which run it is, ``name`` is short; ``problems`` are sentences on what of
    its file could not be used. ``sampled`` says that a model wrote the views that may write others
    the next time. ``view_of`` gives the file of the view of a record, as far as it is kept.
    """

    strategy: str
    name: str
    title: str
    records: tuple[Record, ...]
    header: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    sampled: bool = False
    view_of: Callable[[Record], bytes | None] = field(default=lambda _: None, compare=False)


def at_pass_score(baseline: Baseline, pass_score: float) -> Baseline:
    """The baseline with the status that a pass score gives its items."""
    return replace(baseline, records=tuple(judged_again(baseline.records, pass_score)))


def judged_again(
    records: Sequence[Record], pass_score: float, over_budget: OverBudget = "fail"
) -> Iterator[Record]:
    """The records with the status that another pass score gives them.

    A view over its budget passes at none, unless such views were only reported.
    """
    for record in records:
        scored = type_of(record) == "probe" and record["overall"] is not None
        if scored and record["status"] in {"passed", "failed"}:
            fails = over_budget == "fail" and is_over_budget(record)
            passes = (record["overall"] or 0) >= pass_score and not fails
            yield {**record, "status": status_from(passes)}
        else:
            yield record


def parse_source(text: str, root: Path, runs: Path = DEFAULT_FOLDER) -> Source:
    """Read ``PATH``, ``PATH@STRATEGY`` or ``last``; a path is relative to ``root``.

    ``runs`` is the folder in which ``last`` is. A path may hold an ``@`` if it exists. Raises
    :class:`BaselineError` if there is no last run.
    """
    places = [place for place, character in enumerate(text) if character == "@"]
    end = next(  # the longest path that exists, else what is before the first "@"
        (place for place in (len(text), *reversed(places)) if (root / text[:place]).exists()),
        (*places, len(text))[0],
    )
    path, strategy = text[:end], text[end + 1 :] or None
    if path == LAST and not (root / path).exists():
        return Source(find_run(LAST, root / runs), strategy)
    return Source(root / path, strategy)


def load_baseline(source: Source, strategy: str | None) -> Baseline:
    """The baseline of a strategy; a source that names another strategy gives that one.

    Of a folder the newest run of the strategy is taken. With ``None`` the source must hold one
    strategy alone. Raises :class:`BaselineError` with a sentence for what cannot be used: no
    such file, another strategy, nothing scored, a damaged file.
    """
    wanted, path = source.strategy or strategy, source.path
    if source.is_committed and not path.is_dir():
        found = _committed(source, wanted)
    else:
        path = newest_run(path, wanted) if path.is_dir() else path
        found = _of_run(source, path, wanted)
    if all(record["overall"] is None for record in found.records):
        raise BaselineError(
            f"none of the {len(found.records)} items of {printable(found.strategy, 60)} in {path} "
            "has a score; measure it again, or take another run as the baseline"
        )
    return found


def strategies_of(source: Source) -> list[str]:
    path = source.path
    if source.is_committed and not path.is_dir():
        return sorted(read_baseline_file(path))
    return sorted(_probes(load_run(newest_run(path, None) if path.is_dir() else path)))


def measured_there(source: Source, strategies: Sequence[str]) -> list[str]:
    if source.path.is_dir():
        return [name for name in strategies if has_run(source.path, name)]
    there = strategies_of(source)
    return [name for name in strategies if name in there]


def _probes(run: Run) -> dict[str, list[Record]]:
    return by_compactor(record for record in run.records if type_of(record) == "probe")


def _of_run(source: Source, path: Path, wanted: str | None) -> Baseline:
    run = load_run(path)
    groups = _probes(run)
    if not groups:
        said = f"; {run.problems[0]}" if run.problems else ""
        raise BaselineError(f"the run {path} holds no item of a probe to compare with{said}")
    strategy = _chosen(list(groups), wanted, path)
    return Baseline(
        strategy,
        source.name,
        source.name if source.path == path else f"{source.name} ({_short_name(path)})",
        tuple(groups[strategy]),
        run.header,
        run.problems,
        is_sampled(run.header, groups[strategy]),
        lambda r: view_file(path.parent, str((r.get("hashes") or {}).get("view"))),
    )


def _committed(source: Source, wanted: str | None) -> Baseline:
    strategies = read_baseline_file(source.path)
    strategy = _chosen(sorted(strategies), wanted, source.path)
    data = strategies[strategy]
    header = {key: data[key] for key in ("settings", "cases", "versions", "words") if key in data}
    header["settings"] = data["settings"] | {"compactors": [strategy]}

    def view_of(record: Record) -> bytes | None:
        name = str(record["hashes"].get("view"))
        found = view_in(data, name)
        return found if found is not None and is_view(found, name) else None

    return Baseline(
        strategy,
        source.name,
        source.name,
        tuple(records_of(strategy, data)),
        header,
        sampled=data.get("sampled", header["settings"].get("model") not in {None, *UNSAMPLED}),
        view_of=view_of,
    )


def check_whole(found: Baseline) -> None:
    """Refuse to decide against a run of which lines are left out: their items would not count.

    Raises :class:`BaselineError`.
    """
    if found.problems:
        more = f" (and {len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
        raise BaselineError(
            f"{found.title} is not whole: {found.problems[0]}{more}; measure the baseline again, "
            "or take another run"
        )


def _chosen(there: list[str], wanted: str | None, path: Path) -> str:
    """The strategy to take; another one than was measured stands for it only if it is named."""
    if wanted is None and len(there) == 1:
        return there[0]
    if wanted is not None and wanted in there:
        return wanted
    listed = ", ".join(printable(name, 40) for name in there[:_LISTED])
    listed += f" and {len(there) - _LISTED} more" if len(there) > _LISTED else ""
    held = "" if wanted is None else f"no run of {printable(wanted, 60)}, only of "
    raise BaselineError(f"{path} holds {held}{listed}; name the strategy: {path.name}@{there[0]}")
