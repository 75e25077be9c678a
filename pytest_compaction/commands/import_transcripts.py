"""``pytest-compaction import``: benchmark cases from agent transcripts."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import MAX_FILE_BYTES, CaseFault, read_text
from pytest_compaction.case_making import (
    DEFAULT_COUNT,
    Carried,
    MadeCase,
    ModelProbes,
    NoProbeError,
    NotCompactableError,
    ProbeSource,
    Redactor,
    Review,
    SessionPart,
    case_names,
    derive_probes,
    make_case,
    model_probes,
    review_of,
    with_answers,
)
from pytest_compaction.commands.arguments import CommandError, add_number, add_store, complain
from pytest_compaction.commands.import_report import (
    report_answers,
    report_case,
    report_facts,
    report_model,
    report_redaction,
)
from pytest_compaction.commands.newest import newest_sessions
from pytest_compaction.folders import write_whole
from pytest_compaction.gc_threshold import look_less_often
from pytest_compaction.importers import (
    Importer,
    ImportFormatError,
    Transcript,
    conversations,
    importer_named,
    load_importers,
    read_by_best,
    reasons_of,
)
from pytest_compaction.models import OFFLINE, UnknownModelError, is_offline
from pytest_compaction.text import Range, printable

_COUNT: Final = Range(1, 999_999, True)


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "import",
        help="make benchmark cases from agent transcripts",
        description="Make a benchmark case with derived probes from each transcript.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="transcript files")
    newest = "PATH is a folder: N cases of its newest sessions, of different lengths and folders"
    add_number(parser, "--newest", Range(1, 1000, True), newest)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder for the case files"
    )
    parser.add_argument("--format", metavar="NAME", help="transcript format; detected when absent")
    task = "task of the cases (assistant)"
    parser.add_argument("--task", default="assistant", metavar="NAME", help=task)
    probes = f"the most probes of a case ({DEFAULT_COUNT})"
    add_number(parser, "--probes", _COUNT, probes, default=DEFAULT_COUNT)
    bare = "also write a case of which no probe can be made, for you to add probes"
    parser.add_argument("--without-probes", action="store_true", help=bare)
    waiting = "also propose questions of kinds that people rarely confirm"
    parser.add_argument("--all-proposals", action="store_true", help=waiting)
    add_number(parser, "--last", _COUNT, "only the last N messages of each conversation")
    first = "only the messages from the Nth on, counted from 1"
    add_number(parser, "--from", _COUNT, first, dest="first")
    add_number(parser, "--to", _COUNT, "only the messages up to the Mth", dest="final", metavar="M")
    parser.add_argument(
        "--redact",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="replace secrets, e-mail addresses and home folders with stand-ins (on)",
    )
    model = "model that writes the probes; those that the log confirms are kept (rules)"
    parser.add_argument(
        "--model", "--compaction-model", default=OFFLINE, metavar="NAME", help=model
    )
    add_store(parser)
    verbose = "print every probe, and how often and where the log states its facts"
    parser.add_argument("-v", "--verbose", action="store_true", help=verbose)
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Make a case of each transcript; returns 1 if one of them cannot be used."""
    first, final = options.first, options.final
    if options.last is not None and (first is not None or final is not None):
        options.refuse("--last names a part, and so do --from and --to; give one of the two")
    if first is not None and final is not None and first > final:
        options.refuse(f"--from {first} is after --to {final}")
    if options.newest is not None and (len(options.paths) > 1 or not options.paths[0].is_dir()):
        options.refuse("--newest takes one folder of sessions")
    loaded = load_importers()
    for problem in loaded.problems:
        complain(problem)
    source: ProbeSource = derive_probes
    try:
        if not is_offline(options.model):
            source = model_probes(options.model, options.store)
    except (UnknownModelError, ImportFormatError) as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{options.store}: {error.strerror or error}") from None
    paths = options.paths
    if options.newest is not None:
        paths, said = newest_sessions(paths[0], options.newest, loaded.importers)
        print(printable(said))
    look_as_before = look_less_often()
    try:
        return _Import(options, loaded.importers, source, case_names(paths)).all()
    finally:
        look_as_before()
        if isinstance(source, ModelProbes):
            source.close()


@dataclass(slots=True)
class _Import:
    options: argparse.Namespace
    importers: Mapping[str, Importer]
    probe_source: ProbeSource
    names: Mapping[Path, str]
    written: set[Path] = field(default_factory=set)

    def all(self) -> int:
        failed, tried = False, 0
        none: Counter[str] = Counter()
        for path in self.names:
            if self._is_enough():
                break
            tried += 1
            try:
                self._file(path)
            except Exception as error:  # a fault of one file must not cost the others
                failed |= not self._counted(error, path, none, len(self.names) > 1)
        _report_none(none, tried, "files")
        return 1 if failed or not self.written else 0

    def _is_enough(self) -> bool:
        return self.options.newest is not None and len(self.written) >= self.options.newest

    def _counted(
        self, error: Exception, path: Path, none: Counter[str], is_one_of_many: bool
    ) -> bool:
        """Count a conversation that gives no case, or say why and return false."""
        if is_one_of_many and isinstance(error, NotCompactableError):
            none["too little to compact"] += 1
        elif self.options.newest is not None and isinstance(error, NoProbeError):
            none["nothing to ask about (import one alone to read why)"] += 1
        else:
            said = f"{path}: please report this fault, {type(error).__name__}: {error}"
            if isinstance(error, ImportFormatError):
                said = str(error)
            elif isinstance(error, OSError):
                said = f"{error.filename or path}: {error.strerror or error}"
            complain(said)
            return False
        return True

    def _file(self, path: Path) -> None:
        options = self.options
        form = options.format
        importers = {form: importer_named(form, self.importers)} if form else self.importers
        if form and not path.is_dir():
            importer, read = importers[form], conversations(importers[form], path)
        else:
            importer, read = read_by_best(path, importers)
        redactor = Redactor() if options.redact else None
        part = SessionPart(options.first, options.final, options.last)
        made = skipped = broken = 0
        none: Counter[str] = Counter()
        for one in read:
            transcript = replace(one, title=one.title or self.names[path])
            clean, redacted = _redacted(transcript, redactor)
            try:
                self._case(part.of(clean) if part else clean, importer, redacted)
                made += 1
            except ImportFormatError as error:
                if not transcript.name:
                    left = reasons_of(transcript.tally.left_out)
                    raise type(error)(
                        f"{error}; left out of it: {left}" if left else f"{error}"
                    ) from error
                skipped += 1
                if not self._counted(error, path, none, True):
                    broken += not isinstance(error, NoProbeError)
            if self._is_enough():
                break
        total, named = made + skipped, printable(str(path))
        if total > 1:
            _report_none(none, total, f"conversations of {named}")
        if skipped and not made:
            raise ImportFormatError(f"{path}: no case can be made from its {skipped} conversations")
        if total > 1:
            print(f"{made} of {total} conversations of {named} became cases")
        if redactor:
            report_redaction(redactor)
        if broken:
            raise ImportFormatError(
                f"{path}: {broken} of its conversations cannot be used; see above"
            )

    def _case(
        self, transcript: Transcript, importer: Importer, redacted: dict[str, int] | None
    ) -> None:
        options = self.options
        source, bare = self.probe_source, options.without_probes
        every = options.all_proposals
        made = make_case(transcript, options.task, options.probes, source, bare, every)
        known = {} if redacted is None else {"redacted": redacted}
        made.data["provenance"] = {"origin": "real", "format": importer.name, **known}
        target = options.output / f"{made.data['id']}.json"
        if target in self.written:
            raise ImportFormatError(
                f"{transcript.source}: {target} was just written for another transcript of the "
                "same name; import the two into different folders"
            )
        carried = _earlier_answers(made, target)
        made = replace(made, data=carried.data) if carried else made
        content = json.dumps(made.data, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
        if len(content) > MAX_FILE_BYTES:
            raise ImportFormatError(
                f"{target}: the case would take {len(content) / 1024**2:.1f} MB; "
                f"a case file may take {MAX_FILE_BYTES // 1024**2} MB. Import a part of its "
                f"{len(made.data['messages'])} messages: --last N, or others with --from N --to M"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)
        self.written.add(target)
        report_case(target, importer, transcript, made)
        if carried:
            report_answers(carried)
        if isinstance(self.probe_source, ModelProbes):
            report_model(self.probe_source)
        if options.verbose:
            report_facts(made)


def _report_none(none: Mapping[str, int], total: int, of: str) -> None:
    for reason, number in none.items():
        have = "has" if number == 1 else "have"
        print(f"{number:,} of {total:,} {of} {have} {reason} and became no case.")


def _redacted(
    transcript: Transcript, redactor: Redactor | None
) -> tuple[Transcript, dict[str, int] | None]:
    if redactor is None:
        return transcript, None
    before = {kind: count.places for kind, count in redactor.counts.items()}
    clean = redactor.redact(transcript)
    places = {kind: count.places - before.get(kind, 0) for kind, count in redactor.counts.items()}
    return clean, {kind: number for kind, number in places.items() if number}


def _earlier_answers(made: MadeCase, target: Path) -> Carried | None:
    """The case with the answers that a person gave in the file that it replaces, if there are."""
    text = read_text(target) if target.is_file() else ""
    if isinstance(text, CaseFault) or not ('"confirmed"' in text or '"declined"' in text):
        return None
    earlier = review_of(text, str(target))
    return with_answers(made.data, earlier.case, text) if isinstance(earlier, Review) else None
