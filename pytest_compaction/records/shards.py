"""Shards: what the run of one says in its header, and the run that all of them make together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from pytest_compaction.records.model_use import figures_of
from pytest_compaction.records.record import Record
from pytest_compaction.records.run import Run
from pytest_compaction.secrets import scrubbed_json
from pytest_compaction.settings import shard_of
from pytest_compaction.text import printable

_PLACES: Final = frozenset({"runs", "store", "reports"})
"""Settings that say where files lie on a machine, which may be another one for each shard."""
_NEEDED: Final = frozenset(
    {"compactors", "control", "dialogues", "max_unscored", "model", "pass_score", "thresholds"}
)
"""Settings without which there is no summary and no gate."""
_OF_ONE_SHARD: Final = frozenset({"shard", "figures", "settings"})
_SHOWN: Final = 5
"""The most cases or items that a sentence names."""


@dataclass(frozen=True, slots=True)
class ShardEnd:
    """The end of a shard's run, when all its items have run.

    ``items``: the number of records of each case or dialogue. ``failures``: tests that failed
    for another reason than the score. ``excused``: items below the score at which they pass
    whose test did not fail for it, as where a test was expected to fail. ``snapshots``: the
    number of unused ones that fail a run.
    """

    items: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    snapshots: int = 0


@dataclass(frozen=True, slots=True)
class ShardPart:
    """The shard ``index`` of ``count``: the ids of its cases and dialogues.

    ``selected`` are the arguments by which items were left out, ``end`` is ``None`` until the run
    has ended.
    """

    index: int
    count: int
    cases: tuple[str, ...] = ()
    dialogues: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    end: ShardEnd | None = None

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def ended(self, records: Iterable[Record], end: ShardEnd) -> ShardPart:
        items = Counter(str(record["case"]) for record in records)
        return replace(self, end=replace(end, items=dict(items)))


def _part_of(header: Mapping[str, Any]) -> ShardPart | None:
    """The part that a header tells of; ``None`` for a whole run and for what cannot be read."""
    try:
        data = header["shard"]
        if (end := data["end"]) is not None:
            failures, excused = tuple(end["failures"]), tuple(end["excused"])
            end = ShardEnd(end["items"], failures, excused, end["snapshots"])
        ids, dialogues, selected = (tuple(data[k]) for k in ("cases", "dialogues", "selected"))
        return ShardPart(data["index"], data["count"], ids, dialogues, selected, end)
    except (KeyError, TypeError):
        return None


class MergeError(Exception):
    """Runs cannot be merged. ``problems`` are sentences: which files, what is wrong, what to do."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class MergedRun:
    """A whole run from its shards, and what their tests said beside the records.

    ``failures``: tests that failed for another reason than the score. ``below``: items whose
    test failed for its score. ``snapshots``: the number of unused ones. ``shards``: how many
    shards there were.
    """

    run: Run
    shards: int
    failures: frozenset[str]
    below: frozenset[str]
    snapshots: int


@dataclass(frozen=True, slots=True)
class _Shard:
    name: str
    run: Run
    part: ShardPart

    @property
    def title(self) -> str:
        return f"{self.name} (shard {self.part})"

    @property
    def settings(self) -> dict[str, Any]:
        return {key: each for key, each in self.run.header["settings"].items() if key != "shard"}


def merge_runs(named: Sequence[tuple[str, Run]]) -> MergedRun:
    """Put the runs of all shards together; ``named`` are their files.

    The result does not depend on the order of the files. An item that several of them hold
    with the same content counts once. Raises :class:`MergeError` with all that is wrong.
    """
    shards, problems = [], []
    for name, run in named:
        part, settings = _part_of(run.header), run.header.get("settings")
        if not isinstance(settings, dict) or not settings.keys() >= _NEEDED:
            problems.append(
                f"{name} lacks settings in its header that runs of this version have; run all "
                "shards with one version, and merge them with it"
            )
        elif part is None:
            problems.append(
                f"{name} is a run without shards; only runs with --compaction-shard=I/N can be "
                "merged, leave it out"
            )
        else:
            shards.append(_Shard(name, run, part))
    shards.sort(key=lambda shard: (shard.part.index, shard.name))
    for faults in (_other_runs, _missing, _incomplete, _overlaps):
        problems = problems or list(faults(shards))
    if problems:
        raise MergeError(problems)
    header = {k: v for k, v in shards[0].run.header.items() if k not in _OF_ONE_SHARD}
    merged = Run({**header, "settings": shards[0].settings})
    failures: set[str] = set()
    below: set[str] = set()
    unused: Counter[int] = Counter()
    for shard in shards:
        end = shard.part.end or ShardEnd()
        failures.update(end.failures)
        unused[shard.part.index] = max(unused[shard.part.index], end.snapshots)
        for item, record in shard.run.by_item.items():
            merged.add(record)
            fell = record.get("status") == "failed" and "error" not in record
            if fell and item not in {*end.excused, *end.failures}:
                below.add(item)
    if figures := figures_of(merged.records):
        merged.header["figures"] = scrubbed_json(figures)
    count = shards[0].part.count
    return MergedRun(merged, count, frozenset(failures), frozenset(below), unused.total())


def _other_runs(shards: Sequence[_Shard]) -> Iterator[str]:
    first = shards[0]
    for other in shards[1:]:
        both = f"{first.name} and {other.name}"
        if first.part.count != other.part.count:
            yield (
                f"{both} are shards of {first.part.count} and of {other.part.count}; "
                "merge the shards of one run"
            )
        again = "run all shards again in the same way"
        versions, cases = (
            [s.run.header.get(key) or {} for s in (first, other)] for key in ("versions", "cases")
        )
        selected = [{"with": " ".join(s.part.selected)} for s in (first, other)]
        compared: tuple[tuple[str, Sequence[Mapping[str, Any]], str], ...] = (
            ("other settings", [first.settings, other.settings], again),
            ("other versions", versions, "install the same on all machines"),
            ("other cases", cases, "run all shards on the same case files"),
            ("another selection", selected, again),
        )
        for what, (mine, theirs), todo in compared:
            differing = [
                f"{key} ({printable(str(mine.get(key, 'not there')), 40)} and "
                f"{printable(str(theirs.get(key, 'not there')), 40)})"
                for key in sorted((mine.keys() | theirs.keys()) - _PLACES)
                if mine.get(key, ...) != theirs.get(key, ...)
            ]
            if differing:
                yield f"{both} have {what}: {_listed(differing)}; {todo}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _missing(shards: Sequence[_Shard]) -> Iterator[str]:
    count, first = shards[0].part.count, shards[0].run.header
    there = {shard.part.index for shard in shards}
    lost: dict[int, list[str]] = defaultdict(list)
    for case in first.get("cases") or ():
        lost[shard_of(case, count)].append(case)
    for index in range(1, count + 1):
        if index not in there:
            cases = f", with the cases {_listed(lost[index])}" if lost[index] else ""
            yield (
                f"the shard {index}/{count} is missing{cases}; name its run file too, or run it "
                f"with --compaction-shard={index}/{count}"
            )


def _incomplete(shards: Sequence[_Shard]) -> Iterator[str]:
    for shard in shards:
        part = shard.part
        again = f"run it again with --compaction-shard={part}"
        found = Counter(record["case"] for record in shard.run.by_item.values())
        if part.end is None:
            names = [case for case in (*part.cases, *part.dialogues) if case not in found]
            lost = f": nothing is there of {_listed(names)}" if names else ""
            yield f"{shard.title} was stopped before all of its items had run{lost}; {again}"
            continue
        counted = part.end.items
        for case in sorted(counted.keys() | found.keys()):
            if counted.get(case, 0) != found[case]:
                yield (
                    f"{shard.title} holds {found[case]} items of {case} and its header counts "
                    f"{counted.get(case, 0)}; the file was changed or cut short: copy it again, "
                    f"or {again}"
                )


def _overlaps(shards: Sequence[_Shard]) -> Iterator[str]:
    seen: dict[str, _Shard] = {}
    differing: dict[tuple[str, str], list[str]] = defaultdict(list)
    for shard in shards:
        for item, record in shard.run.by_item.items():
            known = seen.setdefault(item, shard)
            if known.run.by_item[item] != record:
                differing[known.title, shard.title].append(item)
    for (first, other), items in differing.items():
        yield (
            f"{first} and {other} hold {_listed(sorted(items))} with other content; merge one of "
            "the two"
        )
