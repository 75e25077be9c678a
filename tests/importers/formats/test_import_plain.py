"""Plain conversations, and the choice of an importer when several recognise a file."""

import json

import pytest

from pytest_compaction.importers import (
    ImportFormatError,
    ImportTally,
    Transcript,
    conversations,
    importer_for,
    load_importers,
)
from pytest_compaction.importers.formats import pi
from pytest_compaction.importers.formats.plain import IMPORTER
from pytest_compaction.importers.json_files import head_values

TALK = [
    {"role": "human", "content": "hello"},
    {"role": "ai", "content": [{"type": "text", "text": "good day"}]},
]


def write(tmp_path, *values, lines=False):
    path = tmp_path / "talk.json"
    if lines:
        path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    else:
        path.write_text(json.dumps(values[0], indent=1), "utf-8")
    return path


def read(path):
    importer = importer_for(path, load_importers().importers)
    assert importer.name == "plain"
    return [[(m.role, m.text) for m in t.messages] for t in conversations(importer, path)]


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
    assert read(write(tmp_path, *values, lines=lines)) == [SAID] * count


def test_a_file_without_a_message_is_an_error(tmp_path):
    path = write(tmp_path, {"history": [{"speaker": "a"}]})
    with pytest.raises(ImportFormatError, match="no conversation of plain was recognised"):
        list(IMPORTER.read(path))


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


def test_of_equally_specific_importers_the_first_by_name_reads(tmp_path):
    class Anything:
        description = "everything"

        def __init__(self, name, specificity=None):
            self.name = name
            if specificity is not None:
                self.specificity = specificity

        def recognises(self, head):
            return True

        def read(self, path):
            return Transcript((), "", ImportTally(0, 0))

    path = write(tmp_path, {})
    importers = {i.name: i for i in (Anything("zeta"), Anything("beta"), Anything("alpha", 20))}
    assert importer_for(path, importers).name == "beta"


def test_every_module_with_an_importer_is_found_and_a_broken_one_is_named(monkeypatch):
    names = set(load_importers().importers)
    assert names >= {
        "anthropic",
        "claude-code",
        "codex",
        "openai-chat",
        "openai-responses",
        "pi",
        "plain",
    }

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
