"""What pytest's header says of a run: what runs, with which models, and what has no effect."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models import OFFLINE, is_offline, ratio_text
from pytest_compaction.session.prompts import prompt_lines
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text import printable

OPTION: Final = "--compaction-proxy"


def header_lines(session: BenchmarkSession) -> list[str]:
    lines = [summary_line(session), *_token_lines(session)]
    lines += [printable(f"compaction: {text}") for text in session.words.lines()]
    lines += [f"compaction: {sentence}" for sentence in session.not_read]
    told = session.registry.understood(session.specs)
    lines += [printable(f"compaction: {sentence}") for sentence in told]
    if (own := session.registry.without_budget(session.specs)) and not session.settings.budgets:
        lines.append(
            printable(
                f"compaction: {', '.join(own)}: takes no budget and has a trigger of its own; its "
                "views are held to the budget of each case, or to --compaction-budget=N"
            )
        )
    if session.asking_outside:
        named = ", ".join(session.asking_outside)
        becomes = (
            "by OpenAI and Anthropic clients go through a local endpoint, and are kept, replayed, "
            "priced and limited as all others"
            if session.settings.calls.proxy
            else "outside the plugin are not counted (nor kept, priced or limited; "
            f"{OPTION} does that for OpenAI and Anthropic clients)"
        )
        lines.append(printable(f"compaction: {named}: calls {becomes}"))
    if session.settings.judgements > 1 and OFFLINE in session.settings.judges:
        lines.append(
            "compaction: --compaction-judgements has no effect on the offline judge, which "
            "always says the same"
        )
    if session.settings.answers and not (
        is_offline(session.settings.responder) and all(map(is_offline, session.settings.judges))
    ):
        lines.append(
            "compaction: --compaction-answers has no effect: a model answers or judges, so that "
            "answers are made without it"
        )
    if session.has_dialogues and not session.settings.read_by_rules:
        lines.append("compaction: --compaction-reader has no effect on dialogues")
    lines += [printable(f"compaction: {sentence}") for sentence in prompt_lines(session)]
    if is_offline(session.settings.model):
        lines += [
            printable(
                f"compaction: {strategy}:{name} has no effect offline: the offline model "
                "does not read prompts"
            )
            for strategy, name in session.registry.prompt_only(session.specs)
        ]
    return lines


def _token_lines(session: BenchmarkSession) -> list[str]:
    if session.endpoints is None:
        return []
    known, settings = session.endpoints.own_tokens, session.settings
    lines = [printable(f"compaction: {settings.counted}", 400)] if settings.counted else []
    if known:
        ratio = ratio_text(known)
        lines.append(f"compaction: {ratio} ({settings.encoding}), by earlier runs")
    return lines


def summary_line(session: BenchmarkSession) -> str:
    models = session.settings.models
    parts = [", ".join(session.settings.arms)]
    if session.settings.shard:
        parts.append(f"shard {session.settings.shard}")
    if session.case_set.entries or session.case_set.errors or not session.has_dialogues:
        parts.append(_cases_text(session))
    if session.has_dialogues:
        parts.append(_dialogues_text(session))
    parts += [
        f"model {', '.join(models)}",
        f"trigger {session.settings.trigger}",
        f"trials {session.settings.trials}",
    ]
    if session.settings.budgets:
        named = (f"{b:,}" if isinstance(b, int) else b for b in session.settings.budgets)
        parts.append(f"budget {', '.join(named)}")
    if not session.settings.read_by_rules:
        parts.append(f"views read by {session.settings.reader}, not by rules")
    if session.settings.answers:
        parts.append("with answers")
    if session.settings.over_budget != "fail":
        parts.append(f"views over budget: {session.settings.over_budget}")
    if session.baseline_title:
        parts.append(f"baseline {session.baseline_title}")
    return printable(f"compaction: {' | '.join(parts)}")


def _cases_text(session: BenchmarkSession) -> str:
    cases = session.cases_that_run
    probes = sum(len(case.probes) for case in cases)
    broken = f", {len(session.case_set.errors)} broken" if session.case_set.errors else ""
    real = sum(case.origin == "real" for case in cases)
    of = f"{len(cases)} of " if session.part else ""
    origin = f" ({real} real)" if real else ""
    whose = "shipped " if session.shipped else ""
    known = len(session.case_set.entries)
    named = f"{known} {whose}case{'' if known == 1 else 's'}"
    return f"{of}{named}{origin}{broken}, {probes} probe{'' if probes == 1 else 's'}"


def _dialogues_text(session: BenchmarkSession) -> str:
    from pytest_compaction.dialogues import history_mode, trigger_for_dialogues

    named = session.settings.dialogues
    broken = len(session.dialogue_set.errors)
    trigger = trigger_for_dialogues(session.trigger)
    instead = f", trigger {trigger}" if trigger != session.trigger else ""
    of = f"{len(session.part.dialogues)} of " if session.part else ""
    return (
        f"{of}{len(session.dialogue_set.dialogues)} dialogues"
        f"{f', {broken} broken' if broken else ''}"
        f" ({history_mode(named.history, session.roles.responder.name)} history, "
        f"budget {named.budget:.0%}{instead})"
    )
