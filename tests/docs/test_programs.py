"""The programs in docs/programs: the compaction of a product behind ``external``."""

import json
import os
import shlex
import sys

import pytest
from support.builders import COUNTER, context_of, session
from support.compacting import compacted, messages_of, roles
from support.compositions import create
from support.endpoint_replies import Answer, completion
from support.endpoint_server import serving
from support.pages import DOCS

from pytest_compaction.conversation import structure_faults

PROGRAMS = {
    "langchain_summary": ("langchain_openai", "WITH_LANGCHAIN"),
    "strands_summary": ("strands", "WITH_STRANDS"),
}
"""The programs, each with a package that it needs, and the variable that says that it is here."""
REPLY = "The retry limits are 100 to 111."


def decided(asked):
    """The reply, as a stream where one is asked for."""
    if not asked.body.get("stream"):
        return Answer(completion(REPLY))
    choice = {"index": 0, "delta": {"role": "assistant", "content": REPLY}, "finish_reason": None}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks = [json.dumps({**head, "choices": [each]}) for each in (choice, end)]
    data = "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]).encode()
    return Answer(data, headers={"Content-Type": "text/event-stream"})


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_calls_the_compaction_of_its_product(name, monkeypatch):
    package, here = PROGRAMS[name]
    if here not in os.environ:
        pytest.importorskip(package, reason=f"{name} needs packages of its own")
    command = shlex.join([sys.executable, str(DOCS / "programs" / f"{name}.py")])
    with serving(decided) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        context = context_of(1500, window=8_000)
        outcome, view = compacted(create(f"external:command={command!r}"), session(12), context)
    assert server.asked, "no summary was asked for"
    assert outcome.status == "compacted", outcome.error
    assert any(REPLY in message.text for message in view)
    assert roles(view)[0] == "system"
    assert structure_faults(view) == []
    assert COUNTER.messages(view) < COUNTER.messages(messages_of(session(12)))
