"""From a session to pytest items: their parameters and ids, their order, and which will run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest

from pytest_compaction.session.items.kinds import ARM, KINDS, Kind
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.session.worker_share import group_of

if TYPE_CHECKING:
    from pytest_compaction.session.items.dialogue import DialogueItem
    from pytest_compaction.session.items.probe import ProbeItem

    BenchmarkItem: TypeAlias = ProbeItem | DialogueItem

_NOTHING: Final = "nothing-to-measure"


def items_of(
    kind: Kind, session: BenchmarkSession, with_arms: bool = True
) -> dict[str, BenchmarkItem]:
    """The items of a kind by id, in the order in which they run; made once for a session."""
    made: dict[tuple[Kind, bool], dict[str, BenchmarkItem]] = session.items
    if (kind, with_arms) in made:
        return made[kind, with_arms]
    found = made.setdefault((kind, with_arms), {})
    if kind is KINDS["dialogue"] and not session.has_dialogues:
        return found  # what makes them takes long to import
    taken: Counter[str] = Counter()
    shard = session.settings.shard
    for name, item in kind.load().planned(session, with_arms):
        id = name
        while taken[id]:
            taken[name] += 1
            id = f"{name}.{taken[name]}"
        taken[id] += 1
        if shard is None or item.error is not None or shard.holds(item.mark["case"]):
            found[id] = item
    return found


def item_of(node: pytest.Item) -> BenchmarkItem | None:
    """The benchmark item of a pytest item; ``None`` for any other test."""
    parameters: dict[str, Any] = getattr(getattr(node, "callspec", None), "params", {})
    for kind in KINDS.values():
        if set(kind.fixtures) <= parameters.keys():
            item: BenchmarkItem | None = kind.load().from_parameters(parameters)
            if item is not None:
                return item
    return None


@dataclass(frozen=True, slots=True)
class Selection:
    """One item that would run, and whether its answers would be judged."""

    item: BenchmarkItem
    judged: bool = True


def selected(nodes: Iterable[pytest.Item]) -> Iterator[Selection]:
    for node in nodes:
        item = item_of(node)
        if item is not None and item.arm is not None:
            yield Selection(item, "judge" in getattr(node, "fixturenames", ()))


def selected_ids(session: BenchmarkSession, ids: Iterable[str]) -> Iterator[Selection]:
    """The same from node ids, which are all that the controller of workers knows of the items."""
    known = {id: item for kind in KINDS.values() for id, item in items_of(kind, session).items()}
    names = {name: name for name in known}
    for nodeid in ids:
        item = known.get(group_of(nodeid, names) or "")
        if item is not None and item.arm is not None:
            yield Selection(item)


def groups_and_cases(session: BenchmarkSession) -> tuple[dict[str, str], dict[str, str]]:
    """The group of each item by its id, and the case of each group."""
    groups, cases = {}, {}
    for kind, with_arms in product(KINDS.values(), (False, True)):
        for id, item in items_of(kind, session, with_arms).items():
            groups[id], cases[item.group] = item.group, item.mark["case"]
    return groups, cases


def parametrize(metafunc: pytest.Metafunc, kind: Kind, session: BenchmarkSession) -> None:
    """Give a test function what it measures and, if it compacts, strategy and trial."""
    with_arms = ARM in metafunc.fixturenames
    names = (*kind.fixtures, ARM) if with_arms else kind.fixtures
    params = []
    for id, item in items_of(kind, session, with_arms).items():
        values = (*item.parameters, item.arm) if with_arms else item.parameters
        mark = pytest.mark.compaction(**item.mark)
        params.append(pytest.param(*values, id=id, marks=mark))
    sharded = session.settings.shard is not None  # a shard may be empty
    if not params and (sharded or any(items_of(other, session) for other in KINDS.values())):
        nothing = [None] * len(names)
        params = [pytest.param(*nothing, id=_NOTHING, marks=pytest.mark.compaction)]
    metafunc.parametrize(names, params, indirect=list(kind.fixtures), scope="session")


def measuring(nodes: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The items without those of a kind that the run does not measure."""
    for node in nodes:
        if _NOTHING in getattr(getattr(node, "callspec", None), "id", ""):
            continue
        item = item_of(node)
        if item is not None:
            words = (item.mark.get(key) for key in ("kind", "task"))
            node.extra_keyword_matches.update(word for word in words if word)
        yield node


def restore_order(items: list[pytest.Item], collected: Sequence[pytest.Item]) -> None:
    """Put benchmark items back into the order in which they were collected.

    Pytest groups items by session parameters that are equal, which mixes up cases
    whose probes are alike. Other tests keep their places.
    """
    rank = {item: number for number, item in enumerate(collected)}
    places = [i for i, item in enumerate(items) if item.get_closest_marker("compaction")]
    ordered = sorted((items[i] for i in places), key=lambda item: rank.get(item, len(rank)))
    for place, item in zip(places, ordered, strict=True):
        items[place] = item


def work_ahead(session: BenchmarkSession, nodes: Iterable[pytest.Item], is_dealt: bool) -> None:
    """Tell each kind which of its items were selected, so that it can work ahead.

    That is if they are sure to be run in this process: not if they are handed out one by one.
    """
    selected: dict[Any, list[tuple[Any, pytest.Item]]] = {}
    for node in nodes:
        item = item_of(node)
        if item is not None:
            selected.setdefault(type(item), []).append((item, node))
    for kind, items in selected.items():
        kind.work_ahead(session, items, is_dealt)


def finish_item(session: BenchmarkSession, node: pytest.Item) -> None:
    item = item_of(node)
    if item is not None and item.error is None:
        item.finish(session)


def refuse_broken(node: pytest.Item) -> None:
    item = item_of(node)
    if item is not None and item.error is not None:
        raise item.error
