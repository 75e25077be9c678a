"""``pytest-compaction init``: write the first files of a project, measure once, set the gate."""

from __future__ import annotations

import argparse
import math
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import holds_cases
from pytest_compaction.commands.arguments import CommandError
from pytest_compaction.commands.init.config_file import (
    FUNCTION,
    MODULE,
    ConfigFile,
    NewFile,
    Value,
    case_files,
    compactor_file,
    config_file,
    workflow_file,
)
from pytest_compaction.commands.pytest_runs import RunError, calls_in, estimate, run_pytest
from pytest_compaction.compactors import (
    Registry,
    UnknownCompactorError,
    asks_model,
    named_strategies,
    parse_spec,
    parted,
)
from pytest_compaction.gate import FEWEST_TRIALS
from pytest_compaction.metrics import Mean, by_compactor, newly_gone_bound, run_changes
from pytest_compaction.models import OFFLINE, archive_for, is_offline
from pytest_compaction.records import (
    Run,
    accepted_place,
    is_sampled,
    load_run,
    uses,
    write_accepted,
    write_baseline_file,
)
from pytest_compaction.secrets import hide
from pytest_compaction.session.end.baseline import views_in
from pytest_compaction.session.resolve import make_importable
from pytest_compaction.session.session import shipped_cases
from pytest_compaction.settings import DEFAULT_CASES, SHIPPED
from pytest_compaction.text import printable

_REQUIRED: Final = "required_plugins"
"""The setting without which ``pytest -p no:compaction`` would be green."""
_PACKAGE: Final = "pytest-compaction"
_THRESHOLD: Final = "compaction_threshold"
_CASES: Final = "compaction_cases"
_MODEL: Final = "compaction_model"
_STORE: Final = "compaction_store"
_PROXY: Final = "compaction_proxy"
_NOTHING_MORE: Final = "Nothing more is written, and no model is asked."
_KEYS: Final = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
_ADDRESSES: Final = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "init",
        help="set up a project: a compactor, cases, a threshold from a first run, a workflow",
        description="Write the first files of a project into this folder: a compactor, cases from "
        "transcripts, the recorded model calls of a first run, a baseline, a threshold, a GitHub "
        "workflow. Files and the estimated number of model calls are shown before you are asked. "
        "Existing files are named and left as they are.",
    )
    sessions = "sessions of agents to make cases of; without any, the shipped cases are measured"
    parser.add_argument("transcripts", nargs="*", type=Path, metavar="TRANSCRIPT", help=sessions)
    spec = "the strategy to gate, as pytest takes it; without it a function is written"
    parser.add_argument("--compactor", metavar="SPEC", help=spec)
    data = "folder for cases, recorded calls and baseline, if they must stay outside the repository"
    parser.add_argument("--data", type=Path, metavar="DIR", help=data)
    yes = "write and ask models without asking you first"
    parser.add_argument("-y", "--yes", action="store_true", help=yes)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Set up the project in this folder; returns 1 if it has no gate in the end."""
    given = options.compactor
    if given is not None:
        strategies, wrong = list(parted(given, ",")), ""
        if not all(map(str.strip, strategies)):
            wrong = "names no strategy; give one, or leave it out and a function is written"
        elif len(strategies) > 1:
            wrong = "names several strategies, and a threshold is set for one; name that"
        elif hide(given) != given:
            wrong = "holds a key, which would stand in the workflow; let the strategy read it "
            wrong += "elsewhere"
        if wrong:
            raise CommandError(f"--compactor={hide(given)} {wrong}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            return 0 if _Project(options, Path(folder), config_file(Path())).set_up() else 1
    except RunError as error:
        raise CommandError(
            f"{error}\nno threshold is written: mend that, and run init again"
        ) from None
    except OSError as error:
        place = error.filename or "a file"
        raise CommandError(
            f"{place} cannot be written: {error.strerror}; mend that, and run init again"
        ) from None


@dataclass(frozen=True, slots=True)
class FirstRun:
    """A run in a ``folder`` of its own, and its mean overall score."""

    run: Run
    folder: Path
    mean: Mean

    def __str__(self) -> str:
        mean = self.mean
        between = f" [{mean.interval[0]:.2f}, {mean.interval[1]:.2f}]" if mean.interval else ""
        cases = f"{mean.cases} case{'' if mean.cases == 1 else 's'}"
        measured = f"overall {mean.value:.2f}{between} on {mean.count} items of {cases}"
        return measured if mean.interval else f"{measured}, no interval"

    @property
    def calls(self) -> int:
        """The model calls that the run took, also those that a store answered."""
        return sum(use.usage.calls for use in uses(self.run.records).values())


def threshold_below(overall: float) -> float:
    """Five per cent below a score, rounded down to a twentieth of a point."""
    # A score of 2.3 may be a hair below it as a binary number.
    return max(math.floor(overall * 0.95 * 20 + 1e-9), 0) / 20


@dataclass(frozen=True)
class _Project:
    options: argparse.Namespace
    folder: Path
    settings: ConfigFile

    @property
    def spec(self) -> str:
        return self.options.compactor or f"{MODULE}:{FUNCTION}"

    def place(self, name: str) -> Path:
        """Where a file or folder lies that may hold text of sessions."""
        return (self.options.data or Path()) / name

    def set_up(self) -> bool:
        """Write the files, measure and set the gate; whether there is a gate in the end."""
        planned = [] if self.options.compactor else [compactor_file()]
        made = self.folder / DEFAULT_CASES
        made.mkdir()
        if self.options.transcripts:
            cases, said = case_files(self.options.transcripts, made, self.place(DEFAULT_CASES))
            print(said, end="")
            if not cases:
                return False
            planned += cases
        values = self.settings.values()
        has_gate = _THRESHOLD in values
        if has_gate:
            planned.append(self._workflow(bool(values.get(_STORE) or values.get(_PROXY))))
        new = self._shown(planned)
        if has_gate:
            print(f"{self.settings.path.name} has a {_THRESHOLD}, which stays as it is")
        else:
            print(self._estimated(new), flush=True)
        steps = [*(["write these files"] if new else []), *([] if has_gate else ["measure once"])]
        if steps and not self._agreed(f"{', and '.join(steps).capitalize()}?"):
            print(_NOTHING_MORE)
            return False
        for file in new:
            file.write()
        if not has_gate and not self._set_gate():
            return False
        print("Run the gate, now and after each change:")
        print(f"  {shlex.join(['pytest', f'--compactor={self.spec}'])}")
        return True

    def _shown(self, planned: Sequence[NewFile]) -> list[NewFile]:
        """The files that are not there yet, which are shown."""
        new = []
        for file in planned:
            if file.is_there():
                print(f"{printable(str(file.path))} exists, and stays as it is")
            else:
                new.append(file)
                _show(str(file.path), file.shown.splitlines())
        return new

    def _estimated(self, new: Sequence[NewFile]) -> str:
        model = str(self.settings.values().get(_MODEL) or OFFLINE)
        writes_function = any(file.path.name == f"{MODULE}.py" for file in new)
        if is_offline(model) and (writes_function or self._is_shipped()):
            return "The first run asks no model."
        names, made = {file.path.name for file in new}, self.folder / DEFAULT_CASES
        for path in made.glob("*.json"):
            if path.name not in names:
                path.unlink()
        arguments = self._arguments()
        if any(made.iterdir()):
            arguments = [one for one in arguments if not one.startswith("--compaction-cases=")]
            both = (self._own_cases(), made)
            arguments += [f"--compaction-cases={path}" for path in both if path is not None]
        print("Estimating the calls of the first run ...", flush=True)
        return estimate(arguments)

    def _is_shipped(self) -> bool:
        with suppress(UnknownCompactorError):
            return Registry().is_shipped(parse_spec(self.spec))
        return False

    def _own_cases(self) -> Path | None:
        places = (self.place(DEFAULT_CASES), Path(DEFAULT_CASES))
        return next((path for path in places if path.is_dir() and holds_cases(path)), None)

    def _added(self) -> dict[str, Value]:
        values, own = self.settings.values(), self._own_cases()
        added: dict[str, Value] = {}
        if _CASES not in values and own != Path(DEFAULT_CASES):
            added[_CASES] = [SHIPPED if own is None else own.as_posix()]
        if _MODEL not in values and self._rules_summarize(own or shipped_cases()):
            added[_MODEL] = OFFLINE
        if _STORE not in values:
            added[_STORE] = self.place("calls").as_posix()
        if _PROXY not in values and not self._is_shipped():
            added[_PROXY] = True
        return added

    def _rules_summarize(self, cases: Path) -> bool:
        """Whether the strategy asks a model, and no words are recorded of some of the cases."""
        make_importable(Path.cwd())
        try:
            registry, (spec,) = named_strategies([self.spec], {})
            if not asks_model(registry.example(spec)):
                return False
        except UnknownCompactorError:  # the run says so, or a conftest file adds it
            return False
        archive = archive_for(cases.resolve() / "any.json", cases.resolve())
        words = archive.words if archive else ()
        recorded = {row.case for row in words if row.strategy == spec.text}
        return len(recorded) < sum(1 for _ in cases.rglob("*.json"))

    def _arguments(self) -> list[str]:
        arguments = [f"--compactor={self.spec}"]
        for name, value in self._added().items():
            flag = f"--{name.replace('_', '-')}"
            text = value[0] if isinstance(value, list) else value
            arguments.append(flag if value is True else f"{flag}={text}")
        return arguments

    def _measured(self, name: str, store: Path, *more: str) -> FirstRun:
        """A run of pytest in an empty folder; only what it scored decides."""
        runs = self.folder / name
        runs.mkdir()
        gate = ["--compaction-threshold=overall>=0", "--compaction-baseline=none"]
        brief = ["-q", "--compaction-show=0", f"--compaction-runs={runs}"]
        code, printed = run_pytest([*self._arguments(), *more, *gate, *brief], store)
        files = sorted(runs.glob("*.jsonl"))
        found = load_run(files[-1]) if code == 0 and files else None
        mean = found.mean("overall") if found is not None else None
        if found is None or mean is None:
            raise RunError(code, printed, "the first run")
        return FirstRun(found, runs, mean)

    def _set_gate(self) -> bool:
        values, added = self.settings.values(), self._added()
        store = Path(str(values.get(_STORE) or added[_STORE]))
        print("The first run takes a moment ...", flush=True)
        first = self._measured("first", store)
        asks = calls_in(store) > 0
        if not asks:
            added = {key: value for key, value in added.items() if key not in {_STORE, _PROXY}}
        noise: int | None = 0
        lowest = first.mean.value
        if is_sampled(first.run.header, first.run.records):
            first, noise, lowest = self._measured_twice(first, store)
            if noise is not None:
                added["compaction_trials"] = FEWEST_TRIALS
        print(first)
        threshold = threshold_below(lowest)
        if not threshold:
            raise CommandError(
                "a threshold of 0 would let everything pass, so none is written; improve the "
                "strategy, or add cases, and run init again"
            )
        added[_THRESHOLD] = [f"overall>={threshold:g}"]
        baseline = self.place("baseline.json")
        if "compaction_baseline" not in values:
            added["compaction_baseline"] = baseline.as_posix()
            added |= {} if noise is None else {"compaction_max_newly_gone": str(noise)}
        required = values.get(_REQUIRED)
        if required is None:
            added[_REQUIRED] = [_PACKAGE]
        elif _PACKAGE not in str(required):
            print(
                f"{self.settings.path.name} has {_REQUIRED}, which stays as it is; add {_PACKAGE} "
                "to it, or pytest -p no:compaction is green without a gate"
            )
        comment = f"The first run: {first}. The threshold is 5 % lower, rounded down."
        if _MODEL in added:
            comment += " Rules summarise (offline), because no words of a model are recorded here."
        return self._write_gate(first, baseline, added, comment, asks)

    def _write_gate(
        self, first: FirstRun, baseline: Path, added: dict[str, Value], comment: str, asks: bool
    ) -> bool:
        changed = self.settings.with_lines(added, comment)
        new = self._shown([self._workflow(asks)])
        title = "is new" if self.settings.is_new else "gets these lines"
        _show(f"{self.settings.path.name} {title}", self.settings.lines(added, comment))
        is_there = baseline.exists() or baseline.is_symlink()
        what = " exists, and stays as it is" if is_there else ": the first run, with its views"
        print(f"{baseline}{what}")
        if not self._agreed("Write this?"):
            print(_NOTHING_MORE)
            return False
        for file in new:
            file.write()
        if not is_there:
            groups, views = by_compactor(first.run.records), views_in(first.folder)
            write_baseline_file(baseline, first.run.header, groups, views)
            if (accepted := accepted_place(baseline, Path())) is not None:
                write_accepted(accepted, baseline)
        self.settings.path.write_bytes(changed.encode("utf-8"))
        if asks:
            keys = "; ".join(f"gh secret set {name}" for name in _set(_KEYS) or _KEYS[:1])
            print("Commit the recorded calls with the rest: the workflow replays them.")
            print(f"To let the workflow make calls that are not recorded: {keys}")
        return True

    def _workflow(self, asks: bool) -> NewFile:
        command = shlex.join(["pytest", f"--compactor={self.spec}"])
        keys, addresses = (_set(_KEYS) or _KEYS[:1], _set(_ADDRESSES)) if asks else ((), ())
        return workflow_file(command, keys, addresses, self.options.data)

    def _measured_twice(self, first: FirstRun, store: Path) -> tuple[FirstRun, int | None, float]:
        """A baseline of three trials, the limit on newly gone facts, and the lowest score.

        Without a yes it is the first run, and there is no limit. The second run asks the model
        anew: a store would give it the replies of the first.
        """
        print(
            "A model writes the summaries, and they differ from run to run. To know by how much, "
            f"the baseline is run twice with {FEWEST_TRIALS} trials: about "
            f"{2 * FEWEST_TRIALS * first.calls:,} calls, of which the first run made "
            f"{first.calls:,}. Without that, facts that are newly gone are listed and fail nothing."
        )
        if not self._agreed("Run it twice?"):
            return first, None, first.mean.value
        trials, anew = f"--compaction-trials={FEWEST_TRIALS}", self.folder / "store"
        anew.mkdir()
        baseline = self._measured("baseline", store, trials)
        again = self._measured("again", anew, trials, f"--compaction-store={anew}")
        changes = run_changes(baseline.run.records, again.run.records)
        bound = newly_gone_bound(changes.facts, changes.cases)
        print(f"Two runs of the same prompt lose {bound} facts at most, with 95 % probability.")
        return baseline, bound, min(baseline.mean.value, again.mean.value)

    def _agreed(self, question: str) -> bool:
        """Whether the user says yes; where nobody can be asked, only ``--yes`` says so."""
        if self.options.yes:
            return True
        if not sys.stdin.isatty():
            given = [str(path) for path in self.options.transcripts]
            for flag in ("compactor", "data"):
                value = getattr(self.options, flag)
                given += [] if value is None else [f"--{flag}={value}"]
            command = shlex.join(["pytest-compaction", "init", *given, "--yes"])
            print(f"There is no terminal to ask on. To go on: {command}")
        else:
            try:
                if input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}:
                    return True
            except EOFError:
                print()
        return False


def _set(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if os.environ.get(name))


def _show(title: str, lines: Sequence[str]) -> None:
    print(f"{printable(title)}:")
    for line in lines:
        print(f"  | {line}".rstrip())
