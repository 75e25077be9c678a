import sqlite3
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.cache import Form, KeptResults, kept_results

NUMBER = Form(int, int)
ANY = Form(lambda value: value, lambda value: value)


class Counted:
    """Makes a value and counts how often."""

    def __init__(self, value):
        self.value = value
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return self.value


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "results.sqlite"


def kept_in(file, **values):
    kept = KeptResults(file)
    for about, value in values.items():
        kept.once(about, NUMBER, lambda value=value: value)
    kept.close()


def asked(file, about="a", value=2):
    """What a later run gets, and how often it had to make it."""
    make = Counted(value)
    kept = KeptResults(file)
    try:
        return kept.once(about, NUMBER, make), make.calls
    finally:
        kept.close()


def test_a_result_is_made_once_and_found_by_later_runs(file):
    kept_in(file, a=1)
    assert asked(file) == (1, 0)
    assert asked(file, about="b") == (2, 1)


def test_a_result_is_found_before_it_is_written(file):
    kept = KeptResults(file)
    kept.keep("a", NUMBER, 1)
    assert kept.find("a", NUMBER) == 1
    assert not file.exists()
    kept.flush()
    assert file.exists()
    kept.close()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_a_result_comes_back_as_it_was(tmp_path_factory, value):
    file = tmp_path_factory.mktemp("kept") / "results.sqlite"
    for _ in range(2):
        kept = KeptResults(file)
        kept.keep("a", ANY, value)
        kept.flush()
        assert KeptResults(file).find("a", ANY) == value
        kept.close()


def test_without_a_file_everything_is_made_anew():
    kept, make = KeptResults(), Counted(1)
    assert [kept.once("a", NUMBER, make) for _ in range(2)] == [1, 1]
    assert make.calls == 2
    assert not kept.keeps


def test_other_code_makes_its_results_anew(file, monkeypatch):
    kept_in(file, a=1)
    monkeypatch.setattr(kept_results, "rules_digest", lambda: "other")
    assert asked(file) == (2, 1)


@pytest.mark.parametrize("damage", ["body", "checksum"])
def test_a_damaged_result_is_made_anew_and_kept(file, damage):
    kept_in(file, a=1, b=7)
    with sqlite3.connect(file) as database:
        database.execute(f"UPDATE results SET {damage} = '5'")
    database.close()
    assert asked(file) == (2, 1)
    assert asked(file, value=3) == (2, 0)


def test_a_result_of_another_form_is_made_anew(file):
    kept = KeptResults(file)
    kept.keep("a", ANY, {"no": "number"})
    kept.close()
    assert asked(file) == (2, 1)
    assert asked(file) == (2, 0)


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(4096)])
def test_a_damaged_file_loses_no_result_of_this_run(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    assert asked(file) == (2, 1)
    asked(file)
    assert asked(file, value=3) == (2, 0)


def test_a_file_that_was_cut_short_loses_no_result_of_this_run(file):
    kept_in(file, **{f"n{number}": number for number in range(2000)})
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    for number in range(2000):
        assert asked(file, about=f"n{number}", value=number)[0] == number
        if number % 100 == 0:
            break
    assert asked(file, about="n1999", value=1999)[0] == 1999


def test_a_folder_that_cannot_be_made_is_as_good_as_no_file(tmp_path):
    (tmp_path / "folder").write_text("a file is in the way")
    file = tmp_path / "folder" / "results.sqlite"
    assert asked(file) == (2, 1)
    assert asked(file) == (2, 1)


def test_a_file_that_has_grown_too_large_is_begun_anew(file, monkeypatch):
    kept_in(file, a=1)
    monkeypatch.setattr(kept_results, "MOST_BYTES", 100)
    assert asked(file) == (2, 1)


def test_threads_share_one_file_and_lose_nothing(file):
    kept = KeptResults(file)

    def work(first):
        for number in range(first, first + 100):
            kept.once(str(number), NUMBER, lambda number=number: number)

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 50, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept.close()
    assert [asked(file, about=str(number), value=-1) for number in range(200)] == [
        (number, 0) for number in range(200)
    ]
