"""``pytest-compaction ab``: two prompts, or two versions of a function, in one command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.ab.holdout import Holdout, HoldoutError
from pytest_compaction.commands.ab.refs import RefError, Tree, trees_of
from pytest_compaction.commands.arguments import complain, number_type, written
from pytest_compaction.commands.init.config_file import ConfigFileError, config_file
from pytest_compaction.commands.pytest_runs import RunError, estimate, run_pytest
from pytest_compaction.compactors import parted
from pytest_compaction.models import is_offline
from pytest_compaction.records import (
    DEFAULT_FOLDER,
    Run,
    cases_note,
    differences,
    load_run,
    run_files,
    type_of,
    version_note,
)
from pytest_compaction.reports import (
    AB,
    PageRun,
    Version,
    ab_markdown,
    page_of,
    prompts_of,
    write_whole,
)
from pytest_compaction.settings import NAMES_FACTS, SHIPPED
from pytest_compaction.text import Range, printable

_TRIALS: Final = 3
_STORE: Final = ".pytest_compaction/store"
_MARK: Final = "<!-- pytest-compaction ab -->"
"""The first line of a comment, by which a workflow finds the one that it wrote before."""


class ABError(Exception):
    """There is nothing to compare; the text says why, and what to do."""


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "ab",
        help="compare two prompts, or a function of yours at two git refs",
        description="Measure two versions side by side and write what changed as Markdown: facts "
        "lost and gained by name, paired differences beside the noise of the old version's own "
        "trials, tokens, seconds and dollars. Versions are prompt files (OLD.md NEW.md), or two "
        "git refs (main..HEAD) of the function that --compactor names. Both refs are measured "
        "with the cases of the first one. Shows an estimate and asks before a model is called.",
    )
    parser.add_argument(
        "versions", nargs="+", metavar="VERSION", help="prompt files, the old one first; or A..B"
    )
    parser.add_argument("--compactor", required=True, metavar="SPEC", help="as pytest takes it")
    parser.add_argument(
        "--cases", action="append", default=[], metavar="PATH", help="cases; repeatable"
    )
    parser.add_argument("--model", metavar="NAME", help="the model, as --compaction-model")
    parser.add_argument(
        "--trials",
        type=number_type(Range(1, 1000, True)),
        metavar="N",
        help=f"trials of each version (default: {_TRIALS}, or 1 without a model)",
    )
    parser.add_argument(
        "--report", action="append", default=[], type=Path, metavar="PATH", help="also a page"
    )
    parser.add_argument(
        "--comment", type=Path, dest="output", metavar="FILE", help="write the Markdown here"
    )
    parser.add_argument("--store", type=Path, metavar="DIR", help="where model calls are kept")
    parser.add_argument("--replay", action="store_true", help="take calls from the store alone")
    parser.add_argument(
        "--export", metavar="FOLDER", help="write the next requests as batch files instead"
    )
    parser.add_argument("--holdout", type=Path, metavar="FOLDER", help="cases for --final alone")
    parser.add_argument("--final", action="store_true", help="measure the held-out cases")
    parser.add_argument(
        "--pytest", action="append", default=[], metavar="ARG", help="one more argument of pytest"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="call models without asking you")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure and compare; returns 1 if there is nothing to compare."""
    try:
        if len(list(parted(options.compactor, ","))) > 1:
            raise ABError("--compactor names several strategies; an A/B is of versions of one")
        with ExitStack() as stack:
            plan = _planned(options, stack)
            return plan.carried_out()
    except RunError as error:
        said = [line for line in error.printed.splitlines() if line.startswith("ERROR: ")]
        for line in said or [*error.printed.splitlines(), str(error)]:
            complain(line.removeprefix("ERROR: "))
    except (ABError, RefError, HoldoutError, ConfigFileError) as error:
        complain(str(error))
    except KeyboardInterrupt:
        complain("stopped; what was paid for is in the store")
        return 130
    return 1


@dataclass(frozen=True)
class _Arm:
    """One run of pytest: the strategies that it measures, and the tree if it is of a ref."""

    specs: tuple[str, ...]
    tree: Tree | None = None

    @property
    def place(self) -> dict[str, Any]:
        """Where it runs, as :func:`run_pytest` takes it."""
        tree = self.tree
        return {} if tree is None else {"folder": tree.folder, "environment": tree.environment}


@dataclass(frozen=True)
class _Plan:
    """What is measured, with which cases, and how it is written."""

    options: argparse.Namespace
    arms: tuple[_Arm, ...]
    cases: tuple[str, ...]
    holdout: Holdout | None
    store: Path
    model: str
    _notes: list[str] = field(default_factory=list)

    def carried_out(self) -> int:
        """Estimate, ask, measure, and write; the exit code."""
        options = self.options
        if options.export:
            return self._exported()
        if not (options.yes or options.replay or is_offline(self.model)):
            for arm in self.arms:
                title = "" if arm.tree is None else f"{arm.tree.name}:\n"
                print(f"{title}{estimate(self._arguments(arm), **arm.place)}", file=sys.stderr)
            if not _agreed():
                complain("nothing was measured; --yes measures without asking")
                return 1
        if self.holdout is not None and options.final:
            read = self.holdout.read_again(" ".join((options.compactor, *options.versions)))
            self._notes.append(self.holdout.told(read))
        elif self.holdout is not None:
            complain(self.holdout.kept_back)
        found: list[tuple[Path, Run]] = []
        for arm in self.arms:
            first = found[0][1] if found else None
            found.append(self._measured(arm, first))
        return self._written(found)

    def _arguments(self, arm: _Arm, first: Run | None = None) -> list[str]:
        options = self.options
        trials = options.trials or (1 if is_offline(self.model) else _TRIALS)
        cases = self.cases
        if not cases and first is not None and self.arms[0].tree is not None:
            cases = _cases_of(first, self.arms[0].tree)
        return [
            *(f"--compactor={spec}" for spec in arm.specs),
            *(f"--compaction-cases={path}" for path in cases),
            *([f"--compaction-model={options.model}"] if options.model else []),
            f"--compaction-trials={trials}",
            f"--compaction-store={self.store}",
            *(["--compaction-replay"] if options.replay else []),
            *options.pytest,
        ]

    def _exported(self) -> int:
        """Write the batch files of a run that several prompts share."""
        if len(self.arms) > 1:
            raise ABError(
                "--export writes the requests of one run, and two refs make two; measure them with "
                "a model, or export each with pytest --compaction-export"
            )
        more = [f"--compaction-export={self.options.export}", "-q"]
        code, printed = run_pytest([*self._arguments(self.arms[0]), *more], self.store)
        if code:
            raise RunError(code, printed, "the export")
        print(printed, end="")
        return 0

    def _measured(self, arm: _Arm, first: Run | None) -> tuple[Path, Run]:
        """The run of an arm. Items below the pass score, over budget or unscored are figures."""
        runs = Path(DEFAULT_FOLDER).absolute()
        before = set(run_files(runs))
        fixed = [
            "--compaction-threshold=overall>=0",
            "--compaction-baseline=none",
            "--compaction-max-unscored=1000000",
            "--compaction-show=0",
            f"--compaction-runs={runs}",
            "-v",  # with the nulls of all cases
        ]
        if arm.tree is None:
            fixed += [f"--compaction-report={path}" for path in self.options.report]
        else:
            fixed += ["-p", "no:cacheprovider"]
        arguments = [*self._arguments(arm, first), *fixed]
        code, printed = run_pytest(arguments, self.store, progress=sys.stderr, **arm.place)
        new = [path for path in run_files(runs) if path not in before]
        found = load_run(new[-1]) if new and code in {0, 1} else None
        if found is None or not any(each["overall"] is not None for each in found.records):
            where = "the run" if arm.tree is None else f"the run at {arm.tree.name}"
            raise RunError(code, printed, where)
        said = (line.removeprefix("compaction: ") for line in printed.splitlines())
        self._notes.extend(line for line in said if NAMES_FACTS in line)
        return new[-1], found

    def _written(self, found: Sequence[tuple[Path, Run]]) -> int:
        """Write the comparison as Markdown, and as a page where refs are compared."""
        ab = AB(tuple(self._versions(found)))
        if len(found) > 1:
            self._check_alike([run for _, run in found])
            if not is_offline(self.model):
                self._notes.append("The refs were measured one after the other, not in turn.")
        parts = [_MARK, *map(printable, self._notes), *ab_markdown(ab)]
        text = "\n\n".join(parts) + "\n"
        pages = [PageRun(path.stem, run, path.parent) for path, run in found]
        for path in self.options.report if len(found) > 1 else ():
            whole = page_of(pages, versions=[ab]) if path.suffix == ".html" else text
            try:
                write_whole(path, whole.encode())
            except OSError as error:
                raise ABError(f"{path}: cannot be written: {error.strerror or error}") from None
        return 0 if written(self.options, text) else 1

    def _versions(self, found: Sequence[tuple[Path, Run]]) -> list[Version]:
        versions = []
        for arm, (_, run) in zip(self.arms, found, strict=True):
            prompts = prompts_of(run.header)
            for spec in arm.specs:
                records = [
                    record
                    for record in run.records
                    if type_of(record) == "probe" and record["compactor"] == spec
                ]
                if not records:
                    raise ABError(f"no item of {spec} was measured")
                name = spec if arm.tree is None else arm.tree.name
                versions.append(Version(name, records, prompts.get(spec)))
        return versions

    def _check_alike(self, runs: Sequence[Run]) -> None:
        """Refuse refs whose configurations give scores another meaning; note other differences."""
        names = tuple(arm.tree.name for arm in self.arms if arm.tree is not None)
        headers = runs[0].header, runs[1].header
        told = (names[0], names[1])
        problems = differences(*headers, told)
        if problems:
            raise ABError(
                f"{names[0]} and {names[1]} cannot be compared: {'; '.join(problems)}; the two "
                "refs configure this differently: name it with --model or --pytest"
            )
        notes = (cases_note(*headers, told), version_note(*headers, told))
        self._notes.extend(note for note in notes if note)


def _planned(options: argparse.Namespace, stack: ExitStack) -> _Plan:
    """The arms and the cases of a command line; trees of refs are removed when ``stack`` ends."""
    values = config_file(Path()).values()
    store = (options.store or Path(str(values.get("compaction_store") or _STORE))).absolute()
    model = str(options.model or values.get("compaction_model") or "offline")
    if options.final and options.holdout is None:
        raise ABError("--final measures held-out cases; name their folder with --holdout")
    holdout = Holdout.of(options.holdout, options.cases) if options.holdout else None
    cases = [str(options.holdout)] if options.final else list(options.cases)
    if len(options.versions) == 1:
        (text,) = options.versions
        if ".." not in text:
            raise ABError(
                f"{text!r} is one version; name two prompt files (old.md new.md) or two git refs "
                "(main..HEAD)"
            )
        trees = stack.enter_context(trees_of(text, options.compactor))
        for report in options.report:
            if report.suffix not in {".html", ".md"}:
                raise ABError(f"--report={report}: the report of two refs is .html or .md")
        arms = tuple(_Arm((options.compactor,), tree) for tree in trees)
        cases = [trees[0].place(path) for path in cases]
        return _Plan(options, arms, tuple(cases), holdout, store, model)
    for path in options.versions:
        if not Path(path).is_file():
            raise ABError(f"there is no prompt file {path}; name two files, or two refs as A..B")
    specs = tuple(f"{options.compactor}:prompt={_quoted(path)}" for path in options.versions)
    return _Plan(options, (_Arm(specs),), tuple(cases), holdout, store, model)


def _quoted(path: str) -> str:
    """A path as the value of a parameter; signs that separate parameters need quotes."""
    return repr(path) if any(sign in path for sign in ",:+ '") else path


def _cases_of(run: Run, tree: Tree) -> tuple[str, ...]:
    """The cases that the first ref was measured with, for the other one."""
    named = (run.header.get("settings") or {}).get("cases") or ()
    if not named and "cases" in (run.header.get("versions") or {}):
        return (SHIPPED,)
    return tuple(tree.place(str(path)) for path in named or ("cases",))


def _agreed() -> bool:
    """Whether the user says yes; where nobody can be asked, only ``--yes`` says so."""
    if not sys.stdin.isatty():
        return False
    print("Measure? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
