"""The report of an import: records read, questions asked, proposals that wait for a person."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pytest_compaction.artifacts import LogPlaces
from pytest_compaction.case import TEXT_KINDS, Fact, case_from_json
from pytest_compaction.case_making import Carried, MadeCase, ModelProbes, ProbeLog, Redactor
from pytest_compaction.conversation import readable
from pytest_compaction.importers import Importer, Transcript
from pytest_compaction.text import TextIndex, name_of, printable

_PLURALS: Final = {
    "secret": "secrets",
    "e-mail address": "e-mail addresses",
    "home folder": "home folders",
    "name of a person": "names of people",
}
_NOTHING_FOUND: Final = "(no secret, e-mail address, name of a person or home folder was found)"


def _row(name: str, number: int, text: str = "") -> None:
    print(f"  {name:<14} {number:>7,}  {text}".rstrip())


def report_case(target: Path, importer: Importer, transcript: Transcript, made: MadeCase) -> None:
    tally, probes = transcript.tally, made.data["probes"]
    print(f"{printable(str(target))}  ({importer.name}: {printable(transcript.source)})")
    _row("records read", tally.records)
    _row("messages made", tally.messages, f"{made.tokens:,} tokens")
    for title, reasons in (("left out", tally.left_out), ("repaired", tally.repaired)):
        for reason, number in reasons.items():
            _row(title, number, printable(reason, 120))
    sizes = f"window {made.data['window']:,}, budget {made.data['budget']:,} tokens"
    _row("points", len(made.data["compaction_points"]), sizes)
    if made.recorded:
        _row("recorded", made.recorded, "compacted by the agent (--compactor=recorded)")
    for reason, number in sorted(Counter(made.unrecorded).items()):
        _row("no record", number, printable(reason, 120))
    if made.after:
        _row("after", made.after, "messages after the last point, which tell what was needed")
    case = case_from_json(made.data)
    _row("probes", len(probes), _numbers(probe.kind for probe in case.probes))
    facts = [fact for probe in case.probes for fact in probe.facts]
    needed = sum(fact.needed is not None for fact in facts)
    places = LogPlaces(case.messages)
    again = sum(_can_be_read_again(fact, places) for fact in facts)
    _row("facts", len(facts), _numbers(fact.type for fact in facts))
    if facts:
        _row("needed", needed, "facts that the session used, repeated or was bound by later")
        _row("one call", again, "facts that can be read again with one call")
    if lacking := _lacking(made.derived.lacking):
        _row("lacking", len(made.derived.lacking), lacking)
    if unasked := made.derived.unasked:
        why = f"there are no rules for {name_of(case.language)}: {'; '.join(unasked)}"
        _row("not asked", len(unasked), why)
    _report_proposals(len(case.proposed), made.withheld, target)
    if not probes:
        until = "confirm a proposed one" if case.proposed else "add probes, as docs/cases.md shows"
        print(f"  Warning: a run refuses this case, which has no question yet, until you {until}.")
    if made.unanswered:
        why = "without any fact in the offline answer from the full log; see pytest-compaction lint"
        _row("unanswered", made.unanswered, why)


def _report_proposals(waiting: int, withheld: int, target: Path) -> None:
    if waiting:
        command = f"pytest-compaction review {shlex.quote(str(target))}"
        _row("proposed", waiting, printable(f"wait for you: {command}"))
    if withheld:
        why = "proposals of kinds that people rarely confirm; --all-proposals keeps them"
        _row("withheld", withheld, why)


def _numbers(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(Counter(names).items()))


def _can_be_read_again(fact: Fact, places: LogPlaces) -> bool:
    """Whether one call brings a fact back: a tool printed it, or a call wrote it to a file."""
    for id in fact.evidence:
        held = places.of_results(id, sys.maxsize)
        if held.paths or held.commands:
            return True
        for written in places.of_written(id, sys.maxsize):
            if TextIndex(readable(written.call)).is_stated(fact.statement):
                return True
    return False


def _lacking(kinds_by_point: Mapping[str, Sequence[str]]) -> str:
    """The kinds of questions that points lack, such as ``no decision before p2, p3``."""
    points: dict[str, list[str]] = {}
    for point, kinds in kinds_by_point.items():
        for kind in ["question"] if len(kinds) == len(TEXT_KINDS) else kinds:
            points.setdefault(kind, []).append(point)
    return "; ".join(f"no {kind} before {', '.join(held)}" for kind, held in points.items())


def report_redaction(redactor: Redactor) -> None:
    for kind, count in redactor.counts.items():
        values = kind if count.values == 1 else _PLURALS[kind]
        places = "place" if count.places == 1 else "places"
        _row("redacted", count.values, f"{values}, in {count.places:,} {places}")
    if not redactor.counts:
        _row("redacted", 0, _NOTHING_FOUND)


def report_model(source: ModelProbes) -> None:
    written = source.written
    kept = len(written.probes)
    rest = "" if kept else "; the probes are made by rules"
    print(f"  by {printable(source.name, 60)}: {written.proposed} proposed, {kept} kept{rest}")
    for reason, number in written.refused.items():
        _row("not kept", number, printable(reason, 160))


def report_facts(made: MadeCase) -> None:
    case = case_from_json(made.data)
    log = ProbeLog(case.messages, [point.index for point in case.points])
    for probe in case.probes:
        asked = case.points[probe.point].index
        print(f"  {probe.id}: {printable(probe.question)}")
        for fact in probe.facts:
            places = [place for place in log.stated(fact) if place <= asked]
            where = ", ".join(case.messages[place].id for place in places[:5])
            more = f" and {len(places) - 5} more" if len(places) > 5 else ""
            times = f"{len(places)} of {asked + 1} messages"
            print(f"    {printable(fact.text, 90)}  ({times}: {where}{more})")


def report_answers(carried: Carried) -> None:
    if carried.confirmed or carried.lost:
        gone = f"; {carried.lost} no longer fit the session and are gone" if carried.lost else ""
        _row("kept", carried.confirmed, f"questions that you had confirmed{gone}")
    if carried.declined:
        _row("declined", carried.declined, "questions that you had declined, not proposed again")
