"""Probes about what the agent said it would do: announcements and plans."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.artifacts import FileOperation, Invocation, call_touches
from pytest_compaction.case import Change, FactType
from pytest_compaction.case_making.declarations import declared
from pytest_compaction.case_making.file_probes import NUMBERED, tells_file
from pytest_compaction.case_making.log import Draft, Found, ProbeLog, path_candidate
from pytest_compaction.case_making.phrases import coarse, overlap, sentences
from pytest_compaction.case_making.shell_evidence import TRANSIENT
from pytest_compaction.conversation import Text, ToolCall
from pytest_compaction.text import content_stems, normalize, printable, stem

_ANNOUNCED: Final = re.compile(
    r"^(?:(?:now|next|first|then|good|great|ok|okay|finally|also|perfect|and)[,!.]? )*"
    r"(?:let me|let's|i'll|i will|i need to|i'm going to|we need to|we should|i should) "
    r"(?:now |first |also |then |next )*(?P<verb>[a-z]+)",
    re.I,
)
VAGUE: Final = re.compile(
    r"\b(?:it|its|this|that|those|these|them|again|same|lines?|ones?|other|another)\b"
    r"|\bthe (?:test|file|function|code|script|error|issue|problem|bug)\b(?! (?:for|of|in|that)\b)",
    re.I,
)
"""Words that point at something which only the messages before name."""
_VERBS: Final[dict[Change, frozenset[str]]] = {
    "created": frozenset("create write add make build".split()),
    "modified": frozenset(
        """fix add update change modify implement remove replace convert move refactor make
        rename extend simplify correct adjust improve clean""".split()
    ),
    "read": frozenset(
        """check look read see examine investigate view find search understand verify review
        inspect explore trace re-examine""".split()
    ),
}
"""What an announcement may say for the call that keeps it."""
_EMPTY: Final = frozenset(
    map(
        stem,
        """new file files code usage usages constant constants function functions method methods
        thing things change changes import imports test tests update fix edit work implementation
        detail details project source main final next step plan place places everything relevant
        section part area related current existing rest logic key remaining
        issue issues problem problems pattern context full whole entire all two three four five
        several fixes understand""".split(),
    )
)
"""Stems that every announcement may hold, and that tell nothing."""
_STARTS: Final = frozenset(
    map(stem, "now first let need going finally great good perfect ok okay".split())
) | frozenset(stem(verb) for verbs in _VERBS.values() for verb in verbs)
_QUOTED: Final = re.compile(r"`(\w+)(?:\(\))?`")
_CODE: Final = re.compile(r"`(?=[^`]*\w{4})[^`]*`|[a-z\d][A-Z]|\w_\w|\w\.\w+\(")
_PART: Final = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}(?![a-z])")
_ALIKE: Final = 0.75
"""Announcements that share so much of their words may mean the same."""
_LEAST_CHANGED: Final = 3
"""Where fewer files were changed, the answer is no news."""
_LEAST_TELLING: Final = 2
_LEAST_WORDS: Final = 6
_MOST_CHARACTERS: Final = 160
_CHANGES: Final[dict[str, Change]] = {"created": "created", "modified": "modified"}
_ASKED: Final[dict[Change, str]] = {
    "created": "Which file did it create then?",
    "modified": "Which file did it change then?",
}


def announced_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for each announcement whose message holds calls on one file only."""
    touched: dict[str, list[FileOperation]] = defaultdict(list)
    changed: set[str] = set()
    for operation in log.operations:
        touched[operation.message_id].append(operation)
        if operation.operation != "read" and log.position[operation.message_id] <= log.end:
            changed.add(operation.path)
    if len(changed) < _LEAST_CHANGED:
        return
    said = {id: text for id in touched if (text := _announcement(log, id))}
    alike = _alike(said)
    homes: dict[str, set[str]] = defaultdict(set)
    for each in declared(log):
        homes[each.name].add(posixpath.basename(each.path))
    for id, text in said.items():
        place = log.position[id]
        done = {(operation.path, operation.operation) for operation in touched[id]}
        sure = all(operation.certain and operation.succeeded for operation in touched[id])
        sure = sure and all(map(call_touches, log.messages[place].calls))
        if id in alike or not tells_work(text) or len(done) > 1 or not sure or place > log.end:
            continue
        path, verb = done.pop()
        file, change = posixpath.basename(path), _CHANGES.get(verb)
        if change is None or TRANSIENT.search(path) or NUMBERED.search(path):
            continue
        match = _ANNOUNCED.match(text)
        kept = match is not None and match["verb"].casefold() in _VERBS[change]
        elsewhere = any(file not in homes[n] for n in _QUOTED.findall(text) if n in homes)
        by_user = any(file in turn for at, turn in log.turns("user") if at <= place)
        if not kept or elsewhere or by_user or tells_file(text, path):
            continue
        if _particular(text, path) and not _goes_on(log, place, path, touched):
            question = f"The agent announced: “{text}” {_ASKED[change]}"
            told = path_candidate(path, change, (place,))
            yield log.draft("recall", f"{change}-announced", question, told, place, 20, 0.28)


def tells_work(text: str) -> bool:
    """Whether an announcement holds two words that tell which work is meant."""
    words = content_stems(normalize(text.rpartition(" so that ")[0] or text))
    stems = {stem(word) for word in words}
    return len(stems - _EMPTY - _STARTS) >= _LEAST_TELLING


def _particular(text: str, path: str) -> bool:
    """Whether an announcement names code, or a part of the topic that the name of a file tells."""
    topic = {stem(word.casefold()) for word in _PART.findall(posixpath.basename(path))}
    return bool(_CODE.search(text) or (topic - _EMPTY) & set(content_stems(normalize(text))))


def _alike(said: Mapping[str, str]) -> set[str]:
    """The messages whose announcement is nearly the same as that of another message."""
    stems = {id: set(content_stems(normalize(text))) for id, text in said.items()}
    return {
        id
        for id, held in stems.items()
        for other, others in stems.items()
        if id != other and overlap(held, others) >= _ALIKE
    }


def _goes_on(
    log: ProbeLog, place: int, path: str, touched: Mapping[str, Sequence[FileOperation]]
) -> bool:
    """Whether the agent went on with other files before it or the user said anything else."""
    for message in log.messages[place + 1 : log.end + 1]:
        if message.role == "user" or (message.role == "assistant" and message.text.strip()):
            return False
        if any(operation.path != path for operation in touched.get(message.id, ())):
            return True
    return False


def _announcement(log: ProbeLog, id: str) -> str:
    """The last sentence that a message says before its calls, if it says what comes next."""
    parts = log.messages[log.position[id]].parts
    text = "\n".join(part.text for part in parts if isinstance(part, Text))
    lines = [line for line in text.splitlines() if line.strip()]
    said = sentences(lines[-1])[-1].strip().rstrip(" :.") if lines else ""
    clear = (
        _ANNOUNCED.match(said)
        and not VAGUE.search(said)
        and not coarse(said)
        and said.count("`") % 2 == 0
    )
    fits = len(said.split()) >= _LEAST_WORDS and len(said) <= _MOST_CHARACTERS
    return f"{printable(said, _MOST_CHARACTERS)}." if clear and fits else ""


_TEXT_KEYS: Final = ("content", "step", "title", "task", "description", "text", "name")
_STATE_KEYS: Final = ("status", "state", "done", "completed")
_CREATED: Final = re.compile(r"\bTask #(\d+) created")
_MAX_ENTRIES: Final = 100
_LEAST_STEPS: Final = 2
"""One step is the whole task under another name."""
_PLAN_NAME: Final = re.compile(r"todo|plan|task", re.I)
_DONE: Final = frozenset({"completed", "complete", "done", "finished", "cancelled", "true"})
_UNDER_WAY: Final = frozenset({"in_progress", "inprogress", "in-progress", "active", "doing"})


@dataclass(frozen=True, slots=True)
class Plan:
    """The state of a plan after a call of the tool ``name``: steps open, under way and done."""

    position: int
    name: str
    open: tuple[str, ...]
    under_way: tuple[str, ...]
    done: tuple[str, ...] = ()


def plan_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about the plan at each point, unless it has not changed since the point before.

    Once the user has asked for something else, nobody knows whether it still holds. Where an
    earlier plan had steps that this one lacks, it is unclear which plan is meant.
    """
    plans = list(_plans(log))
    before: Plan | None = None
    for point, asked in enumerate(log.points):
        plan = next((plan for plan in reversed(plans) if plan.position <= asked), None)
        if plan is None or plan is before:
            continue
        before = plan
        left = (*plan.under_way, *plan.open)
        steps = {*plan.done, *left}
        moved_on = any(plan.position < at <= asked for at, _ in log.requests)
        if len(left) + len(plan.done) < _LEAST_STEPS or moved_on:
            continue
        kept = f"`{printable(plan.name, 60).replace('`', '')}`"
        start = f"According to the plan that the agent kept with {kept}, which steps were"
        late = 0.2 if plan.position > log.before_tail(asked) else 0.0
        question = f"{start} not finished yet (pending or in progress)?"
        found = _steps(log, left, asked, "next_step")
        yield Draft(
            "continuation", "open-steps", question, found, point, 0.1 + late, whole=len(left)
        )
        earlier = (one for one in plans if one.position < plan.position)
        if plan.done and not any(set(one.done) - steps for one in earlier):
            found, whole = _steps(log, plan.done, asked, "state"), len(plan.done)
            question = f"{start} completed?"
            yield Draft(
                "continuation", "done-steps", question, found, point, 0.3 + late, whole=whole
            )


def _steps(log: ProbeLog, texts: tuple[str, ...], asked: int, type: FactType) -> tuple[Found, ...]:
    return log.find_all((log.task(text, type) for text in texts), asked, most=12, tail=True)


def _plans(log: ProbeLog) -> Iterator[Plan]:
    tasks: dict[str, tuple[str, str]] = {}
    for invocation in log.invocations:
        entries = plan_entries(invocation.call)
        name = invocation.call.name
        if not entries and _follow(tasks, invocation):
            entries = [task for task in tasks.values() if task[1] != "deleted"]
            name = "TaskCreate"
        if entries or _cleared(invocation.call):
            yield Plan(
                log.position[invocation.message_id],
                name,
                tuple(text for text, state in entries if state not in _DONE | _UNDER_WAY),
                tuple(text for text, state in entries if state in _UNDER_WAY),
                tuple(text for text, state in entries if state in _DONE),
            )


def _follow(tasks: dict[str, tuple[str, str]], invocation: Invocation) -> bool:
    """Record what a call made of numbered tasks, by their numbers; whether it changed any."""
    given = invocation.call.parsed()
    lost = not invocation.answered
    text, state = given.get("subject"), given.get("status")
    if invocation.call.name == "TaskCreate":
        made = _CREATED.search(invocation.output)
        if made and isinstance(text, str) and not lost:
            tasks[made[1]] = (" ".join(text.split()), "pending")
        return bool(made)
    number = str(given.get("taskId", ""))
    if invocation.call.name != "TaskUpdate" or number not in tasks or lost:
        return False
    before, was = tasks[number]
    new = " ".join(text.split()) if isinstance(text, str) else before
    tasks[number] = (new, str(state).lower() if state is not None else was)
    return True


def _cleared(call: ToolCall) -> bool:
    """Whether a call leaves a plan empty."""
    return bool(_PLAN_NAME.search(call.name)) and [] in list(call.parsed().values())


def plan_entries(call: ToolCall) -> list[tuple[str, str]]:
    """Text and state (lower case) of each entry of a plan; empty for any other call."""
    for value in call.parsed().values():
        if isinstance(value, list):
            entries = [_entry(item) for item in value[:_MAX_ENTRIES]]
            known = [entry for entry in entries if entry is not None]
            if known and len(known) == len(entries):
                return known
    return []


def _entry(item: Any) -> tuple[str, str] | None:
    if not isinstance(item, Mapping):
        return None
    text = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
    state = next((item[key] for key in _STATE_KEYS if isinstance(item.get(key), str | bool)), None)
    if text is None or not text.strip() or state is None:
        return None
    return " ".join(text.split()), str(state).lower().replace(" ", "_")
