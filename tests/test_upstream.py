"""The script that reads the sources of products: what is gone, and what it cannot read."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import upstream

from pytest_compaction.compactors import Registry, parse_spec
from pytest_compaction.compactors.registry import SHIPPED

ROW = {
    "strategy": "s",
    "repository": "made/up",
    "file": "core/a.py",
    "texts": ["LIMIT = 5", "## Goal"],
}


def checkout(folder):
    (folder / "src/core").mkdir(parents=True)
    (folder / "src/core/a.py").write_text("LIMIT = 6\n## Goal\n")
    return folder


def bare(folder, place):
    """A git directory without a work tree."""
    for arguments in (
        ["init", "-q", "."],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "made"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    place.parent.mkdir(parents=True)
    (folder / ".git").rename(place)


@pytest.mark.parametrize("name", ["up", "made/up", "made+up", "made+up/repo"])
def test_a_text_that_is_gone_is_named_in_each_form_of_checkout(tmp_path, name):
    checkout(tmp_path / name)
    gone, said = upstream.findings(tmp_path, ROW)
    assert gone == ["made/up: core/a.py has no more 'LIMIT = 5'"]
    assert said == []


def test_a_git_directory_without_work_tree_is_read_with_its_commit(tmp_path):
    bare(checkout(tmp_path / "work"), tmp_path / "there/made+up/repo")
    gone, _ = upstream.findings(tmp_path / "there", ROW)
    assert len(gone) == 1
    assert " of 20" in gone[0]
    _, said = upstream.findings(tmp_path / "there", {**ROW, "texts": ["## Goal"]})
    assert said[0].endswith("core/a.py has all 1")


def test_a_row_of_an_earlier_commit_is_read_there_and_nowhere_else(tmp_path):
    work = checkout(tmp_path / "up")
    row = {**ROW, "texts": ["LIMIT = 6"]}
    gone, said = upstream.findings(tmp_path, {**row, "commit": "0123abcd"})
    assert (gone, said) == ([], ["made/up: no commit 0123abcd there, nothing checked"])
    bare(work, tmp_path / "there/made+up")
    commit = upstream.git(tmp_path / "there/made+up", "rev-parse", "HEAD").strip()
    (work / "src/core/a.py").write_text("LIMIT = 7")
    (tmp_path / "there/made+up").rename(work / ".git")
    assert upstream.findings(tmp_path, {**row, "commit": commit})[0] == []
    (gone,) = upstream.findings(tmp_path, row)[0]
    assert gone.endswith("core/a.py has no more 'LIMIT = 6'")


def test_of_an_npm_package_the_compiled_file_is_read(tmp_path):
    (tmp_path / "up/dist").mkdir(parents=True)
    (tmp_path / "up/dist/a.js").write_text("LIMIT = 5; // ## Goal")
    assert upstream.findings(tmp_path, {**ROW, "file": "a.ts"})[0] == []


def test_every_product_with_a_public_source_has_a_row():
    rows = tomllib.loads(upstream.TABLE.read_text("utf-8"))["source"]
    named = {row["strategy"] for row in rows}
    modes = {
        "anthropic:mode=client",
        "codex:mode=local",
        "continue:mode=cli",
        "hermes:mode=lean",
        "openhands:version=1",
        "roo:version=1",
    }
    products = {name for name, target in SHIPPED.items() if target.startswith("products.")}
    assert named == products - {"claude-code", "claude-code-micro"} | modes


def test_what_cannot_be_read_is_said(tmp_path):
    assert upstream.findings(tmp_path, ROW) == ([], ["made/up: not in the folder, nothing checked"])
    checkout(tmp_path / "up")
    gone, _ = upstream.findings(tmp_path, {**ROW, "file": "b.py"})
    assert gone == ["made/up: no file b.py"]


def test_the_script_prints_a_line_for_each_source_and_its_table_names_strategies(tmp_path, capsys):
    assert upstream.main([str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 15
    for line in lines:
        Registry().create(parse_spec(line.split()[1]))
    assert upstream.main([]) == 2
    script = Path(upstream.__file__)
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True)
    assert done.stdout.splitlines() == lines
