"""What pytest's header says of a run: what runs, with which models, and what has no effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.models import OFFLINE, is_offline, ratio_text
from pytest_compaction.reports import counted
from pytest_compaction.session.prompts import prompt_lines
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text import printable

OPTION: Final = "--compaction-proxy"


def header_lines(session: BenchmarkSession) -> list[str]:
    """All lines; each begins with the name of this plugin."""
    return [printable(f"compaction: {text}") for text in _sentences(session)]


def _sentences(session: BenchmarkSession) -> Iterator[str]:
    settings = session.settings
    yield _summary(session)
    if session.endpoints is not None:
        if settings.counted:
            yield printable(settings.counted, 400)
        if known := session.endpoints.own_tokens:
            yield f"{ratio_text(known)} ({settings.encoding}), by earlier runs"
    yield from session.words.lines()
    yield from session.not_read
    yield from session.registry.understood(session.specs)
    if (own := session.registry.without_budget(session.specs)) and not settings.budgets:
        yield (
            f"{', '.join(own)}: takes no budget and has a trigger of its own; its views are held "
            "to the budget of each case, or to --compaction-budget=N"
        )
    if session.asking_outside:
        becomes = (
            "outside the plugin are not counted (nor kept, priced or limited; "
            f"{OPTION} does that for OpenAI and Anthropic clients)"
        )
        if settings.calls.proxy:
            becomes = (
                "by OpenAI and Anthropic clients go through a local endpoint, and are kept, "
                "replayed, priced and limited as all others"
            )
        yield f"{', '.join(session.asking_outside)}: calls {becomes}"
    if settings.judgements > 1 and OFFLINE in settings.judges:
        yield (
            "--compaction-judgements has no effect on the offline judge, which always says the same"
        )
    if settings.answers and not all(map(is_offline, (settings.responder, *settings.judges))):
        yield (
            "--compaction-answers has no effect: a model answers or judges, so that answers are "
            "made without it"
        )
    if session.has_dialogues and not settings.read_by_rules:
        yield "--compaction-reader has no effect on dialogues"
    yield from prompt_lines(session)
    if is_offline(settings.model):
        for strategy, name in session.registry.prompt_only(session.specs):
            yield (
                f"{strategy}:{name} has no effect offline: the offline model does not read prompts"
            )


def _summary(session: BenchmarkSession) -> str:
    settings = session.settings
    parts = [", ".join(settings.arms)]
    if settings.shard:
        parts.append(f"shard {settings.shard}")
    if session.case_set.entries or session.case_set.errors or not session.has_dialogues:
        parts.append(_cases_text(session))
    if session.has_dialogues:
        parts.append(_dialogues_text(session))
    parts += [
        f"model {', '.join(settings.models)}",
        f"trigger {settings.trigger}",
        f"trials {settings.trials}",
    ]
    if settings.budgets:
        named = (f"{b:,}" if isinstance(b, int) else b for b in settings.budgets)
        parts.append(f"budget {', '.join(named)}")
    if not settings.read_by_rules:
        parts.append(f"views read by {settings.reader}, not by rules")
    if settings.answers:
        parts.append("with answers")
    if settings.next_actions:
        parts.append("with next actions")
    if settings.cycles:
        parts.append(f"cases continued to {counted(settings.cycles, 'compaction')}")
    if settings.over_budget != "fail":
        parts.append(f"views over budget: {settings.over_budget}")
    if session.baseline_title:
        parts.append(f"baseline {session.baseline_title}")
    return " | ".join(parts)


def _cases_text(session: BenchmarkSession) -> str:
    cases = session.cases_that_run
    probes = sum(len(case.probes) for case in cases)
    broken = f", {len(session.case_set.errors)} broken" if session.case_set.errors else ""
    real = sum(case.origin == "real" for case in cases)
    of = f"{len(cases)} of " if session.part else ""
    origin = f" ({real} real)" if real else ""
    whose = "shipped " if session.shipped else ""
    named = counted(len(session.case_set.entries), f"{whose}case")
    return f"{of}{named}{origin}{broken}, {counted(probes, 'probe')}"


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
