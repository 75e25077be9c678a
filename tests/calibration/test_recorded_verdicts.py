"""Answers and verdicts by text files: what is asked, what is kept, and what the page shows."""

import json
from dataclasses import replace

import pytest
from support import readme_blocks, verdict_sheets
from support.recorded_verdicts import (
    Both,
    agreement_table,
    stale,
    strategies_table,
    strategy_rows,
    verdicts_block,
)
from support.scenarios import PROBES, case
from support.verdict_sheets import ReplyError, Sheet, kept, merge, write_answers, write_verdicts

from pytest_compaction.case import case_from_json
from pytest_compaction.conversation import TokenCounter, text_message
from pytest_compaction.models import (
    Archive,
    Manifest,
    RecordedPrompt,
    RecordedVerdict,
    Words,
    write,
)
from pytest_compaction.rubric import DIMENSIONS

CASE = case_from_json(case())
KEYS = [f"q{number}" for number in range(1, len(PROBES) + 1)]
VERDICT = {"stated": [1], "stale": [], **dict.fromkeys(DIMENSIONS, 4)}


def sheet(strategy="anchored"):
    """The case as a strategy left it, whose view says nothing of its own log."""
    early, late = (text_message(id, "user", f"A note, {id}.", "log") for id in ("one", "two"))
    views = {0: (early,), 1: (late,)} if strategy == "anchored" else {0: (early,), 1: (early, late)}
    return Sheet(CASE, strategy, views)


def answers(text="I do not know it."):
    return dict.fromkeys(KEYS, text)


def test_who_answers_sees_views_and_questions_and_no_fact_key_or_name():
    asked = sheet().answer_request
    assert "- view A: text 1\n- view B: text 2\n" in asked
    assert {*PROBES} == {probe.id for probe in sheet().probes.values()}
    for probe in CASE.probes:
        assert f" (view {'AB'[probe.point]}; in plain text" in asked
        assert probe.question in asked
        for fact in probe.facts:
            assert fact.text not in asked.replace(probe.question, "").replace("Why was 45", "")
    assert "anchored" not in asked


def test_a_view_that_begins_with_an_earlier_one_is_not_repeated():
    asked = sheet("none").answer_request
    assert "- view A: text 1\n- view B: texts 1 to 2, one session\n" in asked
    assert asked.count("A note, one.") == 1
    assert list(sheet("none").probes.items()) == list(sheet().probes.items())


def test_who_judges_sees_facts_and_answers_and_no_view_or_name():
    asked = sheet().verdict_request(answers("Perhaps it is 45."), TokenCounter())
    assert asked.count("Perhaps it is 45.") == len(KEYS)
    for probe in CASE.probes:
        assert all(fact.text in asked for fact in probe.facts)
    assert "the retry limit is 30 (now: 45)" in asked
    assert "We decided to use 45" in asked
    assert "A note" not in asked
    assert "anchored" not in asked
    assert "We decided to use 45" not in sheet().verdict_request(answers(), None)


BAD = {
    "it lacks ['q4'] and has ['q9'] beside": {"q1": "a", "q2": "b", "q3": "c", "q9": "d"},
    "q2 is no text": {**answers(), "q2": " "},
}


@pytest.mark.parametrize("said", BAD)
def test_an_answer_that_cannot_be_read_has_its_reason(said):
    with pytest.raises(ReplyError) as error:
        sheet().answers(json.dumps(BAD[said]))
    assert str(error.value) == said


BAD_VERDICTS = {
    "it has other members": {},
    "stated is [2], of 1": {**VERDICT, "stated": [2]},
    "accuracy is 6": {**VERDICT, "accuracy": 6},
    "context is True": {**VERDICT, "context": True},
}


@pytest.mark.parametrize("said", BAD_VERDICTS)
def test_a_verdict_that_cannot_be_read_has_its_reason(said):
    reply = {**dict.fromkeys(KEYS, VERDICT), "q3": BAD_VERDICTS[said]}
    with pytest.raises(ReplyError, match="q3: ") as error:
        sheet().verdicts(json.dumps(reply))
    assert said in str(error.value)


@pytest.fixture
def archive(tmp_path):
    """An archive with one summary."""
    words = Words("summary", CASE.id, "anchored", "early", 1, "", 1, "a" * 64, "Done.", (), 9)
    prompts = {"anchored": RecordedPrompt("b" * 16, "2026-11-29")}
    cases = {CASE.id: "c" * 16}
    about = Manifest("a model", "2026-11-29", "greedy", ("Alone.",), "MIT", cases, prompts)
    write(tmp_path / "words.zip", about, [words])
    return tmp_path / "words.zip"


def test_replies_are_kept_in_an_archive_beside_its_summaries(tmp_path, archive, capsys):
    found = [sheet(), sheet("none")]
    write_answers(tmp_path, found)
    assert write_verdicts(tmp_path, found, TokenCounter()) == 0
    (tmp_path / "answers" / "001.reply").write_text(json.dumps(answers()))
    (tmp_path / "answers" / "002.reply").write_text("[]")
    assert write_verdicts(tmp_path, found, TokenCounter()) == 1
    assert "002.reply: " in capsys.readouterr().out
    (tmp_path / "verdicts" / "001.reply").write_text(json.dumps(dict.fromkeys(KEYS, VERDICT)))
    rows = kept(tmp_path, found)
    for _ in range(2):
        merge(archive, rows, {CASE.id: "c" * 16}, "2026-11-30")
        held = Archive(archive)
        assert [row.role for row in held.words] == ["answer"] * 4 + ["summary"] + ["verdict"] * 4
    assert RecordedVerdict.read(held.words[-1].words).dimensions == dict.fromkeys(DIMENSIONS, 4)
    assert held.manifest.strategies["anchored"].date == "2026-11-29"
    assert held.manifest.provenance == ("Alone.", verdict_sheets.PROVENANCE)

    changed = replace(sheet(), views={**sheet().views, 1: ()})
    assert list(stale(found, held)) == []
    assert list(stale([changed], held)) == ["anchored on first was asked something else"]
    assert kept(tmp_path, [changed]) == []
    assert "anchored on first: another request was written for it" in capsys.readouterr().out


def both(case, survived, stated, overall, score, strategy="anchored"):
    record = {
        "case": case,
        "compactor": strategy,
        "overall": overall,
        "dimensions": {"accuracy": overall},
        "facts": [{"survived": each} for each in survived],
    }
    verdict = {**VERDICT, "stated": stated, **dict.fromkeys(DIMENSIONS, score)}
    return Both(record, RecordedVerdict.read(json.dumps(verdict)))


def test_the_figures_are_of_strategies_and_their_means_of_all():
    found = [
        both(f"c{n}", [True, n % 2 == 0], [1, 2] if n % 2 == 0 else [1], 5.0 - n % 2, 5 - n % 2)
        for n in range(8)
    ]
    table = agreement_table([*found, both("c0", [True], [], 5.0, 0, "none")])
    assert "| facts stated | 16 | 1.00 [1.00, 1.00] |" in table
    assert "| accuracy | 8 | 1.00 [1.00, 1.00] |" in table
    assert "| context | 0 | - | - | - |" in table
    [row] = strategy_rows(found)
    assert row[:3] == ("anchored", 8, "75% [47%, 100%]")
    assert (
        strategies_table(found).splitlines()[2].startswith("| `anchored` | 8 | 75% [47%, 100%] |")
    )


@pytest.mark.exhaustive
def test_the_page_shows_how_far_rules_agree_with_the_recorded_verdicts():
    assert readme_blocks.shown("verdicts") == verdicts_block(), "run support.readme_blocks verdicts"


@pytest.mark.exhaustive
def test_the_recorded_answers_and_verdicts_are_to_the_requests_of_today(tmp_path, monkeypatch):
    made = []
    make = verdict_sheets.sheets
    monkeypatch.setattr(verdict_sheets, "sheets", lambda of: made.append(list(make(of))) or made[0])
    assert verdict_sheets.main(["answers", str(tmp_path)]) == 0
    assert len(list((tmp_path / "answers").glob("*.txt"))) == 84
    assert list(stale(made[0], Archive(verdict_sheets.ARCHIVE))) == []
