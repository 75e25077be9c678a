"""A task: one case with one strategy in one trial, and all that a worker needs to measure it.

There is no key in it. A worker takes the key and the address of the endpoint from its own
environment. It must have the code of the sender: one that was started before a change, or with
other versions of the packages on which scores depend, would measure something else without a word.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import pickle
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.own_code import module_named
from pytest_compaction.compactors.registry import ENTRY_POINTS
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.chat.prompts import Prompts
from pytest_compaction.models.wire.call import CallReply
from pytest_compaction.run.response import Arm
from pytest_compaction.run.triggers import Trigger

_PACKAGES: Final = ("pytest-compaction", "snowballstemmer", "tiktoken")
_SUFFIXES: Final = frozenset({".py", ".json", ".txt", ".md"})
_ROOT: Final = Path(__file__).parents[2]
"""The folder of this package, which is named after it."""
_LEFT_OUT: Final = frozenset({"benchmark", "__pycache__"})
"""Cases and test modules are the sender's; nobody else's are read."""
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
SOURCES: Final = "the source files of pytest-compaction"

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
    rules_answer: bool = False
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


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """What must agree, as it was when this process first asked."""
    found = {name: importlib.metadata.version(name) for name in _PACKAGES}
    return found | {SOURCES: _digest_of_sources()}


def disagreement(sent: Mapping[str, str]) -> str | None:
    """The sentence on the first thing in which this process differs from the sender."""
    for name, theirs in sent.items():
        ours = versions().get(name, "none")
        if ours != theirs:
            return (
                f"the worker has other code than the run: {name} {ours} there, {theirs} here; "
                "install the same versions on both and restart the workers"
            )
    return None


def modules_of(specs: Iterable[Spec]) -> dict[str, str]:
    """The modules of strategies that do not come with the package, each with its digest."""
    points = {
        point.name: point.module for point in importlib.metadata.entry_points(group=ENTRY_POINTS)
    }
    found: dict[str, str] = {}
    for spec in specs:
        for part in spec.parts or (spec,):
            module = points.get(part.target, "") or module_named(part.target)
            if module and not module.startswith(f"{_ROOT.name}."):
                found[module] = digest_of_module(module)
    return found


def folders_of(modules: Iterable[str]) -> tuple[str, ...]:
    """The folders that modules are imported from; those of installed packages are left out."""
    found: dict[str, None] = {}
    for name in modules:
        module = importlib.import_module(name)
        file = getattr(module, "__file__", None)
        if file:
            depth = name.count(".") + hasattr(module, "__path__")
            folder = Path(file).resolve().parents[depth]
            if folder.name not in _INSTALLED:
                found[str(folder)] = None
    return tuple(found)


@lru_cache(maxsize=256)
def digest_of_module(name: str) -> str:
    """The digest of a module's file when this process first asked; empty without a file.

    Raises what importing the module raises.
    """
    file = getattr(importlib.import_module(name), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(_ROOT.rglob("*")):
        inner = path.relative_to(_ROOT)
        if path.suffix in _SUFFIXES and not _LEFT_OUT.intersection(inner.parts):
            digest.update(f"{inner.as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
