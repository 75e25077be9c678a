"""``pytest-compaction init``: write the first files of a project, measure once, set the gate."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.files import holds_cases
from pytest_compaction.commands.arguments import complain
from pytest_compaction.commands.init.config_file import (
    FUNCTION,
    MODULE,
    ConfigFile,
    ConfigFileError,
    NewFile,
    case_files,
    compactor_file,
    config_file,
    workflow_file,
)
from pytest_compaction.commands.init.first_run import (
    FirstRun,
    FirstRunError,
    measure,
    newly_gone_between,
)
from pytest_compaction.compactors.parameters import parted
from pytest_compaction.gate import FEWEST_TRIALS
from pytest_compaction.secrets.hidden import hide
from pytest_compaction.settings import DEFAULT_CASES, SHIPPED
from pytest_compaction.text import printable

_REQUIRED: Final = "required_plugins"
"""The setting without which ``pytest -p no:compaction`` would be green."""
_PACKAGE: Final = "pytest-compaction"
_THRESHOLD: Final = "compaction_threshold"
_CASES: Final = "compaction_cases"
_NEWLY_GONE: Final = "compaction_max_newly_gone"
_BASELINE: Final = "baseline.json"


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    parser = commands.add_parser(
        "init",
        help="set up a project: a compactor, cases, a threshold from a first run, a workflow",
        description="Write the first files of a project into this folder, after showing them: a "
        "compactor, cases from transcripts, a threshold from a first run, a GitHub workflow. What "
        "exists is named and left as it is.",
    )
    parser.add_argument(
        "transcripts",
        nargs="*",
        type=Path,
        metavar="TRANSCRIPT",
        help="sessions of agents to make cases of; without any, the shipped cases are measured",
    )
    parser.add_argument(
        "--compactor",
        metavar="SPEC",
        help="the strategy to gate, as pytest takes it; without it a function is written",
    )
    parser.add_argument(
        "-y", "--yes", action="store_true", help="write without asking, as in a script"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Set up the project in this folder; returns 1 if it has no gate in the end."""
    root = Path()
    wrong = "" if options.compactor is None else _wrong_strategy(options.compactor)
    if wrong:
        complain(f"--compactor={hide(options.compactor)} {wrong}")
        return 1
    spec = options.compactor or f"{MODULE}:{FUNCTION}"
    command = shlex.join(["pytest", f"--compactor={spec}"])
    try:
        settings = config_file(root)
        has_gate = _THRESHOLD in settings.values()
        if not _write_files(root, options, command):
            return 1
        if has_gate:
            print(f"{settings.path.name} has a {_THRESHOLD}, which stays as it is")
        elif not _write_gate(root, options, settings, spec):
            return 1
    except FirstRunError as error:
        print(error.printed, file=sys.stderr)
        complain(f"{error}; no threshold is written: mend that, and run init again")
        return 1
    except ConfigFileError as error:
        complain(str(error))
        return 1
    except OSError as error:
        place = error.filename or "a file"
        complain(f"{place} cannot be written: {error.strerror}; mend that, and run init again")
        return 1
    print("Run the gate, now and after each change:")
    print(f"  {command}")
    return 0


def _wrong_strategy(spec: str) -> str:
    """Why no gate can be written for a strategy, as a part of a sentence; empty if one can."""
    if not all(part.strip() for part in parted(spec, ",")):
        return "names no strategy; give one, or leave it out and a function is written"
    if len(list(parted(spec, ","))) > 1:
        return "names several strategies, and a threshold is set for one; name that"
    if hide(spec) != spec:
        return "holds a key, which would stand in the workflow; let the strategy read it elsewhere"
    return ""


def _write_files(root: Path, options: argparse.Namespace, command: str) -> bool:
    """Show the files and write them; ``False`` if there is no case or the user does not agree."""
    cases: list[NewFile] = []
    if options.transcripts:
        with tempfile.TemporaryDirectory() as folder:
            cases, said = case_files(options.transcripts, Path(folder))
        print(said, end="")
        if not cases:
            return False
    planned = [] if options.compactor else [compactor_file()]
    planned += [*cases, workflow_file(command, root)]
    new = []
    for file in planned:
        if file.is_there(root):
            print(f"{printable(str(file.path))} exists, and stays as it is")
        else:
            new.append(file)
            _show(str(file.path), file.shown.splitlines())
    if new and not _agreed(options, "Write these files, and measure once?"):
        return False
    for file in new:
        file.write(root)
    return True


def _write_gate(root: Path, options: argparse.Namespace, settings: ConfigFile, spec: str) -> bool:
    """Measure, accept a baseline and write the rules; ``False`` if nobody wants them."""
    added: dict[str, list[str] | str | int] = {}
    own = root / DEFAULT_CASES
    named = []
    if _CASES not in settings.values() and not (own.is_dir() and holds_cases(own)):
        added[_CASES] = [SHIPPED]
        named = [f"--compaction-cases={SHIPPED}"]
    arguments = [f"--compactor={spec}", *named]
    with tempfile.TemporaryDirectory() as folder:
        print("The first run takes a moment ...", flush=True)
        first = measure(root, arguments, _empty(folder, "first"))
        newly_gone = 0
        if first.sampled:
            found = _measured_twice(root, options, arguments, first, folder)
            if found is None:
                return False
            first, newly_gone = found
            added["compaction_trials"] = FEWEST_TRIALS
        score = first.score
        print(score)
        if not score.threshold:
            complain(
                "a threshold of 0 would let everything pass, so none is written; improve the "
                "strategy, or add cases, and run init again"
            )
            return False
        added[_THRESHOLD] = [f"overall>={score.threshold:g}"]
        baseline = root / _BASELINE
        is_there = baseline.exists() or baseline.is_symlink()
        if is_there:
            print(f"{_BASELINE} exists, and stays as it is")
        if "compaction_baseline" not in settings.values():
            added |= {"compaction_baseline": _BASELINE, _NEWLY_GONE: str(newly_gone)}
        required = settings.values().get(_REQUIRED)
        if required is None:
            added[_REQUIRED] = [_PACKAGE]
        elif _PACKAGE not in str(required):
            print(
                f"{settings.path.name} has {_REQUIRED}, which stays as it is; add {_PACKAGE} to "
                "it, or pytest -p no:compaction is green without a gate"
            )
        how = "its score" if score.interval is None else "the lower end of the interval"
        comment = f"The first run: {score}. The threshold is {how}, rounded down."
        changed = settings.with_lines(added, comment)
        title = "is new" if settings.is_new else "gets these lines"
        _show(f"{settings.path.name} {title}", settings.lines(added, comment))
        if not is_there:
            print(f"{_BASELINE}: the first run, with its views, to be compared with")
        if not _agreed(options, "Write this?"):
            return False
        if not is_there:
            first.accept(baseline)
        settings.write(changed)
    return True


def _measured_twice(
    root: Path,
    options: argparse.Namespace,
    arguments: Sequence[str],
    first: FirstRun,
    folder: str,
) -> tuple[FirstRun, int] | None:
    """A baseline of three trials, and the limit on newly gone facts; ``None`` without a yes.

    The second run asks the model anew: a store would give it the replies of the first.
    """
    print(
        "A model writes the summaries, and they differ from run to run. To know by how much, the "
        f"baseline is run twice with {FEWEST_TRIALS} trials: about "
        f"{2 * FEWEST_TRIALS * first.calls:,} calls, of which the first run made {first.calls:,}."
    )
    if not _agreed(options, "Run it twice?"):
        return None
    trials = [*arguments, f"--compaction-trials={FEWEST_TRIALS}"]
    baseline = measure(root, trials, _empty(folder, "baseline"))
    store = f"--compaction-store={_empty(folder, 'store')}"
    again = measure(root, [*trials, store], _empty(folder, "again"))
    bound = newly_gone_between(baseline, again)
    print(f"Two runs of the same prompt lose {bound} facts at most, with 95 % probability.")
    return baseline, bound


def _empty(folder: str, name: str) -> Path:
    made = Path(folder, name)
    made.mkdir()
    return made


def _show(title: str, lines: Sequence[str]) -> None:
    print(f"{printable(title)}:")
    for line in lines:
        print(f"  | {line}".rstrip())


def _agreed(options: argparse.Namespace, question: str) -> bool:
    """Whether the user says yes; where nobody can be asked, only ``--yes`` says so."""
    if options.yes:
        return True
    try:
        answer = input(f"{question} [y/N] ")
    except EOFError:
        answer = ""
        print()
    if answer.strip().lower() in {"y", "yes"}:
        return True
    print("nothing more was written; answer y, or give --yes in a script")
    return False
