"""Needs of the rest of a session after a point: used, fetched, said again, chosen, ruled.

What the agent or the user uses after a point had to be remembered, if the log states it before and
nothing shows it again in between. A use within the next forty tool calls counts; where a session
has no tool calls, a use in the agent's next forty texts. A need is ``sure`` where the log itself
shows that it mattered; the others wait for a person. What can be guessed, stands in the system
prompt or a rule file, or still stands in the newest messages, does not count.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log as logarithm
from typing import Any, Final

from pytest_compaction.artifacts import (
    Command,
    Invocation,
    command_words,
    error_texts,
    file_states,
    named_paths,
    shell_script,
    shows_text,
)
from pytest_compaction.case_making.cues import cue
from pytest_compaction.case_making.keys import REQUESTS, WEAK
from pytest_compaction.case_making.log import MAX_FACT_CHARACTERS, Need, ProbeLog, once_a_log
from pytest_compaction.case_making.phrases import (
    bare,
    coarse,
    goes_on,
    overlap,
    sentences,
    shown_command,
    unasked,
    whole_text,
)
from pytest_compaction.case_making.points import HORIZON
from pytest_compaction.conversation import readable, shared_counter
from pytest_compaction.text import content_stems, normalize, printable, stem

NAME: Final = re.compile(
    r"""https?://[^\s"'<>()\[\]`]{4,200}
    |--[A-Za-z][\w-]{2,40}
    |(?:[\w.@~+-]{0,80}/){1,20}[\w.@+-]{0,80}\w
    |\b[\w-]{1,80}\.(?:py|go|tsx?|jsx?|json|ya?ml|toml|md|rs|[ch]|cpp|java|rb|sh|sql|html|css|txt
        |cfg|ini|lock|proto|svelte|vue|ipynb|csv|env)\b
    |\b\d{4}-\d\d-\d\d\b
    |\bv?\d{1,6}(?:\.\d{1,6}){1,3}\b
    |\b[A-Za-z]{1,40}(?:_[A-Za-z0-9]{1,40}){1,8}\b
    |\b[a-z]{1,40}(?:[A-Z][a-z0-9]{1,40}){1,8}\b
    |\b(?:[A-Z][a-z0-9]{1,40}){2,8}\b
    |\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{6,40}\b
    |\#(?:[A-Z]?\d{2,12}|[0-9a-fA-F]{6})\b
    |\b(?=[A-Z\d]{0,11}\d)(?=[A-Z\d]{0,11}[A-Z])[A-Z\d]{5,12}\b
    |\b\d{3,12}\b
    |\b[A-Z]{2,12}-\d{1,8}\b""",
    re.VERBOSE,
)
"""Exact names: addresses, flags, paths, files, dates, versions, identifiers, hashes, numbers."""
VALUE: Final = re.compile(
    r"https?:.*|v?\d[\d.-]*|(?=\w*\d)[0-9a-f]{6,40}|#\w+|[A-Z]{2,12}-\d+|(?=[A-Z\d]*\d)[A-Z\d]{5,12}"
    r"|[a-z]+(?:_[a-z]+)*_\d{3,}"
)
_NUMBER: Final = re.compile(r"\d{1,4}|\d{4}-\d\d-\d\d")
"""A short number or a date, which counts only if the user gave it."""
_ANSWER: Final = re.compile(r"(?:the )?user (?:selected|answered|chose)\s*:\s*", re.I)
_GUESSABLE: Final = re.compile(
    r"readme(?:\.\w+)?|license|changelog\.md|package(?:-lock)?\.json|index\.\w+|main\.\w+|__\w+__(?:\.py)?"
    r"|setup\.py|pyproject\.toml|makefile|dockerfile|go\.(?:mod|sum)|cargo\.toml|tsconfig\.json"
    r"|(?:claude|agents)\.md|utils\.\w+|types\.\w+|app\.\w+|config\.\w+|test\.\w+|\.gitignore"
    r"|--(?:help|version|oneline|verbose|quiet|all|force|name-only|stat|no-pager|cached)|src|tests?"
    r"|null|node_modules|(?:https?://)?(?:localhost|127\.0\.0\.1)(?::\d+)?/?|\d{1,2}00|10+|1024"
    r"|2048|4096|[12]0\d\d|\d\.0"
    r"|github|javascript|typescript|postgresql|openai|file_path|old_string|new_string",
    re.I,
)
"""Names that anyone would try without having read them."""
_RULE_FILE: Final = re.compile(
    r"(?:claude|agents|gemini|copilot-instructions|\.cursorrules)\b", re.I
)
_OLD_SIDE: Final = frozenset({"old_string", "oldtext", "old_str", "old_text", "old"})
"""Arguments that repeat what a file says: the agent has read it since, or the edit fails."""
_MAX_TEXT: Final = 20_000
_MAX_USE: Final = 8_000
_MAX_ACT: Final = 160
_COMMON_NAME: Final = 0.25
"""Share of the messages above which a name is known to everyone in the session."""
_SPAN: Final = re.compile(r"`[^`]*`")
_PASTED: Final = re.compile(r"[{}<>|;\\]|=>|&&|\$ |\.\.\.|…|^[^\w`\"'(]|\w\(\)|\*|^\d+\W|[\"']{2}")
"""Signs of code, of output, or of a cut line."""
_KEYED: Final = re.compile(r"""^["'`]?[A-Za-z][\w .-]{2,40}["'`]?\s{0,3}[:=]\s{0,3}\S""")
"""A line of a result that gives a value a name."""
_HANDED_OVER: Final = 200
"""A turn of more words hands over a task, or is one of a harness; its rules are no talk."""
_REFUSED: Final = re.compile(
    r"the user (?:said|provided the following reason)[^:\n]{0,60}:\s*(.+)", re.S
)
"""Words of the user in the result of a call that they refused."""
_CLARIFIES: Final = "The user wants to clarify these questions"
"""What a program says in place of the reason of a refusal."""
_INTERRUPTED: Final = re.compile(r"\[Request interrupted|<turn_aborted>")
_REPORT: Final = re.compile(
    r"(?:<(?:issue|pr|issue_description|pr_description|task|bug_report)>|^ISSUE:)[^\S\n]*\n"
    r"\s*(?:#+ )?(?P<title>[A-Za-z`\"\[][^\n]{14,150})\n",
    re.MULTILINE,
)
"""The first line of a report that a user hands over whole."""
_ALIKE, _REMINDED = 0.5, 0.34
"""Shares of a sentence that another one repeats: in any words, and in those of a reminder."""
_ABOUT, _ABOUT_LONG, _BREAKABLE, _CAUSE = 0.5, 0.8, 0.3, 0.65
"""Shares of what a sentence speaks of that a call is about: under a request, a call of a long
text, under a rule, after a cause."""
_TALK: Final = 5
"""A session with fewer calls than one in so many messages is a talk: its texts are uses."""
_LONG_USE: Final = 2_000
_PLACE: Final = re.compile(r":\d+\b|\blines? \d|\bwhy\b", re.I)
_OBJECTS: Final = re.compile(r"(?:but|got|why|hm+)\b", re.I)
_RECORD: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}|\d{8}|REDACTED")
"""Names of records by a number that nobody remembers, and names that were taken out."""
_NEAREST: Final = 50
"""So many later sentences with a word are looked at: bounds the time of long logs."""


@dataclass(frozen=True)
class Use:
    """Text that a call after a point writes or runs; an answer where the session has no calls."""

    place: int
    distance: int
    text: str
    said: str
    invocation: Invocation | None

    @cached_property
    def stems(self) -> frozenset[str]:
        """The content stems of the call, and of what the agent says with it."""
        return frozenset(
            content_stems(normalize(f"{self.text[:_MAX_USE]}\n{self.said[:_MAX_USE]}"))
        )

    @property
    def act(self) -> str:
        """The act in a few words."""
        if self.invocation is None:
            return "answer of the agent"
        call = self.invocation.call
        if (script := shell_script(call)) is not None:
            return printable(f"command {shown_command(script)}", _MAX_ACT)
        paths = named_paths(call)
        return printable(
            f"{call.name} of {paths[0]}" if paths else f"call of {call.name}", _MAX_ACT
        )


@once_a_log
def _uses(log: ProbeLog) -> Sequence[Sequence[Use]]:
    return tuple(tuple(_after(log, point)) for point in range(len(log.points)))


def uses(log: ProbeLog, point: int) -> Sequence[Use]:
    """The uses after a point, up to the agent's next compaction and for forty calls."""
    return _uses(log)[point]


def _after(log: ProbeLog, point: int) -> Iterator[Use]:
    asked, number = log.points[point], 0
    end = min((place for place in log.recorded if place > asked), default=len(log.messages))
    found = []
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        if asked < place <= end and (number := number + 1) <= HORIZON:
            text = "\n".join(_strings(invocation.call.parsed()))
            found.append(Use(place, number, text, log.messages[place].text, invocation))
    if len(log.invocations) * _TALK < len(log.messages):
        texts = [(place, text) for place, text in log.turns("assistant") if asked < place <= end]
        for place, text in texts[:HORIZON]:
            before = sum(use.place < place for use in found)
            found.append(Use(place, before, text, "", None))
    yield from sorted(found, key=lambda use: use.place)


def _strings(value: Any, key: str = "") -> Iterator[str]:
    """The texts of a call's arguments, without those that it replaces."""
    if isinstance(value, str):
        if key.casefold() not in _OLD_SIDE:
            yield value[:_MAX_TEXT]
    elif isinstance(value, Mapping):
        for name, held in value.items():
            yield from _strings(held, str(name))
    elif isinstance(value, list):
        for held in value:
            yield from _strings(held, key)


def names(text: str) -> list[str]:
    """The exact names in a text, in order; a path by its last part."""
    found: dict[str, None] = {}
    for match in NAME.finditer(text):
        if len(name := last_part(match[0])) > 2:
            found[name] = None
    return list(found)


def last_part(name: str) -> str:
    """A name without punctuation at its end; the last part of a path."""
    name = name.rstrip(".,:;")
    return name.rsplit("/", 1)[1] if "/" in name and not name.startswith("http") else name


def first_held(log: ProbeLog, asked: int) -> int:
    """The first message that the agent's own view still had: after its last compaction."""
    return max((place + 1 for place in log.recorded if place < asked), default=0)


def left_tail(log: ProbeLog, point: int) -> int:
    """The place before which every strategy may have shortened the log of a point."""
    return max(0, log.before_tail(log.points[point]) + 1)


# --- what was said ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of the log and its exact names.

    ``handed`` is one of a long turn, ``answers`` the first of a turn, ``corrects`` the first after
    the user stopped the agent; ``topic`` is what the agent asked before.
    """

    place: int
    text: str
    names: tuple[str, ...]
    handed: bool = False
    answers: bool = False
    corrects: bool = False
    topic: str = ""

    @classmethod
    def of(cls, place: int, text: str, **more: Any) -> Said:
        """A sentence at a position."""
        return cls(place, text, tuple(names(text)), **more)

    @property
    def stems(self) -> frozenset[str]:
        """The stems that tell its subject; made anew, since those of all sentences are large."""
        return _stems(self.text)


@once_a_log
def user_sentences(log: ProbeLog) -> Sequence[Said]:
    """The user's sentences, refusals of calls included."""
    turns = list(log.turns("user"))
    for place, message in enumerate(log.messages):
        match = message.role == "tool" and _REFUSED.search(readable(message)[:_MAX_TEXT])
        if match and not match[1].startswith(_CLARIFIES):
            turns.append((place, match[1]))
    turns = _of_a_person(turns)
    found = []
    for place, text in sorted(turns):
        handed = len(text.split()) > _HANDED_OVER or (place == 0 and bool(_REPORT.search(text)))
        before = log.messages[place - 1].text if place else ""
        corrects = bool(_INTERRUPTED.match(before)) or log.messages[place].role == "tool"
        topic = _asked_before(log, place)
        for number, sentence in enumerate(sentences(text[:_MAX_TEXT])):
            clean = bare(" ".join(sentence.split()))
            if clean and not sentence.rstrip().endswith("?"):
                starts = {"answers": not number, "corrects": corrects and not number}
                found.append(Said.of(place, clean, handed=handed, topic=topic, **starts))
    return found


def _of_a_person(turns: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without turns that a program fills in from a template: they begin and end alike."""

    def frame(text: str) -> tuple[str, ...]:
        words = text.split()
        return (*words[:2], *words[-3:]) if len(words) > 8 else ()

    times = Counter(frame(text) for _, text in turns)
    return [(place, text) for place, text in turns if not frame(text) or times[frame(text)] < 3]


def _asked_before(log: ProbeLog, place: int) -> str:
    """The last question of the agent before a turn of the user; empty if it asked none."""
    for at in range(place - 1, -1, -1):
        message = log.messages[at]
        if message.role == "user":
            return ""
        if message.role == "assistant" and message.text.strip():
            plain = re.sub(r"```.*?(?:```|\Z)", "\n", message.text, flags=re.DOTALL)
            said = [" ".join(s.split()) for s in sentences(plain)[-4:]]
            asking = [s for s in said if s.endswith("?") and len(s.split()) > 4]
            return bare(asking[-1]) + "?" if asking and len(asking[-1]) <= 160 else ""
    return ""


@once_a_log
def agent_sentences(log: ProbeLog) -> Sequence[Said]:
    """The clear sentences of the agent that tell something, in order."""
    found: dict[str, Said] = {}
    for place, text in log.turns("assistant"):
        for sentence in sentences(text[:_MAX_TEXT]):
            clean = bare(" ".join(sentence.split()))
            if sentence.rstrip().endswith("?"):
                continue
            plain = without_filler(clean)
            if cue("announcement").match(plain):
                continue
            if cue("imperative").match(plain) and not cue("decision").search(plain):
                continue
            talk = cue("musing").search(clean) or cue("address").search(clean)
            if is_clear(clean) and not talk:
                found[clean] = Said.of(place, clean)
    return list(found.values())


def is_clear(text: str, answers: bool = False, inner: bool = False) -> bool:
    """Whether a sentence is understood alone: whole, no code, nothing that points elsewhere.

    ``inner`` allows words in its second half that point at its first.
    """
    plain = _SPAN.sub("x", text)
    words = text.split()
    return (
        (3 if answers else 5) <= len(words) <= 30
        and 14 < len(text) <= MAX_FACT_CHARACTERS
        and whole_text(text)
        and not coarse(text)
        and not _PASTED.search(plain)
        and (answers or not cue("dangling").match(without_filler(text)))
        and len(cue("pointer").findall(plain[: len(plain) // 2] if inner else plain))
        <= bool(names(text))
        and _role_words(text) > 1
    )


def without_filler(text: str) -> str:
    """A sentence without "ok, so" and the like before it."""
    while match := cue("filler").match(text):
        text = text[match.end() :].lstrip(" ,.!:;-")
    return text


def _role_words(text: str) -> int:
    """How many different words beside its names a clause has."""
    return len(set(content_stems(normalize(NAME.sub(" ", text)))) - WEAK)


# --- names, values and files used again ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """A clause that tells the role of a name; ``source`` is the call whose result it is."""

    place: int
    role: str
    text: str
    source: str = ""


@once_a_log
def told_by_name(log: ProbeLog) -> Mapping[str, Sequence[Told]]:
    """The clauses of the log that tell the role of a name, by name and in order."""
    found: dict[str, list[Told]] = defaultdict(list)
    for said in user_sentences(log):
        exact = any(map(VALUE.fullmatch, said.names))
        if cue("glance").match(without_filler(said.text)) or cue("musing").search(said.text):
            continue
        if is_clear(said.text, exact):
            for name in said.names:
                found[name].append(Told(said.place, "user", said.text))
    for said in agent_sentences(log):
        for name in said.names:
            found[name].append(Told(said.place, "assistant", said.text))
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        for key, value in _keyed_values(invocation.output[:_MAX_TEXT]):
            clause = f"{key}: {value}"
            if VALUE.fullmatch(value) and len(clause) <= MAX_FACT_CHARACTERS:
                found[value].append(Told(place, "tool", clause, _shown_call(invocation)))
    return found


def _keyed_values(output: str) -> list[tuple[str, str]]:
    """The values of a result with their names, each name once: a JSON object or lines of it."""
    held: dict[str, list[str]] = defaultdict(list)
    value: Any = None
    if output[:1] in {"{", "["}:
        try:
            value = json.loads(output)
        except (ValueError, RecursionError):
            value = None
    for key, leaf in _leaves(value, "", 0):
        held[key].append(leaf)
    if value is None:
        for line in output.splitlines():
            if len(line) <= MAX_FACT_CHARACTERS and (match := _KEYED.match(line)):
                key, _, rest = re.sub(r"[\"'`,]", "", line).partition(match[0].strip()[-2])
                held[key.strip()].append(rest.strip())
    return [(key, values[0]) for key, values in held.items() if len(values) == 1]


def _leaves(value: Any, key: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and depth < 8:
        for name, held in value.items():
            yield from _leaves(held, str(name), depth + 1)
    elif isinstance(value, list) and depth < 8:
        for held in value[:200]:
            yield from _leaves(held, key, depth + 1)
    elif key and isinstance(value, str | int | float) and len(str(value)) <= 100:
        yield key, str(value)


def _shown_call(invocation: Invocation) -> str:
    given = " ".join(text for text in _strings(invocation.call.parsed()) if len(text) <= 40)
    return printable(f"{invocation.call.name} {given}".replace("`", ""), 80)


@once_a_log
def fixed_text(log: ProbeLog) -> str:
    """Texts that the agent always has: system prompt, notices, and files of rules."""
    texts = [readable(m) for m in log.messages if m.role in {"system", "developer"}]
    texts += [i.output for i in log.invocations if any(map(_RULE_FILE.search, named_paths(i.call)))]
    return "\n".join(texts).casefold()


class Shown:
    """Texts that a point shows: the fixed ones, the newest messages, and those since."""

    def __init__(self, log: ProbeLog, point: int) -> None:
        asked = log.points[point]
        self._log, self._next = log, asked + 1
        self._texts = [fixed_text(log)]
        self._read(left_tail(log, point), asked + 1)

    def _read(self, start: int, end: int) -> None:
        self._texts += (readable(m).casefold() for m in self._log.messages[start:end])

    def before(self, use: Use) -> Shown:
        """With all messages before a use."""
        self._read(self._next, use.place)
        self._next = max(self._next, use.place)
        return self

    def __contains__(self, name: str) -> bool:
        folded = name.casefold()
        return any(folded in text for text in self._texts)


def used(log: ProbeLog, point: int) -> Iterator[Need]:
    """Names in calls after a point that only the log before its newest messages tells."""
    asked = log.points[point]
    if asked in log.recorded:
        return
    first, last, told = first_held(log, asked), left_tail(log, point), told_by_name(log)
    shown, seen = Shown(log, point), set[str]()
    earlier = _calls_by_text(log)
    for use in uses(log, point):
        shown.before(use)
        for name in names(use.text):
            known = [each for each in told.get(name, ()) if first <= each.place < last]
            if not known or name in seen or not is_telling(log, name):
                continue
            seen.add(name)
            if _NUMBER.fullmatch(name):
                known = [each for each in known if each.role == "user"]
            if name not in shown and (best := _best(known)) and not is_finding(best.text):
                again = _fetched(log, use, earlier)
                way, act = ("fetched", again) if again else ("used", use.act)
                topic = best.source
                yield Need(way, best.text, best.place, use.place, use.distance, name, topic, act)  # type: ignore[arg-type]


def is_telling(log: ProbeLog, name: str) -> bool:
    """Whether a name is one that nobody would guess, and not everybody in the session knows."""
    known = _GUESSABLE.fullmatch(name) or _RECORD.search(name)
    return not known and not _is_common(log, name)


def _is_common(log: ProbeLog, name: str) -> bool:
    stems = list(content_stems(normalize(name)))
    most = max(4.0, len(log.messages) * _COMMON_NAME)
    return bool(stems) and min(log.frequency(stem) for stem in stems) > most


def is_finding(text: str) -> bool:
    """Whether a sentence gives a reason, a cause or a decision."""
    return bool(cue("reason").search(text) or cue("decision").search(text))


def _best(known: Sequence[Told]) -> Told | None:
    """The clause that tells most of a name: of the user, else of the agent, else of a result."""
    order = ("user", "assistant", "tool")
    fitting = [each for each in known if each.role == "tool" or _role_words(each.text) > 1]
    return min(
        fitting,
        key=lambda one: (
            order.index(one.role),
            not (cue("reason").search(one.text) or cue("rule").search(one.text)),
            -one.place,
        ),
        default=None,
    )


@once_a_log
def _calls_by_text(log: ProbeLog) -> Mapping[tuple[str, str], Sequence[Invocation]]:
    found: dict[tuple[str, str], list[Invocation]] = defaultdict(list)
    for invocation in log.invocations:
        found[invocation.call.name, invocation.call.arguments].append(invocation)
    return found


def _fetched(
    log: ProbeLog, use: Use, earlier: Mapping[tuple[str, str], Sequence[Invocation]]
) -> str:
    """Results that a repeated call fetches again, with their cost in tokens."""
    now = use.invocation
    if now is None or not now.output:
        return ""
    for before in earlier[now.call.name, now.call.arguments]:
        if log.position[before.message_id] < use.place and before.output == now.output:
            return f"{use.act} again, {shared_counter().text(now.output):,} tokens"
    return ""


def changed_files(log: ProbeLog, point: int, every: bool = False) -> Iterator[Need]:
    """Files created or changed before the newest messages that are used again.

    With ``every`` also those that are not, and those that were only read.
    """
    asked = log.points[point]
    if asked in log.recorded and not every:
        return
    first, last = first_held(log, asked), left_tail(log, point)
    before = [o for o in log.operations if first <= log.position[o.message_id] < last]
    states = {
        s.path: s
        for s in file_states(before)
        if s.certain and not s.folder and not s.deleted
        if s.created or s.modified or (every and s.read)
    }
    shown, seen = Shown(log, point), set[str]()

    def need(path: str, use: int, distance: int, act: str) -> Need:
        state = states[path]
        change = "created" if state.created else "modified" if state.modified else "read"
        place = max(log.position[id] for id in state.message_ids)
        return Need("used", f"{path} was {change}", place, use, distance, path, change, act)

    if every:
        yield from (need(path, asked, 0, "") for path in states if not _TRANSIENT.search(path))
        return
    for use in uses(log, point):
        shown.before(use)
        for path in named_paths(use.invocation.call) if use.invocation else ():
            if path not in states or path in seen or _TRANSIENT.search(path):
                continue
            seen.add(path)
            if last_part(path) not in shown:
                yield need(path, use.place, use.distance, use.act)


_TRANSIENT: Final = re.compile(
    r"^(?:/tmp/|/var/|/private/|/dev/)|(?:^|/)(?:node_modules|te?mp|scratchpad|dist|build|target)/"
)
"""Paths that no agent needs to remember: temporary files, devices, installed packages."""


_CHANGE_FOLDER: Final = re.compile(r"\s*cd \S+\s*(?:&&|;)\s*")
_FILTER: Final = re.compile(r"\||&&|;|\n")
_SEVERAL: Final = re.compile(r"&&|\|\||;|\n")
_REDIRECTED: Final = re.compile(r"\d?>")


def _without_folder(script: str) -> str:
    start = match.end() if (match := _CHANGE_FOLDER.match(script)) else 0
    return script[start:].strip()


def main_command(script: str) -> str:
    """The first command of a script after a change of folder, without what filters its output."""
    first = _FILTER.split(_without_folder(script), maxsplit=1)[0]
    return " ".join(word for word in first.split() if not _REDIRECTED.match(word))


# --- what was said and bound later turns --------------------------------------------------


def telling_stems(log: ProbeLog, text: str) -> dict[str, float]:
    """The stems of a sentence that tell its subject, with their weight: rare ones weigh more."""
    total = len(log.messages)
    stems = set(content_stems(normalize(text))) - WEAK
    return {
        stem: logarithm(1 + total / times)
        for stem in stems
        if (times := max(1, log.frequency(stem))) <= max(4.0, total * _COMMON_NAME)
    }


def governed(log: ProbeLog, point: int, text: str, share: float = _ABOUT) -> Use | None:
    """The first use after a point that is about such a share of what a sentence speaks of."""
    stems = telling_stems(log, text)
    total = sum(stems.values())
    held: dict[int, list[float]] = defaultdict(list)
    holding = _uses_by_stem(log)[point]
    for form, weight in stems.items():
        for number in holding.get(form, ()):
            held[number].append(weight)
    for number, weights in sorted(held.items()):
        use = uses(log, point)[number]
        least = share if len(use.text) <= _LONG_USE else max(share, _ABOUT_LONG)
        if len(weights) > 1 and sum(weights) >= least * total:
            return use
    return None


@once_a_log
def _uses_by_stem(log: ProbeLog) -> Sequence[Mapping[str, Sequence[int]]]:
    found = []
    for point in range(len(log.points)):
        holding: dict[str, list[int]] = defaultdict(list)
        for number, use in enumerate(uses(log, point)):
            for form in use.stems:
                holding[form].append(number)
        found.append(holding)
    return found


@once_a_log
def _taken_up(log: ProbeLog) -> Mapping[int, int]:
    """Where a later turn takes up a sentence of the user, by the number of the sentence."""
    holding: dict[str, list[int]] = defaultdict(list)
    found: dict[int, int] = {}
    sentences_of = user_sentences(log)
    for number in reversed(range(len(sentences_of))):
        said = sentences_of[number]
        stems = said.stems
        shared = Counter(other for form in stems for other in holding[form][-_NEAREST:])
        least = max(2, _ALIKE * len(stems))
        places = [sentences_of[other].place for other, n in shared.items() if n >= least]
        found[number] = min((p for p in places if p > said.place), default=len(log.messages))
        for form in stems:
            holding[form].append(number)
    return found


def _touched(log: ProbeLog, point: int, text: str) -> Use | None:
    """The first use after a point that holds the rarest word of a sentence: it could break it."""
    stems = telling_stems(log, text)
    rarest = max(stems, key=lambda each: (stems[each], each), default="")
    held = _uses_by_stem(log)[point].get(rarest, ())
    return uses(log, point)[held[0]] if held else None


def _of_user(log: ProbeLog, point: int) -> Iterator[Said]:
    """Sentences of the user before the newest messages, none of which a later one takes up."""
    asked = log.points[point]
    first, last = first_held(log, asked), left_tail(log, point)
    taken_up = _taken_up(log)
    for number, said in enumerate(user_sentences(log)):
        if first <= said.place < last and len(said.stems) > 1 and taken_up[number] > asked:
            yield said


def _stems(text: str) -> frozenset[str]:
    return frozenset(content_stems(normalize(text))) - WEAK


def rules(log: ProbeLog, point: int) -> Iterator[Need]:
    """Sentences of the user that bind later turns: sure if one does, or if they say so."""
    for said in _of_user(log, point):
        plain = without_filler(said.text)
        lasting = bool(cue("lasting").search(plain) or cue("limit").search(plain))
        if not (lasting or cue("rule").search(plain)) or cue("report").search(plain):
            continue
        if cue("musing").search(plain) or cue("question").match(plain):
            continue
        if cue("wish").match(plain) and not lasting:
            continue
        if not is_clear(said.text, inner=True):
            continue
        use = governed(log, point, said.text, _BREAKABLE)
        bids = cue("bidding").match(plain)
        if use is None and (bids or lasting or said.handed):
            use = _touched(log, point, said.text)
        if said.handed and use is None:
            continue
        sure = (lasting or use is not None) and not said.handed
        yield _stated("ruled", said, use, sure)


def choices(log: ProbeLog, point: int) -> Iterator[Need]:
    """Decisions of the user: sure if it answers a question or names what was rejected."""
    for said in _of_user(log, point):
        plain = without_filler(said.text)
        answers = bool(said.topic) and said.answers and not _OBJECTS.match(said.text)
        if cue("musing").search(plain) or cue("question").match(plain):
            continue
        if goes_on(said.text) or plain.startswith("/") or said.handed or cue("wish").match(plain):
            continue
        chosen = bool(cue("choice").search(plain))
        if not (answers or chosen or said.corrects) or not is_clear(said.text, answers):
            continue
        if len(telling_stems(log, said.text)) < 2:
            continue
        rejects = chosen and cue("rejected").search(plain)
        use = governed(log, point, said.text, _BREAKABLE)
        stops = said.corrects and (chosen or cue("refusal").match(said.text))
        sure = bool(answers or rejects or stops or use is not None)
        need = _stated("chosen", said, use, sure)
        yield replace(need, clause=said.text, topic=said.topic) if answers else need


def answered_questions(log: ProbeLog, point: int) -> Iterator[Need]:
    """Choices of the user among options that a tool of the agent put."""
    asked = log.points[point]
    first, last = first_held(log, asked), left_tail(log, point)
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        if not first <= place < last or not invocation.answered:
            continue
        given = invocation.call.parsed()
        questions = given.get("questions")
        entries = questions if isinstance(questions, list) else [given]
        for entry in entries[:8]:
            if not isinstance(entry, Mapping) or not isinstance(entry.get("options"), list):
                continue
            question = entry.get("question")
            if not isinstance(question, str) or len(question) > 300:
                continue
            match = re.search(
                rf"{re.escape(question)}\W{{1,6}}([^\"\n]{{3,160}})", invocation.output
            )
            whole = invocation.output if len(entries) == 1 else ""
            answer = match[1] if match else _answer_of(entry, invocation.output) or whole
            answer = bare(" ".join(re.sub(r"</?\w+>|\(Recommended\)", " ", answer).split()))
            answer = _ANSWER.sub("", answer)
            if 2 < len(answer) <= MAX_FACT_CHARACTERS:
                yield Need(
                    "chosen", answer, place + 1, place + 1, 0, topic=" ".join(question.split())
                )


def _answer_of(entry: Mapping[str, Any], output: str) -> str:
    """The answer to a question in a result that is a JSON object of answers by their ids."""
    try:
        held = json.loads(output)["answers"][entry["id"]]
        held = held["answers"] if isinstance(held, Mapping) else held
        return ", ".join(map(str, held)) if isinstance(held, list) else str(held)
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""


def said_again(log: ProbeLog, point: int) -> Iterator[Need]:
    """Sentences of the user that the user had to say again after the point.

    A reminder ("as I said"), a correction ("no, not …") or a turn after an interruption repeats a
    sentence with two of its telling stems; any other turn has to repeat half of it.
    """
    asked = log.points[point]
    last = left_tail(log, point)
    sentences_of = user_sentences(log)
    end = max((use.place for use in uses(log, point)), default=asked)
    found = set[str]()
    earlier: list[tuple[Said, frozenset[str]]] = []
    reminding = {
        said.place
        for said in sentences_of
        if said.corrects
        or cue("reminder").search(said.text)
        or (said.answers and cue("refusal").match(said.text))
    }
    for later in sentences_of:
        if not asked < later.place <= end or later.handed:
            continue
        stems = later.stems
        if later.place not in reminding and not cue("again").search(later.text):
            continue
        least = _REMINDED if later.place in reminding else _ALIKE
        number = sum(use.place < later.place for use in uses(log, point))
        earlier = earlier or [(said, said.stems) for said in sentences_of if said.place < last]
        for said, held in earlier:
            if min(len(held), len(stems)) < 2 or said.text in found or said.handed:
                continue
            shared = stems & held
            if len(shared) < 2 or overlap(stems, held) < least or len(held) < 3:
                continue
            if least < _ALIKE and len(shared & telling_stems(log, said.text).keys()) < 2:
                continue
            if is_clear(said.text) if log.language == "en" else whole_text(said.text):
                found.add(said.text)
                yield Need(
                    "said", said.text, said.place, later.place, number, act="the user says it again"
                )


def findings(log: ProbeLog, point: int) -> Iterator[Need]:
    """Reasons, causes and decisions of the agent about a name that a later call uses.

    A person judges all of them: at recorded compactions agents went on without most of them.
    """
    asked = log.points[point]
    if asked in log.recorded:
        return
    first, last = first_held(log, asked), left_tail(log, point)
    by_name: dict[str, Use] = {}
    for use in uses(log, point):
        for name in names(use.text):
            if name not in by_name and is_telling(log, name) and not _NUMBER.fullmatch(name):
                by_name[name] = use
    for said in reversed(agent_sentences(log)):
        held = [name for name in said.names if name in by_name]
        if not (first <= said.place < last and held and is_finding(said.text)):
            continue
        if cue("verb").search(NAME.sub(" ", said.text)) and not _PLACE.search(said.text):
            use = by_name[held[0]]
            yield Need(
                "used", said.text, said.place, use.place, use.distance, held[0], "", use.act, False
            )


def given(log: ProbeLog, point: int) -> Iterator[Need]:
    """Exact values of the user that no later call shows to be needed."""
    for said in _of_user(log, point):
        values = [name for name in said.names if VALUE.fullmatch(name)]
        if values and is_clear(said.text, True) and not said.handed:
            yield Need("ruled", said.text, said.place, said.place, 0, name=values[0], sure=False)


def _stated(way: Any, said: Said, use: Use | None, sure: bool) -> Need:
    place, distance, act = (use.place, use.distance, use.act) if use else (said.place, 0, "")
    return Need(way, without_filler(said.text), said.place, place, distance, act=act, sure=sure)


# --- what failed, and what is open ---------------------------------------------------------


def failures(log: ProbeLog, point: int) -> Iterator[Need]:
    """Commands that failed and did not work since: they run again, or are replaced by others.

    A command is replaced by one of another program that has its words.
    """
    asked = log.points[point]
    last = left_tail(log, point)
    later = {
        _program(script): use
        for use in reversed(uses(log, point))
        if use.invocation and (script := shell_script(use.invocation.call))
    }
    runs: dict[str, Command] = {}
    for command in log.commands:
        if log.position[command.message_id] <= asked:
            runs[main_command(command.text)] = command
    for shown, command in runs.items():
        place = log.position[command.message_id]
        use = later.get(_program(command.text)) or _replaced(log, point, shown)
        if use is None or place >= last or not command.failed or len(shown) > 120:
            continue
        if _SEVERAL.search(_without_folder(command.text)):
            continue  # whose error is it?
        if any(map(shows_text, command_words(command.text))):
            continue
        for error in error_texts(command.output[-_MAX_TEXT:], True):
            if not 14 < len(error) <= MAX_FACT_CHARACTERS or coarse(error):
                continue
            same = main_command(shell_script(use.invocation.call) or "") if use.invocation else ""
            refused = bool(cue("environment").search(error))
            if _program(same) != _program(shown) and not refused:
                break
            sure = same == shown or refused
            yield Need(
                "failed", error, place, use.place, use.distance, topic=shown, act=use.act, sure=sure
            )
            break


def _replaced(log: ProbeLog, point: int, failed: str) -> Use | None:
    """The first command after a point that has the words of a failed one, by another program."""
    words = failed.split()
    for use in uses(log, point):
        script = use.invocation and shell_script(use.invocation.call)
        other = main_command(script).split() if script else []
        replaces = len(words) > 1 and other and other[0] != words[0]
        if replaces and set(words[1:]) <= set(other):
            return use
    return None


def _program(script: str) -> str:
    words = [w for w in main_command(script).split() if not w.startswith("-") and "=" not in w]
    return " ".join(words[:2])


def requests(log: ProbeLog, point: int, every: bool = False) -> Iterator[Need]:
    """Requests of the user before the newest messages: those under way, or ``every`` one."""
    asked = log.points[point]
    first, last = first_held(log, asked), left_tail(log, point)
    turns = [(place, text) for place, text in log.turns("user") if len(text.split()) > 3]
    before = [turn for turn in turns if turn[0] <= asked]
    after = next((place for place, _ in turns if place > asked), len(log.messages))
    work = next((use for use in uses(log, point) if use.place < after), None)
    for place, text in before:
        if not first <= place < last:
            continue
        under_way = work if place == before[-1][0] else None
        if match := _REPORT.search(log.messages[place].text):
            use = under_way or governed(log, point, match["title"])
            if use or every:
                yield _open(bare(match["title"]), place, use)
            continue
        most = 1 if every else 2 if len(text.split()) > _HANDED_OVER else 6
        for sentence in sentences(text)[:most]:
            clean = unasked(without_filler(bare(" ".join(sentence.split()))))
            is_first = every and place == turns[0][0] and len(clean.split()) > 4
            if coarse(clean) or not (is_clear(clean) or (is_first and whole_text(clean))):
                continue
            use = under_way or governed(log, point, clean)
            sure = use and len(telling_stems(log, clean)) > 2
            if is_first or ((every or sure) and _asks(clean, every)):
                yield _open(clean, place, use)


def _asks(clause: str, answered: bool) -> bool:
    """Whether a clause asks for something to be done, or also for what is merely ``answered``."""
    plain = without_filler(clause)
    if cue("question").match(plain) or cue("glance").match(plain):
        return answered
    verb = plain.split(" ", 1)[0].casefold()
    asks = plain != clause or (stem(verb) in REQUESTS and verb[-1:] != "s")
    return asks and not (cue("musing").search(clause) or _PLACE.search(clause))


def _open(clause: str, place: int, use: Use | None) -> Need:
    if use is None:
        return Need("open", clause, place, place, 0)
    return Need("open", clause, place, use.place, use.distance, act=use.act)
