"""A case from an imported transcript: its part, name, points, sizes, probes, and the last check."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import Case, checked_case
from pytest_compaction.case_making.derive import DEFAULT_COUNT, DerivedProbes, derive_probes
from pytest_compaction.case_making.points import (
    BUDGET_STEP,
    MIN_BUDGET,
    LogSizes,
    RecordPoint,
    compaction_points,
    record_points,
    with_room,
)
from pytest_compaction.case_making.selection import unanswered
from pytest_compaction.conversation import (
    Message,
    TokenCounter,
    groups,
    leading_system,
    shared_counter,
)
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.importers import ImportFormatError, Transcript, reasons_of
from pytest_compaction.text import is_read, name_of

OUTSIDE: Final = "message outside the part that was asked for"
_KEPT_OUTSIDE: Final = "it kept messages that are outside the imported part"


@dataclass(frozen=True, slots=True)
class SessionPart:
    """Range of messages to import: the newest ``last``, or those from ``first`` to ``final``.

    Messages are counted from 1; ``None`` sets no limit.
    """

    first: int | None = None
    final: int | None = None
    last: int | None = None

    def __bool__(self) -> bool:
        return self != SessionPart()

    def of(self, transcript: Transcript) -> Transcript:
        """The transcript with these messages and the system messages at its start.

        A tool call is never parted from its results: if one is in the part, both are
        taken. Compactions within the part stay; they keep their record if the part has all
        the messages that they kept. Raises :class:`ImportFormatError` for an empty part.
        """
        messages = transcript.messages
        head = leading_system(messages)
        start, end = self._range(transcript)
        for begins, ends in groups(messages):
            if begins < start < ends:
                start = begins
            if begins < end < ends:
                end = ends
        kept = (*messages[:head], *messages[max(start, head) : end])
        ids, lost = {message.id for message in kept}, len(messages) - len(kept)
        left_out = {**transcript.tally.left_out, **({OUTSIDE: lost} if lost else {})}
        return replace(
            transcript,
            messages=kept,
            boundaries=tuple(
                boundary
                if ids.issuperset(boundary.kept)
                else replace(boundary, summary="", kept=(), missing=_KEPT_OUTSIDE)
                for boundary in transcript.boundaries
                if boundary.after in ids
            ),
            tally=replace(
                transcript.tally, messages=len(kept), left_out=dict(sorted(left_out.items()))
            ),
        )

    def _range(self, transcript: Transcript) -> tuple[int, int]:
        total = len(transcript.messages)
        if self.last is not None:
            return max(0, total - self.last), total
        start = (self.first or 1) - 1
        end = total if self.final is None else min(self.final, total)
        if start >= end:
            asked = f"--from {start + 1}" + (f" --to {self.final}" if self.final else "")
            raise ImportFormatError(
                f"{_named(transcript)}: {asked} is outside its {total} messages; "
                "they are counted from 1"
            )
        return start, end


MAX_ID: Final = 80
MAX_NAME: Final = 50
"""The most characters of a case id, and of the name of the conversation in it."""
_COMMON: Final = frozenset(
    """agent aider api chat chats claude conversation conversations data event events history log
    logs message messages out output rollout session sessions thread traj trajectory transcript
    transcripts ui""".split()
)
"""Words that tell no session from another."""
_WORD: Final = re.compile(r"[^\W_]+")


def case_names(paths: Iterable[Path]) -> dict[Path, str]:
    """The name of the session in each file; those of different files differ if possible."""
    above = {path: _folders(path) for path in paths}
    own = {path: path.stem for path in above}
    for path, folders in above.items():
        if folders and _COMMON.issuperset(map(str.casefold, _WORD.findall(path.stem))):
            own[path] = ""
    taken = dict.fromkeys(above, 0)
    taken.update((path, 1) for path in above if not own[path])
    while True:
        names: dict[Path, str] = {}
        files: dict[str, set[Path]] = defaultdict(set)
        for path, folders in above.items():
            parts = (*folders[len(folders) - taken[path] :], own[path])
            names[path] = "-".join(part for part in parts if part)
            files[slug(names[path]).casefold()].add(path.resolve())
        growing = [
            path
            for path, name in names.items()
            if len(files[slug(name).casefold()]) > 1 and taken[path] < len(above[path])
        ]
        if not growing:
            return names
        taken.update((path, taken[path] + 1) for path in growing)


def slug(stem: str, name: str = "") -> str:
    """A case id from the name of a session and that of one of the conversations in its file."""
    suffix = _cleaned(f"-{name}") if name else ""
    if len(suffix) > MAX_NAME:
        mark = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
        suffix = f"{suffix[: MAX_NAME - 9]}-{mark}"
    cleaned = _cleaned(stem).strip("-._") or "session"
    return cleaned[: MAX_ID - len(suffix)] + suffix


def _folders(path: Path) -> tuple[str, ...]:
    """The folders above a file, the outermost first; of those below the home, only these."""
    folder = path.resolve().parent
    try:
        return folder.relative_to(Path.home().resolve()).parts
    except (ValueError, RuntimeError):
        return folder.parts[1:]


def _cleaned(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)


ProbeSource = Callable[[Sequence[Message], Sequence[int], int, int, Sequence[int]], DerivedProbes]
"""Takes messages, positions of the points, a count, the budget and the positions after which a
compaction is on record; returns probes as JSON."""
_WINDOWS: Final = (32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000)
"""The usual windows of models, in tokens."""


class NoProbeError(ImportFormatError):
    """A conversation states no fact to ask about after it is compacted."""


class NotCompactableError(ImportFormatError):
    """A conversation has next to nothing that a strategy may shorten."""


@dataclass(frozen=True, slots=True)
class MadeCase:
    """A case as it will be written, with its size in tokens.

    ``recorded`` counts the points with a record of the agent's own compaction,
    ``unrecorded`` says why the others have no record, ``after`` counts the messages
    behind the last point, ``withheld`` the proposals that are left out, and ``unanswered`` the
    probes for which the offline control finds no fact in the full log.
    """

    data: dict[str, Any]
    derived: DerivedProbes
    tokens: int
    recorded: int = 0
    unrecorded: tuple[str, ...] = ()
    after: int = 0
    unanswered: int = 0
    withheld: int = 0


def make_case(
    transcript: Transcript,
    task: str = "assistant",
    count: int = DEFAULT_COUNT,
    probe_source: ProbeSource = derive_probes,
    without_probes: bool = False,
    all_proposals: bool = False,
) -> MadeCase:
    """The case of a transcript; raises :class:`ImportFormatError` if that is impossible.

    ``probe_source`` makes the probes; the default derives them by rules. A case that gets none is
    made ``without_probes`` alone: it is valid once somebody has written one. Proposals of kinds
    that are rarely confirmed are taken with ``all_proposals``, or if there is no other question.
    """
    counter = shared_counter()
    messages = transcript.messages
    sizes = [counter.message(message) for message in messages]
    records = record_points(transcript)
    points, budget = _points(transcript, records, sizes, counter)
    end = points[-1] + 1
    recorded = [record.index for record in records if record.data]
    derived = probe_source(messages, points, count, budget, recorded)
    probes, proposed = derived.probes, derived.proposed
    if all_proposals or not (probes or proposed):
        proposed = [*proposed, *derived.unlikely]
    if not (probes or proposed or without_probes):
        raise NoProbeError(_why_none(transcript, derived, len(messages) - end))
    source = Path(transcript.source)
    data: dict[str, Any] = {
        "id": slug(transcript.title or case_names([source])[source], transcript.name),
        "title": f"Imported from {_named(transcript, source.name)}"[:300],
        "task": task,
        "window": _window(records, points, sizes),
        "budget": budget,
        "messages": to_chat(messages, ids=True),
        "compaction_points": [
            {"id": f"p{number}", "after": messages[place].id}
            for number, place in enumerate(points, start=1)
        ],
        "probes": probes,
    }
    if proposed:
        data["proposed"] = proposed
    for point, record in zip(data["compaction_points"], records, strict=False):
        if record.data:
            point["recorded"] = record.data
    case = checked_case(data if probes else {**data, "probes": proposed, "proposed": []})
    found = () if isinstance(case, Case) else case
    nothing = not (probes or proposed)
    if faults := [fault for fault in found if not (nothing and fault.pointer == "/probes")]:
        shown = "; ".join(str(fault) for fault in faults[:3])
        raise ImportFormatError(f"{_named(transcript)}: its case is not valid: {shown}")
    return MadeCase(
        data,
        derived,
        sum(sizes),
        sum(bool(record.data) for record in records),
        tuple(record.missing for record in records if record.missing),
        len(messages) - end,
        unanswered(case) if isinstance(case, Case) and probes else 0,
        len(derived.proposed) + len(derived.unlikely) - len(proposed),
    )


def _why_none(transcript: Transcript, derived: DerivedProbes, after: int) -> str:
    """Why a session gives no question: the largest reason, what was looked for, what to do."""
    tally, messages = transcript.tally, len(transcript.messages)
    unread, found = sum(tally.unread.values()), sum(n for n, _ in derived.found.values())
    if unread > messages:
        why = (
            f"of its {tally.records:,} records only {messages:,} messages were made; not known are "
            f"{reasons_of(tally.unread)}"
        )
    elif not is_read(derived.language):
        why = f"it is in {name_of(derived.language)}, for which there are no rules"
    elif found:
        why = (
            f"of the {found} facts that were found none can be asked: the newest messages state "
            "them too, or the log does not state them in one clause with what they are of"
        )
    else:
        why = (
            f"the {after:,} messages after the last point use, repeat or decide nothing again that "
            "the messages before it state"
        )
    families = ", ".join(f"{name} {number}" for name, (number, _) in derived.found.items())
    looked = f". Looked for and found: {families}" if families else ""
    return (
        f"{_named(transcript)}: no question can be made of its {messages:,} messages: {why}"
        f"{looked}. Write the case and add your own (--without-probes), have a model propose them "
        "(--model NAME), or import a longer session"
    )


def _points(
    transcript: Transcript,
    records: Sequence[RecordPoint],
    sizes: Sequence[int],
    counter: TokenCounter,
) -> tuple[list[int], int]:
    messages = transcript.messages
    log = LogSizes.of(messages, sizes)
    given = [record.index for record in records]
    if not any(log.compactable(end) for end in [len(messages), *(n + 1 for n in given)]):
        raise NotCompactableError(f"{_named(transcript)}: {_too_little(log, sizes)}")
    views = [counter.messages(record.view) for record in records]
    if any(views):
        points = given
        budget = max(*views, log.system[leading_system(messages)] + BUDGET_STEP)
    else:
        budget = _budget(log, messages, sizes)
        points = given or compaction_points(messages, sizes, budget)
        points, budget = with_room(points, budget, messages, sizes, bool(given))
    if log.passed[-1] <= budget:
        raise NotCompactableError(
            f"{_named(transcript)}: its log of {log.passed[-1]:,} tokens is not larger than the "
            f"budget of {budget:,} that a view of it would have, so no strategy has anything to "
            "do; import a longer session"
        )
    return points, budget


def _too_little(log: LogSizes, sizes: Sequence[int]) -> str:
    end, total = len(sizes), log.passed[-1]
    number = max(range(end), key=sizes.__getitem__) + 1
    large = sizes[number - 1]
    advice = "import a longer session"
    if large > max(total / 2, MIN_BUDGET):
        advice = (
            f"message {number} alone takes {large:,} tokens: "
            "import the messages after it with --from, or those before it with --to"
        )
    return (
        f"strategies may shorten only {total - log.fixed(end):,} tokens of the {total:,} in its "
        f"{end:,} message{'' if end == 1 else 's'} (the system messages, the first request and "
        f"the last messages stay), too few to tell strategies apart; {advice}"
    )


def _named(transcript: Transcript, source: str = "") -> str:
    name = f", conversation {transcript.name}" if transcript.name else ""
    return f"{source or transcript.source}{name}"


def _window(records: Sequence[RecordPoint], points: Sequence[int], sizes: Sequence[int]) -> int:
    """The smallest usual window, in tokens, that holds the context before each compaction."""
    before = [record.tokens_before for record in records if record.tokens_before]
    starts = [0, *(point + 1 for point in points)]
    longest = max(sum(sizes[a:b]) for a, b in pairwise(starts))
    needed = max(*before, longest) if before else sum(sizes)
    return next((size for size in _WINDOWS if size >= needed), needed * 2)


def _budget(log: LogSizes, messages: Sequence[Message], sizes: Sequence[int]) -> int:
    """The budget of a view: the system messages, which nobody may shorten, and a share of the rest.

    If the first request takes more than half of the share, it gets room of its own.
    """
    system, rest = log.system[-1], log.passed[-1] - log.system[-1]
    share = _share(rest)
    first = log.request
    asked = sizes[first] if first < len(messages) and messages[first].role == "user" else 0
    if asked > share / 2:
        share = asked + _share(rest - asked)
    return system + share


def _share(tokens: int) -> int:
    least = min(MIN_BUDGET, max(tokens // 3, BUDGET_STEP))
    return max(least, round(tokens / 12 / BUDGET_STEP) * BUDGET_STEP)
