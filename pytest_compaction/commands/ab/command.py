"""``pytest-compaction ab``: two prompts, or two versions of a function, in one command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.ab.holdout import Holdout
from pytest_compaction.commands.ab.refs import Tree, trees_of
from pytest_compaction.commands.arguments import CommandError, complain, written
from pytest_compaction.commands.init.config_file import config_file
from pytest_compaction.commands.pytest_runs import (
    WITHOUT_GATE,
    RunError,
    add_run_options,
    agreed,
    complain_of,
    estimate,
    run_pytest,
    started,
    wait_for,
)
from pytest_compaction.compactors import parted
from pytest_compaction.folders import write_whole
from pytest_compaction.models import OFFLINE, RECORDED_WORDS, is_offline
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
    page_of,
    prompts_of,
    report_json,
)
from pytest_compaction.session.named_files import case_places
from pytest_compaction.settings import DEFAULT_CASES, NAMES_FACTS, SHIPPED
from pytest_compaction.text import printable

_TRIALS: Final = 3
_STORE: Final = ".pytest_compaction/store"
_MODEL: Final = "--compaction-model"
_MAX_COST: Final = "--compaction-max-cost"
_SHARED: Final = {
    "--compaction-concurrency": option_of("compaction_concurrency").default,
    _MAX_COST: None,
}
"""The limits that two runs side by side share, with their defaults."""
_RECORDS: Final = "records: "
"""Before the place of its records in a line of a run."""
_BY_RULES: Final = (
    "Rules wrote the summaries: prompts and models have no effect on these figures. --model=NAME "
    "asks a model."
)
_MARK: Final = "<!-- pytest-compaction ab -->"
"""The first line of a comment, by which a workflow finds the one that it wrote before."""


class ABError(CommandError):
    """There is nothing to compare; the text says why, and what to do."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "ab",
        help="compare two prompts, or a function of yours at two git refs",
        description="Measure two versions side by side and write what changed as Markdown. They "
        "are prompt files (OLD.md NEW.md), which need a model, or two git refs (main..HEAD) of the "
        "function that --compactor names. Shows an estimate and asks before a model is called.",
    )
    parser.add_argument(
        "versions", nargs="+", metavar="VERSION", help="prompt files, the old one first; or A..B"
    )
    parser.add_argument("--compactor", required=True, metavar="SPEC", help="as pytest takes it")
    parser.add_argument("--model", metavar="NAME", help="as --compaction-model (refs: offline)")
    add_run_options(parser, f"trials of each version (default: {_TRIALS}, or 1 without a model)")
    parser.add_argument(
        "--report", action="append", default=[], type=Path, metavar="PATH", help="also a report"
    )
    parser.add_argument(
        "--comment", type=Path, dest="output", metavar="FILE", help="write the Markdown here"
    )
    parser.add_argument("--holdout", type=Path, metavar="FOLDER", help="cases for --final alone")
    parser.add_argument("--final", action="store_true", help="measure the held-out cases")
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
        complain_of(error)
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
        tree = self.tree
        return {} if tree is None else {"folder": tree.folder, "environment": tree.environment}


@dataclass(frozen=True)
class _Plan:
    options: argparse.Namespace
    arms: tuple[_Arm, ...]
    cases: tuple[str, ...]
    holdout: Holdout | None
    store: Path
    model: str
    _notes: list[str] = field(default_factory=list)

    def carried_out(self) -> int:
        options = self.options
        if options.export:
            return self._exported()
        if not (options.yes or options.replay or self._asks_nobody):
            for arm in self.arms:
                title = "" if arm.tree is None else f"{arm.tree.name}:\n"
                print(f"{title}{estimate(self._arguments(arm), **arm.place)}", file=sys.stderr)
            if not agreed("Measure?"):
                complain("nothing was measured; --yes measures without asking")
                return 1
        if self.holdout is not None and options.final:
            read = self.holdout.read_again(" ".join((options.compactor, *options.versions)))
            self._notes.append(self.holdout.told(read))
        elif self.holdout is not None:
            complain(self.holdout.kept_back)
        return self._written(self._measured())

    @property
    def _asks_nobody(self) -> bool:
        return self.model == RECORDED_WORDS or is_offline(self.model)

    def _arguments(self, arm: _Arm) -> list[str]:
        options = self.options
        trials = options.trials or (1 if self._asks_nobody else _TRIALS)
        return [
            *(f"--compactor={spec}" for spec in arm.specs),
            *(f"--compaction-cases={path}" for path in self.cases),
            *([f"{_MODEL}={options.model}"] if options.model else []),
            f"--compaction-trials={trials}",
            f"--compaction-store={self.store}",
            *(["--compaction-replay"] if options.replay else []),
            *options.pytest,
        ]

    def _exported(self) -> int:
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

    def _measured(self) -> list[tuple[Path, Run]]:
        """The run of each arm. Items below the pass score, over budget or unscored are figures.

        Two refs run side by side, so that a drift of the endpoint is no difference between them.
        """
        folder = DEFAULT_FOLDER.absolute()
        with ExitStack() as stack:
            runs = [
                stack.enter_context(
                    started([*self._arguments(arm), *self._fixed(arm, folder)], **arm.place)
                )
                for arm in self.arms
            ]
            wait_for(runs, self.store, sys.stderr)
            codes = [run.code for run in runs]
        found = []
        for arm, run, code in zip(self.arms, runs, codes, strict=True):
            if code is None:  # stopped because of the other one, which says why
                continue
            lines = (line.partition(_RECORDS)[2] for line in run.printed.splitlines())
            words = (Path(word).name for line in lines for word in line.split())
            named = [name for name in words if name.endswith(".jsonl")]
            measured = load_run(folder / named[-1]) if named and code in {0, 1} else Run()
            if not any(each["overall"] is not None for each in measured.records):
                where = "the run" if arm.tree is None else f"the run at {arm.tree.name}"
                raise RunError(code, run.printed, where)
            found.append((folder / named[-1], measured))
            said = (line.removeprefix("compaction: ") for line in run.printed.splitlines())
            self._notes.extend(line for line in said if NAMES_FACTS in line)
        asked = (r["usage"]["compaction"]["calls"] for _, run in found for r in run.records)
        if is_offline(self.model) and any(asked):
            self._notes.append(_BY_RULES)
        return found

    def _fixed(self, arm: _Arm, folder: Path) -> list[str]:
        fixed = [*WITHOUT_GATE, f"--compaction-runs={folder}", "-v"]
        if arm.tree is None:
            return [*fixed, *(f"--compaction-report={path}" for path in self.options.report)]
        return [*fixed, *self._half(), "-p", "no:cacheprovider"]

    def _half(self) -> Iterator[str]:
        """What each of two refs may have of the requests in flight and of the dollars."""
        for name, default in _SHARED.items():
            limit = _set(self.options, name) or default
            with suppress(TypeError, ValueError):  # no limit, or one that pytest refuses itself
                half = float(limit) / 2
                yield f"{name}={half if name == _MAX_COST else max(1, int(half))}"

    def _written(self, found: Sequence[tuple[Path, Run]]) -> int:
        ab = AB(tuple(self._versions(found)))
        if len(found) > 1:
            self._check_alike([run for _, run in found])
        parts = [_MARK, *map(printable, self._notes), *ab_markdown(ab)]
        text = "\n\n".join(parts) + "\n"
        for path in self.options.report if len(found) > 1 else ():
            if path.suffix == ".html":
                pages = [PageRun(path.stem, run, path.parent) for path, run in found]
                whole = page_of(pages, versions=[ab])
            else:
                whole = report_json(_both(found, ab), [ab]) if path.suffix == ".json" else text
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


def _set(options: argparse.Namespace, name: str) -> Any:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(name, dest="given")
    given = parser.parse_known_args(options.pytest)[0].given
    return given or config_file(Path()).values().get(name.removeprefix("--").replace("-", "_"))


def _planned(options: argparse.Namespace, stack: ExitStack) -> _Plan:
    store = (options.store or Path(str(_set(options, "--compaction-store") or _STORE))).absolute()
    configured = _set(options, _MODEL)
    options.model = options.model or (None if configured else OFFLINE)
    model = str(options.model or configured)
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
            if report.suffix not in {".html", ".md", ".json"}:
                raise ABError(f"--report={report}: the report of two refs is .html, .md or .json")
        arms = tuple(_Arm((options.compactor,), tree) for tree in trees)
        cases = [trees[0].place(path) for path in cases] or _cases_at(trees[0])
        return _Plan(options, arms, tuple(cases), holdout, store, model)
    for path in options.versions:
        if not Path(path).is_file():
            raise ABError(f"there is no prompt file {path}; name two files, or two refs as A..B")
    if is_offline(model):
        raise ABError(
            "two prompts need a model, because rules read no prompt: name the one that writes the "
            "summaries with --model=NAME; --export=FOLDER writes its requests as files"
        )
    specs = tuple(f"{options.compactor}:prompt={_quoted(path)}" for path in options.versions)
    return _Plan(options, (_Arm(specs),), tuple(cases), holdout, store, model)


def _quoted(path: str) -> str:
    """A path as the value of a parameter; signs that separate parameters need quotes."""
    return repr(path) if any(sign in path for sign in ",:+ '") else path


def _cases_at(tree: Tree) -> list[str]:
    named = config_file(tree.folder).values().get("compaction_cases") or []
    paths = named.split("\n") if isinstance(named, str) else list(map(str, named))
    paths = [path.strip() for path in paths if path.strip()]
    if case_places(paths, tree.folder, use_shipped=False).shipped:
        return [SHIPPED]
    return [tree.place(path) for path in paths or [DEFAULT_CASES]]


def _both(found: Sequence[tuple[Path, Run]], ab: AB) -> FinishedRun:
    """The runs of two refs as one, in which the strategy is named by its ref."""
    (old, new), (path, run) = ab.versions, found[-1]
    others = [r for r in run.records if r["compactor"] != new.records[0]["compactor"]]
    named = [
        Record(**{**record, "compactor": version.name})
        for version in (old, new)
        for record in version.records
    ]
    header = {**run.header, "figures": {}}
    order = (old.name, new.name)
    name = str(DEFAULT_FOLDER / path.name)
    return FinishedRun(name, header, (*named, *others), order, "none", folder=path.parent)
