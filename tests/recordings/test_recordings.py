"""Scripted sessions play again as they were recorded: each one gives the same bytes."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import record
import requirements
from recorder import Recorder
from repository import Repository, versions
from support.shipped import scripted

HERE = Path(__file__).parent
needs_git = pytest.mark.skipif(
    shutil.which("git") is None, reason="git is needed to record a session"
)


@pytest.fixture
def start(tmp_path):
    """A folder with the one file that a session starts with."""
    folder = tmp_path / "start"
    folder.mkdir()
    (folder / "bell.py").write_text("LEAD_SECONDS = 90\n", "utf-8")
    return folder


@pytest.fixture
def session(start, tmp_path):
    """A session of five messages in a repository of one file."""
    made = Recorder(Repository("ferrybell", tmp_path / "workspace"))
    made.repo.seed(start)
    made.user("Make the bell ring earlier.")
    made.read("bell.py", "First what it is now.")
    made.edit("bell.py", "90", "120")
    return made


def test_every_case_has_its_play():
    targets = [record.target(name, record.load(name)) for name in record.names()]
    assert sorted(Path(case.source) for case in scripted()) == sorted(targets)


@pytest.mark.parametrize("case", scripted(), ids=lambda case: case.id)
def test_every_session_has_what_a_strategy_can_lose(case):
    assert requirements.figures(case).shortfalls == []


@needs_git
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", record.names())
def test_recording_a_session_again_gives_the_same_case(name):
    play = record.load(name)
    committed = record.target(name, play).read_text("utf-8")
    then, now = json.loads(committed)["recorded_with"], versions()
    if now != then:
        pytest.skip(f"recorded with {then}, here is {now}: their outputs differ")
    assert record.case_text(name, play) == committed


@needs_git
def test_a_repository_starts_with_the_files_of_its_folder(start, tmp_path):
    (start / "docs").mkdir()
    (start / "docs/empty.md").write_bytes(b"")
    (start / ".gitignore").write_bytes(b"*.log\n")
    repo = Repository("ferrybell", tmp_path / "workspace")
    repo.seed(start)
    files = [".gitignore", "bell.py", "docs/empty.md"]
    assert repo.git("ls-tree", "-r", "--name-only", "start").splitlines() == files
    assert all((repo.root / file).read_bytes() == (start / file).read_bytes() for file in files)


@needs_git
def test_a_file_to_start_with_that_a_clone_would_not_have_is_an_error(start, tmp_path):
    (start / ".gitignore").write_text("*.py\n", "utf-8")
    with pytest.raises(RuntimeError, match=r"ignored by one of your \.gitignore files:\nbell\.py"):
        Repository("ferrybell", tmp_path / "workspace").seed(start)


@needs_git
def test_evidence_is_looked_up_in_what_was_said_called_and_printed(session):
    assert session.saying("bell", "what it is") == ["m000", "m001"]
    assert session.doing("edit_file", "bell.py") == ["m003"]
    assert session.holding("LEAD", "edited") == ["m002", "m004"]
    assert session.holding("LEAD", "120", calls=True) == ["m002", "m003"]


@needs_git
@pytest.mark.parametrize(
    ("look", "sentence"),
    [
        (lambda s: s.saying("LEAD", "120"), "in which user or assistant say 'LEAD' or '120'"),
        (lambda s: s.doing("edit_file", "LEAD"), "that calls edit_file with 'LEAD'"),
        (lambda s: s.holding("120"), "that holds '120'"),
    ],
)
def test_a_text_that_no_message_has_is_no_evidence(session, look, sentence):
    with pytest.raises(LookupError, match=f"^the log has no message {sentence}$"):
        look(session)


@needs_git
def test_a_fact_without_evidence_is_an_error(session):
    for said_in in (None, []):
        with pytest.raises(LookupError, match="does not state 'two minutes'"):
            session.fact("two minutes", said_in=said_in)


@needs_git
def test_a_change_of_a_file_is_proved_by_the_messages_that_make_it(session):
    def evidence(change):
        fact = session.fact(f"bell.py was {change}", type="path", keys=["bell.py"], change=change)
        return fact["evidence"]

    assert evidence("modified") == ["m003", "m004"]
    assert evidence("read") == ["m001"]
    with pytest.raises(LookupError, match=r"does not state 'bell\.py was deleted'"):
        evidence("deleted")


@needs_git
def test_a_play_cannot_claim_what_git_does_not_know(session):
    session.repo.check_changed("start", added=[], modified=["bell.py"])
    with pytest.raises(AssertionError, match=r"deleted since start, says git: \[\]; not \['bell"):
        session.repo.check_changed("start", deleted=["bell.py"])
    with pytest.raises(LookupError, match="holds '90' 0 times; expected once"):
        session.repo.change("bell.py", "90", "80")
    with pytest.raises(RuntimeError, match="git show nothing ended with 128"):
        session.repo.git("show", "nothing")


@needs_git
def test_folders_of_this_machine_do_not_get_into_the_log(session, tmp_path):
    output = session.bash(
        "python -c 'import tempfile; print(tempfile.gettempdir())'; pwd;"
        """ python -c 'import json; json.loads("bell")'"""
    )
    assert output.startswith("/home/dev/tmp\n/home/dev/ferrybell\n")
    assert re.search(r'"/usr/lib/python3\.\d+/json/decoder.py"', output)
    assert str(tmp_path) not in output


@needs_git
def test_no_run_of_pytest_removes_the_folders_of_another(session):
    output = session.bash(
        """printf 'def test_it(tmp_path): pass\\n' > test_bell.py; """
        "for n in 1 2 3 4 5; do python -m pytest -q test_bell.py >$TMPDIR/log; done; "
        "ls -d $TMPDIR/pytest-of-*/pytest-[0-9]"
    )
    assert len(output.split()) == 5


@needs_git
@pytest.mark.exhaustive
def test_the_session_of_the_readme_is_recorded_by_its_commands(tmp_path):
    recordings = tmp_path / "tests/recordings"
    recordings.mkdir(parents=True)
    for module in ("questions.py", "record.py", "recorder.py", "repository.py"):
        shutil.copy(HERE / module, recordings)
    text = (HERE / "README.md").read_text("utf-8")
    blocks = re.findall(r"^   ```(sh|python)\n(.*?)^   ```$", text, re.DOTALL | re.MULTILINE)
    assert [language for language, _ in blocks] == ["sh", "python", "sh"]
    start, play, steps = (textwrap.dedent(block) for _, block in blocks)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(commands):
        environment = os.environ | {"PATH": path}
        subprocess.run(["bash", "-ec", commands], cwd=tmp_path, env=environment, check=True)
        return (tmp_path / "cases/feature/ferry_bell.json").read_bytes()

    (recordings / "ferry_bell").mkdir()
    (recordings / "ferry_bell/play.py").write_text(play, "utf-8")
    case = run(start + steps)
    assert json.loads(case)["probes"][1]["facts"][0]["change"] == "modified"
    assert run("python tests/recordings/record.py ferry_bell") == case
