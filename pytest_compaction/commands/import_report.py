"""What ``pytest-compaction import`` prints of each transcript."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from pytest_compaction.case.case import case_from_json
from pytest_compaction.case_making.by_model import ModelProbes
from pytest_compaction.case_making.case_maker import MadeCase
from pytest_compaction.case_making.log import ProbeLog
from pytest_compaction.case_making.redaction import Redactor
from pytest_compaction.importers.protocol import Importer, Transcript
from pytest_compaction.text import printable

_PLURALS: Final = {
    "secret": "secrets",
    "e-mail address": "e-mail addresses",
    "home folder": "home folders",
    "name of a person": "names of people",
}
_NOTHING_FOUND: Final = "(no secret, e-mail address, name of a person or home folder was found)"


def report_case(target: Path, importer: Importer, transcript: Transcript, made: MadeCase) -> None:
    """Print what was read, what was left out or changed, and what the case has."""
    tally = transcript.tally
    probes = made.data["probes"]
    kinds = Counter(probe["kind"] for probe in probes)
    facts = sum(len(probe["facts"]) for probe in probes)
    print(f"{printable(str(target))}  ({importer.name}: {printable(transcript.source)})")
    print(f"  records read   {tally.records:>7,}")
    print(f"  messages made  {tally.messages:>7,}  {made.tokens:,} tokens")
    for title, reasons in (("left out", tally.left_out), ("repaired", tally.repaired)):
        for reason, number in reasons.items():
            print(f"  {title:<14} {number:>7,}  {printable(reason, 120)}")
    sizes = f"window {made.data['window']:,}, budget {made.data['budget']:,} tokens"
    print(f"  points         {len(made.data['compaction_points']):>7,}  {sizes}")
    if made.recorded:
        of = "compaction" if made.recorded == 1 else "compactions"
        print(f"  recorded       {made.recorded:>7,}  {of} of the agent (--compactor=recorded)")
    for reason, number in sorted(Counter(made.unrecorded).items()):
        print(f"  no record      {number:>7,}  {printable(reason, 120)}")
    if made.after:
        print(f"  not asked      {made.after:>7,}  messages after the last point")
    shown = ", ".join(f"{kind} {kinds[kind]}" for kind in sorted(kinds))
    print(f"  probes         {len(probes):>7,}  {shown}")
    print(f"  facts          {facts:>7,}")
    if made.unanswered:
        of = "probe" if made.unanswered == 1 else "probes"
        print(
            f"  unanswered     {made.unanswered:>7,}  {of} of which the offline model finds no "
            "fact in the full log; see pytest-compaction lint"
        )
    for short in made.short:
        print(
            f"  Warning: before point {short.point} this log has {short.held:,} tokens, but the "
            f"agent counted {short.before:,} in its context. Most of what it compacted there is "
            "not in the transcript, so no probe asks for it."
        )


def too_little(number: int, total: int, of: str) -> str:
    """The line that counts what became no case because it cannot be compacted."""
    have = "has" if number == 1 else "have"
    return f"{number:,} of {total:,} {of} {have} too little to compact and became no case."


def report_redaction(redactor: Redactor) -> None:
    """Print how many values of each kind were replaced."""
    for kind, count in redactor.counts.items():
        values = kind if count.values == 1 else _PLURALS[kind]
        places = "place" if count.places == 1 else "places"
        print(f"  redacted       {count.values:>7,}  {values}, in {count.places:,} {places}")
    if not redactor.counts:
        print(f"  redacted             0  {_NOTHING_FOUND}")


def report_model(source: ModelProbes) -> None:
    """Print how many probes of the model were kept, and why the others were not."""
    written = source.written
    kept = len(written.probes)
    rest = "" if kept else "; the probes are made by rules"
    print(f"  by {printable(source.name, 60)}: {written.proposed} proposed, {kept} kept{rest}")
    for reason, number in written.refused.items():
        print(f"  not kept       {number:>7,}  {printable(reason, 160)}")


def report_facts(made: MadeCase) -> None:
    """Print every fact, and where the log states it before it is asked for."""
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
