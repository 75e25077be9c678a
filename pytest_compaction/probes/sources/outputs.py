"""Recall probes about command output: versions, addresses, counts, commits, test results."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.operations import Command, commands
from pytest_compaction.case.case import Trap
from pytest_compaction.conversation.messages import readable
from pytest_compaction.probes.keys import Groups, identifier_keys
from pytest_compaction.probes.log import Candidate, Draft, Found, ProbeLog
from pytest_compaction.probes.phrases import bare, sentences, shown_command
from pytest_compaction.probes.test_commands import ran_tests, result_of_tests, shows_no_text
from pytest_compaction.probes.topics import Topic, pooled

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
    r"(?<![\w.#:/,-])\d[\d,]{0,9} (?:[a-z]{3,12} )?(?:errors?|warnings?|problems?"
    r"|packages?|vulnerabilit(?:y|ies)|modules?|rows?|records?|migrations?|issues?"
    r"|occurrences?|matches|commits?|samples?|images?|epochs?|parameters)\b"
)
_COMMITTED: Final = re.compile(
    r"^\[[\w./-]{1,60}(?: \([\w-]{1,30}\))? (?P<hash>[0-9a-f]{7,12})\] (?P<text>.{5,90})$",
    re.MULTILINE,
)
_LOCATED: Final = re.compile(
    r"(?P<subject>(?!So\b|And\b|But\b|Then\b)(?:The |Its? |[`A-Z]).{6,80}?"
    r" (?:is|are|was|were)(?: \w{3,12}ed| set| found)? (?:on|at|to|in|from))"
    r" (?P<value>(?:lines?|ports?|version|column) \d[\w.-]*\w|\d[\w.]*%?(?![\w:.]))"
)
_COUNT: Final = re.compile(r"(\d+) ([A-Za-z]+)")
_COUNT_AFTER: Final = re.compile(r"\b(tests|pass|fail) (\d+)")
_COUNT_FORMS: Final = {
    "fail": (0, ("failed", "failures", "failing")),
    "erro": (1, ("errors",)),
    "pass": (2, ("passed", "passing")),
    "ok": (2, ()),
}
"""How much each count of a test result matters, smallest first, and its other forms."""
_OTHER: Final[tuple[int, tuple[str, ...]]] = (3, ())
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
        keys = _version_keys(name, versions[-1])
        candidate = Candidate(f"{name} {versions[-1]}", "value", keys)
        entry = log.find(candidate, log.points[last])
        if entry is None or len(versions) > 2 or versions != sorted(versions, key=_release):
            continue
        found[name] = entry
        traps += [
            Trap(f"{name} {old}", keys=_version_keys(name, old), of=candidate.text)
            for old in versions[:-1]
        ]
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


def _version_keys(name: str, version: str) -> Groups:
    """A version and its package, with or without its scope."""
    bare_name = name.rpartition("/")[2]
    names = (name, bare_name) if name.startswith("@") and len(bare_name) > 3 else (name,)
    return ((version,), names)


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, so that later versions sort higher."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:6])


def _addresses(log: ProbeLog) -> Iterator[Draft]:
    last = len(log.points) - 1
    texts: dict[str, None] = {}
    for message in log.messages[: log.points[-1] + 1]:
        texts.update(dict.fromkeys(_ADDRESS.findall(readable(message)[:_MAX_TEXT])))
    given = (Candidate(text, "value", _address_keys(text)) for text in texts)
    found = log.find_all(given, log.points[last])
    facts = sorted(found, key=lambda entry: entry.risk)[:_MAX_NAMES]
    question = "Which local addresses and ports did the session name?"
    yield Draft("recall", "addresses", question, tuple(facts), last, 0.28)


def _address_keys(text: str) -> Groups:
    """An address with its port; a port of four digits needs no host."""
    port = re.findall(r"\d+", text)[-1]
    return ((text, f"port {port}", f":{port}") if len(port) > 3 else (text, f"port {port}"),)


def result_keys(summary: str) -> Groups:
    """The count that matters most in a test result such as ``2 failed, 31 passed``, in its forms.

    That is what failed, else what passed. One count stands for the run, because counts with
    commas between them are read as clauses of their own.
    """
    counts = [(number, word.lower()) for number, word in _COUNT.findall(summary)]
    counts += [(number, word) for word, number in _COUNT_AFTER.findall(summary)]
    held = [(n, word) for n, word in counts if int(n)] or counts
    ranked = sorted(held, key=lambda count: _COUNT_FORMS.get(count[1][:4], _OTHER)[0])
    if not ranked:
        return ((summary,),)
    number, word = ranked[0]
    forms = dict.fromkeys((word, *_COUNT_FORMS.get(word[:4], _OTHER)[1]))
    return (tuple(f"{number} {form}" for form in forms),)


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
    first = log.find(Candidate(text, "command", result_keys(text)), asked)
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
        (Trap(stale, keys=result_keys(stale), type="command", of=first.fact.text),),
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
        told = (Candidate(each, "command", _counted_keys(each)) for each in texts)
        found = log.find_all(told, log.points[last], most=2)
        yield Draft(
            "recall",
            "counts",
            f"Which counts did the command {shown} report?",
            found[:4],
            last,
            0.34 - 0.02 * min(len(found), 4),
        )


def _counted_keys(text: str) -> Groups:
    """A count with what it counts; nothing counted may also be said in words."""
    number, _, things = text.partition(" ")
    if number == "0":
        return ((text, f"no {things}", f"without {things}", f"zero {things}"),)
    return ((text,),)


def _located(log: ProbeLog) -> Iterator[Topic]:
    """Statements of the assistant that end in a place or value, which the question leaves out."""
    for _, text in log.turns("assistant"):
        for sentence in sentences(text):
            match = _LOCATED.match(sentence[:300])
            if match and not _GUESS.search(sentence):
                place = Candidate(bare(match[0]), "value")
                found = log.find_all([place], log.points[-1])
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
            hash = Candidate(match["hash"], "identifier", identifier_keys(match["hash"]))
            yield Topic(match["text"].strip(), log.find_all([hash], asked))
