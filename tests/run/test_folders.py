"""Folders of a run are removed with it, and old files of a folder by a later run."""

import os
import time

from pytest_compaction.folders import OLD_S, remove_left_files, temporary_folder


def test_a_folder_is_there_as_long_as_the_block():
    with temporary_folder() as folder:
        (folder / "file").touch()
    assert not folder.exists()


def test_old_files_go_and_those_that_are_being_written_stay(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.touch()
    new.touch()
    long_ago = time.time() - OLD_S - 60
    os.utime(old, (long_ago, long_ago))
    remove_left_files(tmp_path)
    remove_left_files(tmp_path / "nowhere")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
