"""Recall probes about commits: which hash did the log show for a subject?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator
from typing import Final

from pytest_compaction.artifacts.tool_calls import shell_script
from pytest_compaction.conversation.messages import readable
from pytest_compaction.probes.data import states
from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.exact import telling
from pytest_compaction.probes.keys import identifier_keys, title_keys
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.passing import INITIAL, MAX_SCRIPT, TEMPORARY
from pytest_compaction.probes.phrases import coarse, overlap
from pytest_compaction.probes.sources.code.standing import standing_commits
from pytest_compaction.probes.topics import Topic
from pytest_compaction.text import content_stems, normalize

_MAX_TEXT: Final = 60_000
_COMMITTED: Final = re.compile(
    r"^(?:\[(?P<branch>[\w./-]{1,60})(?: \([\w-]{1,30}\))? (?P<made>[0-9a-f]{7,12})\]"
    r"|Commit (?P<told>[0-9a-f]{7,12})"
    r"|[*|\\/ ]{0,6}(?P<listed>(?=[a-f]*\d)[0-9a-f]{7,12})(?: \([^()\n]{1,80}\))?)"
    r" (?P<text>[A-Za-z\[(].{9,90})$",
    re.MULTILINE,
)
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


def commit_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about commits that were made, each with its own subject."""
    last = len(log.points) - 1
    known: set[str] = set()
    for topic in _committed(log):
        known.update(found.fact.text for found in topic.found)
        question = f"Which short hash does the commit “{topic.subject}” have?"
        yield Draft("recall", "commit", question, topic.found, last, 0.3, least=1)
    yield from _subjects(log, known)
    yield from _branches(log)


def _subjects(log: ProbeLog, known: Container[str]) -> Iterator[Draft]:
    """A draft for the subject of each commit that was made, unless its hash is asked for."""
    made: dict[str, tuple[str, int]] = {}
    others: set[str] = set()
    for place, match in _shown(log):
        others.add(match["text"].strip())
        if match["made"]:
            made[match["made"][:7]] = (match["text"].strip(), place)
    standing = standing_commits(log, {hash: at for hash, (_, at) in made.items()}, log.points[-1])
    for hash, (subject, place) in made.items():
        told = len(subject.split()) >= _LEAST_WORDS and not coarse(subject)
        if hash in known or hash not in standing or not told:
            continue
        keys = title_keys(subject, log.frequency)
        candidate = Candidate(subject, "state", keys, places=(place,))
        fact = log.fact(candidate)
        if fact is None or any(states(other, fact) for other in others - {subject}):
            continue
        point, found = log.find_due(candidate, place, most=_MAX_MENTIONS)
        question = f"Which subject line does the commit `{hash}` of this session have?"
        yield Draft("recall", "commit-subject", question, found, point, 0.3, least=1)


def _branches(log: ProbeLog) -> Iterator[Draft]:
    """A draft for the branch of the first commit that was made on it."""
    known: set[str] = set()
    for place, match in _shown(log):
        branch, subject = match["branch"] or "", match["text"].strip()
        if branch in known or not telling(branch) or coarse(subject):
            continue
        known.add(branch)
        candidate = Candidate(branch, "identifier", identifier_keys(branch))
        point, found = log.find_due(candidate, place, most=_MAX_MENTIONS)
        question = f"On which branch was the commit “{subject}” made?"
        yield Draft("recall", "branch", question, found, point, 0.26, least=1)


def _committed(log: ProbeLog) -> Iterator[Topic]:
    """The hash of each subject that was committed once and is still in the history."""
    hashes: dict[str, dict[str, None]] = defaultdict(dict)
    shown: dict[str, int] = {}
    asked = log.points[-1]
    made: set[str] = set()
    for place, match in _shown(log):
        hash = match["made"] or match["told"] or match["listed"]
        hashes[match["text"].strip()][hash[:7]] = None
        shown[hash[:7]] = place
        if not match["listed"]:
            made.add(hash[:7])
    standing = standing_commits(log, shown, asked) & made
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
            candidate = Candidate(hash, "identifier", identifier_keys(hash))
            yield Topic(subject, log.find_all([candidate], asked, most=_MAX_MENTIONS))


def _shown(log: ProbeLog) -> Iterator[tuple[int, re.Match[str]]]:
    """The commits that results of calls up to the last point show, each with the position.

    Those of a repository in a temporary folder are left out.
    """
    passing = {
        invocation.call.id
        for invocation in log.invocations
        if TEMPORARY.search((shell_script(invocation.call) or "")[:MAX_SCRIPT])
    }
    for place, message in enumerate(log.messages[: log.points[-1] + 1]):
        aside = any(result.call_id in passing for result in message.results)
        if message.role in {"tool", "system"} and not aside:
            for match in _COMMITTED.finditer(readable(message)[:_MAX_TEXT]):
                if not INITIAL.fullmatch(match["text"].strip()):
                    yield place, match
