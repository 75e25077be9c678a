"""Compaction strategies, and all that the author of one needs.

A strategy of another package imports from here alone. The shipped ones, in ``strategies``
and ``products``, import the same names from the modules of ``base``. Names are loaded when
first used, because every pytest run imports the plugin.

What a strategy is
    ``Compactor``: the five methods of a strategy
    ``Traits``: what a strategy needs and does
    ``Context``: window, budget, token counter and model that a compaction may use
    ``State``: the JSON-serialisable state of a strategy
    ``Outcome``: the result of a compaction: new state, status, spans
    ``Status``: ``noop``, ``compacted``, ``truncated`` or ``failed``
    ``Span``: some messages of the input and their fate
    ``View``: the messages that the model sees
    ``CompactorError``: a strategy broke its contract

A base class
    ``HistoryCompactor``: a strategy whose state is the current view
    ``dump``: messages as JSON for the state
    ``load``: messages from the state
    ``unchanged``: the outcome that leaves the view as it was
    ``spans_between``: the spans from the view before to the view after

Messages
    ``Message``: one message, made of parts
    ``Part``: any of the six kinds of parts
    ``Text``: text
    ``Image``: an image
    ``ToolCall``: a call of a tool
    ``ToolResult``: the result of a call
    ``Thinking``: reasoning that only its provider may read back
    ``Opaque``: a part that only its provider can read
    ``text_message``: a message of one text
    ``readable``: everything of a message that can be read as text
    ``groups``: the ranges of messages that belong together: calls and results
    ``pending_calls``: ids of calls that still wait for a result
    ``structure_faults``: what an endpoint would refuse in these messages
    ``leading_system``: the number of system messages at the start
    ``last_user``: the last message that a user wrote
    ``TokenCounter``: counts tokens of texts and messages

Tails and windows
    ``tail_start``: where the newest whole groups within a budget begin
    ``newest_within``: the newest whole groups within a number of tokens
    ``newest_part``: the newest messages that fit, ready to be sent
    ``windowed``: system prompt and newest part within the budget
    ``fitted``: the same, but unchanged if everything fits

Cuts
    ``cut_before``: the nearest safe cut at or before an index
    ``cut_after``: the nearest safe cut at or after an index
    ``pending_start``: where the group that waits for a result begins
    ``user_turns``: the indices of the messages that a user wrote
    ``without_orphans``: new messages without results whose call is gone

Masking
    ``mask_results``: a placeholder for the results of some messages
    ``images_as_text``: a placeholder for images
    ``tool_names``: the tool that each result comes from
    ``where_smaller``: changed messages only where they take fewer tokens
    ``without_middle``: a text cut in its middle

Summaries
    ``Section``: a section that a summary is to have
    ``Source``: the kind of content that a section gathers
    ``Summary``: the entries of a summary by section
    ``summary_from_json``: a summary from the state
    ``write_summary``: ask the model for a summary, merging an earlier one
    ``Written``: a summary with its text, or why there is none
    ``summary_message``: the message that gives a summary
    ``summary_room``: the tokens that are left for a summary
    ``SUMMARY_OVERHEAD``: tokens around the text of a summary
    ``without_preamble``: messages without the preamble of an earlier summary
    ``SummaryRequest``: a request for ``context.model.summarize``, to ask in another way
    ``ModelError``: the model could not be asked

Parameters from the command line
    ``check_whole``: refuse what is not a whole number in a range
    ``check_share``: refuse what is not a number between 0 and 1
    ``check_choice``: refuse what is not one of some choices
    ``names_in``: the names in ``bash|read_file``
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.compactors.archive import *
    from pytest_compaction.compactors.base.cuts import *
    from pytest_compaction.compactors.base.history import *
    from pytest_compaction.compactors.base.product import *
    from pytest_compaction.compactors.base.summaries import *
    from pytest_compaction.compactors.composition import *
    from pytest_compaction.compactors.function.compactor import *
    from pytest_compaction.compactors.own_code import *
    from pytest_compaction.compactors.parameters import *
    from pytest_compaction.compactors.protocol import *
    from pytest_compaction.compactors.registry import *
    from pytest_compaction.compactors.specs import *
    from pytest_compaction.compactors.strategies.plain import *
    from pytest_compaction.compactors.strategies.said import *
    from pytest_compaction.compactors.told import *
    from pytest_compaction.conversation import *
    from pytest_compaction.models import ModelError as ModelError
    from pytest_compaction.models import Section as Section
    from pytest_compaction.models import Source as Source
    from pytest_compaction.models import Summary as Summary
    from pytest_compaction.models import SummaryRequest as SummaryRequest
    from pytest_compaction.models import summary_from_json as summary_from_json

_NAMES: Final = {
    "compactors.base.cuts": """
        mask_results images_as_text tool_names where_smaller
        cut_before cut_after pending_start user_turns without_orphans
        tail_start newest_within newest_part windowed fitted
    """,
    "compactors.base.history": "HistoryCompactor dump load unchanged spans_between",
    "compactors.base.summaries": """
        write_summary Written summary_message summary_room SUMMARY_OVERHEAD without_preamble
        without_middle
    """,
    "compactors.parameters": "check_whole check_share check_choice names_in",
    "compactors.protocol": "Compactor Traits Context State Outcome Status Span View CompactorError",
    "conversation.messages": """
        Message Part Text Image ToolCall ToolResult Thinking Opaque text_message readable groups
        pending_calls structure_faults leading_system last_user
    """,
    "conversation.tokens": "TokenCounter",
    "models": "ModelError Section Source Summary SummaryRequest summary_from_json",
}
"""The names by the module, below ``pytest_compaction``, that defines them."""
_FOR_ROOMS: Final = {
    "compactors.base.product": "PLACEHOLDER",
    "compactors.archive": "asks_model parts_of",
    "compactors.composition": "Composition",
    "compactors.function.compactor": "FunctionCompactor",
    "compactors.own_code": "module_named",
    "compactors.parameters": "parted",
    "compactors.registry": "ENTRY_POINTS Registry is_own named_strategies",
    "compactors.specs": "Spec UnknownCompactorError parse_spec without_archive",
    "compactors.strategies.plain": "Truncate Window",
    "compactors.strategies.said": "Anchors Random SaidOnly",
    "compactors.told": "Told in_context",
}
"""Names for the other rooms of this package, which are no part of what authors may rely on."""
_HOMES: Final = {
    name: module
    for names_by_module in (_NAMES, _FOR_ROOMS)
    for module, names in names_by_module.items()
    for name in names.split()
}
__all__ = sorted(" ".join(_NAMES.values()).split())


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f"pytest_compaction.{_HOMES[name]}")
    return getattr(home, name)
