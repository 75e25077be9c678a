"""What a check of invariants leaves out of the settings of a run."""

from __future__ import annotations

import pytest

from pytest_compaction.session.configured_gates import gates_of, is_typed
from pytest_compaction.session.header_lines import OPTION
from pytest_compaction.settings import Settings
from pytest_compaction.text import printable


def left_out_of_check(config: pytest.Config, settings: Settings) -> list[str]:
    """A line for each part of the configuration that has no effect on a check.

    Raises :class:`pytest.UsageError` for such a part on the command line.
    """
    lines = (_ignored_gates(config, settings), _ignored_proxy(config, settings))
    return [line for line in lines if line]


def _ignored_gates(config: pytest.Config, settings: Settings) -> str:
    """One line that names what a check leaves out of the configuration; empty if it has no gate.

    Raises :class:`pytest.UsageError` for a gate on the command line, which would decide nothing.
    """
    gates = gates_of(settings)
    for key, gate in gates.items():
        if is_typed(config, key) and not hasattr(config, "workerinput"):
            raise pytest.UsageError(
                printable(
                    f"--{key.replace('_', '-')}={gate} is a gate on scores, and --compaction-check "
                    "gives no scores: an invariant holds or it fails; leave one of the two out"
                )
            )
    if not gates:
        return ""
    named = ", ".join(gates)
    return f"compaction: {named} of the configuration decides nothing here: a check gives no scores"


def _ignored_proxy(config: pytest.Config, settings: Settings) -> str:
    """One line that says that a check leaves out the proxy of the configuration; else empty.

    Raises :class:`pytest.UsageError` for one on the command line, which would record nothing.
    """
    if not settings.calls.proxy:
        return ""
    if is_typed(config, "compaction_proxy") and not hasattr(config, "workerinput"):
        raise pytest.UsageError(
            f"{OPTION} records and limits what strategies ask in a benchmark, and "
            "--compaction-check asks with hundreds of generated conversations that no later run "
            "asks again; leave one of the two out, and give the check a strategy whose client "
            "needs no endpoint"
        )
    return "compaction: compaction_proxy of the configuration has no effect on a check"
