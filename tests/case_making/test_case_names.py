"""Names of cases: distinct for distinct files, after a folder where the file says nothing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.case_making.case_maker import case_names, slug


@pytest.mark.parametrize(
    ("stem", "name", "id"),
    [
        ("my session (2)", "", "my-session-2"),
        ("runs", "task 3/trial 1", "runs-task-3-trial-1"),
        ("é" * 100, "", "session"),
        ("a" * 100, "b", "a" * 78 + "-b"),
        ("a" * 100, "b" * 100, "a" * 30 + "-" + "b" * 40 + "-d6cbb053"),
    ],
)
def test_a_case_is_named_after_its_file_and_its_conversation(stem, name, id):
    made = slug(stem, name)
    assert made == id
    assert len(made) <= 80


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/w/runs/fix-login.jsonl", "fix-login"),
        ("/w/tasks/17770731/api_conversation_history.json", "17770731"),
        ("/w/fix-login/session.jsonl", "fix-login"),
        ("/w/fix-login/messages.json", "fix-login"),
        ("/w/fix-login/session.messages.json", "fix-login"),
        ("/w/fix-login/.aider.chat.history.md", "fix-login"),
        ("/w/runs/session-1.jsonl", "session-1"),
        ("/w/runs/large-session.jsonl", "large-session"),
        ("/session.jsonl", "session"),
    ],
)
def test_a_file_whose_name_says_nothing_is_named_by_its_folder(path, name):
    assert case_names([Path(path)]) == {Path(path): name}


def test_files_of_one_name_get_the_names_of_as_many_folders_as_it_takes():
    paths = ["/w/a/s.jsonl", "/w/b/s.jsonl", "/w/b/t.jsonl", "/x/a/log.json", "/y/a/log.json"]
    assert list(case_names(map(Path, paths)).values()) == ["a-s", "b-s", "t", "x-a", "y-a"]
    ids = ["/w/Run 1/s.jsonl", "/w/run-1/s.jsonl", "/v/s.jsonl"]
    assert list(case_names(map(Path, ids)).values()) == ["w-Run 1-s", "w-run-1-s", "v-s"]


def test_a_file_that_is_named_twice_keeps_its_name():
    paths = [Path("/w/a/s.jsonl"), Path("/w/b/../a/s.jsonl")]
    assert set(case_names(paths).values()) == {"s"}


def test_the_home_folder_and_its_owner_are_in_no_name(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/epona"))
    paths = ["/home/epona/session.jsonl", "/home/epona/w/a/log.json", "/home/epona/v/a/log.json"]
    assert list(case_names(map(Path, paths)).values()) == ["session", "w-a", "v-a"]


folders = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)


@given(st.lists(st.tuples(folders, st.sampled_from(["session", "s", "t"])), max_size=8))
def test_different_files_of_different_folders_have_different_names(given_paths):
    # Joined names such as a-b of "a/b" and "a-b" are left to the check when a case is written.
    paths = {Path("/r", *parts, f"{stem}.json") for parts, stem in given_paths}
    names = case_names(sorted(paths))
    assert len(set(names.values())) == len({path.resolve() for path in paths})
