"""Long conversations written by a model, with the questions that a memory is asked about them.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.long_conversations.generator import *
    from pytest_compaction.long_conversations.prompts import *

_NAMES: Final = {
    "generator": "Conversation FEWEST_TOKENS estimated write_out",
    "prompts": "DOMAINS",
}

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
