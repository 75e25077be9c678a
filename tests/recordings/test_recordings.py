"""The recorded sessions are what their scripts record: run again, they give the same bytes."""

import importlib.util
import json
import re
import shutil
import sys
import textwrap
from pathlib import Path

import pytest

CASES = Path(__file__).parents[2] / "cases"
SCRIPTS = sorted(path for path in CASES.glob("*/*.py") if path.with_suffix(".json").exists())
needs_git = pytest.mark.skipif(
    shutil.which("git") is None, reason="git is needed to record a session"
)


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def recording(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(CASES), *sys.path])
    return load(CASES / "recording.py")


@pytest.fixture
def session(recording, tmp_path):
    """A session of five messages in a repository of one file."""
    made = recording.Recorder(recording.Repository("ferrybell", tmp_path))
    made.repo.seed("=== bell.py\nLEAD_SECONDS = 90\n")
    made.user("Make the bell ring earlier.")
    made.read("bell.py", "First what it is now.")
    made.edit("bell.py", "90", "120")
    return made


def test_every_case_has_its_script():
    assert sorted(path.with_suffix(".py") for path in CASES.glob("*/*.json")) == SCRIPTS


@needs_git
@pytest.mark.exhaustive
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_recording_a_session_again_gives_the_same_case(script, recording):
    committed = script.with_suffix(".json").read_text("utf-8")
    now = recording.versions()
    then = json.loads(committed)["recorded_with"]
    if now != then:
        pytest.skip(f"recorded with {then}, here is {now}: their outputs differ")
    assert load(script).build_case() == committed


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
def test_a_script_cannot_claim_what_git_does_not_know(session):
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
def test_the_session_of_the_readme_can_be_recorded(recording, tmp_path):
    text = (CASES / "README.md").read_text("utf-8")
    script = tmp_path / "feature" / "ferry_bell.py"
    script.parent.mkdir()
    for language, path in (("text", script.with_suffix(".seed")), ("python", script)):
        block = re.search(rf"^   ```{language}\n(.*?)^   ```$", text, re.DOTALL | re.MULTILINE)
        path.write_text(textwrap.dedent(block[1]), "utf-8")
    case = load(script).build_case()
    recording.write(script, case)
    assert json.loads(case)["probes"][1]["facts"][0]["about"] == "modified"
    assert load(script).build_case() == case
