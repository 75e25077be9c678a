"""A part of a session: calls keep their results, and compactions stay if they are complete."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction import cli
from pytest_compaction.case import find_cases
from pytest_compaction.case_making.case_maker import OUTSIDE, SessionPart
from pytest_compaction.commands import import_transcripts
from pytest_compaction.conversation import (
    Message,
    Text,
    ToolCall,
    ToolResult,
    structure_faults,
    text_message,
)
from pytest_compaction.importers import Boundary, ImportFormatError, ImportTally, Transcript

CALLS = Message("m4", "assistant", (Text("both"), ToolCall("a", "x", "{}"), ToolCall("b", "x", "")))
MESSAGES = (
    text_message("m0", "system", "be brief"),
    text_message("m1", "user", "one"),
    text_message("m2", "assistant", "two"),
    text_message("m3", "user", "three"),
    CALLS,
    Message("m5", "tool", (ToolResult("a", "1"),)),
    Message("m6", "tool", (ToolResult("b", "2"),)),
    text_message("m7", "assistant", "done"),
)


def transcript(*boundaries):
    return Transcript(MESSAGES, "s.jsonl", ImportTally(9, 8, {"title": 1}), boundaries=boundaries)


def ids(part):
    return " ".join(message.id for message in part.of(transcript()).messages)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (SessionPart(last=1), "m0 m7"),
        (SessionPart(last=2), "m0 m4 m5 m6 m7"),
        (SessionPart(last=99), "m0 m1 m2 m3 m4 m5 m6 m7"),
        (SessionPart(first=4), "m0 m3 m4 m5 m6 m7"),
        (SessionPart(first=7), "m0 m4 m5 m6 m7"),
        (SessionPart(final=3), "m0 m1 m2"),
        (SessionPart(final=5), "m0 m1 m2 m3 m4 m5 m6"),
        (SessionPart(first=3, final=4), "m0 m2 m3"),
        (SessionPart(first=6, final=6), "m0 m4 m5 m6"),
        (SessionPart(first=8, final=900), "m0 m7"),
        (SessionPart(first=1, final=1), "m0"),
    ],
)
def test_a_part_holds_what_was_asked_for_and_whole_calls(part, expected):
    assert ids(part) == expected


def test_what_is_outside_is_in_the_ledger():
    tally = SessionPart(last=1).of(transcript()).tally
    assert (tally.records, tally.messages) == (9, 2)
    assert tally.left_out == {OUTSIDE: 6, "title": 1}
    assert SessionPart(first=1).of(transcript()) == transcript()


def test_a_part_behind_the_end_is_refused():
    with pytest.raises(ImportFormatError, match=r"s\.jsonl: --from 9 --to 12 is outside its 8"):
        SessionPart(first=9, final=12).of(transcript())


def test_a_compaction_is_on_record_only_with_all_that_it_kept():
    early = Boundary("m2", "begun")
    late = Boundary("m7", "then", kept=("m4", "m5", "m6", "m7"))
    longer = Boundary("m7", "then", kept=("m3", "m4", "m5", "m6", "m7"))
    view = Boundary("m3", messages=(text_message("m1", "user", "one"),))
    assert SessionPart(last=3).of(transcript(early, late)).boundaries == (late,)
    (without,) = SessionPart(last=3).of(transcript(longer)).boundaries
    assert not without.recorded
    assert without.missing == "it kept messages that are outside the imported part"
    assert SessionPart(first=4).of(transcript(view)).boundaries == (view,)


@given(st.integers(1, 9), st.integers(1, 9), st.none() | st.integers(1, 9))
def test_every_part_is_a_sound_conversation(first, final, last):
    part = SessionPart(first, final) if last is None else SessionPart(last=last)
    try:
        found = part.of(transcript())
    except ImportFormatError:
        assert first > final or first > 8
        return
    assert structure_faults(found.messages) == []
    assert found.tally.messages == len(found.messages) > 0


RULES = (
    "Invoices must never carry a negative tax.",
    "Passwords must never reach the audit trail.",
    "Every thumbnail must have a square frame.",
    "Parcels must never leave without a barcode.",
    "The ledger must always close before midnight.",
    "Drivers must never see the phone of a customer.",
)


def talk(rounds):
    said = [
        {"role": "user", "content": "the upload handler must answer within two seconds"},
        {"role": "assistant", "content": "I use a bounded queue instead of a thread each."},
    ]
    for number in range(rounds):
        error = f"ValueError: the part {number} failed with the code {4711 + number}"
        said.append(
            {"role": "user", "content": f"Build part {number} of the upload queue; now: {error}"}
        )
        if number % 10 == 5:
            said.append({"role": "user", "content": RULES[number // 10]})
        words = " ".join(f"step {number}-{n} was looked at" for n in range(30))
        said.append({"role": "assistant", "content": f"part {number} is done: {words}"})
    return said


def test_a_session_that_is_too_large_says_so_and_a_part_of_it_is_imported(
    tmp_path, capsys, monkeypatch
):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(talk(60)), "utf-8")
    monkeypatch.setattr(import_transcripts, "MAX_FILE_BYTES", 40_000)
    command = ["import", str(path), "-o", str(tmp_path / "out")]
    assert cli.main(command) == 1
    (error,) = capsys.readouterr().err.splitlines()
    assert "talk.json: the case would take" in error
    assert error.endswith("128 messages: --last N, or others with --from N --to M")
    assert cli.main([*command, "--last", "60"]) == 0
    out = capsys.readouterr().out
    assert f"messages made  {60:>7}" in out
    assert f"left out       {68:>7}  message outside the part" in out
    (case,) = find_cases([tmp_path / "out"]).cases
    assert case.messages[-1].id == "m0127"
    assert cli.main([*command, "--from", "21", "--to", "80"]) == 0
    (case,) = find_cases([tmp_path / "out"]).cases
    assert (case.messages[0].id, case.messages[-1].id) == ("m0020", "m0079")


def test_what_is_secret_is_known_from_the_whole_session(tmp_path, capsys):
    named = {"role": "user", "content": "the password is tiger99x"}
    used = {"role": "user", "content": "log in with tiger99x again"}
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([named, *talk(30), used, *talk(30)]), "utf-8")
    command = ["import", str(path), "-o", str(tmp_path / "out"), "--last", "80"]
    assert cli.main(command) == 0
    case = (tmp_path / "out/talk.json").read_text("utf-8")
    assert "log in with" in case and "tiger99x" not in case


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--last", "3", "--from", "2"], "give one of the two"),
        (["--from", "5", "--to", "2"], "--from 5 is after --to 2"),
        (["--last", "0"], "not a whole number from 1 to 999999"),
    ],
)
def test_options_that_name_no_part_are_refused(tmp_path, capsys, options, words):
    with pytest.raises(SystemExit) as caught:
        cli.main(["import", "x", "-o", str(tmp_path), *options])
    assert caught.value.code == 2
    assert words in capsys.readouterr().err
