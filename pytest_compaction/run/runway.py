"""How far a log goes after a compaction until the view is as full as it was before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.run.feeder import Step


def tokens_until(log: Sequence[Message], tokens: TokenCounter) -> list[int]:
    """The tokens of a log up to each message, beginning with 0.

    Each message is counted once: a long log is more than a counter remembers.
    """
    return list(accumulate(map(tokens.message, log), initial=0))


def with_runway(steps: Sequence[Step], until: Sequence[int]) -> tuple[Step, ...]:
    """The steps with what they leave of the log: see :class:`~pytest_compaction.run.feeder.Step`.

    ``until`` are the tokens that :func:`tokens_until` gives of the log.

    The view after a compaction grows by each message of the log as it is, whatever a later
    compaction makes of it; so steps of runs with other triggers can be compared.
    """
    return tuple(_with_runway(step, until) for step in steps)


def _with_runway(step: Step, until: Sequence[int]) -> Step:
    log, last = until[step.messages], len(until) - 1
    wanted = log + step.before - step.after
    at = bisect_left(until, wanted, lo=step.messages)
    reached = at <= last and not step.by_server
    return replace(
        step,
        log=log,
        left=last - step.messages,
        until_next=at - step.messages if reached else None,
    )
