"""What formats of chat messages share: the names of roles, and what LiteLLM records beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.text import printable

NESTED_LISTS: Final = 3
"""How deep conversations may lie in lists of lists to be looked for."""
ROLES: Final[Mapping[str, str]] = {
    "system": "system",
    "developer": "developer",
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model"), "assistant"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
"""The role of a message for each name that formats use."""


def plain_text(content: Any) -> str:
    """The texts of a content, without its images."""
    texts = (
        part if isinstance(part, str) else mapping(part).get("text") for part in listed(content)
    )
    return "\n".join(text for text in texts if isinstance(text, str))


def thinking_blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Thinking that OpenHands and SWE-agent (both by LiteLLM) record beside the content."""
    blocks = map(mapping, listed(message.get("thinking_blocks")))
    return [block for block in blocks if block.get("type") in ("thinking", "redacted_thinking")]


def note_end(info: Mapping[str, Any], tally: Tally) -> None:
    """Count what SWE-agent and mini-swe-agent write about the end of a run."""
    if info:
        status = printable(str(info.get("exit_status")), 60)
        tally.records += 1
        tally.left_out[f"statistics and patch of a run that ended with: {status}"] += 1
