"""OpenAI chat completions: bodies, logs that repeat a conversation, several conversations."""

import json

import pytest
from support.imports import at_length, roles
from support.paths import public_data
from support.transcript_samples import imported_as
from support.transcript_samples import write_log as write

from pytest_compaction import cli
from pytest_compaction.case import find_cases
from pytest_compaction.conversation import Image, Thinking


def call(id="c1", name="read", arguments="{}"):
    made = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return made if id is None else {"id": id, **made}


SYSTEM = {"role": "system", "content": "Be careful."}
ASK = {"role": "user", "content": "Read a.py"}
CALL = {"role": "assistant", "content": None, "tool_calls": [call("c1"), call("c2", "list")]}
BACK = [
    {"role": "tool", "tool_call_id": "c2", "content": "a.py b.py"},
    {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
]
SAY = {"role": "assistant", "content": "It sets x."}
TALK = [SYSTEM, ASK, CALL, *BACK, SAY]


def read(path):
    return imported_as("openai-chat", path)


def texts(transcript):
    return [m.results[0].text if m.results else m.text for m in transcript.messages]


@pytest.mark.parametrize(
    "value",
    [
        {"model": "gpt-x", "messages": TALK, "tools": []},
        {
            "request": {"model": "gpt-x", "messages": TALK[:-1]},
            "response": {"choices": [{"message": SAY}]},
        },
        {"messages": TALK},
        {"traj": TALK, "reward": 1.0, "task_id": 3, "trial": 0},
        TALK,
    ],
    ids=["body", "exchange", "messages", "traj", "list"],
)
def test_a_conversation_is_read_from_each_of_its_wrappings(tmp_path, value):
    (transcript,) = read(write(tmp_path, value))
    assert roles(transcript) == "system user assistant tool tool assistant"
    assert texts(transcript)[3:] == ["x = 1", "a.py b.py", "It sets x."]
    assert transcript.name == ""
    assert (transcript.tally.records, transcript.tally.messages) == (6, 6)
    assert not transcript.tally.left_out


def test_a_log_that_repeats_the_conversation_in_each_request_is_one(tmp_path):
    first = {"model": "m", "messages": TALK[:2]}
    requests = [
        {"request": first, "response": {"choices": [{"message": CALL | {"refusal": None}}]}},
        {"request": first, "response": {"choices": [{"message": CALL}]}},
        {
            "request": {"model": "m", "messages": [{**SYSTEM, "content": "now 10:05"}, *TALK[1:5]]},
            "response": {"choices": [{"message": SAY}]},
        },
        {"request": {"model": "m", "messages": [SYSTEM, {"role": "user", "content": "other"}]}},
    ]
    whole, other = read(write(tmp_path, *requests, lines=True))
    assert texts(whole)[1:] == ["Read a.py", "", "x = 1", "a.py b.py", "It sets x."]
    assert whole.tally.records == 3 + 3 + 6
    assert whole.tally.left_out == {
        "message repeated in a later request": 5,
        "response to a request that was sent again": 1,
    }
    assert (whole.name, other.name) == ("0001", "0002")


def test_several_conversations_of_a_file_are_named_apart(tmp_path):
    values = [
        {"traj": TALK, "task_id": 1, "trial": 0},
        {"traj": TALK, "task_id": 1, "trial": 0},
        {"messages": TALK, "custom_id": "mine"},
        {"messages": TALK},
    ]
    for lines in (False, True):
        found = read(write(tmp_path, *(values if lines else [values]), lines=lines))
        assert [t.name for t in found] == ["task1-trial0", "task1-trial0-0002", "mine", "0004"]


def test_legacy_calls_missing_ids_reasoning_and_refusals_survive(tmp_path):
    talk = [
        ASK,
        {
            "role": "assistant",
            "reasoning_content": "which file?",
            "tool_calls": [call(None, "read", {"path": "a.py"}), call(None, "list")],
        },
        {"role": "tool", "tool_name": "list", "content": "a.py"},
        {"role": "tool", "content": [{"type": "text", "text": "x = 1"}]},
        {"role": "assistant", "content": "", "function_call": {"name": "go", "arguments": "{}"}},
        {"role": "function", "name": "go", "content": "went"},
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        {"role": "tool", "content": "out of nowhere"},
        {"role": "assistant", "content": "  "},
        {"role": "oracle", "content": "?"},
    ]
    (transcript,) = read(write(tmp_path, {"messages": talk}))
    assert texts(transcript)[2:] == ["x = 1", "a.py", "", "went", "I cannot.", "out of nowhere"]
    thought = transcript.messages[1].parts[0]
    assert thought == Thinking('{"text":"which file?","type":"reasoning"}')
    assert transcript.messages[1].calls[0].parsed() == {"path": "a.py"}
    assert transcript.tally.left_out == {
        "empty assistant message": 1,
        "unknown message role 'oracle'": 1,
    }
    assert transcript.tally.repaired == {
        "tool call without an id, given a new one": 3,
        "tool output without a call, given as a system message": 1,
    }


def test_images_sound_and_files_become_placeholders_with_their_size(tmp_path):
    data = "A" * 400
    content = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": data}},
        {"type": "hologram"},
    ]
    (transcript,) = read(write(tmp_path, {"messages": [{"role": "user", "content": content}]}))
    parts = transcript.messages[0].parts
    assert parts[1] == Image('{"bytes":300,"media_type":"image/png","type":"image"}')
    assert parts[2] == Image(
        '{"media_type":"image","type":"image","url":"https://example.org/a.png"}'
    )
    assert [json.loads(part.payload)["media_type"] for part in parts[3:]] == ["audio/wav", "a.pdf"]  # type: ignore[union-attr]
    assert transcript.tally.left_out == {"unknown message part 'hologram'": 1}


def test_lines_that_hold_no_conversation_are_counted(tmp_path):
    path = write(tmp_path, {"messages": TALK}, {"metrics": {"seconds": 3}}, lines=True)
    (transcript,) = read(path)
    assert transcript.tally.records == 7
    assert transcript.tally.left_out == {"value that is not a conversation": 1}


def test_a_cut_head_of_a_long_document_is_recognised(tmp_path):
    long = {"role": "system", "content": 'a "quoted\\" text\n' * 8000}
    (transcript,) = read(write(tmp_path, {"messages": [long, *TALK]}))
    assert len(transcript.messages) == 7


def test_a_file_of_several_conversations_gives_several_cases(tmp_path, capsys):
    stated = "thread 4\nqueue limit 64\nretry delay 1.5"
    long = [
        {"role": "user", "content": "the upload handler must answer within two seconds"},
        {"role": "assistant", "content": "I use a bounded queue instead of a thread."},
        {"role": "user", "content": stated},
        *({"role": "assistant", "content": at_length(f"part {n} is done")} for n in range(5)),
    ]
    idle = [*TALK, *[{"role": "assistant", "content": at_length("Hm.")}] * 5]
    values = [{"traj": talk, "task_id": n, "trial": 0} for n, talk in enumerate([long, idle, long])]
    path = write(tmp_path, values).rename(tmp_path / "talks.json")
    assert cli.main(["import", str(path), "-o", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert f"2 of 3 conversations of {path} became cases" in out
    assert "conversation task1-trial0: " in err
    loaded = find_cases([tmp_path / "out"])
    assert [case.id for case in loaded.cases] == ["talks-task0-trial0", "talks-task2-trial0"]
    assert loaded.errors == ()


def test_the_real_runs_are_read_whole():
    found = read(public_data("tau-bench/gpt-4o-airline-tasks-0-9.json"))
    assert len(found) == 40
    assert sum(t.tally.records for t in found) == sum(len(t.messages) for t in found) == 1238
    assert {t.name for t in found} == {f"task{n}-trial{t}" for n in range(10) for t in range(4)}
    assert not any(t.tally.left_out or t.tally.repaired for t in found)


def test_a_conversation_that_cannot_be_used_does_not_stop_the_others(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pytest_compaction.commands.import_transcripts.MAX_FILE_BYTES", 12_000)
    stated = [
        {"role": "user", "content": "the upload handler must answer within two seconds"},
        {"role": "assistant", "content": "I use a bounded queue instead of a thread."},
        {"role": "user", "content": "thread 4\nqueue limit 64\nretry delay 1.5"},
        *({"role": "assistant", "content": at_length(f"part {n} is done")} for n in range(5)),
    ]
    large = [*stated, *[{"role": "assistant", "content": "more words " * 800}] * 3]
    values = [{"traj": talk, "task_id": n, "trial": 0} for n, talk in enumerate([large, stated])]
    path = write(tmp_path, values).rename(tmp_path / "talks.json")
    assert cli.main(["import", str(path), "-o", str(tmp_path / "out")]) == 1
    out, err = capsys.readouterr()
    assert f"1 of 2 conversations of {path} became cases" in out
    assert "talks-task0-trial0.json: the case would take" in err
    assert f"{path}: 1 of its conversations cannot be used; see above" in err
    assert [case.id for case in find_cases([tmp_path / "out"]).cases] == ["talks-task1-trial0"]


def test_choices_beside_the_first_are_in_the_ledger(tmp_path):
    choices = [{"message": {**SAY, "content": f"answer {n}"}} for n in range(3)]
    request = {"model": "gpt-x", "messages": TALK[:2]}
    path = write(tmp_path, [{"request": request, "response": {"choices": choices}}])
    (transcript,) = read(path)
    assert transcript.messages[-1].text == "answer 0"
    reason = "further choice of a response; only the first is kept"
    assert transcript.tally.left_out == {reason: 2}
    assert (transcript.tally.records, len(transcript.messages)) == (5, 3)
