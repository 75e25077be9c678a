"""``pytest-compaction ab``: two prompts, or two versions of a function, in one command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import holds_cases
from pytest_compaction.commands.ab.base_settings import (
    at,
    configured,
    note_on_models,
    with_settings_of,
)
from pytest_compaction.commands.ab.refs import Tree, trees_of
from pytest_compaction.commands.arguments import (
    DEFAULT_STORE,
    CommandError,
    add_repeatable,
    complain,
    write,
    write_file,
)
from pytest_compaction.commands.pytest_runs import (
    WITHOUT_GATE,
    RunError,
    add_run_options,
    agreed,
    estimate,
    run_pytest,
    started,
    wait_for,
)
from pytest_compaction.compactors import parted
from pytest_compaction.models import OFFLINE, RECORDED_WORDS, Call, ExportFolder, is_offline
from pytest_compaction.options import option_of
from pytest_compaction.records import (
    DEFAULT_FOLDER,
    Record,
    Run,
    cases_note,
    differences,
    load_run,
    type_of,
    version_note,
)
from pytest_compaction.reports import (
    AB,
    FinishedRun,
    PageRun,
    Version,
    ab_markdown,
    counted,
    page_of,
    prompts_of,
    report_json,
)
from pytest_compaction.session.named_files import case_places
from pytest_compaction.settings import DEFAULT_CASES, NAMES_FACTS, SHIPPED
from pytest_compaction.text import printable

_TRIALS: Final = 3
_MODEL: Final = "--compaction-model"
_MAX_COST: Final = "--compaction-max-cost"
_RECORDS: Final = "records: "
"""Before the place of its records in a line of a run."""
_BY_RULES: Final = (
    "Rules wrote the summaries: prompts and models have no effect on these figures. --model=NAME "
    "asks a model."
)
_MARK: Final = "<!-- pytest-compaction ab -->"
"""The first line of a comment, by which a workflow finds the one that it wrote before."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "ab",
        help="compare two prompts, or a function of yours at two git refs",
        description="Measure two versions side by side and write what changed as Markdown. They "
        "are prompt files (OLD.md NEW.md), which need a model, or two git refs (main..HEAD) of the "
        "function that --compactor names. Shows an estimate and asks before a model is called.",
    )
    versions = "prompt files, the old one first; or A..B"
    parser.add_argument("versions", nargs="+", metavar="VERSION", help=versions)
    parser.add_argument("--compactor", required=True, metavar="SPEC", help="as pytest takes it")
    parser.add_argument("--model", metavar="NAME", help="as --compaction-model (refs: offline)")
    add_run_options(parser, f"trials of each version (default: {_TRIALS}, or 1 without a model)")
    add_repeatable(parser, "--report", "PATH", "also a report")
    comment = "write the Markdown here"
    parser.add_argument("--comment", type=Path, dest="output", metavar="FILE", help=comment)
    parser.add_argument("--holdout", type=Path, metavar="FOLDER", help="cases for --final alone")
    parser.add_argument("--final", action="store_true", help="measure the held-out cases")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and compare; returns 1 if there is nothing to compare."""
    if len(list(parted(options.compactor, ","))) > 1:
        raise CommandError("--compactor names several strategies; an A/B is of versions of one")
    if options.final and options.holdout is None:
        raise CommandError("--final measures held-out cases; name their folder with --holdout")
    if options.holdout:
        check_holdout(options.holdout, options.cases)
    here = Path().absolute()
    options.configured = configured(here, here).own
    with ExitStack() as stack:
        arms, cases = _planned(options, stack)
        return _begun(options, arms, cases)


@dataclass(frozen=True)
class _Arm:
    """One run of pytest: the strategies that it measures, and the tree if it is of a ref.

    ``arguments`` are those of the run; before, those by which it has the settings of the first ref.
    """

    specs: tuple[str, ...]
    tree: Tree | None = None
    arguments: tuple[str, ...] = ()

    @property
    def place(self) -> dict[str, Any]:
        tree = self.tree
        return {} if tree is None else {"folder": tree.folder, "environment": tree.environment}


def _planned(options: argparse.Namespace, stack: ExitStack) -> tuple[list[_Arm], list[str]]:
    """The runs, and the paths of their cases."""
    cases = [str(options.holdout)] if options.final else list(options.cases)
    if len(options.versions) == 1:
        (text,) = options.versions
        if ".." not in text:
            raise CommandError(
                f"{text!r} is one version; name two prompt files (old.md new.md) or two git refs "
                "(main..HEAD)"
            )
        trees = stack.enter_context(trees_of(text, options.compactor))
        for report in map(Path, options.report):
            if report.suffix not in {".html", ".md", ".json"}:
                raise CommandError(
                    f"--report={report}: the report of two refs is .html, .md or .json"
                )
        base, head = trees
        options.configured = configured(base.folder, base.root).own
        options.pytest = [at(base, argument) for argument in options.pytest]
        settings = tuple(with_settings_of(base, head))
        arms = [_Arm((options.compactor,), base), _Arm((options.compactor,), head, settings)]
        return arms, [base.place(path) for path in cases] or _cases_at(base)
    for path in options.versions:
        if not Path(path).is_file():
            raise CommandError(f"there is no prompt file {path}; name two files, or two refs: A..B")
    if is_offline(_model_of(options)):
        raise CommandError(
            "two prompts need a model, because rules read no prompt: name the one that writes the "
            "summaries with --model=NAME; --export=FOLDER writes its requests as files"
        )
    # Signs that separate parameters need quotes.
    named = (repr(p) if any(sign in p for sign in ",:+ '") else p for p in options.versions)
    return [_Arm(tuple(f"{options.compactor}:prompt={path}" for path in named))], cases


def _model_of(options: argparse.Namespace) -> str:
    return str(options.model or _set(options, _MODEL) or OFFLINE)


def _begun(options: argparse.Namespace, planned: Sequence[_Arm], cases: Sequence[str]) -> int:
    configured = str(_set(options, "--compaction-store") or DEFAULT_STORE)
    store = (options.store or Path(configured)).absolute()
    model = _model_of(options)
    writes_anew = not (model == RECORDED_WORDS or is_offline(model))
    is_configured = not options.model and _set(options, _MODEL)
    shared = [
        *(f"--compaction-cases={path}" for path in cases),
        *([] if is_configured else [f"{_MODEL}={model}"]),
        f"--compaction-trials={options.trials or (_TRIALS if writes_anew else 1)}",
        f"--compaction-store={store}",
        *(["--compaction-replay"] if options.replay else []),
        *options.pytest,
    ]
    arms = [
        replace(arm, arguments=(*arm.arguments, *(f"--compactor={s}" for s in arm.specs), *shared))
        for arm in planned
    ]
    if options.export:
        return _exported(Path(options.export).absolute(), arms, store)
    others: list[str] = []
    for role in ("responder", "reader", "judge"):
        named = _set(options, f"--compaction-{role}") or OFFLINE
        others += named if isinstance(named, list) else str(named).split()
    asks_nobody = not writes_anew and all(map(is_offline, others))
    if not (options.yes or options.replay or asks_nobody):
        for arm in arms:
            title = "" if arm.tree is None else f"{arm.tree.name}:\n"
            print(f"{title}{estimate(arm.arguments, **arm.place)}", file=sys.stderr)
        if not agreed("Measure?"):
            raise CommandError("nothing was measured; --yes measures without asking")
    return _written(options, arms, store)


def _exported(folder: Path, arms: Sequence[_Arm], store: Path) -> int:
    """Write the requests of all runs into one folder, each once."""
    calls: dict[str, Call] = {}
    for arm in arms:
        more = [f"--compaction-export={folder}", "-q"]
        code, printed = run_pytest([*arm.arguments, *more], store, **arm.place)
        if code:
            raise RunError(code, printed, "the export")
        print(f"{arm.tree.name}:\n{printed}" if arm.tree else printed, end="")
        if len(arms) > 1 and folder.is_dir():  # it is not made where nothing is asked
            calls |= {call.digest: call for call in ExportFolder.opened(folder).requested()}
    if calls:
        written = ExportFolder.opened(folder).write([*calls.values()])
        listed = ", ".join(str(file.path) for file in written.files)
        print(f"both refs: {counted(len(calls), 'request')} in {printable(listed)}")
    return 0


def _written(options: argparse.Namespace, arms: Sequence[_Arm], store: Path) -> int:
    notes = []
    if options.holdout is not None and options.final:
        what = " ".join((options.compactor, *options.versions))
        notes.append(note_reading(options.holdout, what))
    elif options.holdout is not None:
        complain(
            f"the held-out cases of {options.holdout} are not read; --final reads them (so far: "
            f"{_readings(options.holdout)})"
        )
    found, said = _measured(options, arms, store)
    notes += said
    asked = (r["usage"]["compaction"]["calls"] for _, run in found for r in run.records)
    if is_offline(_model_of(options)) and any(asked):
        notes.append(_BY_RULES)
    ab = AB(tuple(_versions(arms, found)))
    if len(arms) > 1:
        notes += _checked_alike(arms, [run for _, run in found])
    text = "\n\n".join([_MARK, *map(printable, notes), *ab_markdown(ab)]) + "\n"
    for path in map(Path, options.report if len(arms) > 1 else ()):
        if path.suffix == ".html":
            pages = [PageRun(file.stem, run, file.parent) for file, run in found]
            write_file(path, page_of(pages, versions=[ab]))
        else:
            as_json = path.suffix == ".json"
            write_file(path, report_json(_both(found, ab), [ab]) if as_json else text)
    write(options, text)
    return 0


def _measured(
    options: argparse.Namespace, arms: Sequence[_Arm], store: Path
) -> tuple[list[tuple[Path, Run]], list[str]]:
    """The run of each arm, and what it said of prompts that name facts.

    Items below the pass score, over budget or unscored are figures. Two refs run side by side, so
    that a drift of the endpoint is no difference between them, each with half of the requests in
    flight and of the dollars.
    """
    folder = DEFAULT_FOLDER.absolute()
    fixed = [*WITHOUT_GATE, f"--compaction-runs={folder}", "-v"]
    if len(arms) > 1:
        fixed += ["-p", "no:cacheprovider"]
        default = option_of("compaction_concurrency").default
        in_flight = _set(options, "--compaction-concurrency") or default
        with suppress(TypeError, ValueError):  # no limit, or one that pytest refuses itself
            fixed.append(f"--compaction-concurrency={max(1, int(in_flight) // 2)}")
        with suppress(TypeError, ValueError):
            fixed.append(f"{_MAX_COST}={float(_set(options, _MAX_COST)) / 2}")
    else:
        fixed += [f"--compaction-report={path}" for path in options.report]
    with ExitStack() as stack:
        runs = [stack.enter_context(started([*arm.arguments, *fixed], **arm.place)) for arm in arms]
        wait_for(runs, store)
        codes = [run.code for run in runs]
    found, notes = [], []
    for arm, run, code in zip(arms, runs, codes, strict=True):
        if code is None:  # stopped because of the other one, which says why
            continue
        lines = run.printed.splitlines()
        words = (Path(word).name for line in lines for word in line.partition(_RECORDS)[2].split())
        named = [name for name in words if name.endswith(".jsonl")]
        measured = load_run(folder / named[-1]) if named and code in {0, 1} else Run()
        if not any(each["overall"] is not None for each in measured.records):
            where = "the run" if arm.tree is None else f"the run at {arm.tree.name}"
            raise RunError(code, run.printed, where)
        found.append((folder / named[-1], measured))
        notes += [line.removeprefix("compaction: ") for line in lines if NAMES_FACTS in line]
    return found, notes


def _versions(arms: Sequence[_Arm], found: Sequence[tuple[Path, Run]]) -> Iterator[Version]:
    for arm, (_, run) in zip(arms, found, strict=True):
        prompts = prompts_of(run.header)
        probes = [record for record in run.records if type_of(record) == "probe"]
        for spec in arm.specs:
            records = [record for record in probes if record["compactor"] == spec]
            if not records:
                raise CommandError(f"no item of {spec} was measured")
            yield Version(spec if arm.tree is None else arm.tree.name, records, prompts.get(spec))


def _checked_alike(arms: Sequence[_Arm], runs: Sequence[Run]) -> list[str]:
    """Refuse refs whose configurations give scores another meaning; note other differences."""
    base, head = (arm.tree for arm in arms if arm.tree is not None)
    names, headers = (base.name, head.name), (runs[0].header, runs[1].header)
    if problems := differences(*headers, names):
        raise CommandError(
            f"{base.name} and {head.name} cannot be compared: {'; '.join(problems)}; the two "
            "refs configure this differently: name it with --model or --pytest"
        )
    notes = (cases_note(*headers, names), version_note(*headers, names), note_on_models(base, head))
    return [note for note in notes if note]


def _set(options: argparse.Namespace, name: str) -> Any:
    """The value of an option of pytest, as it is given or stands in the configuration."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(name, dest="given")
    given = parser.parse_known_args(options.pytest)[0].given
    return given or options.configured.get(name.removeprefix("--").replace("-", "_"))


def _cases_at(tree: Tree) -> list[str]:
    found = configured(tree.folder, tree.root)
    named = found.own.get("compaction_cases") or []
    paths = named.split("\n") if isinstance(named, str) else list(map(str, named))
    paths = [path.strip() for path in paths if path.strip()]
    if case_places(paths, found.folder, use_shipped=False).shipped:
        return [SHIPPED]
    return [tree.place(str(found.folder / path)) for path in paths] or [tree.place(DEFAULT_CASES)]


def _both(found: Sequence[tuple[Path, Run]], ab: AB) -> FinishedRun:
    """The runs of two refs as one, in which the strategy is named by its ref."""
    (old, new), (path, run) = ab.versions, found[-1]
    others = [r for r in run.records if r["compactor"] != new.records[0]["compactor"]]
    named = [
        Record(**{**record, "compactor": version.name})
        for version in (old, new)
        for record in version.records
    ]
    header, name = {**run.header, "figures": {}}, str(DEFAULT_FOLDER / path.name)
    order = (old.name, new.name)
    return FinishedRun(name, header, (*named, *others), order, "none", folder=path.parent)


def check_holdout(folder: Path, cases: Sequence[str]) -> None:
    """Refuse held-out cases that are not there, or that other runs read too."""
    if not folder.is_dir() or not holds_cases(folder):
        raise CommandError(f"--holdout={folder}: there is no folder with cases of this name")
    here = folder.resolve()
    for path in map(Path, cases or [DEFAULT_CASES]):
        there = path.resolve()
        if here.is_relative_to(there) or there.is_relative_to(here):
            raise CommandError(
                f"--holdout={folder} and the cases in {path} lie in one another, so that every "
                "run reads the held-out cases; move them into a folder of their own"
            )


def _ledger(folder: Path) -> Path:
    """The file that counts the readings; commit it, so that it counts everybody's."""
    return folder.with_name(f"{folder.name}.readings.txt")


def _readings(folder: Path) -> int:
    try:
        return len(_ledger(folder).read_text("utf-8").splitlines())
    except FileNotFoundError:
        return 0


def note_reading(folder: Path, what: str) -> str:
    """Note that ``what`` is measured with held-out cases, and say which reading this is."""
    try:
        with _ledger(folder).open("a", encoding="utf-8") as file:
            file.write(f"{printable(what)}\n")
    except OSError as error:
        raise CommandError(
            f"{_ledger(folder)}: cannot be written ({error.strerror}), and a reading of held-out "
            "cases that is not counted is worth nothing"
        ) from None
    number = _readings(folder)
    less = "" if number == 1 else ": each reading makes them less of a test"
    return f"Held-out cases of {folder}, reading {number}{less}."
