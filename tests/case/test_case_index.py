"""The index of case files: what is kept of a content, and that nothing damaged is trusted."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from support.builders import case_data, write_case

from pytest_compaction.case import (
    CaseFileError,
    CaseIndex,
    CaseSet,
    case_from_json,
    case_set,
    files,
    find_cases,
    is_case_file,
)
from pytest_compaction.case.index import ENTRIES, INDEX_FILE, entry_of, key_of
from pytest_compaction.conversation import canonical_json

CHANGED = "another content than when the items were collected"


@pytest.fixture
def project(tmp_path):
    """A folder with a sound case and a broken one, in a file each."""
    folder = tmp_path / "cases"
    folder.mkdir()
    write_case(folder / "small.json")
    (folder / "broken.json").write_text('{"id": 3}')
    return tmp_path


@pytest.fixture
def checks(monkeypatch):
    """The ids of the cases whose schema was checked, in order."""
    real, asked = files.schema_faults, []

    def schema_faults(data):
        asked.append(data["id"])
        return real(data)

    monkeypatch.setattr(files, "schema_faults", schema_faults)
    return asked


def found(project):
    kept = CaseIndex(project / "index")
    cases = find_cases([project / "cases"], project, index=kept)
    kept.save()
    return cases


def told(errors):
    return [(error.source, [str(fault) for fault in error.faults]) for error in errors]


def test_the_schema_of_a_content_is_checked_once(project, checks):
    first = found(project)
    assert sorted(map(str, checks)) == ["3", "small"]
    again = found(project)
    assert len(checks) == 2
    assert again.entries == first.entries
    assert [entry.source for entry in again.entries] == ["cases/small.json"]
    assert told(again.errors) == told(first.errors)
    write_case(project / "cases" / "small.json", title="another")
    assert found(project).entries != first.entries
    assert checks[2:] == ["small"]


def test_an_entry_says_of_a_case_what_the_case_says(project):
    (entry,) = found(project).entries
    case = found(project).case("small")
    assert (entry.id, entry.digest, entry.task, entry.origin, entry.source) == (
        case.id,
        case.digest,
        case.task,
        case.origin,
        case.source,
    )
    assert [(p.id, p.kind, p.point) for p in entry.probes] == [
        (p.id, p.kind, p.point) for p in case.probes
    ]


def test_an_entry_knows_where_the_agent_went_on_without_a_compaction():
    data = case_data()
    data["compaction_points"][0]["recorded"] = {"summary": "The timeout is 45 seconds."}
    case = case_from_json(data)
    entry = ENTRIES.from_json(json.loads(json.dumps(ENTRIES.as_json(entry_of(case)))))
    assert [entry.went_on(n) for n in range(2)] == [False, True]
    assert [point.recorded for point in entry.points] == [True, False]


def test_collection_with_a_warm_index_parses_nothing_and_each_case_is_parsed_once(
    project, monkeypatch
):
    found(project)
    real, read = case_set.read_json, []
    monkeypatch.setattr(case_set, "read_json", lambda text: read.append(text) or real(text))
    monkeypatch.setattr(case_set, "parsed", lambda *_: pytest.fail("a file was parsed"))
    cases = found(project)
    assert read == []
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: cases.case("small"), range(32)))
    assert len(read) == 1
    assert all(case is made[0] for case in made)
    assert cases.probe("small", "timeout") in made[0].probes
    cases.forget("small")
    assert cases.case("small") == made[0]
    assert len(read) == 2


def test_what_collection_had_to_parse_is_not_parsed_again(project, monkeypatch):
    cases = found(project)
    monkeypatch.setattr(case_set, "read_json", lambda text: pytest.fail("parsed again"))
    assert cases.case("small").id == "small"


def test_more_than_fits_is_parsed_again_when_it_is_asked_for(project, monkeypatch):
    monkeypatch.setattr(case_set, "_KEPT_BYTES", 10)
    cases = found(project)
    real, read = case_set.read_json, []
    monkeypatch.setattr(case_set, "read_json", lambda text: read.append(text) or real(text))
    assert cases.case("small").id == "small"
    assert len(read) == 1


def in_index(project, statement):
    """The rows of a statement on the file of the index."""
    with closing(sqlite3.connect(project / "index" / INDEX_FILE)) as database, database:
        return database.execute(statement).fetchall()


DAMAGE = {
    "another entry": "UPDATE results SET body = replace(body, 'small', 'other')",
    "no JSON": "UPDATE results SET body = '['",
    "no checksum": "UPDATE results SET checksum = ''",
    "gone": "DELETE FROM results",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_made_again(project, checks, damage):
    first = found(project)
    held = in_index(project, "SELECT body FROM results ORDER BY key")
    in_index(project, damage)
    checks.clear()
    again = found(project)
    assert again.entries == first.entries
    assert told(again.errors) == told(first.errors)
    assert "small" in checks
    assert in_index(project, "SELECT body FROM results ORDER BY key") == held


def test_lines_of_a_content_are_other_cases_than_its_whole():
    assert key_of(b"{}", False) == key_of(b"{}", False)
    assert len({key_of(b"{}", False), key_of(b"{}", True), key_of(b"[]", False)}) == 3


def test_a_folder_that_cannot_be_used_is_as_good_as_none(project, checks):
    (project / "index").write_text("a file, so no folder can be made here")
    assert [entry.id for entry in found(project).entries] == ["small"]
    assert [entry.id for entry in found(project).entries] == ["small"]
    assert checks.count("small") == 2


def test_git_ignores_the_index(project):
    found(project)
    assert (project / "index" / ".gitignore").read_text() == "*\n"


def changed_content(project):
    write_case(project / "cases" / "small.json", title="changed since")


def another_id(project):
    write_case(project / "cases" / "small.json", id="renamed")


def torn(project):
    (project / "cases" / "small.json").write_text('{"id": "small", ')


def another_encoding(project):
    (project / "cases" / "small.json").write_bytes(b"\xff\xfe")


@pytest.mark.parametrize("change", [changed_content, another_id, torn, another_encoding])
def test_a_file_that_changed_since_collection_is_an_error_in_a_sentence(project, change):
    found(project)
    cases = found(project)
    change(project)
    for _ in range(2):
        with pytest.raises(CaseFileError) as caught:
            cases.case("small")
        assert str(caught.value) == (
            f"case file cases/small.json cannot be used:\n  /: found {CHANGED}; expected "
            "a file that stays as it is while a run lasts; start the run again"
        )


def test_a_file_that_is_gone_since_collection_is_an_error_in_a_sentence(project):
    found(project)
    cases = found(project)
    (project / "cases" / "small.json").unlink()
    with pytest.raises(CaseFileError, match="No such file or directory; expected a readable file"):
        cases.case("small")


def test_the_same_case_written_in_another_way_is_no_change(project):
    found(project)
    cases = found(project)
    path = project / "cases" / "small.json"
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4, sort_keys=True))
    assert cases.case("small").id == "small"


def lines_of(*ids):
    return [json.dumps(case_data(id=id, title="é")) for id in ids]


def test_each_line_of_a_file_is_a_case_of_its_own(project):
    path = project / "cases" / "many.jsonl"
    first, second, third = lines_of("one", "two", "three")
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join([first, "", "{", second, third, ""]).encode())
    found(project)
    cases = found(project)
    assert [(e.id, e.source) for e in cases.entries] == [
        ("one", "cases/many.jsonl:1"),
        ("small", "cases/small.json"),
        ("three", "cases/many.jsonl:5"),
        ("two", "cases/many.jsonl:4"),
    ]
    assert "cases/many.jsonl:3" in [error.source for error in cases.errors]
    assert {id: cases.case(id).id for id in ("one", "two", "three")} == {
        id: id for id in ("one", "two", "three")
    }
    cases.forget("two")
    path.write_bytes(path.read_bytes().replace(b'"two"', b'"TWO"'))
    with pytest.raises(CaseFileError, match=r"many\.jsonl:4 .*\n.*another content"):
        cases.case("two")


def test_an_index_file_serves_another_name_of_the_same_content(project, checks):
    first = found(project)
    (project / "cases" / "small.json").rename(project / "cases" / "renamed.json")
    checks.clear()
    again = found(project)
    assert checks == []
    assert [entry.source for entry in again.entries] == ["cases/renamed.json"]
    assert again.entries == first.entries


def test_the_same_id_twice_is_told_from_the_index_too(project):
    write_case(project / "cases" / "twin.json")
    first, again = found(project), found(project)
    assert told(again.errors) == told(first.errors)
    assert "which cases/small.json has too" in str(again.errors[-1])
    assert again.case("small").source == "cases/small.json"


def test_another_process_gets_the_cases_without_reading_a_file(project, monkeypatch):
    first = found(project)
    sent = json.loads(json.dumps(first.as_json([project / "cases"])))
    monkeypatch.setattr(case_set, "read_bytes", lambda path: pytest.fail("a file was read"))
    there = CaseSet.from_json(sent, [project / "cases"])
    assert there.entries == first.entries
    assert told(there.errors) == told(first.errors)
    monkeypatch.undo()
    assert there.case("small") == first.case("small")


def test_the_index_knows_files_of_cases_and_takes_no_other_for_one(project):
    kept = CaseIndex(project / "index")
    small, broken = (project / "cases" / name for name in ("small.json", "broken.json"))
    assert not is_case_file(small, kept)
    find_cases([project / "cases"], project, index=kept)
    assert is_case_file(small, kept)
    assert not is_case_file(broken, kept)
    assert not is_case_file(project / "cases", kept)
    assert not is_case_file(project / "gone.json", kept)


def test_the_index_holds_no_text_of_a_case(project):
    found(project)
    held = str(in_index(project, "SELECT body FROM results"))
    assert "small" in held
    assert case_data()["messages"][1]["content"] not in held
    assert canonical_json(case_data()["probes"][0]["facts"]) not in held
