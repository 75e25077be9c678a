"""``pytest-compaction import``: benchmark cases from agent transcripts."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import case_from_json
from pytest_compaction.case_making import (
    DEFAULT_COUNT,
    MadeCase,
    ModelProbes,
    NoProbeError,
    NotCompactableError,
    ProbeLog,
    ProbeSource,
    Redactor,
    SessionPart,
    case_names,
    derive_probes,
    make_case,
    model_probes,
    write_case,
)
from pytest_compaction.commands.arguments import add_store, complain, number_type
from pytest_compaction.gc_threshold import look_less_often
from pytest_compaction.importers import (
    Importer,
    ImportFormatError,
    Transcript,
    conversations,
    importer_named,
    load_importers,
    read_by_best,
)
from pytest_compaction.models import OFFLINE, UnknownModelError, is_offline
from pytest_compaction.text import Range, printable

_PLURALS: Final = {
    "secret": "secrets",
    "e-mail address": "e-mail addresses",
    "home folder": "home folders",
    "name of a person": "names of people",
}
_NOTHING_FOUND: Final = "(no secret, e-mail address, name of a person or home folder was found)"


def _row(name: str, number: int, text: str = "") -> None:
    """Print one line of a report: what was counted, how many, and more about it."""
    print(f"  {name:<14} {number:>7,}  {text}".rstrip())


def report_case(target: Path, importer: Importer, transcript: Transcript, made: MadeCase) -> None:
    """Print what was read, what was left out or changed, and what the case has."""
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
        of = "compaction" if made.recorded == 1 else "compactions"
        _row("recorded", made.recorded, f"{of} of the agent (--compactor=recorded)")
    for reason, number in sorted(Counter(made.unrecorded).items()):
        _row("no record", number, printable(reason, 120))
    if made.after:
        _row("not asked", made.after, "messages after the last point")
    kinds = sorted(Counter(probe["kind"] for probe in probes).items())
    _row("probes", len(probes), ", ".join(f"{kind} {number}" for kind, number in kinds))
    _row("facts", sum(len(probe["facts"]) for probe in probes))
    if not probes:
        print("  Warning: a run refuses this case until you add probes, as docs/cases.md shows.")
    if made.unanswered:
        of = "probe" if made.unanswered == 1 else "probes"
        _row(
            "unanswered",
            made.unanswered,
            f"{of} of which the offline model finds no fact in the full log; see "
            "pytest-compaction lint",
        )
    for short in made.short:
        print(
            f"  Warning: before point {short.point} this log has {short.held:,} tokens, but the "
            f"agent counted {short.before:,} in its context. Most of what it compacted there is "
            "not in the transcript, so no probe asks for it."
        )


def report_redaction(redactor: Redactor) -> None:
    """Print how many values of each kind were replaced."""
    for kind, count in redactor.counts.items():
        values = kind if count.values == 1 else _PLURALS[kind]
        places = "place" if count.places == 1 else "places"
        _row("redacted", count.values, f"{values}, in {count.places:,} {places}")
    if not redactor.counts:
        _row("redacted", 0, _NOTHING_FOUND)


def report_model(source: ModelProbes) -> None:
    """Print how many probes of the model were kept, and why the others were not."""
    written = source.written
    kept = len(written.probes)
    rest = "" if kept else "; the probes are made by rules"
    print(f"  by {printable(source.name, 60)}: {written.proposed} proposed, {kept} kept{rest}")
    for reason, number in written.refused.items():
        _row("not kept", number, printable(reason, 160))


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


def _too_little(number: int, total: int, of: str) -> None:
    """Print how many became no case because they cannot be compacted."""
    have = "has" if number == 1 else "have"
    print(f"{number:,} of {total:,} {of} {have} too little to compact and became no case.")


_COUNT: Final = Range(1, 999_999, True)


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "import",
        help="make benchmark cases from agent transcripts",
        description="Make a benchmark case with derived probes from each transcript.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="transcript files")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder for the case files"
    )
    parser.add_argument("--format", metavar="NAME", help="transcript format; detected when absent")
    parser.add_argument(
        "--task", default="assistant", metavar="NAME", help="task of the cases (assistant)"
    )
    parser.add_argument(
        "--probes",
        type=number_type(_COUNT),
        default=DEFAULT_COUNT,
        metavar="N",
        help=f"the most probes of a case ({DEFAULT_COUNT})",
    )
    parser.add_argument(
        "--without-probes",
        action="store_true",
        help="also write a case of which no probe can be made, for you to add probes",
    )
    parser.add_argument(
        "--last",
        type=number_type(_COUNT),
        metavar="N",
        help="only the last N messages of each conversation",
    )
    parser.add_argument(
        "--from",
        dest="first",
        type=number_type(_COUNT),
        metavar="N",
        help="only the messages from the Nth on, counted from 1",
    )
    parser.add_argument(
        "--to",
        dest="final",
        type=number_type(_COUNT),
        metavar="M",
        help="only the messages up to the Mth",
    )
    parser.add_argument(
        "--redact",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="replace secrets, e-mail addresses and home folders with stand-ins (on)",
    )
    parser.add_argument(
        "--model",
        "--compaction-model",
        default=OFFLINE,
        metavar="NAME",
        help="model that writes the probes; those that the log confirms are kept (rules)",
    )
    add_store(parser)
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print every probe, and how often and where the log states its facts",
    )
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Make a case of each transcript; returns 1 if one of them cannot be used."""
    first, final = options.first, options.final
    if options.last is not None and (first is not None or final is not None):
        options.refuse("--last names a part, and so do --from and --to; give one of the two")
    if first is not None and final is not None and first > final:
        options.refuse(f"--from {first} is after --to {final}")
    loaded = load_importers()
    for problem in loaded.problems:
        complain(problem)
    source: ProbeSource = derive_probes
    try:
        if not is_offline(options.model):
            source = model_probes(options.model, options.store)
    except (UnknownModelError, ImportFormatError) as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(f"{options.store}: {error.strerror or error}")
        return 1
    look_as_before = look_less_often()
    try:
        return _Import(options, loaded.importers, source, case_names(options.paths)).all()
    finally:
        look_as_before()
        if isinstance(source, ModelProbes):
            source.close()


@dataclass(slots=True)
class _Import:
    """One run of the command; ``names`` are the titles of cases by the files of transcripts."""

    options: argparse.Namespace
    importers: Mapping[str, Importer]
    probe_source: ProbeSource
    names: Mapping[Path, str]
    written: set[Path] = field(default_factory=set)

    def all(self) -> int:
        """Import all files; returns 1 if one failed or no case was made."""
        paths = self.options.paths
        failed, slight = False, 0
        for path in paths:
            try:
                self._file(path)
            except ImportFormatError as error:
                if isinstance(error, NotCompactableError) and len(paths) > 1:
                    slight += 1
                    continue
                complain(str(error))
                failed = True
            except OSError as error:
                complain(f"{error.filename or path}: {error.strerror or error}")
                failed = True
        if slight:
            _too_little(slight, len(paths), "files")
        return 1 if failed or not self.written else 0

    def _file(self, path: Path) -> None:
        """Make the cases of one file or folder."""
        options = self.options
        form = options.format
        importers = {form: importer_named(form, self.importers)} if form else self.importers
        if form and not path.is_dir():
            importer, read = importers[form], conversations(importers[form], path)
        else:
            importer, read = read_by_best(path, importers)
        redactor = Redactor() if options.redact else None
        part = SessionPart(options.first, options.final, options.last)
        made = skipped = broken = slight = 0
        for one in read:
            transcript = replace(one, title=one.title or self.names[path])
            clean, redacted = _redacted(transcript, redactor)
            try:
                self._case(part.of(clean) if part else clean, importer, redacted)
                made += 1
            except ImportFormatError as error:
                if not transcript.name:
                    raise
                skipped += 1
                if isinstance(error, NotCompactableError):
                    slight += 1
                    continue
                complain(str(error))
                broken += not isinstance(error, NoProbeError)
        if slight and made + skipped > 1:
            _too_little(slight, made + skipped, f"conversations of {printable(str(path))}")
        if skipped and not made:
            raise ImportFormatError(f"{path}: no case can be made from its {skipped} conversations")
        if made + skipped > 1:
            print(
                f"{made} of {made + skipped} conversations of {printable(str(path))} became cases"
            )
        if redactor:
            report_redaction(redactor)
        if broken:
            raise ImportFormatError(
                f"{path}: {broken} of its conversations cannot be used; see above"
            )

    def _case(
        self, transcript: Transcript, importer: Importer, redacted: dict[str, int] | None
    ) -> None:
        """Make, write and report one case."""
        options = self.options
        source, bare = self.probe_source, options.without_probes
        made = make_case(transcript, options.task, options.probes, source, bare)
        known = {} if redacted is None else {"redacted": redacted}
        made.data["provenance"] = {"origin": "real", "format": importer.name, **known}
        target = options.output / f"{made.data['id']}.json"
        if target in self.written:
            raise ImportFormatError(
                f"{transcript.source}: {target} was just written for another transcript of the "
                "same name; import the two into different folders"
            )
        write_case(made.data, target)
        self.written.add(target)
        report_case(target, importer, transcript, made)
        if isinstance(self.probe_source, ModelProbes):
            report_model(self.probe_source)
        if options.verbose:
            report_facts(made)


def _redacted(
    transcript: Transcript, redactor: Redactor | None
) -> tuple[Transcript, dict[str, int] | None]:
    """The transcript with stand-ins, and in how many places they stand, by kind."""
    if redactor is None:
        return transcript, None
    before = {kind: count.places for kind, count in redactor.counts.items()}
    clean = redactor.redact(transcript)
    places = {kind: count.places - before.get(kind, 0) for kind, count in redactor.counts.items()}
    return clean, {kind: number for kind, number in places.items() if number}
