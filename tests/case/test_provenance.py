"""Where a case comes from: real or scripted, with its source and licence."""

import hashlib
import json

import pytest
from support.case_errors import items_of
from support.paths import public_data
from support.provenance import provenance_faults
from support.scenarios import case, records, run, set_up, write_cases
from support.worker_counts import BOTH

from pytest_compaction import cli
from pytest_compaction.case import CaseFileError, find_cases
from pytest_compaction.session.session import shipped_cases

LICENSED = {
    "origin": "real",
    "format": "claude-code",
    "repository": "https://example.org/sessions",
    "license": "MIT",
    "license_file": "LICENSES/first.txt",
    "redacted": {"home folder": 3},
}


def written(folder, **changes):
    """A folder of real cases with one case in it, and its licence beside it."""
    place = folder / "real"
    (place / "LICENSES").mkdir(parents=True)
    (place / "LICENSES/first.txt").write_text("MIT License\n", "utf-8")
    (place / "SOURCES.toml").write_text("[first]\n", "utf-8")
    (place / "first.json").write_text(json.dumps(case("first", **changes)), "utf-8")
    return place


def test_a_case_says_whether_it_is_real_and_is_scripted_if_it_does_not(tmp_path):
    (read,) = find_cases([written(tmp_path / "a", provenance=LICENSED)]).cases
    assert (read.origin, read.task) == ("real", "debugging")
    (read,) = find_cases([written(tmp_path / "b")]).cases
    assert read.origin == "scripted"


def test_licences_and_sources_beside_the_cases_are_not_taken_for_cases(tmp_path):
    found = find_cases([written(tmp_path, provenance=LICENSED)])
    assert ([each.id for each in found.cases], found.errors) == (["first"], ())


@pytest.mark.parametrize(
    ("change", "pointer", "words"),
    [
        ({"origin": "true"}, "/origin", "one of real, scripted"),
        ({"repository": "somewhere"}, "/repository", "text that matches"),
        ({"redacted": {"secret": -1}}, "/redacted/secret", "at least 0"),
        ({"author": "x"}, "", "the unknown key 'author'"),
    ],
)
def test_a_broken_provenance_is_named_with_its_place(tmp_path, change, pointer, words):
    place = written(tmp_path, provenance={**LICENSED, **change})
    (error,) = items_of(place / "first.json")
    assert isinstance(error, CaseFileError)
    assert f"/provenance{pointer}: " in str(error)
    assert words in str(error)


def test_every_shipped_real_case_names_its_source_and_has_its_licence_beside_it():
    assert provenance_faults(shipped_cases() / "real") == []


def test_a_real_case_without_source_or_licence_is_found(tmp_path):
    assert provenance_faults(written(tmp_path / "a", provenance=LICENSED)) == []
    missing = {key: value for key, value in LICENSED.items() if key != "repository"}
    assert provenance_faults(written(tmp_path / "b", provenance=missing)) == [
        "first.json: provenance lacks repository"
    ]
    elsewhere = {**LICENSED, "license_file": "LICENSES/other.txt"}
    assert provenance_faults(written(tmp_path / "c", provenance=elsewhere)) == [
        "first.json: no licence at LICENSES/other.txt"
    ]
    assert provenance_faults(written(tmp_path / "d")) == ["first.json: its origin is not real"]


def test_an_imported_case_is_real_and_says_what_was_redacted(tmp_path, capsys):
    source = public_data("claude-code/session.jsonl")
    for options, redacted in (([], ["home folder"]), (["--no-redact"], [])):
        code = cli.main(["import", str(source), "-o", str(tmp_path / "cases"), *options])
        assert code == 0, capsys.readouterr()
        (path,) = (tmp_path / "cases").glob("*.json")
        provenance = json.loads(path.read_text("utf-8"))["provenance"]
        assert provenance["origin"] == "real"
        assert provenance["format"] == "claude-code"
        assert list(provenance.get("redacted", {})) == redacted
        assert ("redacted" in provenance) == (not options)
        assert all(places > 100 for places in provenance.get("redacted", {}).values())


def test_a_run_keeps_origin_and_point_in_its_records(pytester):
    set_up(pytester, "second")
    real = case("first", provenance=LICENSED)
    real["compaction_points"][1]["recorded"] = {"summary": "The retry limit is 45."}
    write_cases(pytester, real, folder="cases/real")
    result = run(pytester)
    result.stdout.fnmatch_lines(["compaction: * | 2 cases (1 real), 8 probes | *"])
    found = records(pytester).records
    assert {(r["case"], r["task"], r["origin"]) for r in found} == {
        ("first", "debugging", "real"),
        ("second", "debugging", "scripted"),
    }
    points = {(r["probe"], r["point"]["id"], r["point"]["recorded"]) for r in found}
    assert ("limit", "late", True) in points
    assert ("limit", "late", False) in points
    assert {point[1:] for point in points if point[0] == "files"} == {("early", False)}


@BOTH
def test_real_cases_run_by_default_and_can_be_chosen(pytester, workers):
    set_up(pytester, "second")
    write_cases(pytester, case("first", provenance=LICENSED), folder="cases/real")
    run(pytester, workers)
    assert {r["case"] for r in records(pytester).records} == {"first", "second"}
    run(pytester, workers, "--compaction-cases=cases/real")
    assert {r["case"] for r in records(pytester).records} == {"first"}
    run(pytester, workers, "-m", 'compaction(origin="real")')
    assert {r["case"] for r in records(pytester).records} == {"first"}


def test_the_digest_of_a_case_covers_where_it_comes_from(tmp_path):
    (one,) = find_cases([written(tmp_path / "a", provenance=LICENSED)]).cases
    digest = hashlib.sha256(b"other").hexdigest()
    other = {**LICENSED, "sha256": digest}
    (two,) = find_cases([written(tmp_path / "b", provenance=other)]).cases
    assert one.digest != two.digest
