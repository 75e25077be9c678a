"""Reading case files: lines, folders, limits and any bytes; a broken file hides no other."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import case_data, json_values, user, write_case
from support.case_errors import items_of, only_error

from pytest_compaction.case import Case, CaseFileError, Needed, find_cases
from pytest_compaction.case import files as case_files


def text_fault(tmp_path, text, name="case.json"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (fault,) = only_error(path, tmp_path).faults
    return fault.pointer, fault.found, fault.expected


def test_a_valid_case_is_read_with_all_it_says(tmp_path):
    (case,) = items_of(write_case(tmp_path / "case.json"), tmp_path)
    assert (case.id, case.task, case.window, case.budget) == ("small", "debugging", 4000, 1000)
    assert case.source == "case.json"
    assert [message.id for message in case.messages] == [f"m{i}" for i in range(7)]
    assert [(point.id, point.index) for point in case.points] == [("early", 4), ("late", 6)]
    timeout, files = case.probes
    assert (timeout.point, files.point) == (1, 0)
    assert (timeout.facts[0].type, timeout.facts[0].change) == ("value", None)
    assert (files.facts[0].type, files.facts[0].change) == ("path", "modified")
    assert timeout.traps[0].current == ("45",)
    assert (files.answer.format, files.answer.max_tokens) == ("list", 200)
    assert timeout.answer.max_tokens == 400
    assert case.log_until(0) == case.messages[:5]


def test_equal_content_gives_equal_digests_whatever_the_key_order(tmp_path):
    data = case_data()
    turned = dict(reversed(data.items()))
    for name, content in (("a", data), ("b", turned), ("c", case_data(window=4001))):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    first, second, third = (items_of(tmp_path / name)[0] for name in ("a.json", "b.json", "c.json"))
    assert first == second
    assert hash(first) == hash(second)
    assert first != third


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
    (item,) = items_of(tmp_path / "case.json")
    assert isinstance(item, Case | CaseFileError)


def test_a_byte_order_mark_is_no_error(tmp_path):
    path = tmp_path / "case.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(case_data()).encode())
    assert isinstance(items_of(path)[0], Case)
    lines = path.with_suffix(".jsonl")
    lines.write_bytes(path.read_bytes() + b"\r\n")
    assert isinstance(items_of(lines)[0], Case)


def test_lone_surrogates_are_replaced_wherever_they_stand(tmp_path):
    part = {"type": "blob", "k\ud800": "v\udfff"}
    messages = [
        *case_data()["messages"],
        {"role": "user", "content": ["x\ud83d", part], "\udc00": [["\ud800"]]},
    ]
    (case,) = items_of(write_case(tmp_path / "case.json", messages=messages))
    assert isinstance(case, Case)
    assert "".join(repr(part) for part in case.messages[-1].parts).isascii()
    case.messages[-1].parts[1].payload.encode()
    assert case.messages[-1].text == "x?"


def test_whole_floats_become_integers(tmp_path):
    data = json.dumps(case_data()).replace('"max_tokens": 200', '"max_tokens": 2e2')
    (tmp_path / "case.json").write_text(data.replace('"budget": 1000', '"budget": 1000.0'))
    (case,) = items_of(tmp_path / "case.json")
    assert type(case.budget) is int
    assert type(case.probes[1].answer.max_tokens) is int


def test_a_file_above_the_limit_is_not_read(tmp_path, monkeypatch):
    path = write_case(tmp_path / "case.json")
    monkeypatch.setattr(case_files, "MAX_FILE_BYTES", path.stat().st_size)
    assert isinstance(items_of(path)[0], Case)
    monkeypatch.setattr(case_files, "MAX_FILE_BYTES", path.stat().st_size - 1)
    (fault,) = only_error(path).faults
    assert fault.found.endswith("MB")
    assert "split it into several files" in fault.expected


def test_the_limit_is_fifty_megabytes():
    assert case_files.MAX_FILE_BYTES == 50 * 1024 * 1024


def test_each_line_of_jsonl_is_a_case_with_its_own_line_number(tmp_path):
    path = tmp_path / "many.jsonl"
    lines = [
        json.dumps(case_data(id="one")),
        "",
        "{broken",
        json.dumps(case_data(id="two", window=0)),
    ]
    path.write_text("\n".join([*lines, json.dumps(case_data(id="three")), ""]))
    items = items_of(path, tmp_path)
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
    (case,) = items_of(path)
    assert case.messages[-1].text == "a\u2028b\x85c"


def test_a_jsonl_file_without_a_line_is_an_error(tmp_path):
    assert text_fault(tmp_path, " \n\n", "case.jsonl") == ("", "no line", "one case per line")


def test_an_id_that_another_file_has_is_an_error_of_the_second(tmp_path):
    write_case(tmp_path / "a.json")
    write_case(tmp_path / "b.json")
    loaded = find_cases([tmp_path], tmp_path)
    assert [case.source for case in loaded.cases] == ["a.json"]
    (error,) = loaded.errors
    assert error.source == "b.json"
    assert str(error.faults[0]) == (
        "/id: found the id 'small', which a.json has too; expected an id that no other case has"
    )


def test_a_file_named_twice_is_read_once(tmp_path):
    path = write_case(tmp_path / "a.json")
    loaded = find_cases([tmp_path, path, tmp_path], tmp_path)
    assert len(loaded.cases) == 1
    assert loaded.errors == ()


def test_a_missing_folder_and_an_empty_one_are_errors(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("no case")
    loaded = find_cases([tmp_path / "gone", tmp_path / "empty"], tmp_path)
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
    loaded = find_cases([tmp_path], tmp_path)
    assert [case.id for case in loaded.cases] == ["first", "second"]
    assert [error.source for error in loaded.errors] == ["broken.json"]


def test_hidden_and_cache_folders_are_passed_over(tmp_path):
    for folder in (".git", "__pycache__", "kept"):
        (tmp_path / folder).mkdir()
        write_case(tmp_path / folder / "case.json", id=folder.strip("._"))
    assert [case.id for case in find_cases([tmp_path]).cases] == ["kept"]


def places(value, way=()):
    yield way
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*way, key))


PLACES = [way for way in places(case_data()) if way]


@settings(max_examples=120)
@given(st.sampled_from(PLACES), json_values, st.booleans())
def test_any_value_anywhere_gives_a_case_or_an_error(tmp_path, way, value, as_lines):
    data = copy.deepcopy(case_data())
    place = data
    for key in way[:-1]:
        place = place[key]
    place[way[-1]] = value
    path = tmp_path / ("case.jsonl" if as_lines else "case.json")
    path.write_text(json.dumps(data), "utf-8")
    loaded = find_cases([path])
    assert len(loaded.cases) + len(loaded.errors) == 1
    for error in loaded.errors:
        assert error.faults
        assert all(fault.found and fault.expected for fault in error.faults)
        str(error).encode()


@given(st.binary(max_size=200), st.sampled_from([".json", ".jsonl"]))
def test_any_bytes_give_errors_only(tmp_path, content, suffix):
    path = tmp_path / f"case{suffix}"
    path.write_bytes(content)
    loaded = find_cases([path])
    assert loaded.cases == ()
    assert loaded.errors


def test_evidence_that_another_process_has_checked_is_not_checked_again(tmp_path, monkeypatch):
    write_case(tmp_path / "small.json")
    (case,) = find_cases([tmp_path]).cases
    asked = []
    monkeypatch.setattr(case_files, "evidence_faults", lambda case: asked.append(case.id) or [])
    assert find_cases([tmp_path], checked={case.digest}).cases == (case,)
    assert asked == []
    write_case(tmp_path / "small.json", title="changed since")
    assert find_cases([tmp_path], checked={case.digest}).cases
    assert asked == ["small"]


def test_a_case_says_what_was_needed_and_which_questions_wait(tmp_path):
    data = case_data()
    use = {"how": "used", "message": "m99", "distance": 3.0, "act": "edit of a.py"}
    data["probes"][0]["facts"][0]["needed"] = use
    data["proposed"] = [data["probes"][1] | {"id": "waits"}]
    path = tmp_path / "case.json"
    path.write_text(json.dumps(data), "utf-8")
    (case,) = find_cases([path]).cases
    assert case.probes[0].facts[0].needed == Needed("used", "m99", 3, "edit of a.py")
    assert case.probes[1].facts[0].needed is None
    assert [probe.id for probe in case.proposed] == ["waits"]
    (entry,) = find_cases([path]).entries
    assert [probe.id for probe in entry.probes] == [probe.id for probe in case.probes]


@pytest.mark.parametrize(
    ("needed", "why"),
    [
        (Needed("used", "m212", 4, "edit of src/a.py"), "needed by m212: edit of src/a.py"),
        (Needed("said", "m240", act="said again"), "said again in m240"),
        (Needed("chosen", "m30", confirmed=True), "chosen in m30, confirmed by a reader"),
        (Needed("confirmed", confirmed=True), "confirmed by a reader"),
    ],
)
def test_why_a_fact_is_asked(needed, why):
    assert needed.why == why
