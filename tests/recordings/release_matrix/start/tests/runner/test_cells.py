from pathlib import Path

import pytest

from scripts.common import Cell, Settings, SettingsError, cells, read_settings
from scripts.nightly import Outcome, exit_code

SETTINGS = Settings(
    2, 1, 9, {"unit": "tests/unit", "export": "tests/export"}, {"a": {"X": "1"}, "b": {}}, {}
)


def test_cells_row_by_row():
    assert [cell.name for cell in cells(SETTINGS)] == ["a/unit", "a/export", "b/unit", "b/export"]
    assert cells(SETTINGS)[0].environment == (("X", "1"),)


def test_only():
    assert [cell.name for cell in cells(SETTINGS, "b")] == ["b/unit", "b/export"]
    assert [cell.name for cell in cells(SETTINGS, "a/export")] == ["a/export"]
    with pytest.raises(SettingsError, match="there is no row or cell c"):
        cells(SETTINGS, "c")


def test_this_repository_has_nine_cells():
    assert len(cells(read_settings())) == 9


@pytest.mark.parametrize("key", ["retry_limit", "workers", "cell_timeout"])
def test_numbers_are_positive(tmp_path: Path, key):
    lines = [f"{each} = {int(each != key)}" for each in ("retry_limit", "workers", "cell_timeout")]
    (tmp_path / "tasks.toml").write_text("\n".join(["[nightly]", *lines]))
    with pytest.raises(SettingsError, match=f"nightly.{key} must be"):
        read_settings(tmp_path / "tasks.toml")


def test_line_and_exit_code():
    cell = Cell("a", "unit", "tests/unit", ())
    outcomes = [Outcome(cell, 0, 1), Outcome(cell, 1, 2), Outcome(cell, 124, 2)]
    assert outcomes[1].line == "CELL|a|unit|failed|1|2"
    assert outcomes[2].status == "timeout"
    assert exit_code(outcomes) == 62
    assert exit_code(outcomes[:1]) == 0
