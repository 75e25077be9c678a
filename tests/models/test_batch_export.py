"""Replies in files: each that cannot be used costs one sentence, and all others are kept."""

import json

import pytest
from support.callers import call
from support.endpoint_replies import completion, response
from support.exporting import refusal, result, write_results

from pytest_compaction.cli import main
from pytest_compaction.models import Call, ExportError, ExportFolder

CALLS = [call(f"Question {number}?") for number in range(4)]


@pytest.fixture
def folder(tmp_path):
    """An export of four calls."""
    made = ExportFolder.made(tmp_path / "out", tmp_path / "store", plain=False)
    made.write(CALLS)
    return made


def row(number, body=None):
    line = {"custom_id": CALLS[number].digest}
    return result(line, completion(f"Answer {number}.") if body is None else body)


def answers(folder, *rows, more=()):
    path = write_results(folder.path.parent / "results.jsonl", rows)
    return main(["answers", str(folder.path), str(path), *more])


def stored(folder):
    """The texts in the store by the question that they answer."""
    found = {}
    for path in folder.store.rglob("*.json"):
        data = json.loads(path.read_bytes())
        question = data["request"]["messages"][-1]["content"]
        found[question] = data["reply"]["choices"][0]["message"]["content"]
    return found


def test_replies_in_any_order_are_kept(folder, capsys):
    assert answers(folder, *(row(number) for number in (2, 0, 3, 1))) == 0
    assert stored(folder) == {f"Question {n}?": f"Answer {n}." for n in range(4)}
    shown = capsys.readouterr()
    assert "4 replies put into the store" in shown.out
    assert "all exported requests have a reply" in shown.out
    assert shown.err == ""


def nested(depth):
    return b'{"custom_id": ' + b"[" * depth


HOSTILE = {
    "cut off": (b'{"custom_id": "abc', "is not valid JSON"),
    "not JSON": (b"<html>502 Bad Gateway</html>", "is not valid JSON"),
    "not UTF-8": (b'{"custom_id": "\xff\xfe"}', "is not valid JSON"),
    "NaN": (
        json.dumps(row(0, {**completion("x"), "x": float("nan")})).encode(),
        "is not valid JSON (NaN is not JSON)",
    ),
    "nested without end": (nested(200_000), "is nested too deep"),
    "a list": ([1, 2], "is not an object but a list"),
    "no id": ({"response": {}}, "has no custom_id"),
    "an id that is a number": ({**row(0), "custom_id": 7}, "has no custom_id"),
    "an unknown id": (
        {**row(0), "custom_id": "f" * 64},
        "answers 'ffffffffffffff",
    ),
    "an id that is a path": (
        {**row(0), "custom_id": "../../secret"},
        "which is no request of this export",
    ),
    "an id with escapes": ({**row(0), "custom_id": "\x1b[2J"}, "no request of this export"),
    "neither response nor error": (
        {"custom_id": CALLS[0].digest},
        "was refused: it holds neither response nor error",
    ),
    "expired": (
        {
            "custom_id": CALLS[0].digest,
            "response": None,
            "error": {"code": "batch_expired", "message": "not in time"},
        },
        "was refused: not in time (batch_expired)",
    ),
    "a server error": (
        refusal({"custom_id": CALLS[0].digest}, "overloaded", 503),
        "was refused with status 503: overloaded",
    ),
    "an error page": (
        result({"custom_id": CALLS[0].digest}, "<html>", 502),
        "was refused with status 502: <html>",
    ),
    "an error under status 200": (
        row(0, {"error": {"message": "no capacity"}}),
        "was refused with status 200: no capacity",
    ),
    "a status that is a word": (
        result({"custom_id": CALLS[0].digest}, completion("x"), "OK"),
        "has a status_code that is not a number",
    ),
    "a body that is text": (row(0, "hello"), "has a response whose body is not an object"),
    "a reply of another API": (
        row(0, response("x")),
        "is not a reply of chat.completions: it has no list 'choices'",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_named_and_loses_nothing_else(folder, capsys, name):
    hostile, said = HOSTILE[name]
    assert answers(folder, row(1), hostile, row(2), b"", row(3)) == 1
    assert set(stored(folder)) == {"Question 1?", "Question 2?", "Question 3?"}
    shown = capsys.readouterr()
    (line,) = shown.err.splitlines()
    assert f"results.jsonl:2 {said}" in line or ("results.jsonl:2" in line and said in line)
    assert line.isprintable()
    assert "1 exported request has no reply yet" in shown.out


def test_a_last_line_without_its_end_and_a_byte_order_mark_are_read(folder):
    lines = [json.dumps(row(number)).encode() for number in range(4)]
    path = folder.path.parent / "windows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(lines))
    assert main(["answers", str(folder.path), str(path)]) == 0
    assert len(stored(folder)) == 4


def test_the_first_reply_counts(folder, capsys):
    assert answers(folder, row(0), row(0, completion("Another."))) == 0
    assert stored(folder) == {"Question 0?": "Answer 0."}
    assert "1 reply put into the store, 1 were there before" in capsys.readouterr().out


def test_a_file_that_is_missing_is_named_and_the_others_are_read(folder, capsys):
    good = write_results(folder.path.parent / "good.jsonl", [row(0)])
    absent = folder.path.parent / "absent.jsonl"
    assert main(["answers", str(folder.path), str(absent), str(good)]) == 1
    assert set(stored(folder)) == {"Question 0?"}
    assert "absent.jsonl: cannot be read: No such file" in capsys.readouterr().err


def test_many_problems_are_counted(folder, capsys):
    assert answers(folder, *[b"{"] * 50, row(0)) == 1
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 21
    assert "30 more that could not be used" in shown[-1]
    assert set(stored(folder)) == {"Question 0?"}


def test_a_refused_part_is_left_out_only_for_the_model_that_refused_it(folder):
    other = Call("chat.completions", {**CALLS[0].body, "model": "other"})
    folder.write([*CALLS, other])
    said = "'temperature' does not support 0 with this model"
    body = {**CALLS[1].body, "temperature": 0}
    warm = Call("chat.completions", body)
    folder.write([warm, other])
    assert answers(folder, refusal({"custom_id": warm.digest}, said)) == 0
    again = ExportFolder.made(folder.path, folder.store, plain=False)
    assert again.refused(warm) == {"without temperature"}
    assert again.refused(other) == frozenset()


def test_a_refusal_that_comes_again_is_a_problem_and_no_endless_advice(folder, capsys):
    line = {"custom_id": CALLS[0].digest}
    said = "max_tokens is not supported"
    assert answers(folder, refusal(line, said)) == 0
    again = ExportFolder.made(folder.path, folder.store, plain=False)
    again.write(CALLS)
    capsys.readouterr()
    assert answers(again, refusal(line, said)) == 1
    assert "was refused with status 400: max_tokens is not supported" in capsys.readouterr().err


def test_a_call_that_was_changed_on_disk_answers_to_no_id(folder, capsys):
    path = folder.path / "calls" / f"{CALLS[0].digest}.json"
    path.write_text(path.read_text().replace("Question 0", "Question 9"))
    assert answers(folder, row(0), row(1)) == 1
    assert set(stored(folder)) == {"Question 1?"}
    assert "which is no request of this export" in capsys.readouterr().err


def test_a_key_in_a_reply_is_not_written(folder, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "correct-horse-battery")
    assert answers(folder, row(0, completion("The key is correct-horse-battery."))) == 0
    assert stored(folder) == {"Question 0?": "The key is [key]."}


def test_another_store_can_be_named(folder):
    other = folder.path.parent / "elsewhere"
    assert answers(folder, row(0), more=["--store", str(other)]) == 0
    assert len(list(other.rglob("*.json"))) == 1
    assert not folder.store.exists()


def test_a_store_that_cannot_be_written_is_named(folder, capsys):
    folder.store.write_text("a file")
    assert answers(folder, row(0)) == 1
    assert "could not be kept" in capsys.readouterr().err


@pytest.mark.parametrize("text", [None, "{", "[]", '{"format": 99}', '{"format": 1}', "\udcff"])
def test_a_folder_that_is_no_export_is_said_to_be_none(tmp_path, capsys, text):
    if text is not None:
        (tmp_path / "export.json").write_text(text, "utf-8", "surrogateescape")
    assert main(["answers", str(tmp_path), "results.jsonl"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert str(tmp_path) in line


def test_without_results_the_command_says_what_to_name(folder, capsys):
    assert main(["answers", str(folder.path)]) == 1
    assert "name the result files of the batch" in capsys.readouterr().err


def test_a_folder_keeps_its_store_when_it_is_moved_with_it(folder, tmp_path):
    target = tmp_path / "moved"
    target.mkdir()
    folder.path.rename(target / "out")
    assert ExportFolder.opened(target / "out").store.resolve() == (target / "store").resolve()


def test_files_are_parted_by_the_number_of_requests(tmp_path, monkeypatch):
    monkeypatch.setattr("pytest_compaction.models.export.MAX_REQUESTS", 3)
    made = ExportFolder.made(tmp_path / "out", tmp_path / "store", plain=False)
    assert [file.requests for file in made.write(CALLS).files] == [3, 1]


def test_files_are_parted_by_size(tmp_path, monkeypatch):
    monkeypatch.setattr("pytest_compaction.models.export.MAX_FILE_BYTES", 600)
    made = ExportFolder.made(tmp_path / "out", tmp_path / "store", plain=False)
    files = made.write(CALLS).files
    assert sum(file.requests for file in files) == len(CALLS)
    assert all(file.size <= 600 for file in files)
    assert len(files) > 1


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ExportError, match="out: cannot be used"):
        ExportFolder.made(tmp_path / "out", tmp_path / "store", plain=False)


def test_a_reply_of_the_responses_api_is_kept_and_a_completion_in_its_place_is_not(tmp_path):
    body = {"model": "m", "input": [{"type": "message", "role": "user", "content": "x"}]}
    asked = Call("responses", {**body, "max_output_tokens": 9}, trial=2)
    made = ExportFolder.made(tmp_path / "out", tmp_path / "store", plain=False)
    made.write([asked])
    line = json.loads((tmp_path / "out/requests-1.jsonl").read_bytes())
    assert (line["url"], line["body"]) == ("/v1/responses", asked.body)
    assert answers(made, result(line, completion("x"))) == 1
    assert answers(made, result(line, response("x"))) == 0
    assert [path.stem for path in made.store.rglob("*.json")] == [asked.digest]
