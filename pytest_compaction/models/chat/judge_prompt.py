"""The fields of the judge's prompt; everything that others wrote stands in fences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_compaction.case.case import Fact, Trap
from pytest_compaction.conversation.formats.requests import clean
from pytest_compaction.models.chat.fences import fences_for
from pytest_compaction.models.chat.judge_reply import reply_form
from pytest_compaction.models.protocol import JudgeRequest
from pytest_compaction.rubric import Criterion

NONE: dict[str, str] = {"traps": "(none)", "response": "(empty)", "log": "(empty)"}
"""Shown in place of empty material. It is our own text, and so stands outside the fences."""


def judge_fields(request: JudgeRequest, log: str, form: str) -> dict[str, str]:
    """The fields of the judge's template for a request; ``log`` is the excerpt to show."""
    materials = {
        "question": request.question,
        "facts": "\n".join(f"{n}. {_fact(fact)}" for n, fact in enumerate(request.facts, 1)),
        "traps": "\n".join(f"{n}. {_trap(trap)}" for n, trap in enumerate(request.traps, 1)),
        "log": log,
        "response": request.response,
    }
    materials = {name: clean(text) for name, text in materials.items()}
    fences = fences_for([*materials.values(), form])
    fields = {
        name: fences.around(_NAMES[name], text) if text.strip() else NONE.get(name, "(none)")
        for name, text in materials.items()
    }
    return {
        **fields,
        "mark": fences.mark,
        "form": fences.around("form", form) if request.answer.forbid else form,
        "criteria": "\n".join(_criterion(criterion) for criterion in request.criteria),
        "reply": reply_form(request),
    }


_NAMES = {
    "question": "question",
    "facts": "facts",
    "traps": "stale claims",
    "log": "session",
    "response": "answer",
}


def _fact(fact: Fact) -> str:
    """The type, the text, and the words by which it may be recognised."""
    type = f"{fact.type}, {fact.change or 'read'}" if fact.type == "path" else fact.type
    return f"[{type}] {_one_line(fact.text)}{_also((*fact.aliases, *_key_words(fact.keys)))}"


def _trap(trap: Trap) -> str:
    now = trap.current or ((trap.of,) if trap.of else ())
    current = f" (now: {'; '.join(map(_one_line, now))})" if now else ""
    also = _also((*trap.aliases, *_key_words(trap.keys)))
    return f"[{trap.type}] {_one_line(trap.text)}{also}{current}"


def _key_words(keys: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The key groups in one entry: alternatives with strokes, groups with plus signs."""
    groups = [" | ".join(group) for group in keys]
    return (" + ".join(groups),) if groups else ()


def _also(aliases: Iterable[str]) -> str:
    others = "; ".join(map(_one_line, aliases))
    return f" (or: {others})" if others else ""


def _one_line(text: str) -> str:
    """A numbered entry on one line, so that a part of it cannot look like another entry."""
    return " ".join(text.split())


def _criterion(criterion: Criterion) -> str:
    low, middle, high = criterion.anchors
    anchors = f"0: {low}. 3: {middle}. 5: {high}."
    return f"- {criterion.id}{_types(criterion)}: {criterion.question} {anchors}"


def _types(criterion: Criterion) -> str:
    """The types of facts that a criterion reads; for files also what happened to them."""
    if not criterion.types:
        return ""
    changes = f", {' or '.join(sorted(criterion.changes))}" if criterion.changes else ""
    return f" (facts: {' or '.join(sorted(criterion.types))}{changes})"
