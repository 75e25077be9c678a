"""Items of a check: what each one decides, its report, and the summary."""

from __future__ import annotations

import copy
import importlib.util
import shlex
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_compaction.checking import INVARIANTS, KNOWN, Invariant, Runner, SummaryCache
from pytest_compaction.compactors import Compactor, Registry, Spec, State
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models import Model, OfflineModel, is_offline
from pytest_compaction.reports import Line, Style, counted, write_lines
from pytest_compaction.run import WorkLoop
from pytest_compaction.session.items import packaged
from pytest_compaction.session.items.report import in_sentences, scrub_report
from pytest_compaction.session.prompts import with_prompts
from pytest_compaction.session.resolve import make_importable, resolve_strategies
from pytest_compaction.settings import CONTROL, OptionError, Settings
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.checking import Survey


DEFAULT_EXAMPLES: Final = 200


@dataclass
class CheckSession:
    """Everything that a check needs, resolved; surveys are made when the first item asks."""

    settings: Settings
    specs: tuple[Spec, ...]
    registry: Registry
    model: Model
    tokens: TokenCounter
    work: WorkLoop = field(default_factory=lambda: WorkLoop(8))
    _surveys: dict[str, tuple[Runner, Survey]] = field(default_factory=dict)
    _unused: dict[str, Compactor[State]] = field(default_factory=dict)

    def held(self) -> list[Held]:
        """What the items of the check decide, in their order."""
        specs = sorted(self.specs, key=lambda spec: spec.text)
        return [Held(self, spec, invariant) for spec in specs for invariant in INVARIANTS]

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
            from pytest_compaction.checking import survey

            runner = Runner(
                lambda: self.create(spec),
                SummaryCache(self.work.metered(self.model, self.work.limit.at(0))),
                self.tokens,
                self.settings.timeout,
                self.work.function_loop,
            )
            found = survey(runner, self.settings.examples)
            self._surveys = {spec.text: (replace(runner, size=found.size), found)}
        return self._surveys[spec.text]


def resolve_check(
    settings: Settings,
    folders: Iterable[Path],
    added_compactors: Mapping[str, Any],
    added_models: Mapping[str, Model],
) -> CheckSession:
    """Resolve the names in the settings; raises one of ``USAGE_ERRORS`` of the benchmark."""
    if importlib.util.find_spec("hypothesis") is None:
        raise OptionError(
            "--compaction-check needs the package hypothesis, which is not installed; "
            "pip install 'pytest-compaction[test]' installs it"
        )
    make_importable(*folders)
    registry, specs = resolve_strategies(settings.compactors, added_compactors)
    with_prompts(settings, registry, specs, settings.model in added_models)
    tokens = TokenCounter(settings.encoding)
    tokens.text("")
    model = added_models.get(settings.model)
    if model is None and not is_offline(settings.model):
        raise OptionError(
            f"--compaction-check asks the model thousands of times, so {settings.model!r} is not "
            "asked; leave out --compaction-model for the offline model, or name one "
            "that the hook pytest_compaction_models of a conftest.py adds"
        )
    return CheckSession(settings, specs, registry, model or OfflineModel(tokens), tokens)


def node_arguments(arguments: Iterable[str], named: bool, folder: Path) -> list[str]:
    """The paths named from ``folder``, and always the module of the invariants."""
    found = [packaged.argument(text, folder) for text in arguments if named]
    if not any(text.startswith(str(packaged.INVARIANTS)) for text in found):
        found.append(str(packaged.INVARIANTS))
    return found


UNCHECKED: Final = {
    CONTROL: "the control never compacts: there is nothing to check",
    "by_server": "the endpoint compacts when it answers: there is no view to check before",
    "recorded": "it gives a view that a transcript recorded; generated logs hold no such view",
}
"""Shipped strategies, or those with a trait, that compact no generated log, with the reason."""

_WORDS: Final = {"failed": "failed", "known": "known violations", "skipped": "not applicable"}
CHECK_SESSION: Final = pytest.StashKey[CheckSession]()
_PROPERTY: Final = "compaction.check"


class BrokenInvariantError(Exception):
    """A compactor broke an invariant; the text says which, why it matters and on what."""


@dataclass(frozen=True)
class Held:
    """Decides whether one compactor keeps one invariant, which one item checks."""

    session: CheckSession
    spec: Spec
    invariant: Invariant

    @property
    def id(self) -> str:
        return f"{self.spec.slug}-{self.invariant.name}"

    def command(self) -> str:
        parts = ["pytest", f"--compactor={self.spec.text}", "--compaction-check"]
        if self.session.settings.examples != DEFAULT_EXAMPLES:
            parts.append(f"--compaction-examples={self.session.settings.examples}")
        return printable(shlex.join([*parts, f"::test_invariant[{self.id}]"]))

    def decide(self) -> None:
        """Return if the invariant holds; otherwise skip, xfail or fail, with the reason.

        A declared violation must show when the strategy runs with its defaults. It need
        not show with parameters, nor in a composition, where another part may repair it.
        """
        spec, invariant = self.spec, self.invariant
        traits = self.session.create(spec).traits
        by_server = "by_server" if getattr(traits, "by_server", False) else ""
        if reason := UNCHECKED.get(by_server or spec.target) or invariant.waived(traits):
            pytest.skip(reason)
        from pytest_compaction.checking import FEW, described, shrunk  # these need hypothesis

        runner, survey = self.session.survey(spec)
        if survey.stuck is not None:
            raise BrokenInvariantError(f"nothing was checked: {spec.text} {survey.stuck}")
        if not survey.compactions:
            if survey.unsupported is not None:
                pytest.skip(f"cannot be checked with this model: {survey.unsupported}")
            did = ", ".join(f"{count} {status}" for status, count in survey.steps.items())
            frequent = survey.reasons.most_common(2)
            reasons = "; ".join(f"{printable(why, 160)} ({count})" for why, count in frequent)
            raise BrokenInvariantError(
                f"nothing was checked: {spec.text} compacted none of {survey.examples} examples "
                f"({did or 'no compaction came to an end'})"
                + (f"\nmost frequent reasons: {reasons}" if reasons else "")
            )
        if invariant.needs == "request" and not survey.requests:
            pytest.skip("the strategy asks no summariser")
        if invariant.needs == "summary" and not survey.summaries:
            pytest.skip("the strategy writes no summary")
        declared = traits.violations.get(invariant.name)
        broken = survey.first.get(invariant.name)
        if declared is not None and broken is not None:
            pytest.xfail(f"known violation of {spec.target}: {declared}")
        has_defaults = not spec.parts and not spec.parameters
        if declared is not None and broken is None and has_defaults:
            raise BrokenInvariantError(
                f"declared but not found: {spec.text} says of {invariant.name} that it does "
                f"something else ({declared}), and no example of {survey.examples} shows it; "
                "correct the declaration"
            )
        if broken is not None:
            small = shrunk(broken, invariant, runner, self.session.settings.examples)
            many = f"{survey.breaches[invariant.name]} of {survey.examples} examples break it"
            raise BrokenInvariantError(described(spec.text, invariant, small, many, self.command()))
        if survey.compactions < FEW:
            times = counted(survey.compactions, "compaction")
            raise BrokenInvariantError(
                f"{invariant.name} held over {times} of {spec.text}: proves nothing; its trigger "
                "is larger than the conversations of the check: give it a smaller one here"
            )

    def compactions(self) -> str:
        """How often the compactor rewrote a view, over all examples, and how large these were."""
        found = self.session.survey(self.spec)[1]
        larger = f", in conversations that grew by {found.size:,} tokens to reach its trigger"
        return f"{found.compactions} compactions{larger if found.size else ''}"


class CheckHooks:
    """Shows what is checked, each broken invariant in sentences, and the summary."""

    def __init__(self, session: CheckSession, ignored: Sequence[str] = ()) -> None:
        self._session = session
        self._ignored = ignored
        self._outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self._compactions: dict[str, str] = {}

    def pytest_report_header(self) -> list[str]:
        """Compactors, invariants, examples and model; what is asked outside; what is ignored."""
        session, names = self._session, ", ".join(spec.text for spec in self._session.specs)
        lines = [
            printable(
                f"compaction check: {names} | {len(INVARIANTS)} invariants, "
                f"{session.settings.examples} drawn and {len(KNOWN)} known examples each | "
                f"model {session.model.name}"
            )
        ]
        if outside := list(session.registry.without_model(session.specs)):
            count = session.settings.examples + len(KNOWN)
            lines.append(
                printable(
                    f"compaction: {', '.join(outside)}: a check compacts at least {count} "
                    "generated conversations; what clients of its own ask a model then is not "
                    "counted, kept, priced or limited"
                )
            )
        return [*lines, *self._ignored]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Show a broken invariant without a traceback; note the outcome of the item."""
        report = yield
        held = getattr(item, "callspec", None) and item.callspec.params.get("held")  # type: ignore[attr-defined]
        if isinstance(held, Held) and call.when == "call":
            failure = call.excinfo.value if call.excinfo is not None else None
            kinds: dict[type, str] = {
                pytest.skip.Exception: "skipped",
                pytest.xfail.Exception: "known",
            }
            outcome = "held" if failure is None else kinds.get(type(failure), "failed")
            looked = outcome in {"held", "known"} or isinstance(failure, BrokenInvariantError)
            note = {
                "compactor": held.spec.text,
                "invariant": held.invariant.name,
                "outcome": outcome,
                "compactions": held.compactions() if looked else "",
            }
            report.user_properties.append((_PROPERTY, note))
            if call.excinfo is not None and isinstance(failure, BrokenInvariantError):
                report.longrepr = in_sentences(call.excinfo, str(failure))
        scrub_report(report)
        return report

    def pytest_unconfigure(self) -> None:
        self._session.work.close()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, note in report.user_properties:
            if name == _PROPERTY and isinstance(note, dict) and report.when == "call":
                self._outcomes[note["compactor"]][note["outcome"]] += 1
                if note["compactions"]:
                    self._compactions[note["compactor"]] = note["compactions"]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._outcomes:
            return
        terminalreporter.section("compaction check")
        width = max(len(printable(name, 40)) for name in self._outcomes)
        for spec in self._session.specs:
            if (counts := self._outcomes.get(spec.text)) is None:
                continue
            parts = [
                f"{counts['held']} of {counts.total()} invariants hold",
                *(f"{counts[k]} {word}" for k, word in _WORDS.items() if counts[k]),
            ]
            text = f"{printable(spec.text, 40):<{width}}  {', '.join(parts)}"
            if compactions := self._compactions.get(spec.text):
                text += f" ({compactions})"
            style: Style = "bad" if counts["failed"] else "plain"
            write_lines(terminalreporter, [Line(text, style)])


def parametrize(metafunc: Any) -> None:
    """Give the packaged test function its items; without the flag, one that is skipped."""
    session = metafunc.config.stash.get(CHECK_SESSION, None)
    if session is None:
        marks = pytest.mark.skip(reason="needs --compactor=NAME --compaction-check")
        metafunc.parametrize("held", [pytest.param(None, id="no-check", marks=marks)])
        return
    metafunc.parametrize("held", [pytest.param(held, id=held.id) for held in session.held()])
