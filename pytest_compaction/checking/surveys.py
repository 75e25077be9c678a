"""The examples of a check: drawn once, run through each compactor, shrunk where one fails.

Needs the package hypothesis. Everything is derandomised: the same examples at every
run, on every worker. Another version of Hypothesis draws others, so each check ends
with the known situations, which are always the same.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, Literal

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from pytest_compaction.checking.examples.generated import STRATA, Stratum, scenarios
from pytest_compaction.checking.examples.known import KNOWN
from pytest_compaction.checking.examples.scenario import Fault, Scenario
from pytest_compaction.checking.invariants import INVARIANTS
from pytest_compaction.checking.invariants.invariant import Invariant
from pytest_compaction.checking.observation import Breach, Observation, ObservedStep
from pytest_compaction.checking.runner import Runner
from pytest_compaction.conversation import Message, Text, TokenCounter, ToolCall, ToolResult
from pytest_compaction.run import TimeLimitError
from pytest_compaction.text import printable

_MESSAGES: Final = 24
"""How many messages of an example are shown: the first and the last half of them."""
_TEXT: Final = 44
_FAULTS: Final = {
    "raises": "raises an error",
    "empty": "gives an empty summary",
    "oversized": "writes about four times as much as asked",
    "echo": "repeats the conversation",
    "prompt": "repeats its instructions",
    "call-like": "writes a tool call as text",
    "reasoning": "does not get beyond its reasoning",
}


def described(compactor: str, invariant: Invariant, broken: Broken, many: str, again: str) -> str:
    """The failure of an item: a few paragraphs of short lines."""
    breach = broken.breach
    lines = [
        f"{printable(compactor, 60)} breaks {invariant.name}: {breach.sentence}"
        + (f" ({_ids(breach.ids)})" if breach.ids else ""),
        "",
        f"The invariant: {invariant.sentence}",
        f"Why it matters: {invariant.matters}",
        "",
        f"{many}; this is the smallest that was found:",
        *_example(broken.observation),
        "",
        f"Run it again: {again}",
    ]
    return "\n".join(lines)


def _example(observation: Observation) -> Iterator[str]:
    scenario = observation.scenario
    yield f"  window {scenario.window} tokens, budget {scenario.budget}" + _fault(scenario.fault)
    steps = list(observation.steps)
    log = _bounded(scenario)
    for number, batch in enumerate(scenario.batches):
        for message in batch:
            if message.id in log:
                yield "  " + message_line(message, observation.tokens)
            elif log[_GAP] == message.id:
                yield f"  … {len(scenario.log) - _MESSAGES} more messages"
        if number < len(steps):
            yield from _step(number + 1, steps[number])
    for number, step in enumerate(steps[len(scenario.batches) :], len(scenario.batches) + 1):
        yield from _step(number, step)
    if observation.raised is not None:
        yield f"  then {observation.raised}"


_GAP: Final = ""


def _bounded(scenario: Scenario) -> dict[str, str]:
    """The ids of the messages to show; under ``_GAP`` the id where messages are left out."""
    log = scenario.log
    half = _MESSAGES // 2
    shown = log if len(log) <= _MESSAGES else (*log[:half], *log[-half:])
    gap = log[half].id if len(log) > _MESSAGES else "-"
    return {**{message.id: "" for message in shown}, _GAP: gap}


def _step(number: int, step: ObservedStep) -> Iterator[str]:
    again = " again" if step.again else ""
    yield (
        f"  = compaction {number}{again}: {step.status}, {step.tokens_before} -> "
        f"{step.tokens_after} tokens" + (f" ({printable(step.error, 100)})" if step.error else "")
    )
    if step.rewrote:
        names = (
            printable(m.id, 24) + ("" if m.id in step.said else f" ({m.role}, new)")
            for m in step.after
        )
        yield f"    view: {_ids(list(names), 12)}"


def message_line(message: Message, tokens: TokenCounter) -> str:
    """One line about a message: id, role, tokens, and the beginning of each part."""
    parts: list[str] = []
    for part in message.parts:
        if isinstance(part, Text):
            parts.append(f"“{printable(part.text, _TEXT)}”")
        elif isinstance(part, ToolCall):
            parts.append(f"{part.id}={part.name}({printable(part.arguments, _TEXT)})")
        elif isinstance(part, ToolResult):
            word = "error" if part.is_error else "result"
            parts.append(f"{word} of {part.call_id}: “{printable(part.text, _TEXT)}”")
        else:
            parts.append(f"<{type(part).__name__.lower()}>")
    return f"{message.id} {message.role} [{tokens.message(message)}] {' '.join(parts)}"


def _fault(fault: Fault | None) -> str:
    if fault is None:
        return ""
    when = f"at request {fault.call}" if fault.call else "each time"
    return f"; the model {_FAULTS[fault.kind]} {when}"


def _ids(ids: Sequence[str], count: int = 5) -> str:
    shown = [printable(id, 60) for id in ids[:count]]
    more = f", … {len(ids) - count} more" if len(ids) > count else ""
    return ("messages " if count == 5 and len(ids) > 1 else "message " if count == 5 else "") + (
        ", ".join(shown) + more
    )


SEED: Final = 20261121
"""Fixed, so that every run and every worker draws the same examples."""
_DRAWS: Final = 8
"""Draws for each example wanted, at most: Hypothesis draws some examples twice."""
_SHRINKS: Final = 120
"""Runs that the search for a smaller example may take."""


class _Found(Exception):  # noqa: N818
    """Tells Hypothesis that a test failed."""


class _Enough(BaseException):
    """Ends all drawing at once; Hypothesis lets it through."""


@dataclass(frozen=True, slots=True)
class Example:
    """A scenario and the stratum from which it was drawn, or ``known``: made by hand."""

    stratum: Stratum | Literal["known"]
    scenario: Scenario


@dataclass(frozen=True)
class Broken:
    """An example that broke an invariant: the observation of its run, and the breach in it."""

    example: Example
    observation: Observation
    breach: Breach


@dataclass
class Survey:
    """The result of all examples for one compactor.

    ``breaches`` counts the examples that broke an invariant, ``first`` has one for each; ``steps``
    counts compactions by status; ``stuck`` says that a call did not return.
    """

    examples: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    breaches: Counter[str] = field(default_factory=Counter)
    first: dict[str, Broken] = field(default_factory=dict)
    requests: int = 0
    summaries: int = 0
    unsupported: str | None = None
    stuck: str | None = None
    size: int = 0
    """The tokens by which the conversations had to grow before the compactor did anything."""

    @property
    def compactions(self) -> int:
        """How often the compactor says that it changed the view."""
        return self.steps["compacted"] + self.steps["truncated"]

    def add(self, example: Example, seen: Observation) -> None:
        """Count the observation of an example: its steps and every invariant that it breaks."""
        self.examples += 1
        for step in seen.steps:
            self.steps[step.status] += 1
            self.requests += len(step.asked)
            self.summaries += bool(step.by)
            if step.status == "failed":
                self.reasons[step.error or "no reason was given"] += 1
        if seen.raised is not None:
            self.reasons[seen.raised] += 1
        for invariant in INVARIANTS:
            breach = breach_of(invariant, seen)
            if breach is not None:
                self.breaches[invariant.name] += 1
                self.first.setdefault(invariant.name, Broken(example, seen, breach))


def breach_of(invariant: Invariant, seen: Observation) -> Breach | None:
    """The first breach of an invariant; ``None`` if it holds or is waived."""
    if invariant.waived(seen.traits) is not None:
        return None
    return next(invariant.check(seen), None)


def drawn_examples(count: int, tokens: TokenCounter) -> tuple[Example, ...]:
    """``count`` different scenarios, the same at every run: a share from each stratum."""
    return _examples(count, tokens.name)


@lru_cache(maxsize=4)
def _examples(count: int, encoding: str) -> tuple[Example, ...]:
    found: list[Example] = []
    for number, (stratum, share) in enumerate(STRATA.items()):
        left = count - len(found)
        wanted = left if number == len(STRATA) - 1 else min(-(-count * share // 100), left)
        drawn: dict[Scenario, None] = {}

        def take(scenario: Scenario, drawn: dict[Scenario, None] = drawn, n: int = wanted) -> None:
            drawn[scenario] = None
            if len(drawn) >= n:
                raise _Enough

        if wanted:
            _draw(stratum, encoding, wanted, take, [Phase.generate])
        found += [Example(stratum, scenario) for scenario in list(drawn)[:wanted]]
    return tuple(found)


def _draw(
    stratum: Stratum,
    encoding: str,
    wanted: int,
    body: Callable[[Scenario], None],
    phases: list[Phase],
) -> None:
    """Draw scenarios one by one in a fixed order until ``body`` raises."""

    @seeded(SEED)
    @settings(
        max_examples=wanted * _DRAWS,
        deadline=None,
        database=None,
        phases=phases,
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(_strategy(stratum, encoding))
    def drawing(scenario: Scenario) -> None:
        body(scenario)

    # Flaky: an example broke an invariant, and did not break it when it was run again.
    with contextlib.suppress(_Enough, _Found, Flaky):
        drawing()


@lru_cache(maxsize=8)
def _strategy(stratum: Stratum, encoding: str) -> st.SearchStrategy[Scenario]:
    made: Any = scenarios(TokenCounter(encoding), stratum)
    strategy: st.SearchStrategy[Scenario] = made
    return strategy


FEW: Final = 5
"""With fewer compactions than these, that an invariant held proves nothing."""
_SIZES: Final = (6_000, 30_000, 150_000)
"""The tokens by which each batch of an example grows, until a strategy's trigger is reached."""
_TRIED: Final = 2


def survey(runner: Runner, count: int) -> Survey:
    """Run the drawn and the known examples; a call that does not return ends the survey.

    If there are next to no compactions, the trigger of the strategy is larger than the examples,
    and these grow.
    """
    known = [Example("known", scenario) for scenario in KNOWN]
    examples = [*drawn_examples(count, runner.tokens), *known]
    found = _surveyed(runner, examples)
    if found.compactions < FEW and found.stuck is None and found.unsupported is None:
        for size in _SIZES:
            larger = replace(runner, size=size)
            if _surveyed(larger, examples[:_TRIED]).compactions:
                return _surveyed(larger, examples)
    return found


def _surveyed(runner: Runner, examples: Sequence[Example]) -> Survey:
    found = Survey(size=runner.size)
    for example in examples:
        try:
            seen = runner.run(example.scenario)
        except TimeLimitError as error:
            found.stuck = str(error)
            break
        found.add(example, seen)
    found.unsupported = next(iter(runner.unsupported), None)
    return found


def shrunk(
    broken: Broken,
    invariant: Invariant,
    runner: Runner,
    count: int,
) -> Broken:
    """The smallest example of the same stratum that was found to break the invariant.

    A known situation is small already and is returned as it is.
    """
    stratum = broken.example.stratum
    if stratum == "known":
        return broken
    best = broken
    known = set()
    for example in drawn_examples(count, runner.tokens):
        if example == broken.example:
            break
        known.add(example.scenario)
    runs = 0

    def fails(scenario: Scenario) -> None:
        nonlocal best, runs
        if scenario in known:
            return
        runs += 1
        if runs > _SHRINKS:
            raise _Enough
        seen = runner.run(scenario)
        breach = breach_of(invariant, seen)
        if breach is None:
            known.add(scenario)
            return
        if _size(scenario) < _size(best.example.scenario):
            best = Broken(Example(stratum, scenario), seen, breach)
        raise _Found

    _draw(stratum, runner.tokens.name, count, fails, [Phase.generate, Phase.shrink])
    return best


def _size(scenario: Scenario) -> tuple[int, int, int]:
    """The size of an example to a reader: messages, characters, how much else is odd."""
    log = scenario.log
    odd = (scenario.fault is not None) + bool(scenario.instructions) + scenario.again
    return len(log), sum(len(str(message.parts)) for message in log), odd
