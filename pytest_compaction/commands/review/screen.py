"""A question of a review as lines: its facts, what states them, and why they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from pytest_compaction.case import Fact
from pytest_compaction.case_making import Question, Review
from pytest_compaction.conversation import Message, readable
from pytest_compaction.reports import Page, counted
from pytest_compaction.text import TextIndex, printable


def screen(
    review: Review, question: Question, page: Page, messages: int, lines: int
) -> Iterator[str]:
    """A question, its facts, the messages that state them, and why each is asked."""
    probe, by_id = question.probe, {message.id: message for message in review.case.messages}
    asked = "" if question.place == "proposed" else ", asked already"
    yield ""
    yield from page.lines(probe.question, 2)
    yield ""
    whys = [why_asked(fact, by_id, page.width if lines else 0) for fact in probe.facts]
    for fact, why, following in zip(probe.facts, whys, [*whys[1:], ""], strict=True):
        kind = f"{fact.type}, {fact.change}" if fact.change else fact.type
        yield from page.lines(f"{fact.text}  ({kind}{asked})", 8, "  fact")
        if lines:
            room = (page.width - 22) * lines
            for id in fact.evidence[:messages]:
                role = by_id[id].role
                said = passage(by_id[id], fact, room)
                yield from page.lines(said, 20, f"    {printable(id, 12)} {role}")
        for trap in fact.counterparts:
            yield from page.lines(trap.text, 8, "  not")
        if why and why != following:
            yield from page.lines(why, 8, "  why")
    yield ""


def why_asked(fact: Fact, by_id: Mapping[str, Message], room: int) -> str:
    """The use that was made of a fact, and the words of the message if the case has it."""
    needed = fact.needed
    if needed is None:
        return ""
    calls = f", {counted(needed.distance, 'call')} later" if needed.distance else ""
    message = None if needed.message in fact.evidence else by_id.get(needed.message)
    said = f" — {passage(message, fact, room)}" if message and room else ""
    return f"{needed.why}{calls}{said}"


_index = lru_cache(maxsize=64)(TextIndex)


def passage(message: Message, fact: Fact, room: int) -> str:
    """The part of a message that states a fact, or that names it, in so many characters."""
    text = readable(message)
    clause = _index(text).read(fact.statement).clause
    at = text.find(clause) if clause else -1
    if at < 0:
        keys = [key for group in fact.keys for key in group] or [fact.text]
        places = (text.casefold().find(key.casefold()) for key in sorted(keys, key=len)[::-1])
        at = next((place for place in places if place >= 0), 0)
    start = text.rfind("\n", 0, at) + 1
    start = at - room // 3 if at - start > room // 2 else start
    cut = start and text[start - 1] != "\n"
    return ("…" if cut else "") + printable(text[start : start + 2 * room], room)
