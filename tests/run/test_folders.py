"""What a killed run leaves among the temporary files is removed by a later one, and no more."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_compaction import folders
from pytest_compaction.folders import OLD_S, TemporaryFolder, remove_left_files, temporary_folder

HOLDS = """
import sys, tempfile, time
tempfile.tempdir = sys.argv[1]
from pytest_compaction.folders import TemporaryFolder
print(TemporaryFolder().path, flush=True)
time.sleep(600)
"""
LONG_AGO = time.time() - OLD_S - 60


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def other_run(temporary):
    command = [sys.executable, "-c", HOLDS, str(temporary)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


@pytest.mark.skipif(folders._LOCKS is None, reason="a process cannot be killed so on Windows")
def test_a_folder_is_removed_once_its_run_was_killed_and_not_while_it_lives(other_run):
    process, left = other_run
    with temporary_folder():
        assert Path(left).is_dir()
    process.send_signal(signal.SIGKILL)
    process.wait()
    with temporary_folder() as own:
        assert not Path(left).is_dir()
        assert own.is_dir()
    assert not own.exists()


def test_a_folder_of_this_process_and_one_that_was_just_made_stay(temporary):
    first = TemporaryFolder()
    just_made, broken_off = (temporary / f"{folders.PREFIX}{name}" for name in ("new", "broken"))
    for folder in (just_made, broken_off):
        folder.mkdir()
        (folder / ".new").touch()
    os.utime(broken_off / ".new", (LONG_AGO, LONG_AGO))
    unknown = temporary / f"{folders.PREFIX}unknown"
    unknown.mkdir()
    os.utime(unknown, (LONG_AGO, LONG_AGO))
    with temporary_folder():
        assert first.path.is_dir()
        assert just_made.is_dir()
        assert unknown.is_dir()
        assert not broken_off.exists()
    first.close()
    first.close()
    assert not first.path.exists()


def test_old_files_go_and_those_that_are_being_written_stay(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    new.touch()
    os.utime(old, (LONG_AGO, LONG_AGO))
    remove_left_files(tmp_path)
    remove_left_files(tmp_path / "nowhere")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
