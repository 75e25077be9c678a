"""Checks of probes against the log: does what they ask for stand, and do they hold all of it?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from pytest_compaction.artifacts import (
    FileState,
    commands,
    file_operations,
    file_states,
    invocations,
)
from pytest_compaction.case import Case, Fact, Probe
from pytest_compaction.case_making.agent_probes import VAGUE, tells_work
from pytest_compaction.case_making.code_probes import one_file, tells_name
from pytest_compaction.case_making.declarations import declared, edited_sides
from pytest_compaction.case_making.file_probes import lasting_files
from pytest_compaction.case_making.keys import FILLERS, given_away, telling
from pytest_compaction.case_making.lint_facts import Remark, quoted
from pytest_compaction.case_making.log import ProbeLog, states
from pytest_compaction.case_making.phrases import (
    goes_on,
    of_the_program,
    quotable,
    shown_command,
    unasked,
)
from pytest_compaction.case_making.shell_evidence import (
    changed_by_user,
    changed_unseen,
    delegates,
    generates,
    installs,
    may_check,
    read_unseen,
)
from pytest_compaction.case_making.standing import standing_code, standing_commits
from pytest_compaction.case_making.user_probes import error_lines
from pytest_compaction.conversation import Message, readable
from pytest_compaction.text import TextIndex, is_path, normalize, printable, stem

_LAST_REQUEST: Final = re.compile(
    r"\b(?:ask(?:ed)?(?: for)?|request(?:ed)?) last\b|\blast request\b"
)
_LAST_CHECK: Final = re.compile(
    r"\blast (?:test|build|check)\b[^`?]*`(?P<command>[^`]{3,})`", re.IGNORECASE
)
_FILES: Final = re.compile(
    r"^Which files(?: under `(?P<folder>[^`]+)`)? (?:that existed before )?were "
    r"(?P<what>created|deleted|modified|only read)\b"
)
_HOME: Final = re.compile(
    r"^In which file is the (?:function|method|type|class|constant) `(?P<name>\w+)`"
    r"(?: of `(?P<owner>\w+)`)? defined\?"
)
_CODE: Final = re.compile(
    r"\b(?:function|method|type|class) `(?P<name>\w+)`(?=[^?]*\b(?:defined|take|return)\b)"
)
_COMMIT: Final = re.compile(r"\bhash(?:es)?\b[^?]*\bcommits?\b", re.I)
_COMMENT: Final = re.compile(r"\bcomment\b[^?]*“… (?P<does>[^”]+)”")
_ANNOUNCED: Final = re.compile(r"\bannounced: “(?P<said>[^”]+)”")
_PURPOSE: Final = re.compile(r"\b(?:to do this|announced): “(?P<quote>[^”]+)”")
_FIRST_ERROR: Final = re.compile(r"\berror did the command `(?P<command>[^`]+)` report first\b")
_NEXT: Final = re.compile(r"^The user had asked: “(?P<quote>.+)”\. What did the user ask for next")
_PRINTED: Final = re.compile(r"\bwhat did it print\b", re.I)
_MAX_COMMAND: Final = 100
_CUT: Final = " …."
_SHOWN: Final = 3


def check_latest(case: Case) -> Iterator[Remark]:
    """Older requests and runs that pass for the last one, and names that an edit removed again."""
    for number, probe in enumerate(case.probes):
        log, place = case.log_until(probe.point), f"/probes/{number}"
        if _LAST_REQUEST.search(probe.question):
            yield from _older_request(probe, log, place)
        if asked := _LAST_CHECK.search(probe.question):
            ran = [command for command in commands(log) if may_check(command)]
            shown = printable(ran[-1].text.replace("`", ""), _MAX_COMMAND) if ran else ""
            if ran and not shown.startswith(asked["command"].rstrip(_CUT)):
                last = ran[-1].message_id
                text = f"the last check before the question is {quoted(shown)} in {last}"
                yield Remark(f"{place}/question", "not-the-last", text)
        if "edit" in probe.question:
            yield from _removed(probe, log, place)


def _older_request(probe: Probe, log: Sequence[Message], place: str) -> Iterator[Remark]:
    turns = (message for message in reversed(log) if message.role == "user")
    said = (m for m in turns if m.text and not goes_on(m.text) and not of_the_program(m.text))
    if (last := next(said, None)) is None:
        return
    text_of_last = TextIndex(last.text)
    for index, fact in enumerate(probe.facts):
        if fact.type != "path" and not text_of_last.is_stated(fact.statement):
            text = (
                f"the last turn of the user, {last.id}, says {quoted(last.text)} and not "
                f"{quoted(fact.text)}"
            )
            yield Remark(f"{place}/facts/{index}", "not-the-last", text)


def _removed(probe: Probe, log: Sequence[Message], place: str) -> Iterator[Remark]:
    named = [
        (index, fact.text)
        for index, fact in enumerate(probe.facts)
        if fact.type == "identifier" and re.fullmatch(r"[\w$]{3,}", fact.text)
    ]
    removed: dict[str, str] = {}
    for invocation in invocations(log) if named else ():
        for old, new in edited_sides(invocation.call):
            for _, name in named:
                if name in new:
                    removed.pop(name, None)
                elif name in old:
                    removed[name] = invocation.message_id
    for index, name in named:
        if name in removed:
            text = f"{quoted(name)} was removed by the edit in {removed[name]}"
            yield Remark(f"{place}/facts/{index}", "removed-since", text)


def check_whole(case: Case) -> Iterator[Remark]:
    """Lists that lack files, parts of requests, later errors, vague quotes, what is told."""
    held: dict[int, list[FileState]] = {}
    for number, probe in enumerate(case.probes):
        log, pointer = case.log_until(probe.point), f"/probes/{number}"
        asked = _FILES.match(probe.question)
        if asked and asked["what"] != "only read":
            if probe.point not in held:
                held[probe.point] = lasting_files(file_operations(log))
            folder = f"{asked['folder']}/" if asked["folder"] else ""
            listed = [s.path for s in held[probe.point] if _belongs(s, asked["what"])]
            inside = [path for path in listed if path.startswith(folder)]
            yield from _lacking(probe, inside, pointer)
        if asked := _NEXT.match(probe.question):
            yield from _part_of_request(probe, log, asked["quote"], pointer)
        if asked := _FIRST_ERROR.search(probe.question):
            yield from _later_error(probe, log, f"`{asked['command']}`", pointer)
        purpose = _PURPOSE.search(probe.question)
        if purpose and (vague := VAGUE.search(purpose["quote"])):
            text = f"“{vague[0]}” in the quote points at what only earlier messages name"
            yield Remark(f"{pointer}/question", "vague", text)
        if _PRINTED.search(probe.question):
            yield from _told_exactly(probe, pointer)


def _lacking(probe: Probe, paths: Sequence[str], pointer: str) -> Iterator[Remark]:
    named = [key for fact in probe.facts for group in fact.keys for key in group]
    named += [fact.text for fact in probe.facts]
    lacking = [path for path in paths if not any(one_file([path], each) for each in named)]
    if lacking:
        text = f"the log shows {len(lacking)} more: {', '.join(lacking[:_SHOWN])}"
        yield Remark(f"{pointer}/facts", "incomplete", text)


def _belongs(state: FileState, what: str) -> bool:
    if what == "deleted":
        return state.deleted
    if what == "created":
        return state.created and not state.deleted
    return state.modified and not (state.created or state.deleted or state.renamed_from)


def _part_of_request(
    probe: Probe, log: Sequence[Message], quote: str, pointer: str
) -> Iterator[Remark]:
    turns = [message.text for message in log if message.role == "user" and message.text.strip()]
    places = [place for place, text in enumerate(turns[:-1]) if quotable(text) == quote]
    if len(places) == 1:
        following = turns[places[0] + 1]
        held = sum(len(fact.text.split()) for fact in probe.facts if fact.type != "path")
        if held * 2 < len(unasked(following).split()):
            text = f"the facts hold less than half of what the user wrote: {quoted(following)}"
            yield Remark(f"{pointer}/facts", "half-held", text)


def _later_error(
    probe: Probe, log: Sequence[Message], command: str, pointer: str
) -> Iterator[Remark]:
    outputs = [run.output for run in commands(log) if shown_command(run.text) == command]
    errors = [forms for output in outputs[:1] for forms in error_lines(output)]
    for index, fact in enumerate(probe.facts):
        if errors and errors[0] and not any(states(form, fact) for form in errors[0]):
            text = f"the first error is {quoted(errors[0][0])}"
            yield Remark(f"{pointer}/facts/{index}", "not-the-first", text)


def _told_exactly(probe: Probe, pointer: str) -> Iterator[Remark]:
    for index, fact in enumerate(probe.facts):
        tells = [group for group in fact.keys if any(map(telling, group))]
        if tells and all(given_away(probe.question, (group,), group[0]) for group in tells):
            text = f"the question tells all that is exact in {quoted(fact.text)}"
            yield Remark(f"{pointer}/facts/{index}", "half-told", text)


def check_standing(case: Case) -> Iterator[Remark]:
    """Facts that are out of date or incomplete, names from comments, empty quotes, filler keys."""
    log: ProbeLog | None = None
    for number, probe in enumerate(case.probes):
        pointer, at = f"/probes/{number}", case.points[probe.point].index
        named, commit = _CODE.search(probe.question), _COMMIT.search(probe.question)
        files, home = _FILES.match(probe.question), _HOME.match(probe.question)
        if named or commit or files or home:
            log = log or ProbeLog(case.messages, [point.index for point in case.points])
        if log and files and (causes := _unseen(log, files["what"], at)):
            text = f"the log may not show the whole list: {'; '.join(causes)}"
            yield Remark(f"{pointer}/question", "list-unsure", text)
        if log and home and (others := _other_homes(log, home, probe, at)):
            text = f"the log declares `{home['name']}` in {', '.join(others[:_SHOWN])} too"
            yield Remark(f"{pointer}/facts", "second-home", text)
        if log and named:
            yield from _gone(probe, partial(_left, log, named["name"], at), pointer)
        elif log and commit:
            yield from _gone(probe, partial(_undone, log, at), pointer)
        yield from _words(probe, pointer)


def _unseen(log: ProbeLog, what: str, at: int) -> list[str]:
    """Why a command, a subagent or the user may have added files to a list, without any call."""
    if what == "only read":
        before = [each for each in log.operations if log.position[each.message_id] <= at]
        read = [state for state in file_states(before) if state.read and not state.modified]
        maybe = read_unseen(log, read, at)
        return ["a command or a subagent may have read or changed others"] if maybe else []
    rewritten = what == "modified" and (changed_unseen(log, at) or installs(log, at))
    causes = {
        "a command may have changed files that it does not name": rewritten
        or generates(log, 0, at + 1),
        "a subagent worked on files": delegates(log, 0, at + 1, writing=True),
        "the user tells of changes of their own": changed_by_user(log, at),
    }
    return [cause for cause, holds in causes.items() if holds]


def _other_homes(log: ProbeLog, asked: re.Match[str], probe: Probe, at: int) -> list[str]:
    """The files, beside the one that is the answer, in which the log declares a name."""
    homes = {
        each.path
        for each in declared(log)
        if each.name == asked["name"]
        and each.path
        and each.place <= at
        and (asked["owner"] is None or each.value == asked["owner"])
    }
    answers = [path for fact in probe.facts for path in _paths(fact)]
    others = (home for home in homes if not any(one_file([home], path) for path in answers))
    return sorted(others) if answers else []


def _paths(fact: Fact) -> list[str]:
    return [key for group in fact.keys for key in group if is_path(normalize(key))]


def _gone(probe: Probe, is_gone: Callable[[Fact], bool], pointer: str) -> Iterator[Remark]:
    for index, fact in enumerate(probe.facts):
        if is_gone(fact):
            text = f"{quoted(fact.text)} does not stand any more when it is asked for"
            yield Remark(f"{pointer}/facts/{index}", "gone-since", text)


def _left(log: ProbeLog, name: str, asked: int, fact: Fact) -> bool:
    """Whether the log showed a definition before it took it away."""
    code = standing_code(log)
    path = next(iter(_paths(fact)), "")
    return code.knows(name, asked) and not code.has(name, path, asked)


def _undone(log: ProbeLog, asked: int, fact: Fact) -> bool:
    """Whether the commit with this hash is no longer part of the history."""
    if not re.fullmatch(r"[0-9a-f]{7,40}", fact.text):
        return False
    hash = fact.text[:7]
    shown = [
        place
        for place, message in enumerate(log.messages[: asked + 1])
        if message.role != "assistant" and hash in readable(message)
    ]
    return bool(shown) and not standing_commits(log, {hash: shown[-1]}, asked)


def _words(probe: Probe, pointer: str) -> Iterator[Remark]:
    said = _ANNOUNCED.search(probe.question)
    if said and not tells_work(said["said"]):
        text = f"{quoted(said['said'])} does not tell which work is meant"
        yield Remark(f"{pointer}/question", "vague", text)
    comment = _COMMENT.search(probe.question)
    for index, fact in enumerate(probe.facts):
        place = f"{pointer}/facts/{index}"
        if comment and re.fullmatch(r"\w+", fact.text) and tells_name(fact.text, comment["does"]):
            yield Remark(place, "half-told", f"the comment holds a word of {quoted(fact.text)}")
        fillers = [g[0] for g in fact.keys if len(g) == 1 and stem(g[0].casefold()) in FILLERS]
        if fillers and probe.kind == "continuation" and fact.type == "state":
            text = f"{quoted(fillers[0])} is a filler that a right answer easily leaves out"
            yield Remark(place, "filler-key", text)
