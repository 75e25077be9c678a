"""The shards of a run put together: the run that one machine would have written, or why not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.records.part import End, Part, part_of
from pytest_compaction.records.run import Run
from pytest_compaction.records.run_figures import figures_of
from pytest_compaction.secrets.keys import scrubbed_json
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
    """The run of a shard, with the name of its file."""

    name: str
    run: Run
    part: Part

    @property
    def title(self) -> str:
        return f"{self.name} (shard {self.part})"


def merge_runs(named: Sequence[tuple[str, Run]]) -> MergedRun:
    """Put the runs of all shards together; ``named`` are their files.

    The result does not depend on the order of the files. An item that several of them hold
    with the same content counts once. Raises :class:`MergeError` with all that is wrong.
    """
    shards = _shards(named)
    for faults in (_other_runs, _missing, _incomplete, _overlaps):
        problems = list(faults(shards))
        if problems:
            raise MergeError(problems)
    run = Run(_header(shards[0].run.header))
    for shard in shards:
        for record in shard.run.by_item.values():
            run.add(record)
    figures = figures_of(run.records)
    if figures:
        run.header["figures"] = scrubbed_json(figures)
    ends = [(shard, shard.part.end or End()) for shard in shards]
    unused: Counter[int] = Counter()
    for shard, end in ends:
        unused[shard.part.index] = max(unused[shard.part.index], end.snapshots)
    return MergedRun(
        run,
        shards[0].part.count,
        frozenset(test for _, end in ends for test in end.failures),
        frozenset(item for shard, end in ends for item in _below(shard.run, end)),
        unused.total(),
    )


def _shards(named: Sequence[tuple[str, Run]]) -> list[_Shard]:
    """The runs with their parts, by index; raises for one that is none of a shard."""
    found, problems = [], []
    for name, run in named:
        part, settings = part_of(run.header), run.header.get("settings")
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
            found.append(_Shard(name, run, part))
    if problems:
        raise MergeError(problems)
    return sorted(found, key=lambda shard: (shard.part.index, shard.name))


def _header(header: Mapping[str, Any]) -> dict[str, Any]:
    """The header of a shard as the whole run writes it, without the figures."""
    whole = {key: value for key, value in header.items() if key not in _OF_ONE_SHARD}
    return {**whole, "settings": _settings(header)}


def _settings(header: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in header["settings"].items() if key != "shard"}


def _below(run: Run, end: End) -> Iterator[str]:
    """Items whose test failed for its score."""
    known = {*end.excused, *end.failures}
    for item, record in run.by_item.items():
        if record.get("status") == "failed" and item not in known and "error" not in record:
            yield item


def _other_runs(shards: Sequence[_Shard]) -> Iterator[str]:
    """Shards that are not of the same run as the first one."""
    first = shards[0]
    for other in shards[1:]:
        for what, todo in _differences(first, other):
            yield f"{first.name} and {other.name} {what}; {todo}"


def _differences(first: _Shard, other: _Shard) -> Iterator[tuple[str, str]]:
    """What differs in two shards that should be of one run, and what to do."""
    again = "run all shards again in the same way"
    if first.part.count != other.part.count:
        what = f"are shards of {first.part.count} and of {other.part.count}"
        yield what, "merge the shards of one run"
    mine, others = first.run.header, other.run.header
    differing = _differing(_settings(mine), _settings(others), _PLACES)
    if differing:
        yield f"have other settings: {differing}", again
    differing = _differing(mine.get("versions"), others.get("versions"))
    if differing:
        yield f"were made by other versions: {differing}", "install the same on all machines"
    differing = _differing(mine.get("cases"), others.get("cases"))
    if differing:
        yield f"measured other cases: {differing}", "run all shards on the same case files"
    known = _OF_ONE_SHARD | {"versions", "cases"}
    differing = _differing(mine, others, known)
    if differing:
        yield f"have other headers: {differing}", again
    if first.part.selected != other.part.selected:
        chosen = [" ".join(shard.part.selected) or "nothing" for shard in (first, other)]
        yield f"selected items with {chosen[0]} and with {chosen[1]}", again


def _differing(first: object, other: object, known: frozenset[str] = frozenset()) -> str:
    """The keys of two mappings with other values, with both values where they are short."""
    mine: Mapping[str, Any] = first if isinstance(first, dict) else {}
    others: Mapping[str, Any] = other if isinstance(other, dict) else {}
    keys = sorted(
        key for key in {*mine, *others} - known if mine.get(key, ...) != others.get(key, ...)
    )
    return _listed([f"{key} ({_shown(mine, key)} and {_shown(others, key)})" for key in keys])


def _shown(values: Mapping[str, Any], key: str) -> str:
    return printable(str(values[key]), 40) if key in values else "not there"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _missing(shards: Sequence[_Shard]) -> Iterator[str]:
    """Shards without a file."""
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
    """Shards that did not run to their end, and files that do not hold what their run wrote."""
    for shard in shards:
        part, header = shard.part, shard.run.header
        again = f"run it again with --compaction-shard={part}"
        found = Counter(str(record["case"]) for record in shard.run.by_item.values())
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
        strangers = sorted(found.keys() - {*part.cases, *part.dialogues})
        if strangers:
            yield f"{shard.title} holds items of {_listed(strangers)}, not of this shard; {again}"
        changed = sorted(
            {
                str(record["case"])
                for record in shard.run.by_item.values()
                if (known := (header.get("cases") or {}).get(record["case"])) is not None
                and record.get("type") != "dialogue"
                and (record.get("hashes") or {}).get("case") != known
            }
        )
        if changed:
            yield (
                f"{shard.title} measured {_listed(changed)} with other content than its header "
                f"says; {again}"
            )


def _overlaps(shards: Sequence[_Shard]) -> Iterator[str]:
    """Items that two files hold with other content."""
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
