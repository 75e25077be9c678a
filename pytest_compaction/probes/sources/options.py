"""Decision probes about options offered to the user, and about causes that the agent found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from pytest_compaction.artifacts.operations import Invocation, invocations
from pytest_compaction.case.case import Trap
from pytest_compaction.probes.keys import keys_of
from pytest_compaction.probes.log import Candidate, Draft, ProbeLog
from pytest_compaction.probes.phrases import bare, clauses, coarse, sentences
from pytest_compaction.probes.topics import Topic, pooled

_OFFERED: Final = re.compile(
    r"^\s*(?:[-*]\s+)?(?:\*\*)?(?:option\s+)?(?P<mark>[1-6]|[a-fA-F])(?:\*\*)?[.):]\s*"
    r"(?P<text>\S.{3,200})$",
    re.MULTILINE | re.IGNORECASE,
)
_TAKEN: Final = re.compile(
    r"^(?:(?:ok|yes|yeah|sure|let'?s|please|i'?d|go|do|use|take|prefer|with|for|the|number|option"
    r"|choose|pick|try)[\s,]+){0,6}(?:(?P<mark>[1-6]|(?<=option )[a-f]|first|second|third|fourth)"
    r"|(?P<letter>[a-f]))(?:\s+(?:one|option))?(?:\s*(?:[.,!;)]|$)|\s+(?:please|then|is|sounds))",
    re.IGNORECASE,
)
_ORDINALS: Final = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
_ANSWERED: Final = re.compile(r"\"([^\"\n]{8,200})\"=\"([^\"\n]{2,140})\"")
_HEADLINE: Final = re.compile(r"\*\*(.+?)\*\*|^(.+?)(?:\s+[-–—]\s+|:\s|\.\s|$)")
_CAUSE: Final = re.compile(
    r"(?:^|[,;:]\s|\b(?:so|found|seems?|appears|clear|out|see)\s(?:that\s)?)(?:the )?"
    r"(?:root cause|(?:real|actual|underlying) (?:problem|issue|cause|bug)"
    r"|problem|issue|bug|culprit) (?:here )?(?:is|was) (?:that )?"
    r"(?!(?:now|fixed|resolved|solved|gone|still|not|no longer|in|on)\b)(?P<text>.{15,160})$",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(r"\b(?:likely|probably|maybe|might|perhaps|possibly|could)\b", re.I)
_MAX_USER: Final = 200


def option_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about options that the agent listed or asked about with a tool, and about causes."""
    yield from _listed(log)
    yield from _asked(log)
    yield from pooled(
        _causes(log),
        "decision",
        "cause",
        "After the request {}, what did the agent find to be the cause?",
        "What did the agent find to be the cause after each of these requests: {}?",
        len(log.points) - 1,
        0.25,
    )


def _listed(log: ProbeLog) -> Iterator[Draft]:
    """Drafts from numbered options in an assistant's message and an answer that names one."""
    turns = sorted(
        [(place, "assistant", text) for place, text in log.turns("assistant")]
        + [(place, "user", text) for place, text in log.turns("user")]
    )
    for (place, role, text), (_, following, answer) in pairwise(turns):
        if (role, following) != ("assistant", "user") or len(answer) > _MAX_USER:
            continue
        if len(_OFFERED.findall(answer)) > 1:
            continue
        taken = _TAKEN.match(answer)
        offered = {m["mark"].lower(): _headline(m["text"]) for m in _OFFERED.finditer(text)}
        if taken is None or len(offered) < 2 or "?" not in text:
            continue
        mark = (taken["mark"] or taken["letter"]).lower()
        chosen = offered.pop(_ORDINALS.get(mark, mark), "")
        request = log.request_before(place)
        if chosen and request:
            question = (
                f"After the request “{request}” the agent offered several options. "
                "Which did the user choose?"
            )
            yield from _choice(log, question, chosen, list(offered.values()))


def _headline(text: str) -> str:
    found = _HEADLINE.search(text.strip())
    return bare((found[1] or found[2]) if found else text)


def _choice(log: ProbeLog, question: str, chosen: str, others: Sequence[str]) -> Iterator[Draft]:
    last = len(log.points) - 1
    found = log.find(Candidate(chosen, "decision"), log.points[last])
    if found is not None:
        traps = tuple(
            Trap(text, keys=keys_of(text, log.frequency), type="decision", of=found.fact.text)
            for text in others[:4]
            if text
        )
        yield Draft("decision", "option", question, (found,), last, 0.12, traps, least=1)


def _asked(log: ProbeLog) -> Iterator[Draft]:
    """Drafts from questions that the agent asked with a tool, and the label that the user chose."""
    for invocation in invocations(log.messages):
        options = _options(invocation)
        for question, label in _ANSWERED.findall(invocation.output[:5_000]):
            others = [other for other in options.get(question, ()) if other != label]
            if question in options and len(others) < len(options[question]):
                asked = f"The agent asked the user: “{question}” What did the user choose?"
                yield from _choice(log, asked, label, others)


def _options(invocation: Invocation) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    questions = invocation.call.parsed().get("questions")
    for entry in questions[:20] if isinstance(questions, list) else []:
        options: Any = entry.get("options") if isinstance(entry, Mapping) else None
        if isinstance(options, list) and isinstance(entry.get("question"), str):
            labels = [option.get("label") for option in options if isinstance(option, Mapping)]
            found[entry["question"]] = [label for label in labels if isinstance(label, str)]
    return found


def _causes(log: ProbeLog) -> Iterator[Topic]:
    asked = log.points[-1]
    for place, text in log.turns("assistant"):
        request = log.request_before(place)
        for sentence in sentences(text) if request else []:
            match = _CAUSE.search(sentence.strip(" .!"))
            if (
                match is None
                or coarse(sentence)
                or _HEDGE.search(sentence)
                or sentence.endswith(("?", ":"))
            ):
                continue
            causes = (Candidate(piece, "reason") for piece in clauses(match["text"], most=20)[:1])
            yield Topic(request, log.find_all(causes, asked))
