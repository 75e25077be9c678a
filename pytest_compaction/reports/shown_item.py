"""The items of a run in the terminal: all in a line each, or one with all that its record says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.metrics import ORDER_FIGURES, is_answered, is_stated, outcome_of, reading_of
from pytest_compaction.records import Record, type_of
from pytest_compaction.reports.case_page import Page
from pytest_compaction.reports.lines import counted
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.text import printable

_LABEL: Final = 10
_NAME: Final = 200


def item_id(record: Record) -> str:
    """How an item is called here: strategy, case, probe, and what else tells it from others."""
    parts = [record["compactor"], record["case"], record["probe"]]
    budget = record.get("budget")
    parts += [] if budget is None else [f"b{budget}"]
    parts += [f"t{record['trial']}"] if record["trial"] != 1 else []
    return "-".join(map(str, parts))


def find_items(records: Sequence[Record], text: str) -> list[Record]:
    """The items whose id a text is, else those whose id holds it, else those with that score."""
    exact = [r for r in records if text in {r["item"], item_id(r), f"{r['case']}-{r['probe']}"}]
    if exact:
        return exact
    within = [r for r in records if text in item_id(r) or text in r["item"]]
    return within or [r for r in records if _score(r) == text]


def every_item(records: Sequence[Record], page: Page) -> Iterator[str]:
    """The items in a line each, the lowest first: score, status, id, facts that are gone."""

    def by_score(record: Record) -> tuple[float, str]:
        overall = record.get("overall")
        return (-1.0 if overall is None else float(overall)), item_id(record)

    for record in sorted(records, key=by_score):
        gone = sum(not is_stated(fact) for fact in record["facts"]) if "facts" in record else 0
        lost = f", {gone} of {len(record['facts'])} facts gone" if gone else ""
        lead = f"{_score(record):>5}  {record['status']:<8}"
        yield from page.lines(f"{item_id(record)}{lost}", len(lead) + 2, lead)


def item_page(
    record: Record, view: Sequence[Mapping[str, Any]] | None, page: Page
) -> Iterator[str]:
    """One item: question, view (if kept), answer, fates of facts, and the verdict with reasons."""
    yield printable(item_id(record), _NAME)
    point = (record.get("point") or {}).get("id")
    asked = f", asked after {printable(str(point), 60)}" if point else ""
    yield f"{_score(record)} of 5, {record['status']} ({record.get('kind', 'probe')}{asked})"
    if record.get("reason"):
        yield from page.lines(str(record["reason"]), _LABEL, "why")
    yield ""
    yield from page.lines(str(record.get("question") or "not recorded"), _LABEL, "question")
    yield ""
    tokens = record.get("tokens") or {}
    count = "its text is not beside the run" if view is None else counted(len(view), "message")
    size = f", {tokens['view']:,} of {tokens['log']:,} tokens" if "view" in tokens else ""
    yield f"{'view':<{_LABEL}}{count}{size}"
    for message in view or ():
        changed = "changed" if message.get("changed") else ""
        mark = "made" if message.get("origin") == "made" else changed
        head = f"{message['id']} {message['role']}{f' ({mark})' if mark else ''}: "
        yield from page.lines(printable(head, 80) + str(message["text"]), 4)
    yield ""
    if record.get("response") or all(map(is_answered, record.get("facts") or ())):
        yield from page.lines(str(record.get("response") or "none"), _LABEL, "answer")
        yield ""
    yield from _facts(record, page)
    yield from _verdict(record, page)


def _facts(record: Record, page: Page) -> Iterator[str]:
    facts, leads = record.get("facts") or [], reading_of(record)
    if not facts:
        return
    gone = sum(not is_stated(fact) for fact in facts)
    yield f"{'facts':<{_LABEL}}{len(facts)}, {gone} of them gone from the view"
    for fact in facts:
        became = str(fact.get("loss") or outcome_of(fact, leads))
        kind = str(fact.get("class") or fact.get("type") or "")
        more = [kind] if kind else []
        if fact.get("recoverable") is not None:
            if fact.get("proved"):
                more.append("proved: found by a search" if fact["recoverable"] else "proved gone")
            else:
                more.append("can be read again" if fact["recoverable"] else "gone for good")
        source = fact.get("source")
        if isinstance(source, Mapping):
            more.append(f"said in {source.get('message')}")
        elif fact.get("evidence"):
            more.append(f"said in {', '.join(map(str, fact['evidence']))}")
        said = f"{fact['text']} ({', '.join(more)})" if more else str(fact["text"])
        yield from page.lines(said, 14, f"  {printable(became, 11)}")
        for why in (fact.get("why"), (fact.get("needed") or {}).get("why")):
            if why:
                yield from page.lines(str(why), 16)
    yield ""


def _verdict(record: Record, page: Page) -> Iterator[str]:
    scores = [
        f"{name} {record['dimensions'][name]:.2f}"
        for name in DIMENSIONS
        if record.get("dimensions", {}).get(name) is not None
    ]
    if scores:
        yield from page.lines(", ".join(scores), _LABEL, "verdict")
    for criterion in record.get("criteria") or ():
        said = f"{criterion['id']}: {criterion.get('reasoning') or ''}"
        yield from page.lines(said, 8, f"  {_of_one(criterion.get('score'))}")
    nuggets = record.get("nuggets") or ()
    if nuggets:
        score = f"{_of_one(record.get('score'))} of 1"
        yield from page.lines(f"{len(nuggets)}, score {score}", _LABEL, "nuggets")
    for nugget in nuggets:
        yield from page.lines(str(nugget["text"]), 8, f"  {_of_one(nugget.get('score'))}")
        if nugget.get("reasoning"):
            yield from page.lines(str(nugget["reasoning"]), 10)
    if ordering := record.get("ordering"):
        figures = ", ".join(f"{name} {_of_one(ordering.get(name))}" for name in ORDER_FIGURES)
        yield from page.lines(figures, _LABEL, "order")
    for trap in record.get("traps") or ():
        if trap.get("hit"):
            yield from page.lines(str(trap["text"]), _LABEL, "stale")
    listed = record.get("listed")
    if listed:
        text = f"the view is mostly a list of names: {listed['count']} of {listed['of']} words"
        yield from page.lines(text, _LABEL, "noticed")
    for flag in record.get("flags") or ():
        yield from page.lines(str(flag), _LABEL, "noticed")


def _of_one(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _score(record: Record) -> str:
    is_dialogue = type_of(record) == "dialogue"
    return _of_one(record.get("consistency") if is_dialogue else record.get("overall"))
