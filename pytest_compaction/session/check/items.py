"""Items of a check: what each one decides, its report, and the summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

from pytest_compaction.compactors.specs import Spec
from pytest_compaction.reports.lines import Line, write_lines
from pytest_compaction.session.check.session import UNCHECKED, CheckSession, Subject
from pytest_compaction.session.header_lines import line_of_check
from pytest_compaction.session.items.report import in_sentences, scrub_report
from pytest_compaction.text import printable

CHECK_SESSION: Final = pytest.StashKey[CheckSession]()
_PROPERTY: Final = "compaction.check"


class BrokenInvariantError(Exception):
    """A compactor broke an invariant; the text says which, why it matters and on what."""


@dataclass(frozen=True)
class Held:
    """Decides whether one compactor keeps one invariant."""

    session: CheckSession
    subject: Subject

    def decide(self) -> None:
        """Return if the invariant holds; otherwise skip, xfail or fail, with the reason.

        A declared violation must show when the strategy runs with its defaults. It need
        not show with parameters, nor in a composition, where another part may repair it.
        """
        spec, invariant = self.subject.spec, self.subject.invariant
        if spec.target in UNCHECKED:
            pytest.skip(UNCHECKED[spec.target])
        traits = self.session.create(spec).traits
        waived = invariant.waived(traits)
        if waived is not None:
            pytest.skip(waived)
        runner, survey = self.session.survey(spec)
        if survey.stuck is not None:
            raise BrokenInvariantError(f"nothing was checked: {spec.text} {survey.stuck}")
        if not survey.compactions and survey.unsupported is not None:
            pytest.skip(f"cannot be checked with this model: {survey.unsupported}")
        if not survey.compactions:
            raise BrokenInvariantError(self._nothing())
        if invariant.needs == "request" and not survey.requests:
            pytest.skip("the strategy asks no summariser")
        if invariant.needs == "summary" and not survey.summaries:
            pytest.skip("the strategy writes no summary")
        declared = traits.violations.get(invariant.name)
        broken = survey.first.get(invariant.name)
        if declared is not None and broken is not None:
            pytest.xfail(f"known violation of {spec.target}: {declared}")
        if declared is not None and broken is None and _has_defaults(spec):
            raise BrokenInvariantError(
                f"declared but not found: {spec.text} says of {invariant.name} that it does "
                f"something else ({declared}), and no example of {survey.examples} shows it; "
                "correct the declaration"
            )
        if broken is not None:
            from pytest_compaction.checking.failure_text import described
            from pytest_compaction.checking.survey import shrunk

            small = shrunk(broken, invariant, runner, self.session.settings.examples)
            many = f"{survey.breaches[invariant.name]} of {survey.examples} examples break it"
            again = self.session.command(self.subject)
            raise BrokenInvariantError(described(spec.text, invariant, small, many, again))

    def _nothing(self) -> str:
        """Why nothing can be said about a compactor that never compacted."""
        _, survey = self.session.survey(self.subject.spec)
        did = ", ".join(f"{count} {status}" for status, count in survey.steps.items())
        reasons = "; ".join(
            f"{printable(reason, 160)} ({count})" for reason, count in survey.reasons.most_common(2)
        )
        return (
            f"nothing was checked: {self.subject.spec.text} compacted none of "
            f"{survey.examples} examples ({did or 'no compaction came to an end'})"
            + (f"\nmost frequent reasons: {reasons}" if reasons else "")
        )

    def compactions(self) -> int:
        """How often the compactor rewrote a view, over all examples."""
        return self.session.survey(self.subject.spec)[1].compactions


def _has_defaults(spec: Spec) -> bool:
    """Whether a strategy stands alone, with no parameter."""
    return not spec.parts and not spec.parameters


class CheckHooks:
    """Hooks of a session that checks invariants."""

    def __init__(self, session: CheckSession, ignored: Sequence[str] = ()) -> None:
        self._session = session
        self._ignored = ignored
        self._outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self._compactions: dict[str, int] = {}

    def pytest_report_header(self) -> list[str]:
        """Compactors, invariants, examples and model; what is asked outside; what is ignored."""
        outside = line_of_check(self._session.asking_outside, self._session.example_count)
        return [self._session.summary_line(), *([outside] if outside else []), *self._ignored]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Show a broken invariant without a traceback; note the outcome of the item."""
        report = yield
        held = getattr(item, "callspec", None) and item.callspec.params.get("held")  # type: ignore[attr-defined]
        if isinstance(held, Held) and call.when == "call":
            failure = call.excinfo.value if call.excinfo is not None else None
            note = {
                "compactor": held.subject.spec.text,
                "invariant": held.subject.invariant.name,
                "outcome": _outcome(failure),
                "compactions": held.compactions() if _ran(failure) else 0,
            }
            report.user_properties.append((_PROPERTY, note))
            if call.excinfo is not None and isinstance(failure, BrokenInvariantError):
                report.longrepr = in_sentences(call.excinfo, str(failure))
        scrub_report(report)
        return report

    def pytest_unconfigure(self) -> None:
        """Let the loops of the check end."""
        self._session.work.close()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count outcomes by compactor."""
        for name, note in report.user_properties:
            if name == _PROPERTY and isinstance(note, dict) and report.when == "call":
                self._outcomes[note["compactor"]][note["outcome"]] += 1
                known = self._compactions.get(note["compactor"], 0)
                self._compactions[note["compactor"]] = max(known, note["compactions"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print one line for each compactor."""
        if not self._outcomes:
            return
        terminalreporter.section("compaction check")
        write_lines(terminalreporter, self.lines())

    def lines(self) -> list[Line]:
        """The outcomes of each compactor's items, in the order of the command line."""
        found: list[Line] = []
        width = max(len(printable(name, 40)) for name in self._outcomes)
        for spec in self._session.specs:
            counts = self._outcomes.get(spec.text)
            if counts is None:
                continue
            parts = [
                f"{counts['held']} of {counts.total()} invariants hold",
                *(f"{counts[k]} {word}" for k, word in _WORDS.items() if counts[k]),
            ]
            compactions = self._compactions.get(spec.text, 0)
            text = f"{printable(spec.text, 40):<{width}}  {', '.join(parts)}"
            if compactions:
                text += f" ({compactions} compactions)"
            found.append(Line(text, "bad" if counts["failed"] else "plain"))
        return found


_WORDS: Final = {
    "failed": "failed",
    "known": "known violations",
    "skipped": "not applicable",
}


def _ran(failure: BaseException | None) -> bool:
    """Whether the item looked at examples; a skipped one did not."""
    return failure is None or isinstance(failure, BrokenInvariantError | pytest.xfail.Exception)


def _outcome(failure: BaseException | None) -> str:
    if failure is None:
        return "held"
    if isinstance(failure, pytest.skip.Exception):
        return "skipped"
    return "known" if isinstance(failure, pytest.xfail.Exception) else "failed"


def parametrize(metafunc: Any) -> None:
    """Give the packaged test function its items; without the flag, one that is skipped."""
    session = metafunc.config.stash.get(CHECK_SESSION, None)
    if session is None:
        reason = "needs --compactor=NAME --compaction-check"
        marks = pytest.mark.skip(reason=reason)
        metafunc.parametrize("held", [pytest.param(None, id="no-check", marks=marks)])
        return
    subjects = session.subjects()
    held = [pytest.param(Held(session, subject), id=subject.id) for subject in subjects]
    metafunc.parametrize("held", held)
