"""``pytest-compaction words``: lists, verifies and records what a model wrote for the cases."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import (
    DEFAULT_STORE,
    CommandError,
    add_repeatable,
    complain,
)
from pytest_compaction.commands.pytest_runs import (
    WITHOUT_GATE,
    RunError,
    add_run_options,
    agreed,
    estimate,
    run_pytest,
)
from pytest_compaction.commands.words.verify import faults_in
from pytest_compaction.compactors import parted
from pytest_compaction.folders import temporary_folder
from pytest_compaction.models import (
    WORDS_FILE,
    Archive,
    Manifest,
    RecordedPrompt,
    Words,
    archive_for,
    digest_of,
    write,
)
from pytest_compaction.session.session import shipped_cases
from pytest_compaction.settings import DEFAULT_CASES
from pytest_compaction.text import printable

_ANY: Final = "words"
"""Names the model of a list: nothing is asked, and a strategy with a prompt of its own needs one.
"""
_SAMPLING: Final = "temperature 0, seed = trial, as far as the model takes them"
_LICENCE: Final = "as the cases that the words were written from"
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_MOST_SHOWN: Final = 10


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "words",
        help="list, verify or record the summaries that runs replay without a key",
        description="list (the default): which summaries are recorded, stale and missing, and the "
        "calls and tokens that recording the rest takes. verify: read every line of an archive. "
        "record: have a model write what is missing, and write words.zip beside the cases; shows "
        "an estimate and asks before a model is called.",
    )
    parser.add_argument("action", nargs="?", choices=("list", "verify", "record"), default="list")
    archives = "archives to verify"
    parser.add_argument("archives", nargs="*", type=Path, metavar="ARCHIVE", help=archives)
    add_repeatable(parser, "--compactor", "SPEC", "as pytest takes it")
    parser.add_argument("--model", metavar="NAME", help="the model that writes")
    add_run_options(parser, "trials (1)")
    parser.add_argument("--again", action="store_true", help="also what is recorded already")
    parser.add_argument("--plain", action="store_true", help="export one text file a request")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the archive to write")
    parser.add_argument("--written-by", metavar="TEXT", help="the model, as the manifest says it")
    parser.add_argument("--date", metavar="DATE", help="when it wrote (today)")
    parser.add_argument("--sampling", metavar="TEXT", help="how it was sampled")
    add_repeatable(parser, "--provenance", "TEXT", "a sentence; repeatable")
    parser.add_argument("--licence", metavar="TEXT", help="the licence of the words")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Do what is named; returns 1 if that cannot be done, or if an archive is not whole."""
    if options.action == "verify":
        return _verified(options)
    if options.archives:
        raise CommandError(f"words {options.action} takes no file; name cases with --cases")
    return _listed(options) if options.action == "list" else _recorded(options)


@dataclass(frozen=True)
class _Requests:
    """The requests for words that a run would make, as :mod:`pytest_compaction.session.words`
    writes them.
    """

    requests: Sequence[Mapping[str, Any]]
    arms: Sequence[tuple[str, str, int]]
    cases: Mapping[str, Mapping[str, Any]]
    outside: Sequence[str]
    failures: Sequence[str]
    silent: Sequence[tuple[str, str, bool]]
    """Cases and strategies, and whether one asks no model in the other."""

    @property
    def incomplete(self) -> set[tuple[str, str, int]]:
        """The arms of which a request has no reply."""
        return {_arm(row) for row in self.requests if row["state"] == "missing"}


def _arm(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return row["case"], row["strategy"], row["trial"]


def _arguments(options: argparse.Namespace, model: str) -> list[str]:
    """The run of pytest whose requests are meant; rules read the summaries."""
    store = options.store or Path(DEFAULT_STORE)
    return [
        *(f"--compactor={spec}" for spec in options.compactor),
        *(f"--compaction-cases={path}" for path in options.cases),
        f"--compaction-model={model}",
        "--compaction-responder=offline",
        "--compaction-judge=offline",
        f"--compaction-store={store}",
        *([f"--compaction-trials={options.trials}"] if options.trials else []),
        *options.pytest,
    ]


def _requests(options: argparse.Namespace, model: str, recorded: bool) -> _Requests:
    with temporary_folder() as folder:
        file = folder / "requests.json"
        more = ["-p", "pytest_compaction.session.words", f"--words-requests={file}"]
        more += ["--words-recorded"] if recorded else []
        arguments = [*_arguments(options, model), *more, "--compaction-estimate", "-q"]
        code, printed = run_pytest(arguments)
        if code or not file.exists():
            raise RunError(code, printed, "looking for the requests")
        found = _Requests(**json.loads(file.read_text("utf-8")))
    for failure in found.failures:
        complain(failure)
    return found


def _listed(options: argparse.Namespace) -> int:
    held: Sequence[Words] = ()
    if not options.compactor:
        archive = _archive_of(options)
        held = archive.words
        named = {each.strategy for each in held if each.role == "summary"}
        options.compactor = sorted(named | archive.manifest.silent.keys())
    found = _requests(options, options.model or _ANY, recorded=True)
    print(f"{'strategy':<32} recorded  stale  missing   calls  tokens in  tokens out")
    for strategy in dict.fromkeys(strategy for _, strategy, _ in found.arms):
        mine = [row for row in found.requests if row["strategy"] == strategy]
        name = printable(strategy, 32)
        if strategy in found.outside:
            print(f"{name:<32} asks a model by itself, if any: its words are not recorded")
            continue
        if not mine:
            print(f"{name:<32} asks no model in these cases")
            continue
        print(f"{name:<32} {_counted(mine)}{_flaws_of(mine)}")
        for case in dict.fromkeys(row["case"] for row in mine):
            of_case = [row for row in mine if row["case"] == case]
            if any(row["state"] != "recorded" for row in of_case):
                print(f"  {printable(case, 30):<30} {_counted(of_case)}")
        if silent := [case for case, of, said in found.silent if said and of == strategy]:
            print(f"  asks no model in {printable(', '.join(silent), 400)}")
    beside = [each for each in held if each.role != "summary"]
    for strategy in dict.fromkeys(each.strategy for each in beside):
        told = _by_role([each for each in beside if each.strategy == strategy])
        print(f"{printable(strategy, 32):<32} {told}")
    if any(row["state"] != "recorded" for row in found.requests):
        chosen = [*(f"--compactor={each}" for each in options.compactor)]
        chosen += [f"--cases={each}" for each in options.cases]
        command = shlex.join(["pytest-compaction", "words", "record", *chosen, "--model=NAME"])
        print(f"record the rest with: {printable(command)}")
    return 0


def _counted(rows: Sequence[Mapping[str, Any]]) -> str:
    states = Counter(row["state"] for row in rows)
    asked = [row for row in rows if row["state"] != "recorded"]
    read, written = (sum(row[name] for row in asked) for name in ("read", "written"))
    return (
        f"{states['recorded']:>8,} {states['stale']:>6,} {states['missing']:>8,} "
        f"{len(asked):>7,} {read:>10,} {written:>11,}"
    )


def _flaws_of(rows: Iterable[Mapping[str, Any]]) -> str:
    flaws = Counter(flaw for row in rows for flaw in row["flaws"])
    return "".join(f", {count:,} {flaw}" for flaw, count in sorted(flaws.items()))


def _by_role(words: Iterable[Words]) -> str:
    counts = Counter[str](each.role for each in words)
    named = {"summary": "summaries", "answer": "answers", "verdict": "verdicts"}
    return ", ".join(f"{counts[role]:,} {name}" for role, name in named.items() if counts[role])


def _archive_of(options: argparse.Namespace) -> Archive:
    named = options.cases or [DEFAULT_CASES, str(shipped_cases())]
    for path in named:
        found = archive_for((_place_of(path) / WORDS_FILE).absolute(), Path.cwd())
        if found is not None:
            return found
    raise CommandError(
        f"there is no {WORDS_FILE} beside {named[0]}; name the strategies to list with --compactor"
    )


def _place_of(named: str) -> Path:
    return Path(named) if Path(named).is_dir() else Path(named).parent


def _verified(options: argparse.Namespace) -> int:
    archives = options.archives or [_archive_of(options).path]
    wrong = 0
    for path in archives:
        archive = Archive(path / WORDS_FILE if path.is_dir() else path)
        faults = list(faults_in(archive))
        for fault in faults:
            complain(f"{archive.path}: {fault}")
        wrong += len(faults)
        if not faults:
            about, size = archive.manifest, archive.path.stat().st_size / 1e6
            whole = (
                f"{archive.path}: whole. {_by_role(archive.words)} of {len(about.strategies)} "
                f"strategies in {len(about.cases)} cases, {size:.1f} MB, written by {about.model} "
                f"({about.dates})"
            )
            print(printable(whole, 400))
    return 1 if wrong else 0


def _recorded(options: argparse.Namespace) -> int:
    if not options.compactor or not options.model:
        raise CommandError("words record needs --compactor=SPEC and --model=NAME")
    if options.date and not _DATE.fullmatch(options.date):
        raise CommandError(f"--date={options.date} is no date such as 2026-11-30")
    options.places = list(options.cases)
    first = None if options.again else _requests(options, options.model, recorded=True)
    if first is not None and not _narrowed(options, first):
        if not _note_silent(options, first):
            print("all of it is recorded; --again records it anew")
        return 0
    arguments = _arguments(options, options.model)
    store = (options.store or Path(DEFAULT_STORE)).absolute()
    if options.export:
        found = _requests(options, options.model, recorded=False)
        if found.incomplete:
            plain = ["--compaction-export-plain"] if options.plain else []
            more = [f"--compaction-export={options.export}", *plain, "-q"]
            code, printed = run_pytest([*arguments, *more], store)
            if code:
                raise RunError(code, printed, "the export")
            print(printed, end="")
            return 0
    elif not options.replay:
        if not options.yes:
            print(estimate(arguments), file=sys.stderr)
            if not agreed("Record?"):
                raise CommandError("nothing was recorded; --yes records without asking")
        code, printed = run_pytest([*arguments, *WITHOUT_GATE], store)
        if code not in {0, 1}:
            raise RunError(code, printed)
    return _kept(options, first)


def _kept(options: argparse.Namespace, first: _Requests | None) -> int:
    """Write what the store has into the archives, and say what it lacks."""
    found = _requests(options, options.model, recorded=False)
    _write(options, found)
    _note_silent(options, first or found)
    left = sorted(found.incomplete)
    for case, strategy, trial in left[:_MOST_SHOWN]:
        complain(f"not recorded: {strategy} on {case}, trial {trial}: a reply is not in the store")
    if len(left) > _MOST_SHOWN:
        complain(f"… and {len(left) - _MOST_SHOWN:,} more; the same command goes on from there")
    return 1 if left or found.failures else 0


def _narrowed(options: argparse.Namespace, found: _Requests) -> bool:
    """Leave strategies and cases whose words are recorded out of the options."""
    arms = {_arm(row) for row in found.requests if row["state"] != "recorded"}
    for case in sorted({case for case, _, _ in arms}):
        path = _target(options, Path(found.cases[case]["file"]))
        if path.exists():
            _check_model(path, Archive(path).manifest, options.written_by or options.model)
    files = [Path(about["file"]) for about in found.cases.values()]
    archive = archive_for(files[0], Path.cwd()) if files else None
    nearest = Path(os.path.relpath(archive.path)) if archive else None
    if options.output is not None and options.output != nearest:
        return bool(found.requests)
    whole = {strategy for _, strategy, _ in found.arms} - {strategy for _, strategy, _ in arms}
    named = [spec for text in options.compactor for spec in parted(text, ",")]
    options.compactor = [spec for spec in named if spec not in whole]
    options.cases = sorted({str(found.cases[case]["file"]) for case, _, _ in arms})
    return bool(arms)


def _check_model(path: Path, manifest: Manifest, model: str) -> None:
    if manifest.model != model:
        raise CommandError(
            f"{path} holds words of {manifest.model!r}, and those of {model!r} have no place "
            f"beside them; say --written-by={manifest.model!r} if it is the same model, or name "
            "another archive with --output"
        )


def _write(options: argparse.Namespace, found: _Requests) -> None:
    incomplete = found.incomplete
    whole = [(row["case"], row) for row in found.requests if _arm(row) not in incomplete]
    for path, mine in _by_target(options, found, whole):
        digests = {case: str(about["digest"]) for case, about in found.cases.items()}
        manifest, words = _merged(options, path, mine, digests)
        _put(path, manifest, words)
        told = f"{len(mine):,} texts recorded{_flaws_of(mine)}; it holds {len(words):,}"
        print(printable(f"{path}: {told}"))


def _put(path: Path, manifest: Manifest, words: Sequence[Words]) -> None:
    try:
        write(path, manifest, words)
    except OSError as error:
        raise CommandError(f"{path}: cannot be written: {error.strerror or error}") from None


def _note_silent(options: argparse.Namespace, found: _Requests) -> bool:
    """Have the archives say in which cases a strategy asks no model; whether that is new."""
    new = False
    for path, mine in _by_target(options, found, ((row[0], row) for row in found.silent)):
        archive = Archive(path) if path.exists() else None
        held = archive.manifest.silent if archive else {}
        said = {(case, name): digest for name in held for case, digest in held[name].items()}
        for case, name, is_silent in mine:
            said.pop((case, name), None)
            if is_silent:
                said[case, name] = str(found.cases[case]["digest"])
        silent: dict[str, dict[str, str]] = {}
        for (case, name), digest in sorted(said.items(), key=lambda one: one[0][::-1]):
            silent.setdefault(name, {})[case] = digest
        if silent == held:
            continue
        new = True
        if archive is None:
            manifest, words = _merged(options, path, [], {})
        else:
            manifest, words = archive.manifest, [*archive.words]
        _put(path, replace(manifest, silent=silent), words)
        for name in sorted({name for _, name, is_silent in mine if is_silent}):
            print(printable(f"{path}: {name} asks no model in {', '.join(silent[name])}", 400))
    return new


def _by_target(
    options: argparse.Namespace, found: _Requests, rows: Iterable[tuple[str, Any]]
) -> list[tuple[Path, list[Any]]]:
    """Rows of cases by the archive in which their words stand."""
    placed: dict[Path, list[Any]] = defaultdict(list)
    for case, row in rows:
        placed[_target(options, Path(found.cases[case]["file"]))].append(row)
    return sorted(placed.items())


def _target(options: argparse.Namespace, case: Path) -> Path:
    if options.output is not None:
        return Path(options.output)
    own = not case.is_relative_to(shipped_cases()) or shipped_cases().is_relative_to(Path.cwd())
    if own and (found := archive_for(case, Path.cwd())):
        return Path(os.path.relpath(found.path))
    for named in options.places or [DEFAULT_CASES] if own else ():
        if case.resolve().is_relative_to(_place_of(named).resolve()):
            return _place_of(named) / WORDS_FILE
    raise CommandError(
        f"{case} is not a case of this project: name where its words go with --output=FILE"
    )


def _merged(
    options: argparse.Namespace,
    path: Path,
    rows: Sequence[Mapping[str, Any]],
    digests: Mapping[str, str],
) -> tuple[Manifest, list[Words]]:
    """The new manifest, and the new words beside those of other arms that the archive has.

    Answers and verdicts stay: they say by their digest which summaries they are about.
    """
    arms = {_arm(row) for row in rows}
    archive = Archive(path) if path.exists() else None
    before = archive.manifest if archive else None
    held = archive.words if archive else ()
    kept = [
        each
        for each in held
        if each.role != "summary" or (each.case, each.strategy, each.trial) not in arms
    ]
    model = options.written_by or options.model
    if before is not None and kept:
        _check_model(path, before, model)
    date = options.date or datetime.now(UTC).date().isoformat()

    def span(earlier: str | None) -> str:
        """The first and the last of the days, or the only one."""
        days = sorted({date, *_DATE.findall(earlier or "")})
        return " to ".join(dict.fromkeys((days[0], days[-1])))

    prompts: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        prompts[row["strategy"]].add(row["prompt"])
    stay = {each.strategy for each in kept if each.role == "summary"}
    recorded = {}
    for name, each in prompts.items():
        earlier = before.strategies.get(name) if before and name in stay else None
        recorded[name] = RecordedPrompt(digest_of(each), span(earlier.date if earlier else None))
    names = "case strategy point trial number digest words budget trigger finish".split()
    for row in rows:
        values: dict[str, Any] = {name: row[name] for name in names}
        values |= {"covers": tuple(row["covers"]), "flaws": tuple(row["flaws"])}
        kept.append(Words(role="summary", probe="", **values))
    cases, strategies = {each.case for each in kept}, {each.strategy for each in kept}
    about = {**(before.cases if before else {}), **digests}
    known = {**(before.strategies if before else {}), **recorded}
    manifest = Manifest(
        model=model,
        dates=span(before.dates if before and kept else None),
        sampling=options.sampling or (before.sampling if before else _SAMPLING),
        provenance=tuple(
            dict.fromkeys([*(before.provenance if before and kept else ()), *options.provenance])
        ),
        licence=options.licence or (before.licence if before else _LICENCE),
        cases={case: about[case] for case in sorted(cases)},
        strategies={name: known[name] for name in sorted(strategies)},
        silent=before.silent if before else {},
    )
    return manifest, kept
