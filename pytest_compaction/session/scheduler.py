"""Scheduling under pytest-xdist: items that share work stay on one worker.

Imported only when xdist is installed. ``--dist=loadgroup`` is no alternative: it rewrites
item ids, which pytest 9 does not allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from pytest_compaction.session.items.collection import groups_of
from pytest_compaction.session.session import BenchmarkSession


class CaseScheduling(LoadScopeScheduling):
    """Hands out the items of a group together, and other tests one by one."""

    def __init__(self, config: pytest.Config, log: Any, groups: Mapping[str, str]) -> None:
        super().__init__(config, log)
        self._groups = groups

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid, self._groups) or nodeid

    def remove_node(self, node: Any) -> str | None:
        """Hand on the items of a dead worker, except the one that killed it: it would do so again.

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


class Scheduling:
    """Keeps items of one group on one worker; registered only with xdist.

    ``groups`` maps parameter ids to groups.
    """

    def __init__(self, groups: Mapping[str, str]) -> None:
        self._groups = groups

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Replace the default scheduler; a mode chosen by the user is respected."""
        if config.getvalue("dist") != "load":
            return None
        return CaseScheduling(config, log, self._groups)


class BenchmarkScheduling(Scheduling):
    """The same for a benchmark, whose workers also share one account of what was spent."""

    def __init__(self, session: BenchmarkSession) -> None:
        super().__init__(groups_of(session))
        self._accounts = session.endpoints.accounts if session.endpoints else None
        self._checked = [case.digest for case in session.case_set.cases]

    def pytest_configure_node(self, node: Any) -> None:
        """Tell workers which cases are sound, and whether they may work ahead: a case is whole."""
        node.workerinput["compaction_case_is_whole"] = node.config.getvalue("dist") == "load"
        node.workerinput["compaction_checked_cases"] = self._checked
        if self._accounts is not None:
            node.workerinput["compaction_accounts"] = str(self._accounts.path)

    def pytest_testnodedown(self, node: Any) -> None:
        """Count the calls that a dead worker had in flight as charged: they may have been."""
        if self._accounts is not None:
            self._accounts.write_off(node.gateway.id)
