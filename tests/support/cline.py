"""Messages and blocks as Cline writes them."""

from __future__ import annotations

from typing import Any

from support.builders import assistant, tool


def message(id: str, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"id": id, "role": role, "content": content, "ts": 1, **more}


def use(id: str, name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def answer(id: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "name": "x", "content": content}


SOURCE = "\n".join(f"value_{i} = compute(value_{i - 1}, {i})" for i in range(60))
"""What the reads of files show."""


def file_read(id: str, path: str = "src/a.py", **more: Any) -> list[dict[str, Any]]:
    """A call that reads a file, and its result."""
    return [assistant(None, (id, "read_file", {"path": path, **more})), tool(id, SOURCE)]
