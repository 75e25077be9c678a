"""A task: one case with one strategy in one trial, and all that a worker needs to measure it.

There is no key in it. A worker takes the key and the address of the endpoint from its own
environment.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.chat.prompts import Prompts
from pytest_compaction.models.wire.call import CallReply
from pytest_compaction.run.remote.code import versions
from pytest_compaction.run.response import Arm
from pytest_compaction.run.triggers import Trigger

GroupKey = tuple[str, Arm]
"""The id of a case, and the arm: the items of a group share a compaction."""
Asked = tuple[tuple[Probe, bool], ...]
"""The probes that are asked of a group, and whether each answer is judged."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is the same for all tasks of a run: the settings on which their results depend.

    ``model``, ``responder`` and ``judges`` are names; ``prompts`` and ``prices`` are ``None``
    if no role has a model behind an endpoint. ``timeout`` (of a call of a strategy) and
    ``request_timeout`` are in seconds. ``modules`` are the modules of the user's strategies
    with their digests, and ``folders`` those of the sender in which they may be found.
    """

    model: str
    responder: str
    judges: tuple[str, ...]
    encoding: str
    trigger: Trigger
    pass_score: float
    timeout: float
    compares_nulls: bool
    reminds: bool
    judgements: int
    request_timeout: float
    published_rounding: bool = False
    prompts: Prompts | None = None
    prices: PriceTable | None = None
    modules: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    hidden: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Stand-ins of names of strategies by the secrets that they replace."""


@dataclass(frozen=True, slots=True)
class Task:
    """One case, strategy and trial; ``concurrency`` is the task's share of requests in flight.

    ``replies`` are those that the sender's store has, by the digest of the call.
    """

    briefing: Briefing
    case: Case
    arm: Arm
    asked: Asked
    concurrency: int
    replies: Mapping[str, CallReply] = field(default_factory=dict)

    @property
    def key(self) -> GroupKey:
        """The group that the task measures."""
        return self.case.id, self.arm


@dataclass(frozen=True, slots=True)
class Parcel:
    """A task on its way: its bytes, and what must agree before they can be read."""

    versions: Mapping[str, str]
    content: bytes

    @classmethod
    def of(cls, task: Task) -> Parcel:
        """The task, packed."""
        return cls(versions(), zlib.compress(pickle.dumps(task), 1))

    def task(self) -> Task:
        """The task; only where the versions agree."""
        # From the process that runs pytest: whoever can send a parcel can already run code.
        task: Task = pickle.loads(zlib.decompress(self.content))  # noqa: S301
        return task
