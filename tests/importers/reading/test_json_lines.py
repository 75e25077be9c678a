"""JSON lines: one object a line; torn lines are left out, and what is whole on them is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_compaction.importers import (
    ImportFormatError,
    Transcript,
    importer_for,
    load_importers,
    read_by_best,
)
from pytest_compaction.importers.json_files import RECOVERED, TORN, json_lines
from pytest_compaction.importers.protocol import Tally

ZEROS = "zero bytes of a torn write, removed"
NOT_UTF8 = "bytes that are not UTF-8, replaced"
RECORDS = [
    {"id": n, "type": "user", "note": {"id": n}, "text": f"word {n}", "at": n} for n in range(4)
]
LINES = [json.dumps(record) for record in RECORDS]


def read(tmp_path: Path, text: str | bytes) -> tuple[list[tuple[int, dict[str, object]]], Tally]:
    path = tmp_path / "log.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    tally = Tally()
    return list(json_lines(path, tally)), tally


def test_objects_of_a_line_whose_end_was_lost_are_all_read(tmp_path: Path) -> None:
    found, tally = read(tmp_path, '{"a": "}{"}\n{"b": 1}{"c": NaN}\n\n{"d": "\\ud800"}\n')
    assert found == [(1, {"a": "}{"}), (2, {"b": 1}), (2, {"c": None}), (4, {"d": "\ufffd"})]
    assert tally.repaired == {RECOVERED: 2}
    assert not tally.left_out


@pytest.mark.parametrize(
    ("torn", "ids", "left_out", "repaired"),
    [
        (LINES[1][:40], [0, 2, 3], {TORN: 1}, {}),
        (LINES[1][:40] + LINES[1], [0, 1, 2, 3], {TORN: 1}, {RECOVERED: 1}),
        (LINES[1] + LINES[1], [0, 1, 1, 2, 3], {}, {RECOVERED: 2}),
        (LINES[1] + LINES[1][:9], [0, 1, 2, 3], {TORN: 1}, {RECOVERED: 1}),
        ("\0" * 50 + LINES[1], [0, 1, 2, 3], {}, {ZEROS: 1}),
        ("\0" * 50, [0, 2, 3], {}, {}),
        (LINES[1][:20] + "\0" * 9 + LINES[1], [0, 1, 2, 3], {TORN: 1}, {ZEROS: 1, RECOVERED: 1}),
        (LINES[1] + " 2", [0, 1, 2, 3], {TORN: 1}, {RECOVERED: 1}),
        ("[" * 100_000, [0, 2, 3], {TORN: 1}, {}),
        ('{"n": ' + "9" * 5000 + "}", [0, 2, 3], {TORN: 1}, {}),
        ("[1]", [0, 2, 3], {"line with list instead of an object": 1}, {}),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_torn_line_is_left_out_and_what_is_whole_on_it_is_read(
    tmp_path: Path, place: int, torn: str, ids: list[int], left_out: object, repaired: object
) -> None:
    lines = [LINES[0], LINES[2], LINES[3]]
    lines.insert(place, torn)
    found, tally = read(tmp_path, "\n".join(lines))
    assert sorted(str(record["id"]) for _, record in found) == list(map(str, ids))
    assert dict(tally.left_out) == left_out
    assert dict(tally.repaired) == repaired


def test_bytes_that_are_no_text_are_replaced_and_counted(tmp_path: Path) -> None:
    found, tally = read(tmp_path, b'{"type": "a\xffb"}\n')
    assert found == [(1, {"type": "a\ufffdb"})]
    assert tally.repaired == {NOT_UTF8: 1}


def test_a_file_of_broken_lines_is_refused_with_the_first_fault(tmp_path: Path) -> None:
    with pytest.raises(ImportFormatError, match=r"2 of its lines are not .*line 1: Expecting"):
        read(tmp_path, f"no\n{{no\n{LINES[0]}\n")


def test_the_torn_line_of_a_session_costs_that_line_alone(tmp_path: Path) -> None:
    talk = [
        {
            "type": "user",
            "uuid": f"u{n}",
            "parentUuid": f"u{n - 1}" if n else None,
            "sessionId": "s",
        }
        | {"message": {"role": "user", "content": f"The limit of service {n} is {n + 3}."}}
        for n in range(6)
    ]
    lines = [json.dumps(record) for record in talk]
    lines.insert(3, lines[2][:80])
    path = tmp_path / "torn.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    importers = load_importers().importers
    assert importer_for(path, importers).name == "claude-code"
    (transcript,) = read_by_best(path, importers)[1]
    assert isinstance(transcript, Transcript)
    assert len(transcript.messages) == 6
    assert transcript.tally.left_out == {TORN: 1}
    path.write_text("\n".join([lines[3], *lines]), "utf-8")
    assert importer_for(path, importers).name == "claude-code"
