"""Records a scripted session while its tool calls really run in a repository.

What user and assistant say is written in a play, ``NAME/play.py``. Every tool call
is executed, and its output is what the tool printed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from repository import Repository

from pytest_compaction.conversation.chat_format import message_from_chat
from pytest_compaction.conversation.messages import readable
from pytest_compaction.text.matching import Statement, TextIndex

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


class Recorder:
    """Collects the messages of one session while it really happens."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.messages: list[dict[str, Any]] = []
        self.points: list[dict[str, str]] = []
        self.probes: list[dict[str, Any]] = []
        self._calls = 0
        self._indexes: list[TextIndex] = []

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

    def fact(
        self,
        text: str,
        *aliases: str,
        type: str | None = None,
        keys: Sequence[str] = (),
        change: str | None = None,
        said_in: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """A fact whose evidence is looked up in the log recorded so far.

        Each of the ``keys`` is a group of alternatives with ``|`` between them.

        ``said_in`` names message ids instead (see ``saying``, ``doing``, ``holding``), for a
        text that occurs elsewhere with another meaning. A fact without evidence is an error.
        """
        groups = key_groups(keys)
        statement = Statement(text, aliases, tuple(map(tuple, groups)), change=change, type=type)
        evidence = self._evidence(statement) if said_in is None else list(said_in)
        if not evidence:
            raise LookupError(f"the log does not state {text!r}")
        result: dict[str, Any] = {"text": text, "evidence": evidence}
        if aliases:
            result["aliases"] = list(aliases)
        if groups:
            result["keys"] = groups
        given = {"type": type, "change": change}
        return result | {name: value for name, value in given.items() if value}

    def trap(
        self,
        text: str,
        *aliases: str,
        keys: Sequence[str] = (),
        of: str | None = None,
        type: str | None = None,
        current: Sequence[str] = (),
    ) -> dict[str, Any]:
        """What must not be claimed; ``of`` is the text of the fact that it stands against."""
        given = {
            "aliases": list(aliases),
            "keys": key_groups(keys),
            "of": of,
            "type": type,
            "current": list(current),
        }
        return {"text": text} | {name: value for name, value in given.items() if value}

    def saying(self, *texts: str) -> list[str]:
        """Ids of the messages in which user or assistant say one of the texts.

        This and the two below look for texts to the letter in the log recorded so far; it is an
        error (``LookupError``) if no message fits.
        """
        return self._where(
            lambda message: (
                message["role"] in {"user", "assistant"}
                and any(text in (message["content"] or "") for text in texts)
            ),
            f"in which user or assistant say {_either(texts)}",
        )

    def doing(self, tool: str, text: str) -> list[str]:
        """Ids of the messages that call a tool with a text among its arguments (as JSON)."""
        return self._where(
            lambda message: any(
                function["name"] == tool and text in function["arguments"]
                for function in functions(message)
            ),
            f"that calls {tool} with {text!r}",
        )

    def holding(self, *texts: str, calls: bool = False) -> list[str]:
        """Ids of the messages, outputs of tools included, that hold one of the texts.

        With ``calls`` also of those that call a tool with one among its arguments (as JSON).
        """

        def fits(message: dict[str, Any]) -> bool:
            parts = [message["content"] or ""]
            if calls:
                parts += [function["arguments"] for function in functions(message)]
            return any(text in part for part in parts for text in texts)

        return self._where(fits, f"that holds {_either(texts)}")

    def _where(self, fits: Callable[[dict[str, Any]], bool], which: str) -> list[str]:
        found = [message["id"] for message in self.messages if fits(message)]
        if not found:
            raise LookupError(f"the log has no message {which}")
        return found

    def _evidence(self, statement: Statement) -> list[str]:
        """The first two and the last of the messages that state the fact: enough to prove it."""
        for item in self.messages[len(self._indexes) :]:
            message = message_from_chat(item, item["id"], item["id"])
            self._indexes.append(TextIndex(readable(message)))
        found = [
            item["id"]
            for item, index in zip(self.messages, self._indexes, strict=True)
            if index.read(statement).outcome == "stated"
        ]
        return ends(found)

    def probe(
        self,
        id: str,
        kind: str,
        question: str,
        facts: Sequence[dict[str, Any]],
        traps: Sequence[dict[str, Any]] = (),
        answer: Mapping[str, Any] | None = None,
        point: str | None = None,
    ) -> None:
        """Ask a question after a point (the last one when it is not named)."""
        probe: dict[str, Any] = {"id": id, "kind": kind, "question": question, "facts": list(facts)}
        if traps:
            probe["traps"] = list(traps)
        if answer:
            probe["answer"] = dict(answer)
        if point:
            probe["point"] = point
        self.probes.append(probe)

    def _add(self, message: dict[str, Any]) -> str:
        id = f"m{len(self.messages):03d}"
        self.messages.append({"id": id} | message)
        return id


def key_groups(keys: Sequence[str]) -> list[list[str]]:
    """Groups of alternatives from texts such as ``"45 seconds|45 s"``."""
    return [[form.strip() for form in group.split("|")] for group in keys]


def ends(ids: Sequence[str], first: int = 2) -> list[str]:
    """The first ids and the last one, each once."""
    return list(dict.fromkeys([*ids[:first], *ids[-1:]]))


def functions(message: Mapping[str, Any]) -> list[dict[str, str]]:
    """The tools that a message calls: ``name`` and ``arguments`` (as JSON)."""
    return [call["function"] for call in message.get("tool_calls", ())]


def _either(texts: Sequence[str]) -> str:
    return " or ".join(map(repr, texts))


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
