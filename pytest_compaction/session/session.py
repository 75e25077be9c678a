"""A benchmark session: everything that the settings name, found and checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_compaction.cache import KeptResults
from pytest_compaction.case import CaseEntry, CaseSet, ProbeEntry
from pytest_compaction.compactors import Registry, Spec
from pytest_compaction.conversation import canonical_json, short_hash
from pytest_compaction.dialogues import DialogueSet
from pytest_compaction.gate import KEY as PLANNED
from pytest_compaction.gate import PlannedRun, Threshold
from pytest_compaction.metrics import reader_version
from pytest_compaction.models import (
    OFFLINE,
    Endpoints,
    Model,
    PriceTable,
    packaged_prompt,
)
from pytest_compaction.records import ShardPart
from pytest_compaction.run import Engine, Method, Nulls, Roles, Trigger, WorkLoop
from pytest_compaction.secrets import hidden
from pytest_compaction.session.recorded_words import RunWords
from pytest_compaction.session.worker_share import WorkerShare
from pytest_compaction.settings import Settings

if TYPE_CHECKING:
    from pytest_compaction.dialogues import Replayer
    from pytest_compaction.run import Elsewhere

PACKAGED: Final = Path(__file__).parents[1] / "benchmark"


CASES_VERSION: Final = "2"
"""The version of the shipped cases, raised when any of them changes between releases."""


def shipped_cases() -> Path:
    """The case files that come with the package: in the wheel, or beside a source checkout."""
    inside = PACKAGED / "cases"
    return inside if inside.is_dir() else PACKAGED.parents[1] / "cases"


def shipped_digests() -> frozenset[str]:
    """Digests of the shipped cases, whose evidence the tests of this package check."""
    text = (PACKAGED / "checked_cases.txt").read_text("utf-8")
    return frozenset(text.split())


@dataclass(frozen=True)
class BenchmarkSession:
    settings: Settings
    case_set: CaseSet
    specs: tuple[Spec, ...]
    registry: Registry
    roles: Roles
    trigger: Trigger
    thresholds: tuple[Threshold, ...]
    folders: tuple[Path, ...]
    dialogue_set: DialogueSet = field(default_factory=DialogueSet)
    endpoints: Endpoints | None = None
    """Shared by all models behind an endpoint; ``None`` when no role has such a model."""
    nulls: Nulls = "shipped"
    """The cases in which each strategy is compared with the nulls."""
    left_out: tuple[str, ...] = ()
    """Ids of cases without a recorded compaction in a run at the budgets on record."""
    rules_left_out: tuple[str, ...] = ()
    named: tuple[Path, ...] = ()
    """The files and folders of cases and of dialogues, as they were named."""
    kept: KeptResults = field(default_factory=KeptResults)
    shipped: bool = False
    not_read: tuple[str, ...] = ()
    """What is there that could have been cases and was not read, as sentences."""
    words: RunWords = field(default_factory=RunWords)
    baseline_title: str = ""
    worker_share: WorkerShare | None = None
    """What this process shares with other workers of the run; ``None`` if it does not."""

    @property
    def asks_models(self) -> bool:
        """Whether any model is asked that is not made of rules, also by a strategy's own client."""
        return self._has_own_clients or any(model.name != OFFLINE for model in self.roles.all)

    @property
    def _has_own_clients(self) -> bool:
        return self.settings.calls.proxy and bool(self.asking_outside)

    @cached_property
    def asking_outside(self) -> tuple[str, ...]:
        """The strategies that are not shipped and take no model: they may ask one by themselves."""
        return tuple(self.registry.without_model(self.specs))

    @property
    def blocks_nowhere(self) -> bool:
        """Whether all that runs is code of this package, where one loop waits for all requests."""
        return not self._has_own_clients and all(map(self.registry.is_shipped, self.specs))

    @cached_property
    def items(self) -> dict[Any, Any]:
        return {}

    @cached_property
    def work_loop(self) -> WorkLoop:
        """The loop of this process on which models are asked, made when first needed."""
        share, caller = self.worker_share, self.endpoints.caller if self.endpoints else None
        if share is None:
            return WorkLoop(self.settings.concurrency, caller)
        return WorkLoop(share.requests(share.workers), caller, lambda: share.is_stopped)

    @cached_property
    def engine(self) -> Engine:
        method = Method(
            self.roles,
            self.registry.named,
            self.trigger,
            self.settings,
            self.work_loop,
            self.nulls,
            self.kept,
        )
        return Engine(
            method,
            self.case_set.case,
            self.case_set.forget,
            waits=self._has_own_clients,
            executor=self.elsewhere,
        )

    @cached_property
    def elsewhere(self) -> Elsewhere | None:
        """What does the work on cases in the tasks of an executor; ``None`` if it is done here."""
        settings, endpoints = self.settings, self.endpoints
        if not settings.executor or (settings.calls.replay and endpoints):
            return None
        from pytest_compaction.run import Briefing, Elsewhere, Tasks, opener_for, own_modules

        briefing = Briefing(
            settings,
            self.trigger,
            self.nulls,
            prompts=endpoints.prompts if endpoints else None,
            prices=self.prices,
            modules=own_modules(self.specs),
            hidden=hidden(),
        )
        # A slot does one task at a time: all together stay within the requests in flight.
        most = settings.concurrency if endpoints else 0
        tasks = Tasks(opener_for(settings.executor), settings.executor, most)
        return Elsewhere(tasks, briefing, self.registry, endpoints)

    @cached_property
    def replayer(self) -> Replayer:
        from pytest_compaction.dialogues import Replayer, Rules, history_mode, trigger_for_dialogues

        named = self.settings.dialogues
        rules = Rules(
            trigger=trigger_for_dialogues(self.trigger),
            history=history_mode(named.history, self.roles.responder.name),
            trials=self.settings.trials,
            window=named.window,
            budget=named.budget,
            timeout=self.settings.timeout,
            pass_at=named.consistency,
        )
        return Replayer(self.roles, self.registry.named, rules, self.work_loop)

    @property
    def prices(self) -> PriceTable | None:
        return self.endpoints.prices if self.endpoints else None

    @property
    def has_dialogues(self) -> bool:
        return bool(self.dialogue_set.dialogues or self.dialogue_set.errors)

    def with_models(self, other: Callable[[Model, str], Model]) -> BenchmarkSession:
        """This session with ``other`` models in its roles, without endpoint, executor and nulls."""
        roles = self.roles
        return replace(
            self,
            roles=replace(
                roles,
                compaction=other(roles.compaction, "compaction"),
                responder=other(roles.responder, "responder"),
                judges=tuple(other(judge, "judge") for judge in roles.judges),
                reader=other(roles.reader, "reader") if roles.reader else None,
            ),
            settings=replace(self.settings, executor=""),
            endpoints=None,
            nulls="none",
        )

    def stop(self) -> None:
        """Cancel what models are asked, keep what was paid for, and ask nothing more."""
        if "work_loop" in self.__dict__:
            self.work_loop.stop()

    def close(self) -> None:
        """End the loop if it was ever started, and leave the executor."""
        elsewhere = self.__dict__.get("elsewhere")
        if elsewhere is not None:
            elsewhere.tasks.close()
        if "work_loop" in self.__dict__:
            self.work_loop.close()
        if self.endpoints is not None:
            self.endpoints.close()
        self.kept.close()

    def header(self) -> dict[str, Any]:
        """The header line of the records: versions, settings, cases.

        It holds no time, so that two runs of the same settings write the same bytes.
        """
        reader = reader_version()
        if not self.settings.read_by_rules:
            prompt = packaged_prompt("read")
            reader = short_hash(canonical_json([prompt.system, prompt.user]))
        return {
            "versions": {**_versions(), "reader": reader}
            | ({"cases": CASES_VERSION} if self.shipped else {}),
            "settings": self.settings.as_json(),
            "cases": {case.id: case.digest for case in self.case_set.entries},
            PLANNED: self._planned().as_json(),
            **({"left_out": list(self.left_out)} if self.left_out else {}),
            **({"dialogues": self.dialogue_set.as_json()} if self.has_dialogues else {}),
            **({"words": words} if (words := self.words.as_json()) else {}),
            **({"prices": self.endpoints.prices.as_json()} if self.endpoints else {}),
        }

    def probes_of(self, case: CaseEntry, spec: Spec | None) -> list[ProbeEntry]:
        """The probes of a case that a strategy is asked, by id; all of them without a strategy.

        One that replays the compactions on record is not asked what came after them, and one of
        which words are recorded nothing of cases without.
        """
        if spec and case.id in self.words.missing.get(spec.text, ()):
            return []
        traits = self.registry.traits(spec) if spec else None
        needs_record = getattr(traits, "needs_record", False)
        probes = sorted(case.probes, key=lambda probe: probe.id)
        return [probe for probe in probes if not (needs_record and case.went_on(probe.point))]

    def _planned(self) -> PlannedRun:
        probes = sum(
            len(self.probes_of(case, spec)) * len(self.settings.budgets_of(spec.text))
            for spec in self.specs
            for case in self.case_set.entries
        )
        cases, dialogues = self.case_set, self.dialogue_set
        found = len(cases.entries) + len(cases.errors) + len(self.left_out)
        return PlannedRun(
            probes * self.settings.trials + len(self.specs) * len(dialogues.dialogues),
            found + len(dialogues.dialogues) + len(dialogues.errors),
            self.shipped,
        )

    @cached_property
    def part(self) -> ShardPart | None:
        shard = self.settings.shard
        if shard is None:
            return None
        return ShardPart(
            shard.index,
            shard.count,
            tuple(case.id for case in self.cases_that_run),
            tuple(sorted(d.id for d in self.dialogue_set.dialogues if shard.holds(d.id))),
        )

    @property
    def cases_that_run(self) -> Sequence[CaseEntry]:
        shard = self.settings.shard
        return [case for case in self.case_set.entries if shard is None or shard.holds(case.id)]


@cache
def _versions() -> dict[str, str]:
    """The versions of the packages on which the figures of a run depend."""
    names = ("pytest", "pytest-compaction", "snowballstemmer", "tiktoken")
    return {name: version(name) for name in names}
