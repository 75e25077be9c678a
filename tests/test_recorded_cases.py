"""The recorded sessions are what their scripts record: run again, they give the same bytes."""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases"
SCRIPTS = sorted(path for path in CASES.glob("*/*.py") if path.with_suffix(".json").exists())
ALWAYS = "lease_queue"
"""The session that every run of the tests records anew; the others have a lane of their own."""


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scripts():
    for path in SCRIPTS:
        marks = [] if path.stem == ALWAYS else [pytest.mark.exhaustive]
        yield pytest.param(path, id=path.stem, marks=marks)


def test_every_case_has_its_script():
    assert sorted(path.with_suffix(".py") for path in CASES.glob("*/*.json")) == SCRIPTS
    assert ALWAYS in {path.stem for path in SCRIPTS}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is needed to record a session")
@pytest.mark.parametrize("script", list(scripts()))
def test_recording_a_session_again_gives_the_same_case(script, monkeypatch):
    committed = script.with_suffix(".json").read_text("utf-8")
    monkeypatch.setattr(sys, "path", [str(CASES), *sys.path])
    now = load(CASES / "recording.py").versions()
    then = json.loads(committed)["recorded_with"]
    if now != then:
        pytest.skip(f"recorded with {then}, here is {now}: their outputs differ")
    assert load(script).build_case() == committed
