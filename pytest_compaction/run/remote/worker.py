"""The work on the other side: a parcel is opened, its task measured, and the result sent back."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path

from pytest_compaction.compactors.registry import Registry, named_strategies
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.conversation.tokens import EncodingUnavailableError, TokenCounter
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.address import host_of
from pytest_compaction.models.registry import asking, endpoint_within
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.run.remote.code import digest_of_module, disagreement
from pytest_compaction.run.remote.collector import Collector
from pytest_compaction.run.remote.failure import TaskError
from pytest_compaction.run.remote.measurement import measured
from pytest_compaction.run.remote.result import TaskResult, encoded
from pytest_compaction.run.remote.task import Briefing, Parcel, Task
from pytest_compaction.scratch import scratch_folder
from pytest_compaction.secrets.hidden import forget
from pytest_compaction.secrets.keys import scrubbed


def perform(parcel: Parcel) -> bytes | str:
    """The encoded result of a task, or the sentence on why it could not be done here.

    Raises nothing, because an exception would have to be unpickled by whoever waits.
    """
    try:
        differs = disagreement(parcel.versions)
        if differs is not None:
            return differs
        task = parcel.task()
        return encoded(_result(task), task.case, task.asked)
    except (TaskError, UnknownCompactorError, EncodingUnavailableError) as error:
        return scrubbed(f"on a worker: {error}")
    except Exception as error:
        return scrubbed(f"on a worker: {type(error).__name__}: {error}")


def _result(task: Task) -> TaskResult:
    briefing = task.briefing
    _check_endpoint(briefing)
    registry, spec = _strategy(task)
    tokens = _tokens(briefing.encoding)

    async def sent(call: Call, digest: str) -> CallReply | None:
        return task.replies.get(digest)

    if briefing.prices is None:
        return TaskResult(measured(task, registry, spec, tokens, Collector(sent)))
    with scratch_folder() as folder:
        accounts = Accounts(folder / "accounts.sqlite")
        endpoint = endpoint_within(briefing.request_timeout)
        paying = asking(accounts, briefing.prices, tokens, None, endpoint)
        collector = Collector(sent, paying)
        findings = measured(task, registry, spec, tokens, collector)
        return TaskResult(
            findings,
            tuple(collector.made),
            tuple(accounts.totals()),
            tuple(collector.stored),
            tuple(accounts.notes),
        )


def _check_endpoint(briefing: Briefing) -> None:
    """Raise unless the worker would ask the endpoint whose prices the run knows."""
    if briefing.prices is None:
        return
    ours, theirs = host_of(os.environ.get("OPENAI_BASE_URL")), briefing.prices.host
    if ours != theirs:
        raise TaskError(
            f"OPENAI_BASE_URL names the host {ours or '(none)'} there and {theirs or '(none)'} "
            "here; set the same for the workers"
        )


def _strategy(task: Task) -> tuple[Registry, Spec]:
    """The strategy of a task, made from the code that the sender has."""
    for folder in task.briefing.folders:
        if folder not in sys.path and Path(folder).is_dir():
            sys.path.append(folder)
    forget(task.briefing.hidden.items())
    registry, specs = named_strategies([task.arm.compactor], {})
    for name, digest in task.briefing.modules.items():
        if name in sys.modules and digest_of_module(name) != digest:
            raise TaskError(
                f"the module {name!r} is not the one of the run; install the same code there and "
                "restart the workers"
            )
    return registry, specs[0]


@lru_cache(maxsize=4)
def _tokens(encoding: str) -> TokenCounter:
    """The counter of this process: what it has counted need not be counted again."""
    return TokenCounter(encoding)
