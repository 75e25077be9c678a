"""Files that were read more than once: only the latest of equal reads has to stay."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.artifacts.operations import Invocation, invocations
from pytest_compaction.artifacts.tool_calls import call_touches, shell_script
from pytest_compaction.compactors.base.masking import mask_results
from pytest_compaction.conversation.messages import Message, canonical_json


def superseded_reads(messages: Sequence[Message]) -> dict[str, str]:
    """Ids of calls that a later call repeated, each with the path of the file.

    Two reads are equal if their tool and arguments are, so that one range of lines
    never stands for another. Reads in a shell command are ignored.
    """
    latest: dict[str, tuple[str, str]] = {}
    superseded: dict[str, str] = {}
    for invocation in invocations(messages):
        path = _read_path(invocation)
        if not path:
            continue
        key = canonical_json([invocation.call.name, invocation.call.parsed()])
        if key in latest:
            call_id, earlier = latest[key]
            superseded[call_id] = earlier
        latest[key] = (invocation.call.id, path)
    return superseded


def _read_path(invocation: Invocation) -> str:
    """The file that the call read, if it did nothing else; empty otherwise."""
    result = invocation.result
    if result is None or result.is_error or shell_script(invocation.call) is not None:
        return ""
    touches = call_touches(invocation.call)
    return touches[0].path if len(touches) == 1 and touches[0].verb == "read" else ""


def without_duplicate_reads(messages: Sequence[Message], note: str) -> tuple[Message, ...]:
    """The messages with ``note``, ``{path}`` filled in, for each read that is repeated later."""
    superseded = superseded_reads(messages)
    return tuple(
        mask_results(
            [message], [message.id], note.format(path=superseded[message.results[0].call_id])
        )[0]
        if message.results and message.results[0].call_id in superseded
        else message
        for message in messages
    )
