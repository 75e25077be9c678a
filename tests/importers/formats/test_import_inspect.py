"""Inspect logs: archives and JSON; samples are conversations; events hold compactions."""

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


def archive(path, *samples, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("_journal/start.json", json.dumps(HEADER))
        for one in samples:
            file.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        file.writestr("header.json", json.dumps(HEADER))
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


def test_an_archive_gives_a_conversation_a_sample(tmp_path):
    path = archive(tmp_path / "renamed.bin", sample(), sample("a b"))
    assert importer_for(path, load_importers().importers).name == "inspect"
    first, second = imported(path)
    check(first)
    assert (first.name, second.name) == ("1-epoch1", "a b-epoch1")


def test_a_log_in_json_gives_the_same(tmp_path):
    path = tmp_path / "log.json"
    limit = {"type": "token", "limit": 1000}
    path.write_text(json.dumps({**HEADER, "samples": [sample(limit=limit)]}), "utf-8")
    assert importer_for(path, load_importers().importers).name == "inspect"
    (transcript,) = imported(path)
    check(transcript)
    assert transcript.name == ""
    assert transcript.tally.left_out["sample ended by limit: token"] == 1


def test_images_become_placeholders(tmp_path):
    image = {"type": "image", "image": "data:image/png;base64," + "A" * 400}
    messages = [message("u", "user", [{"type": "text", "text": "see"}, image])]
    (transcript,) = imported(archive(tmp_path / "x.eval", sample(messages=messages, events=[])))
    assert transcript.messages[0].parts[1] == Image(
        '{"bytes":300,"media_type":"image/png","type":"image"}'
    )


def test_a_compaction_after_which_nothing_was_asked_is_counted(tmp_path):
    (transcript,) = imported(archive(tmp_path / "x.eval", sample(events=EVENTS[:2])))
    assert transcript.boundaries == ()
    reason = "compaction after which the model was not called"
    assert transcript.tally.left_out[reason] == 1


def test_references_that_multiply_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(inspect_sample, "MAX_HELD_BYTES", 20_000)
    texts = {LONG: "text of a.py" * 100}
    bomb = sample(messages=[message("u", "user", f"attachment://{LONG} " * 20)], attachments=texts)
    with pytest.raises(ImportFormatError, match="its attachments take more than"):
        imported(archive(tmp_path / "x.eval", bomb))


def test_an_archive_that_cannot_be_unpacked_is_named(tmp_path):
    path = archive(tmp_path / "x.eval", sample(), compression=zipfile.ZIP_STORED)
    raw = bytearray(path.read_bytes())
    place = raw.find(b"read both")
    raw[place] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(ImportFormatError, match="copy it again"):
        imported(path)
    path.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(ImportFormatError):
        imported(path)


def test_zstandard_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    def unsupported(*given, **more):
        raise NotImplementedError("That compression method is not supported")

    path = archive(tmp_path / "x.eval", sample())
    monkeypatch.setattr(zipfile.ZipFile, "open", unsupported)
    with pytest.raises(ImportFormatError, match="needs the package zipfile-zstd"):
        imported(path)
