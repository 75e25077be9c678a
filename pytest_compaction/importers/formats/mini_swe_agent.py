"""Trajectories of mini-swe-agent: one shell command a step, as text or as a function call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Part, ToolResult
from pytest_compaction.conversation.formats.parts import mapping, string, text_and_rest
from pytest_compaction.importers.chat_messages import (
    as_message,
    loose_parts,
    note_end,
    read_calls,
    thinking_blocks,
)
from pytest_compaction.importers.json_files import is_list, read_document
from pytest_compaction.importers.protocol import (
    ImportFormatError,
    Tally,
    Transcript,
    unknown,
)
from pytest_compaction.importers.registry import Format, shown_by
from pytest_compaction.importers.text_actions import with_calls
from pytest_compaction.importers.threads import ThreadBuilder

_FORMAT: Final = "mini-swe-agent"
_OBSERVED: Final = re.compile(
    r"\s*(?:<exception>.*?</exception>\s*)?<returncode>(?P<code>-?\d{1,9})</returncode>", re.S
)
_OUTPUT: Final = re.compile(
    r"\s*<returncode>-?\d{1,9}</returncode>\s*<output>\n?(?P<output>.*)</output>\s*", re.S
)
_REFUSED: Final = re.compile(
    r"Please always provide \*{0,2}EXACTLY ONE|Tool call error:|Format error:|No tool calls found"
)
"""Replies of the program to a message without a command, or with several."""
_STOPPED: Final = re.compile(
    r"The last command \S.{0,40}has timed out|\btimed out and has been killed", re.S
)
_HEAD: Final = 3_000
"""Notices are looked for in the first characters: an output may quote one."""


def _recognised(value: Any) -> bool:
    data = mapping(value)
    messages = value if isinstance(value, list) else data.get("messages")
    if not isinstance(messages, list):
        return False
    if string(data.get("trajectory_format")).startswith(_FORMAT):
        return True
    return "mini_version" in mapping(data.get("info")) or any(map(_is_observation, messages))


def _is_observation(message: Any) -> bool:
    content = string(mapping(message).get("content"))
    return mapping(message).get("role") == "user" and bool(_OBSERVED.match(content))


class _RunReader:
    def __init__(self) -> None:
        self._tally = Tally()
        self._thread = ThreadBuilder(self._tally)

    def transcript(self, path: Path) -> Transcript:
        data = read_document(path)
        given = data if is_list(data) else mapping(data).get("messages")
        if not is_list(given) or not given:
            raise ImportFormatError(
                f"{path}: no message of a mini-swe-agent run; expected a list of messages, or one "
                "under 'messages'. Name another format with --format"
            )
        for number, message in enumerate(with_calls(given, self._tally)):
            self._tally.records += 1
            self._message(as_message(message, f"{path}, message {number}"))
        info = mapping(mapping(data).get("info"))
        note_end(info, self._tally)
        model = string(mapping(mapping(info.get("config")).get("model")).get("model_name"))
        empty = f"{path}: no message in the run"
        return self._tally.transcript(self._thread.finished(), path, empty, model)

    def _message(self, message: Mapping[str, Any]) -> None:
        role = message.get("role")
        parts = loose_parts(message.get("content"), self._tally)
        text, rest = text_and_rest(parts)
        waiting = self._thread.open_calls()
        if role == "assistant":
            calls = read_calls(message.get("tool_calls"), self._tally, self._thread)
            said = [*thinking_blocks(message), *parts, *calls]
            self._thread.add_unless_empty("assistant", said)
        elif role == "tool":
            self._result(string(message.get("tool_call_id")), text, rest)
        elif role in ("user", "exit") and waiting and not _REFUSED.match(text[:_HEAD]):
            self._result(waiting[0], text, rest)
        elif role == "exit":
            self._tally.left_out["patch that was submitted"] += 1
        elif role == "user" and self._replies(message, text):
            self._tally.repaired["notice on the form of a reply, given as a system message"] += 1
            self._thread.add_unless_empty("system", parts)
        elif role in ("system", "user"):
            self._thread.add_unless_empty(str(role), parts)
        else:
            self._tally.skip(unknown("message role", role))

    def _replies(self, message: Mapping[str, Any], text: str) -> bool:
        """Whether the program wrote a user message: it refuses the reply of the model."""
        kind = mapping(message.get("extra")).get("interrupt_type")
        return kind == "FormatError" or bool(self._thread.messages and _REFUSED.match(text[:_HEAD]))

    def _result(self, id: str, text: str, rest: Sequence[Part]) -> None:
        code, output = _OBSERVED.match(text), _OUTPUT.fullmatch(text)
        failed = code is not None and int(code["code"]) != 0
        stopped = code is None and _STOPPED.search(text[:_HEAD]) is not None
        shown = output["output"].removesuffix("\n") if output else text
        if output and code and failed:
            shown = f"{shown}\n[exit code {code['code']}]".lstrip("\n")
        self._thread.add_result(ToolResult(id, shown, failed or stopped), rest)


IMPORTER: Final = Format(
    "mini-swe-agent",
    "mini-swe-agent, trajectory (.traj.json)",
    shown_by(_recognised),
    lambda path: _RunReader().transcript(path),
)
