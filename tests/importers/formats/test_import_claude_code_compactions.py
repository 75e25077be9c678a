"""Compactions of Claude Code: their boundaries, summaries, and what they kept."""

from support.claude_code_lines import START, TALK, answer, compacted, imported, said, text, use

from pytest_compaction.case_making.points import record_points
from pytest_compaction.importers.protocol import KEPT_AS_RECORD


def test_each_compaction_is_a_boundary_and_its_summary_no_message(tmp_path):
    transcript = imported(
        tmp_path,
        *TALK,
        *compacted(1, "r1", "first summary"),
        said("user", "u3", "z1", "more"),
        said("assistant", "a3", "u3", [text("More.")], "m3"),
        *compacted(2, "a3", "second summary"),
        said("user", "u4", "z2", "last"),
    )
    assert [m.text or "-" for m in transcript.messages] == [
        "look at both files",
        "Looked.",
        "go on",
        "-",
        "-",
        "more",
        "More.",
        "last",
    ]
    assert [(b.after, b.summary, b.tokens_before) for b in transcript.boundaries] == [
        ("m0004", "first summary", 1000),
        ("m0006", "second summary", 2000),
    ]
    assert transcript.tally.repaired == {}


def test_messages_that_a_compaction_preserved_are_kept_verbatim(tmp_path):
    segment = {"headUuid": "u2", "anchorUuid": "z1", "tailUuid": "r1"}
    listed = {"anchorUuid": "z1", "uuids": ["a2"], "allUuids": ["a2", "r1"]}
    for metadata, kept in (
        ({"preservedSegment": segment}, ("m0002", "m0003", "m0004")),
        ({"preservedMessages": listed}, ("m0003", "m0004")),
    ):
        transcript = imported(tmp_path, *TALK, *compacted(1, "r1", "so far", **metadata))
        (boundary,) = transcript.boundaries
        assert boundary.kept == kept


def test_files_attached_after_the_summary_are_part_of_what_it_went_on_with(tmp_path):
    attached = {"type": "file", "filename": "a.py"}
    attached["content"] = {"type": "text", "file": {"content": "x = 1"}}  # type: ignore[assignment]
    transcript = imported(
        tmp_path,
        *TALK,
        *compacted(1, "r1", "so far"),
        {"type": "attachment", "uuid": "t1", "parentUuid": "z1", "attachment": attached},
        said("user", "u3", "t1", "more"),
    )
    (boundary,) = transcript.boundaries
    assert [m.text for m in boundary.messages] == ["so far", "a.py\nx = 1"]
    assert [m.origin for m in boundary.messages] == ["synthetic", "synthetic"]


def test_a_summary_without_a_boundary_line_counts_as_one(tmp_path):
    line = said("user", "z1", None, "old style", isCompactSummary=True)
    transcript = imported(tmp_path, *TALK, line, said("user", "u3", "z1", "more"))
    assert [(b.after, b.summary) for b in transcript.boundaries] == [("m0004", "old style")]
    assert len(transcript.messages) == 6


def test_a_boundary_without_a_summary_says_what_is_missing(tmp_path):
    boundary, _ = compacted(1, "r1", "")
    transcript = imported(tmp_path, *TALK, boundary, said("user", "u3", "b1", "more"))
    (found,) = transcript.boundaries
    assert not found.recorded
    assert found.missing == "no summary follows its boundary"


def test_a_compaction_by_the_provider_is_a_record_before_what_follows_it(tmp_path):
    made = {"type": "compaction", "content": "so far: both files read"}
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [text("Both read.")], "msg1"),
        said("user", "u2", "a1", "go on"),
        said("assistant", "a2", "u2", [made, text("Going on.")], "msg2"),
        said("user", "u3", "a2", [answer("gone"), text("and now?")]),
        said("assistant", "a3", "u3", [made], "msg3"),
    )
    assert [m.text for m in transcript.messages] == [
        "look at both files",
        "Both read.",
        "go on",
        "Going on.",
        "and now?",
    ]
    assert [(b.after, b.summary) for b in transcript.boundaries] == [
        ("m0002", "so far: both files read"),
        ("m0004", "so far: both files read"),
    ]
    assert transcript.tally.left_out[KEPT_AS_RECORD] == 2


def cleared(uuid, parent, *calls):
    metadata = {"trigger": "auto", "preTokens": 900, "tokensSaved": 500, "compactedToolIds": calls}
    line = {"type": "system", "subtype": "microcompact_boundary", "uuid": uuid}
    return {**line, "parentUuid": parent, "microcompactMetadata": metadata}


def test_results_that_were_cleared_are_cleared_in_the_record_and_whole_in_the_log(tmp_path):
    transcript = imported(
        tmp_path,
        *TALK,
        cleared("b1", "r1", "c1"),
        said("assistant", "a3", "b1", [text("On.")], "m3"),
        *compacted(2, "a3", "the summary"),
        said("user", "u4", "z2", "more"),
        said("assistant", "a4", "u4", [use("c2")], "m4"),
        said("user", "r4", "a4", [answer("c2", "ok too")]),
        cleared("b3", "r4", "c2"),
        cleared("b4", "b3"),
        said("assistant", "a5", "b4", [text("Done.")], "m5"),
    )
    assert [m.results[0].text for m in transcript.messages if m.results] == ["ok", "ok too"]
    first, summary, last = transcript.boundaries
    assert [m.text or m.role for m in first.messages] == [
        *("look at both files", "Looked.", "go on", "assistant", "tool")
    ]
    assert first.messages[-1].results[0].text == "[Old tool result content cleared]"
    assert (first.after, first.tokens_before) == ("m0004", 900)
    assert summary.summary == "the summary"
    assert [m.text or m.role for m in last.messages] == [
        *("the summary", "more", "assistant", "tool")
    ]
    assert last.messages[-1].results[0].text == "[Old tool result content cleared]"
    assert transcript.tally.left_out["compaction that cleared no result"] == 1
    assert not any(point.missing for point in record_points(transcript))
