"""Records a scripted session while its tool calls really run in a repository.

What user and assistant say is written in a play, ``NAME/play.py``. Every tool call
is executed, and its output is what the tool printed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from questions import Questions
from repository import Repository

Call = tuple[str, dict[str, Any]]
"""A tool call: the name of the tool and its arguments."""


def bash(command: str) -> Call:
    """Run a shell command in the repository."""
    return "bash", {"command": command}


def read_file(path: str, lines: tuple[int, int] | None = None) -> Call:
    """Read a file, or its lines from the first to the last one named (from 1, both included)."""
    first_and_last = {"first_line": lines[0], "last_line": lines[1]} if lines else {}
    return "read_file", {"path": path} | first_and_last


def write_file(path: str, content: str) -> Call:
    """Write a whole file."""
    return "write_file", {"path": path, "content": content}


def edit_file(path: str, old: str, new: str) -> Call:
    """Replace the one occurrence of ``old`` in a file by ``new``."""
    return "edit_file", {"path": path, "old": old, "new": new}


class Recorder(Questions):
    """Collects the messages of one session while it really happens."""

    def __init__(self, repo: Repository) -> None:
        super().__init__()
        self.repo = repo
        self.points: list[dict[str, str]] = []
        self._calls = 0

    # What is said -----------------------------------------------------------

    def system(self, text: str) -> None:
        """The system prompt."""
        self._add({"role": "system", "content": text})

    def user(self, text: str) -> str:
        """The user says something. Returns the message id."""
        return self._add({"role": "user", "content": text})

    def say(self, text: str) -> str:
        """The assistant says something without calling a tool. Returns the message id."""
        return self._add({"role": "assistant", "content": text})

    # What is done -----------------------------------------------------------

    def bash(self, command: str, say: str | None = None) -> str:
        """Run a shell command in the repository. Returns its output as recorded."""
        return self.together([bash(command)], say)[0]

    def read(self, path: str, say: str | None = None, lines: tuple[int, int] | None = None) -> str:
        """Read a file (or the lines ``first`` to ``last`` of it)."""
        return self.together([read_file(path, lines)], say)[0]

    def write(self, path: str, content: str, say: str | None = None) -> str:
        """Write a whole file."""
        return self.together([write_file(path, content)], say)[0]

    def edit(self, path: str, old: str, new: str, say: str | None = None) -> str:
        """Replace the one occurrence of ``old`` in a file by ``new``."""
        return self.together([edit_file(path, old, new)], say)[0]

    def together(self, calls: Sequence[Call], say: str | None = None) -> list[str]:
        """Several tool calls in one assistant message, executed in order."""
        requests: list[dict[str, Any]] = []
        results: list[dict[str, Any]] = []
        for name, arguments in calls:
            self._calls += 1
            id = f"call_{self._calls:03d}"
            function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
            requests.append({"id": id, "type": "function", "function": function})
            output, failed = self.repo.call(name, arguments)
            result = {"role": "tool", "tool_call_id": id, "content": output}
            results.append(result | ({"is_error": True} if failed else {}))
        self._add({"role": "assistant", "content": say, "tool_calls": requests})
        for result in results:
            self._add(result)
        return [result["content"] for result in results]

    # What is measured -------------------------------------------------------

    def point(self, id: str) -> None:
        """The log is compacted here."""
        self.points.append({"id": id, "after": self.messages[-1]["id"]})

    def _add(self, message: dict[str, Any]) -> str:
        id = f"m{len(self.messages):03d}"
        self.messages.append({"id": id} | message)
        return id


@dataclass(frozen=True)
class Play:
    """A session that can be recorded, as ``PLAY`` in ``NAME/play.py``.

    ``record`` plays it; ``task`` is the folder of the case below ``cases/``;
    ``repository`` is the name of the folder that the session works in; ``window``
    and ``budget`` are numbers of tokens.
    """

    record: Callable[[Recorder], None]
    task: str
    title: str
    repository: str
    window: int = 32_000
    budget: int = 4_000
