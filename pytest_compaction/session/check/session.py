"""A session that checks invariants: its compactors, its examples and its model."""

from __future__ import annotations

import copy
import importlib.util
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_compaction.checking.examples.known import KNOWN
from pytest_compaction.checking.faults import SummaryCache
from pytest_compaction.checking.invariants.invariant import Invariant
from pytest_compaction.checking.invariants.invariants import INVARIANTS
from pytest_compaction.checking.runner import Runner
from pytest_compaction.compactors.protocol import Compactor, State
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import Model
from pytest_compaction.models.registry import is_offline
from pytest_compaction.run.loops.work_loop import WorkLoop
from pytest_compaction.session.items import packaged
from pytest_compaction.session.resolve import make_importable, resolve_strategies
from pytest_compaction.settings import CONTROL, OptionError, Settings
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.checking.survey import Survey

DEFAULT_EXAMPLES: Final = 200


@dataclass(frozen=True)
class Subject:
    """One invariant of one compactor, which one item checks."""

    spec: Spec
    invariant: Invariant

    @property
    def id(self) -> str:
        """The id of the item."""
        return f"{self.spec.slug}-{self.invariant.name}"


@dataclass
class CheckSession:
    """Everything that a check needs, resolved; surveys are made when the first item asks."""

    settings: Settings
    specs: tuple[Spec, ...]
    registry: Registry
    model: Model
    tokens: TokenCounter
    work: WorkLoop = field(default_factory=lambda: WorkLoop(8))
    """The loops of the model and of async functions, as in a run."""
    _surveys: dict[str, tuple[Runner, Survey]] = field(default_factory=dict)
    _unused: dict[str, Compactor[State]] = field(default_factory=dict)

    @property
    def example_count(self) -> int:
        """The number of conversations on which each strategy is checked."""
        return self.settings.examples + len(KNOWN)

    @property
    def asking_outside(self) -> tuple[str, ...]:
        """The strategies that are not shipped and take no model: they may ask one by themselves."""
        return tuple(self.registry.without_model(self.specs))

    def subjects(self) -> list[Subject]:
        """All items in order: compactor by compactor, so that each is surveyed once."""
        specs = sorted(self.specs, key=lambda spec: spec.text)
        return [Subject(spec, invariant) for spec in specs for invariant in INVARIANTS]

    def create(self, spec: Spec) -> Compactor[State]:
        """A fresh instance of a compactor, copied from an unused one where that is possible."""
        if spec.text not in self._unused:
            self._unused[spec.text] = self.registry.create(spec)
        try:
            return copy.deepcopy(self._unused[spec.text])
        except Exception:  # an author's object may raise anything when it is copied
            return self.registry.create(spec)

    def survey(self, spec: Spec) -> tuple[Runner, Survey]:
        """The result of all examples for a compactor; only the last survey is kept."""
        if spec.text not in self._surveys:
            from pytest_compaction.checking.survey import survey

            runner = Runner(
                lambda: self.create(spec),
                SummaryCache(self.work.metered(self.model, self.work.limit.at(0))),
                self.tokens,
                self.settings.timeout,
                self.work.function_loops,
            )
            self._surveys = {spec.text: (runner, survey(runner, self.settings.examples))}
        return self._surveys[spec.text]

    def command(self, subject: Subject) -> str:
        """The command that checks one item alone."""
        parts = ["pytest", f"--compactor={subject.spec.text}", "--compaction-check"]
        if self.settings.examples != DEFAULT_EXAMPLES:
            parts.append(f"--compaction-examples={self.settings.examples}")
        parts.append(f"::test_invariant[{subject.id}]")
        return printable(shlex.join(parts))

    def summary_line(self) -> str:
        """One line for pytest's header."""
        names = ", ".join(spec.text for spec in self.specs)
        return printable(
            f"compaction check: {names} | {len(INVARIANTS)} invariants, "
            f"{self.settings.examples} drawn and {len(KNOWN)} known examples each | "
            f"model {self.model.name}"
        )


def resolve_check(
    settings: Settings,
    folders: Iterable[Path],
    added_compactors: Mapping[str, Any],
    added_models: Mapping[str, Model],
) -> CheckSession:
    """Resolve the names in the settings; raises one of ``USAGE_ERRORS`` of the benchmark.

    The model is the offline one or one that a plugin or ``conftest.py`` adds. A model
    behind an endpoint is refused, because it would be asked thousands of times.
    """
    if importlib.util.find_spec("hypothesis") is None:
        raise OptionError(
            "--compaction-check needs the package hypothesis, which is not installed; "
            "pip install 'pytest-compaction[test]' installs it"
        )
    make_importable(*folders)
    registry, specs = resolve_strategies(settings.compactors, added_compactors)
    tokens = TokenCounter(settings.encoding)
    tokens.text("")
    return CheckSession(settings, specs, registry, _model(settings, added_models, tokens), tokens)


def _model(settings: Settings, added: Mapping[str, Model], tokens: TokenCounter) -> Model:
    if settings.model in added:
        return added[settings.model]
    if is_offline(settings.model):
        return OfflineModel(tokens)
    raise OptionError(
        f"--compaction-check asks the model thousands of times, so {settings.model!r} behind an "
        "endpoint is not asked; leave out --compaction-model for the offline model, or name one "
        "that the hook pytest_compaction_models of a conftest.py adds"
    )


def node_arguments(arguments: Iterable[str], named: bool, folder: Path) -> list[str]:
    """The paths named from ``folder``, and always the module of the invariants."""
    if not named:
        return [str(packaged.INVARIANTS)]
    found = [packaged.argument(text, folder) for text in arguments]
    if not any(text.startswith(str(packaged.INVARIANTS)) for text in found):
        found.append(str(packaged.INVARIANTS))
    return found


UNCHECKED: Final = {
    CONTROL: "the control never compacts: there is nothing to check",
    "recorded": "it gives a view that a transcript recorded; generated logs hold no such view",
}
"""Shipped strategies that compact no generated log, with the reason."""
