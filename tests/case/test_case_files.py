"""Reading case files: every error names file, pointer, what was found and what was expected."""

import copy
import json
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import assistant, case_data, json_values, tool, user, write_case

from pytest_compaction.case import files as case_files
from pytest_compaction.case.case import Case
from pytest_compaction.case.files import (
    CaseFileError,
    load_cases,
    read_case_file,
)
from pytest_compaction.case.validation import _schema_fault


def only_error(path, root=None):
    """The one error of a file that holds one broken case."""
    (item,) = read_case_file(path, root)
    assert isinstance(item, CaseFileError), item
    return item


def faults_of(tmp_path, **changes):
    path = write_case(tmp_path / "case.json", **changes)
    error = only_error(path, tmp_path)
    assert error.source == "case.json"
    for fault in error.faults[: case_files.MAX_SHOWN_FAULTS]:
        assert str(fault) in str(error)
    return [(fault.pointer, fault.found, fault.expected) for fault in error.faults]


def text_fault(tmp_path, text, name="case.json"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (fault,) = only_error(path, tmp_path).faults
    return fault.pointer, fault.found, fault.expected


def changed(pointer, value):
    """The case data with the value at a pointer replaced; ``...`` removes it."""
    data = case_data()
    *way, last = [int(key) if key.isdigit() else key for key in pointer.split("/")[1:]]
    place = data
    for key in way:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


def test_a_valid_case_is_read_with_all_it_says(tmp_path):
    (case,) = read_case_file(write_case(tmp_path / "case.json"), tmp_path)
    assert (case.id, case.task, case.window, case.budget) == ("small", "debugging", 4000, 1000)
    assert case.source == "case.json"
    assert [message.id for message in case.messages] == [f"m{i}" for i in range(7)]
    assert [(point.id, point.index) for point in case.points] == [("early", 4), ("late", 6)]
    timeout, files = case.probes
    assert (timeout.point, files.point) == (1, 0)
    assert timeout.facts[0].about == "detail"
    assert files.facts[0].about == "modified"
    assert timeout.traps[0].current == ("45",)
    assert (files.answer.format, files.answer.max_tokens) == ("list", 200)
    assert timeout.answer.max_tokens == 400
    assert case.log_until(0) == case.messages[:5]


def test_equal_content_gives_equal_digests_whatever_the_key_order(tmp_path):
    data = case_data()
    turned = dict(reversed(data.items()))
    for name, content in (("a", data), ("b", turned), ("c", case_data(window=4001))):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    first, second, third = (
        next(read_case_file(tmp_path / name)) for name in ("a.json", "b.json", "c.json")
    )
    assert first == second
    assert hash(first) == hash(second)
    assert first != third


@pytest.mark.parametrize(
    ("pointer", "value", "at", "found", "expected"),
    [
        ("/id", ..., "", "no 'id'", "these keys"),
        ("/probes", ..., "", "no 'probes'", "these keys"),
        ("/windo", 3, "", "the unknown key 'windo'", "window"),
        ("/id", "a b", "/id", 'str "a b"', "text that matches"),
        ("/id", 3, "/id", "int 3", "the type string"),
        ("/task", "Debug!", "/task", "Debug!", "text that matches"),
        ("/window", "big", "/window", 'str "big"', "the type integer"),
        ("/window", 0, "/window", "int 0", "at least 1"),
        ("/window", True, "/window", "bool true", "the type integer"),
        ("/window", 10**12, "/window", "int 1000000000000", "at most 1000000000"),
        ("/budget", 1.5, "/budget", "float 1.5", "the type integer"),
        ("/messages", [], "/messages", "list []", "at least 1 item"),
        ("/messages/1", "hi", "/messages/1", 'str "hi"', "the type object"),
        ("/messages/1/role", "robot", "/messages/1/role", "robot", "one of system, developer"),
        ("/messages/1/content", 3, "/messages/1/content", "int 3", "string or array or null"),
        ("/messages/2/tool_calls/0/id", ..., "/messages/2/tool_calls/0", "no 'id'", "these keys"),
        ("/compaction_points", [], "/compaction_points", "list []", "at least 1 item"),
        ("/compaction_points/0/at", 1, "/compaction_points/0", "the unknown key 'at'", "after"),
        ("/probes/0/kind", "quiz", "/probes/0/kind", "quiz", "one of recall, file"),
        ("/probes/0/question", "", "/probes/0/question", 'str ""', "text that is not empty"),
        ("/probes/0/facts", [], "/probes/0/facts", "list []", "at least 1 item"),
        ("/probes/0/facts/0/evidence", [], "/probes/0/facts/0/evidence", "list", "at least 1 item"),
        ("/probes/0/facts/0/about", "x", "/probes/0/facts/0/about", "x", "one of detail"),
        ("/probes/0/facts/0/text", "x" * 2001, "/probes/0/facts/0/text", "xxx", "at most 2000"),
        ("/probes/1/answer/format", "xml", "/probes/1/answer/format", "xml", "one of text"),
        ("/probes/1/answer/max_tokens", 0, "/probes/1/answer/max_tokens", "int 0", "at least 1"),
    ],
)
def test_a_departure_from_the_schema_names_its_place(tmp_path, pointer, value, at, found, expected):
    (tmp_path / "case.json").write_text(json.dumps(changed(pointer, value)))
    (fault, *more) = only_error(tmp_path / "case.json").faults
    assert not more
    assert fault.pointer == at
    assert found in fault.found
    assert expected in fault.expected


def test_all_departures_are_listed_and_many_are_counted(tmp_path):
    data = changed("/window", 0) | {"budget": "x"}
    (tmp_path / "case.json").write_text(json.dumps(data))
    assert [f.pointer for f in only_error(tmp_path / "case.json").faults] == ["/budget", "/window"]
    found = faults_of(tmp_path, messages=[{"role": "x"}] * 30)
    assert [pointer for pointer, _, _ in found] == [f"/messages/{i}/role" for i in range(30)]
    assert "… and 10 more" in str(only_error(tmp_path / "case.json"))


def test_a_pointer_escapes_slash_and_tilde():
    error = SimpleNamespace(
        absolute_path=["a/b~c", 0],
        instance=0,
        validator="minimum",
        validator_value=1,
        message="",
    )
    assert _schema_fault(error).pointer == "/a~1b~0c/0"


def test_a_message_that_is_no_chat_message_is_named(tmp_path):
    messages = case_data()["messages"]
    messages[1]["content"] = [{"type": "text"}]
    ((pointer, found, expected),) = faults_of(tmp_path, messages=messages)
    assert pointer == "/messages"
    assert "message 1, content part 0 has type 'text' but no text" in found
    assert expected == "OpenAI chat messages"


def test_a_duplicate_message_id_names_both_places(tmp_path):
    messages = [*case_data()["messages"], {"id": "m1", **user("again")}]
    assert faults_of(tmp_path, messages=messages) == [
        ("/messages/7/id", "the id 'm1', which /messages/1 has too", "an id of its own")
    ]


def test_an_id_given_by_position_counts_as_an_id(tmp_path):
    messages = [*case_data()["messages"], user("unnamed"), {"id": "m7", **user("named")}]
    ((pointer, found, _),) = faults_of(tmp_path, messages=messages)
    assert pointer == "/messages/8/id"
    assert "/messages/7 has too" in found


def test_duplicate_probe_and_point_ids_are_errors(tmp_path):
    data = case_data()
    data["probes"][1]["id"] = "timeout"
    del data["probes"][1]["point"]
    data["compaction_points"][1]["id"] = "early"
    found = faults_of(tmp_path, **data)
    assert [pointer for pointer, _, _ in found] == ["/compaction_points/1/id", "/probes/1/id"]


def test_a_point_after_an_unknown_message_is_an_error(tmp_path):
    points = [{"id": "early", "after": "m99"}]
    assert faults_of(tmp_path, compaction_points=points) == [
        ("/compaction_points/0/after", "'m99'", "the id of a message")
    ]


@pytest.mark.parametrize("second", ["m4", "m2"])
def test_points_out_of_order_are_an_error(tmp_path, second):
    points = [{"id": "early", "after": "m4"}, {"after": second}]
    ((pointer, found, expected),) = faults_of(tmp_path, compaction_points=points)
    assert pointer == "/compaction_points/1/after"
    assert second in found
    assert expected == "points in the order of the log"


def test_a_probe_at_an_unknown_point_is_told_the_points_there_are(tmp_path):
    data = case_data()
    data["probes"][1]["point"] = "middle"
    assert faults_of(tmp_path, **data) == [
        ("/probes/1/point", "'middle'", "the id of a compaction point: early, late")
    ]


def test_evidence_of_an_unknown_message_is_an_error(tmp_path):
    data = case_data()
    data["probes"][1]["facts"][0]["evidence"] = ["m2", "m40"]
    assert faults_of(tmp_path, **data) == [
        ("/probes/1/facts/0/evidence/1", "'m40'", "the id of a message")
    ]


def test_a_fact_missing_from_its_evidence_is_an_error_with_its_pointer(tmp_path):
    data = case_data()
    data["probes"][0]["facts"].append({"text": "46 seconds", "evidence": ["m0", "m1"]})
    found = faults_of(tmp_path, **data)
    assert [pointer for pointer, _, _ in found] == [
        "/probes/0/facts/1/evidence/0",
        "/probes/0/facts/1/evidence/1",
    ]
    assert found[1][1] == "message 'm1', which does not state '46 seconds'"
    assert found[1][2] == "a message that states the fact"


def test_an_alias_in_the_evidence_is_enough(tmp_path):
    data = case_data()
    data["probes"][0]["facts"][0] |= {"text": "three quarters of a minute", "aliases": ["45"]}
    (item,) = read_case_file(write_case(tmp_path / "case.json", **data))
    assert isinstance(item, Case)


def test_evidence_after_the_probe_is_asked_is_an_error(tmp_path):
    data = case_data()
    data["probes"][1]["facts"][0] = {"text": "12 tests", "evidence": ["m6"]}
    assert faults_of(tmp_path, **data) == [
        (
            "/probes/1/facts/0/evidence/0",
            "message 'm6', which comes after the probe is asked",
            "a message before that point",
        )
    ]


def test_an_orphan_tool_result_is_an_error(tmp_path):
    messages = [*case_data()["messages"], tool("c9", "late")]
    ((pointer, found, expected),) = faults_of(tmp_path, messages=messages)
    assert pointer == "/messages/7"
    assert "'c9' does not follow" in found
    assert "results-follow-calls" in expected


def test_an_unanswered_call_is_an_error_but_not_at_the_end(tmp_path):
    pending = assistant("look", ("c9", "bash", {}))
    messages = [*case_data()["messages"], pending]
    (item,) = read_case_file(write_case(tmp_path / "case.json", messages=messages))
    assert isinstance(item, Case)
    ((pointer, found, expected),) = faults_of(tmp_path, messages=[*messages, user("and?")])
    assert pointer == "/messages/7"
    assert "'c9' has no result" in found
    assert "calls-answered" in expected


def test_an_empty_message_is_an_error(tmp_path):
    messages = [*case_data()["messages"], user("")]
    ((pointer, _, expected),) = faults_of(tmp_path, messages=messages)
    assert (pointer, expected) == ("/messages/7", "no-empty-message to hold")


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("", "Expecting value at line 1, column 1", "valid JSON"),
        ('{"id": "a"\n"b"}', "at line 2, column 1", "valid JSON"),
        ("[1]", "a list", "an object that describes a case"),
        ("null", "a NoneType", "an object that describes a case"),
        ('{"id": "a", "id": "b"}', "the key 'id' twice in one object", "valid JSON"),
        ('{"window": NaN}', "the number NaN", "valid JSON"),
        ('{"window": -Infinity}', "the number -Infinity", "valid JSON"),
        ('{"a": ' * 200_000, "nesting too deep", "a case"),
        ('{"window": ' + "9" * 5000 + "}", "4300", "valid JSON"),
        (b'{"id": "\xe9"}', "offset 8 that is not UTF-8", "UTF-8 text"),
        ("{}".encode("utf-16"), "offset 0 that is not UTF-8", "UTF-8 text"),
    ],
)
def test_text_that_is_no_json_object_is_an_error(tmp_path, text, found, expected):
    pointer, what, wanted = text_fault(tmp_path, text)
    assert pointer == ""
    assert found in what
    assert expected in wanted


def test_deep_nesting_inside_a_message_is_an_error_or_a_case(tmp_path):
    deep = '{"type": "x", "y": ' + "[" * 900 + "]" * 900 + "}"
    data = json.dumps(case_data()).replace('"Now run the tests."', f"[{deep}]")
    (tmp_path / "case.json").write_text(data)
    (item,) = read_case_file(tmp_path / "case.json")
    assert isinstance(item, Case | CaseFileError)


def test_a_byte_order_mark_is_no_error(tmp_path):
    path = tmp_path / "case.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(case_data()).encode())
    assert isinstance(next(read_case_file(path)), Case)
    lines = path.with_suffix(".jsonl")
    lines.write_bytes(path.read_bytes() + b"\r\n")
    assert isinstance(next(read_case_file(lines)), Case)


def test_lone_surrogates_are_replaced_wherever_they_stand(tmp_path):
    part = {"type": "blob", "k\ud800": "v\udfff"}
    messages = [
        *case_data()["messages"],
        {"role": "user", "content": ["x\ud83d", part], "\udc00": [["\ud800"]]},
    ]
    (case,) = read_case_file(write_case(tmp_path / "case.json", messages=messages))
    assert isinstance(case, Case)
    assert "".join(repr(part) for part in case.messages[-1].parts).isascii()
    case.messages[-1].parts[1].payload.encode()
    assert case.messages[-1].text == "x?"


def test_whole_floats_become_integers(tmp_path):
    data = json.dumps(case_data()).replace('"max_tokens": 200', '"max_tokens": 2e2')
    (tmp_path / "case.json").write_text(data.replace('"budget": 1000', '"budget": 1000.0'))
    (case,) = read_case_file(tmp_path / "case.json")
    assert type(case.budget) is int
    assert type(case.probes[1].answer.max_tokens) is int


def test_a_file_above_the_limit_is_not_read(tmp_path, monkeypatch):
    path = write_case(tmp_path / "case.json")
    monkeypatch.setattr(case_files, "MAX_FILE_BYTES", path.stat().st_size)
    assert isinstance(next(read_case_file(path)), Case)
    monkeypatch.setattr(case_files, "MAX_FILE_BYTES", path.stat().st_size - 1)
    (fault,) = only_error(path).faults
    assert fault.found.endswith("MB")
    assert "split it into several files" in fault.expected


def test_the_limit_is_fifty_megabytes():
    assert case_files.MAX_FILE_BYTES == 50 * 1024 * 1024


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path):
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (fault,) = only_error(tmp_path / "gone.json").faults
    assert fault.found == "No such file or directory"
    assert fault.expected == "a readable file"


def test_each_line_of_jsonl_is_a_case_with_its_own_line_number(tmp_path):
    path = tmp_path / "many.jsonl"
    lines = [
        json.dumps(case_data(id="one")),
        "",
        "{broken",
        json.dumps(case_data(id="two", window=0)),
    ]
    path.write_text("\n".join([*lines, json.dumps(case_data(id="three")), ""]))
    items = list(read_case_file(path, tmp_path))
    assert [getattr(item, "source", None) for item in items] == [
        "many.jsonl:1",
        "many.jsonl:3",
        "many.jsonl:4",
        "many.jsonl:5",
    ]
    assert [type(item) for item in items] == [Case, CaseFileError, CaseFileError, Case]
    assert str(items[2]).splitlines() == [
        "case file many.jsonl:4 cannot be used:",
        "  /window: found int 0; expected at least 1",
    ]


def test_a_line_separator_inside_a_text_does_not_end_a_line_of_jsonl(tmp_path):
    path = tmp_path / "case.jsonl"
    messages = [*case_data()["messages"], user("a\u2028b\x85c")]
    path.write_text(json.dumps(case_data(messages=messages), ensure_ascii=False), "utf-8")
    (case,) = read_case_file(path)
    assert case.messages[-1].text == "a\u2028b\x85c"


def test_a_jsonl_file_without_a_line_is_an_error(tmp_path):
    assert text_fault(tmp_path, " \n\n", "case.jsonl") == ("", "no line", "one case per line")


def test_an_id_that_another_file_has_is_an_error_of_the_second(tmp_path):
    write_case(tmp_path / "a.json")
    write_case(tmp_path / "b.json")
    loaded = load_cases([tmp_path], tmp_path)
    assert [case.source for case in loaded.cases] == ["a.json"]
    (error,) = loaded.errors
    assert error.source == "b.json"
    assert str(error.faults[0]) == (
        "/id: found the id 'small', which a.json has too; expected an id that no other case has"
    )


def test_a_file_named_twice_is_read_once(tmp_path):
    path = write_case(tmp_path / "a.json")
    loaded = load_cases([tmp_path, path, tmp_path], tmp_path)
    assert len(loaded.cases) == 1
    assert loaded.errors == ()


def test_a_missing_folder_and_an_empty_one_are_errors(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("no case")
    loaded = load_cases([tmp_path / "gone", tmp_path / "empty"], tmp_path)
    assert loaded.cases == ()
    assert [(error.source, error.faults[0].found) for error in loaded.errors] == [
        ("gone", "no such file or folder"),
        ("empty", "a folder without case files"),
    ]
    assert all("a folder of case files" in str(error) for error in loaded.errors)


def test_one_broken_file_leaves_the_others(tmp_path):
    write_case(tmp_path / "b.json", id="second")
    (tmp_path / "sub").mkdir()
    write_case(tmp_path / "sub" / "a.json", id="first")
    (tmp_path / "broken.json").write_text("{")
    loaded = load_cases([tmp_path], tmp_path)
    assert [case.id for case in loaded.cases] == ["first", "second"]
    assert [error.source for error in loaded.errors] == ["broken.json"]


def test_hidden_and_cache_folders_are_passed_over(tmp_path):
    for folder in (".git", "__pycache__", "kept"):
        (tmp_path / folder).mkdir()
        write_case(tmp_path / folder / "case.json", id=folder.strip("._"))
    assert [case.id for case in load_cases([tmp_path]).cases] == ["kept"]


def places(value, way=()):
    yield way
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*way, key))


PLACES = [way for way in places(case_data()) if way]


@settings(max_examples=250)
@given(st.sampled_from(PLACES), json_values, st.booleans())
def test_any_value_anywhere_gives_a_case_or_an_error(tmp_path, way, value, as_lines):
    data = copy.deepcopy(case_data())
    place = data
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    path = tmp_path / ("case.jsonl" if as_lines else "case.json")
    path.write_text(json.dumps(data), "utf-8")
    loaded = load_cases([path])
    assert len(loaded.cases) + len(loaded.errors) == 1
    for error in loaded.errors:
        assert error.faults
        assert all(fault.found and fault.expected for fault in error.faults)
        str(error).encode()


@given(st.binary(max_size=200), st.sampled_from([".json", ".jsonl"]))
def test_any_bytes_give_errors_only(tmp_path, content, suffix):
    path = tmp_path / f"case{suffix}"
    path.write_bytes(content)
    loaded = load_cases([path])
    assert loaded.cases == ()
    assert loaded.errors
