"""Plain conversations, and the choice of an importer when several recognise a file."""

import pytest
from support.transcript_samples import SAMPLES, imported_as
from support.transcript_samples import write_log as write

from pytest_compaction.importers import (
    importer_for,
    load_importers,
)
from pytest_compaction.importers.formats import pi
from pytest_compaction.importers.json_files import head_values

TALK = [
    {"role": "human", "content": "hello"},
    {"role": "ai", "content": [{"type": "text", "text": "good day"}]},
]


SAID = [("user", "hello"), ("assistant", "good day")]


@pytest.mark.parametrize(
    ("values", "lines", "count"),
    [
        ([TALK], False, 1),
        (TALK, True, 1),
        ([{"history": TALK}], False, 1),
        ([[TALK, TALK]], False, 2),
        ([TALK, TALK, TALK], True, 3),
        ([[{"conversation": TALK, "id": 7}, {"conversation": TALK, "id": 8}]], False, 2),
    ],
)
def test_a_conversation_is_read_from_each_of_its_wrappings(tmp_path, values, lines, count):
    found = imported_as("plain", write(tmp_path, *values, lines=lines))
    assert [[(m.role, m.text) for m in one.messages] for one in found] == [SAID] * count


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"messages": [{"role": "user", "content": "hi"}]}, "openai-chat"),
        ([{"role": "user", "content": "hi"}], "plain"),
        ([{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "x"}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "tool_result"}]}], "anthropic"),
        ({"system": "s", "messages": [{"role": "user", "content": "hi"}]}, "anthropic"),
        ({"model": "m", "input": [{"role": "user", "content": "hi"}]}, "openai-responses"),
        ({"type": "response_item", "payload": {"type": "message", "role": "user"}}, "codex"),
        ({"type": "user", "parentUuid": None, "message": {"role": "user"}}, "claude-code"),
        ({"type": "message", "message": {"role": "user", "content": "hi"}}, "pi"),
    ],
)
def test_the_most_specific_format_that_fits_reads_a_file(tmp_path, value, name):
    path = write(tmp_path, value, lines=True)
    assert importer_for(path, load_importers().importers).name == name


def test_every_module_with_an_importer_is_found_and_a_broken_one_is_named(monkeypatch):
    names = set(load_importers().importers)
    assert names >= set(SAMPLES)

    def broken():
        raise RuntimeError("half written")

    monkeypatch.setattr(pi, "IMPORTER", type("Broken", (), {"__new__": lambda cls: broken()}))
    loaded = load_importers()
    assert set(loaded.importers) == names - {"pi"}
    (problem,) = (text for text in loaded.problems if "'pi'" in text)
    assert "pytest_compaction.importers.formats.pi" in problem
    assert "half written" in problem


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ('{"a": 1, "b": [1, 2', {"a": 1, "b": [1]}),
        ('{"a": {"b": "cut of', {"a": {}}),
        ('{"a": "x", "cut ke', {"a": "x"}),
        ('{"a": "x", "key"', {"a": "x"}),
        ('{"a": "x", "key": ', {"a": "x"}),
        ('[{"a": "x"}, {"b": "tail \\u00', [{"a": "x"}, {}]),
        ('[{"a": ["x", "y', [{"a": ["x"]}]),
        ('{"a": "b,]}{[", "c": tr', {"a": "b,]}{["}),
        ("[", []),
    ],
)
def test_a_cut_document_is_closed_after_its_last_whole_element(head, value):
    assert head_values(head) == [value]


@pytest.mark.parametrize("head", ["", "# text", "}", '"', "[" * 100_000, "{" * 10])
def test_what_is_no_document_has_no_values(head):
    assert head_values(head) in ([], [{}], [""])
