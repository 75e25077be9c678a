"""Pytest plugin: which functions of the package each test enters, and its CPU seconds."""

import json
import os
import sys
from collections import defaultdict
from pathlib import Path

import pytest

RESULT = "REACHED_RESULT"
"""Environment variable: the file to which the result is written."""
LEFT_OUT = "REACHED_LEFT_OUT"
"""Environment variable: a JSON file with the ids of tests that are not to run."""


def spent():
    """CPU seconds of this process and of the processes that have ended in it."""
    return sum(os.times()[:4])


class Measured:
    """Notes what each test enters, in whatever process.

    What a fixture with a wider scope enters belongs to all tests that ask for it. Caches are
    cleared before each file, so that none profits from what an earlier one has made.
    """

    def __init__(self, result, left_out):
        self._bytes = next(each for each in sys.meta_path if type(each).__name__ == "Finder").all
        self._result = result
        self._left_out = left_out
        self._tests = {}
        self._seconds = defaultdict(float)
        self._failed = set()
        self._of_fixture = {}
        self._file = None

    def _taken(self):
        found = {n for n, byte in enumerate(bytes(self._bytes)) if byte}
        self._bytes[:] = bytes(len(self._bytes))
        return found

    def pytest_collection_modifyitems(self, config, items):
        left_out = [item for item in items if item.nodeid in self._left_out]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in self._left_out]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        file = item.nodeid.partition("::")[0]
        if file != self._file:
            self._file = file
            clear_caches()
        self._taken()
        before = spent()
        result = yield
        self._seconds[item.nodeid] += spent() - before
        entered = self._tests.setdefault(item.nodeid, set())
        entered |= self._taken()
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            entered.update(*(self._of_fixture.get(each, ()) for each in definitions))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function":
            return (yield)
        before = self._taken()
        result = yield
        self._of_fixture[fixturedef] = self._taken()
        for number in before:
            self._bytes[number] = 1
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self):
        tests = {
            test: {"seconds": round(self._seconds[test], 3), "entered": sorted(entered)}
            for test, entered in self._tests.items()
        }
        self._result.write_text(json.dumps({"tests": tests, "failed": sorted(self._failed)}))


def clear_caches():
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.startswith("pytest_compaction") or f"{os.sep}tests{os.sep}" in file:
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None) or getattr(value, "forget", None)
                if callable(clear) and not isinstance(value, type):
                    clear()


def pytest_configure(config):
    if RESULT in os.environ:  # the runs that tests start are not measured by themselves
        result, left_out = (Path(os.environ.pop(name)) for name in (RESULT, LEFT_OUT))
        measured = Measured(result, set(json.loads(left_out.read_text())))
        config.pluginmanager.register(measured, "reached-measured")
