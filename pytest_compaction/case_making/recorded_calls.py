"""The tool calls and the compactions of a recorded session, as ``production`` counts them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from pytest_compaction.artifacts import (
    SessionCall,
    calls_made,
    invocations,
    shell_script,
)
from pytest_compaction.case import Case
from pytest_compaction.case_making.cues import cue
from pytest_compaction.case_making.log import ProbeLog
from pytest_compaction.case_making.needed import names, rules, said_again, user_sentences
from pytest_compaction.case_making.points import HORIZON, boundary_of, dollars
from pytest_compaction.conversation import Message, ToolResult, readable, shared_counter
from pytest_compaction.importers import Boundary, ImportTally, Transcript
from pytest_compaction.metrics import BLOATED, AfterCompaction, after_compactions
from pytest_compaction.text import content_stems, normalize

_FOLLOWED: Final = 0.5
"""Share of the stems of an instruction that a summary which follows it states at least."""
_MOST_ASKED: Final = 100
"""Compactions after which words of the user are looked for that they said before."""
_MOST_RESULT: Final = 2_000
"""Characters of a result in which the words of the user are looked for."""

_FORBIDDEN: Final = re.compile(
    r"(?:^|[,;:.(\-] {0,3}|\b(?:please|you|and|but|must|should|also) )"
    r"(?:never|must not|mustn't|do not|don't|don’t)\s+"
    r"(?!(?:forget|hesitate|worry|mind|stop)\b)(?P<act>(?:[^,;:!?.]|\.(?=\w)){3,200})",
    re.IGNORECASE,
)
"""What the user forbids, up to the end of the clause."""
_UNLESS: Final = re.compile(
    r"\b(?:unless|until|without|before|after|if|when|while|except|yet|now|again)\b", re.IGNORECASE
)
"""A word by which an act is forbidden for some time or in some cases only."""
_INSTEAD: Final = re.compile(r"\b(?:but|instead|rather)\b", re.IGNORECASE)
_MARKED: Final = re.compile(r"`([^`\n]{3,100})`")
_MOST_FORBIDDEN: Final = 100
"""The newest forbidden names that are looked for after a compaction."""
_INSTRUCTION: Final = re.compile(r"\s*/compact\s+(\S.*)", re.S)


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens, and whether they were counted here because the log does not state them."""

    tokens: int
    here: bool = False


@dataclass(frozen=True, slots=True)
class KeptRules:
    """Rules of the user before a compaction that a later call is about and so could break.

    ``kept`` and ``broken`` count those of which calls tell: what is forbidden by name is done or
    not, and what is asked for by name is done.
    """

    could_be_broken: int = 0
    broken: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class RecordedCompaction:
    """A compaction of a session, after the message ``after`` and ``calls`` tool calls.

    ``before`` and ``left`` are the tokens of the context before and after it. What the log does not
    tell is ``None`` or empty. ``alike`` are both by one way to count, so that they can be compared;
    ``usd`` is what its call cost in US dollars. ``followed`` is whether the summary takes up the
    instruction that the user gave, ``None`` without one. ``said_again`` counts sentences of the
    user that they had to repeat in the next forty calls (``None`` after the first hundred
    compactions of a session),
    ``corrections`` turns in which they corrected the agent there. ``broken`` are the commands,
    files and other exact names that the user had forbidden before and a call there runs or changes;
    ``rules`` are ``None`` after the first hundred compactions too.
    """

    after: str
    calls: int
    trigger: str
    clears: bool
    before: Counted | None
    left: Counted | None
    alike: tuple[int, int | None]
    seconds: float | None
    usd: float | None
    no_op: bool | None
    window: int | None
    window_from: str
    doubled: bool
    followed: bool | None
    attached: int
    attached_tokens: int
    said_again: int | None
    corrections: int
    broken: tuple[str, ...]
    rules: KeptRules | None

    @property
    def bloated(self) -> bool | None:
        """Whether more than 65 % of the window are still full; ``None`` where that is unknown."""
        if self.left is None or not self.window:
            return None
        return self.left.tokens > BLOATED * self.window


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """The calls of a session in order, and its compactions."""

    calls: tuple[SessionCall, ...]
    compactions: tuple[RecordedCompaction, ...]


def recorded_session(transcript: Transcript, window: int | None = None) -> RecordedSession:
    """The calls and compactions of a transcript; ``window`` takes the place of its own."""
    position = {message.id: place for place, message in enumerate(transcript.messages)}
    boundaries = sorted(
        (each.with_known_numbers() for each in transcript.boundaries if each.after in position),
        key=lambda boundary: position[boundary.after],
    )
    places = [position[boundary.after] for boundary in boundaries]
    asked = places[:_MOST_ASKED]
    log = ProbeLog(_with_short_results(transcript.messages), asked, recorded=asked)
    corrected, forbidden = _corrections(log), _forbidden(log)
    made = list(invocations(transcript.messages))
    turns = [position[invocation.message_id] for invocation in made]
    calls = tuple(calls_made(transcript.messages))
    sizes = _Sizes(transcript.messages, boundaries, places)
    fullest = max(
        (
            one.tokens_before or 0
            for one in boundaries
            if one.trigger != "manual" and not one.clears
        ),
        default=0,
    )
    found = []
    for number, (boundary, place) in enumerate(zip(boundaries, places, strict=True)):
        before, left = sizes.around(number)
        size, source = _window(boundary, fullest, window)
        end = places[number + 1] if number + 1 < len(places) else len(log.messages)
        first = bisect_right(turns, place)
        last = min(first + HORIZON, bisect_right(turns, end))
        acts = [
            (shell_script(each.call) or each.call.arguments)[:_MOST_RESULT]
            for each, call in zip(made[first:last], calls[first:last], strict=True)
            if call.kind in ("change", "command")
        ]
        standing = [name for at, name in forbidden if at <= place][-_MOST_FORBIDDEN:]
        found.append(
            RecordedCompaction(
                boundary.after,
                first,
                boundary.trigger,
                boundary.clears,
                before,
                left,
                alike := sizes.alike(number),
                boundary.seconds,
                dollars(boundary),
                None if alike[1] is None else alike[1] >= alike[0],
                size,
                source,
                number > 0 and not _anything_between(log, places[number - 1], place),
                _followed(boundary, log.messages[place + 1 : min(place + 4, end + 1)]),
                len(boundary.attached),
                _attached_tokens(boundary),
                sum(1 for _ in said_again(log, number)) if number < len(asked) else None,
                bisect_left(corrected, min(end, _calls_later(turns, place, len(log.messages))))
                - bisect_right(corrected, place),
                tuple(name for name in standing if any(name in act for act in acts)),
                _kept_rules(log, number, acts) if number < len(asked) else None,
            )
        )
    return RecordedSession(calls, tuple(found))


# --- as data --------------------------------------------------------------------------------


def told_compactions(session: RecordedSession) -> list[dict[str, Any]]:
    """Each compaction and what followed it, with the keys of ``docs/production-reference.md``."""
    before = [each.calls for each in session.compactions]
    ends = [*before[1:], len(session.calls)]
    followed = after_compactions(session.calls, before)
    return [
        {"number": number, **_told(each, after), "calls_after": end - each.calls}
        for number, (each, after, end) in enumerate(
            zip(session.compactions, followed, ends, strict=True), start=1
        )
    ]


def _told(each: RecordedCompaction, after: AfterCompaction) -> dict[str, Any]:
    return {
        "after_message": each.after,
        "calls_before": each.calls,
        "trigger": each.trigger or "unknown",
        "cleared_results": each.clears,
        "tokens_before": _size(each.before),
        "tokens_after": _size(each.left),
        "alike": dict(zip(("before", "after"), each.alike, strict=True)),
        "seconds": each.seconds,
        "usd": each.usd,
        "no_op": each.no_op,
        "window": each.window,
        "window_from": each.window_from,
        "bloated": each.bloated,
        "doubled": each.doubled,
        "instruction_followed": each.followed,
        "attached": {"files": each.attached, "tokens": each.attached_tokens},
        "fetched_again": {str(horizon): asdict(held) for horizon, held in after.fetched.items()},
        "calls_before_new_work": {
            "after": after.before_work,
            "elsewhere": after.before_work_elsewhere,
        },
        "said_again": each.said_again,
        "corrections": each.corrections,
        "broken": list(each.broken),
        "rules": asdict(each.rules) if each.rules else dict.fromkeys(asdict(KeptRules())),
    }


def _size(size: Counted | None) -> dict[str, Any]:
    if size is None:
        return {"tokens": None, "counted_here": False}
    return {"tokens": size.tokens, "counted_here": size.here}


@lru_cache(maxsize=4)  # the probes of a case follow one another
def told_probes(case: Case) -> Mapping[str, Mapping[str, Any]]:
    """What the point of the record of each probe says of compactions on record, by the probe's id.

    The compaction of its own point, and of the first probe of a point also the ``others``: those
    since the last point that is asked about, and after the last one all that follow.
    """
    recorded = [number for number, point in enumerate(case.points) if point.recorded]
    boundaries = tuple(
        boundary_of(case.messages[point.index].id, point.recorded, point.stated)
        for point in map(case.points.__getitem__, recorded)
    )
    transcript = Transcript(case.messages, "", ImportTally(0, 0), boundaries=boundaries)
    told = dict(zip(recorded, told_compactions(recorded_session(transcript)), strict=True))
    asked = sorted({probe.point for probe in case.probes})
    others: dict[int, list[Mapping[str, Any]]] = {}
    for number in recorded:
        if number not in asked:
            at = next((each for each in asked if each > number), asked[-1])
            others.setdefault(at, []).append(told[number])
    return {
        probe.id: {
            **told.get(probe.point, {}),
            **({"others": rest} if (rest := others.pop(probe.point, None)) else {}),
        }
        for probe in case.probes
    }


# --- compactions ----------------------------------------------------------------------------


def _with_short_results(messages: Sequence[Message]) -> list[Message]:
    """The messages with the beginnings of results: what the user says stands in no other part."""
    found = []
    for message in messages:
        if any(len(result.text) > _MOST_RESULT for result in message.results):
            parts = tuple(
                replace(part, text=part.text[:_MOST_RESULT])
                if isinstance(part, ToolResult)
                else part
                for part in message.parts
            )
            message = replace(message, parts=parts)
        found.append(message)
    return found


class _Sizes:
    """The context before and after each compaction, as the log states it or as counted here."""

    def __init__(
        self, messages: Sequence[Message], boundaries: Sequence[Boundary], places: Sequence[int]
    ) -> None:
        self._messages, self._boundaries, self._places = messages, boundaries, places
        self._counted: list[tuple[int, int | None]] | None = None

    def around(self, number: int) -> tuple[Counted | None, Counted | None]:
        """The tokens before and after."""
        boundary = self._boundaries[number]
        before, left = boundary.tokens_before, boundary.tokens_after
        if before is not None and left is not None:
            return Counted(before), Counted(left)
        counted_before, counted_left = self._around(number)
        return (
            Counted(counted_before, True) if before is None else Counted(before),
            Counted(left)
            if left is not None
            else None
            if counted_left is None
            else Counted(counted_left, True),
        )

    def alike(self, number: int) -> tuple[int, int | None]:
        """The tokens before and after by one way to count, as the log states both or neither."""
        boundary = self._boundaries[number]
        before, left = boundary.tokens_before, boundary.tokens_after
        if before is None or left is None:
            return self._around(number)
        return before, left

    def _around(self, number: int) -> tuple[int, int | None]:
        if self._counted is None:
            self._counted = self._all()
        return self._counted[number]

    def _all(self) -> list[tuple[int, int | None]]:
        counter = shared_counter()
        sizes = {message.id: counter.message(message) for message in self._messages}
        passed = list(accumulate((sizes[m.id] for m in self._messages), initial=0))
        found: list[tuple[int, int | None]] = []
        held, start = 0, 0
        for boundary, place in zip(self._boundaries, self._places, strict=True):
            before = held + passed[place + 1] - passed[start]
            left: int | None = None
            if boundary.messages:
                left = sum(sizes.get(m.id) or counter.message(m) for m in boundary.messages)
            elif boundary.summary:
                left = counter.text(boundary.summary) + sum(
                    sizes.get(id, 0) for id in boundary.kept
                )
            found.append((before, left))
            held, start = before if left is None else left, place + 1
        return found


def _window(boundary: Boundary, fullest: int, given: int | None) -> tuple[int | None, str]:
    """The window of a compaction and where it is from: the user, the log, or other compactions."""
    if given is not None:
        return given, "given"
    if boundary.window:
        return boundary.window, "the log"
    return (fullest, "the fullest context that was compacted") if fullest else (None, "")


def _attached_tokens(boundary: Boundary) -> int:
    attached = frozenset(boundary.attached)
    held = (message for message in boundary.messages if message.id in attached)
    return sum(map(shared_counter().message, held)) if attached else 0


def _anything_between(log: ProbeLog, first: int, second: int) -> bool:
    return any(log.messages[place].role == "assistant" for place in range(first + 1, second + 1))


def _followed(boundary: Boundary, around: Sequence[Message]) -> bool | None:
    """Whether the summary states half of the stems of the instruction given with ``/compact``."""
    typed = [message.text for message in around if message.role == "user"]
    asked = [match[1][:_MOST_RESULT] for text in typed if (match := _INSTRUCTION.match(text))]
    if not asked or boundary.trigger == "auto":
        return None
    summary = boundary.summary or "\n".join(map(readable, boundary.messages))
    stems = set(content_stems(normalize(asked[0])))
    if not stems or not summary:
        return None
    return len(stems.intersection(content_stems(normalize(summary)))) >= _FOLLOWED * len(stems)


def _calls_later(turns: Sequence[int], place: int, end: int) -> int:
    """The place of the last of the next forty calls after a message."""
    number = bisect_right(turns, place) + HORIZON
    return turns[number] if number < len(turns) else end


def _corrections(log: ProbeLog) -> list[int]:
    """The places of turns in which the user stops the agent, or begins by refusing."""
    return sorted(
        {
            said.place
            for said in user_sentences(log)
            if said.corrects or (said.answers and cue("refusal").match(said.text))
        }
    )


def _forbidden(log: ProbeLog) -> list[tuple[int, str]]:
    """The exact names of what the user forbids for good, with the places of the sentences."""
    found: dict[str, int] = {}
    for said in user_sentences(log):
        for name in _forbidden_in(said.text):
            found.setdefault(name, said.place)
    return [(place, name) for name, place in found.items()]


def _forbidden_in(text: str) -> Iterator[str]:
    for match in _FORBIDDEN.finditer(text):
        act = match["act"]
        if not _UNLESS.search(act):
            yield from _named(_INSTEAD.split(act, maxsplit=1)[0])


def _named(text: str) -> list[str]:
    return _MARKED.findall(text) or names(text)


def _kept_rules(log: ProbeLog, number: int, acts: Sequence[str]) -> KeptRules:
    """The rules that stand before a compaction; ``acts`` are the commands and changes after it."""
    could_be_broken = broken = kept = 0
    for rule in rules(log, number):
        if rule.use <= log.points[number]:
            continue  # no later call is about it
        could_be_broken += 1
        forbidden = list(_forbidden_in(rule.clause))
        done = any(name in act for name in forbidden or _named(rule.clause) for act in acts)
        if forbidden:
            broken += done
            kept += not done
        elif not _FORBIDDEN.search(rule.clause):
            kept += done
    return KeptRules(could_be_broken, broken, kept)
