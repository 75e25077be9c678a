"""Commands that a model writes into its text, answered by messages with the role of the user.

Agents without function calls, such as mini-swe-agent, take the one fenced command of a text and
send its output as the next message. Read as a conversation, every output would be the user's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.protocol import Tally

_OPENING: Final = re.compile(
    r"^```(?:bash|sh|shell|mswea_bash_command)[ \t]*\n|<mswea_bash_command>", re.M
)
_FENCE_END: Final = re.compile(r"^```[ \t]*$", re.M)
_TAG_END: Final = re.compile(r"</mswea_bash_command>")
_OUTPUT: Final = re.compile(
    r"\s*(?:<exception>.{0,2000}?</exception>\s*)?<returncode>(?P<code>-?\d{1,5})</returncode>"
    r"|\s*(?P<killed>The last command <command>)",
    re.S,
)
_SUBMITTED: Final = re.compile(r"\s*\Z|diff --git ")
"""What the command that ends a run is answered with: nothing, or the bare patch."""


def with_calls(messages: Iterable[Any], tally: Tally) -> Iterator[Any]:
    """The same number of messages, with written commands as calls and outputs as results."""
    held: list[Any] = []
    made = 0
    for message in messages:
        written = _command(held[0]) if held else None
        code = _exit_code(message, made > 0)
        if written and code and mapping(message).get("role") == "user":
            made += 1
            id = f"action-{made}"
            tally.repaired["command written as text, given as a tool call"] += 1
            arguments = json.dumps({"command": written[0]}, ensure_ascii=False)
            call = {"id": id, "function": {"name": "bash", "arguments": arguments}}
            held = [{**held[0], "content": written[1], "tool_calls": [call]}]
            message = {**message, "role": "tool", "tool_call_id": id}
        if code not in ("", "0") and message.get("role") == "tool":
            message = {"is_error": True, **message}
        yield from held
        held = [message]
    yield from held


def _command(message: Any) -> tuple[str, str] | None:
    """The one command of an assistant message without calls and the text around it."""
    given = mapping(message)
    if given.get("role") != "assistant" or given.get("tool_calls"):
        return None
    text = _text(given)
    opening = _OPENING.search(text)
    if opening is None:
        return None
    ending = _TAG_END if opening[0].startswith("<") else _FENCE_END
    closing = ending.search(text, opening.end())
    if closing is None or _OPENING.search(text, closing.end()):
        return None
    around = (text[: opening.start()].strip(), text[closing.end() :].strip())
    return text[opening.end() : closing.start()].strip("\n"), "\n".join(filter(None, around))


def _exit_code(message: Any, known: bool) -> str:
    """The exit code that a message reports, empty if it is no output of a command."""
    given = mapping(message)
    if given.get("role") not in ("user", "tool"):
        return ""
    text = _text(given)
    match = _OUTPUT.match(text)
    if match:
        return match["code"] or "killed"
    return "0" if known and _SUBMITTED.match(text) else ""


def _text(message: Mapping[str, Any]) -> str:
    """The text of a message that is nothing else; empty for any other."""
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1:
        content = mapping(content[0]).get("text")
    return content if isinstance(content, str) else ""
