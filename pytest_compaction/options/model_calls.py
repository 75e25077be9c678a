"""How models are asked, and where the work of a run is done."""

from __future__ import annotations

from typing import Any, Final

from pytest_compaction.options.removed import refuse_removed
from pytest_compaction.options.values import number
from pytest_compaction.settings import CallSettings, OptionError

_NOT_WITH_EXPORT: Final = ("compaction_replay", "compaction_refresh", "compaction_estimate")


def call_settings(raw: dict[str, Any]) -> CallSettings:
    """How models are asked and what that may cost.

    Raises :class:`OptionError` for options that exclude each other.
    """
    if raw["compaction_replay"] and raw["compaction_refresh"]:
        raise OptionError(
            "--compaction-replay makes no call and --compaction-refresh repeats all of them; "
            "give one of the two"
        )
    instead = next((name for name in _NOT_WITH_EXPORT if raw[name]), None)
    if raw["compaction_export"] and instead is not None:
        raise OptionError(
            f"--compaction-export={raw['compaction_export']} writes the calls that the store lacks "
            f"and asks nothing; it cannot be given with --{instead.replace('_', '-')}"
        )
    limit = None
    if raw["compaction_max_cost"] is not None:
        limit = number(raw, "compaction_max_cost")
    return CallSettings(
        store=raw["compaction_store"],
        replay=bool(raw["compaction_replay"]),
        refresh=bool(raw["compaction_refresh"]),
        estimate=bool(raw["compaction_estimate"]),
        export=raw["compaction_export"],
        export_plain=bool(raw["compaction_export_plain"]),
        max_cost=limit,
        judge_prompt=raw["compaction_judge_prompt"],
        request_timeout=number(raw, "compaction_request_timeout"),
        prices=raw["compaction_prices"],
        proxy=bool(raw["compaction_proxy"]),
    )


def check_executor(raw: dict[str, Any]) -> None:
    """Refuse what cannot be kept or does not exist where cases run elsewhere."""
    executor = raw["compaction_executor"]
    if executor:
        from pytest_compaction.run.remote.executor import opener_for  # only with the option

        try:
            opener_for(executor)
        except OptionError:
            refuse_removed([f"--compaction-executor={executor}"])
            raise
    if executor and raw["compaction_max_cost"] is not None:
        raise OptionError(
            "--compaction-max-cost cannot be kept with --compaction-executor: workers elsewhere do "
            "not see what the others spend; leave one of the two out (--compaction-estimate tells "
            "the cost before)"
        )
    if executor and raw["compaction_check"]:
        raise OptionError(
            "--compaction-check measures no cases, so there is nothing for "
            "--compaction-executor to run; leave one of the two out"
        )
