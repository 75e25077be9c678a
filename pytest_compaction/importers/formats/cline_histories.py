"""Cline's older history: results are texts of the user message that follows a call.

The calls are native, or tags in a text. Tools that only talk to the user become text of the
assistant, and their results user messages. Forks of Cline, such as Roo Code, write the same format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Part, Text, ToolCall, ToolResult, json_or_none
from pytest_compaction.conversation.formats.anthropic import Blocks, read_blocks
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import as_arguments, mapping, string
from pytest_compaction.importers.chat_messages import plain_text
from pytest_compaction.importers.formats.anthropic import leave_compactions
from pytest_compaction.importers.protocol import (
    NOTICE,
    RESULT_WITHOUT_CALL,
    ImportFormatError,
    Tally,
    Transcript,
)
from pytest_compaction.importers.threads import ThreadBuilder

_TAGGED: Final = (
    r"<(?P<tag>user_input|user_message|feedback|answer|task)\b[^>\n]{0,200}>\s*"
    r"(?P<text>.*?)\s*</(?P=tag)>\s*"
)
_WRAPPER: Final = re.compile(rf"\A\s*{_TAGGED}\Z", re.S)


def known_role(message: Any, place: str) -> str:
    """The role of a message; raises :class:`ImportFormatError` for any other value."""
    role = mapping(message).get("role")
    if role not in ("user", "assistant"):
        raise ImportFormatError(
            f"{place}: expected an object with the role user or assistant; fix or remove it"
        )
    return str(role)


def anthropic_blocks(content: Any, tally: Tally) -> Any:
    """The content as Anthropic's blocks: files and query results as text, no tags around text."""
    if isinstance(content, str):
        return _unwrapped(content, tally)
    blocks = _plain_blocks(content, tally)
    for place, block in enumerate(blocks if isinstance(blocks, list) else ()):
        given = mapping(block)
        if given.get("type") == "text" and isinstance(given.get("text"), str):
            blocks[place] = {**block, "text": _unwrapped(block["text"], tally)}
    return blocks


def _plain_blocks(content: Any, tally: Tally) -> Any:
    """The content as Anthropic's blocks, with its texts as they are."""
    if not isinstance(content, list):
        return content
    return [_block(block, tally) if isinstance(block, Mapping) else block for block in content]


def _unwrapped(text: str, tally: Tally) -> str:
    """What the user typed, without the tag that Cline puts around it."""
    match = _WRAPPER.match(text)
    tally.repaired["tag around the user's text, removed"] += match is not None
    return match["text"] if match else text


def _block(block: Mapping[str, Any], tally: Tally) -> Mapping[str, Any]:
    """A file as its text; a result as text if it is a list of queries, or one as JSON text."""
    kind, content = block.get("type"), block.get("content")
    if kind == "file":
        tally.repaired["attached file, given as text under its path"] += 1
        return {"type": "text", "text": f"{block.get('path', '')}\n{block.get('content', '')}"}
    if isinstance(content, str) and content.startswith('{"query"'):
        content = [json_or_none(content)]
    queries = [mapping(query) for query in content] if isinstance(content, list) else []
    if kind != "tool_result" or not queries:
        return block
    if any("type" in q or "query" not in q or not ("result" in q or "error" in q) for q in queries):
        return block
    keys = ("query", "result", "error")
    texts = [as_arguments(query[k]) for query in queries for k in keys if query.get(k)]
    failed = all(query.get("success") is False for query in queries)
    given = {**block, "content": "\n".join(filter(None, texts))}
    return {**given, "is_error": True} if failed else given


_DETAILS: Final = ("<environment_details>", "</environment_details>")
_RESULT: Final = re.compile(
    r"\A\[(?P<tool>[a-z_]{2,40})\b(?P<of>.{0,20000}?)\] Result:[ \t]*\n?", re.S
)
"""A question to the user is repeated in the header, with all of its lines."""
_WORDS: Final = re.compile(rf"\A\s*(?:[^\n]{{1,400}}:\s*\n)?{_TAGGED}(?P<more>.*?)\s*\Z", re.S)
"""What the user typed, with or without a line that introduces it and files attached to it."""
_ATTACHED: Final = re.compile(r"\s*(?:Files attached by the user:|<file_content\b)")
_NOTICE: Final = re.compile(
    r"\s*(?:\[(?:ERROR|TASK RESUMPTION|NOTE)\] |\[The user has switched to )"
)
_REMINDER: Final = re.compile(
    r"\s*(?:# (?:task_progress |TODO LIST UPDATE )|\(The user did not provide a new message"
    r"|The user has provided feedback on the results|Done\s*\Z)"
)
_SPEAKING: Final = {
    "ask_followup_question": "question",
    "attempt_completion": "result",
    "plan_mode_respond": "response",
}
_TOOLS: Final = (
    *"access_mcp_resource apply_diff browser_action execute_command insert_content".split(),
    *"list_code_definition_names list_files new_task read_file replace_in_file".split(),
    *"search_and_replace search_files switch_mode use_mcp_tool web_fetch write_to_file".split(),
    *_SPEAKING,
)
_OPENING: Final = re.compile(rf"<(?P<name>{'|'.join(_TOOLS)})>")
_PARAMETER: Final = re.compile(r"\s*<(?P<key>[a-z_]{1,40})>")
_PATH: Final = re.compile(r"<path>([^<]{1,1000})</path>")
_LONG: Final = ("arguments", "content", "diff", "question", "response", "result")
"""Parameters whose value may contain their closing tag, such as code; the last one ends them."""
_FAILED: Final = re.compile(
    r"\s*(?:The tool execution failed|The user denied this operation|\[ERROR\]|Error\b)"
)


def is_classic(value: Any) -> bool:
    """Whether these are messages with the notices that Cline adds to user messages."""
    messages = map(mapping, value[:6] if isinstance(value, list) else ())
    typed = [listed(m.get("content")) for m in messages if m.get("role") == "user"]
    texts = (plain_text(part) for content in typed for part in content)
    return any("<environment_details>" in text or text.startswith("<task>") for text in texts)


class ClassicReader:
    """Reads one history."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._thread = ThreadBuilder(self._tally)
        self._waiting: list[ToolCall] = []
        self._spoken: set[str] = set()

    def transcript(self, path: Path, history: Sequence[Any]) -> Transcript:
        """The conversation; :class:`ImportFormatError` names a broken message."""
        for number, message in enumerate(history):
            self._tally.records += 1
            place = f"{path}, message {number}"
            role = known_role(message, place)
            content = _plain_blocks(mapping(message).get("content"), self._tally)
            blocks = read_blocks(content, place, self._tally)
            leave_compactions(blocks, self._tally)
            if role == "assistant":
                self._assistant(blocks.parts)
            else:
                self._user(blocks)
        empty = f"{path}: a Cline history without a message"
        return self._tally.transcript(self._thread.finished(), path, empty)

    def _assistant(self, parts: Sequence[Part]) -> None:
        self._waiting = []
        native = any(isinstance(part, ToolCall) for part in parts)
        made: list[Part] = []
        for part in parts:
            if isinstance(part, ToolCall) and part.name in _SPEAKING:
                self._spoken.add(part.id)
                self._tally.repaired["words of the assistant in a call, given as text"] += 1
                made.append(Text(string(part.parsed().get(_SPEAKING[part.name]))))
            elif isinstance(part, Text) and not native and not self._waiting:
                made += self._with_call(part.text)
            else:
                self._waiting += [part] if isinstance(part, ToolCall) else []
                made.append(part)
        self._thread.add_unless_empty("assistant", made)

    def _with_call(self, text: str) -> list[Part]:
        opening = _first_call(text)
        if opening is None:
            return [Text(text)]
        name, closing = opening["name"], f"</{opening['name']}>"
        body, _, rest = text[opening.end() :].partition(closing)
        given = _parameters(body)
        around = [text[: opening.start()].rstrip(), rest.strip()]
        if name in _SPEAKING:
            self._tally.repaired["tagged words of the assistant, given as text"] += 1
            around.insert(1, given.get(_SPEAKING[name], ""))
            return [Text(words) for words in around if words.strip()]
        self._tally.repaired["tool call written as text, given as a call"] += 1
        self._waiting = [ToolCall(self._thread.new_id(), name, as_arguments(given))]
        return [*(Text(words) for words in around if words.strip()), *self._waiting]

    def _user(self, blocks: Blocks) -> None:
        """Give each result to its call, then the notices, then what the user typed."""
        turn = _Turn()
        for result, rest in blocks.results:
            if result.call_id in self._spoken:
                turn.asked = True
                self._read(result.text, turn)
                turn.words += rest
            else:
                self._thread.add_result(result, rest)
        for part in blocks.parts:
            if isinstance(part, Text):
                self._read(part.text, turn)
            else:
                turn.words.append(part)
        for call, lines in turn.results:
            output = "\n".join(lines)
            failed = bool(_FAILED.match(output))
            self._thread.add_result(ToolResult(call.id, output, failed))
        # An answer is tagged; beside it, a plain text is what the program says of the call.
        (turn.notices if turn.tagged else turn.words)[:0] = turn.asides
        for notice in turn.notices:
            self._tally.repaired[NOTICE] += 1
            self._thread.add("system", [notice])
        if turn.words:
            self._thread.add_unless_empty("user", turn.words)

    def _read(self, text: str, turn: _Turn) -> None:
        """Find out what a text of a user message is, without what Cline puts around it."""
        start, end = _DETAILS
        if text.rstrip().endswith(end) and start in text:
            self._tally.left_out["environment details added by the program"] += 1
            text = text[: text.rindex(start)].rstrip()
        if match := _RESULT.match(text):
            self._result(match, turn)
        elif match := _WORDS.match(text):
            self._tally.repaired["tag around the user's text, removed"] += 1
            turn.tagged = True
            turn.words.append(Text("\n".join(filter(None, (match["text"], match["more"])))))
        elif _ATTACHED.match(text):
            turn.tagged = True
            turn.words.append(Text(text))
        elif _REMINDER.match(text):
            self._tally.left_out["reminder added by the program"] += 1
        elif _NOTICE.match(text):
            turn.notices.append(Text(text.strip()))
        elif text.strip() and turn.open is not None:
            turn.open.append(text)
        elif text.strip():
            (turn.asides if turn.asked else turn.words).append(Text(text))

    def _result(self, header: re.Match[str], turn: _Turn) -> None:
        """Give a result to the first open call of its tool; of several, to the one it names."""
        tool, text = header["tool"], header.string[header.end() :]
        named = [call for call in self._waiting if call.name == tool] or [
            call for call in self._waiting if tool in call.name.split("_")
        ]
        given = ((call, value) for call in named for value in call.parsed().values())
        fitting = (c for c, v in given if isinstance(v, str) and f"'{v}'" in header["of"])
        call = next(fitting, next(iter(named), None))
        if call is not None:
            self._waiting.remove(call)
            turn.open = [text] if text else []
            turn.results.append((call, turn.open))
        elif tool in _SPEAKING or tool not in _TOOLS:
            turn.open, turn.asked = None, True
            self._read(text, turn)
        else:
            turn.open = []
            self._tally.left_out[RESULT_WITHOUT_CALL] += 1


@dataclass(slots=True)
class _Turn:
    """What one user message holds.

    ``asked`` if it answers words of the assistant; then ``asides`` are its texts without a
    tag. ``open`` are the lines of a result that may go on.
    """

    results: list[tuple[ToolCall, list[str]]] = field(default_factory=list)
    notices: list[Part] = field(default_factory=list)
    asides: list[Part] = field(default_factory=list)
    words: list[Part] = field(default_factory=list)
    asked: bool = False
    tagged: bool = False
    open: list[str] | None = None


def _first_call(text: str) -> re.Match[str] | None:
    left_open: set[str] = set()
    for opening in _OPENING.finditer(text):
        name = opening["name"]
        if name not in left_open:
            if text.find(f"</{name}>", opening.end()) >= 0:
                return opening
            left_open.add(name)
    return None


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
