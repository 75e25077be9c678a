"""Scheduling under pytest-xdist: all items of one compaction stay on one worker.

Registered only when xdist is there. ``--dist=loadgroup`` cannot serve: it writes
item ids, which today's pytest no longer lets it do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from pytest_compaction.session.session import BenchmarkSession


class CaseScheduling(LoadScopeScheduling):
    """Hands out items in units that share a compaction; other tests one by one."""

    def __init__(self, config: pytest.Config, log: Any, groups: Mapping[str, str]) -> None:
        super().__init__(config, log)
        self._groups = groups

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid, self._groups) or nodeid

    def remove_node(self, node: Any) -> str | None:
        """Hand on what a dead worker left, but not the item that killed it: it would do so again.

        Returns that item; ``None`` when the worker had nothing left to do.
        """
        for unit in self.assigned_work[node].values():
            for nodeid, completed in unit.items():
                if not completed:
                    unit[nodeid] = True
                    super().remove_node(node)
                    return str(nodeid)
        super().remove_node(node)
        return None


def group_of(nodeid: str, groups: Mapping[str, str]) -> str | None:
    """The group of an item by the parameters in its id; ``None`` for a test of another kind.

    ``groups`` maps parameter ids to groups. A test with further parameters has
    them joined by ``-`` before or after ours.
    """
    parts = nodeid.partition("[")[2].removesuffix("]").split("-")
    for length in range(len(parts), 0, -1):
        for start in range(len(parts) - length + 1):
            found = groups.get("-".join(parts[start : start + length]))
            if found is not None:
                return found
    return None


class XdistHooks:
    """Hooks that exist only with xdist."""

    def __init__(self, session: BenchmarkSession) -> None:
        self._ledger = session.endpoints.accounts if session.endpoints else None
        self._groups = {
            item.id: item.group for arms in (False, True) for item in session.parameters(arms)
        }
        if session.has_dialogues:
            from pytest_compaction.session.dialogue_items import groups

            self._groups |= groups(session)

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Replace the default scheduler; a mode chosen by the user is respected."""
        if config.getvalue("dist") != "load":
            return None
        return CaseScheduling(config, log, self._groups)

    def pytest_configure_node(self, node: Any) -> None:
        """Tell workers whether a case is theirs alone, so that they may work ahead."""
        node.workerinput["compaction_case_is_whole"] = node.config.getvalue("dist") == "load"
        if self._ledger is not None:
            node.workerinput["compaction_ledger"] = str(self._ledger.path)

    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker that died had in flight may have been charged."""
        if self._ledger is not None:
            self._ledger.write_off(node.gateway.id)
