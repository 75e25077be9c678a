"""Inspect logs in JSON: samples are conversations; events hold compactions."""

import json
import zipfile

import pytest

from pytest_compaction.case_making.points import record_points
from pytest_compaction.conversation import Image, Thinking, canonical_json, structure_faults
from pytest_compaction.importers import ImportFormatError, importer_for, load_importers
from pytest_compaction.importers.formats import inspect as inspect_sample
from pytest_compaction.importers.formats.inspect import IMPORTER

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "some/model"}}
LONG = "0123456789abcdef0123456789abcdef"


def message(id, role, content, **more):
    return {"id": id, "role": role, "content": content, **more}


def called(id, words, **paths):
    calls = [
        {"id": call_id, "function": "read_file", "arguments": {"path": path}, "type": "function"}
        for call_id, path in paths.items()
    ]
    return message(id, "assistant", words, tool_calls=calls)


def result(id, call_id, words, **more):
    return message(id, "tool", words, tool_call_id=call_id, function="read_file", **more)


REASONING = {"type": "reasoning", "reasoning": "hm", "signature": "abc=="}
LOG = [
    message("s", "system", "You are helpful."),
    message("u", "user", "read both"),
    called("a1", [REASONING, {"type": "text", "text": "Reading."}], c1="a.py", c2="b.py"),
    result("t1", "c1", f"attachment://{LONG}"),
    result("t2", "c2", "", error={"type": "file_not_found", "message": "no b.py"}),
    message("sum", "user", "[SUMMARY] read a.py", metadata={"summary": True}),
    message("a2", "assistant", "One is missing."),
]
EVENTS = [
    {
        "event": "model",
        "input": [],
        "input_refs": [[0, 2]],
        "output": {"choices": [{"message": LOG[2]}]},
    },
    {"event": "compaction", "tokens_before": 2839, "tokens_after": 187},
    {
        "event": "model",
        "input": [],
        "input_refs": [[0, 2], [5, 6]],
        "output": {"choices": [{"message": LOG[6]}]},
    },
]


def sample(id=1, **more):
    attachments = {LONG: "text of a.py"}
    return {
        "id": id,
        "epoch": 1,
        "messages": LOG,
        "events": EVENTS,
        "events_data": {"messages": LOG},
        "attachments": attachments,
        **more,
    }


def written(path, *samples):
    path.write_text(json.dumps({**HEADER, "samples": samples}), "utf-8")
    return path


def imported(path):
    transcripts = list(IMPORTER.read(path))
    assert all(structure_faults(t.messages) == [] for t in transcripts)
    return transcripts


def check(transcript):
    assert [(m.role, m.results[0].text if m.results else m.text) for m in transcript.messages] == [
        ("system", "You are helpful."),
        ("user", "read both"),
        ("assistant", "Reading."),
        ("tool", "text of a.py"),
        ("tool", "no b.py"),
        ("assistant", "One is missing."),
    ]
    assert transcript.messages[2].parts[0] == Thinking(canonical_json(REASONING))
    assert transcript.messages[4].results[0].is_error
    assert transcript.model == "some/model"
    (boundary,) = transcript.boundaries
    assert (boundary.after, boundary.tokens_before) == ("m0004", 2839)
    assert [(m.id, m.text) for m in boundary.messages] == [
        ("m0000", "You are helpful."),
        ("m0001", "read both"),
        ("recorded-1-2", "[SUMMARY] read a.py"),
    ]
    assert not record_points(transcript)[0].missing
    assert transcript.tally.records == 7
    assert transcript.tally.left_out["summary of a compaction, kept in its record"] == 1


def test_a_log_gives_a_conversation_a_sample(tmp_path):
    path = written(tmp_path / "renamed.bin", sample(), sample("a b"))
    assert importer_for(path, load_importers().importers).name == "inspect"
    first, second = imported(path)
    check(first)
    assert (first.name, second.name) == ("1-epoch1", "a b-epoch1")


def test_one_sample_needs_no_name_and_says_what_ended_it(tmp_path):
    limit = {"type": "token", "limit": 1000}
    (transcript,) = imported(written(tmp_path / "log.json", sample(limit=limit)))
    check(transcript)
    assert transcript.name == ""
    assert transcript.tally.left_out["sample ended by limit: token"] == 1


def test_images_become_placeholders(tmp_path):
    image = {"type": "image", "image": "data:image/png;base64," + "A" * 400}
    messages = [message("u", "user", [{"type": "text", "text": "see"}, image])]
    (transcript,) = imported(written(tmp_path / "x.json", sample(messages=messages, events=[])))
    assert transcript.messages[0].parts[1] == Image(
        '{"bytes":300,"media_type":"image/png","type":"image"}'
    )


def test_a_compaction_after_which_nothing_was_asked_is_counted(tmp_path):
    (transcript,) = imported(written(tmp_path / "x.json", sample(events=EVENTS[:2])))
    assert transcript.boundaries == ()
    reason = "compaction after which the model was not called"
    assert transcript.tally.left_out[reason] == 1


def test_references_that_multiply_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(inspect_sample, "MAX_HELD_BYTES", 20_000)
    texts = {LONG: "text of a.py" * 100}
    bomb = sample(messages=[message("u", "user", f"attachment://{LONG} " * 20)], attachments=texts)
    with pytest.raises(ImportFormatError, match="its attachments take more than"):
        imported(written(tmp_path / "x.json", bomb))


def test_an_archive_is_refused_with_the_command_that_writes_it_as_json(tmp_path):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("_journal/start.json", json.dumps(HEADER))
    assert importer_for(path, load_importers().importers).name == "inspect"
    with pytest.raises(ImportFormatError, match="inspect log convert --to json"):
        imported(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (HEADER, "an Inspect log without a sample"),
        ({**HEADER, "samples": [{"id": 1, "messages": []}]}, "sample 0: a sample without"),
        ({**HEADER, "samples": [{"id": 1, "messages": [7]}]}, "int instead of a message"),
    ],
)
def test_a_log_without_a_message_is_an_error(tmp_path, content, said):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ImportFormatError, match=said) as caught:
        imported(path)
    assert str(path) in str(caught.value)
