"""The node ids of packaged modules: those of the module, wherever it lies, and selectable."""

import json
from xml.etree import ElementTree

import pytest
from support.scenarios import node_ids, run, set_up
from support.talks import talk, write
from support.worker_counts import BOTH

MODULE = "pytest_compaction/benchmark/test_probes.py"
LIMIT = "test_probe[strategies:forget_limit-first-limit]"


@pytest.fixture
def project(pytester):
    """A project with one case, of which a strategy forgets two answers."""
    set_up(pytester, "first")
    pytester.makeini("[pytest]")
    return pytester


@BOTH
def test_ids_and_class_names_are_those_of_the_module_in_any_number_of_processes(project, workers):
    alone = node_ids(run(project, "--co", "-q", "-n0"))
    assert {line.partition("::")[0] for line in alone} == {MODULE}
    assert node_ids(run(project, "--co", "-q", workers)) == alone
    named = run(project, "--co", "-q", "--pyargs", "pytest_compaction.benchmark.test_probes")
    assert {line.partition("::")[0] for line in node_ids(named)} == {MODULE}
    run(project, workers, "--junitxml=junit.xml", "-k", "limit")
    found = list(ElementTree.parse(project.path / "junit.xml").iter("testcase"))
    assert [test.get("classname") for test in found] == ["pytest_compaction.benchmark.test_probes"]
    assert found[0].get("name") == "test_probe[strategies:keep-first-limit]"


@BOTH
def test_items_are_selected_by_their_id_with_or_without_the_module(project, monkeypatch, workers):
    for prefix in (MODULE, ""):
        result = run(project, "-v", workers, f"{prefix}::{LIMIT}", compactor="forget_limit")
        result.assert_outcomes(failed=1)
    (project.path / "below").mkdir()
    monkeypatch.chdir(project.path / "below")
    listed = node_ids(run(project, "--co", "-q", f"../{MODULE}::{LIMIT}", compactor="forget_limit"))
    assert listed == [f"{MODULE}::{LIMIT}"]


def test_last_failed_finds_packaged_items_beside_failures_of_the_projects_own(project):
    project.makepyfile(test_mine="def test_mine(case, probe): assert probe.id != 'files'\n")
    arguments = {"compactor": "forget_limit", "cache": True}
    named = (MODULE, "test_mine.py")
    run(project, *named, **arguments).assert_outcomes(passed=5, failed=3)
    again = run(project, *named, "--lf", "-v", **arguments)
    again.assert_outcomes(failed=3)


def test_dialogues_and_invariants_have_the_ids_of_their_modules_too(project):
    write(project.path, talk(1))
    listed = node_ids(run(project, "--co", "-q", "--compaction-cases=talks.jsonl"))
    assert listed == [
        "pytest_compaction/benchmark/test_dialogues.py::test_dialogue[strategies:keep-CM_1]"
    ]
    run(project, "--compaction-cases=talks.jsonl", *listed).assert_outcomes(passed=1)
    checks = node_ids(run(project, "--co", "-q", "--compaction-check"))
    assert {line.partition("::")[0] for line in checks} == {
        "pytest_compaction/session/test_invariants.py"
    }
    again = node_ids(run(project, "--co", "-q", "--compaction-check", checks[3]))
    assert again == [checks[3]]


def test_an_unrelated_file_of_the_same_path_is_collected_as_it_is(project):
    project.makepyfile(**{MODULE.removesuffix(".py"): "def test_mine(): pass\n"})
    run(project, MODULE).assert_outcomes(passed=1)


def test_the_fixtures_that_measure_are_listed_with_what_they_are(project):
    for compactor in (None, "keep"):
        said = str(run(project, "--fixtures", compactor=compactor).stdout)
        for name, meaning in {
            "case": "a conversation that is compacted, and its probes.",
            "probe": "one question asked of the compacted conversation.",
            "dialogue": "user turns that are answered in order.",
        }.items():
            assert f"\n{name} [session scope] -- " in said
            assert f"The {name} of a benchmark item: {meaning}" in said


@BOTH
def test_items_are_selected_by_the_kind_of_their_probe_and_by_their_task(project, workers):
    chosen = node_ids(run(project, "--co", "-q", "-k", "recall", workers))
    assert chosen == [f"{MODULE}::test_probe[strategies:keep-first-limit]"]
    run(project, "-k", "recall", workers).assert_outcomes(passed=1)
    task = json.loads((project.path / "cases/first.json").read_text())["task"]
    assert len(node_ids(run(project, "--co", "-q", "-k", f"{task} and not recall"))) == 3
