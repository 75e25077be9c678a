"""Cline's older history: tool calls are tags in a text, results are the text that follows.

The tags become tool calls, so that they stay with their results. Tools that only talk to
the user (questions, plans, completion) become text of the assistant, and their results
become user messages. Forks of Cline, such as Roo Code, write the same format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation.messages import Part, Text, ToolCall, ToolResult
from pytest_compaction.importers.formats.anthropic.blocks import leave_compactions, read_blocks
from pytest_compaction.importers.formats.cline.blocks import anthropic_blocks, unwrapped_text
from pytest_compaction.importers.protocol import ImportFormatError, Tally, Transcript
from pytest_compaction.importers.reading.fields import mapping
from pytest_compaction.importers.reading.threads import ThreadBuilder

_SPEAKING: Final = {
    "ask_followup_question": "question",
    "attempt_completion": "result",
    "plan_mode_respond": "response",
}
_TOOLS: Final = (
    "access_mcp_resource",
    "apply_diff",
    "browser_action",
    "execute_command",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "new_task",
    "read_file",
    "replace_in_file",
    "search_and_replace",
    "search_files",
    "switch_mode",
    "use_mcp_tool",
    "web_fetch",
    "write_to_file",
    *_SPEAKING,
)
_CALL: Final = re.compile(rf"<(?P<name>{'|'.join(_TOOLS)})>(?P<body>.*?)</(?P=name)>", re.S)
_PARAMETER: Final = re.compile(r"\s*<(?P<key>[a-z_]{1,40})>")
_PATH: Final = re.compile(r"<path>([^<]{1,1000})</path>")
_LONG: Final = ("arguments", "content", "diff", "question", "response", "result")
"""Parameters whose value may contain their closing tag, such as code; the last one ends them."""
_DETAILS: Final = re.compile(r"\A\s*<environment_details>.*</environment_details>\s*\Z", re.S)
_RESULT: Final = re.compile(r"\A\[(?P<name>[a-z_]{2,40})\b[^\n]{0,2000}\] Result:[ \t]*\n?")
_FAILED: Final = re.compile(r"\s*(?:The tool execution failed|\[ERROR\]|Error\b)")


def is_classic(value: Any) -> bool:
    """Whether these are messages with the notices that Cline adds to user messages."""
    if not isinstance(value, list):
        return False
    texts = [
        text
        for message in value[:6]
        if mapping(message).get("role") == "user"
        for text in _texts(mapping(message).get("content"))
    ]
    return any("<environment_details>" in text or text.startswith("<task>") for text in texts)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    found = [mapping(block).get("text") for block in blocks]
    return [text for text in found if isinstance(text, str)]


class ClassicReader:
    """Reads one history."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tally = Tally()
        self._thread = ThreadBuilder(self._tally)
        self._waiting: ToolCall | None = None
        self._made = 0

    def transcript(self, history: Sequence[Any]) -> Transcript:
        """The conversation; :class:`ImportFormatError` names a broken message."""
        for number, message in enumerate(history):
            self._tally.records += 1
            place = f"{self._path}, message {number}"
            role = mapping(message).get("role")
            if role not in ("user", "assistant"):
                raise ImportFormatError(
                    f"{place}: expected an object with the role user or assistant; fix or remove it"
                )
            content = anthropic_blocks(mapping(message).get("content"), self._tally)
            blocks = read_blocks(content, place, self._tally)
            leave_compactions(blocks, self._tally)
            for result, rest in blocks.results:
                self._thread.add_result(result, rest)
            if role == "assistant":
                self._assistant(blocks.parts)
            else:
                self._user(blocks.parts, bool(blocks.results))
        self._thread.close()
        messages = tuple(self._thread.messages)
        if not messages:
            raise ImportFormatError(f"{self._path}: a Cline history without a message")
        return Transcript(messages, self._path.as_posix(), self._tally.counted(len(messages)))

    def _assistant(self, parts: Sequence[Part]) -> None:
        self._waiting = None
        made: list[Part] = []
        for part in parts:
            if isinstance(part, Text) and self._waiting is None:
                made += self._with_call(part.text)
            else:
                made.append(part)
        self._thread.add_unless_empty("assistant", made)

    def _with_call(self, text: str) -> list[Part]:
        match = _CALL.search(text)
        if match is None:
            return [Text(text)]
        name, given = match["name"], _parameters(match["body"])
        around = [text[: match.start()].rstrip(), text[match.end() :].strip()]
        if name in _SPEAKING:
            self._tally.repaired["tagged words of the assistant, given as text"] += 1
            around.insert(1, given.get(_SPEAKING[name], ""))
            return [Text(words) for words in around if words.strip()]
        self._made += 1
        self._tally.repaired["tool call written as text, given as a call"] += 1
        arguments = json.dumps(given, ensure_ascii=False)
        self._waiting = ToolCall(f"call-{self._made}", name, arguments)
        return [*(Text(words) for words in around if words.strip()), self._waiting]

    def _user(self, parts: Sequence[Part], answered: bool) -> None:
        kept = [part for part in parts if not self._is_details(part)]
        texts = [part.text for part in kept if isinstance(part, Text)]
        match = _RESULT.match(texts[0]) if texts else None
        if match and self._waiting is not None and match["name"] == self._waiting.name:
            output = "\n".join(text for text in [texts[0][match.end() :], *texts[1:]] if text)
            rest = [part for part in kept if not isinstance(part, Text)]
            failed = bool(_FAILED.match(output))
            self._thread.add_result(ToolResult(self._waiting.id, output, failed), rest)
            self._waiting = None
            return
        if match:
            said = [texts[0][match.end() :], *texts[1:]]
            spoken = [Text(unwrapped_text(text, self._tally)) for text in said if text.strip()]
            kept = [*spoken, *(part for part in kept if not isinstance(part, Text))]
        if kept or not answered:
            self._thread.add_unless_empty("user", kept)

    def _is_details(self, part: Part) -> bool:
        if isinstance(part, Text) and _DETAILS.match(part.text):
            self._tally.left_out["environment details added by the program"] += 1
            return True
        return False


def _parameters(body: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    place = 0
    while match := _PARAMETER.match(body, place):
        key, closing = match["key"], f"</{match['key']}>"
        find = body.rfind if key in _LONG else body.find
        end = find(closing, match.end())
        if end < 0:
            break
        value = body[match.end() : end]
        paths = _PATH.findall(value) if key == "args" else []
        found["paths" if paths else key] = paths or value.strip("\n")
        place = end + len(closing)
    return found
