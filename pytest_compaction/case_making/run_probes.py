"""Probes about output of commands: test runs, reports, commits, a pull request."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator
from typing import Final

from pytest_compaction.artifacts import shell_script
from pytest_compaction.case import Trap
from pytest_compaction.case_making.keys import Groups, identifier_keys, telling, title_keys
from pytest_compaction.case_making.log import (
    Candidate,
    Draft,
    Found,
    ProbeLog,
    name_candidate,
    states,
)
from pytest_compaction.case_making.phrases import bare, coarse, overlap, shown_command
from pytest_compaction.case_making.shell_evidence import (
    MAX_SCRIPT,
    TEMPORARY,
    may_check,
    ran_tests,
    result_of_tests,
    shows_no_text,
)
from pytest_compaction.case_making.standing import standing_commits
from pytest_compaction.conversation import readable
from pytest_compaction.text import content_stems, normalize

_COUNT: Final = re.compile(r"(?<!\d)(\d{1,9}) ([A-Za-z]+)")
_COUNT_AFTER: Final = re.compile(r"\b(tests|pass|fail) (\d{1,9})(?!\d)")
_COUNT_FORMS: Final = {
    "fail": (0, ("failed", "failures", "failing")),
    "erro": (1, ("errors",)),
    "pass": (2, ("passed", "passing")),
    "ok": (2, ()),
}
"""How much each count of a test result matters, smallest first, and its other forms."""
_OTHER: Final[tuple[int, tuple[str, ...]]] = (3, ())
_VERDICT: Final = re.compile(
    r"^[^\S\n]*--- (?P<go>PASS|FAIL): (?P<test>\w{6,120}) "
    r"|^(?P<id>\S{3,160}::\w{4,120}(?:\[[^\]\n]{1,60}\])?) (?P<pytest>PASSED|FAILED)"
    r"|^(?P<short>FAILED) (?P<shortid>\S{3,160}::\w{4,120})"
    r"|^test (?P<rust>[\w:]{6,120}) \.\.\. (?P<cargo>ok|FAILED)$",
    re.MULTILINE,
)
_VERDICT_FORMS: Final = {
    True: ("passed", "pass", "passes", "passing", "ok", "succeeded"),
    False: ("failed", "fail", "fails", "failing", "failure"),
}
_MAX_OUTPUT: Final = 100_000
_MOST_VERDICTS: Final = 3
_FAILED_COUNT: Final = re.compile(
    r"(?<!\d)(\d{1,9}) (?:failed|errors?|FAIL)\b|\bfail (\d{1,9})(?!\d)|FAILED"
)
_FAILED_TEST: Final = re.compile(
    r"^(?:FAILED|ERROR) (?P<pytest>\S+::[^\s-]+)|^--- FAIL: (?P<go>\w+)"
    r"|^not ok \d+ -? ?(?P<tap>.{5,90})$"
    r"|^[^\S\n]*(?:✕|✗|×|✖) (?P<jest>.{5,90}?)(?: \(?\d+ ?ms\)?)?$"
    r"|^test (?P<cargo>[\w:]+) \.\.\. FAILED|^(?:FAIL|ERROR): (?P<unittest>\w+ \([\w.]+\))",
    re.MULTILINE,
)
"""Names of failing tests as printed by pytest, go, TAP, jest and vitest, cargo, unittest."""
_MAX_LAST_OUTPUT: Final = 20_000
_FIRST_MESSAGES: Final = 4
_ISSUE: Final = re.compile(
    r"(?:<(?:issue|pr|issue_description|pr_description|task|bug_report)>|^ISSUE:)[^\S\n]*\n"
    r"\s*(?:#+ )?(?P<title>[A-Z`\"\[][^\n]{14,119})\n",
    re.MULTILINE,
)
"""The first line of a report that a user hands over whole."""
_MAX_TEXT: Final = 60_000
_COMMITTED: Final = re.compile(
    r"^(?:\[(?P<branch>[\w./-]{1,60})(?: \([\w-]{1,30}\))? (?P<made>[0-9a-f]{7,12})\]"
    r"|Commit (?P<told>[0-9a-f]{7,12})"
    r"|[*|\\/ ]{0,6}(?P<listed>(?=[a-f]*\d)[0-9a-f]{7,12})(?: \([^()\n]{1,80}\))?)"
    r" (?P<text>[A-Za-z\[(].{9,90})$",
    re.MULTILINE,
)
_INITIAL: Final = re.compile(r"(?:initial|first|init)(?: commit)?\.?", re.I)
"""Subjects that every repository has."""
_LEAST_WORDS: Final = 3
_ALIKE: Final = 0.6
"""Of two subjects that share so much of their words one may be meant by the other."""
_LEAST_LETTERS: Final = 5
"""Two words tell a commit if both have so many."""
_MAX_MENTIONS: Final = 6
_NOT_WORDS: Final = re.compile(r"[0-9a-f]{7,}|@\{\d")
_TALK: Final = re.compile(
    r"(?:yeah|yes|no|ok|okay|so|well|how|is|are|why|what|can|could|let'?s)\b", re.I
)
"""How subjects begin that a tool took from what the user said."""
_NUMBERED: Final = re.compile(
    r"\bgh pr (?:view|diff|checkout|edit|merge|comment|checks|review|ready) (?P<given>\d{1,6})\b"
    r"|\bpulls/(?P<path>\d{1,6})(?:/|\b)|\bpullRequest\(number: ?(?P<query>\d{1,6})\b"
)


def output_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Probes for the result of the first test run; a different last result is the trap."""
    ran = [c for c in log.commands if ran_tests(c) and log.position[c.message_id] <= log.end]
    text = (result_of_tests(ran[0]) if ran else None) or ""
    later = [result for command in ran[1:] if (result := result_of_tests(command))]
    if not text or not later or text == later[-1]:
        return
    first = log.find(Candidate(text, "command", result_keys(text)), log.end)
    shown = shown_command(ran[0].text)
    if first is not None and shown:
        stale = later[-1]
        trap = Trap(stale, keys=result_keys(stale), type="command", of=first.fact.text)
        question = f"How did the first run of the tests by {shown} end? Give its counts."
        yield Draft("recall", "first-tests", question, (first,), log.last, 0.27, (trap,))


def result_keys(summary: str) -> Groups:
    """The count that matters most in a test result such as ``2 failed, 31 passed``, in its forms.

    That is what failed, else what passed. One count stands for the run, because counts with
    commas between them are read as clauses of their own.
    """
    counts = [(number, word.lower()) for number, word in _COUNT.findall(summary)]
    counts += [(number, word) for word, number in _COUNT_AFTER.findall(summary)]
    held = [(n, word) for n, word in counts if int(n)] or counts
    if not held:
        return ((summary,),)
    number, word = min(held, key=lambda count: _COUNT_FORMS.get(count[1][:4], _OTHER)[0])
    forms = dict.fromkeys((word, *_COUNT_FORMS.get(word[:4], _OTHER)[1]))
    return (tuple(f"{number} {form}" for form in forms),)


def verdict_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft: tests that ended otherwise in their last run than in an earlier one.

    A test counts with the runs that name it; the earlier verdict is the trap.
    """
    history: dict[str, list[bool]] = {}
    for command in log.commands:
        if log.position[command.message_id] > log.end:
            break
        if may_check(command) and shows_no_text(command):
            for match in _VERDICT.finditer(command.output[-_MAX_OUTPUT:]):
                name = match["test"] or match["id"] or match["shortid"] or match["rust"]
                verdict = match["go"] or match["pytest"] or match["short"] or match["cargo"]
                history.setdefault(name, []).append(verdict in {"PASS", "PASSED", "ok"})
    found: dict[str, Found] = {}
    for name, verdicts in history.items():
        if verdicts[-1] not in verdicts[:-1] and len(verdicts) > 1:
            forms = _VERDICT_FORMS[verdicts[-1]]
            told = Candidate(f"{name} {forms[0]}", "state", ((name,), forms))
            entry = log.find(told, log.end, most=6, tail=True)
            if entry is not None:
                found[name] = entry
    names = sorted(found, key=lambda name: found[name].risk)[:_MOST_VERDICTS]
    if not names:
        return
    traps = []
    for name in names:
        forms = _VERDICT_FORMS[not history[name][-1]]
        traps.append(Trap(f"{name} {forms[0]}", keys=((name,), forms), of=found[name].fact.text))
    shown = ", ".join(f"`{name}`" for name in names)
    each = "each of these tests" if len(names) > 1 else "this test"
    form = "Say of each by its name how it ended." if len(names) > 1 else "Say it with its name."
    question = f"How did {each} end when an output named it last: {shown}? {form}"
    facts = tuple(found[name] for name in names)
    yield Draft("continuation", "test-verdict", question, facts, log.last, 0.15, tuple(traps))


def continuation_drafts(log: ProbeLog) -> Iterator[Draft]:
    """The tests that the last run before each point named as failing.

    None if its result cannot be read or its output names more tests than it counts.
    """
    for point, asked in enumerate(log.points):
        before = (c for c in reversed(log.commands) if log.position[c.message_id] <= asked)
        command = next(filter(ran_tests, before), None)
        if command is None:
            continue
        summary = result_of_tests(command) or ""
        counts = [sum(map(int, filter(None, found))) for found in _FAILED_COUNT.findall(summary)]
        matches = _FAILED_TEST.finditer(command.output[-_MAX_LAST_OUTPUT:])
        names = dict.fromkeys(next(filter(None, match.groups())).strip() for match in matches)
        if not counts or 0 < sum(counts) < len(names):
            continue
        failing = (Candidate(name, "state", identifier_keys(name)) for name in names)
        found = log.find_all(failing, asked, most=20, tail=True)[:5]
        question = "Which tests still failed in the last test run?"
        rank = 0.3 if log.position[command.message_id] > log.before_tail(asked) else 0.12
        yield Draft("continuation", "failing-tests", question, found, point, rank)


def issue_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for the title of the report that the first turn of the user hands over."""
    for message in log.messages[:_FIRST_MESSAGES]:
        match = _ISSUE.search(message.text[:_MAX_LAST_OUTPUT]) if message.role == "user" else None
        if match is not None:
            title = bare(match["title"])
            told = Candidate(title, "state", title_keys(title, log.frequency))
            question = "The user handed over a report to work on. What is its title?"
            place = log.position[message.id]
            yield log.draft("continuation", "issue", question, told, place, most=20, rank=0.1)
            return


def commit_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about commits that were made, each with its own subject."""
    known: set[str] = set()
    for subject, found in _committed(log):
        known.update(each.fact.text for each in found)
        question = f"Which short hash does the commit “{subject}” have?"
        yield Draft("recall", "commit", question, found, log.last, 0.3)
    yield from _subjects(log, known)
    yield from _branches(log)


def _committed(log: ProbeLog) -> Iterator[tuple[str, tuple[Found, ...]]]:
    """The hash of each subject that was committed once and is still in the history."""
    hashes: dict[str, dict[str, None]] = defaultdict(dict)
    shown: dict[str, int] = {}
    made: set[str] = set()
    for place, match in _shown(log):
        hash = (match["made"] or match["told"] or match["listed"])[:7]
        hashes[match["text"].strip()][hash] = None
        shown[hash] = place
        if not match["listed"]:
            made.add(hash)
    standing = standing_commits(log, shown, log.end) & made
    stems = {subject: set(content_stems(normalize(subject))) for subject in hashes}
    for subject, held in hashes.items():
        words = subject.split()
        clear = len(words) >= _LEAST_WORDS or min(map(len, words)) >= _LEAST_LETTERS
        told = len(words) > 1 and clear and not _NOT_WORDS.search(subject)
        if _TALK.match(subject) or not told or len(held) > 1 or coarse(subject):
            continue
        (hash,) = held
        if hash in standing and not any(
            other != subject and overlap(stems[subject], stems[other]) >= _ALIKE for other in hashes
        ):
            yield subject, log.find_all([name_candidate(hash)], log.end, most=_MAX_MENTIONS)


def _subjects(log: ProbeLog, known: Container[str]) -> Iterator[Draft]:
    """A draft for the subject of each commit that was made, unless its hash is asked for."""
    made: dict[str, tuple[str, int]] = {}
    others: set[str] = set()
    for place, match in _shown(log):
        others.add(match["text"].strip())
        if match["made"]:
            made[match["made"][:7]] = (match["text"].strip(), place)
    standing = standing_commits(log, {hash: at for hash, (_, at) in made.items()}, log.end)
    for hash, (subject, place) in made.items():
        told = len(subject.split()) >= _LEAST_WORDS and not coarse(subject)
        if hash in known or hash not in standing or not told:
            continue
        keys = title_keys(subject, log.frequency)
        candidate = Candidate(subject, "state", keys, places=(place,))
        fact = log.fact(candidate)
        if fact is None or any(states(other, fact) for other in others - {subject}):
            continue
        question = f"Which subject line does the commit `{hash}` of this session have?"
        yield log.draft("recall", "commit-subject", question, candidate, place, _MAX_MENTIONS, 0.3)


def _branches(log: ProbeLog) -> Iterator[Draft]:
    """A draft for the branch of the first commit that was made on it."""
    known: set[str] = set()
    for place, match in _shown(log):
        branch, subject = match["branch"] or "", match["text"].strip()
        if branch not in known and telling(branch) and not coarse(subject):
            known.add(branch)
            question = f"On which branch was the commit “{subject}” made?"
            told = name_candidate(branch)
            yield log.draft("recall", "branch", question, told, place, _MAX_MENTIONS, 0.26)


def _shown(log: ProbeLog) -> Iterator[tuple[int, re.Match[str]]]:
    """The commits that results of calls up to the last point show, each with the position.

    Those of a repository in a temporary folder are left out.
    """
    passing = {
        invocation.call.id
        for invocation in log.invocations
        if TEMPORARY.search((shell_script(invocation.call) or "")[:MAX_SCRIPT])
    }
    for place, message in enumerate(log.messages[: log.end + 1]):
        aside = any(result.call_id in passing for result in message.results)
        if message.role in {"tool", "system"} and not aside:
            for match in _COMMITTED.finditer(readable(message)[:_MAX_TEXT]):
                if not _INITIAL.fullmatch(match["text"].strip()):
                    yield place, match


def pull_request_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft: the only pull request that commands of the session name by its number."""
    places: dict[str, list[int]] = {}
    for command in log.commands:
        place = log.position[command.message_id]
        for match in _NUMBERED.finditer(command.text) if place <= log.end else ():
            places.setdefault(match["given"] or match["path"] or match["query"], []).append(place)
    if len(places) == 1:
        ((number, held),) = places.items()
        forms = (f"#{number}", f"PR {number}", f"pull request {number}", f"pulls/{number}")
        keys = ((number, *forms) if len(number) > 1 else forms,)
        told = Candidate(f"pull request #{number}", "identifier", keys, places=tuple(held))
        question = "Which number does the pull request have that the agent's commands name?"
        yield log.draft("recall", "pull-request", question, told, held[0], most=60, rank=0.25)
