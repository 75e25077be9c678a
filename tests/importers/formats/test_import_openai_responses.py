"""OpenAI Responses: items, chains of responses, and encrypted content."""

import pytest
from support.imports import roles
from support.transcript_samples import imported_as
from support.transcript_samples import write_log as write

from pytest_compaction.conversation import Image, Thinking, canonical_json
from pytest_compaction.importers.formats.openai_responses import IMPORTER

ASK = {"role": "user", "content": "Read a.py"}
REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "first the file"}],
    "encrypted_content": "gAAAA",
}
CALLS = [
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": "{}"},
    {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "list", "arguments": "{}"},
]
OUTPUTS = [
    {"type": "function_call_output", "call_id": "c2", "output": "a.py"},
    {"type": "function_call_output", "call_id": "c1", "output": "x = 1"},
]
SAY = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "It sets x.", "annotations": []}],
}
ITEMS = [ASK, REASONING, *CALLS, *OUTPUTS, SAY]


def read(path):
    return imported_as("openai-responses", path)


def response(id, *output):
    return {"object": "response", "id": id, "model": "gpt-x", "output": list(output)}


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ([{"model": "gpt-x", "input": ITEMS}], False),
        (
            [{"request": {"model": "gpt-x", "input": ITEMS[:-1]}, "response": response("r", SAY)}],
            False,
        ),
        ([ITEMS], False),
        (ITEMS, True),
        ([{"object": "list", "data": ITEMS, "input": None}], False),
    ],
    ids=["body", "exchange", "list", "lines", "stored"],
)
def test_a_conversation_is_read_from_each_of_its_wrappings(tmp_path, values, lines):
    path = write(tmp_path, *values, lines=lines)
    found = list(IMPORTER.read(path))
    (transcript,) = found
    assert roles(transcript) == "user assistant tool tool assistant"
    assert transcript.messages[1].parts[0] == Thinking(canonical_json(REASONING))
    assert [c.id for c in transcript.messages[1].calls] == ["c1", "c2"]
    assert [m.results[0].text for m in transcript.messages[2:4]] == ["x = 1", "a.py"]
    assert transcript.tally.records == 7
    assert not transcript.tally.left_out


def test_responses_that_name_the_one_before_are_one_conversation(tmp_path):
    log = [
        {
            "request": {"model": "m", "instructions": "Be brief.", "input": "Read a.py"},
            "response": response("r1", REASONING, CALLS[0]),
        },
        {
            "request": {"model": "m", "input": [OUTPUTS[1]], "previous_response_id": "r1"},
            "response": response("r2", SAY),
        },
        {"request": {"model": "m", "input": "something else"}, "response": response("r3", SAY)},
    ]
    first, second = read(write(tmp_path, *log, lines=True))
    assert roles(first) == "user assistant tool assistant"
    assert [m.text for m in second.messages] == ["something else", "It sets x."]
    assert first.tally.records == 5
    assert not first.tally.left_out


def test_requests_whose_input_grows_are_one_conversation(tmp_path):
    log = [
        {"request": {"model": "m", "input": ITEMS[:1]}, "response": response("r1", *ITEMS[1:4])},
        {"request": {"model": "m", "input": ITEMS[:6]}, "response": response("r2", SAY)},
    ]
    (transcript,) = read(write(tmp_path, *log, lines=True))
    assert len(transcript.messages) == 5
    assert transcript.tally.left_out == {"message repeated in a later request": 4}


def test_what_the_provider_ran_is_a_call_with_its_result(tmp_path):
    items = [
        ASK,
        {"type": "mcp_call", "id": "m1", "name": "search", "arguments": "{}", "output": "found"},
        {"type": "image_generation_call", "id": "i1", "status": "completed", "result": "A" * 40},
        {"type": "code_interpreter_call", "id": "p1", "code": "1+1", "outputs": [{"logs": "2"}]},
        {"type": "custom_tool_call", "call_id": "k1", "name": "patch", "input": "*** text"},
        {"type": "custom_tool_call_output", "call_id": "k1", "output": "ok"},
        {"type": "mcp_list_tools", "tools": []},
        {"type": "item_reference", "id": "x"},
        {"type": "levitation"},
        SAY,
    ]
    (transcript,) = read(write(tmp_path, items))
    assert [c.name for c in transcript.messages[1].calls] == [
        "search",
        "image_generation",
        "code_interpreter",
        "patch",
    ]
    tools = [m for m in transcript.messages if m.role == "tool"]
    assert [m.results[0].text for m in tools] == ["found", "", '[{"logs": "2"}]', "ok"]
    assert tools[1].parts[1] == Image('{"bytes":30,"media_type":"image/png","type":"image"}')
    assert transcript.messages[1].calls[3].parsed() == {"input": "*** text"}
    assert transcript.tally.left_out == {
        "unknown item type 'levitation'": 1,
        "list of tools": 1,
        "reference to an item that is not in the file": 1,
    }


def test_an_encrypted_compaction_is_a_boundary_without_a_record(tmp_path):
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gSECRET"}
    (transcript,) = read(write(tmp_path, {"model": "m", "input": [ASK, SAY, item, ASK]}))
    (boundary,) = transcript.boundaries
    assert (boundary.after, boundary.recorded) == ("m0001", False)
    assert "encrypted" in boundary.missing
    assert transcript.tally.left_out == {"encrypted content of a compaction": 1}
    assert not any("gSECRET" in str(m) for m in transcript.messages)


@pytest.mark.parametrize("listed", [True, False])
def test_a_screenshot_is_a_placeholder_with_its_size(tmp_path, listed):
    picture = {"type": "computer_screenshot", "image_url": "data:image/png;base64," + "A" * 4000}
    output = {"type": "computer_call_output", "call_id": "k1"}
    items = [
        ASK,
        {"type": "computer_call", "call_id": "k1", "action": {"type": "screenshot"}},
        {**output, "output": [picture] if listed else picture},
    ]
    (transcript,) = read(write(tmp_path, [{"model": "gpt-x", "input": items}]))
    result, placeholder = transcript.messages[-1].parts
    assert transcript.messages[-1].results == (result,)
    assert transcript.messages[-1].results[0].text == ""
    assert placeholder == Image('{"bytes":3000,"media_type":"image/png","type":"image"}')
    assert transcript.tally.repaired["image replaced by a placeholder with its size"] == 1
