"""Whether what is called needed had to be remembered: ``python -m tests.benchmarks needed FILE …``.

At a compaction on record the agent went on with the view that its own strategy made. What the
session needed afterwards must then have stood in that view, or the agent fetched it again;
otherwise it came from elsewhere, and the family calls things needed that nobody had to remember.
The table has, for each family of questions, the facts that are asked and proposed in the cases of
the sessions, and the share of the sure facts at recorded compactions of which one of both is true.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_compaction.case import Fact
from pytest_compaction.case_making import Redactor, make_case, needed
from pytest_compaction.case_making.derive import SOURCES
from pytest_compaction.case_making.log import Candidate, Draft, Found, Need, ProbeLog
from pytest_compaction.case_making.needed_probes import fact_type, named
from pytest_compaction.case_making.points import record_points
from pytest_compaction.conversation import Message, readable
from pytest_compaction.importers import (
    ImportFormatError,
    Transcript,
    conversations,
    importer_for,
    load_importers,
)
from pytest_compaction.metrics import view_index

LEAST_SHARE = 0.85
"""A family is asked without review only if so much of it stood in the view or was fetched."""


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown, and how many sessions give a case."""
    parser = argparse.ArgumentParser(prog="needed", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--controls", type=Path, help="write facts and controls there, as JSONL")
    chosen = parser.parse_args(arguments)
    files = chosen.files
    if chosen.controls:
        pairs = (pair for transcript in _transcripts(files) for pair in controls_of(transcript))
        lines = (
            json.dumps({"needed": one, "control": control})
            for one, controls in pairs
            for control in controls[:1]
        )
        chosen.controls.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    asked, proposed = Counter[str](), Counter[str]()
    known, held = Counter[str](), Counter[str]()
    sessions = cases = tokens = 0
    for transcript in _transcripts(files):
        sessions += 1
        for family, is_held in at_recorded(transcript):
            known[family] += 1
            held[family] += is_held
        try:
            made = make_case(transcript)
        except ImportFormatError:
            continue
        cases, tokens = cases + 1, tokens + made.tokens
        for probes, counts in (("probes", asked), ("proposed", proposed)):
            for probe in made.data.get(probes, ()):
                counts[probe["id"].split("-", 2)[2]] += len(probe["facts"])
    say("| family | asked | proposed | at recorded compactions | in the view or fetched |")
    say("|---|---|---|---|---|")
    for family in sorted({*asked, *proposed, *known}):
        share = f"{held[family] / known[family]:.0%}" if known[family] else ""
        say(f"| {family} | {asked[family]} | {proposed[family]} | {known[family]} | {share} |")
    total = sum(asked.values())
    density = tokens // max(1, total)
    say(f"\n{cases} of {sessions} sessions give a case; one fact for {density:,} tokens")


def say(line: str) -> None:
    """Print a line of the table."""
    sys.stdout.write(line + "\n")


def _transcripts(files: Sequence[Path]) -> Iterator[Transcript]:
    for path in files:
        importer = importer_for(path, load_importers().importers)
        for read in conversations(importer, path):
            yield Redactor().redact(read)


def at_recorded(transcript: Transcript) -> Iterator[tuple[str, bool]]:
    """The family of each sure fact at a recorded compaction, and whether the agent had it."""
    records = [record for record in record_points(transcript) if record.data]
    places = [record.index for record in records]
    for record in records:
        others = [place for place in places if place != record.index]
        log = ProbeLog(transcript.messages, [record.index], None, others)
        view = view_index(record.view)
        for draft in _sure(log):
            for found in draft.found:
                yield draft.name, view.is_stated(found.fact.statement) or _fetched(log, found)


def _sure(log: ProbeLog) -> Iterator[Draft]:
    return (draft for source in SOURCES.values() for draft in source(log, 0) if draft.sure)


def _fetched(log: ProbeLog, found: Found) -> bool:
    """Whether a message after the point and up to the use states the fact, or repeats its call."""
    need = found.need
    if need is None:
        return False
    since: Sequence[Message] = log.messages[log.points[0] + 1 : need.use + 2]
    return need.way == "fetched" or view_index(since).is_stated(found.fact.statement)


def controls_of(
    transcript: Transcript, which: str = "probes"
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each fact that is asked, or ``proposed``, with its control: as question, fact, type, point.

    A control is a fact of the same session and type that as many messages state, one more or less,
    which stands about as far before the point, and of which no later message names or says
    anything.
    """
    data = make_case(transcript).data
    place = {message.id: at for at, message in enumerate(transcript.messages)}
    points = {each["id"]: place[each["after"]] for each in data["compaction_points"]}
    probes = data.get(which, [])
    asked = [points[probe.get("point", list(points)[-1])] for probe in probes]
    recorded = [place[e["after"]] for e in data["compaction_points"] if "recorded" in e]
    taken = {fact["text"] for probe in probes for fact in probe["facts"]}
    for at in sorted(set(asked)):
        log = ProbeLog(transcript.messages, [at], data["budget"], [r for r in recorded if r != at])
        pool = list(_never_used(log))
        for probe in (each for each, point in zip(probes, asked, strict=True) if point == at):
            for fact in probe["facts"]:
                known = Fact(fact["text"], type=fact["type"], keys=tuple(map(tuple, fact["keys"])))
                found = log.find(Candidate(known.text, known.type, known.keys), at, most=40)
                if found is None:
                    continue
                fits = [
                    each
                    for each in pool
                    if each.fact.type == known.type
                    and each.fact.text not in taken
                    and abs(len(each.positions) - len(found.positions)) <= 1
                ]
                first = found.positions[0]
                fits.sort(key=lambda one: abs(one.positions[0] - first))
                best = list({one.fact.text: one for one in fits}.values())[:1]
                taken.update(one.fact.text for one in best)
                controls = [_shown(_question(one), one.fact.text, log, one) for one in best]
                yield _shown(probe["question"], fact["text"], log, found), controls


def _shown(question: str, text: str, log: ProbeLog, found: Found) -> dict[str, Any]:
    point = log.points[0]
    return {
        "question": question,
        "fact": text,
        "type": found.fact.type,
        "point": point,
        "after": log.messages[point].id,
        "evidence": list(found.fact.evidence),
        "mentions": len(found.positions),
        "distance": point - found.positions[-1],
    }


def _question(found: Found) -> str:
    """The question by which a control would be asked."""
    name = found.need.name if found.need else ""
    type = found.fact.type
    if type in {"identifier", "path", "value"} and name:
        gap = found.fact.text.replace(name, "____")
        return f"Which name or value belongs in the gap of this sentence of the session: “{gap}”"
    if type == "constraint":
        return "Which rules and requirements did the user set for the work?"
    if type == "next_step":
        return "What had the user asked for that the work goes on with?"
    return f"What had been found out or decided{f' about `{name}`' if name else ''}?"


def _never_used(log: ProbeLog) -> Iterator[Found]:
    """Facts of the log before its point that nothing after it is about."""
    at, last = log.points[0], needed.left_tail(log, 0)
    first = needed.first_held(log, at)
    later = "\n".join(readable(message) for message in log.messages[at + 1 :]).casefold()
    for name, told in needed.told_by_name(log).items():
        values = [one for one in told if one.role == "tool" and first <= one.place < last]
        if values and name.casefold() not in later and needed.is_telling(log, name):
            one = values[-1]
            need = Need("used", one.text, one.place, one.place, 0, name, one.source)
            if entry := named(log, need, 0):
                yield entry
    for need in needed.changed_files(log, 0, every=True):
        told_as = Candidate(need.clause, "path", ((need.name,),))
        entry = log.find(told_as, at, most=40)
        if entry and needed.last_part(need.name).casefold() not in later:
            yield replace(entry, need=need)
    for said in (*needed.agent_sentences(log), *needed.user_sentences(log)):
        clear = first <= said.place < last and needed.is_clear(said.text)
        if clear and needed.governed(log, 0, said.text, 0.3) is None:
            yield from _of_sentence(log, said, later)


def _of_sentence(log: ProbeLog, said: needed.Said, later: str) -> Iterator[Found]:
    unused = [name for name in said.names if name.casefold() not in later]
    for name in (name for name in unused if needed.is_telling(log, name)):
        need = Need("used", said.text, said.place, said.place, 0, name=name)
        if entry := named(log, need, 0):
            yield entry
    if len(unused) == len(said.names):
        type = fact_type(said.text)
        if log.messages[said.place].role == "user":
            type = "constraint" if needed.cue("rule").search(said.text) else "next_step"
        entry = log.find(Candidate(said.text, type), log.points[0], most=8)
        if entry is not None:
            yield replace(entry, need=Need("used", said.text, said.place, said.place, 0))
