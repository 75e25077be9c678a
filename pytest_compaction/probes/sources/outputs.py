"""Recall probes about command output: versions, addresses, counts, commits, test results."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.operations import Command, commands
from pytest_compaction.case.case import Trap
from pytest_compaction.conversation.messages import readable
from pytest_compaction.probes.log import Draft, Found, ProbeLog, Topic, pooled
from pytest_compaction.probes.phrases import bare, sentences, shown_command
from pytest_compaction.probes.test_commands import ran_tests, result_of_tests, shows_no_text

_MAX_TEXT: Final = 60_000
_MAX_NAMES: Final = 5
_VERSION: Final = re.compile(
    r"(?<![\w./@-])(?P<name>@?[A-Za-z][A-Za-z0-9+#]*(?:[-_/][A-Za-z0-9]+){0,3})"
    r"(?:\"?: \"|==|@| version | v| )(?P<version>[\^~>=]{0,2}\d{1,4}\.\d{1,4}\.\d{1,6}"
    r"(?:[-.+]?(?:rc|beta|alpha|post|dev|b|a)\.?\d{0,3})?)(?![\w.%-])"
)
_NO_NAME: Final = frozenset(
    """v version versions the to from at is in on and or of for with by than as was are python-
    ipv4 ip address host section rule chapter step table figure""".split()
)
_ADDRESS: Final = re.compile(
    r"(?<![\w.])(?:(?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d{2,5}|port \d{2,5})(?!\d)"
)
_COUNTED: Final = re.compile(
    r"(?<![\w.#:/,-])\d[\d,]{0,9} (?:[a-z]{3,12} )?(?:files? changed|insertions?|deletions?|errors?"
    r"|warnings?|problems?|packages?|vulnerabilit(?:y|ies)|modules?|rows?|records?|migrations?"
    r"|issues?|occurrences?|matches|commits?|samples?|images?|epochs?|parameters)\b"
)
_COMMITTED: Final = re.compile(
    r"^\[[\w./-]{1,60}(?: \([\w-]{1,30}\))? (?P<hash>[0-9a-f]{7,12})\] (?P<text>.{5,90})$",
    re.MULTILINE,
)
_LOCATED: Final = re.compile(
    r"(?P<subject>(?:The |Its? |[`A-Z]).{6,80}? (?:is|are|was|were)(?: \w{3,12}ed| set| found)?"
    r" (?:on|at|to|in|from)) (?P<value>(?:lines?|ports?|version|column) \d[\w.-]*\w|\d[\w.]*%?)"
)
_GUESS: Final = re.compile(r"\b(?:might|maybe|probably|perhaps|likely|should|would)\b", re.I)


def output_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about exact values in outputs, and about places that the agent found."""
    run = commands(log.messages)
    yield from _versions(log)
    yield from _addresses(log)
    yield from _first_results(log, run)
    yield from _counts(log, run)
    yield from _commits(log, run)
    yield from pooled(
        _located(log),
        "recall",
        "finding",
        "The agent found this: {}. Which exact place or value was it?",
        "The agent found these: {}. Which exact place or value was each?",
        len(log.points) - 1,
        0.33,
    )


def _versions(log: ProbeLog) -> Iterator[Draft]:
    """Names with the version that was stated last; an earlier version is a trap."""
    history: dict[str, list[str]] = defaultdict(list)
    for message in log.messages[: log.points[-1] + 1]:
        for match in _VERSION.finditer(readable(message)[:_MAX_TEXT]):
            name, version = match["name"], match["version"].lstrip("^~>=")
            if name.lower() in _NO_NAME or version in history[name][-1:]:
                continue
            history[name].append(version)
    last = len(log.points) - 1
    found: dict[str, Found] = {}
    traps: list[Trap] = []
    for name, versions in history.items():
        entry = log.find(f"{name} {versions[-1]}", log.points[last], "detail")
        if entry is None or len(versions) > 2 or versions != sorted(versions, key=_release):
            continue
        found[name] = entry
        traps += [Trap(f"{name} {old}", current=(versions[-1],)) for old in versions[:-1]]
    names = sorted(found, key=lambda name: (found[name].risk, name))[:_MAX_NAMES]
    if len(names) < 2:
        return
    shown = ", ".join(f"`{name}`" for name in names)
    kept = tuple(trap for trap in traps if trap.text.rpartition(" ")[0] in names)
    yield Draft(
        "recall",
        "versions",
        f"Which versions of {shown} does the session name, the latest where there were several?",
        tuple(found[name] for name in names),
        last,
        0.22,
        kept,
    )


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, so that later versions sort higher."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:6])


def _addresses(log: ProbeLog) -> Iterator[Draft]:
    last = len(log.points) - 1
    texts: dict[str, None] = {}
    for message in log.messages[: log.points[-1] + 1]:
        texts.update(dict.fromkeys(_ADDRESS.findall(readable(message)[:_MAX_TEXT])))
    found = log.find_all(texts, log.points[last], "detail")
    facts = sorted(found, key=lambda entry: entry.risk)[:_MAX_NAMES]
    question = "Which local addresses and ports did the session name?"
    yield Draft("recall", "addresses", question, tuple(facts), last, 0.28)


def _first_results(log: ProbeLog, run: list[Command]) -> Iterator[Draft]:
    """How did the first test run end? The different result of the last run is the trap."""
    last = len(log.points) - 1
    asked = log.points[last]
    ran = [c for c in run if ran_tests(c) and log.position[c.message_id] <= asked]
    text = (result_of_tests(ran[0]) if ran else None) or ""
    later = [result for command in ran[1:] if (result := result_of_tests(command))]
    if not text or not later or text == later[-1]:
        return
    command, stale = ran[0], later[-1]
    first = log.find(text, asked, "detail")
    shown = shown_command(command.text)
    if first is None or not shown:
        return
    yield Draft(
        "recall",
        "first-tests",
        f"How did the first test run of the session end, the command {shown}? Give its counts.",
        (first,),
        last,
        0.27,
        (Trap(stale, current=(first.fact.text,)),),
        least=1,
    )


def _counts(log: ProbeLog, run: list[Command]) -> Iterator[Draft]:
    """Counts printed by a command that ran once; commands that show files are ignored."""
    last = len(log.points) - 1
    times = Counter(shown_command(command.text) for command in run)
    for command in run:
        shown = shown_command(command.text)
        if not shown or times[shown] > 1 or not shows_no_text(command):
            continue
        texts = dict.fromkeys(_COUNTED.findall(command.output[-20_000:]))
        found = log.find_all(texts, log.points[last], "detail", most=2)
        yield Draft(
            "recall",
            "counts",
            f"Which counts did the command {shown} report?",
            found[:4],
            last,
            0.34 - 0.02 * min(len(found), 4),
        )


def _located(log: ProbeLog) -> Iterator[Topic]:
    """Statements of the assistant that end in a place or value, which the question leaves out."""
    for _, text in log.turns("assistant"):
        for sentence in sentences(text):
            match = _LOCATED.match(sentence[:300])
            if match and not _GUESS.search(sentence):
                found = log.find_all([match["value"]], log.points[-1], "detail")
                yield Topic(f"{bare(match['subject'])} …", found)


def _commits(log: ProbeLog, run: list[Command]) -> Iterator[Draft]:
    yield from pooled(
        _committed(log, run),
        "recall",
        "commit",
        "Which short hash did the commit {} get?",
        "Which short hashes did these commits get: {}?",
        len(log.points) - 1,
        0.3,
    )


def _committed(log: ProbeLog, run: list[Command]) -> Iterator[Topic]:
    asked = log.points[-1]
    for command in run:
        if "commit" not in command.text:
            continue
        for match in _COMMITTED.finditer(command.output[:_MAX_TEXT]):
            yield Topic(match["text"].strip(), log.find_all([match["hash"]], asked, "detail"))
