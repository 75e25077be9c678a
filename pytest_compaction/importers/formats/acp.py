"""Session updates of the Agent Client Protocol, one a line, bare or as notifications."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import as_arguments, mapping, string
from pytest_compaction.importers.protocol import SUMMARY_IN_RECORD, unknown
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped, under

_SHAPE: Final = Shape(joined=True)
_CHUNKS: Final = {
    "user_message_chunk": "user",
    "agent_message_chunk": "assistant",
    "agent_thought_chunk": "assistant",
}
_SHOWN: Final = (
    "plan available_commands_update current_mode_update usage_update session_info_update "
    "config_option_update current_model_update"
).split()


def _update(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The parameters of a notification, and the update in them, either of which may stand bare."""
    params = mapping(record.get("params")) or record
    return params, mapping(params.get("update")) or params


class _UpdateReader(TurnReader):
    def __init__(self, shape: Shape, tally: Any) -> None:
        super().__init__(shape, tally)
        self._states: dict[str, dict[str, Any]] = {}
        self._summaries: dict[str, str] = {}

    def record(self, record: Mapping[str, Any]) -> None:
        params, update = _update(record)
        kind = string(update.get("sessionUpdate"))
        content = update.get("content")
        if kind in _CHUNKS:
            text = self.output(content)[0]
            thought = kind == "agent_thought_chunk"
            part = {"type": "thinking", "thinking": text} if thought else content
            self.say(_CHUNKS[kind], [part])
        elif kind in ("tool_call", "tool_call_update"):
            self._tool(update)
        elif kind == "compaction_summary_chunk":
            id = string(update.get("compactionId"))
            self._summaries[id] = self._summaries.get(id, "") + self.output(content)[0]
            self.tally.left_out[SUMMARY_IN_RECORD] += 1
        elif kind == "compaction_update":
            id, status = string(update.get("compactionId")), update.get("status")
            if update.get("summary") is not None:
                self._summaries[id] = self.output(update["summary"])[0]
            if status == "completed":
                self.compacted(self._summaries.get(id, ""))
            else:
                self.tally.left_out[f"state of a compaction: {str(status)[:40]}"] += 1
        elif kind in _SHOWN:
            self.tally.left_out[f"update for the screen: {kind}"] += 1
        elif kind:
            self.tally.skip(unknown("session update", kind), update)
        elif record.get("method") == "session/prompt":
            self.say("user", listed(params.get("prompt")))
        else:
            self.tally.left_out["other message of the protocol"] += 1

    def _tool(self, update: Mapping[str, Any]) -> None:
        """Follow the state of a call; it is a message once its arguments are complete."""
        id = string(update.get("toolCallId"))
        state = self._states.setdefault(id, {})
        state.update({key: value for key, value in update.items() if value is not None})
        done = state.get("status") in ("completed", "failed")
        given = state.get("rawInput")
        if not self.knows(id) and (done or given):
            name = string(mapping(state.get("_meta")).get("toolName") or state.get("title"))
            arguments = given if given is not None else {"locations": state.get("locations")}
            call = {"type": "tool_call", "id": id, "name": name or state.get("kind")}
            self.say("assistant", [{**call, "input": as_arguments(arguments)}])
        elif not done:
            self.tally.left_out["progress of a call"] += 1
        if done:
            shown = state.get("content")
            texts = [
                f"{part.get('path', '')}\n{part.get('newText', '')}"
                if part.get("type") == "diff"
                else self.output(part.get("content"))[0]
                for part in map(mapping, listed(shown))
            ]
            output = "\n".join(filter(None, texts)) or state.get("rawOutput") or ""
            result = {"type": "tool_result", "tool_call_id": id, "output": output}
            self.say("tool", [{**result, "isError": state.get("status") == "failed"}])
            state["status"] = ""


def _recognised(value: Any) -> bool:
    return isinstance(_update(mapping(value))[1].get("sessionUpdate"), str)


IMPORTER: Final = shaped(
    "acp",
    "Agent Client Protocol, session updates (JSONL)",
    _SHAPE,
    _recognised,
    under("updates"),
    reader=_UpdateReader,
    is_message=lambda value: isinstance(value, Mapping),
)
