"""The project's own tests over cases run beside the benchmark, and nothing else of the project."""

import pytest
from support.paths import ROOT
from support.scenarios import case, flat, lean, own, ran, run, set_up, write_cases
from support.worker_counts import BOTH

from pytest_compaction.session import scheduler
from pytest_compaction.session.items.own_tests import measures

BENCHMARK = "pytest_compaction/benchmark/test_probes.py"
MINE = '''
def test_mine(case, probe, compactor):
    """Over the cases of the benchmark."""
    assert compactor(case).view(probe.point)

def test_other():
    assert 0
'''
BROKEN = "import nothing_that_is_there\n"


@pytest.fixture
def project(pytester):
    """A project with tests over cases, with others, and with some that cannot be imported."""
    set_up(pytester, "first")
    pytester.makepyfile(
        **{
            "tests/test_mine": MINE,
            "tests/test_broken": BROKEN,
            "tests/deep/conftest": "import pytest\n\n@pytest.fixture\ndef title(case, probe):\n"
            "    return case.id\n",
            "tests/left/test_ignored": MINE,
        }
    )
    titles = "# coding: latin-1\ndef test_title(title):\n    assert title == 'first'  # à\n"
    (pytester.path / "tests/deep/test_titles.py").write_bytes(titles.encode("latin-1"))
    (pytester.path / "tests/deep/around").symlink_to(pytester.path / "tests")
    return pytester


def modules(result):
    return {line.partition("::")[0] for line in result.outlines if "::test_" in line}


@BOTH
@pytest.mark.parametrize("testpaths", ["testpaths = tests/../tests", ""])
def test_a_run_without_paths_takes_in_the_projects_tests_over_cases(project, workers, testpaths):
    project.makeini(f"[pytest]\n{testpaths}\naddopts = --ignore=tests/left")
    result = run(project, "-v", workers)
    assert result.ret == pytest.ExitCode.OK, str(result.stdout)
    said = str(result.stdout)
    for name in (BENCHMARK, "tests/test_mine.py", "tests/deep/test_titles.py"):
        assert f"{name}::" in said
    assert "::test_other" not in said
    assert "test_broken" not in said
    assert "test_ignored" not in said
    result.stdout.fnmatch_lines(
        [
            "compaction: also runs the tests over cases and dialogues in "
            "tests/deep/test_titles.py, tests/test_mine.py, and no others of these files; name a "
            "file to run all of it and nothing else"
        ]
    )
    result.assert_outcomes(passed=12, deselected=1 if workers == "-n0" else 0)


def test_workers_are_told_what_the_controller_found(project):
    """The search reads every test file of a project, so that it is not repeated."""
    asked = project.path / "asked"
    asked.mkdir()
    project.makepyfile(**{"elsewhere/test_plain": "def test_plain(): ..."})
    (project.path / "conftest.py").write_text(
        "import os\nfrom pathlib import Path\n\n"
        "def pytest_ignore_collect(collection_path):\n"
        "    if collection_path.name == 'test_plain.py':\n"
        f"        Path({str(asked)!r}, str(os.getpid())).touch()\n"
    )
    result = run(project, "-n2", "--ignore=tests/left")
    result.assert_outcomes(passed=12)
    assert len(list(asked.iterdir())) == 1


def test_a_user_who_wants_one_of_the_two_names_it(project):
    benchmark = run(project, "-v", BENCHMARK)
    assert len(ran(benchmark)) == 4
    benchmark.assert_outcomes(passed=4)
    assert "also runs" not in str(benchmark.stdout)
    mine = run(project, "tests/test_mine.py")
    mine.assert_outcomes(passed=4, failed=1)
    # They ran, and asked for no verdict.
    mine.stdout.fnmatch_lines(["nothing was measured: no benchmark item has a verdict"])
    (project.path / "tests" / "deep" / "around").unlink()  # pytest follows links without an end
    without = run(project, compactor=None)
    without.assert_outcomes(errors=1)


def test_a_failing_test_of_the_projects_own_is_red_beside_a_gate(project):
    (project.path / "tests" / "test_mine.py").write_text("def test_red(case, probe): assert 0\n")
    result = run(project, "--compaction-threshold=overall>=1", "-k", "not deep")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "GATE FAILED" in flat(result.outlines)


def test_a_module_among_the_cases_runs_once_and_so_do_tests_beside_it(project):
    place = write_cases(project, case("first"))
    (place / "test_probes.py").write_text(MINE)
    result = run(project, "-v", "--ignore=tests/left", "--ignore=tests/deep")
    assert len(ran(result)) == 8
    assert "cases/test_probes.py::test_other" in str(result.stdout)
    assert f"{BENCHMARK}::" not in str(result.stdout)
    assert "in tests/test_mine.py, and no others" in str(result.stdout)


def test_the_benchmark_of_this_project_takes_in_none_of_its_tests(pytester, monkeypatch):
    monkeypatch.chdir(ROOT)
    options = ["-c", str(ROOT / "pyproject.toml"), "-n0", "--co", "-q", "--compactor=anchored"]
    result = pytester.runpytest_inprocess(*lean(), *options)
    assert "also runs" not in str(result.stdout)
    assert modules(result) == {"cases/test_probes.py"}


MEASURING = {
    "both": "def test_a(case, probe): ...",
    "a method": "class TestA:\n    def test_a(self, compactor, case, probe): ...",
    "a coroutine": "async def test_a(probe, case): ...",
    "a dialogue": "def test_a(dialogue, replay): ...",
    "by a fixture": "@fixture\ndef a(case, probe): ...\ndef test_a(a): ...",
    "by one of a conftest": "def test_a(title): ...",
    "by two of a conftest": "def test_a(short): ...",
    "beside others": "def test_a(): ...\ndef test_b(case, probe): ...",
    "no Python": "def test_a(case, probe):",
}
OTHERS = {
    "one": "def test_a(case): ...  # probe",
    "a fixture of its own": "@pytest.fixture\ndef case(): ...\ndef test_a(case, probe): ...",
    "parameters": "@pytest.mark.parametrize('case, probe', [])\ndef test_a(case, probe): ...",
    "a list of parameters": "@parametrize(['dialogue'], [])\ndef test_a(dialogue): ...",
    "no test": "def build(case, probe): ...\ndef test_a(): build(1, 2)",
    "defaults": "def test_a(case=1, *, probe=2): ...",
    "words": "def test_a(): 'case probe dialogue'",
    "another fixture": "def test_a(own_case): ...",
    "nothing": "",
}


@pytest.mark.parametrize("name", [*MEASURING, *OTHERS])
def test_a_file_is_told_by_what_its_tests_ask_for(name):
    above = {"title": {"case", "probe"}, "short": {"title"}, "own_case": set()}
    assert measures({**MEASURING, **OTHERS}[name], above, ["test"]) == (name in MEASURING)


def test_a_fixture_of_a_conftest_with_the_name_of_a_case_provides_it():
    above = {"case": set()}
    assert not measures(MEASURING["both"], above, ["test"])
    assert measures("def check_a(dialogue): ...", above, ["check_*"])


@pytest.mark.parametrize(
    ("compactor", "module", "started"),
    [
        pytest.param("truncate", None, 1, id="shipped"),
        pytest.param(own("keep"), None, 3, id="a strategy of others"),
        pytest.param("truncate", MINE, 3, id="other tests beside", marks=pytest.mark.exhaustive),
    ],
)
def test_a_worker_that_would_get_nothing_is_not_started(
    pytester, monkeypatch, compactor, module, started
):
    set_up(pytester, "first")
    monkeypatch.setattr(scheduler, "processors", lambda: 1)
    if module:
        pytester.makepyfile(test_mine=module)
    result = run(pytester, "-n3", f"--compactor={compactor}", compactor=None)
    result.stdout.fnmatch_lines([f"created: {started}/{started} worker*"])
    assert result.parseoutcomes().get("errors") is None
