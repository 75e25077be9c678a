import subprocess
import sys

import pytest

from pytest_compaction.cache import kept_results


@pytest.fixture(autouse=True)
def _computed_anew():
    kept_results.code_digest.cache_clear()
    yield
    kept_results.code_digest.cache_clear()


def test_all_processes_find_the_same():
    code = "from pytest_compaction.cache.kept_results import rules_digest; print(rules_digest())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == kept_results.rules_digest()


def test_another_version_of_a_library_counts(monkeypatch):
    before = kept_results.rules_digest()
    monkeypatch.setattr(kept_results.metadata, "version", lambda name: f"999 of {name}")
    kept_results.code_digest.cache_clear()
    assert kept_results.rules_digest() != before


@pytest.mark.parametrize("name", ["text/added.py", "text/lexicon/added.json"])
def test_every_file_of_the_package_counts(monkeypatch, tmp_path, name):
    (tmp_path / "text" / "lexicon").mkdir(parents=True)
    monkeypatch.setattr(kept_results.resources, "files", lambda package: tmp_path)
    empty = kept_results.rules_digest()
    (tmp_path / name).write_text("1")
    kept_results.code_digest.cache_clear()
    first = kept_results.rules_digest()
    (tmp_path / name).write_text("2")
    kept_results.code_digest.cache_clear()
    assert len({empty, first, kept_results.rules_digest()}) == 3


def test_compiled_files_do_not_count(monkeypatch, tmp_path):
    monkeypatch.setattr(kept_results.resources, "files", lambda package: tmp_path)
    before = kept_results.rules_digest()
    (tmp_path / "module.pyc").write_text("1")
    kept_results.code_digest.cache_clear()
    assert kept_results.rules_digest() == before
