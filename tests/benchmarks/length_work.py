"""The pieces of work that the benchmark ``length`` measures, each in a process of its own.

``python -m tests.benchmarks.length_work WORK FOLDER`` prints seconds of CPU and the peak of
memory for the conversation in the folder, as JSON; ``write`` makes the folder from a number of
tokens. Memory is what the process holds at its peak, the conversation included, above what it
held before it read the conversation.
"""

import asyncio
import ctypes
import gc
import json
import pickle
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pytest_compaction.case import Case, case_from_json, find_cases
from pytest_compaction.case.validation import message_faults
from pytest_compaction.case_making import Redactor, make_case
from pytest_compaction.compactors.base.history import dump, load, spans_between
from pytest_compaction.compactors.protocol import Context, Outcome
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.conversation import TokenCounter, ToolCall, structure_faults
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.gc_threshold import look_less_often
from pytest_compaction.importers import conversations, importer_for, load_importers
from pytest_compaction.judges import log_digest
from pytest_compaction.metrics import read, view_index
from pytest_compaction.models import JudgeRequest, OfflineModel
from pytest_compaction.models.chat.log_excerpt import excerpts_for
from pytest_compaction.models.offline import answer as offline_answer
from pytest_compaction.models.offline import judge as offline_judge
from pytest_compaction.models.offline import summary as offline_summary
from pytest_compaction.run.feeder import CaseFeeder, check_spans
from pytest_compaction.run.figures.null_views import NullViews
from pytest_compaction.run.response import Roles
from pytest_compaction.run.triggers import parse_trigger
from tests.benchmarks.long_conversation import case_data, conversation

PICKLE, CASE, CLAUDE_CODE, OPENAI = "log.pickle", "case.json", "claude-code.jsonl", "openai.json"
WARM = "warm"
"""Folder of a short conversation, beside the others, on which each piece of work is done first."""

Work = Callable[[], object]


def write(tokens: int, folder: Path) -> None:
    """Write a conversation, its case, and its transcript in two formats."""
    messages, facts = conversation(tokens)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / PICKLE).open("wb") as file:
        pickler = pickle.Pickler(file)
        pickler.fast = True  # without a memo, so that reading it leaves nothing behind
        pickler.dump((messages, facts))
    data = case_data(messages, facts, to_chat(messages, ids=True))
    (folder / CASE).write_text(json.dumps(data))
    (folder / OPENAI).write_text(json.dumps({"messages": to_chat(messages)}))
    with (folder / CLAUDE_CODE).open("w") as file:
        for before, message in zip((None, *messages), messages, strict=False):
            file.write(json.dumps(_claude_code_line(message, before)) + "\n")
    sizes = {
        "tokens": TokenCounter().messages(messages),
        "messages": len(messages),
        "characters": sum(map(len, map(_text, messages))),
    }
    (folder / "sizes.json").write_text(json.dumps(sizes))


def _text(message):
    parts = message.parts
    return "".join(part.arguments if isinstance(part, ToolCall) else part.text for part in parts)


def _claude_code_line(message, before):
    content = [{"type": "text", "text": message.text}] if message.text else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.parsed()}
        for call in message.calls
    ]
    content += [
        {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text}
        for result in message.results
    ]
    role = "assistant" if message.role == "assistant" else "user"
    return {
        "parentUuid": before.id if before else None,
        "uuid": message.id,
        "sessionId": "length",
        "type": role,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"id": message.id, "role": role, "content": content},
    }


def _log(folder):
    with (folder / PICKLE).open("rb") as file:
        return pickle.load(file)


def _case(folder) -> Case:
    """The case of a conversation, without a copy of its messages as JSON."""
    messages, facts = _log(folder)
    ids = [{"id": message.id, "role": "user", "content": "-"} for message in messages]
    return replace(case_from_json(case_data(messages, facts, ids)), messages=messages)


def _tokens(folder) -> Work:
    messages, _ = _log(folder)
    return lambda: TokenCounter().messages(messages)


def _imported(name, folder) -> Work:
    def work():
        path = folder / name
        return list(conversations(importer_for(path, load_importers().importers), path))

    return work


def _redacted(folder) -> Work:
    (transcript,) = _imported(CLAUDE_CODE, folder)()
    return lambda: Redactor().redact(transcript)


def _made(folder) -> Work:
    (transcript,) = _imported(CLAUDE_CODE, folder)()
    return lambda: make_case(transcript)


def _parsed(folder) -> Work:
    return lambda: find_cases([folder / CASE]).cases


def _faults(folder) -> Work:
    case = _case(folder)
    return lambda: message_faults(case)


def _survival(folder) -> Work:
    case = _case(folder)

    def work():
        index = view_index(case.messages)
        return [read(probe.facts, probe.traps, index) for probe in case.probes]

    return work


def _spans(folder) -> Work:
    messages, _ = _log(folder)

    def work():
        after = load(dump(messages))[:-1]
        spans = spans_between(messages, after[::2] + after[1::2])
        check_spans("spans", Outcome({}, "compacted", spans), messages)
        return structure_faults(messages)

    return work


def _summary(folder) -> Work:
    messages, _ = _log(folder)
    count = TokenCounter().text
    return lambda: offline_summary.summarize(messages, SECTIONS, 4000, None, count)


def _answers(folder) -> Work:
    case = _case(folder)
    count = TokenCounter().text
    return lambda: [
        offline_answer.answer(case.messages, probe.question, probe.answer, count)
        for probe in case.probes
    ]


def _request(case, probe):
    said = " ".join(fact.text for fact in probe.facts)
    return JudgeRequest(
        kind=probe.kind,
        question=probe.question,
        response=f"{said}. See `src/{probe.id}/cache.py`, where 4711 stood and `fetch_row` failed.",
        facts=probe.facts,
        traps=probe.traps,
        answer=probe.answer,
        digest=log_digest(case, probe.point),
    )


def _judged(folder) -> Work:
    case = _case(folder)
    return lambda: [offline_judge.judge(_request(case, probe)) for probe in case.probes]


def _excerpts(folder) -> Work:
    case = _case(folder)
    tokens = TokenCounter()
    return lambda: [excerpts_for(_request(case, p), 8000, tokens) for p in case.probes]


def _run(work: Callable[[], Coroutine[Any, Any, object]]) -> list[object]:
    """What a coroutine returns, in a list.

    In the main thread ``asyncio.run`` writes the result of its task out as text when it ends:
    for all views of a case that took twice the memory of the conversation, and is no work of ours.
    """
    made: list[object] = []

    async def kept() -> None:
        made.append(await work())

    asyncio.run(kept())
    return made


def _nulls(folder) -> Work:
    case = _case(folder)
    offline = OfflineModel(TokenCounter())
    tokens = (case.budget,) * len(case.points)

    def work():
        nulls = NullViews(Roles(offline, offline, (offline,), TokenCounter()))
        return [nulls.readings(case, probe, tokens) for probe in case.probes]

    return work


def _fed(spec, trigger, folder) -> Work:
    """Feeding a case and making its last view, once for each question.

    At the points of the case a view may take a twelfth of the log; with another trigger it
    may take 8,000 tokens, in a window of 200,000, as with an agent at work.
    """
    case = _case(folder)
    counter = TokenCounter()
    model = OfflineModel(counter)
    context = Context(case.window, case.budget, counter, model)
    if trigger != "case":
        context = Context(200_000, 8000, counter, model)

    async def work():
        compactor = Registry().create(parse_spec(spec))
        feeder = CaseFeeder(case, compactor, context, parse_trigger(trigger), 1e6)
        try:
            fed = await feeder.feed()
            for probe in case.probes:
                if fed.points[probe.point].state is not None:
                    await feeder.view(probe.point, probe.question)
        finally:
            feeder.close()
        return fed

    return lambda: _run(work)


PARTS: dict[str, Callable[[Path], Work]] = {
    "token counting": _tokens,
    "import, claude-code": partial(_imported, CLAUDE_CODE),
    "import, openai-chat": partial(_imported, OPENAI),
    "redaction": _redacted,
    "case from a transcript": _made,
    "case file, parsed and validated": _parsed,
    "message structure": _faults,
    "spans": _spans,
    "survival, 20 probes": _survival,
    "nulls, 20 probes": _nulls,
    "offline summary": _summary,
    "offline answer, 20 probes": _answers,
    "offline judge, 20 probes": _judged,
    "judge's excerpt, 20 probes": _excerpts,
}
"""What is measured beside strategies."""

WITHOUT = ("anthropic", "external", "openai-compact", "recorded")
"""Strategies that rules cannot run: they need an endpoint, a program or a view on record."""

TRIGGERED = (
    ("none", "turns:2"),
    ("window", "tokens:50000"),
    ("truncate", "auto"),
    ("anchored", "window:0.5"),
    ("anchored+ledger", "adaptive"),
    ("rag", "tokens:50000"),
)
"""Strategies with a trigger that is asked after each group of messages."""


def names() -> list[str]:
    """Every piece of work, as it is named in the table."""
    strategies = [name for name in Registry().names() if name not in WITHOUT]
    fed = [f"{name} @ case" for name in [*strategies, "anchored+ledger+pins"]]
    return [*PARTS, *fed, *(f"{spec} @ {trigger}" for spec, trigger in TRIGGERED)]


def _prepare(name: str, folder: Path) -> Work:
    if name in PARTS:
        return PARTS[name](folder)
    spec, trigger = name.split(" @ ")
    return _fed(spec, trigger, folder)


def _memory(of: str) -> int:
    """Bytes that this process holds now (``VmRSS``) or held at most (``VmHWM``)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(of)) * 1024


def _give_back() -> None:
    """Give what is not used to the system, and begin the peak of memory anew."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def measured(name: str, folder: Path) -> dict[str, float]:
    """Seconds of CPU and bytes of memory of one piece of work."""
    _prepare(name, folder.parent / WARM)()
    _give_back()
    empty = _memory("VmRSS")
    work = _prepare(name, folder)
    _give_back()
    start = time.process_time()
    made = work()
    seconds = time.process_time() - start
    peak = _memory("VmHWM") - empty
    del made
    return {"seconds": seconds, "memory": peak}


if __name__ == "__main__":
    look_less_often()  # as in a run of the benchmark
    if sys.argv[1] == "write":
        write(int(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.stdout.write(json.dumps(measured(sys.argv[1], Path(sys.argv[2]))))
