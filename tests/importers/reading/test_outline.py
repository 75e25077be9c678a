"""A format is told by what a file holds, wherever in the file that stands."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.paths import public_data

from pytest_compaction.importers import ImportFormatError, importer_for, load_importers
from pytest_compaction.importers.json_files import outline
from pytest_compaction.importers.registry import HEAD_BYTES

IMPORTERS = load_importers().importers
PATCH = "diff --git a/x b/x\n" * 50_000


def told(path):
    return importer_for(path, IMPORTERS).name


def written(path, value):
    path.write_text(json.dumps(value), "utf-8")
    return path


def session():
    text: str = public_data("claude-code/session.jsonl").read_text("utf-8")
    return text.splitlines(keepends=True)


def trajectory():
    data = json.loads(public_data("swe-agent/pydicom-1458.traj").read_text("utf-8"))
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize("first", ["trajectory", "history", "info", "environment"])
def test_a_trajectory_is_told_whichever_key_comes_first(tmp_path, first):
    data = trajectory()
    data["trajectory"] = data["trajectory"] * 3
    ordered = {first: data[first], **data}
    path = written(tmp_path / "run.traj", ordered)
    assert path.stat().st_size > HEAD_BYTES
    assert told(path) == "swe-agent"


def test_a_long_patch_before_the_messages_hides_nothing(tmp_path):
    data = trajectory()
    path = written(tmp_path / "run.traj", {"info": {"submission": PATCH}, **data})
    assert told(path) == "swe-agent"
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    chat = written(tmp_path / "chat.json", {"info": {"submission": PATCH}, "messages": messages})
    assert told(chat) == "openai-chat"
    run = {"info": {"submission": PATCH, "mini_version": "1.0"}, "messages": messages}
    assert told(written(tmp_path / "run.traj.json", run)) == "mini-swe-agent"


def test_a_bare_beginning_does_not_hide_a_format_of_one_program(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps({"note": PATCH}) + "\n" + "".join(session()), "utf-8")
    assert told(path) == "claude-code"


def test_hundreds_of_lines_alike_leave_room_for_others(tmp_path):
    noise = [{"kind": "heartbeat", "at": number, "of": "x" * 200} for number in range(900)]
    path = tmp_path / "session.jsonl"
    heartbeats = [f"{json.dumps(line)}\n" for line in noise]
    path.write_text("".join([*heartbeats, *session(), '{"broken']), "utf-8")
    assert told(path) == "claude-code"


@pytest.mark.parametrize(
    "text", ["{" * 70_000, "# notes\n" * 9_000, '{"messages": [' + "1," * 40_000]
)
def test_what_is_no_json_has_no_outline(tmp_path, text):
    path = tmp_path / "s.json"
    path.write_text(text, "utf-8")
    assert outline(path) == ""
    with pytest.raises(ImportFormatError, match="matches no known transcript format"):
        importer_for(path, IMPORTERS)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(value=JSON)
def test_a_short_document_is_its_own_outline(tmp_path_factory, value):
    path = written(tmp_path_factory.mktemp("outline") / "v.json", value)
    assert json.loads(outline(path)) == value


def test_long_lists_and_texts_are_shown_by_their_beginning(tmp_path):
    value = {"steps": list(range(500)), "patch": "a" * 90_000 + "end", "last": 1}
    shown = json.loads(outline(written(tmp_path / "v.json", value)))
    assert (shown["steps"], shown["last"]) == (list(range(20)), 1)
    assert shown["patch"].startswith("aaa") and shown["patch"].endswith("end")
    assert len(shown["patch"]) < 1_500
