"""The settings of a run, made from all options."""

from __future__ import annotations

from pytest_compaction.options.dialogues import dialogue_settings
from pytest_compaction.options.gate import (
    baseline_settings,
    over_budget_of,
    snapshot_settings,
    thresholds_of,
)
from pytest_compaction.options.model_calls import call_settings, check_executor
from pytest_compaction.options.reports import report_files, shown_failures
from pytest_compaction.options.selection import budgets_of, hidden, named_compactors, shard_of
from pytest_compaction.options.table import OPTIONS
from pytest_compaction.options.values import Reader, number, split, value_of
from pytest_compaction.settings import LongMemorySettings, Settings


def read_settings(config: Reader) -> Settings:
    """Read the command line and the ini file; raises :class:`OptionError` for unusable values."""
    raw = {option.key: value_of(config, option) for option in OPTIONS}
    model = raw["compaction_model"]
    check_executor(raw)
    return Settings(
        compactors=tuple(dict.fromkeys(hidden(named_compactors(config)))),
        cases=tuple(raw["compaction_cases"]),
        model=model,
        responder=raw["compaction_responder"] or model,
        judges=tuple(dict.fromkeys(split(raw, "compaction_judge"))) or (model,),
        trials=number(raw, "compaction_trials"),
        judgements=number(raw, "compaction_judgements"),
        long_memory=LongMemorySettings(
            truncated=bool(raw["compaction_truncated_chats"]),
            published_rounding=bool(raw["compaction_published_rounding"]),
        ),
        control=bool(raw["compaction_control"]),
        trigger=raw["compaction_trigger"],
        budgets=budgets_of(split(raw, "compaction_budget")),
        answers=bool(raw["compaction_answers"]),
        over_budget=over_budget_of(raw),
        shard=shard_of(raw),
        executor=raw["compaction_executor"],
        pass_score=number(raw, "compaction_pass_score"),
        thresholds=thresholds_of(list(hidden(raw["compaction_threshold"]))),
        reports=report_files(raw["compaction_report"]),
        baseline=baseline_settings(raw),
        show=shown_failures(raw),
        max_unscored=number(raw, "compaction_max_unscored"),
        concurrency=number(raw, "compaction_concurrency"),
        timeout=number(raw, "compaction_timeout"),
        encoding=raw["compaction_encoding"],
        runs=raw["compaction_runs"],
        dialogues=dialogue_settings(raw),
        calls=call_settings(raw),
        snapshots=snapshot_settings(raw),
        check=bool(raw["compaction_check"]),
        examples=number(raw, "compaction_examples"),
    )
