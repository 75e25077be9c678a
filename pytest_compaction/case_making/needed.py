"""What the rest of a session needed after a point: used, fetched, said again, chosen, ruled.

A transcript goes on after the point where its case is compacted. What the agent or the user uses
there had to be remembered, if the log states it before the point, and nothing shows it again
between the point and the use. That needs no model and no taste. A use within the next forty tool
calls counts.

Names count that a role stands beside: the clause of the log that states one is the fact. What can
be guessed, follows from the system prompt, or still stands in the newest messages, does not count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.artifacts import Invocation, error_texts, file_states, named_paths
from pytest_compaction.case_making.keys import exact_groups
from pytest_compaction.case_making.log import MAX_FACT_CHARACTERS, Need, ProbeLog, once_a_log
from pytest_compaction.case_making.phrases import (
    bare,
    coarse,
    overlap,
    sentences,
    shown_command,
    whole_text,
)
from pytest_compaction.case_making.points import HORIZON
from pytest_compaction.conversation import readable
from pytest_compaction.text import content_stems, normalize

NAME: Final = re.compile(
    r"""https?://[^\s"'<>()\[\]`]{4,200}
    |--[A-Za-z][\w-]{2,40}
    |(?:[\w.@~+-]{0,80}/){1,20}[\w.@+-]{0,80}\w
    |\b[\w-]{1,80}\.(?:py|go|tsx?|jsx?|json|ya?ml|toml|md|rs|[ch]|cpp|java|rb|sh|sql|html|css|txt
        |cfg|ini|lock|proto|svelte|vue|ipynb|csv|env)\b
    |\bv?\d{1,6}(?:\.\d{1,6}){1,3}\b
    |\b[A-Za-z]{1,40}(?:_[A-Za-z0-9]{1,40}){1,8}\b
    |\b[a-z]{1,40}(?:[A-Z][a-z0-9]{1,40}){1,8}\b
    |\b(?:[A-Z][a-z0-9]{1,40}){2,8}\b
    |\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b
    |\b\d{3,12}\b
    |\b[A-Z]{2,12}-\d{1,8}\b""",
    re.VERBOSE,
)
"""Exact names: addresses, flags, paths, files, versions, identifiers, hashes, numbers, tickets."""
_GUESSABLE: Final = re.compile(
    r"readme(?:\.\w+)?|license|changelog\.md|package(?:-lock)?\.json|index\.\w+|main\.\w+"
    r"|__\w+__(?:\.py)?"
    r"|setup\.py|pyproject\.toml|makefile|dockerfile|go\.(?:mod|sum)|cargo\.toml|tsconfig\.json"
    r"|--(?:help|version|oneline|verbose|quiet|all|force|name-only|stat|no-pager|cached)|src"
    r"|tests?"
    r"|null|node_modules|localhost|\d{1,2}00|10+|1024|2048|4096|127\.0\.0\.1|[12]0\d\d|\d\.0",
    re.I,
)
"""Names that anyone would try without having read them."""
_OLD_SIDE: Final = frozenset({"old_string", "oldtext", "old_str", "old_text", "old"})
"""Arguments that repeat what a file says: the agent has read it since, or the edit fails."""
_MAX_TEXT: Final = 20_000
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_ANNOUNCES: Final = re.compile(
    r"(?:(?:now|next|first|then|good|great|perfect|ok|okay|also|and|finally|so|alright)[,!.:]? )*"
    r"(?:let me|let's|i'll|i will|i need|i'm going|i can|i see|we need to (?:look|check|see)"
    r"|wait)\b",
    re.I,
)
"""What the agent is about to do or just saw tells no role of a name."""
_TO_DO: Final = re.compile(
    r"(?:now|next|then|also|please)?,? ?(?:update|fix|add|check|look|read|run|verify|see|find"
    r"|test|create|write"
    r"|change|remove|move|rename|implement|search|view|try|commit|using|updated|fixed|added)\b",
    re.I,
)
"""What the agent is about to do or has just done tells no role either."""
_VALUE: Final = re.compile(r"https?:.*|v?\d[\d.]*|[0-9a-f]{7,40}|[A-Z]{2,12}-\d+", re.I)
_KEYED: Final = re.compile(r"""^["'`]?[A-Za-z][\w .-]{2,40}["'`]?\s{0,3}[:=]\s{0,3}\S""")
"""A line of a result that gives a value a name."""
_QUESTION: Final = re.compile(r"\?\s*$")
_LISTED: Final = re.compile(r"^\s*(?:\d+[→|:\t]|[-drwx@]{9,11}\s|[+\-@]{1,3}\s|\S+:\d+[:-])")
"""Lines of listings, of search results and of patches."""


@dataclass(frozen=True, slots=True)
class Told:
    """A clause of the log: who said it, where, and its text."""

    place: int
    role: str
    text: str


@once_a_log
def told_by_name(log: ProbeLog) -> Mapping[str, Sequence[Told]]:
    """The clauses of the log that tell the role of a name, by name and in order."""
    found: dict[str, list[Told]] = defaultdict(list)
    for place, message in enumerate(log.messages):
        for text in _clauses(log, place):
            for name in names(text):
                if message.role != "tool" or _VALUE.fullmatch(name):
                    found[name].append(Told(place, message.role, text))
    return found


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


def _clauses(log: ProbeLog, place: int) -> Iterator[str]:
    """The clauses of a message that can be facts: sentences of people, lines of results."""
    message = log.messages[place]
    if message.role in {"user", "assistant"}:
        said = next((text for at, text in log.turns(message.role) if at == place), "")
        for sentence in sentences(said[:_MAX_TEXT]):
            text = bare(" ".join(sentence.split()))
            if _tells(text) and not _ANNOUNCES.match(text) and not _TO_DO.match(text):
                yield text
    elif message.role == "tool":
        for line in readable(message)[:_MAX_TEXT].splitlines():
            if _KEYED.match(line) and _tells(text := " ".join(line.split())):
                yield text


def _tells(text: str) -> bool:
    return (
        10 < len(text) <= MAX_FACT_CHARACTERS
        and whole_text(text)
        and not _QUESTION.search(text)
        and not coarse(text)
    )


def used(log: ProbeLog, point: int) -> list[Need]:
    """Names in calls after a point that only the log before its newest messages tells."""
    asked = log.points[point]
    tail = max(0, log.before_tail(asked) + 1)
    first = _segment(log, asked)
    told = told_by_name(log)
    fixed = (p for p, m in enumerate(log.messages) if m.role in {"system", "developer"})
    shown, read = _text(log, fixed) + _text(log, range(tail, asked + 1)), asked + 1
    found: dict[str, Need] = {}
    for use, distance, invocation in after(log, point):
        shown, read = shown + _text(log, range(read, use)), max(read, use)
        for name in _names_of(invocation):
            known = [each for each in told.get(name, ()) if first <= each.place < tail]
            if name in found or name.casefold() in shown or _GUESSABLE.fullmatch(name):
                continue
            if (best := _best(name, known)) is not None:
                found[name] = Need("used", best.text, best.place, use, distance, name)
    return list(found.values())


def after(log: ProbeLog, point: int) -> Iterator[tuple[int, int, Invocation]]:
    """The tool calls after a point: position of the message, number from 1, and the call."""
    asked, number = log.points[point], 0
    end = min((place for place in log.recorded if place >= asked), default=len(log.messages))
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        if place > asked:
            number += 1
            if number > HORIZON or place > end:
                return
            yield place, number, invocation


def _names_of(invocation: Invocation) -> list[str]:
    """The names that a call uses, without those of the text that it replaces."""
    return list(
        dict.fromkeys(n for text in _strings(invocation.call.parsed()) for n in names(text))
    )


def _strings(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if key.casefold() not in _OLD_SIDE:
            yield value[:_MAX_TEXT]
    elif isinstance(value, Mapping):
        for name, held in value.items():
            yield from _strings(held, str(name))
    elif isinstance(value, list):
        for held in value:
            yield from _strings(held, key)


def _text(log: ProbeLog, places: Iterable[int]) -> str:
    return "\n".join(readable(log.messages[place]) for place in places).casefold()


_FINDING: Final = re.compile(
    r"^(?P<head>.{8,120}?)(?P<cue>,? (?:because|since|so that|instead of|rather than|due to"
    r"|caused by"
    r"|unless|only (?:if|when|after)|which means(?: that)?)|(?<=\w) (?:is|was) that"
    r"|:) (?P<rest>.{12,110})$",
    re.I,
)
_OF_FINDINGS: Final = re.compile(
    r"\b(?:because|since|so that|instead of|rather than|due to|caused by|unless|only (?:if|when"
    r"|after)"
    r"|which means)\b|\b(?:root cause|reason|problem|issue|bug|cause|fix"
    r"|decision)\b[^:]{0,60}(?: (?:is|was) that|:) ",
    re.I,
)
"""Sentences that give a reason, a cause or a decision."""


def findings(log: ProbeLog, point: int) -> list[Need]:
    """Reasons and causes that the agent found, about a name that a call after the point uses.

    ``name`` is the second half of the sentence, which the question leaves out.
    """
    asked = log.points[point]
    last, first = log.before_tail(asked), _segment(log, asked)
    uses: dict[str, tuple[int, int]] = {}
    for use, distance, invocation in after(log, point):
        for name in _names_of(invocation):
            uses.setdefault(name, (use, distance))
    later = [
        set(content_stems(normalize(text))) for at, text in log.turns("assistant") if at > last
    ]
    found = []
    for place, text in log.turns("assistant"):
        if not first <= place <= last:
            continue
        for sentence in sentences(text[:_MAX_TEXT]):
            clean = bare(" ".join(sentence.split()))
            match = _FINDING.match(clean) if _OF_FINDINGS.search(clean) and _tells(clean) else None
            needed = [uses[name] for name in names(clean) if name in uses]
            if match is None or not needed or _ANNOUNCES.match(clean):
                continue
            stems = set(content_stems(normalize(match["rest"])))
            if len(stems) > 2 and not any(
                overlap(stems, other) >= _RESTATED for other in later if other
            ):
                use, distance = min(needed)
                head = f"{match['head']}{match['cue']}"
                found.append(Need("used", clean, place, use, distance, match["rest"], head))
    return found


_RESTATED: Final = 0.7


def _segment(log: ProbeLog, asked: int) -> int:
    """The first message that the agent's own view still had: after its last compaction."""
    return max((place + 1 for place in log.recorded if place < asked), default=0)


def changed_files(log: ProbeLog, point: int) -> list[Need]:
    """Files that were created or changed before the newest messages and are used again."""
    asked = log.points[point]
    last, first = log.before_tail(asked), _segment(log, asked)
    before = [o for o in log.operations if first <= log.position[o.message_id] <= last]
    states = {
        s.path: s for s in file_states(before) if s.certain and not s.folder and not s.deleted
    }
    shown, read = _text(log, range(max(0, last + 1), asked + 1)), asked + 1
    found: dict[str, Need] = {}
    for use, distance, invocation in after(log, point):
        shown, read = shown + _text(log, range(read, use)), max(read, use)
        for path in named_paths(invocation.call):
            state = states.get(path)
            if state is None or path in found or not (state.created or state.modified):
                continue
            if last_part(path).casefold() not in shown:
                change = "created" if state.created else "modified"
                place = max(log.position[id] for id in state.message_ids)
                found[path] = Need(
                    "used", f"{path} was {change}", place, use, distance, path, change
                )
    return list(found.values())


_PASTED: Final = re.compile(
    r"^[^\w\s'\"`(]|\w*Error:|[{}=;|]|\$ |\berror:|^\W*\w+:\s|\) at |:\d+:\d+"
)
"""Lines that were pasted from a terminal or from code."""


def given(log: ProbeLog, point: int) -> list[Need]:
    """Sentences of the user with an exact value that no later turn of the user gives again."""
    last = log.before_tail(log.points[point])
    found = []
    for place, sentence in _user_sentences(log, last):
        values = [
            group[0]
            for group in exact_groups(sentence)
            if re.search(r"\d|[a-z][A-Z]|_|/|\.\w", group[0]) and group[0][0] not in "/<"
        ]
        if (
            values
            and not _PASTED.search(sentence)
            and not _ASKS.match(sentence)
            and _role_words(sentence) > 2
        ):
            found.append(Need("ruled", sentence, place, 0, 0, values[0], _before(log, place)))
    return found


def _best(name: str, known: Sequence[Told]) -> Told | None:
    """The clause that tells most of a name: of the user, else of the agent, else of a result."""
    fitting = [(each, words) for each in known if (words := _role_words(each.text)) > 1]
    order = ("user", "assistant", "tool")
    best = min(
        fitting,
        key=lambda one: (order.index(one[0].role), not _WHY.search(one[0].text), -min(one[1], 6)),
        default=None,
    )
    return best and best[0]


def _role_words(text: str) -> int:
    """How many different words beside its names a clause has."""
    return len(set(content_stems(normalize(NAME.sub(" ", text)))))


_WHY: Final = re.compile(
    r"\b(?:because|since|so that|instead of|rather than|root cause|the reason|due to|caused by"
    r"|decided|chose|must|never|always|only|fails?|failed|broken|bug|wrong|missing)\b",
    re.I,
)
"""Signs of a reason, a decision, a rule or an error."""
_RULE: Final = re.compile(
    r"\b(?:never|always|from now on|in future|must(?: not|n't)?|do not|don't ever|whenever"
    r"|(?:every|each) time|at all times|under no circumstances|at (?:most|least)|no more than)\b"
    r"|(?:^|[,;.:!]\s*|\b(?:and|but|please|just|also)\s+)(?:don't|avoid|only (?:use|run|edit"
    r"|add))\b",
    re.I,
)
_ONE_OFF: Final = re.compile(
    r"(?:ok(?:ay)?|so|and|then|now|alright|yes|no|hm+|well|also|please)?,? ?(?:can|could"
    r"|would) you\b"
    r"|(?:now|let's|let me|go (?:on|ahead)|have a look|look|read|check|try|wait)\b",
    re.I,
)
"""How a wish for the next turn begins."""
_LASTING: Final = re.compile(
    r"\b(?:never|always|from now on|in future|whenever|every time)\b", re.I
)
_NO_RULE: Final = re.compile(
    r"\b(?:i|we|they|it|he|she|you) (?:don't|do not|only|never|always|must have|didn't)\b"
    r"|\bdon't (?:know|think|see|understand|get|worry|mind|care|have|want to|need)\b"
    r"|\bif (?:not|only)\b"
    r"|\bnot only\b|\bthe only\b|\bonly (?:one|thing|problem|issue|when i)\b",
    re.I,
)
_ACT: Final = re.compile(
    r"\b(?:commit|push|run|edit|change|modify|touch|delete|remove|create|write|add|use|install"
    r"|import"
    r"|comment|mock|log|rename|merge|deploy|print|call|ask|answer|reply|respond|format|name|put"
    r"|store"
    r"|cache|test|build|release|review|update|exceed|include|contain|keep|show|return|open|read"
    r"|send"
    r"|mention|say|explain|start|stop|wait|check|link|cite|assume|guess|skip|break|refactor"
    r"|document"
    r"|rely|depend|support|allow|require)(?:s|ed|ing|ting|ning)?\b",
    re.I,
)
"""Acts that can recur, which a rule binds."""


def rules(log: ProbeLog, point: int) -> list[Need]:
    """Sentences of the user before the newest messages that bind later turns."""
    last = log.before_tail(log.points[point])
    found = []
    for place, sentence in _user_sentences(log, last):
        one_off = _ONE_OFF.match(sentence) and not _LASTING.search(sentence)
        bound = _RULE.search(sentence) and _ACT.search(sentence)
        if bound and not one_off and not _NO_RULE.search(sentence) and not _ASKS.match(sentence):
            found.append(Need("ruled", sentence, place, 0, 0, topic=_before(log, place)))
    return found


_CHOICE: Final = re.compile(
    r"\binstead of\b|\brather than\b|\b(?:let's|lets|we'll|we will|i'd|i would) (?:rather "
    r"|also |just )?"
    r"(?:go (?:with|for)|use|keep|call|prefer|stick|drop|skip|remove|move|rename|name)\b"
    r"|^(?:yes|no|ok|okay|yeah|nope|sure)?,? ?(?:use|keep|drop|skip|rename|go (?:with|for)"
    r"|call it|name it)\b"
    r"|\bi (?:prefer|decided|chose)\b|\bwe (?:decided|agreed|chose)\b|\bswitch to\b"
    r"|\bstick (?:with|to)\b"
    r"|\boption \w{1,2}\b|\bno need (?:for|to)\b|\bshould (?:match|be|stay|remain|go|live|use)\b",
    re.I,
)
_MUSED: Final = re.compile(
    r"^/|\bi (?:don't|do not) (?:understand|know|think)\b|\bi(?:'m| am) (?:quite |not "
    r"|pretty )?sure\b|\bi (?:guess|suppose"
    r"|wonder)\b|\bwhat (?:you|i) mean\b",
    re.I,
)
"""Commands of the program, and thoughts that decide nothing."""


def choices(log: ProbeLog, point: int) -> list[Need]:
    """What the user decided: answers to questions of the agent, and choices between two things."""
    last = log.before_tail(log.points[point])
    found = []
    for place, sentence in _user_sentences(log, last):
        if _ASKS.match(sentence) or _MUSED.search(sentence) or _ONE_OFF.match(sentence):
            continue
        topic = _before(log, place)
        answers = topic.endswith("?") and sentence == _first_sentence(log, place)
        if (answers or _CHOICE.search(sentence)) and _role_words(sentence) + len(
            names(sentence)
        ) > 2:
            found.append(Need("chosen", sentence, place, 0, 0, topic=topic))
    return found


_AGAIN: Final = re.compile(
    r"\b(?:as|like) i (?:said|told|mentioned|wrote|asked)\b|\bi (?:already |just )?(?:said"
    r"|told you|asked)"
    r"|\bagain\b|\bi meant\b|\bwe (?:decided|agreed|said)\b|^\s*(?:no|nope|wrong|stop"
    r"|wait)\b[,.!\s]|\bstill\b"
    r"|\bremember\b|\bforgot\b|\bonce more\b",
    re.I,
)
_ALIKE: Final = 0.5
_ASKS: Final = re.compile(
    r"(?:ok(?:ay)?,? |so |and |but |hm+,? |wait,? )*(?:why|what|where|how|when|who|which|is|are"
    r"|does|do|did|can|could"
    r"|would|should|will)\b",
    re.I,
)
"""How questions begin that have lost their mark."""


def said_again(log: ProbeLog, point: int) -> list[Need]:
    """Sentences of the user that the user had to say again after the point."""
    asked = log.points[point]
    last = log.before_tail(asked)
    before = [
        (place, sentence, set(content_stems(normalize(sentence))))
        for place, sentence in _user_sentences(log, last)
    ]
    found: dict[str, Need] = {}
    for place, text in log.turns("user"):
        if place <= asked:
            continue
        number = sum(1 for at, _, _ in after(log, point) if at < place)
        if number >= HORIZON:
            break
        for sentence in sentences(text[:2000]):
            stems = set(content_stems(normalize(sentence)))
            if not _AGAIN.search(sentence) or len(stems) < 3:
                continue
            for at, earlier, held in before:
                if len(held) > 2 and overlap(stems, held) >= _ALIKE and earlier not in found:
                    found[earlier] = Need(
                        "said", earlier, at, place, number, topic=_before(log, at)
                    )
    return list(found.values())


def failures(log: ProbeLog, point: int) -> list[Need]:
    """Commands that failed before the point, with the cause, whose program runs again after it."""
    asked = log.points[point]
    last = log.before_tail(asked)
    later = {_program(c.text) for c in log.commands if log.position[c.message_id] > asked}
    found = []
    for command in log.commands:
        place = log.position[command.message_id]
        if place > last or not command.failed or _program(command.text) not in later:
            continue
        errors = list(error_texts(command.output[-_MAX_TEXT:], True))
        if errors and (shown := shown_command(command.text)):
            found.append(Need("failed", errors[0], place, 0, 0, topic=shown))
    return found


def _program(script: str) -> str:
    """The program and subcommand that a script runs."""
    words = [w for w in script.split() if not w.startswith("-") and "=" not in w]
    words = words[2:] if words[:1] == ["cd"] else words
    return " ".join(w for w in words if w != "&&")[:24].rsplit(" ", 1)[0]


def _user_sentences(log: ProbeLog, last: int) -> Iterator[tuple[int, str]]:
    for place, text in log.turns("user"):
        if place > last:
            return
        for sentence in sentences(text[:_MAX_TEXT]):
            clean = bare(" ".join(sentence.split()))
            if _tells(clean):
                yield place, clean


def _first_sentence(log: ProbeLog, place: int) -> str:
    text = next((text for at, text in log.turns("user") if at == place), "")
    return bare(" ".join(next(iter(sentences(text)), "").split()))


def _before(log: ProbeLog, place: int) -> str:
    """The last sentence of the agent before a turn of the user, for a quotation."""
    for message in reversed(log.messages[:place]):
        if message.role == "user":
            return ""
        if message.role == "assistant" and message.text.strip():
            plain = _CODE.sub("\n", message.text)
            said = [s for s in sentences(plain) if s.strip()]
            asking = [s for s in said[-6:] if s.rstrip().endswith("?")]
            return " ".join((asking or said or [""])[-1].split())[:160]
    return ""
