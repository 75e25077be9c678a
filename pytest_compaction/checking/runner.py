"""Puts one compactor through one scenario, as an agent would, and notes what happens."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from pytest_compaction.checking.examples.renamed import renamed
from pytest_compaction.checking.examples.scenario import Scenario, grown
from pytest_compaction.checking.faults import FaultyModel, SummaryCache
from pytest_compaction.checking.observation import (
    Breach,
    Messages,
    Observation,
    ObservedStep,
    differing,
)
from pytest_compaction.compactors import Compactor, CompactorError, Context, Outcome, Span, State
from pytest_compaction.conversation import (
    Message,
    TokenCounter,
    groups,
    pending_calls,
    readable,
    structure_faults,
)
from pytest_compaction.run import SharedLoop, StrategyThread
from pytest_compaction.text import printable


class ContractError(Exception):
    """A method raised an error, or returned something of another type than it promises."""


PROBES: Final = ("Which file was changed last, and why?", "What did the tests say?")
"""Questions for which views are rendered, to see whether a question leaves a trace."""


@dataclass(frozen=True)
class Runner:
    """Runs scenarios through compactors in threads of their own, with a model that may fail."""

    create: Callable[[], Compactor[State]]
    model: SummaryCache
    tokens: TokenCounter
    timeout: float = 60.0
    loop: SharedLoop = field(default_factory=SharedLoop)
    unsupported: list[str] = field(default_factory=list)
    """The requests that the model said it cannot answer at all."""
    size: int = 0
    """The tokens by which each batch of a scenario grows, for strategies with a large trigger."""

    def run(self, scenario: Scenario) -> Observation:
        """The observation of a scenario, repeated, about other things, and without dead calls."""
        scenario = grown(scenario, self.size, self.tokens) if self.size else scenario
        first = self._once(scenario)
        repeated = self._once(scenario, bare=True) if first.rewriting else None
        living = without_dead_calls(scenario)
        undead = self._once(living, bare=True) if living != scenario else None
        plain = scenario.fault is None and not scenario.instructions and not scenario.again
        other = self._once(renamed(scenario), bare=True) if plain and first.rewriting else None
        return replace(first, repeated=repeated, undead=undead, renamed=other)

    def _once(self, scenario: Scenario, bare: bool = False) -> Observation:
        """One run through the scenario; a ``bare`` one only notes the steps."""
        with ExitStack() as opened:
            drive = _Drive(self, scenario, bare, opened)
            try:
                drive.go()
            except ContractError as raised:
                drive.raised = str(raised)
        if drive.model.unsupported is not None:
            self.unsupported.append(drive.model.unsupported)
        return Observation(
            scenario,
            drive.compactor.traits,
            self.tokens,
            tuple(drive.steps),
            drive.raised,
            drive.noted,
        )


class _Drive:
    def __init__(self, runner: Runner, scenario: Scenario, bare: bool, opened: ExitStack) -> None:
        self._runner, self._scenario, self._bare, self._opened = runner, scenario, bare, opened
        self.model = FaultyModel(runner.model, runner.tokens, scenario.fault)
        self._context = Context(
            scenario.window,
            scenario.budget,
            runner.tokens,
            self.model,
            instructions=scenario.instructions,
        )
        self.compactor, self._thread = self._started()
        self.steps: list[ObservedStep] = []
        self.raised: str | None = None
        self.noted: defaultdict[str, list[Breach]] = defaultdict(list)
        self._kept: list[tuple[State, str, Messages]] = []
        """Each state with its text and its view, in the order in which they were made."""

    def _started(self) -> tuple[Compactor[State], StrategyThread]:
        """A new instance and the thread in which all its code runs."""
        compactor = self._runner.create()
        thread = StrategyThread(compactor.name, self._runner.loop.of(compactor))
        self._opened.callback(thread.close)
        return compactor, thread

    def _call(self, name: str, *arguments: Any) -> Any:
        """Call a method; what it raises, even ``SystemExit``, breaks the contract."""
        method = partial(getattr(self.compactor, name), *arguments)
        value, error = self._thread.ended(method, self._runner.timeout)
        if error is None:
            return value
        known = isinstance(error, CompactorError)
        said = str(error) if known else f"{type(error).__name__}: {error}"
        raise ContractError(f"{name} raised {printable(said.removesuffix(': '), 300)}")

    def _note(self, invariant: str, sentence: str, ids: tuple[str, ...] = ()) -> None:
        self.noted[invariant].append(Breach(sentence, ids))

    def _mutated(self, method: str, what: str = "the state") -> None:
        self._note("inputs-not-mutated", f"{method} changed {what}")

    def _equal(self, invariant: str, what: str, expected: Messages, found: Messages) -> None:
        """Note two views that should be equal and are not, and ``what`` that means."""
        if expected != found:
            self._note(invariant, what, differing(expected, found))

    def go(self) -> None:
        """Observe and compact batch by batch, then look back."""
        state = self._call("start")
        log: Messages = ()
        batches = self._scenario.batches
        for number, batch in enumerate(batches, 1):
            state = self._observed(state, batch)
            log += batch
            last = number == len(batches)
            for again in range(1 + self._scenario.again * last):
                state = self._compacted(state, log, again=again > 0)
                if self._over():
                    break
            if self._over():
                break
        if not self._bare:
            self._ask(state)
            self._look_back()

    def _observed(self, state: State, batch: Sequence[Message]) -> State:
        given = list(batch)
        before = self._kept[-1][2] if self._kept else ()
        text = _as_text(state)
        new: State = self._call("observe", state, given, self._context)
        if _as_text(state) != text:
            self._mutated("observe")
        if given != list(batch):
            self._mutated("observe", "the list of new messages")
        if not isinstance(new, dict):
            raise ContractError(f"observe returned {type(new).__name__}; expected the new state")
        what = "messages were added, and the view is not the earlier one with them at its end"
        new_text = _as_text(new)
        view = self._shown(new, new_text)
        self._equal("not-due-is-identity", what, (*before, *batch), view)
        self._kept.append((new, new_text, view))
        return new

    def _compacted(self, state: State, log: Messages, again: bool) -> State:
        _, text, before = self._kept[-1]
        self.model.asked.clear()
        try:
            outcome = self._call("compact", state, self._context)
        finally:
            if _as_text(state) != text:
                self._mutated("compact")
        _check_outcome(outcome)
        new_text = _as_text(outcome.state)
        after = self._shown(outcome.state, new_text)
        if not self._bare:
            self._trip(outcome.state, after)
        count = self._context.tokens.messages
        self.steps.append(
            ObservedStep(
                log,
                before,
                after,
                count(before),
                count(after),
                outcome.status,
                outcome.spans,
                outcome.error,
                self._call("due", outcome.state, self._context),
                tuple(self.model.asked),
                again,
                text,
                new_text,
            )
        )
        self._kept.append((outcome.state, new_text, after))
        new: State = outcome.state
        return new

    def _over(self) -> bool:
        """Whether no agent could go on: an endpoint would refuse the view, or a call is lost."""
        step = self.steps[-1]
        known = {(fault.invariant, fault.ids) for fault in structure_faults(step.before)}
        new = {(fault.invariant, fault.ids) for fault in structure_faults(step.after)} - known
        return bool(new) or pending_calls(step.after) != step.pending

    def _shown(self, state: State, text: str) -> Messages:
        """The view of a new state, which rendering must not change."""
        view = self._view(state)
        if not self._bare and _as_text(state) != text:
            self._mutated("render")
        return view

    def _view(self, state: State, probe: str | None = None) -> Messages:
        view = self._call("render", state, self._context, probe)
        messages = getattr(view, "messages", None)
        if not isinstance(messages, tuple | list) or not all(
            isinstance(message, Message) for message in messages
        ):
            raise ContractError(
                f"render returned {type(view).__name__}; expected a View of messages"
            )
        return tuple(messages)

    def _trip(self, state: State, view: Messages) -> None:
        """Send a state through JSON and look at its view."""
        try:
            back = json.loads(json.dumps(state, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            self._note("state-is-json", f"the state is not JSON: {printable(str(error), 120)}")
            return
        if back != state:
            self._note("state-is-json", "the state differs when it is read back from JSON")
        what = "the view of a state differs after the state went through JSON"
        self._equal("state-is-json", what, view, self._view(back))

    def _ask(self, state: State) -> None:
        """Render for several questions in turn: no question may leave a trace."""
        plain = self._view(state)
        first = self._view(state, PROBES[0])
        self._view(state, PROBES[1])
        once_more = "the view for a question differs after a second question"
        self._equal("render-is-pure", once_more, first, self._view(state, PROBES[0]))
        if not self.compactor.traits.needs_probe:
            unread = "the view depends on the question, and the strategy does not claim to read it"
            self._equal("render-is-pure", unread, plain, first)
        silent = tuple(message for message in first if PROBES[0] not in readable(message))
        self._equal("render-is-pure", "the view repeats the question", silent, first)
        traces = "the view without a question differs after questions"
        self._equal("render-is-pure", traces, plain, self._view(state))

    def _look_back(self) -> None:
        """Render every earlier state again, here and by a fresh instance; look for traces."""
        used = self.compactor, self._thread
        self.compactor, self._thread = self._started()
        for state, _, view in self._kept:
            fresh = "the view of an earlier state differs for a new instance"
            self._equal("earlier-state-restores", fresh, view, self._view(state))
        self.compactor, self._thread = used
        for state, text, view in self._kept:
            later = "the view of an earlier state differs after later compactions"
            self._equal("earlier-state-restores", later, view, self._view(state))
            if _as_text(state) != text and not self.noted["inputs-not-mutated"]:
                self._mutated("render or due")


def without_dead_calls(scenario: Scenario) -> Scenario:
    """The scenario without the exchanges in which a call was never answered.

    A batch that ends in a call whose result opens the next batch stays as it is.
    """
    batches: list[Messages] = []
    for number, batch in enumerate(scenario.batches):
        following = scenario.batches[number + 1 : number + 2]
        waits = not following or following[0][0].role == "tool"
        kept: list[Message] = []
        for begin, end in groups(batch):
            dead = bool(pending_calls(batch[begin:end])) and not (waits and end == len(batch))
            kept += [] if dead else batch[begin:end]
        batches.append(tuple(kept))
    return replace(scenario, batches=tuple(batches))


def _check_outcome(outcome: object) -> None:
    if not isinstance(outcome, Outcome):
        raise ContractError(f"compact returned {type(outcome).__name__}; expected an Outcome")
    if outcome.status not in {"noop", "compacted", "truncated", "failed"}:
        status = printable(str(outcome.status), 40)
        raise ContractError(f"compact returned an Outcome with the unknown status {status!r}")
    if not isinstance(outcome.state, dict):
        kind = type(outcome.state).__name__
        raise ContractError(
            f"compact returned an Outcome whose state is {kind}; expected a dictionary"
        )
    if not all(isinstance(span, Span) for span in outcome.spans):
        raise ContractError("compact returned an Outcome with spans that are not Span objects")


def _as_text(value: Any) -> str:
    """A state as text, so that any change to it shows."""
    with suppress(TypeError, ValueError, RecursionError):
        if isinstance(value, dict | list):
            return json.dumps(value, default=repr)
    return "" if value is None else repr(value)
