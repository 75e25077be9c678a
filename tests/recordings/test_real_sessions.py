"""Real sessions: the case of a transcript has the questions of its module and names its source."""

import importlib.util
import sys
from pathlib import Path

import pytest
from support.paths import DATA
from support.provenance import provenance_faults

from pytest_compaction.case.files import load_cases
from pytest_compaction.case_making.case_maker import write_case

HERE = Path(__file__).parent

QUESTIONS = '''
"""Asks one question about a session of Claude Code."""

from imported import ImportedLog, RealSession


def ask(log: ImportedLog) -> None:
    fact = log.fact("analyze this codebase", type="state", keys=["analyze", "codebase"])
    log.probe("asked", "recall", "What did the user ask for first?", [fact])


SESSION = RealSession(
    ask, "claude-code/session.jsonl", "coding", "A look at a codebase", "MIT", "https://example.org"
)
'''


@pytest.fixture
def recording(monkeypatch):
    """The module that writes the cases of real sessions, beside one of the same name."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("real_record", HERE / "real/record.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_case_names_its_source_and_what_was_redacted(recording, tmp_path, monkeypatch):
    (tmp_path / "look.py").write_text(QUESTIONS, "utf-8")
    monkeypatch.setattr(recording, "HERE", tmp_path)
    case = recording.case_of("look", DATA)
    write_case(case, tmp_path / "real/look.json")
    (tmp_path / "real/LICENSES").mkdir()
    (tmp_path / "real/LICENSES/look.txt").write_text("MIT License", "utf-8")
    found = load_cases([tmp_path / "real"])
    assert not found.errors
    assert [(c.id, c.task, c.origin) for c in found.cases] == [("look", "coding", "real")]
    assert provenance_faults(tmp_path / "real") == []
    assert case["provenance"]["format"] == "claude-code"
    assert case["provenance"]["redacted"]["home folder"] > 100
    source = (DATA / "claude-code/SOURCE.toml").read_text("utf-8")
    assert case["provenance"]["sha256"] in source
