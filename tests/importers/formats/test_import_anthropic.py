"""Anthropic messages: blocks, logs of requests, and compactions by the interface."""

import pytest
from support.imports import roles
from support.transcript_samples import imported_as
from support.transcript_samples import write_log as write

from pytest_compaction.conversation import Image, Opaque, Thinking, canonical_json

THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
ASK = {"role": "user", "content": "Read a.py"}
CALL = {
    "role": "assistant",
    "content": [
        THINKING,
        {"type": "text", "text": "Reading."},
        {"type": "text", "text": "Both."},
        {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a.py"}},
        {"type": "tool_use", "id": "t2", "name": "list", "input": {}},
    ],
}
BACK = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "t2", "content": "a.py", "is_error": True},
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": [
                {"type": "text", "text": "x = 1"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/gif", "data": "A" * 40},
                },
            ],
        },
        {"type": "text", "text": "and hurry"},
    ],
}
SAY = {"role": "assistant", "content": [{"type": "text", "text": "It sets x."}]}
TALK = [ASK, CALL, BACK, SAY]
RESPONSE = {"type": "message", "id": "msg_1", "model": "claude-x", **SAY}


def read(path):
    return imported_as("anthropic", path)


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ([{"model": "claude-x", "max_tokens": 9, "messages": TALK}], False),
        ([TALK], False),
        (TALK, True),
        ([{"request": {"model": "claude-x", "messages": TALK[:3]}, "response": RESPONSE}], False),
    ],
    ids=["body", "list", "lines", "exchange"],
)
def test_a_conversation_is_read_from_each_of_its_wrappings(tmp_path, values, lines):
    (transcript,) = read(write(tmp_path, *values, lines=lines))
    assert roles(transcript) == "user assistant tool tool user assistant"
    called, first, second, hurry = transcript.messages[1:5]
    assert called.parts[0] == Thinking(canonical_json(THINKING))
    assert called.text == "Reading.\nBoth."
    assert (first.results[0].text, first.results[0].is_error) == ("x = 1", False)
    assert first.parts[1] == Image('{"bytes":30,"media_type":"image/gif","type":"image"}')
    assert (second.results[0].text, second.results[0].is_error) == ("a.py", True)
    assert hurry.text == "and hurry"
    assert transcript.tally.records == 4
    assert not transcript.tally.left_out


def test_a_system_prompt_beside_the_messages_comes_first(tmp_path):
    system = [{"type": "text", "text": "Be careful.", "cache_control": {"type": "ephemeral"}}]
    plain = [ASK, {"role": "assistant", "content": "Fine."}]
    (transcript,) = read(write(tmp_path, {"system": system, "messages": plain}))
    assert (transcript.messages[0].role, transcript.messages[0].text) == ("system", "Be careful.")


def test_a_log_with_moving_cache_marks_is_one_conversation(tmp_path):
    marked = {
        "role": "user",
        "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
    }
    unmarked = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    requests = [
        {"request": {"model": "m", "system": "a", "messages": [marked]}, "response": RESPONSE},
        {"request": {"model": "m", "system": "b", "messages": [unmarked, SAY, ASK]}},
    ]
    (transcript,) = read(write(tmp_path, *requests, lines=True))
    assert [m.text for m in transcript.messages] == ["b", "hi", "It sets x.", "Read a.py"]
    assert transcript.tally.left_out == {"message repeated in a later request": 2}


def test_a_compaction_block_is_a_boundary_and_no_message(tmp_path):
    block = {"type": "compaction", "content": "so far: x is 1"}
    after = {"role": "assistant", "content": [block, {"type": "text", "text": "Going on."}]}
    (transcript,) = read(write(tmp_path, {"messages": [*TALK, ASK, after]}))
    assert [(b.after, b.summary) for b in transcript.boundaries] == [("m0006", "so far: x is 1")]
    assert transcript.messages[-1].text == "Going on."
    assert not any("so far" in m.text for m in transcript.messages)


def test_what_the_provider_ran_stays_and_what_is_unknown_is_counted(tmp_path):
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf"}}
    talk = [
        {"role": "user", "content": [document, {"type": "text", "text": "what is it?"}]},
        {"role": "assistant", "content": [search, found, {"type": "aura"}]},
        {"role": "assistant", "content": []},
        {"role": "critic", "content": "?"},
        *TALK,
    ]
    (transcript,) = read(write(tmp_path, {"messages": talk}))
    assert transcript.messages[1].parts == (
        Opaque(canonical_json(search)),
        Opaque(canonical_json(found)),
    )
    assert isinstance(transcript.messages[0].parts[0], Opaque)
    assert transcript.tally.left_out == {
        "unknown content block 'aura'": 1,
        "empty assistant message": 1,
        "unknown message role 'critic'": 1,
    }


def test_a_result_that_comes_twice_or_late_is_told_from_one_without_a_call(tmp_path):
    def back(id):
        block = {"type": "tool_result", "tool_use_id": id, "content": "x"}
        return {"role": "user", "content": [block]}

    late = {"role": "assistant", "content": [{"type": "tool_use", "id": "t3", "name": "read"}]}
    path = write(tmp_path, [*TALK, back("t1"), late, SAY, back("t3"), back("t9"), SAY])
    (transcript,) = read(path)
    assert transcript.tally.left_out == {
        "second result of the same tool call": 1,
        "tool result that came after the conversation had moved on": 1,
        "tool result whose call is not in the transcript": 1,
    }
