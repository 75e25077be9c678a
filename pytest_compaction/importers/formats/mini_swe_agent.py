"""Trajectories of mini-swe-agent: one shell command a step, as text or as a function call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.chat_messages import note_end, plain_text, thinking_blocks
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped
from pytest_compaction.importers.text_actions import with_calls

_FORMAT: Final = "mini-swe-agent"
_OBSERVED: Final = re.compile(
    r"\s*(?:<exception>.*?</exception>\s*)?<returncode>(?P<code>-?\d{1,9})</returncode>"
    r"(?P<whole>\s*<output>\n?(?P<output>.*?)\n?</output>\s*\Z)?",
    re.S,
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


class _RunReader(TurnReader):
    def prepare(self, records: Iterable[Any]) -> Iterable[Any]:
        return with_calls(records, self.tally)

    def record(self, record: Mapping[str, Any]) -> None:
        """Read a message; one behind a command is its output, also that which ends the run."""
        role, content = record.get("role"), record.get("content")
        text = plain_text(content)
        refused = _REFUSED.match(text[:_HEAD])
        waiting = self.waiting
        if role in ("user", "exit") and waiting and not refused:
            role, record = "tool", {**record, "tool_call_id": waiting[0]}
        if role == "exit":
            self.tally.left_out["patch that was submitted"] += 1
            return
        kind = mapping(record.get("extra")).get("interrupt_type")
        if role == "user" and (kind == "FormatError" or (self.turns and refused)):
            self.tally.repaired["notice on the form of a reply, given as a system message"] += 1
            role = "system"
        if role == "assistant":
            content = [*thinking_blocks(record), *listed(content)]
        if role == "tool":
            shown, failed = _observed(text)
            record = {**record, "is_error": failed}
            content = content if shown == text else shown
        super().record({**record, "role": role, "content": content})


def _observed(text: str) -> tuple[str, bool]:
    """The output of a command without the tags around it, and whether the command failed."""
    found = _OBSERVED.match(text)
    if found is None:
        return text, _STOPPED.search(text[:_HEAD]) is not None
    failed = int(found["code"]) != 0
    if not found["whole"] or "<exception>" in text[: found.start("code")]:
        return text, failed
    code = f"\n[exit code {found['code']}]" if failed else ""
    return f"{found['output']}{code}".lstrip("\n" if failed else ""), failed


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    messages = value if is_list(value) else mapping(value).get("messages")
    if not is_list(messages) or not messages:
        return None
    info = mapping(mapping(value).get("info"))
    model = mapping(mapping(info.get("config")).get("model")).get("model_name")
    exchange = Exchange(place, messages, model=string(model))
    note_end(info, exchange.tally)
    return exchange


def _recognised(value: Any) -> bool:
    data = mapping(value)
    messages = value if isinstance(value, list) else data.get("messages")
    if not isinstance(messages, list):
        return False
    marked = string(data.get("trajectory_format")).startswith(_FORMAT)
    return (
        marked
        or "mini_version" in mapping(data.get("info"))
        or any(
            message.get("role") == "user" and _OBSERVED.match(string(message.get("content")))
            for message in map(mapping, messages)
        )
    )


IMPORTER: Final = shaped(
    _FORMAT,
    "mini-swe-agent, trajectory (.traj.json)",
    Shape(role=("role",), content=("content",), read=("extra", "thinking_blocks")),
    _recognised,
    _exchange,
    reader=_RunReader,
)
