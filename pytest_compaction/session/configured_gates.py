"""The gates of a run as they were given, and those of a project on cases that nobody named."""

from __future__ import annotations

import pytest

from pytest_compaction.session.header_lines import OPTION
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import DEFAULT_CASES, SHIPPED, Settings
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


def need_named_cases(config: pytest.Config, session: BenchmarkSession) -> None:
    """Refuse a gate of a project's configuration on cases that nobody named."""
    for key, gate in gates_of(session.settings).items():
        if not is_typed(config, key):
            found = "".join(f"; {sentence}" for sentence in session.not_read)
            raise pytest.UsageError(
                printable(
                    f"the configuration of this project has a gate ({key}: {gate}) and no cases of "
                    f"its own{found}; put them into the folder {DEFAULT_CASES}, or name them with "
                    f"compaction_cases, which takes {SHIPPED} for those of the package"
                )
            )


def gates_of(settings: Settings) -> dict[str, str]:
    """The thresholds and the baseline as they were given, by their ini keys."""
    gates = {
        "compaction_threshold": ", ".join(settings.thresholds),
        "compaction_baseline": settings.baseline.path,
    }
    return {key: gate for key, gate in gates.items() if gate}


def is_typed(config: pytest.Config, key: str) -> bool:
    """Whether an option stands on the command line itself, not in a configuration."""
    flag, given = f"--{key.replace('_', '-')}", config.invocation_params.args
    return any(str(argument).partition("=")[0] == flag for argument in given)
