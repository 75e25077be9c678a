"""Strategies of one's own: with the model of the run, and with clients of their own."""

import json
import os
import urllib.request

from pytest_compaction.compactors import Section, SummaryRequest

QUESTION = [{"role": "user", "content": "What is decided? \U0001f600"}]


async def summarised(messages, budget, model):
    """One section, with a focus."""
    section = Section("decided", "Decided", "What is decided, and why.", ("decisions",))
    reply = await model.summarize(SummaryRequest((), (section,), budget, instructions="Be short."))
    return [{"role": "user", "content": str(reply.summary.entries)}]


def asked(messages, budget):
    """One request in each form that the local endpoint of a run passes on."""
    said = {"model": "gpt-4o-mini", "messages": QUESTION}
    _post("OPENAI_BASE_URL", "chat/completions", said)
    _post("OPENAI_BASE_URL", "responses", {"model": "gpt-4o-mini", "input": QUESTION})
    _post("ANTHROPIC_BASE_URL", "v1/messages", {**said, "max_tokens": 50})
    return messages[-1:]


def _post(variable, path, body):
    if variable == "OPENAI_BASE_URL":
        key = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    else:
        key = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(
        f"{os.environ[variable]}/{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **key},
    )
    with urllib.request.urlopen(request) as reply:
        reply.read()
