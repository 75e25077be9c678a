"""Runs the tests that the changes since their last run can reach: ``python -m tests.reached``.

Reach is measured: a run notes which functions of the package each test enters, in whatever
process. ``.pytest_cache/reached.json`` holds that, and a digest of each function and file.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from statistics import median, quantiles

from tests.reached.plugin import LEFT_OUT, RESULT
from tests.reached.reach import ROOT, Sources, distribution, file_of, selected
from tests.reached.start.sitecustomize import BYTES, PLACES

STATE = ROOT / ".pytest_cache" / "reached.json"
START = Path(__file__).parent / "start"


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.reached", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="run these tests in any case")
    parser.add_argument("--all", action="store_true", help="run all tests, as the first time")
    parser.add_argument("--list", action="store_true", help="print the tests and run nothing")
    parser.add_argument(
        "--within",
        type=float,
        metavar="SECONDS",
        help="run only so many CPU seconds of tests, those that enter the least first",
    )
    parser.add_argument("--waits", action="store_true", help="print the wait after a change")
    parser.add_argument("-n", type=int, default=2, metavar="N", help="processes (default: 2)")
    options = parser.parse_args(arguments)
    state = {"tests": {}, "names": [], "parts": {}, "failed": []}
    if STATE.exists():
        state = json.loads(STATE.read_text())
    sources = Sources.now(state["parts"])
    if options.waits:
        return print_waits(sources, state)
    named = {file for path in options.paths for file in sources.tests_below(path)}
    if named or options.all:
        chosen = dict.fromkeys(named or sources.tests, "named")
    else:
        chosen = selected(sources, state)
    tests = state["tests"]
    left = []
    if options.within is not None:
        chosen, left = within(options.within, chosen, tests)
    seconds = seconds_of(chosen, tests)
    if options.list:
        for id in sorted(chosen):
            print(f"{seconds_of([id], tests):7.1f} s  {id}  ({chosen[id]})")
    print(f"{len(chosen)} tests and files of tests, about {seconds:.0f} CPU s")
    if left:
        print(f"not run: {len(left)} others, about {seconds_of(left, tests):.0f} CPU s")
    if options.list or not chosen:
        return 0
    code = 0
    for result, returned in run(sources, chosen, tests, options.n):
        code = code or returned
        ran = result["tests"].keys()
        merge(state, result)
        failed = {id for id in state["failed"] if id not in ran and file_of(id) not in chosen}
        state["failed"] = sorted(failed | {*result["failed"]})
    state["tests"] = {id: found for id, found in tests.items() if file_of(id) in sources.tests}
    if (not named and not left) or not state["parts"]:  # else changes still have tests to run
        state["parts"] = sources.parts
    STATE.parent.mkdir(exist_ok=True)
    STATE.write_text(json.dumps(state))
    return code


def seconds_of(ids, tests):
    """What tests took, or all known tests of files."""
    of_files = {id for id in ids if "::" not in id}
    known = {id for id in tests if file_of(id) in of_files} | {id for id in ids if id in tests}
    return sum(tests[id]["seconds"] for id in known)


def within(most, chosen, tests):
    """The tests that enter the fewest functions, within so many seconds, and all others."""
    taken, spent = {}, 0.0
    for id in sorted(chosen, key=lambda id: len(tests.get(id, {}).get("entered", ()))):
        spent += seconds_of([id], tests)
        if spent <= most:
            taken[id] = chosen[id]
    return taken, chosen.keys() - taken.keys()


def merge(state, result):
    """Put what was measured into the state, whose names have other numbers."""
    numbers = {name: number for number, name in enumerate(state["names"])}
    for found in result["tests"].values():
        found["entered"] = [numbers.setdefault(n, len(numbers)) for n in found["entered"]]
    state["names"] = list(numbers)
    state["tests"] |= result["tests"]


def run(sources, chosen, tests, count):
    """Run tests in some processes at a time; yields what was measured, and the exit code."""
    places, names = {}, []
    for path in sources.modules:
        places[str(ROOT / path)] = len(names)
        names += [f"{path}:{name}" for name in sources.functions(path)]
    files = {}
    for id in chosen:
        files[file_of(id)] = files.get(file_of(id), 0.0) + seconds_of([id], tests)
    files = sorted(files, key=files.get, reverse=True)
    left_out = [id for id in tests if id not in chosen and file_of(id) not in chosen]
    again = sha256((START / "sitecustomize.py").read_bytes()).hexdigest()[:12]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "places.json").write_text(json.dumps(places))
        (Path(folder) / "left_out.json").write_text(json.dumps(left_out))
        started = []
        for number in range(min(count, len(files))):
            result, entered = (Path(folder) / f"{name}{number}" for name in ("result", "bytes"))
            entered.write_bytes(bytes(len(names) + 1))
            path = filter(None, (str(START), os.environ.get("PYTHONPATH")))
            environment = os.environ | {
                BYTES: str(entered),
                PLACES: f"{folder}/places.json",
                RESULT: str(result),
                LEFT_OUT: f"{folder}/left_out.json",
                "PYTHONPATH": os.pathsep.join(path),
                "PYTHONPYCACHEPREFIX": str(STATE.parent / f"reached-{again}"),
            }
            command = ["-m", "pytest", "-n0", "-q", "-ptests.reached.plugin"]
            command += files[number::count]
            process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment)
            started.append((result, process, files[number::count]))
        for result, process, ran in started:
            code = process.wait()
            if not result.exists():
                yield {"tests": {}, "failed": ran}, code or 1
                continue
            found = json.loads(result.read_text())
            for test in found["tests"].values():
                test["entered"] = [names[number] for number in test["entered"]]
            yield found, code


def print_waits(sources, state):
    for what, waits in distribution(sources, state).items():
        values = sorted(waits.values())
        low, _, high = quantiles(values, n=4)
        under = sum(value < 30 for value in values) / len(values)
        print(
            f"{len(values):,} {what}: median {median(values):.0f} CPU s, quartiles {low:.0f} and "
            f"{high:.0f}, most {values[-1]:.0f}; under 30 s: {under:.0%}"
        )
    total = sum(found["seconds"] for found in state["tests"].values())
    print(f"all {len(state['tests']):,} tests: {total:.0f} CPU s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
