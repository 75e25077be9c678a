"""``pytest-compaction production``: the observed cost of compactions in recorded sessions."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case_making import recorded_session, told_compactions
from pytest_compaction.commands.arguments import complain, number_type, write_and_say
from pytest_compaction.commands.newest import is_known_format, session_files
from pytest_compaction.importers import (
    Importer,
    ImportFormatError,
    OtherFileError,
    load_importers,
    read_by_best,
)
from pytest_compaction.reports import (
    Observed,
    Period,
    counted,
    observed_csv,
    observed_json,
    observed_tables,
    plain_table,
)
from pytest_compaction.text import Range, printable

_NAMED: Final = 10
"""The most sessions without a compaction that are named on the terminal."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "production",
        help="show what compactions cost in recorded sessions: what was fetched again, and more",
        description="Read transcripts with compactions on record and print what each one cost: "
        "tokens, seconds, and what the agent fetched again, beside the same far from any "
        "compaction. Two folders are two periods, and are compared. No model is asked.",
    )
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="SESSION",
        help="transcripts, or folders of them; two folders are compared, the old one first",
    )
    parser.add_argument("--csv", type=Path, metavar="PATH", help="write a row for each compaction")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write everything, unrounded")
    parser.add_argument(
        "--window",
        type=number_type(Range(1, 100_000_000, True)),
        metavar="N",
        help="tokens of the context window (what the log says, else the fullest context in it)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the tables; returns 1 if a file named cannot be used or no compaction is on record."""
    loaded = load_importers()
    for problem in loaded.problems:
        complain(problem)
    paths: list[Path] = options.paths
    two = len(paths) == 2 and all(_holds_sessions(path, loaded.importers) for path in paths)
    groups = [[path] for path in paths] if two else [paths]
    periods = [_period(group, loaded.importers, options.window) for group in groups]
    for period in periods:
        _name_left_out(period)
    for table in observed_tables(periods):
        print("\n".join(plain_table(table)), end="\n\n")
    if options.csv is not None:
        write_and_say(options.csv, observed_csv(periods))
    if options.json is not None:
        write_and_say(options.json, observed_json(periods))
    empty = [period.name for period in periods if not period.sessions]
    for name in empty:
        complain(f"{name}: no session with a compaction on record; name other files or folders")
    named = set(map(str, paths))
    failed = any(path in named for period in periods for path, _ in period.unreadable)
    return 1 if empty or failed else 0


def _holds_sessions(path: Path, importers: Mapping[str, Importer]) -> bool:
    """Whether a path is a folder of sessions, and not one that a format keeps a session in."""
    return path.is_dir() and not is_known_format(path, importers)


def _period(paths: Sequence[Path], importers: Mapping[str, Importer], window: int | None) -> Period:
    period = Period(", ".join(map(str, paths)))
    named: dict[Path, bool] = {}
    for path in paths:
        if _holds_sessions(path, importers):
            for file in sorted(session_files(path, importers)):
                named.setdefault(file, False)
        else:
            named[path] = True
    for path, by_user in named.items():
        try:
            if path.is_file():
                path.open("rb").close()  # one that cannot be opened is no file of no known format
            if not by_user and not is_known_format(path, importers):
                period.unknown += 1
            else:
                _read(path, importers, window, period)
        except ImportFormatError as error:
            if isinstance(error, OtherFileError) and not by_user:
                continue
            period.unreadable.append((str(path), str(error)))
        except OSError as error:
            period.unreadable.append((str(path), f"{path}: {error.strerror or error}"))
        except Exception as error:  # a fault of one file must not cost the others
            fault = f"{path}: please report this fault, {type(error).__name__}: {error}"
            period.unreadable.append((str(path), fault))
    return period


def _read(
    path: Path, importers: Mapping[str, Importer], window: int | None, period: Period
) -> None:
    importer, transcripts = read_by_best(path, importers)
    for _, same in groupby(transcripts, attrgetter("messages")):
        first, *others = same  # Cline keeps each compaction of a session in a file of its own
        each_of = (boundary for one in (first, *others) for boundary in one.boundaries)
        transcript = replace(first, name="" if others else first.name, boundaries=tuple(each_of))
        if not transcript.boundaries:
            period.without.append(f"{path} {transcript.name}".rstrip())
            continue
        session = recorded_session(transcript, window)
        observed = Observed(
            path,
            f"{path.stem} {transcript.name}".rstrip(),
            importer.name,
            transcript.model,
            len(session.calls),
            told_compactions(session),
        )
        period.sessions.append(observed)


def _name_left_out(period: Period) -> None:
    for _, reason in period.unreadable:
        complain(reason)
    for name in period.without[:_NAMED]:
        print(f"{printable(name)}: no compaction on record, not in the figures")
    if len(period.without) > _NAMED:
        more = counted(len(period.without) - _NAMED, "other session")
        print(f"{more} without a compaction on record; --json names all")
    if period.unknown:
        number = counted(period.unknown, "file of no known format", "files of no known format")
        print(f"{number} below {printable(period.name)} passed over")
