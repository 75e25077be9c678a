"""Tokens of a call: those that the endpoint reports, or else a count of our own."""

from __future__ import annotations

from dataclasses import replace

from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.models.wire.events import said_in
from pytest_compaction.models.wire.reply import read_reply
from pytest_compaction.models.wire.request import texts_of


def counted(call: Call, reply: CallReply, tokens: TokenCounter) -> Usage:
    """The usage of a reply; figures that it lacks are counted by our own tokenizer.

    Thoughts that are not in the reply are not counted, nor are items that only the endpoint
    can read.
    """
    usage = reply.usage
    read, written = usage.input_tokens, usage.output_tokens
    if not read:
        read = sum(map(tokens.text, texts_of(call.body)))
    if not written:
        said = read_reply(call.operation, reply.body).text if call.is_ours else said_in(reply.body)
        written = tokens.text(said)
    return replace(usage, input_tokens=read, output_tokens=written)
