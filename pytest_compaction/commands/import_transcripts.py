"""``pytest-compaction import``: benchmark cases from agent transcripts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case_making.by_model import ModelProbes, model_probes
from pytest_compaction.case_making.case_maker import (
    NoProbeError,
    NotCompactableError,
    ProbeSource,
    SessionPart,
    case_names,
    make_case,
    write_case,
)
from pytest_compaction.case_making.derive import DEFAULT_COUNT, derive_probes
from pytest_compaction.case_making.redaction import Redactor
from pytest_compaction.commands.complaint import complain
from pytest_compaction.commands.import_report import (
    report_case,
    report_facts,
    report_model,
    report_redaction,
    too_little,
)
from pytest_compaction.commands.number_type import number_type
from pytest_compaction.commands.store_option import add_store_option
from pytest_compaction.gc_threshold import look_less_often
from pytest_compaction.importers.protocol import Importer, ImportFormatError, Transcript
from pytest_compaction.importers.registry import (
    conversations,
    fault_of_file,
    importer_for,
    importer_named,
    load_importers,
)
from pytest_compaction.models.offline.model import NAME as OFFLINE
from pytest_compaction.models.registry import UnknownModelError, is_offline
from pytest_compaction.text import Range, printable

_COUNT: Final = Range(1, 999_999, True)


@dataclass(slots=True)
class _Import:
    """The options and state that all files of one command share."""

    options: argparse.Namespace
    importers: Mapping[str, Importer]
    probe_source: ProbeSource
    names: Mapping[Path, str]
    written: set[Path] = field(default_factory=set)


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
    add_store_option(parser)
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print every probe, and how often and where the log states its facts",
    )
    parser.set_defaults(run=run, refuse=parser.error)


def run(options: argparse.Namespace) -> int:
    """Make a case of each transcript; returns 1 if one of them cannot be used."""
    _refuse_two_parts(options)
    loaded = load_importers()
    for problem in loaded.problems:
        complain(problem)
    try:
        source = derive_probes if is_offline(options.model) else _by_model(options)
    except (UnknownModelError, ImportFormatError) as error:
        complain(str(error))
        return 1
    shared = _Import(options, loaded.importers, source, case_names(options.paths))
    look_as_before = look_less_often()
    try:
        return _import_all(shared)
    finally:
        look_as_before()
        if isinstance(source, ModelProbes):
            source.close()


def _refuse_two_parts(options: argparse.Namespace) -> None:
    first, final = options.first, options.final
    if options.last is not None and (first is not None or final is not None):
        options.refuse("--last names a part, and so do --from and --to; give one of the two")
    if first is not None and final is not None and first > final:
        options.refuse(f"--from {first} is after --to {final}")


def _import_all(shared: _Import) -> int:
    failed = False
    slight = 0
    several = len(shared.options.paths) > 1
    for path in shared.options.paths:
        try:
            _import_one(path, shared)
        except NotCompactableError as error:
            slight += several
            if not several:
                complain(str(error))
                failed = True
        except ImportFormatError as error:
            complain(str(error))
            failed = True
        except OSError as error:
            complain(f"{error.filename or path}: {error.strerror or error}")
            failed = True
    if slight:
        print(too_little(slight, len(shared.options.paths), "files"))
    return 1 if failed or not shared.written else 0


def _by_model(options: argparse.Namespace) -> ModelProbes:
    try:
        return model_probes(options.model, options.store)
    except OSError as error:
        raise ImportFormatError(f"{options.store}: {error.strerror or error}") from None


def _import_one(path: Path, shared: _Import) -> None:
    form = shared.options.format
    named = {form: importer_named(form, shared.importers)} if form else None
    if named and not path.is_dir():
        importer = named[form]
    else:
        importer = importer_for(path, named or shared.importers)
    redactor = Redactor() if shared.options.redact else None
    part = SessionPart(shared.options.first, shared.options.final, shared.options.last)
    made = skipped = broken = slight = 0
    for read in _conversations(importer, path):
        transcript = replace(read, title=read.title or shared.names[path])
        clean, redacted = _redacted(transcript, redactor)
        try:
            _make_one(part.of(clean) if part else clean, importer, shared, redacted)
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
        print(too_little(slight, made + skipped, f"conversations of {printable(str(path))}"))
    if skipped and not made:
        raise ImportFormatError(f"{path}: no case can be made from its {skipped} conversations")
    if made + skipped > 1:
        print(f"{made} of {made + skipped} conversations of {printable(str(path))} became cases")
    if redactor:
        report_redaction(redactor)
    if broken:
        raise ImportFormatError(f"{path}: {broken} of its conversations cannot be used; see above")


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


def _make_one(
    transcript: Transcript,
    importer: Importer,
    shared: _Import,
    redacted: dict[str, int] | None,
) -> None:
    options = shared.options
    made = make_case(transcript, options.task, options.probes, shared.probe_source)
    known = {} if redacted is None else {"redacted": redacted}
    made.data["provenance"] = {"origin": "real", "format": importer.name, **known}
    target = options.output / f"{made.data['id']}.json"
    if target in shared.written:
        raise ImportFormatError(
            f"{transcript.source}: {target} was just written for another transcript of the same "
            "name; import the two into different folders"
        )
    write_case(made.data, target)
    shared.written.add(target)
    report_case(target, importer, transcript, made)
    if isinstance(shared.probe_source, ModelProbes):
        report_model(shared.probe_source)
    if options.verbose:
        report_facts(made)


def _conversations(importer: Importer, path: Path) -> Iterator[Transcript]:
    try:
        yield from conversations(importer, path)
    except ImportFormatError:
        raise
    except Exception as error:
        if fault := fault_of_file(error):
            raise ImportFormatError(f"{path}: {fault}") from error
        if isinstance(error, OSError):
            raise
        raise ImportFormatError(
            f"{path}: the importer {importer.name!r} failed with {type(error).__name__}: {error}; "
            "this is a fault of the importer, please report it"
        ) from error
