"""``pytest-compaction words``: recorded listed, and verified."""

import json
import shutil
import zipfile
from dataclasses import replace

import pytest
from support.runs_here import run_here
from support.scenarios import lean, write_cases
from support.stub_endpoint import long_case, serving

from pytest_compaction.case import CaseIndex
from pytest_compaction.cli import main
from pytest_compaction.models import Archive, Manifest, RecordedPrompt, Words, write
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.session.named_files import find_named
from pytest_compaction.session.session import shipped_cases

CASES = ("first", "second")
QUIETLY = [f"--pytest={one}" for one in (*lean(), "--compaction-concurrency=1")]
STRATEGY = "--compactor=anchored"
MODEL = "--model=gpt-5-mini"
DATED = ["--date=2026-11-30", "--provenance=Written by a stub."]
RECORD = ["words", "record", STRATEGY, MODEL, "--cases=cases", "--store=calls", *DATED, *QUIETLY]


@pytest.fixture
def endpoint(pytester, monkeypatch):
    run_here(pytester, monkeypatch)
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield stub


@pytest.fixture
def folder(pytester, endpoint):
    write_cases(pytester, *map(long_case, CASES))
    return pytester.path


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A folder with the words of both cases, recorded once for all tests."""
    place = tmp_path_factory.mktemp("recorded")
    (place / "cases").mkdir()
    for name in CASES:
        (place / f"cases/{name}.json").write_text(json.dumps(long_case(name)))
    with pytest.MonkeyPatch.context() as patch, serving() as stub:
        patch.setenv("OPENAI_BASE_URL", stub.url)
        patch.chdir(place)
        assert main([*RECORD, "--yes"]) == 0
    return place


@pytest.fixture
def recorded(once, pytester, endpoint):
    """The archive in a copy of that folder."""
    shutil.copytree(once, pytester.path, dirs_exist_ok=True)
    return pytester.path / "cases" / "words.zip"


def listed(capsys, *arguments):
    capsys.readouterr()
    assert main(["words", "--cases=cases", *arguments, *QUIETLY]) == 0
    return capsys.readouterr().out.splitlines()


def cells(lines, name):
    [row] = [line.split() for line in lines if line.split()[:1] == [name]]
    return [int(cell.replace(",", "")) for cell in row[1:]]


def test_what_a_model_writes_is_recorded_once_and_listed(recorded, endpoint, capsys):
    archive = Archive(recorded)
    assert {(w.case, w.strategy, w.trial, w.role) for w in archive.words} == {
        (case, "anchored", 1, "summary") for case in CASES
    }
    assert archive.manifest.model == "gpt-5-mini"
    assert archive.manifest.provenance == ("Written by a stub.",)
    assert archive.manifest.strategies["anchored"].date == "2026-11-30"
    data = recorded.read_bytes()
    assert main([*RECORD, "--yes"]) == 0
    assert "all of it is recorded; --again records it anew" in capsys.readouterr().out
    assert main([*RECORD, "--replay", "--again"]) == 0
    assert recorded.read_bytes() == data
    assert endpoint.calls == [], "the store answers"
    assert cells(listed(capsys), "anchored") == [2, 0, 0, 0, 0, 0]
    assert main(["words", "verify", str(recorded)]) == 0
    assert "whole. 2 summaries of 1 strategies in 2 cases" in capsys.readouterr().out


def test_the_days_of_all_words_of_a_strategy_are_kept(recorded):
    archive = Archive(recorded)
    first = [row for row in archive.words if row.case == CASES[0]]
    write(recorded, archive.manifest, first)
    later = ["--date=2026-12-02" if each.startswith("--date") else each for each in RECORD]
    assert main([*later, "--replay"]) == 0
    manifest = Archive(recorded).manifest
    assert len(Archive(recorded).words) == 2
    assert manifest.strategies["anchored"].date == manifest.dates == "2026-11-30 to 2026-12-02"


def test_an_archive_has_the_words_of_its_strategy(recorded, capsys):
    lines = listed(capsys, "--compactor=anchored+archive,anchored")
    assert cells(lines, "anchored") == [2, 0, 0, 0, 0, 0]
    assert not any("+archive" in line for line in lines)


VERDICT = json.dumps({"stated": [1], "stale": [], **dict.fromkeys(DIMENSIONS, 4)})


def with_an_answer(path, **changed):
    """The archive with an answer to a probe of the first case, and a verdict on it."""
    archive = Archive(path)
    summary = archive.words[0]
    probe = json.loads(path.with_name("first.json").read_text("utf-8"))["probes"][0]["id"]
    answer = replace(summary, role="answer", probe=probe, words="It is done.", covers=())
    rows = [answer, replace(answer, role="verdict", **{"words": VERDICT, **changed})]
    write(path, archive.manifest, [*archive.words, *rows])
    return rows


def test_answers_and_verdicts_stay_when_summaries_are_recorded_again(recorded, capsys):
    rows = with_an_answer(recorded)
    assert main(["words", "verify", "cases"]) == 0
    shown = capsys.readouterr().out
    assert "2 summaries, 1 answers, 1 verdicts of 1 strategies in 2 cases" in shown
    assert listed(capsys)[-1].split(maxsplit=1) == ["anchored", "1 answers, 1 verdicts"]
    data = recorded.read_bytes()
    assert main([*RECORD, "--replay", "--again", f"--output={recorded}"]) == 0
    assert recorded.read_bytes() == data
    assert [each for each in Archive(recorded).words if each.role != "summary"] == rows


def test_what_is_stale_and_missing_is_listed_with_what_it_takes(recorded, capsys):
    archive = Archive(recorded)
    first, _ = archive.words
    write(recorded, replace(archive.manifest, cases={"first": "0" * 16}), [first])
    lines = listed(capsys, STRATEGY)
    assert cells(lines, "anchored")[:4] == [1, 0, 1, 1]
    assert cells(lines, "second")[:4] == [0, 0, 1, 1]
    assert min(cells(lines, "second")[4:]) > 0
    assert lines[-1].startswith("record the rest with: pytest-compaction words record ")

    write(recorded, archive.manifest, [replace(first, digest="0" * 64), archive.words[1]])
    lines = listed(capsys, STRATEGY)
    assert cells(lines, "first")[:4] == [0, 1, 0, 1]
    assert "second" not in "".join(lines), "it is complete"

    write(recorded, archive.manifest, [replace(first, finish="length"), archive.words[1]])
    assert listed(capsys, STRATEGY)[1].endswith(", 1 cut")


def test_another_prompt_makes_no_word_of_the_first_one_its_own(recorded, pytester, capsys):
    (pytester.path / "own.md").write_text("Say what was done. At most $words words.")
    lines = listed(capsys, "--compactor=anchored:prompt=own.md")
    assert cells(lines, "anchored:prompt=own.md")[:4] == [0, 0, 2, 2]


def test_without_a_yes_nothing_is_recorded(folder, endpoint, capsys):
    assert main(RECORD) == 1
    shown = capsys.readouterr()
    assert "US dollars" in shown.err
    assert "nothing was recorded; --yes records without asking" in shown.err
    assert endpoint.calls == []


def test_a_case_without_replies_is_named_and_the_others_are_recorded(recorded, pytester, capsys):
    (pytester.path / "calls").rename(pytester.path / "gone")
    assert main([*RECORD, "--replay", "--again"]) == 1
    error = capsys.readouterr().err
    assert "not recorded: anchored on first, trial 1: a reply is not in the store" in error
    assert len(Archive(recorded).words) == 2, "what was recorded before stays"


def test_a_new_case_is_asked_for_alone(recorded, pytester, endpoint):
    folder = pytester.path
    (folder / "calls").rename(folder / "gone")
    (folder / "cases" / "third.json").write_text(json.dumps(long_case("third")))
    assert main([*RECORD, "--yes"]) == 0
    assert {words.case for words in Archive(recorded).words} == {*CASES, "third"}
    assert len(list((folder / "calls").glob("??/*.json"))) == len(endpoint.calls) == 1


def test_where_a_strategy_asks_nothing_is_noted_once_and_is_stale_with_its_case(
    recorded, endpoint, capsys
):
    asked = [f"{STRATEGY},langchain" if each == STRATEGY else each for each in RECORD]
    words = Archive(recorded).words
    assert main([*asked, "--yes"]) == 0
    assert "langchain asks no model in first, second" in capsys.readouterr().out
    manifest = Archive(recorded).manifest
    assert manifest.silent == {"langchain": manifest.cases}
    assert Archive(recorded).words == words
    assert endpoint.calls == []
    [_, row] = listed(capsys, "--compactor=langchain")
    assert row.split(maxsplit=1) == ["langchain", "asks no model in these cases"]
    assert main([*asked, "--yes"]) == 0
    assert "all of it is recorded" in capsys.readouterr().out
    assert main(["words", "verify", "cases"]) == 0
    silent = {"langchain": {**manifest.cases, "second": "0" * 16, "gone": "1" * 16}}
    write(recorded, replace(manifest, silent=silent), words)
    assert main(["words", "verify", "cases"]) == 1
    error = capsys.readouterr().err
    assert "second has changed since langchain asked no model in it; record them: pytest-" in error
    assert "there is no case gone" in error
    assert main([*asked, "--yes", "--again", "--replay"]) == 0
    assert Archive(recorded).manifest.silent["langchain"]["second"] == manifest.cases["second"]


def test_a_strategy_that_asks_nothing_in_any_case_is_noted_without_a_word(folder, endpoint, capsys):
    asked = ["--compactor=langchain" if each == STRATEGY else each for each in RECORD]
    assert main([*asked, "--yes"]) == 0
    archive = Archive(folder / "cases" / "words.zip")
    assert (archive.words, [*archive.manifest.silent]) == ((), ["langchain"])
    assert main(["words", "verify", "cases"]) == 0
    assert listed(capsys)[1].split(maxsplit=1) == ["langchain", "asks no model in these cases"]
    assert endpoint.calls == []


def test_words_of_two_models_have_no_place_in_one_archive(recorded, endpoint, capsys):
    other = [each for each in RECORD if each not in {STRATEGY, MODEL}]
    assert main([*other, "--compactor=regenerate", "--model=other", "--yes"]) == 1
    assert "holds words of 'gpt-5-mini'" in capsys.readouterr().err
    assert endpoint.calls == [], "before anything is paid"


@pytest.fixture
def whole(pytester):
    """A whole archive that nobody had to ask for."""
    write_cases(pytester, *map(long_case, CASES))
    folder = pytester.path / "cases"
    entries = find_named([folder], folder, CaseIndex(None), None).case_set.entries
    words = [
        Words("summary", each.id, "anchored", each.points[0].id, 1, "", 1, "a" * 64, "Done.", (), 9)
        for each in entries
    ]
    prompts = {"anchored": RecordedPrompt("b" * 16, "2026-11-30")}
    cases = {each.id: each.digest for each in entries}
    manifest = Manifest("a model", "2026-11-30", "greedy", (), "MIT", cases, prompts)
    write(folder / "words.zip", manifest, words)
    return folder / "words.zip"


DAMAGES = {
    "its digest is not one of 64": {"digest": "abc"},
    "has the numbers [2] in place of 1 to 1": {"number": 2},
    "trial is 0": {"trial": 0},
    "finish is 'tired'": {"finish": "tired"},
    "words is no text": {"words": " "},
    "role 'answer' and probe ''": {"role": "answer"},
    "the case first has no point p99": {"point": "p99"},
    "looks like a key": {"words": "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3},
    "regenerate has lines and is not in the manifest": {"strategy": "regenerate"},
}
FAULTS = {
    "it is no verdict: it has other members than stated": {"words": "{}"},
    "it is no verdict: stated is 3, and no list": {"words": VERDICT.replace("[1]", "3")},
    "it is no verdict: accuracy is 9": {"words": VERDICT.replace('cy": 4', 'cy": 9')},
    "anchored on first: p9 has an answer or a verdict without the other": {"probe": "p9"},
    "the case first has no probe p9": {"probe": "p9"},
}
"""Faults of a summary and of a verdict, and what makes them."""


@pytest.mark.parametrize("said", [*DAMAGES, *FAULTS])
def test_each_fault_of_a_line_has_its_sentence(whole, capsys, said):
    archive = Archive(whole)
    if said in FAULTS:
        with_an_answer(whole, **FAULTS[said])
    else:
        first, *others = archive.words
        write(whole, archive.manifest, [replace(first, **DAMAGES[said]), *others])
    assert main(["words", "verify", "cases"]) == 1
    assert said in capsys.readouterr().err


def test_silent_cases_in_no_form_are_a_sentence(whole, capsys):
    archive = Archive(whole)
    write(whole, replace(archive.manifest, silent=["anchored"]), archive.words)
    assert main(["words", "verify", "cases"]) == 1
    assert "manifest.json: AttributeError" in capsys.readouterr().err


def test_a_changed_case_and_a_changed_byte_are_found(whole, capsys):
    path = whole.with_name("first.json")
    case = json.loads(path.read_text("utf-8"))
    case["title"] = "another title"
    path.write_text(json.dumps(case))
    assert main(["words", "verify", "cases"]) == 1
    assert "the case first has changed since its words were recorded" in capsys.readouterr().err
    with zipfile.ZipFile(whole) as file:
        held = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in held.items():
            file.writestr(name, data.replace(b"Done.", b"Gone."))
    assert main(["words", "verify", "cases"]) == 1
    assert "its SHA-256 is not that of manifest.json" in capsys.readouterr().err


def test_the_shipped_archive_is_whole_and_nothing_of_a_silent_case_is_missing(capsys):
    assert main(["words", "verify", str(shipped_cases())]) == 0
    capsys.readouterr()
    real = f"--cases={shipped_cases() / 'real'}"
    assert main(["words", "--compactor=langchain", real, *QUIETLY]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert cells(lines, "langchain")[1:4] == [0, 0, 0]
    assert lines[-1] == "  asks no model in checkpoint_dedup, float_pixels, orphaned_sessions"
