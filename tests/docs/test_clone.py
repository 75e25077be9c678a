"""The commands of the README for one's own compactor and sessions, in a clone of this project."""

import shutil

import pytest
from support.pages import DOCS, README, arguments, code, commands
from support.paths import ROOT, public_data

OWN_COMPACTOR = DOCS / "own-compactor.md"
OWN = {command for command in commands(README) if command.startswith("pytest --compactor=my_")}
INIT = [command for command in commands(README) if " init my-session" in command]
CHECK = "--compaction-check"


@pytest.fixture
def clone(pytester):
    """The settings of this project, with the smallest of its cases."""
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, pytester.path)
    for path in ("tests", "cases/debugging"):
        (pytester.path / path).mkdir(parents=True)
    shutil.copy(ROOT / "cases/test_probes.py", pytester.path / "cases")
    smallest = min((ROOT / "cases").rglob("*.json"), key=lambda path: path.stat().st_size)
    shutil.copy(smallest, pytester.path / "cases/debugging")
    (pytester.path / "my_compactor.py").write_text(
        code(OWN_COMPACTOR, "python", "# my_compactor.py")
    )
    return pytester


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", sorted(OWN))
def test_ones_own_compactor_is_measured_and_checked(clone, command):
    fewer = ["--compaction-examples=5"] if CHECK in command else []
    result = clone.runpytest_subprocess(*arguments(command), *fewer)
    assert result.ret in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    if fewer:
        result.stdout.fnmatch_lines(["my_compactor:keep_the_newest * of 34 invariants hold*"])
        return
    result.stdout.fnmatch_lines(
        [
            "thresholds of the configuration left out, for strategies that are not in the run: *",
            "records: .pytest_compaction/runs/0001-my_compactor_keep_the_newest-truncate.jsonl*",
        ],
        consecutive=False,
    )


@pytest.mark.exhaustive
def test_ones_own_session_is_imported_and_gated(clone):
    session = public_data("claude-code/session.jsonl")
    shutil.copy(session, clone.path / "my-session.jsonl")
    (initialise,) = INIT
    assert clone.run("pytest-compaction", *arguments(initialise), "--yes").ret == 0
    (clone.path / "cases/my-session.json").unlink()
    shown = code(README, "console", "pytest-compaction import").splitlines()
    assert [line.split()[1] for line in shown[:2]] == ["import", "review"]
    for command in shown[:2]:
        given = clone.run("pytest-compaction", *arguments(command), stdin=b"y\n" * 20)
        assert given.ret == 0, command
    result = clone.runpytest_subprocess(*arguments(shown[2]))
    assert result.ret in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    result.stdout.fnmatch_lines(["GATE * overall@anchored *"])
