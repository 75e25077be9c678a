"""Lines of Claude Code sessions, and the transcript imported from them."""

from __future__ import annotations

from functools import partial

from support.imports import import_with

from pytest_compaction.importers.formats.claude_code import IMPORTER


def said(type, uuid, parent, content, id="", **more):
    """A user or assistant line; ``id`` is the id of the assistant's message."""
    message = {"role": type, "content": content, **({"id": id} if id else {})}
    return {"type": type, "uuid": uuid, "parentUuid": parent, "message": message, **more}


def use(id, name="Read", **given):
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def answer(id, content="done", **more):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def text(words):
    return {"type": "text", "text": words}


imported = partial(import_with, IMPORTER.read)


def shape(transcript):
    return [
        (m.role, m.results[0].text if m.results else m.text or ",".join(c.id for c in m.calls))
        for m in transcript.messages
    ]


START = said("user", "u1", None, "look at both files", sessionId="s")


def compacted(number, after, summary, **metadata):
    """A boundary after the line ``after``, and the summary that follows it."""
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": f"b{number}",
        "parentUuid": None,
        "logicalParentUuid": after,
        "compactMetadata": {"trigger": "auto", "preTokens": 1000 * number, **metadata},
    }
    line = said("user", f"z{number}", f"b{number}", summary, isCompactSummary=True)
    return [boundary, line]


TALK = [
    START,
    said("assistant", "a1", "u1", [text("Looked.")], "m1"),
    said("user", "u2", "a1", "go on"),
    said("assistant", "a2", "u2", [use("c1")], "m2"),
    said("user", "r1", "a2", [answer("c1", "ok")]),
]
