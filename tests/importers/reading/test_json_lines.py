"""JSON lines: one object a line, or several where a line end was lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_compaction.importers import ImportFormatError
from pytest_compaction.importers.json_files import json_lines


def read(tmp_path: Path, text: str) -> list[tuple[int, dict[str, object]]]:
    path = tmp_path / "log.jsonl"
    path.write_text(text, "utf-8")
    return list(json_lines(path))


def test_objects_of_a_line_whose_end_was_lost_are_all_read(tmp_path: Path) -> None:
    found = read(tmp_path, '{"a": "}{"}\n{"b": 1}{"c": NaN}\n\n{"d": "\\ud800"}\n')
    assert found == [(1, {"a": "}{"}), (2, {"b": 1}), (2, {"c": None}), (4, {"d": "\ufffd"})]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"a": 1}{"b": ', "Extra data at column 9"),
        ('{"a": 1} 2', "Extra data at column 10"),
        ('{"a": 1}]', "Extra data at column 9"),
        ("[" * 100_000, "nested too deeply"),
        ("[1]", "expected a JSON object, found list"),
    ],
)
def test_what_stands_behind_an_object_and_is_none_is_an_error_that_names_the_line(
    tmp_path: Path, line: str, why: str
) -> None:
    with pytest.raises(ImportFormatError, match=f"line 2: .*{why}"):
        read(tmp_path, f'{{"a": 1}}\n{line}\n')
