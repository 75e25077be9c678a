"""The gates of a run as they were given, and those of a project on cases that nobody named."""

from __future__ import annotations

import pytest

from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import DEFAULT_CASES, SHIPPED, Settings
from pytest_compaction.text import printable


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
