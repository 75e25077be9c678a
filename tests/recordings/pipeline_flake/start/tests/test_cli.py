"""The command line, on trees of its own and on this repository."""

from pathlib import Path

import pytest

from wright.cli import main

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "payload").mkdir()
    (tmp_path / "payload" / "a.rule").write_text("rule a\n")
    (tmp_path / "VERSION").write_text("1.0.0\n")
    (tmp_path / "wright.ini").write_text("[bundle]\nname = demo\n")
    (tmp_path / "CHANGELOG.md").write_text("## 1.0.0\n- a: first\n")
    return tmp_path


def test_build(tree, capsys):
    assert main(["build", "--root", str(tree)]) == 0
    assert capsys.readouterr().out == "built demo.zip: version 1.0.0, 1 files, codec plain\n"


def test_verify(tree, capsys):
    main(["build", "--root", str(tree)])
    assert main(["verify", "--root", str(tree), str(tree / "dist" / "demo.zip")]) == 0
    assert "matches the tree" in capsys.readouterr().out


def test_verify_fails_with_a_code(tree, capsys):
    main(["build", "--root", str(tree)])
    main(["bump", "patch", "--root", str(tree)])
    assert main(["verify", "--root", str(tree), str(tree / "dist" / "demo.zip")]) == 1
    assert "wright: E417 version mismatch" in capsys.readouterr().err


def test_bump_dry_run(tree, capsys):
    main(["bump", "minor", "--dry-run", "--root", str(tree)])
    assert capsys.readouterr().out == "1.0.0 -> 1.1.0\n"
    assert (tree / "VERSION").read_text() == "1.0.0\n"


def test_notes(tree, capsys):
    main(["notes", "--root", str(tree)])
    assert capsys.readouterr().out == "1.0.0\n  * a: first\n"


def test_this_repository_builds(tmp_path, capsys):
    assert main(["build", "--root", str(REPOSITORY), "--out", str(tmp_path / "x.zip")]) == 0
    assert "3 files, codec plain" in capsys.readouterr().out


def test_this_repository_has_notes_for_its_version(capsys):
    assert main(["notes", "--root", str(REPOSITORY)]) == 0
