"""Recall probes from values: given by the user, counted in the log, changed by edits."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.operations import invocations
from pytest_compaction.artifacts.tool_calls import call_touches
from pytest_compaction.case import Trap
from pytest_compaction.conversation import ToolCall
from pytest_compaction.importers.probe_log import (
    Draft,
    Found,
    ProbeLog,
    Topic,
    bare,
    clauses,
    coarse,
    opening,
    pooled,
    sentences,
)
from pytest_compaction.matching import TextIndex
from pytest_compaction.text import content_stems, normalize

_MAX_TEXT: Final = 20_000
_VALUE_LINE: Final = re.compile(
    r"^\s*([A-Za-z][\w ./-]{1,40}?)\s*(?:[:=]|\bis\b)?\s+(#?[\w.%-]*\d[\w.%-]*)\s*$"
)
_NUMBER: Final = re.compile(
    r"(?:\S+\s+){0,4}\S*(?<![\w/.#])\d[\d.,]*(?:%|\w{0,3})(?![\w/])(?:\s+(?!(?:and|or|so|but|then|to|of|in|on|for|the|a|is|if)\b)[A-Za-z]+)?"
)
_ASSIGNED: Final = re.compile(
    r"^[ \t]*[\"']?([A-Za-z_][\w.-]{2,40})[\"']?[ \t]*[:=](?![=:])[ \t]*[\"']?"
    r"(#?\w[\w.%#/-]{0,40}?)[\"']?[,;]?[ \t]*$",
    re.MULTILINE,
)
_IDENTIFIER: Final = re.compile(
    r"(?<![\w/.#-])(?:(?=[A-Z\d]*\d)(?=[A-Z\d]*[A-Z])[A-Z\d]{5,12}|[A-Z]{2,8}-\d{2,6}"
    r"|[a-z]{2,20}_[a-z]{2,20}_\d{3,6}|#\d{2,6})(?![\w/-])"
)
_RULE: Final = re.compile(
    r"^(?P<subject>.{4,90}?)\s+(?P<rule>(?:must|should|has to|have to|needs? to|may only|can only"
    r"|shall|is not allowed to|are not allowed to)\b.{8,120})$",
    re.I,
)
_VAGUE: Final = re.compile(
    r"\b(?:we|you|i|it|that|this|they|there|then|he|she|ok|what|what's|everything|one)\b", re.I
)


def value_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about exact values and the user's exact constraints."""
    yield from _listed(log)
    yield from _numbers(log)
    yield from pooled(
        _identifiers(log),
        "recall",
        "identifier",
        "Which identifier did the user give here: {}?",
        "Which identifiers did the user give here: {}?",
        len(log.points) - 1,
        0.24,
    )
    yield from _constraints(log)
    yield from _changed(log)


def _kept(found: list[Found | None]) -> tuple[Found, ...]:
    return tuple(entry for entry in found if entry is not None)


def _listed(log: ProbeLog) -> Iterator[Draft]:
    last = len(log.points) - 1
    for _, text in log.turns("user"):
        matches = (_VALUE_LINE.match(line[:120]) for line in text.splitlines()[:60])
        pairs = [(match[1], f"{match[1]} {match[2]}") for match in matches if match]
        found = {
            name: entry
            for name, line in pairs
            if not any(TextIndex(other).states((line,)) for _, other in pairs if other != line)
            and (entry := log.find(line, log.points[last], "detail"))
        }
        if len(found) < 2 or len(pairs) < 3:
            continue
        chosen = list(found)[:6]
        names = ", ".join(f"“{name}”" for name in chosen)
        yield Draft(
            "recall",
            "given-values",
            f"Which exact values did the user give for {names}?",
            tuple(found[name] for name in chosen),
            last,
            0.05 if len(chosen) > 2 else 0.3,
        )


def _numbers(log: ProbeLog) -> Iterator[Draft]:
    """Sentences of a user turn with numbers in running text, asked for by their first words."""
    last = len(log.points) - 1
    for _, text in log.requests:
        for sentence in sentences(opening(text)):
            matches = list(_NUMBER.finditer(sentence[:500])) if "\n" not in text else []
            subject = bare(sentence[: matches[0].start()]) if matches else ""
            subject = re.split(r",\s+|^(?:and|also|but|ok)\b", subject)[-1].strip()
            found = _kept([log.find(bare(m[0]), log.points[last], "detail") for m in matches])
            if len(content_stems(normalize(subject))) < 2 or coarse(subject):
                continue
            yield Draft(
                "recall",
                "numbers",
                f"Which exact numbers did the user give for “{subject}”, and what do they mean?",
                found[:4],
                last,
                0.2,
            )


def _identifiers(log: ProbeLog) -> Iterator[Topic]:
    """Identifiers that the user gave, asked for by the words before them."""
    for _, text in log.turns("user"):
        for sentence in sentences(opening(text)):
            match = _IDENTIFIER.search(sentence[:500])
            subject = bare(sentence[: match.start()]) if match else ""
            subject = " ".join(subject.split()[-8:])
            if match and len(content_stems(normalize(subject))) > 1 and not coarse(subject):
                found = log.find(match[0], log.points[-1], "detail", most=4)
                yield Topic(f"{subject} …", (found,) if found else ())


def _constraints(log: ProbeLog) -> Iterator[Draft]:
    last = len(log.points) - 1
    yield from pooled(
        _rules(log, last),
        "recall",
        "constraint",
        "What did the user require of {}, in so many words?",
        "What did the user require of each of these: {}?",
        last,
        0.25,
    )


def _rules(log: ProbeLog, last: int) -> Iterator[Topic]:
    for _, text in log.requests:
        for sentence in sentences(opening(text)):
            match = _RULE.match(sentence.strip(" .!"))
            if not match or coarse(sentence) or sentence.endswith("?"):
                continue
            subject = re.split(r"[,!?.]\s+|\bthat\s|^(?:and|also|but|ok)\b", match["subject"])[-1]
            if _VAGUE.search(subject) or not log.familiar(subject):
                continue
            pieces = [piece for piece in clauses(match["rule"]) if log.familiar(piece)]
            found = _kept([log.find(piece, log.points[last], "detail") for piece in pieces])
            yield Topic(bare(subject), found[:3])


def _changed(log: ProbeLog) -> Iterator[Draft]:
    """Keys of a file that edits set more than once: the last value, older ones as traps."""
    last = len(log.points) - 1
    history: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for invocation in invocations(log.messages):
        if invocation.result is None or invocation.result.is_error:
            continue
        edited = {touch.path for touch in call_touches(invocation.call) if touch.verb == "edit"}
        if len(edited) == 1:
            for key, value in _assigned(invocation.call):
                values = history[min(edited)][key]
                if not values or values[-1] != value:
                    values.append(value)
    for path, keys in history.items():
        moved = {key: values for key, values in keys.items() if len(values) > 1}
        yield from _changed_draft(log, path, moved, last)


def _changed_draft(
    log: ProbeLog, path: str, moved: dict[str, list[str]], point: int
) -> Iterator[Draft]:
    found: dict[str, Found] = {}
    traps: list[Trap] = []
    for key, values in moved.items():
        entry = log.find(f"{key}: {values[-1]}", log.points[point], "detail", most=6)
        if entry is None:
            continue
        found[key] = entry
        stale = [value for value in dict.fromkeys(values[:-1]) if value != values[-1]]
        current = (entry.fact.text,)
        traps += [Trap(f"{key}: {value}", current=current) for value in stale[-1:]]
    told = {moved[key][-1] for key in found}
    keys = sorted(found.keys() - told, key=lambda key: (-len(moved[key]), key))
    keys = [key for key in keys if moved[key][-1] not in keys][:5]
    if len(keys) < 2:
        return
    names = ", ".join(f"`{key}`" for key in keys)
    yield Draft(
        "recall",
        "changed-values",
        f"Some values in `{path}` were set more than once. To what were {names} set last?",
        tuple(found[key] for key in keys),
        point,
        0.08,
        tuple(trap for trap in traps if trap.text.split(":")[0] in keys),
    )


def _assigned(call: ToolCall) -> Iterator[tuple[str, str]]:
    """Assignments in the new text of an edit that its old text does not have."""
    arguments = {key.lower().replace("_", ""): value for key, value in call.parsed().items()}
    new = next((arguments[k] for k in ("newtext", "newstring", "newstr") if k in arguments), "")
    old = next((arguments[k] for k in ("oldtext", "oldstring", "oldstr") if k in arguments), "")
    if not isinstance(new, str) or not isinstance(old, str):
        return
    before = set(_ASSIGNED.findall(old[:_MAX_TEXT]))
    for pair in _ASSIGNED.findall(new[:_MAX_TEXT]):
        if pair not in before:
            yield pair
