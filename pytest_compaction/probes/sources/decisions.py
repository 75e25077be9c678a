"""Decision probes: what was chosen and rejected, why, and what the user corrected."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.tool_calls import call_touches
from pytest_compaction.case.case import FactType
from pytest_compaction.probes.log import Candidate, Draft, Found, ProbeLog
from pytest_compaction.probes.phrases import bare, clauses, coarse, opening, quotable, sentences
from pytest_compaction.probes.topics import Topic, pooled
from pytest_compaction.probes.vocabulary import REQUESTS
from pytest_compaction.text.words import NEGATIONS, content_stems, normalize, raw_tokens, stem

_INSTEAD: Final = re.compile(r"\s+(?:instead of|rather than|in place of)\s+", re.I)
_BECAUSE: Final = re.compile(r",?\s+(?:because of|because|since)\s+", re.I)
_SINCE_FIRST: Final = re.compile(
    r"(?:since|because) (?P<reason>[^,]{12,140}), (?P<effect>.+)", re.I
)
_CHOICE: Final = re.compile(
    r"\b(?:let'?s go with|decided (?:to|on|against)|makes more sense"
    r"|best (?:solution|option|approach)|we(?:'ll| will) (?:use|go with|keep)|the fix is"
    r"|better to|prefer(?:red)? to)\b",
    re.I,
)
_CORRECTION: Final = re.compile(
    r"^(?:no\b|nope|actually|well,|wait,|don'?t|not |yeah you can undo|undo|revert|instead)"
    r"|\b(?:undo|revert)\b",
    re.I,
)
_GUESS: Final = re.compile(
    r"\b(?:bet|maybe|might|guess|would|could|should|perhaps|probably|likely|option \d)\b", re.I
)
_LEAD: Final = re.compile(
    r"^(?:(?:so|now|and|then)\s+)?"
    r"(?:i(?:'ll| will|'ve| have|'m going to)?|let me|let's|we(?:'ll| will)?)\s+(?=\w+\s)",
    re.I,
)
_POINTING: Final = re.compile(r"^(?:this|that|it|these|those|they|both|you|i|we|so|and)\b", re.I)


def decision_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Alternatives chosen and rejected, reasons given, and corrections by the user."""
    last = len(log.points) - 1
    yield from _instead(log, last)
    yield from pooled(
        _reasons(log, last),
        "decision",
        "reason",
        "What was the reason given for this: {}?",
        "What was the reason given for each of these: {}?",
        last,
        0.3,
    )
    yield from pooled(
        _choices(log, last),
        "decision",
        "choice",
        "The user had asked: {}. Which solution was settled on?",
        "Which solution was settled on for each of these requests: {}?",
        last,
        0.32,
    )
    yield from pooled(
        _corrections(log, last),
        "decision",
        "correction",
        "The assistant had said: {}. How did the user correct or change that?",
        "Twice the user corrected what the assistant had said: {}. What did the user want instead?",
        last,
        0.2,
    )


def _fact(log: ProbeLog, text: str, last: int, type: FactType = "decision") -> tuple[Found, ...]:
    text = bare(text)
    telling = set(content_stems(normalize(text))) - NEGATIONS - {"longer"}
    if len(telling) < 3 or len(text.split()) > 20 or coarse(text):
        return ()
    found = log.find(Candidate(text, type), log.points[last])
    return (found,) if found else ()


def _stated(log: ProbeLog) -> Iterator[tuple[int, str]]:
    """Sentences that state something: not questions, guesses, or lead-ins with a colon."""
    for place, text in (turn for role in ("user", "assistant") for turn in log.turns(role)):
        for sentence in sentences(text):
            plain = len(sentence) < 300 and not sentence.endswith(("?", ":"))
            if plain and not coarse(sentence) and not _GUESS.search(sentence):
                yield place, sentence


def _instead(log: ProbeLog, last: int) -> Iterator[Draft]:
    """Drafts about sentences such as "X instead of Y": what was chosen instead of Y?

    A message with several becomes one draft; single ones are asked in pairs.
    """
    pairs: dict[int, list[tuple[str, Found]]] = defaultdict(list)
    for place, sentence in _stated(log):
        parts = _INSTEAD.split(sentence)
        if len(parts) != 2:
            continue
        if NEGATIONS & set(raw_tokens(normalize(parts[0]))) or "n't" in parts[0]:
            continue
        rejected = bare(re.split(r"[,;:!(]|\s-\s", parts[1])[0])
        chosen = _LEAD.sub("", re.split(r"[,;]\s|\s-\s|:\s", parts[0])[-1].strip())
        found = _fact(log, chosen, last) if _decides(chosen) else ()
        if found and len(rejected) > 2 and len(rejected.split()) <= 8:
            pairs[place].append((rejected, found[0]))
    topics: list[Topic] = []
    for place, held in pairs.items():
        request = log.request_before(place)
        if len(held) > 1:
            things = "; ".join(f"“{rejected}”" for rejected, _ in held[:4])
            during = f"After the request “{request}”: what" if request else "What"
            yield Draft(
                "decision",
                "instead",
                f"{during} was chosen instead of each of these: {things}?",
                tuple(found for _, found in held[:4]),
                last,
                0.2,
            )
        else:
            worked_on = _worked_on(log, place)
            during = f" (after the request “{request}”)" if request else ""
            during = f" (in the step on `{worked_on}`)" if worked_on else during
            topics.append(Topic(f"{held[0][0]}{during}", (held[0][1],)))
    one = "What was chosen instead of this: {}?"
    many = "What was chosen instead of each of these: {}?"
    yield from pooled(topics, "decision", "instead", one, many, last, 0.35)


def _decides(chosen: str) -> bool:
    """Whether a clause says what is done or used, and does not only tell what was found."""
    words = re.findall(r"[a-z]+", chosen.casefold())[:6]
    if {"has", "have", "had"} & set(words):
        return False
    return words[:1] != ["but"] and any(stem(word) in REQUESTS for word in words)


def _worked_on(log: ProbeLog, place: int) -> str:
    """The file that the calls of the message at ``place`` touch; empty unless exactly one."""
    calls = log.messages[place].calls
    paths = {touch.path for call in calls for touch in call_touches(call)}
    return paths.pop() if len(paths) == 1 else ""


def _reasons(log: ProbeLog, last: int) -> Iterator[Topic]:
    for _, sentence in _stated(log):
        first = _SINCE_FIRST.match(sentence)
        parts = _BECAUSE.split(sentence, maxsplit=1)
        if first:
            effect, reason = bare(first["effect"]), first["reason"]
        elif len(parts) == 2:
            effect, reason = bare(parts[0]), parts[1]
        else:
            continue
        whole = "`" not in effect or effect.count("`") % 2 == 0
        if 4 <= len(effect.split()) <= 25 and whole and not _POINTING.match(effect):
            yield Topic(effect, _fact(log, reason, last, "reason"))


def _choices(log: ProbeLog, last: int) -> Iterator[Topic]:
    for place, sentence in _stated(log):
        request = log.request_before(place)
        match = _CHOICE.search(sentence)
        if match and request:
            yield Topic(request, _fact(log, sentence[match.start() :], last))


def _corrections(log: ProbeLog, last: int) -> Iterator[Topic]:
    said = log.turns("assistant")
    before = number = 0
    for place, text in log.turns("user"):
        answer = ""
        while number < len(said) and said[number][0] < place:
            position, answer_text = said[number]
            answer = answer_text if position >= before else answer
            number += 1
        before = place
        final = sentences(answer)[-1:]
        quoted = quotable(final[0]) if final and not final[0].endswith("?") else ""
        corrects = _CORRECTION.search(text[:200]) and not coarse(text) and len(text) <= 500
        corrects = corrects and not text.startswith(("/", "!"))
        if corrects and len(quoted.split()) >= 4:
            pieces = [clause for clause in clauses(opening(text)) if log.familiar(clause)]
            wanted = (Candidate(piece, "constraint") for piece in pieces)
            yield Topic(quoted, log.find_all(wanted, log.points[last]))
