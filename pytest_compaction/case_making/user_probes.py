"""Recall probes about what the user gave: values, identifiers, pasted errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts import error_texts
from pytest_compaction.case_making.keys import value_keys
from pytest_compaction.case_making.log import (
    MAX_FACT_CHARACTERS,
    Candidate,
    Draft,
    Found,
    ProbeLog,
    name_candidate,
    states,
)
from pytest_compaction.case_making.phrases import (
    bare,
    coarse,
    finished,
    opening,
    quotable,
    sentences,
    was_stopped,
    whole_text,
)
from pytest_compaction.text import content_stems, normalize

_BACK: Final = re.compile(
    r"\b(?:undo|undid|revert|roll(?:ed)? back|never ?mind|scrap|drop (?:it|that|this)|instead"
    r"|actually|no longer|not any ?more|changed my mind|on second thought)\b",
    re.I,
)
_VALUE_LINE: Final = re.compile(
    r"^\s*([A-Za-z][\w ./-]{1,40}?)\s*(?:[:=]|\bis\b)?\s+(#?[\w.%-]*\d[\w.%-]*)\s*$"
)
_PASTED: Final = re.compile(r"[():;=<>|{}\[\]]")
"""Signs of output or code that the user pasted."""
_MOST_WORDS: Final = 100
"""A longer turn hands over a task, which names much in passing."""
_IDENTIFIER: Final = re.compile(
    r"(?<![\w/.#-])(?:(?=[A-Z\d]*\d)(?=[A-Z\d]*[A-Z])[A-Z\d]{5,12}|[A-Z]{2,8}-\d{2,6}"
    r"|[a-z]{2,20}_[a-z]{2,20}_\d{3,6}|#\d{2,6}|(?=[a-f]{0,11}\d)(?=\d{0,11}[a-f])[0-9a-f]{7,40})"
    r"(?![\w/@-])"
)
_MAX_OUTPUT: Final = 100_000
_MAX_LINES: Final = 2_000
MAX_ERRORS: Final = 4
"""Of an output with more errors, only the first is asked for."""
# From exact to vague: the first that matches gives the fact.
_ERROR: Final = (
    re.compile(r"\berror (?P<code>[A-Z]{1,4}\d{2,5}): (?P<text>[^\n]+)"),
    re.compile(r"\berror\[(?P<code>[A-Z]\d{2,5})\]: (?P<text>[^\n]+)"),
    re.compile(r"\b(?P<code>[A-Z]\w{2,40}(?:Error|Exception)): (?P<text>[^\n]+)"),
    re.compile(r"^(?:E\s+)?Error(?: \[(?P<code>[A-Z_]{3,40})\])?: (?P<text>[^\n]+)"),
    re.compile(r"^(?P<code>)(?:fatal|error|ERROR|npm ERR!): (?P<text>[^\n]+)"),
    re.compile(
        r"^(?P<code>)\w[\w./-]{0,40}: (?P<text>[^\n]{3,200}: (?:No such file|Permission)[^\n]*)"
    ),
)
_ONLY_FAILED: Final = re.compile(
    r"(?:build|compilation|command|process|task) failed(?: with \d+ errors?)?[.:]?", re.I
)
"""What a program prints below the errors that it counts."""
_LEAST_WORDS: Final = 4
_POSITION: Final = re.compile(r"\(\d+,\d+\)|:\d+:\d+")
_ONLY_SIGNS: Final = re.compile(r"([\"'`])[^\w\s\"'`]{1,4}\1")
"""A quoted sign such as ``'||'``: it tells the error, and no key can hold it."""
_SENTENCE: Final = re.compile(r"(?<=[\w'\")])\. |, and ")


def value_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about exact values from the user; values that the user gave twice are left out."""
    yield from _listed(log)
    yield from _identifiers(log)


def _listed(log: ProbeLog) -> Iterator[Draft]:
    """The values of each turn that lists three or more by name, unless the user took it back."""
    back = [at for at, text in log.turns("user") if at <= log.end and _BACK.search(text)]
    for place, text in log.turns("user"):
        matches = (_VALUE_LINE.match(line[:120]) for line in text.splitlines()[:60])
        lines = [
            (m[1], Candidate(f"{m[1]} {m[2]}", "value", value_keys(m[1], m[2], log.frequency)))
            for m in matches
            if m
        ]
        found: dict[str, Found] = {}
        for name, line in lines:
            fact, entry = log.fact(line), log.find(line, log.end)
            others = (other.text for _, other in lines if other != line)
            if fact and entry and not any(states(other, fact) for other in others):
                found[name] = entry
        if len(found) < 2 or len(lines) < 3 or any(place < at for at in back):
            continue
        chosen = [name for name in found if not _given_again(log, name, place)][:6]
        if len(chosen) > 1:
            names = ", ".join(f"“{name}”" for name in chosen)
            question = f"Which exact values did the user give for {names}?"
            facts = tuple(found[name] for name in chosen)
            rank = 0.05 if len(chosen) > 2 else 0.3
            yield Draft("recall", "given-values", question, facts, log.last, rank, least=2)


def _identifiers(log: ProbeLog) -> Iterator[Draft]:
    """Identifiers that the user gave, in pairs; the words before one identify it.

    A last one without a partner is asked for alone.
    """
    first: tuple[str, tuple[Found, ...]] | None = None
    for subject, found in _given(log):
        if first is None:
            first = subject, found
        elif found[0].fact.text != first[1][0].fact.text:
            alike, what = subject == first[0], f"(1) “{first[0]}”; (2) “{subject}”"
            question = f"Which identifiers did the user give here: {what}?"
            if alike:
                question = f"Which identifier did the user give here: “{subject}”?"
            both = (*first[1], *found)
            yield Draft("recall", "identifier", question, both, log.last, 0.24, least=2)
            first = None
    if first is not None:
        question = f"Which identifier did the user give here: “{first[0]}”?"
        yield Draft("recall", "identifier", question, first[1], log.last, 0.24 + 0.1)


def _given(log: ProbeLog) -> Iterator[tuple[str, tuple[Found, ...]]]:
    """Each identifier of the user with the words before it."""
    for place, text in log.turns("user"):
        for sentence in sentences(opening(text)) if len(text.split()) <= _MOST_WORDS else ():
            match = _IDENTIFIER.search(sentence[:500])
            subject = " ".join(bare(sentence[: match.start()]).split()[-8:]) if match else ""
            told = len(content_stems(normalize(subject))) > 1 and not _PASTED.search(subject)
            if match and told and not coarse(subject) and not _given_again(log, subject, place):
                found = log.find_all([name_candidate(match[0])], log.end, most=4)
                if found:
                    yield f"{subject} …", found


def _given_again(log: ProbeLog, subject: str, place: int) -> bool:
    """Whether another user turn names the subject with a number, so that two answers may hold."""
    key = _subject_key(subject)
    return len(key) > 1 and any(
        key <= _subject_key(sentence) and re.search(r"\d", sentence)
        for other, text in log.turns("user")
        if other != place and other <= log.end
        for sentence in text.splitlines()
    )


def _subject_key(subject: str) -> frozenset[str]:
    """The content stems of a subject; names with underscores are split into words."""
    return frozenset(content_stems(normalize(subject.replace("_", " "))))


def error_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Errors that the user pasted; a turn that is nothing but its error is told by the one before.

    The question asks for the first after it, since others may follow later.
    """
    turns = [(place, quotable(text)) for place, text in log.turns("user")]
    bare_errors = {
        place: log.request_before(place)
        for place, quoted in turns
        if any(rule.search(quoted) for rule in _ERROR)
    }
    before = Counter(bare_errors.values())
    for place, quoted in turns:
        found, first = _told(log, log.messages[place].text)
        which = "Which errors did it show"
        if first or len(found) == 1:
            which = "Which error did it show first" if first else "Which error did it show"
        question = f"The user pasted output with the message “{quoted}”. {which}?"
        if place in bare_errors:
            quoted = bare_errors[place]
            question = f"Which error did the user paste first after the request “{quoted}”?"
        if quoted and found and (place not in bare_errors or before[quoted] == 1):
            whole = len(found)
            yield Draft("recall", "reported-error", question, found, log.last, 0.15, whole=whole)


def _told(log: ProbeLog, output: str) -> tuple[tuple[Found, ...], bool]:
    """All errors of an output if they are few, else the first; and whether it is only the first."""
    texts = error_lines(output)
    if not texts:
        return _said_facts(log, output), False
    found = [
        next(filter(None, (log.find(Candidate(form, "error"), log.end, 4) for form in forms)), None)
        for forms in texts[: MAX_ERRORS + 1]
    ]
    if len(texts) <= MAX_ERRORS and all(found):
        return tuple(entry for entry in found if entry), False
    return ((found[0],) if found[0] else ()), True


def error_lines(output: str) -> list[tuple[str, ...]]:
    """The distinct errors of an output in order, each in its forms, the best first.

    One that is too long or too short to be asked for has none, and counts all the same.
    """
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in output[-_MAX_OUTPUT:].splitlines()[-_MAX_LINES:]:
        if len(line) > 1_000:
            continue
        match = next((match for rule in _ERROR if (match := rule.search(line))), None)
        if match is not None and not _ONLY_FAILED.fullmatch(match["text"].strip()):
            forms = tuple(_fact_texts(match["code"] or "", match["text"]))
            found[forms or (line,)] = forms
    return list(found.values())


def _fact_texts(code: str, text: str) -> list[str]:
    """The error message with its code, then without; the best form first."""
    message = _SENTENCE.split(_POSITION.sub("", text).strip(), maxsplit=1)[0].strip(" .,;:-")
    if _ONLY_SIGNS.search(message) or "{" in message:
        return []
    if len(message) < 8:
        return [f"{code}: {message}"] if code and message else []
    if len(message) > MAX_FACT_CHARACTERS - 50:
        return []
    first = message.partition(", ")[0]
    short = [first] if first != message and len(first.split()) >= _LEAST_WORDS else []
    return [f"{code}: {message}", message, *short] if code else [message, *short]


def _said_facts(log: ProbeLog, output: str) -> tuple[Found, ...]:
    """The one line that reports a failure without the form of an error."""
    said = error_texts(output[-_MAX_OUTPUT:], failed=False)
    texts = list(dict.fromkeys(map(finished, said)))
    if len(texts) != 1 or not whole_text(texts[0]) or was_stopped(texts[0]):
        return ()
    return log.find_all([Candidate(texts[0], "error")], log.end, most=2)
