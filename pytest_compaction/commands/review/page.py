"""A review as one local HTML page, and the file of answers that the page saves."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case_making import Question, Review, as_text
from pytest_compaction.commands.review.screen import passage, why_asked
from pytest_compaction.conversation import canonical_json, short_hash
from pytest_compaction.reports import content_policy, inert_json
from pytest_compaction.text import printable

_ROOM: Final = 300


def page_of_review(reviews: Sequence[Review], paths: Sequence[Path], everything: bool) -> str:
    """The page: it asks for nothing, and lets a person save a file of answers."""
    questions = [_data(review, each) for review in reviews for each in review.questions]
    name = "review-answers.json"
    flags = f"{'--all ' * everything}--answers {name}"
    command = f"pytest-compaction review {shlex.join(map(str, paths))} {flags}"
    data = {
        "questions": questions,
        "name": name,
        "command": printable(command),
        "key": f"pytest-compaction-review-{short_hash(canonical_json(questions))}",
    }
    colours = files("pytest_compaction.reports.page") / "assets" / "colours.css"
    style = colours.read_text("utf-8") + _asset("page.css")
    script = _asset("page.js")
    page = _asset("page.html")
    parts = {
        "policy": content_policy(script, style),
        "style": style,
        "script": script,
        "data": inert_json(data),
    }
    before, *rest = page.split("@")
    return before + "".join(parts.get(part, part) for part in rest)


def _data(review: Review, question: Question) -> dict[str, Any]:
    case, probe = review.case, question.probe
    by_id = {message.id: message for message in case.messages}
    facts = [
        {
            "text": printable(f"{fact.text} ({fact.type})"),
            "evidence": [
                {
                    "where": f"{printable(id, 40)} {by_id[id].role}",
                    "text": passage(by_id[id], fact, _ROOM),
                }
                for id in fact.evidence
            ],
            "not": [printable(trap.text) for trap in fact.counterparts],
            "why": printable(why_asked(fact, by_id, _ROOM)),
        }
        for fact in probe.facts
    ]
    asked = "" if question.place == "proposed" else ", asked already"
    return {
        "case": case.id,
        "id": probe.id,
        "mark": question.mark,
        "place": f"{probe.kind} after {case.points[probe.point].id}{asked}",
        "asked": printable(probe.question),
        "facts": facts,
        "text": as_text(question.data),
    }


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
