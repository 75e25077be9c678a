"""Items: their ids and order, how they are selected, and where they come from."""

import sys
from textwrap import dedent

import pytest
from support import scenarios
from support.scenarios import (
    PROBES,
    case,
    lean,
    node_ids,
    own,
    ran,
    records,
    run,
    set_up,
    write_cases,
)
from support.worker_counts import BOTH

PROBE_MODULE = """
    def test_probe(case, probe, compactor, judge):
        judge(probe, compactor(case).ask(probe)).check()
"""
KEEP = "strategies:keep"


def ids(arms, cases, probes=PROBES, end=""):
    return [f"{arm}-{name}-{probe}{end}" for arm in arms for name in cases for probe in probes]


def parameters(result):
    return [line.partition("[")[2].removesuffix("]") for line in node_ids(result)]


def test_items_are_sorted_by_case_then_compactor_then_probe(pytester):
    set_up(pytester)
    write_cases(pytester, case("also", probes=case()["probes"][:2]))
    (pytester.path / "cases" / "also.json").rename(pytester.path / "cases" / "zzz.json")
    expected = [
        id
        for name, probes in (("also", [["files", "limit"]]), ("first", []), ("second", []))
        for id in ids(["strategies:forget", KEEP], [name], *probes)
    ]
    both = f"{own('keep')},{own('forget')}"
    listed = run(pytester, "--collect-only", "-q", f"--compactor={both}", compactor=None)
    assert parameters(listed) == expected
    assert ran(run(pytester, "-v", f"--compactor={both}", compactor=None)) == expected


def test_trials_are_numbered_at_the_end_of_the_id_and_recorded(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-v", "--compaction-trials=2")
    assert ran(result) == [
        f"{KEEP}-first-{probe}-{trial}" for probe in PROBES for trial in ("t1", "t2")
    ]
    assert sorted({record["trial"] for record in scenarios.records(pytester).records}) == [1, 2]


def test_parameters_of_a_compactor_are_part_of_the_id_and_may_be_a_list(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(cut="def last(messages, budget, roles=()): return messages[-len(roles) :]")
    name = "cut:last:roles=['user','tool']"
    result = run(pytester, "-v", f"--compactor={name}", compactor=None)
    assert ran(result) == ids(["cut:last:roles=__user___tool__"], ["first"])
    assert {record["compactor"] for record in records(pytester).records} == {name}


@pytest.mark.parametrize(
    ("arguments", "selected"),
    [
        (["-k", "second and limit"], [f"{KEEP}-second-limit"]),
        (["-m", "compaction(kind='file')"], [f"{KEEP}-first-files", f"{KEEP}-second-files"]),
        (
            ["-m", "compaction(case='second', kind='decision')"],
            [f"{KEEP}-second-decided"],
        ),
        (["-m", "not compaction"], []),
        ([f"cases/test_probes.py::test_probe[{KEEP}-first-next]"], [f"{KEEP}-first-next"]),
    ],
)
def test_items_are_selected_as_those_of_any_parametrized_test(pytester, arguments, selected):
    place = set_up(pytester)
    (place / "test_probes.py").write_text(dedent(PROBE_MODULE))
    result = run(pytester, "-v", *arguments)
    assert ran(result) == selected
    result.assert_outcomes(
        passed=len(selected), deselected=0 if "::" in arguments[0] else 8 - len(selected)
    )


@BOTH
def test_a_failed_compaction_over_budget_is_unscored_and_never_green(pytester, workers):
    set_up(pytester)
    write_cases(pytester, case("tight", budget=20))
    result = run(pytester, workers, compactor="Fails")
    assert result.parseoutcomes() == {"passed": 8, "unscored": 4, "failed": 2}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    found = [r for r in scenarios.records(pytester).records if r["case"] == "tight"]
    assert {record["response"] for record in found} == {""}
    assert all("the endpoint is away" in record["reason"] for record in found)


def test_last_failed_runs_only_the_items_that_fell_short(pytester):
    set_up(pytester)
    run(pytester, compactor="forget_limit", cache=True).assert_outcomes(passed=4, failed=4)
    again = run(pytester, "--lf", "-v", compactor="forget_limit", cache=True)
    assert ran(again) == ids(["strategies:forget_limit"], ["first", "second"], ["decided", "limit"])


def test_a_test_of_the_users_own_gets_cases_and_probes_beside_its_parameters(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(
        test_mine="""
        import pytest

        @pytest.fixture(scope="session")
        def title(case):
            return case.id.upper()

        @pytest.mark.parametrize("words", [1, 2])
        def test_length(case, probe, compactor, words, title):
            assert title == "FIRST"
            assert len(compactor(case).ask(probe).text.split()) >= words

        class TestView:
            def test_holds(self, compactor, case, probe):
                assert compactor(case).view(probe.point)[0].role == "user"
        """
    )
    result = run(pytester, "-v", "test_mine.py")
    assert sorted(ran(result)) == sorted(
        [
            *(f"{name}-{words}" for name in ids([KEEP], ["first"]) for words in (1, 2)),
            *ids([KEEP], ["first"]),
        ]
    )
    result.assert_outcomes(passed=12)


def test_a_test_that_asks_only_for_case_and_probe_runs_once_for_each(pytester):
    set_up(pytester)
    pytester.makepyfile(test_mine="def test_asks(case, probe): assert probe.question.endswith('?')")
    both = f"--compactor={own('keep')},{own('forget')}"
    result = run(pytester, "-v", both, "test_mine.py", compactor=None)
    assert ran(result) == [f"{name}-{probe}" for name in ("first", "second") for probe in PROBES]
    result.stdout.fnmatch_lines(["nothing was measured: no benchmark item has a verdict"])


@pytest.mark.parametrize("compactor", ["keep", None])
def test_tests_that_bring_their_own_case_and_probe_are_left_alone(pytester, compactor):
    set_up(pytester, "first")
    pytester.makepyfile(
        test_marked="""
        import pytest

        @pytest.mark.parametrize("case, probe", [(1, 2), (3, 4)])
        def test_marked(case, probe):
            assert case + 1 == probe
        """,
        test_fixtures="""
        import pytest

        @pytest.fixture
        def case():
            return 1

        @pytest.fixture
        def probe(case):
            return case + 1

        def test_fixtures(case, probe):
            assert probe == 2
        """,
    )
    result = run(pytester, "test_marked.py", "test_fixtures.py", compactor=compactor)
    result.assert_outcomes(passed=3)


def test_a_compactor_fixture_without_case_and_probe_is_refused_with_the_reason(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(test_mine="def test_it(compactor): pass")
    result = run(pytester, "test_mine.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*needs a test function that asks for case and probe as well*"])


@BOTH
def test_without_a_compactor_benchmark_items_are_deselected_with_one_line(pytester, workers):
    place = set_up(pytester, "first")
    (place / "test_probes.py").write_text(dedent(PROBE_MODULE))
    pytester.makepyfile(test_mine="def test_mine(): pass\ndef test_asks(case, probe): assert 0")
    result = run(pytester, workers, "cases", "test_mine.py", compactor=None)
    result.assert_outcomes(passed=1, deselected=0 if workers == "-n2" else 2)
    said = [line for line in result.outlines if line.startswith("compaction:")]
    assert said == [
        "compaction: 2 benchmark tests deselected; name a strategy to run them, "
        "as in --compactor=anchored (--compactors lists them)"
    ]
    assert result.ret == pytest.ExitCode.OK


def test_a_bare_run_loads_nothing_heavy(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(test_mine="def test_mine(): pass\ndef test_asks(case, probe): assert 0")
    script = pytester.makepyfile(
        script=f"""
        import sys, pytest
        sys.argv = ["pytest"]
        code = pytest.main([*{lean()!r}, "-q", "test_mine.py"])
        names = ("openai", "scipy", "numpy", "tiktoken", "jsonschema", "genai_prices")
        names += ("wcwidth", "pytest_compaction.run.engine")
        print("code", int(code), "loaded", [name for name in names if name in sys.modules])
        print("plugin" , "pytest_compaction.plugin" in sys.modules)
        """
    )
    result = pytester.run(sys.executable, script)
    result.stdout.fnmatch_lines(["*1 passed, 1 deselected*", "code 0 loaded [[]]", "plugin True"])


def test_an_offline_run_loads_no_client_for_endpoints_and_no_executor(pytester):
    set_up(pytester, "first")
    with (pytester.path / "conftest.py").open("a") as file:
        file.write(
            "\nimport sys\n\nHEAVY = {'openai', 'httpx', 'httpx2', 'genai_prices', 'dask', "
            "'distributed', 'pytest_compaction.run.remote'}\n\n"
            "def pytest_unconfigure(config):\n    print('loaded', HEAVY & sys.modules.keys())\n"
        )
    result = pytester.runpytest_subprocess(*lean(), f"--compactor={KEEP}")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["loaded set()"])


def test_only_the_case_folders_are_collected_when_no_path_is_given(pytester):
    set_up(pytester, "first")
    pytester.makepyfile(**{"tests/test_other": "def test_other(): assert 0"})
    pytester.makeini("[pytest]\ntestpaths = tests")
    run(pytester).assert_outcomes(passed=4)
    run(pytester, compactor=None).assert_outcomes(failed=1)
    run(pytester, "tests").assert_outcomes(failed=1)


def test_a_case_file_or_folder_can_be_named_several_times(pytester):
    set_up(pytester)
    place = write_cases(pytester, case("third"), folder="more")
    (place / "lines.jsonl").write_text("")
    one = "--compaction-cases=cases/second.json"
    assert ran(run(pytester, "-v", one)) == ids([KEEP], ["second"])
    result = run(pytester, "-v", one, "--compaction-cases=more/third.json", one)
    assert ran(result) == ids([KEEP], ["second", "third"])


def test_the_shipped_cases_serve_where_there_is_no_cases_folder_or_the_benchmark_is_named(
    pytester, monkeypatch
):
    set_up(pytester, "first")
    shipped = write_cases(pytester, case("shipped"), folder="wheel")
    monkeypatch.setattr("pytest_compaction.session.named_files.shipped_cases", lambda: shipped)
    benchmark = ["--pyargs", "pytest_compaction.benchmark"]
    assert ran(run(pytester, "-v", *benchmark)) == ids([KEEP], ["shipped"])
    assert ran(run(pytester, "-v")) == ids([KEEP], ["first"])
    (pytester.path / "cases").rename(pytester.path / "others")
    assert ran(run(pytester, "-v")) == ids([KEEP], ["shipped"])
