"""The recorded sessions are what their scripts record: run again, they give the same bytes."""

import importlib.util
import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases"
SCRIPTS = sorted(path for path in CASES.glob("*/*.py") if path.with_suffix(".json").exists())


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rebuilt():
    """The texts of all cases, recorded again side by side."""
    sys.path.insert(0, str(CASES))
    try:
        with ThreadPoolExecutor(max_workers=2) as pool:
            yield {path: pool.submit(load(path).build_case) for path in SCRIPTS}
    finally:
        sys.path.remove(str(CASES))


def test_there_are_recorded_sessions():
    assert len(SCRIPTS) >= 3


@pytest.mark.skipif(shutil.which("git") is None, reason="git is needed to record a session")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_recording_a_session_again_gives_the_same_case(script, rebuilt):
    committed = script.with_suffix(".json").read_text("utf-8")
    sys.path.insert(0, str(CASES))
    try:
        now = load(CASES / "recording.py").versions()
    finally:
        sys.path.remove(str(CASES))
    then = json.loads(committed)["recorded_with"]
    if now != then:
        pytest.skip(f"recorded with {then}, here is {now}: their outputs differ")
    assert rebuilt[script].result() == committed
