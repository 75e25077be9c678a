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
from itertools import zip_longest
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import Flaky

from pytest_compaction.checking.examples.generated import STRATA, scenarios
from pytest_compaction.checking.examples.known import KNOWN
from pytest_compaction.checking.examples.scenario import Scenario, Stratum
from pytest_compaction.checking.invariants import INVARIANTS
from pytest_compaction.checking.invariants.invariant import Invariant
from pytest_compaction.checking.observation import Breach, Observation, ObservedStep
from pytest_compaction.checking.runner import Runner
from pytest_compaction.conversation import Message, Text, TokenCounter, ToolCall, ToolResult
from pytest_compaction.run import TimeLimitError
from pytest_compaction.text import printable

_LINES: Final = 24
"""How many lines of an example are shown: the first and the last half of them."""
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
    seen, breach = broken.observation, broken.breach
    scenario, fault = seen.scenario, seen.scenario.fault
    room = f"window {scenario.window} tokens, budget {scenario.budget}"
    if fault is not None:
        when = f"at request {fault.call}" if fault.call else "each time"
        room += f"; the model {_FAULTS[fault.kind]} {when}"
    lines = list(_example(seen))
    if len(lines) > _LINES:
        half = _LINES // 2
        lines[half:-half] = [f"… {len(lines) - _LINES} more lines"]
    return "\n".join(
        [
            f"{printable(compactor, 60)} breaks {invariant.name}: {breach.sentence}"
            + (f" (messages {_ids(breach.ids, 5)})" if breach.ids else ""),
            "",
            f"The invariant: {invariant.sentence}",
            f"Why it matters: {invariant.matters}",
            "",
            f"{many}; this is the smallest that was found:",
            *(f"  {line}" for line in (room, *lines)),
            *([f"  then {seen.raised}"] if seen.raised is not None else ()),
            "",
            f"Run it again: {again}",
        ]
    )


def _example(seen: Observation) -> Iterator[str]:
    """The messages of each batch, and what was then done with them."""
    for number, (batch, step) in enumerate(zip_longest(seen.scenario.batches, seen.steps), 1):
        yield from (_message_line(message, seen.tokens) for message in batch or ())
        yield from _step(number, step) if step else ()


def _step(number: int, step: ObservedStep) -> Iterator[str]:
    again = " again" if step.again else ""
    error = f" ({printable(step.error, 100)})" if step.error else ""
    sizes = f"{step.tokens_before} -> {step.tokens_after} tokens"
    yield f"= compaction {number}{again}: {step.status}, {sizes}{error}"
    if step.rewrote:
        new = {m.id: "" if m.id in step.said else f" ({m.role}, new)" for m in step.after}
        yield f"  view: {_ids([f'{printable(id, 24)}{mark}' for id, mark in new.items()], 12)}"


def _message_line(message: Message, tokens: TokenCounter) -> str:
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


def _ids(ids: Sequence[str], count: int) -> str:
    more = f", … {len(ids) - count} more" if len(ids) > count else ""
    return ", ".join(printable(id, 60) for id in ids[:count]) + more


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


@dataclass(frozen=True)
class Broken:
    """A scenario that broke an invariant: the observation of its run, and the breach in it."""

    scenario: Scenario
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

    def add(self, scenario: Scenario, seen: Observation) -> None:
        """Count the observation of a scenario: its steps and every invariant that it breaks."""
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
                self.first.setdefault(invariant.name, Broken(scenario, seen, breach))


def breach_of(invariant: Invariant, seen: Observation) -> Breach | None:
    """The first breach of an invariant; ``None`` if it holds or is waived."""
    waived = invariant.waived(seen.traits) is not None
    return None if waived else next(invariant.check(seen), None)


def drawn_examples(count: int, tokens: TokenCounter) -> tuple[Scenario, ...]:
    """``count`` different scenarios, the same at every run: a share from each stratum."""
    return _examples(count, tokens.name)


@lru_cache(maxsize=4)
def _examples(count: int, encoding: str) -> tuple[Scenario, ...]:
    found: list[Scenario] = []
    for stratum, share in STRATA.items():
        left = count - len(found)
        wanted = left if stratum == [*STRATA][-1] else min(-(-count * share // 100), left)
        drawn: dict[Scenario, None] = {}

        def take(scenario: Scenario, drawn: dict[Scenario, None] = drawn, n: int = wanted) -> None:
            drawn[scenario] = None
            if len(drawn) >= n:
                raise _Enough

        if wanted:
            _draw(stratum, encoding, wanted, take, [Phase.generate])
        found += list(drawn)[:wanted]
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
def _strategy(stratum: Stratum, encoding: str) -> Any:
    made: Any = scenarios
    return made(TokenCounter(encoding), stratum)


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
    examples = [*drawn_examples(count, runner.tokens), *KNOWN]
    found = _surveyed(runner, examples)
    if found.compactions < FEW and found.stuck is None and found.unsupported is None:
        for size in _SIZES:
            larger = replace(runner, size=size)
            if _surveyed(larger, examples[:_TRIED]).compactions:
                return _surveyed(larger, examples)
    return found


def _surveyed(runner: Runner, examples: Sequence[Scenario]) -> Survey:
    found = Survey(size=runner.size)
    try:
        for example in examples:
            found.add(example, runner.run(example))
    except TimeLimitError as error:
        found.stuck = str(error)
    found.unsupported = next(iter(runner.unsupported), None)
    return found


def shrunk(broken: Broken, invariant: Invariant, runner: Runner, count: int) -> Broken:
    """The smallest example of the same stratum that was found to break the invariant.

    A known situation is small already and is returned as it is.
    """
    stratum = broken.scenario.stratum
    if stratum == "known":
        return broken
    best = broken
    drawn = drawn_examples(count, runner.tokens)
    known = set(drawn[: drawn.index(broken.scenario)])
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
        if _size(scenario) < _size(best.scenario):
            best = Broken(scenario, seen, breach)
        raise _Found

    _draw(stratum, runner.tokens.name, count, fails, [Phase.generate, Phase.shrink])
    return best


def _size(scenario: Scenario) -> tuple[int, int, int]:
    """The size of an example to a reader: messages, characters, how much else is odd."""
    log = scenario.log
    odd = (scenario.fault is not None) + bool(scenario.instructions) + scenario.again
    return len(log), sum(len(str(message.parts)) for message in log), odd
