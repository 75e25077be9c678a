"""Facts, traps and probes of a session, with the evidence looked up in its log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_compaction.conversation.chat_format import message_from_chat
from pytest_compaction.conversation.messages import readable
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.statement import Statement


class Questions:
    """Collects what is asked about a log; ``messages`` are chat messages with ids."""

    def __init__(self, messages: Sequence[dict[str, Any]] = ()) -> None:
        self.messages: list[dict[str, Any]] = list(messages)
        self.probes: list[dict[str, Any]] = []
        self._indexes: list[TextIndex] = []

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
                and any(text in said for said in texts_of(message) for text in texts)
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
            parts = texts_of(message)
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


def key_groups(keys: Sequence[str]) -> list[list[str]]:
    """Groups of alternatives from texts such as ``"45 seconds|45 s"``."""
    return [[form.strip() for form in group.split("|")] for group in keys]


def ends(ids: Sequence[str], first: int = 2) -> list[str]:
    """The first ids and the last one, each once."""
    return list(dict.fromkeys([*ids[:first], *ids[-1:]]))


def texts_of(message: Mapping[str, Any]) -> list[str]:
    """The texts of a message, whether its content is one or a list of parts."""
    content = message["content"] or ""
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if isinstance(part.get("text"), str)]


def functions(message: Mapping[str, Any]) -> list[dict[str, str]]:
    """The tools that a message calls: ``name`` and ``arguments`` (as JSON)."""
    return [call["function"] for call in message.get("tool_calls", ())]


def _either(texts: Sequence[str]) -> str:
    return " or ".join(map(repr, texts))
