"""Conversations: messages and their parts, the chat format on disk, and token counts.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.conversation.messages import *
    from pytest_compaction.conversation.tokens import *

_NAMES: Final = {
    "messages": (
        "Image Message Opaque Part ROLES Text Thinking ToolCall ToolResult canonical_json "
        "groups identity json_or_none last_user leading_system newest_that_fit pending_calls "
        "readable short_hash structure_faults text_message"
    ),
    "tokens": (
        "DEFAULT_ENCODING EncodingUnavailableError IMAGE_TOKENS MESSAGE_TOKENS "
        "TokenCounter shared_counter"
    ),
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
