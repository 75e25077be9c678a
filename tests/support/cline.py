"""Messages and blocks as Cline writes them."""

from __future__ import annotations

from support.builders import assistant, tool


def message(id, role, *parts, **more):
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"id": id, "role": role, "content": content, "ts": 1, **more}


def use(id, name, **given):
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def answer(id, content):
    return {"type": "tool_result", "tool_use_id": id, "name": "x", "content": content}


SOURCE = "\n".join(f"value_{i} = compute(value_{i - 1}, {i})" for i in range(60))
"""What the reads of files show."""


def file_read(id, path="src/a.py", **more):
    """A call that reads a file, and its result."""
    return [assistant(None, (id, "read_file", {"path": path, **more})), tool(id, SOURCE)]
